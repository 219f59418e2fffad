"""How graphs are to be read, and what there is to say about them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from partwhole.errors import PartwholeError, TooLarge
from partwhole.graphs.schema import Column, Schema


@dataclass
class Reading:
    """What is asked for, and what was found: it goes with one call of `read_graphs` through its source."""

    schema: Schema | None = None  # of a fitted model, where the graphs are to be embedded
    strict: bool = True  # what cannot be read is an error; otherwise it is left out
    fallback: bool = False  # what the model never saw counts as missing; otherwise it is an error
    offers_fallback: bool = True  # whether an error may name it as a cure
    most_graphs: int | None = None  # more are refused before they are read
    most_nodes: int | None = None  # of a graph; characters of SMILES may be twice as many
    most_edges: int | None = None
    smiles_column: str | None = None  # of a table; otherwise found by its name, or by what stands in it
    categorical: tuple[str, ...] = ()  # attributes of whole numbers that name categories
    left_out: list[tuple[str, str]] = field(default_factory=list)  # `row 3` or a file, and why
    notes: list[str] = field(default_factory=list)  # what a user should know

    def leave_out(self, place: str, reason: str) -> None:
        """Remember a graph that cannot be read; raise where that is asked for (`strict`)."""
        if self.strict:
            raise PartwholeError(f"{place[:1].upper()}{place[1:]}: {reason}")
        self.left_out.append((place, reason))

    def again(self) -> Reading:
        """The same wishes for another piece of the graphs, about which nothing is said yet."""
        return replace(self, left_out=[], notes=[])

    def add(self, piece: Reading) -> None:
        """Take over what was said about a piece of the graphs."""
        self.left_out += piece.left_out
        for sentence in piece.notes:
            self.note(sentence)

    def note(self, sentence: str) -> None:
        """Remember what a user should know, once."""
        if sentence not in self.notes:
            self.notes.append(sentence)

    def told(self) -> list[str]:
        """Every note, and how many graphs were left out."""
        if not self.left_out:
            return self.notes
        place, reason = self.left_out[0]
        first = "the first, " if len(self.left_out) > 1 else ""
        return [*self.notes, f"{self.told_left_out()}; {first}{place}: {reason}"]

    def told_left_out(self) -> str:
        """How many graphs were left out, in words."""
        count = len(self.left_out)
        return f"{count} graph was left out" if count == 1 else f"{count} graphs were left out"

    def or_fallback(self, meaning: str = "as missing") -> str:
        """The end of an error about what the model never saw."""
        cure = f", or ask for the fallback (`--fallback`) to have it count {meaning}"
        return cure if self.offers_fallback else ""

    def require_any(self, read: int) -> None:
        """Raise where all was left out."""
        if self.left_out and not read:
            place, reason = self.left_out[0]
            if len(self.left_out) == 1:
                raise PartwholeError(f"The only graph cannot be read; {place}: {reason}")
            count = len(self.left_out)
            raise PartwholeError(f"None of {count} graphs could be read; the first, {place}: {reason}")

    def require_few(self, graphs: int) -> None:
        """Raise where there are more graphs than `most_graphs`."""
        if self.most_graphs is not None and graphs > self.most_graphs:
            raise TooLarge(f"More than {self.most_graphs} graphs at once; give fewer at a time.")

    def require_small(self, place: str, nodes: int, edges: int) -> None:
        """Raise where a graph has more nodes or edges than are taken; `place` is what it is called."""
        for what, count, most in (("nodes", nodes, self.most_nodes), ("edges", edges, self.most_edges)):
            if most is not None and count > most:
                raise TooLarge(
                    f"{place[:1].upper()}{place[1:]} has {count} {what}, at most {most} are taken."
                )

    def column(self, kind: str, name: str) -> Column | None:
        """The attribute of nodes (`node`) or edges (`edge`) that the model has learned under this name."""
        if self.schema is None:
            return None
        return next((column for column in self.schema.columns(kind) if column.name == name), None)
