"""Who does not come on, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from footway._numba.portable_math import hypot
from footway.crowd.state import MODE, RADIUS, SINCE, UNREACHABLE, WALKING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.crowd.stepping import Engine

    Floats = NDArray[np.float64]

PATIENCE = 30.0  # s
_TOUCH = 0.3  # m between discs: who is that close stands in the way

Cause = Literal["obstacle", "crowd", "pinch", "unreachable"]


class Stuck(NamedTuple):
    """A character that moved less than its radius in 30 s while its goal is elsewhere.

    Its cause is "obstacle" (a dynamic one is in the way), "crowd" (others are), "pinch" (walls
    are), or "unreachable" (there is no way).
    """

    id: int
    position: tuple[float, float]  # m
    since: float  # s
    cause: Cause


def stuck(engine: Engine, obstacles: Floats) -> list[Stuck]:
    """Everybody who is stuck, in the order of adding; obstacles (m, 3) are x, y, radius, m."""
    ids = engine.present
    slots = engine.slot_of[ids]
    state, late = engine.state, engine.steps - PATIENCE / engine.dt
    mode, since = state.track[slots, MODE], state.story[slots, SINCE]
    found = ((mode == WALKING) | (mode == UNREACHABLE)) & (since <= late)
    discs = np.column_stack([state.place[slots, :2], state.body[slots, RADIUS]])
    answer = []
    for k in np.flatnonzero(found):
        others = np.delete(discs, k, axis=0)
        cause: Cause = "pinch"
        if mode[k] == UNREACHABLE:
            cause = "unreachable"
        elif _touches(discs[k], obstacles):
            cause = "obstacle"
        elif _touches(discs[k], others):
            cause = "crowd"
        x, y = discs[k, :2].tolist()
        answer.append(Stuck(int(ids[k]), (x, y), float(since[k]) * engine.dt, cause))
    return answer


def _touches(disc: Floats, others: Floats) -> bool:
    """Whether one of the discs (n, 3) is so close that it stands in the way of another (3,)."""
    gap = hypot(*(others[:, :2] - disc[:2]).T) - others[:, 2] - disc[2]
    return bool(gap.min(initial=np.inf) < _TOUCH)
