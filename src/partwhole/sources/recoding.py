"""Graphs in the columns of a fitted model, found by name: categories in its order, numbers on its scale.

What the model cannot know (a category that it never saw, a column that is not there, another width) is an
error; with the fallback it counts as missing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from partwhole.errors import PartwholeError, near_miss
from partwhole.graphs.schema import NO_CATEGORY, Column, Schema, column_contents
from partwhole.graphs.store import GraphStore
from partwhole.sources.attributes import category, note_unused
from partwhole.sources.one_hot import categories_of
from partwhole.sources.reading import Reading


def recoded(store: GraphStore, schema: Schema, reading: Reading) -> GraphStore:
    """The store in the columns of `schema`; its targets stay its own."""
    columns = replace(store.schema, node=schema.node, edge=schema.edge, chemistry=schema.chemistry)
    same = (store.schema.node, store.schema.edge) == (schema.node, schema.edge)
    pairs = zip((*store.schema.node, *store.schema.edge), (*schema.node, *schema.edge))
    if same and not any(own.center and not learned.center for own, learned in pairs):  # which NaN may hide in
        return replace(store, schema=columns)
    node_codes, node_values = _recoded("node", store, schema.node, reading)
    edge_codes, edge_values = _recoded("edge", store, schema.edge, reading)
    return replace(
        store,
        schema=columns,
        node_codes=node_codes,
        node_values=node_values,
        edge_codes=edge_codes,
        edge_values=edge_values,
    )


def _recoded(
    kind: str, store: GraphStore, wanted: tuple[Column, ...], reading: Reading
) -> tuple[np.ndarray, np.ndarray]:
    """Codes [rows, categorical columns] and numbers [rows, numeric width] in the order of `wanted`."""
    given = store.schema.columns(kind)
    codes, values = getattr(store, f"{kind}_codes"), getattr(store, f"{kind}_values")
    found = {column.name: (column, content) for column, content in column_contents(given, codes, values)}
    wanted_names = {column.name for column in wanted}
    note_unused((name for name in found if name not in wanted_names), kind, reading)
    rows = len(codes)
    new_codes, new_values = [np.zeros((rows, 0), np.int16)], [np.zeros((rows, 0), np.float32)]
    for column in wanted:
        content = _content(kind, column, found, rows, reading)
        (new_codes if column.is_categorical else new_values).append(content)
    return np.concatenate(new_codes, axis=1), np.concatenate(new_values, axis=1)


def _content(
    kind: str, column: Column, found: dict[str, tuple[Column, np.ndarray]], rows: int, reading: Reading
) -> np.ndarray:
    wanted = "categories" if column.is_categorical else f"{column.width} number{'s' * (column.width > 1)}"
    reason = ""
    if column.name not in found:
        hint = near_miss(column.name, found) if found else ""
        reason = f"The {kind}s have no attribute {column.name!r}, which the model learned from.{hint}"
    else:
        own, content = found[column.name]
        if own.is_categorical and column.is_categorical:
            return _categories(kind, column, own, content, reading)
        if column.is_numbered and 1 < column.width == own.width:
            return _from_one_hot(kind, column, content, reading)
        if own.is_categorical != column.is_categorical or own.width != column.width:
            has = "categories" if own.is_categorical else f"{own.width} wide"
            reason = f"The {kind} attribute {column.name!r} is {has}, and the model learned {wanted}."
        elif not column.center and np.isnan(content).any():  # which the model could not tell from a number
            if not reading.fallback:
                raise PartwholeError(
                    f"Some {kind}s have no {column.name!r}, and the model knows no mean of it; give it to "
                    f"all{reading.or_fallback('as 0')}."
                )
            return np.nan_to_num(content)
    if not reason:
        return content
    if rows and not reading.fallback:
        raise PartwholeError(f"{reason} Give it as in the fit{reading.or_fallback()}.")
    if rows:
        reading.note(f"{reason} It counts as missing.")
    if column.is_categorical:
        return np.full((rows, 1), NO_CATEGORY, np.int16)
    return np.full((rows, column.width), np.nan if column.center else 0.0, np.float32)


def _from_one_hot(kind: str, column: Column, rows: np.ndarray, reading: Reading) -> np.ndarray:
    """[rows, 1] the codes of one-hot rows, as all were in the fit"""
    codes, strange = categories_of(rows)
    if strange.any():
        which = f"{strange.sum()} of {len(rows)} {kind}s"
        reason = f"{which} have a {column.name!r} that is not one-hot, as in the fit"
        if not reading.fallback:
            raise PartwholeError(f"{reason}; correct it{reading.or_fallback()}.")
        reading.note(f"{reason}; it counts as missing.")
    if none := int((codes < 0).sum() - strange.sum()):
        reading.note(
            f"{none} of {len(rows)} {kind}s have no {column.name!r}, which counts as none of its categories."
        )
    return codes


def _categories(kind: str, column: Column, own: Column, codes: np.ndarray, reading: Reading) -> np.ndarray:
    """[rows, 1] the codes of the model"""
    place = {category(value): k for k, value in enumerate(column.values)}
    used = [category(value) for k, value in enumerate(own.values) if (codes == k).any()]
    if unseen := [name for name in used if name not in place]:
        reason = (
            f"The {kind} attribute {column.name!r} has the value {', '.join(unseen[:5])}, which the model "
            "never saw"
        )
        if not reading.fallback:
            known = ", ".join(map(str, column.values))
            raise PartwholeError(f"{reason}; it knows {known}. Correct it{reading.or_fallback()}.")
        reading.note(f"{reason}; it counts as missing.")
    table = [place.get(category(value), NO_CATEGORY) for value in own.values]
    return np.array([*table, NO_CATEGORY], np.int16)[codes]  # the last entry is that of NO_CATEGORY, -1
