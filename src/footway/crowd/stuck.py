"""Detect stuck characters and report the cause."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from footway._numba.portable_math import hypot
from footway.crowd.state import MODE, RADIUS, SINCE, UNREACHABLE, WALKING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.crowd.stepping import Engine

    Floats = NDArray[np.float64]

PATIENCE = 30.0  # s
_TOUCH = 0.3  # m between discs: a disc closer than this counts as the cause

Cause = Literal["obstacle", "crowd", "pinch", "unreachable"]


class Stuck(NamedTuple):
    """A character that moved less than its radius in 30 s while its goal is elsewhere.

    The cause is what blocks it: "obstacle" (a dynamic obstacle), "crowd" (other characters),
    "pinch" (walls), or "unreachable" (there is no path).
    """

    id: int
    position: tuple[float, float]  # m
    since: float  # s
    cause: Cause


def find_stuck(engine: Engine, obstacles: Floats) -> list[Stuck]:
    """Return the stuck characters by ascending id; obstacles (m, 3) are x, y, radius, m."""
    ids = engine.present
    slots = engine.slot_of[ids]
    state, late = engine.state, engine.steps - PATIENCE / engine.dt
    mode, since = state.track[slots, MODE], state.story[slots, SINCE]
    found = np.flatnonzero(((mode == WALKING) | (mode == UNREACHABLE)) & (since <= late))
    if not len(found):
        return []
    discs = np.column_stack([state.place[slots, :2], state.body[slots, RADIUS]])
    # A tree finds the candidates: comparing all pairs is quadratic in a jammed crowd.
    reach = discs[found, 2] + discs[:, 2].max() + 1.01 * _TOUCH
    nearby = cKDTree(discs[:, :2]).query_ball_point(discs[found, :2], reach)
    answer = []
    for k, near in zip(found.tolist(), nearby, strict=True):
        cause: Cause = "pinch"
        if mode[k] == UNREACHABLE:
            cause = "unreachable"
        elif _touches(discs[k], obstacles):
            cause = "obstacle"
        elif _touches(discs[k], discs[[other for other in near if other != k]]):
            cause = "crowd"
        x, y = discs[k, :2].tolist()
        answer.append(Stuck(int(ids[k]), (x, y), float(since[k]) * engine.dt, cause))
    return answer


def _touches(disc: Floats, others: Floats) -> bool:
    """Return whether one of the discs (n, 3) is within _TOUCH of a disc (3,)."""
    gap = hypot(*(others[:, :2] - disc[:2]).T) - others[:, 2] - disc[2]
    return bool(gap.min(initial=np.inf) < _TOUCH)
