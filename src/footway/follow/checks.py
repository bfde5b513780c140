"""Whether a character fits its corridor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footway.errors import NoPath

if TYPE_CHECKING:
    from footway.corridor import Corridor
    from footway.follow.settings import Settings

LONGEST_STEP = 3600.0  # s between samples: more is another unit
SLACK = 1e-6  # m, by which a radius may exceed the narrowest ball: rounding of the map


def check_character(corridor: Corridor, settings: Settings) -> None:
    """Refuse a character that does not fit its corridor."""
    narrowest = corridor.narrowest
    if settings.radius > narrowest + SLACK:
        k = int(corridor.radii.argmin())
        place = tuple(round(float(c), 3) for c in corridor.backbone[k])
        raise NoPath(
            f"a radius of {settings.radius:g} m does not fit the corridor: it is narrowest at "
            f"{place}, where {narrowest:.3f} m fits; use a smaller radius or another corridor",
            reason="pinch",
        )
