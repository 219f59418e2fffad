"""What do learned parts mean? Draw docs/parts.svg and print the table of docs/notes/recipe-trials.md.

Parts of the molecules of ESOL, each atom in one of S, are compared with what a chemist would name: the
functional group of the atom. Their mutual information, adjusted for chance, is 1 where one tells the other,
and 0 where they have nothing to do with each other.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

import numpy as np
from make_overview import STYLE, nested
from rdkit import Chem
from sklearn.metrics import adjusted_mutual_info_score as agreement

from partwhole import GraphStore, SubgraphInfoMax, load_graphs
from partwhole.sources.rebuilt import rebuilt_molecule
from partwhole.views.drawing import draw_subgraphs

SEEDS = 3
EPOCHS = 30
GROUPS = {  # the first that holds an atom names it
    "nitro": "[NX3+](=O)[O-]",
    "carboxyl, ester, amide": "C(=O)[O,N]",
    "carbonyl": "[CX3]=O",
    "halogen": "[F,Cl,Br,I]",
    "hydroxyl, ether": "[OX2]",
    "amine": "[NX3;!$(N=*)]",
    "aromatic ring": "a",
    "other ring": "[R]",
    "double or triple bond": "[C]=,#[C]",
    "chain": "[CX4]",
}
PATTERNS = {name: Chem.MolFromSmarts(smarts) for name, smarts in GROUPS.items()}
DRAWN = (
    "CC(=O)Oc1ccccc1C(=O)O",
    "Cc1c([N+](=O)[O-])cc([N+](=O)[O-])cc1[N+](=O)[O-]",
    "CCCCCCCCO",
    "Oc1ccc(Cl)cc1Cl",
)


def groups_of(store: GraphStore) -> np.ndarray:
    """[atoms] the functional group of each atom, by its place in `GROUPS`; the last: none of them."""
    found = []
    for i in range(len(store)):
        molecule = rebuilt_molecule(store[i])
        named = np.full(molecule.GetNumAtoms(), len(PATTERNS))
        for k, pattern in reversed(list(enumerate(PATTERNS.values()))):
            named[[a for match in molecule.GetSubstructMatches(pattern) for a in match]] = k
        found.append(named)
    return np.concatenate(found)


def main() -> None:
    store = load_graphs("ESOL")
    groups, elements = groups_of(store), store.node_codes[:, 0]
    degree = np.diff(store.edge_ptr)
    shapes, y = [f"<style>{STYLE}</style>"], 0
    print("| generator | epochs | groups, inside a molecule | groups | elements | degrees | parts in use |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for generator in ("tree-split", "multi-head"):
        for epochs in (0, EPOCHS):
            told = []
            for seed in range(SEEDS):
                model = SubgraphInfoMax(
                    recipe="paper", generator=generator, epochs=epochs, random_state=seed
                ).fit(store)
                parts = np.hstack(model.all_subgraphs(store)).T @ 2 ** np.arange(4)  # overlaps are parts too
                share = np.unique(parts, return_counts=True)[1] / len(parts)
                pieces = [np.split(x, store.node_ptr[1:-1]) for x in (groups, parts)]
                varied = [(g, p) for g, p in zip(*pieces) if len(np.unique(g)) > 1]
                within = np.mean([agreement(g, p) for g, p in varied])  # molecules with several groups
                overall = [agreement(x, parts) for x in (groups, elements, degree)]
                told.append([within, *overall, 2 ** -(share * np.log2(share)).sum()])
            shown = " | ".join(
                f"{m:.2f} ± {s:.2f}" for m, s in zip(np.mean(told, 0), np.std(told, 0, ddof=1))
            )
            print(f"| {generator} | {epochs} | {shown} |", flush=True)
        shapes.append(f'<text x="10" y="{y + 20}" style="text-anchor: start">{escape(generator)}</text>')
        for k, smiles in enumerate(DRAWN):
            graphs = load_graphs([smiles], schema=store.schema)
            drawing = draw_subgraphs(graphs[0], model.all_subgraphs(graphs)[0])
            shapes.append(nested(drawing, 10 + 225 * k, y + 25, 215))
        y += 245
    page = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 915 {y}"><rect width="915" height="{y}" '
    page += f'fill="#fff"/>{"".join(shapes)}</svg>\n'
    (Path(__file__).parent / "parts.svg").write_text(page)


if __name__ == "__main__":
    main()
