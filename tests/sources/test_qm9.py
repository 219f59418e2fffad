"""QM9: complete graphs from arrays or from the package, with units, prepared once."""

from __future__ import annotations

import csv
import itertools
import lzma
import os
from pathlib import Path

import numpy as np
import pytest

from partwhole import PartwholeError, load_graphs
from partwhole.errors import DataUnavailable
from partwhole.sources.datasets.qm9_files import (
    FOLDER_FILES,
    PACKAGE_COLUMNS,
    PACKAGE_FILES,
    TARGETS,
    Molecules,
    is_folder,
    read_folder,
    read_package,
)
from partwhole.sources.readers import qm9

FOLDER = Path(os.environ.get("PARTWHOLE_DATA") or "data") / "qm9"
needs_data = pytest.mark.skipif(not is_folder(FOLDER), reason="QM9 is not on this machine")


@pytest.fixture(scope="module")
def molecules():
    return read_folder(FOLDER)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return qm9.prepared(FOLDER, tmp_path_factory.mktemp("qm9"))


def some(molecules: Molecules, wanted: np.ndarray) -> Molecules:
    single = list(molecules.pieces(1))
    parts = [single[i] for i in wanted]
    return Molecules(
        *(np.concatenate([getattr(p, f) for p in parts]) for f in Molecules.__dataclass_fields__)
    )


def water() -> Molecules:
    return Molecules(
        index=np.array([3]),
        num_atoms=np.array([3]),
        numbers=np.array([8, 1, 1], np.uint8),
        positions=np.array([[0.0, 0.0, 0.0], [3.0, 4.0, 0.0], [0.0, 0.0, 2.0]]),
        num_bonds=np.array([2]),
        bonds=np.array([[0, 1, 1], [0, 2, 1]]),
        targets=np.arange(12.0)[None],
    )


def test_a_molecule_becomes_a_complete_graph():
    graph = qm9.complete_graphs(water())[0]
    assert graph.edges.tolist() == [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]]
    assert graph.edge_codes.ravel().tolist() == [1, 1, 1, 0, 1, 0]  # single, and none between the hydrogens
    expected = [5, 2, 5, np.sqrt(29), 2, np.sqrt(29)]
    assert graph.edge_values.ravel().tolist() == pytest.approx(expected)
    assert graph.node_codes.tolist() == [[3, 3, 0], [0, 0, 0], [0, 0, 0]]  # O, SP3, not aromatic
    assert graph.node_values.tolist() == [[8, 2], [1, 0], [1, 0]]
    units = dict(zip(TARGETS, graph.targets))
    assert (units["mu"], units["Cv"]) == (0.0, 11.0)
    assert units["homo"] == pytest.approx(2 * 27.211386246)
    assert [qm9.UNITS[name] for name in ("mu", "alpha", "gap", "r2", "zpve", "G", "Cv")] == [
        "D",
        "a0^3",
        "eV",
        "a0^2",
        "eV",
        "eV",
        "cal/(mol K)",
    ]


@pytest.mark.slow
@needs_data
def test_the_whole_set_has_the_published_size(store):
    assert (len(store), int(store.num_nodes.sum())) == (130831, 2359210)
    assert len(store.neighbor) == int((store.num_nodes * (store.num_nodes - 1)).sum())
    assert store.is_mapped
    assert store.targets[:, TARGETS.index("mu")].mean() == pytest.approx(2.6730, abs=1e-4)
    assert store.targets[:, TARGETS.index("gap")].mean() == pytest.approx(0.25204 * 27.211386, abs=1e-3)
    assert store.ids[:3].tolist() == [1, 2, 3]
    methane = store[0]
    assert sorted({round(float(d), 2) for d in methane.edge_values.ravel()}) == [1.09, 1.78]


@pytest.mark.slow
@needs_data
def test_bonds_and_distances_are_those_of_the_molecule(store, molecules):
    """A slow twin for a few molecules: every pair of atoms, by plain loops."""
    for i in (5, 77_777, 130_830):
        part = some(molecules, np.array([i]))
        graph = store[i]
        kinds = {frozenset((int(a), int(b))): int(k) for a, b, k in part.bonds}
        assert len(graph.edges) == len(part.numbers) * (len(part.numbers) - 1)
        for (a, b), code, value in zip(graph.edges, graph.edge_codes[:, 0], graph.edge_values[:, 0]):
            assert code == kinds.get(frozenset((int(a), int(b))), 0)
            assert value == pytest.approx(np.linalg.norm(part.positions[a] - part.positions[b]), rel=1e-6)


