"""What the geometry doctor did to the input, one record per repair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

COSMETIC: Final = ("orientation", "duplicate point", "unclosed ring")
"""Repairs that change no shape."""

_MOST_ALIKE: Final = 5  # of a cosmetic kind, that are worth a line each


@dataclass(frozen=True, slots=True)
class Repair:
    """One thing about the input that was repaired, assumed or left out.

    Attributes:
        kind: one of
            "unclosed ring", "orientation", "duplicate point", "self-intersection", "sliver",
            "gap", "overlap", "open mesh" (geometry that was repaired, or used as it is);
            "bounds", "projection", "kind" (what was assumed because the input does not say);
            "outside", "ignored" (input that has no effect);
            "island" (a walkable part that nothing connects to the largest one; it is kept).
        at: (x, y) in metres, in the environment's coordinates.
        detail: what was found and what was done, in one line.

    """

    kind: str
    at: tuple[float, float]
    detail: str

    def __str__(self) -> str:
        """Give one readable line: kind, place, detail."""
        return f"{self.kind} at ({self.at[0]:.3f}, {self.at[1]:.3f}): {self.detail}"


def worth_telling(repairs: Sequence[Repair]) -> dict[int, int]:
    """Which repairs are worth a line each, and for how many of its kind each of them stands.

    That is 1, but the first of more than five that change no shape stands for all of them.
    """
    told: dict[int, int] = {}
    alike = {kind: sum(r.kind == kind for r in repairs) for kind in COSMETIC}
    seen = set()
    for k, repair in enumerate(repairs):
        number = alike.get(repair.kind, 1)
        if number <= _MOST_ALIKE:
            told[k] = 1
        elif repair.kind not in seen:
            seen.add(repair.kind)
            told[k] = number
    return told
