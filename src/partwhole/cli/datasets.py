"""`partwhole datasets`: what can be loaded by name."""

from __future__ import annotations

from partwhole.cli.output import Json, print_json, print_table


def datasets(json: Json = False) -> None:
    """List the data sets known by name and whether each is on this machine.

    Example: partwhole datasets
    """
    from partwhole.sources.datasets.catalogue import DATASETS, MOTIFS, QM9, find
    from partwhole.sources.datasets.moleculenet import SETS

    def found(name: str) -> str | None:
        place = find(name)
        return str(place) if place else None

    rows = [(name, known.graphs, known.about, found(name)) for name, known in (DATASETS | SETS).items()]
    rows += [
        (QM9, 130831, "small molecules with coordinates; twelve quantum chemical targets", found(QM9)),
        (MOTIFS, 200, "synthetic: trees with a cycle or a house tied on", "made on the spot"),
    ]
    if json:
        keys = ("name", "graphs", "about", "found")
        print_json({"datasets": [dict(zip(keys, row)) for row in rows]})
        return
    print_table(
        "Data sets",
        ["name", "graphs", "about", "on this machine"],
        [
            [name, str(graphs), text, place or f"no, {'in partwhole[qm9]' if name == QM9 else 'to download'}"]
            for name, graphs, text, place in rows
        ],
        numbers=["graphs"],
        note="Looked for in $PARTWHOLE_DATA, installed packages and the cache, in this order.",
    )
