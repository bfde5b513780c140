"""Who does not come on, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from footway.crowd.state import MODE, RADIUS, SINCE, UNREACHABLE, WALKING

if TYPE_CHECKING:
    from footway.crowd.engine import Engine

PATIENCE = 30.0  # s
_TOUCH = 0.3  # m between discs: who is that close stands in the way

Cause = Literal["crowd", "pinch", "unreachable"]


class Stuck(NamedTuple):
    """A character that moved less than its radius in 30 s while its goal is elsewhere."""

    id: int
    position: tuple[float, float]  # m
    since: float  # s
    cause: Cause  # "crowd": others are in the way; "pinch": walls; "unreachable": there is no way


def stuck(engine: Engine) -> list[Stuck]:
    """Everybody who is stuck, in the order of adding."""
    ids = engine.present
    slots = engine.slot_of[ids]
    state, late = engine.state, engine.steps - PATIENCE / engine.dt
    mode, since = state.track[slots, MODE], state.story[slots, SINCE]
    found = ((mode == WALKING) | (mode == UNREACHABLE)) & (since <= late)
    place, radius = state.place[slots, :2], state.body[slots, RADIUS]
    answer = []
    for k in np.flatnonzero(found):
        gap = np.hypot(*(place - place[k]).T) - radius - radius[k]
        gap[k] = np.inf
        cause: Cause = "crowd" if gap.min(initial=np.inf) < _TOUCH else "pinch"
        if mode[k] == UNREACHABLE:
            cause = "unreachable"
        x, y = place[k].tolist()
        answer.append(Stuck(int(ids[k]), (x, y), float(since[k]) * engine.dt, cause))
    return answer
