"""A store in a line, for terminals and logs, and in a small table, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from partwhole.graphs.schema import Column

if TYPE_CHECKING:
    from partwhole.graphs.store import GraphStore

TARGETS = "targets"
SHOWN_IN_LINE, SHOWN_IN_TABLE = 5, 12  # of many columns, or of many kinds


def line(store: GraphStore) -> str:
    parts = [f"{name}: {_listed(name, columns)}" for name, columns in _parts(store).items()]
    return f"GraphStore({'; '.join([f'{store.name!r}: {_sizes(store)}', *parts])})"


def table(store: GraphStore) -> str:
    """HTML without colours of its own: it looks as the page around it."""
    rows = [row for name, columns in _parts(store).items() for row in _rows(name, columns)]
    head = f"<p><b>GraphStore</b> {escape(store.name)}: {_sizes(store)}</p>"
    if not rows:
        return head
    return f"{head}<table><tr><th>of</th><th>column</th><th>values</th></tr>{''.join(rows)}</table>"


def _sizes(store: GraphStore) -> str:
    counts = {"graph": len(store), "node": len(store.edge_ptr) - 1, "edge": int(store.num_edges.sum())}
    return ", ".join(_counted(count, word) for word, count in counts.items())


def _counted(count: int, word: str) -> str:
    plural = f"{word}es" if word.endswith("s") else f"{word}s"
    return f"{count} {word if count == 1 else plural}"


def _parts(store: GraphStore) -> dict[str, tuple[Column, ...]]:
    schema = store.schema
    parts = {"node": schema.node, "edge": schema.edge, TARGETS: schema.targets}
    return {name: columns for name, columns in parts.items() if columns}


def _listed(part: str, columns: Sequence[Column]) -> str:
    words = [f"{column.name} ({_width(column, part)})" for column in columns[:SHOWN_IN_LINE]]
    rest = len(columns) - SHOWN_IN_LINE
    return ", ".join(words) + (f" and {rest} more" if rest > 0 else "")


def _width(column: Column, part: str) -> str:
    kind = "class" if part == TARGETS else "kind"
    return _counted(column.width, kind if column.is_categorical else "number")


def _rows(part: str, columns: Sequence[Column]) -> list[str]:
    rows = [(part, column.name, _values(column, part)) for column in columns[:SHOWN_IN_TABLE]]
    if len(columns) > SHOWN_IN_TABLE:
        rows.append((part, f"and {len(columns) - SHOWN_IN_TABLE} more", ""))
    return [f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows]


def _values(column: Column, part: str) -> str:
    if not column.is_categorical:
        return _width(column, part)
    listed = ", ".join(map(str, column.values[:SHOWN_IN_TABLE]))
    return f"{_width(column, part)}: {listed}{', …' if len(column.values) > SHOWN_IN_TABLE else ''}"
