"""What the geometry doctor did to the input, one record per repair."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Repair:
    """One thing about the input that was repaired, assumed or left out.

    Attributes:
        kind: one of
            "unclosed ring", "orientation", "duplicate point", "self-intersection", "sliver",
            "gap", "overlap" (geometry that was repaired);
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
