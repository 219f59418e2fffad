"""Terms for each element that are taken off a target before it is learned.

A total energy is first of all a sum over atoms. The best such sum, by least squares on the labelled
part, is what chemists subtract; the network then learns the bonds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.graphs.store import GraphStore


@dataclass(frozen=True)
class AtomReferences:
    """Terms of a sum over atoms, one for each element and target."""

    terms: np.ndarray  # [1 + elements, T], the first for every molecule

    @classmethod
    def fitted(cls, counts: np.ndarray, targets: np.ndarray) -> AtomReferences:
        """The terms of each target [G, T], NaN where missing, for `element_counts`."""
        terms = np.zeros((counts.shape[1], targets.shape[1]))
        for t, values in enumerate(targets.T):
            known = ~np.isnan(values)
            terms[:, t] = np.linalg.lstsq(counts[known], values[known], rcond=None)[0]
        return cls(terms)

    def of(self, counts: np.ndarray) -> np.ndarray:
        """[G, T]"""
        sums: np.ndarray = counts @ self.terms
        return sums

    def to_dict(self) -> dict[str, Any]:
        """What a run folder keeps."""
        return {"terms": self.terms.tolist()}

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> AtomReferences:
        """What `to_dict` gave."""
        return cls(np.array(content["terms"]))


def element_counts(store: GraphStore) -> np.ndarray:
    """[G, 1 + elements] float64: 1, and the atoms of each element in a molecule.

    Hydrogens that are no atoms of their own but counted at their neighbours have a column, the last.
    """
    if not store.schema.chemistry:
        raise PartwholeError("Atom references need molecules, and these graphs are none; leave them out.")
    elements = store.schema.node[0].width
    graph = np.repeat(np.arange(len(store)), store.num_nodes)
    place = graph * elements + store.node_codes[:, 0]
    counts = np.bincount(place, minlength=len(store) * elements).reshape(len(store), elements)
    columns = [np.ones((len(store), 1)), counts]
    categories = [column.name for column in store.schema.node if column.is_categorical]
    if "hydrogens" in categories:
        attached = store.node_codes[:, categories.index("hydrogens")]
        columns.append(np.bincount(graph, weights=attached, minlength=len(store))[:, None])
    return np.concatenate(columns, axis=1)
