"""`partwhole parts`: the parts of graphs, by the vocabulary of a run."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partwhole.cli.output import Json, Overwrite, print_json, print_table, require_other_file
from partwhole.cli.reading import Data, Fallback, Run, SmilesColumn, Strict, read_for
from partwhole.errors import PartwholeError

if TYPE_CHECKING:
    from partwhole.estimators.base import AnyEstimator
    from partwhole.graphs.store import GraphStore
    from partwhole.parts.describing import TypeDescription
    from partwhole.parts.explaining import Explanation
    from partwhole.parts.going_with import GoesWith
    from partwhole.parts.vocabulary import Vocabulary

MOST_NODES_TOLD = 12  # of a part in a table

Target = Annotated[str | None, typer.Option(help="Tell which types go with this target.", show_default=False)]
Counts = Annotated[
    bool, typer.Option("--counts", help="Write a row for each graph: how many parts of each type.")
]
PartVectors = Annotated[bool, typer.Option("--vectors", help="Write the vector of each part, too (Parquet).")]
Types = Annotated[
    int | None, typer.Option(help="Merge types until so many are left.", min=1, show_default=False)
]
Explain = Annotated[
    str | None,
    typer.Option(
        metavar="ID",
        help="Tell which parts of this graph drive its prediction (a run with labels).",
        show_default=False,
    ),
]


def parts(
    run: Run,
    data: Data,
    out: Annotated[Path, typer.Option(help="CSV or Parquet file to write.")],
    target: Target = None,
    explain: Explain = None,
    types: Types = None,
    counts: Counts = False,
    vectors: PartVectors = False,
    smiles_column: SmilesColumn = None,
    strict: Strict = False,
    fallback: Fallback = False,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Write a row for each part of each graph: id, type, size and nodes. A type means the same in all graphs.

    Prints what each type is: how many there are, and what most of them look like. With --explain, also what
    each part of one graph adds to its prediction.

    Example: partwhole parts runs/mutag MUTAG --out parts.parquet --target label
    """
    from partwhole.estimators.loading import load_run
    from partwhole.export.part_tables import count_table, part_table
    from partwhole.export.predictions import check_suffix, write_table
    from partwhole.parts.describing import describe

    check_suffix(out)
    if out.suffix.lower() == ".csv" and not counts:
        raise PartwholeError(f"Nodes of parts are lists, which CSV cannot hold; write Parquet, not {out}.")
    require_other_file([out], data, overwrite)
    estimator = load_run(run)
    store, reading = read_for(estimator, data, strict, fallback, smiles_column)
    vocabulary = _vocabulary(estimator, store, types)
    found = vocabulary.parts_of(store)
    told = describe(vocabulary, store, found)
    going = None if target is None else _going_with(vocabulary, store, target)
    explained = None if explain is None else _explained(estimator, vocabulary, store, explain, target)
    if counts:
        write_table(count_table(store, vocabulary, told), out)
    else:
        write_table(part_table(store, found, estimator if vectors else None), out)
    if json:
        content = {"out": str(out), "graphs": len(store), "parts": len(found)}
        rows = [dataclasses.asdict(row) for row in told]
        more = {} if going is None else {"target": [dataclasses.asdict(row) for row in going]}
        why = {} if explained is None else {"explanation": dataclasses.asdict(explained)}
        print_json({**content, "left_out": len(reading.left_out), "types": rows, **more, **why})
        return
    print(f"Wrote {len(found)} parts of {len(store)} graphs to {out}.")
    _print_types(told)
    if going is not None:
        _print_going_with(going, told, str(target))
    if explained is not None:
        _print_explained(explained)


def _vocabulary(estimator: AnyEstimator, store: GraphStore, types: int | None) -> Vocabulary:
    """That of the run, or of these graphs where the run has none."""
    from partwhole.parts.vocabulary import Vocabulary

    vocabulary = estimator.vocabulary_
    if vocabulary is None:
        print("The run has no vocabulary of its own; types are those of the given graphs.", file=sys.stderr)
        vocabulary = Vocabulary.of(store)
    return vocabulary if types is None else vocabulary.merged(types)


