"""How graphs are to be read, and what there is to say about them."""

from __future__ import annotations

from dataclasses import dataclass, field

from partwhole.errors import PartwholeError
from partwhole.schema import Schema


@dataclass
class Reading:
    """Goes with one call of `read_graphs` through its source."""

    schema: Schema | None = None  # of a fitted model, where the graphs are to be embedded
    strict: bool = True  # what cannot be read is an error; otherwise it is left out
    fallback: bool = False  # what the model never saw counts as missing; otherwise it is an error
    left_out: list[tuple[int | str, str]] = field(default_factory=list)  # row or file, and why
    notes: list[str] = field(default_factory=list)  # what a user should know

    def leave_out(self, item: int | str, reason: str) -> None:
        if self.strict:
            raise PartwholeError(reason)
        self.left_out.append((item, reason))

    def note(self, sentence: str) -> None:
        if sentence not in self.notes:
            self.notes.append(sentence)

    def told(self) -> list[str]:
        """Every note, and how many graphs were left out."""
        if not self.left_out:
            return self.notes
        item, reason = self.left_out[0]
        return [*self.notes, f"{len(self.left_out)} graphs were left out; the first, {item}: {reason}"]

    def require_any(self, read: int) -> None:
        """Raise where all was left out."""
        if self.left_out and not read:
            item, reason = self.left_out[0]
            raise PartwholeError(
                f"None of {len(self.left_out)} graphs could be read; the first, {item}: {reason}"
            )
