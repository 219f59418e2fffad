"""Draw docs/vocabulary.svg: types of parts of the molecules of ESOL, and molecules in their parts."""

from __future__ import annotations

from html import escape
from pathlib import Path

from make_overview import STYLE, nested

from partwhole import METHODS, load_graphs
from partwhole.views.drawing import draw_subgraphs
from partwhole.views.halos import color_of
from partwhole.views.parts_section import legend_of
from partwhole.views.shown_types import ShownTypes

DRAWN = {
    "aspirin": "CC(=O)Oc1ccccc1C(=O)O",
    "trinitrotoluene": "Cc1c([N+](=O)[O-])cc([N+](=O)[O-])cc1[N+](=O)[O-]",
    "octanol": "CCCCCCCCO",
    "bromacil": "CCC(C)N1C(=O)NC(C)=C(Br)C1=O",
}
SHOWN, COLUMNS = 12, 4  # types, the most frequent ones
WIDTH, CELL, TOP = 980, 240, 295  # of the page, of a cell, of the molecules above


def legend(color: str, text: str, x: float, y: float) -> str:
    """A dot and a line of text."""
    dot = f'<circle cx="{x + 6}" cy="{y - 4}" r="6" fill="{color}"/>'
    return f'{dot}<text class="small" x="{x + 17}" y="{y}" style="text-anchor: start">{escape(text)}</text>'


def main() -> None:
    store = load_graphs("ESOL")
    types = ShownTypes.of(METHODS.get("counts")().fit(store), store)  # every method keeps the same vocabulary
    assert types is not None
    shapes = [f"<style>{STYLE}</style>"]
    for k, (name, smiles) in enumerate(DRAWN.items()):
        graphs = load_graphs([smiles], schema=store.schema)
        x = 10 + CELL * k
        shapes.append(nested(draw_subgraphs(graphs[0], types.memberships(graphs)[0]), x + 10, 0, 180))
        shapes.append(f'<text x="{x + 100}" y="192">{name}</text>')
        for line, entry in enumerate(legend_of(types, graphs)):
            shapes.append(legend(entry.color, entry.text, x + 10, 214 + 17 * line))
    top = TOP + 30
    for place, told in enumerate(types.by_frequency[:SHOWN]):
        x, y = 10 + CELL * (place % COLUMNS), top + 160 * (place // COLUMNS)
        shapes.append(legend(color_of(told.type), types.names[told.type], x, y + 14))
        for k, drawing in enumerate(types.drawings(told.type)[:2]):
            shapes.append(nested(drawing, x + 5 + 112 * k, y + 22, 104))
        share = f"{told.graphs:.0%} of molecules, {told.mean_size:.1f} atoms"
        shapes.append(f'<text class="small" x="{x}" y="{y + 142}" style="text-anchor: start">{share}</text>')
    height = top + 160 * -(-SHOWN // COLUMNS)
    shapes.insert(1, f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>')
    shapes.append(f'<path d="M10,{TOP + 12} h{WIDTH - 20}" stroke="#e4e7eb"/>')
    page = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}">{"".join(shapes)}</svg>\n'
    (Path(__file__).parent / "vocabulary.svg").write_text(page)


if __name__ == "__main__":
    main()