def _going_with(vocabulary: Vocabulary, store: GraphStore, target: str) -> list[GoesWith]:
    from partwhole.evaluation.chosen_target import with_target
    from partwhole.parts.going_with import goes_with

    known = with_target(store, target)
    if known.unlabelled:
        graphs = "graph has" if known.unlabelled == 1 else "graphs have"
        print(
            f"{known.unlabelled} {graphs} no {target} and do not count in what goes with it.", file=sys.stderr
        )
    return goes_with(vocabulary.counts(known.store), known.values, is_number=known.is_number)


def _explained(
    estimator: AnyEstimator, vocabulary: Vocabulary, store: GraphStore, name: str, target: str | None
) -> Explanation:
    """Of the graph with this id: the target that is asked for, if the run predicts it, else its first one."""
    from partwhole.errors import near_miss
    from partwhole.estimators.labelled import LabelledEstimator

    if not isinstance(estimator, LabelledEstimator):
        raise PartwholeError(
            "The run learned without labels and predicts nothing to explain; fit with --target, or leave out "
            "--explain."
        )
    ids = [str(i).strip() for i in store.ids.tolist()]  # spaces around an id are not seen
    if name.strip() not in ids:
        raise PartwholeError(f"There is no graph {name!r}.{near_miss(name, ids)}")
    place = ids.index(name.strip())
    predicted = target if target in estimator.target_names_ else None
    return estimator.explain(store[place : place + 1], predicted, vocabulary)


def _print_types(told: list[TypeDescription]) -> None:
    rows = [
        [
            str(t.type),
            str(t.parts),
            f"{t.graphs:.0%}",
            f"{t.mean_size:.1f}",
            t.form,
            f"{t.form_share:.0%}",
            t.name,
        ]
        for t in sorted(told, key=lambda t: -t.parts)
    ]
    header = ["type", "parts", "graphs", "size", "most frequent", "share", "name"]
    note = "graphs: share that have the type; share: of its parts, those of the most frequent form."
    print_table("Types of parts", header, rows, numbers=[*header[:4], "share"], note=note)


def _print_going_with(going: list[GoesWith], told: list[TypeDescription], target: str) -> None:
    classes = list(going[0].means)[:5]
    rows = [
        [
            str(row.type),
            told[row.type].label,
            f"{row.effect:.3f}",
            f"{row.corrected:.2g}",
            *(f"{row.means[c]:.2f}" for c in classes),
        ]
        for row in going
    ]
    header = ["type", "most frequent", "effect", "p", *classes]
    effect = "the share of the ranks' variance that classes explain" if classes else "Spearman's rho"
    note = f"effect: {effect}; p: that it is chance, corrected for the number of types (Benjamini-Hochberg)."
    if classes:
        note += " Columns of classes: mean number of such parts in a graph."
    print_table(f"Types that go with {target}", header, rows, numbers=["effect", "p", *classes], note=note)


def _print_explained(explained: Explanation) -> None:
    from partwhole.parts.names import name_of

    rows = [
        [str(one.type), name_of(one.form), f"{one.effect:+.3g}", f"{one.without:.4g}", _nodes(one.nodes)]
        for one in explained.effects
    ]
    if explained.label is None:
        title = f"Graph {explained.id}: {explained.target} {explained.value:.4g}"
    else:
        title = (
            f"Graph {explained.id}: {explained.target} {explained.label}, probability {explained.value:.3g}"
        )
    if not rows:
        print(f"{title}. The graph is one part: without it, nothing is left.")
        return
    header = ["type", "part", "effect", "without", "nodes"]
    what = "prediction" if explained.label is None else f"probability of {explained.label}"
    note = f"without: the {what} for the graph without these nodes; effect: what the part adds to it."
    print_table(title, header, rows, numbers=["type", "effect", "without"], note=note)


def _nodes(nodes: list[int]) -> str:
    shown = ", ".join(map(str, nodes[:MOST_NODES_TOLD]))
    return shown if len(nodes) <= MOST_NODES_TOLD else f"{shown} and {len(nodes) - MOST_NODES_TOLD} more"
