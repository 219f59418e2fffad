"""The structure of a molecule as chemists draw it, by RDKit: shapes of SVG that any page can colour.

RDKit writes a style of 150 characters into every bond and every letter. A report holds thousands of drawings,
so bonds of a kind become one path here, and the letters of an atom one text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from partwhole.graphs.graph import Graph
from partwhole.sources.rebuilt import molecule_to_draw

SIZE = 1000  # of every drawing, so that whole numbers are fine enough
LINE = 8  # width of bonds and edges
LONGEST_BOND = 200
LOW = 0.13  # em that letters would stand too low: RDKit takes them for taller than these
FONT = "Arial,Helvetica,sans-serif"

PATH = re.compile(r"<path class='[^']*' d='([^']*)' style='([^']*)'")
LETTER = re.compile(
    r"<text x='([-\d.]+)' y='([-\d.]+)' class='atom-(\d+)' style='font-size:(\d+)px[^>]*>(.+?)</text>"
)
NUMBER = re.compile(r"-?\d+\.\d+")


@dataclass(frozen=True)
class Picture:
    """What is drawn of a graph before its parts are coloured."""

    points: np.ndarray  # [n, 2] in a square of SIZE
    pairs: np.ndarray  # [e, 2] nodes that a line joins
    unit: float  # the length of a bond, by which halos are measured
    shapes: str


def draw_molecule(graph: Graph) -> Picture | None:
    """A molecule by its bonds; None where RDKit is not installed, or the edges do not tell what they are."""
    if not graph.schema.edge:
        return None
    try:
        from rdkit import rdBase
        from rdkit.Chem import rdDepictor
        from rdkit.Chem.Draw.rdMolDraw2D import MolDraw2DSVG
    except ImportError:
        return None
    molecule = molecule_to_draw(graph)
    rdDepictor.Compute2DCoords(molecule)
    rdDepictor.StraightenDepiction(molecule, minimizeRotation=True)
    drawer = MolDraw2DSVG(SIZE, SIZE, -1, -1, True)  # the last: letters as text, not as outlines
    _set_options(drawer.drawOptions())
    with rdBase.BlockLogs():
        drawer.DrawMolecule(molecule)
    drawer.FinishDrawing()
    places = [drawer.GetDrawCoords(v) for v in range(graph.num_nodes)]
    points = np.array([(place.x, place.y) for place in places])
    bonds = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in molecule.GetBonds()]
    pairs = np.array(bonds, dtype=np.int64).reshape(-1, 2)
    lengths = np.hypot(*(points[pairs[:, 0]] - points[pairs[:, 1]]).T)
    unit = float(np.median(lengths)) if len(pairs) else LONGEST_BOND
    return Picture(points, pairs, unit, _compact(drawer.GetDrawingText()))


def _set_options(options: Any) -> None:
    """Black lines and large letters, as journals want them; the background is that of the page. RDKit's own
    types of these are wrong."""
    options.useBWAtomPalette()
    options.clearBackground = False
    options.includeRadicals = False  # what lacks hydrogens here has them in truth
    options.padding = 0.08
    options.bondLineWidth = LINE
    options.fixedBondLength = LONGEST_BOND / 1.5  # RDKit's unit; most bonds have one and a half
    options.baseFontSize, options.minFontSize, options.maxFontSize = 0.9, 46, 100
    options.multipleBondOffset = 0.17


def _compact(svg: str) -> str:
    lines, dashes, solid = "", "", ""
    for path, style in PATH.findall(svg):
        path = NUMBER.sub(lambda number: str(round(float(number.group()))), path).replace(" ", "")
        if "fill:none" not in style:
            solid += path
        elif "dasharray" in style:
            dashes += path
        else:
            lines += path
    shapes = f'<path d="{lines}"/>' if lines else ""
    shapes += f'<path stroke-dasharray="{2 * LINE}" d="{dashes}"/>' if dashes else ""
    shapes += f'<path fill="currentColor" stroke-width="2" d="{solid}"/>' if solid else ""
    return shapes + _symbols(LETTER.findall(svg))


def _symbols(letters: list[tuple[str, ...]]) -> str:
    """One text for each atom; numbers of hydrogens and charges are small."""
    if not letters:
        return ""
    size = max(int(letter[3]) for letter in letters)
    atoms: dict[str, str] = {}
    for x, y, atom, font, text in letters:
        place = f'x="{float(x):.0f}" y="{float(y) - LOW * size:.0f}"'
        small = f' font-size="{font}"' if int(font) < size else ""
        text = text.replace("-", "\N{MINUS SIGN}")
        atoms[atom] = atoms.get(atom, "") + f"<tspan {place}{small}>{text}</tspan>"
    texts = "".join(f"<text>{spans}</text>" for spans in atoms.values())
    return f'<g fill="currentColor" stroke="none" font-family="{FONT}" font-size="{size}">{texts}</g>'
