"""Everything that Footway raises on purpose.

    FootwayError
    ├── BadInput (also a ValueError)   what you gave cannot be used; exit code 2
    │   ├── BadFile                    a file is missing, damaged or of an unknown kind
    │   ├── BadGeometry                polygons that cannot be repaired, with the place
    │   └── BadQuery                   a point in a wall, a negative radius, a NaN
    └── NoPath                         the question is fine, the answer is no; exit code 3

Each message is one line: what, where, and what to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

if TYPE_CHECKING:
    from footway.corridor import Pinch


class FootwayError(Exception):
    """Root of the tree."""

    exit_code: ClassVar[int] = 1


class BadInput(FootwayError, ValueError):
    """What the caller gave cannot be used as it is."""

    exit_code = 2


class BadFile(BadInput):
    """A file is missing, empty, damaged, too large or of an unknown kind."""


class BadGeometry(BadInput):
    """Polygons that cannot be repaired, or leave no walkable area."""


class BadQuery(BadInput):
    """A query that cannot be asked: a point in a wall, a negative radius, a NaN."""


class NoPath(FootwayError):
    """No path of the asked radius exists, and why.

    Attributes:
        reason: "components" (no way at any radius), "pinch" (the widest way is too narrow),
            "no room" (the disc does not fit at the start or the goal) or "blocked" (dynamic
            obstacles close the corridor).
        pinch: where the widest way is narrowest; None when no way exists at any radius.
        obstacles: indices of the dynamic obstacles that block the way.

    """

    exit_code = 3

    def __init__(
        self,
        message: str,
        *,
        reason: Literal["components", "pinch", "no room", "blocked"],
        pinch: Pinch | None = None,
        obstacles: tuple[int, ...] = (),
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.pinch = pinch
        self.obstacles = obstacles
