"""The tables of docs/parts.md from results/parts.json; benchmarks/parts.py prints them when it is done.

python benchmarks/parts_tables.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).parents[1] / "results" / "parts.json"
TITLES = {
    "over all": "Types and true groups, over all nodes of all graphs",
    "types inside": "Types and true groups, inside a graph",
    "pieces inside": "Connected pieces of types and of true groups, inside a graph",
    "AUC": "Area under the ROC curve of the best type of each planted group",
    "in use": "Types in use",
    "connected": "How often a type is one connected piece of a graph",
}


def table(collections: list[dict[str, Any]], measure: str) -> str:
    """A row for each way to make parts, a column for each collection that has the measure."""
    columns = [c for c in collections if shown(c["parts"]["vocabulary"], measure)]
    if measure in ("in use", "connected"):  # which do not depend on the truth
        columns = [c for c in columns if c["truth"] != "BRICS"]
    heads = [f"{c['data']}: {c['truth']} ({types_of(c)})" for c in columns]
    lines = [f"| parts by | {' | '.join(heads)} |", f"|---|{'---:|' * len(heads)}"]
    for name in collections[0]["parts"]:
        cells = [shown(c["parts"][name], measure) for c in columns]
        if any(cells):
            lines.append(f"| {name} | {' | '.join(emphasised(cells, columns, name, measure))} |")
    return "\n".join(lines)


def beside_best(collections: list[dict[str, Any]]) -> str:
    """A row for each agreement: the vocabulary, k-means of attributes, and the best of all rivals."""
    lines = ["| measure | graphs: truth (types) | vocabulary | k-means | best rival | which |"]
    lines.append("|---|---|---:|---:|---:|---|")
    for measure in ("over all", "types inside", "pieces inside", "AUC"):
        for c in collections:
            parts = c["parts"]
            if not shown(parts["vocabulary"], measure):
                continue
            rivals = [name for name in parts if name != "vocabulary"]
            best = max(rivals, key=lambda name: mean(parts[name], measure))
            told = [shown(parts[name], measure) for name in ("vocabulary", "k-means of attributes", best)]
            head = f"{c['data']}: {c['truth']} ({types_of(c)})"
            lines.append(f"| {measure} | {head} | {' | '.join(told)} | {best} |")
    return "\n".join(lines)


def types_of(collection: dict[str, Any]) -> str:
    """How many types the vocabulary has, seed by seed the same or from the fewest to the most."""
    numbers = sorted({figures["types"] for figures in collection["parts"]["vocabulary"]})
    return f"{numbers[0]} types" if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]} types"


def emphasised(cells: list[str], columns: list[dict[str, Any]], name: str, measure: str) -> list[str]:
    """The best of a column in bold, where more is better."""
    if measure in ("in use", "connected"):
        return cells
    best = [max((mean(rows, measure), other) for other, rows in c["parts"].items())[1] for c in columns]
    return [f"**{cell}**" if other == name else cell for cell, other in zip(cells, best)]


def mean(seeds: list[dict[str, Any]], measure: str) -> float:
    """Over seeds; below everything where it was not measured."""
    values = [figures[measure] for figures in seeds if figures[measure] is not None]
    return float(np.mean(values)) if values else -2.0


def shown(seeds: list[dict[str, Any]], measure: str) -> str:
    """Mean and spread over seeds."""
    values = [figures[measure] for figures in seeds if figures[measure] is not None]
    return f"{np.mean(values):.2f} ± {np.std(values):.2f}" if values else ""


def all_tables(results: dict[str, Any]) -> str:
    """The vocabulary beside the best rival, a table for each measure, and that of four types."""
    found = [f"### Beside the best rival\n\n{beside_best(results['agreement'])}"]
    found += [f"### {title}\n\n{table(results['agreement'], key)}" for key, title in TITLES.items()]
    lines = ["| graphs | exactly four | merged to four |", "|---|---:|---:|"]
    for name, uses in results["four types in use"].items():
        lines.append(f"| {name} | {uses['exactly']:.2f} | {uses['merged']:.2f} |")
    return "\n\n".join([*found, "### Types in use, of four\n\n" + "\n".join(lines)])


if __name__ == "__main__":
    print(all_tables(json.loads(RESULTS.read_text())))
