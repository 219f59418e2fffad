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
    from partwhole.parts.going_with import GoesWith
    from partwhole.parts.vocabulary import Vocabulary


def parts(
    run: Run,
    data: Data,
    out: Annotated[Path, typer.Option(help="CSV or Parquet file to write.")],
    target: Annotated[
        str | None, typer.Option(help="Tell which types go with this target.", show_default=False)
    ] = None,
    types: Annotated[
        int | None, typer.Option(help="Merge types until so many are left.", min=1, show_default=False)
    ] = None,
    counts: Annotated[
        bool, typer.Option("--counts", help="Write a row for each graph: how many parts of each type.")
    ] = False,
    vectors: Annotated[
        bool, typer.Option("--vectors", help="Write the vector of each part, too (Parquet).")
    ] = False,
    smiles_column: SmilesColumn = None,
    strict: Strict = False,
    fallback: Fallback = False,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Write a row for each part of each graph: id, type, size and nodes. A type means the same in all graphs.

    Prints what each type is: how many there are, and what most of them look like.

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
    explained = None if target is None else _explained(vocabulary, store, target)
    if counts:
        write_table(count_table(store, vocabulary), out)
    else:
        write_table(part_table(store, found, estimator if vectors else None), out)
    if json:
        content = {"out": str(out), "graphs": len(store), "parts": len(found)}
        rows = [dataclasses.asdict(row) for row in told]
        more = {} if explained is None else {"target": [dataclasses.asdict(row) for row in explained]}
        print_json({**content, "left_out": len(reading.left_out), "types": rows, **more})
        return
    print(f"Wrote {len(found)} parts of {len(store)} graphs to {out}.")
    _print_types(told)
    if explained is not None:
        _print_explained(explained, told, str(target))


def _vocabulary(estimator: AnyEstimator, store: GraphStore, types: int | None) -> Vocabulary:
    """That of the run, or of these graphs where the run has none."""
    from partwhole.parts.vocabulary import Vocabulary

    vocabulary = getattr(estimator, "vocabulary_", None)
    if vocabulary is None:
        print("The run has no vocabulary of its own; types are those of the given graphs.", file=sys.stderr)
        vocabulary = Vocabulary.of(store)
    return vocabulary if types is None else vocabulary.merged(types)


def _explained(vocabulary: Vocabulary, store: GraphStore, target: str) -> list[GoesWith]:
    from partwhole.evaluation.chosen_target import with_target
    from partwhole.parts.going_with import goes_with

    known = with_target(store, target)
    return goes_with(vocabulary.counts(known.store), known.values, is_number=known.is_number)


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


def _print_explained(explained: list[GoesWith], told: list[TypeDescription], target: str) -> None:
    classes = list(explained[0].means)[:5]
    rows = [
        [
            str(row.type),
            told[row.type].name or told[row.type].form,
            f"{row.effect:.3f}",
            f"{row.corrected:.2g}",
            *(f"{row.means[c]:.2f}" for c in classes),
        ]
        for row in explained
    ]
    header = ["type", "most frequent", "effect", "p", *classes]
    effect = "the share of the ranks' variance that classes explain" if classes else "Spearman's rho"
    note = f"effect: {effect}; p: that it is chance, corrected for the number of types (Benjamini-Hochberg)."
    if classes:
        note += " Columns of classes: mean number of such parts in a graph."
    print_table(f"Types that go with {target}", header, rows, numbers=["effect", "p", *classes], note=note)
