"""Checks of crowds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from footway.crowd import Crowd

_CLOSE: Final = 1e-6
"""m. Rounding, for distances of up to a kilometre."""


def faults(crowd: Crowd, what: str) -> list[str]:
    """Return which characters are in a wall or stuck."""
    gap = crowd.map.clearance(crowd.positions) - crowd.radii
    wrong = [
        f"{what}: character {crowd.ids[k]} is {-gap[k]:.4f} m in a wall"
        for k in (gap < -_CLOSE).nonzero()[0]
    ]
    return wrong + [
        f"{what}: character {who.id} is stuck since {who.since:.1f} s ({who.cause})"
        for who in crowd.stuck
    ]
