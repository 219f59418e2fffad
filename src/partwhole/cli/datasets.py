"""`partwhole datasets`: what can be loaded by name."""

from __future__ import annotations

from typing import Any

from partwhole.cli.output import Json, print_json, print_table


def datasets(json: Json = False) -> None:
    """List the data sets known by name and whether each is on this machine.

    Example: partwhole datasets
    """
    from partwhole.sources.datasets.catalogue import DATASETS, MOTIFS, QM9, find
    from partwhole.sources.datasets.moleculenet import SETS

    rows: list[dict[str, Any]] = []
    for name, dataset in (DATASETS | SETS).items():
        place = find(name)
        found = str(place) if place else None
        rows.append({"name": name, "graphs": dataset.graphs, "about": dataset.about, "found": found})
    place = find(QM9)
    about = "small molecules with coordinates; twelve quantum chemical targets"
    rows.append({"name": QM9, "graphs": 130831, "about": about, "found": str(place) if place else None})
    about = "synthetic: trees with a cycle or a house tied on"
    rows.append({"name": MOTIFS, "graphs": 200, "about": about, "found": "made on the spot"})
    if json:
        print_json({"datasets": rows})
        return
    print_table(
        "Data sets",
        ["name", "graphs", "about", "on this machine"],
        [
            [
                r["name"],
                str(r["graphs"]),
                r["about"],
                r["found"] or ("no, in partwhole[qm9]" if r["name"] == QM9 else "no, to download"),
            ]
            for r in rows
        ],
        numbers=["graphs"],
        note="Looked for in $PARTWHOLE_DATA, installed packages and the cache, in this order.",
    )
