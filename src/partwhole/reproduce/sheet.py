"""What a sheet is, a table as text; how its figures are written, and which cells are finished."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from partwhole.reproduce.cells import Cell, Place, Plan
from partwhole.reproduce.journal import Record
from partwhole.reproduce.statistics import Comparison, Summary

NOTHING = "–"


@dataclass(frozen=True)
class Sheet:
    """What stands in a table, and what must be said below it."""

    title: str
    header: list[str]
    rows: list[list[str]]
    notes: list[str]
    words: int  # how many columns at the left are words; the others are figures


def finished(plan: Plan, records: Sequence[Record]) -> dict[Place, list[Record]]:
    """Find the record of each finished run, in order; places without one are left out."""
    by_key: dict[str, list[Record]] = {}
    for record in records:
        by_key.setdefault(record["cell"], []).append(record)
    known = {}
    for place, cells in plan.items():
        answers = [
            [r for r in by_key.get(cell.key, []) if cell.answered_by(r) and "refused" not in r]
            for cell in cells
        ]
        if found := [of_cell[-1] for of_cell in answers if of_cell]:
            known[place] = found
    return known


def extent(cells: Sequence[Cell], finished: int) -> str:
    """Write runs × epochs; runs alone where there are no epochs."""
    done = "" if finished == len(cells) else f"{finished} of "
    epochs = f" × {cells[0].epochs}" if cells[0].epochs else ""
    return f"{done}{len(cells)}{epochs}"


def minutes(records: Sequence[Record]) -> str:
    """Write the time that these records took in all, in minutes."""
    if not records:
        return NOTHING
    return f"{sum(sum(record['seconds'].values()) for record in records) / 60:.0f}"


def figure(summary: Summary, digits: int = 1) -> str:
    """Write mean ± standard deviation; the mean alone of a single run."""
    spread = "" if math.isnan(summary.std) else f" ± {summary.std:.{digits}f}"
    return f"{summary.mean:.{digits}f}{spread}"


def with_p(comparison: Comparison, digits: int = 1) -> str:
    """Write a difference with its sign and, where there is one, its p-value."""
    gain = f"{comparison.gain:+.{digits}f}"
    if math.isnan(comparison.p):
        return gain
    return f"{gain}, p {'< 0.001' if comparison.p < 0.001 else f'= {comparison.p:.3f}'}"


def to_markdown(sheet: Sheet) -> str:
    """Write a sheet as a Markdown table, with its notes as a list below."""
    marks = ["---"] * sheet.words + ["---:"] * (len(sheet.header) - sheet.words)
    table = [sheet.header, marks, *sheet.rows]
    body = "\n".join(f"| {' | '.join(row)} |" for row in table)
    return body + "\n\n" + "\n".join(f"- {note}" for note in sheet.notes) + "\n"
