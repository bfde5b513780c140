"""Records of the repairs made to input geometry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

COSMETIC: Final = ("orientation", "duplicate point", "unclosed ring")
"""Kinds of repairs that do not change any shape."""

_MOST_ALIKE: Final = 5  # repairs of one cosmetic kind that are listed individually


@dataclass(frozen=True, slots=True)
class Repair:
    """One repair of, assumption about, or omission from the input.

    Attributes:
        kind: one of
            "unclosed ring", "orientation", "duplicate point", "self-intersection", "sliver",
            "gap", "overlap", "open mesh" (geometry repaired, or used unchanged);
            "bounds", "projection", "kind" (assumptions where the input is silent);
            "outside", "ignored" (input without effect);
            "island" (a walkable part not connected to the largest one; it is kept).
        at: (x, y) in metres, in the environment's coordinates.
        detail: what was found and what was done, in one line.

    """

    kind: str
    at: tuple[float, float]
    detail: str

    def __str__(self) -> str:
        """Return kind, position and detail on one line."""
        return f"{self.kind} at ({self.at[0]:.3f}, {self.at[1]:.3f}): {self.detail}"


def worth_telling(repairs: Sequence[Repair]) -> dict[int, int]:
    """Select the repairs to list: index of each, and the number of repairs that it represents.

    Each represents itself (1), but if more than five repairs of one cosmetic kind exist, only
    the first is listed and represents all of them.
    """
    listed: dict[int, int] = {}
    counts = {kind: sum(r.kind == kind for r in repairs) for kind in COSMETIC}
    seen = set()
    for k, repair in enumerate(repairs):
        number = counts.get(repair.kind, 1)
        if number <= _MOST_ALIKE:
            listed[k] = 1
        elif repair.kind not in seen:
            seen.add(repair.kind)
            listed[k] = number
    return listed
