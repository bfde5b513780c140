"""The exceptions that Footway raises.

    FootwayError
    ├── BadInput (also a ValueError)   the input cannot be used; exit code 2
    │   ├── BadFile                    a file is missing, damaged or of an unknown kind
    │   ├── BadGeometry                polygons that cannot be repaired, with their location
    │   └── BadQuery                   a point in a wall, a negative radius, a NaN
    └── NoPath                         the query is valid, but no path exists; exit code 3

Each message is one line: what, where, and what to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

if TYPE_CHECKING:
    from footway.corridor import Pinch


class FootwayError(Exception):
    """Base class of all errors of Footway."""

    exit_code: ClassVar[int] = 1


class BadInput(FootwayError, ValueError):
    """The input is invalid."""

    exit_code = 2


class BadFile(BadInput):
    """A file is missing, empty, damaged, too large or of an unknown kind."""


class BadGeometry(BadInput):
    """Polygons that cannot be repaired, or leave no walkable area."""


class BadQuery(BadInput):
    """An invalid query: a point in a wall, a negative radius, a NaN."""


class NoPath(FootwayError):
    """No path exists for the requested radius; carries the reason.

    Attributes:
        reason: "components" (no path at any radius), "pinch" (the widest path is too narrow),
            "no room" (the disc does not fit at the start or the goal) or "blocked" (dynamic
            obstacles close the corridor).
        pinch: narrowest point of the widest path; None when no path exists at any radius.
        obstacles: indices of the dynamic obstacles that block the path.
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