@pytest.mark.slow
@needs_data
def test_the_package_gives_the_same_molecules(molecules, tmp_path):
    """Tables as the package has them; among them the six whose SMILES has another order of atoms."""
    pytest.importorskip("rdkit")
    odd = np.flatnonzero(np.isin(molecules.index, [23, 24, 486, 52466, 59818, 133487]))
    wanted = np.concatenate([np.arange(0, 130_831, 2000), odd])
    chosen = some(molecules, wanted)
    with lzma.open(FOLDER / "qm9_targets.csv.xz", "rt", newline="") as text:
        smiles = [row["smiles"] for row in csv.DictReader(text)]
    symbols = {1: "H", 6: "C", 7: "N", 8: "O", 9: "F"}
    rows = []
    for i, part in zip(wanted, chosen.pieces(1)):
        row = {"Index": part.index[0], "SMILES": smiles[i]}
        row["Elements"] = repr([symbols[int(z)] for z in part.numbers]).replace(" ", "")
        row["XYZ_Ang"] = repr(part.positions.tolist())
        row |= {PACKAGE_COLUMNS[name]: value for name, value in zip(TARGETS, part.targets[0])}
        rows.append(row)
    for k, name in enumerate(PACKAGE_FILES):
        with (tmp_path / name).open("w", newline="") as text:
            writer = csv.DictWriter(text, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows[k::3])
    order = np.concatenate([np.arange(len(rows))[k::3] for k in range(3)])
    ours, theirs = some(chosen, order), read_package(tmp_path)
    left, right = (qm9.complete_graphs(m) for m in (ours, theirs))
    assert left.digest() == right.digest()
    assert left.ids.tolist() == right.ids.tolist()


@needs_data
def test_altered_files_are_refused(tmp_path):
    for name in FOLDER_FILES:
        (tmp_path / name).write_bytes((FOLDER / name).read_bytes()[: 10**5])
    with pytest.raises(PartwholeError, match="cut short or altered"):
        read_folder(tmp_path)


def test_without_the_files_it_says_where_to_get_them(tmp_path, monkeypatch):
    monkeypatch.setenv("PARTWHOLE_DATA", str(tmp_path))
    monkeypatch.setattr(qm9, "package_folder", lambda: None)
    with pytest.raises(DataUnavailable, match="partwhole\\[qm9\\]"):
        load_graphs("QM9")


# -------------------------------------------------------------------- own molecules with coordinates


@pytest.mark.slow
@needs_data
def test_a_conformer_is_encoded_as_its_molecule_in_qm9(molecules, store):
    """Molecule 100 as an RDKit molecule with the coordinates of QM9: the same graph."""
    Chem = pytest.importorskip("rdkit.Chem")
    one = next(itertools.islice(molecules.pieces(1), 100, None))
    editable = Chem.RWMol()
    for number in one.numbers:
        editable.AddAtom(Chem.Atom(int(number)))
    kinds = {
        1: Chem.BondType.SINGLE,
        2: Chem.BondType.DOUBLE,
        3: Chem.BondType.TRIPLE,
        4: Chem.BondType.AROMATIC,
    }
    for i, j, kind in one.bonds:
        editable.AddBond(int(i), int(j), kinds.get(int(kind), Chem.BondType.AROMATIC))
    conformer = Chem.Conformer(len(one.numbers))
    for atom, place in enumerate(one.positions):
        conformer.SetAtomPosition(atom, [float(x) for x in place])
    molecule = editable.GetMol()
    molecule.AddConformer(conformer)
    ours, theirs = load_graphs([molecule], schema=store.schema)[0], store[100]
    for column in ("edges", "node_codes", "node_values", "edge_codes"):
        np.testing.assert_array_equal(getattr(ours, column), getattr(theirs, column))
    np.testing.assert_allclose(ours.edge_values, theirs.edge_values, rtol=1e-6)


def test_molecules_without_coordinates_are_refused_where_distances_are_needed():
    Chem, AllChem = pytest.importorskip("rdkit.Chem"), pytest.importorskip("rdkit.Chem.AllChem")
    for molecule in ("CCO", Chem.MolFromSmiles("CCO")):
        with pytest.raises(PartwholeError, match="it has no coordinates, and the model needs dist"):
            load_graphs([molecule], schema=qm9.SCHEMA)
    flat = Chem.MolFromSmiles("CCO")
    AllChem.Compute2DCoords(flat)
    with pytest.raises(PartwholeError, match="no coordinates in space, only in the plane"):
        load_graphs([flat], schema=qm9.SCHEMA)
    flat.GetConformer().Set3D(True)
    with pytest.raises(PartwholeError, match="no hydrogens as atoms of their own"):
        load_graphs([flat], schema=qm9.SCHEMA)
    salt = Chem.MolFromSmiles("[Na+].[Cl-]")
    salt.AddConformer(Chem.Conformer(2))
    with pytest.raises(PartwholeError, match="atomic number 11, and the model knows H, C, N, O, F"):
        load_graphs([salt], schema=qm9.SCHEMA)
