"""A store in a line, for terminals and logs, and in a small table, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from partwhole.graphs.schema import Column

if TYPE_CHECKING:
    from partwhole.graphs.store import GraphStore

TARGETS = "targets"
PLURALS = {"class": "classes", "category": "categories"}
SHOWN_IN_LINE, SHOWN_IN_TABLE = 5, 12  # of many columns, or of many categories


def line(store: GraphStore) -> str:
    """`GraphStore('MUTAG': 188 graphs, …; node: atom (7 categories); …)`, the `repr` of a store."""
    sections = [f"{name}: {_listed(name, columns)}" for name, columns in _sections(store).items()]
    return f"GraphStore({'; '.join([f'{store.name!r}: {_sizes(store)}', *sections])})"


def table(store: GraphStore) -> str:
    """HTML without a style of its own: it looks as the page around it."""
    rows = [row for name, columns in _sections(store).items() for row in _rows(name, columns)]
    head = f"<p><b>GraphStore</b> {escape(store.name)}: {_sizes(store)}</p>"
    if not rows:
        return head
    return f"{head}<table><tr><th>of</th><th>column</th><th>values</th></tr>{''.join(rows)}</table>"


def _sizes(store: GraphStore) -> str:
    counts = {"graph": len(store), "node": len(store.edge_ptr) - 1, "edge": int(store.num_edges.sum())}
    return ", ".join(_counted(count, word) for word, count in counts.items())


def _counted(count: int, word: str) -> str:
    return f"{count} {word if count == 1 else PLURALS.get(word, f'{word}s')}"


def _sections(store: GraphStore) -> dict[str, tuple[Column, ...]]:
    """The columns that there are, of nodes, of edges and of graphs."""
    schema = store.schema
    sections = {"node": schema.node, "edge": schema.edge, TARGETS: schema.targets}
    return {name: columns for name, columns in sections.items() if columns}


def _listed(section: str, columns: Sequence[Column]) -> str:
    words = [f"{column.name} ({_width(column, section)})" for column in columns[:SHOWN_IN_LINE]]
    rest = len(columns) - SHOWN_IN_LINE
    return ", ".join(words) + (f" and {rest} more" if rest > 0 else "")


def _width(column: Column, section: str) -> str:
    if not column.is_categorical:
        return _counted(column.width, "number")
    return _counted(column.width, "class" if section == TARGETS else "category")


def _rows(section: str, columns: Sequence[Column]) -> list[str]:
    rows = [(section, column.name, _values(column, section)) for column in columns[:SHOWN_IN_TABLE]]
    if len(columns) > SHOWN_IN_TABLE:
        rows.append((section, f"and {len(columns) - SHOWN_IN_TABLE} more", ""))
    return [f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows]


def _values(column: Column, section: str) -> str:
    if not column.is_categorical:
        return _width(column, section)
    listed = ", ".join(map(str, column.values[:SHOWN_IN_TABLE]))
    return f"{_width(column, section)}: {listed}{', …' if len(column.values) > SHOWN_IN_TABLE else ''}"
