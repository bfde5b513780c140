"""Why a point in the plane joins no road of a roadmap: what, where, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway.corridor.checks import text
from footway.errors import BadQuery, NoPath

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.roadmap import Roadmap
    from footway.roadmap.space import Space

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

_LOOKS = 64  # free cells, the nearest, of which a point looks for one


def out_of_reach(
    roadmap: Roadmap, what: str, point: Floats, contact: Floats, radius: float
) -> BadQuery | NoPath:
    """Refuse a start or a goal that joins no road, with its nearest wall point.

    One in free space is a question with the answer no: the roadmap does not get there.
    """
    distance = float(np.hypot(*(point - contact)))
    where = f"the nearest wall is {distance:.3f} m away at {text(contact)}"
    for number, fake in enumerate(roadmap.fake_obstacles):
        if fake.contains(point[None])[0]:
            return BadQuery(
                f"the {what} {text(point)} is inside fake obstacle {number} of the roadmap: move "
                "it, or remove the obstacle"
            )
    if not _stands_free(point, roadmap.in_effect.space):
        return BadQuery(
            f"the {what} {text(point)} is inside an obstacle, outside the map, or sees nothing of "
            f"the roadmap: {where}"
        )
    if distance < radius:
        return NoPath(
            f"a disc of radius {radius:g} m does not fit at the {what} {text(point)}: {where}; "
            "move it or use a smaller radius",
            reason="no room",
        )
    return NoPath(
        f"the {what} {text(point)} is free but sees nothing of the roadmap: {where}; build the "
        "roadmap with a finer resolution or a smaller radius",
        reason="no room",
    )


def _stands_free(point: Floats, space: Space) -> bool:
    """Whether a point sees the middle of a free cell nearby past all walls, so it is in no wall."""
    cells = np.argwhere(space.free[0])[:, ::-1] + 0.5
    middles = space.positions(np.column_stack([cells, np.zeros(len(cells))]))
    away = np.hypot(*(middles - point).T)
    nearest = np.argsort(away, kind="stable")[:_LOOKS]
    return any(not _meets(point, middle, space.walls).any() for middle in middles[nearest])


def _meets(p: Floats, q: Floats, walls: Floats) -> Bools:
    """Which walls (n, 4) a line meets; one that it only touches or runs along counts, too."""
    a, b = walls[:, :2], walls[:, 2:]
    met: Bools = (_side(a, b, p) * _side(a, b, q) <= 0) & (_side(p, q, a) * _side(p, q, b) <= 0)
    return met


def _side(a: Floats, b: Floats, c: Floats) -> Floats:
    """Positive where c is to the left of the line from a to b."""
    ab, ac = b - a, c - a
    side: Floats = ab[..., 0] * ac[..., 1] - ab[..., 1] * ac[..., 0]
    return side
