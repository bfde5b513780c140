"""Inspect one character: goal, corridor and forces."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from footway._numba.portable_math import cos, exp, hypot
from footway.crowd.kernels import avoidance as avoid
from footway.crowd.kernels.avoidance import BEHIND, BODY, RANGE, SIGMA, V0
from footway.crowd.kernels.step import RELAXATION
from footway.crowd.kernels.tracks import FLOOR
from footway.crowd.state import (
    AIM_X,
    AIM_Y,
    AT,
    END,
    FINAL,
    GOAL_AHEAD,
    GROUP,
    GUIDED,
    HALF,
    LANE,
    LEFT,
    MODE,
    NEXT,
    POINTS,
    POPULATION,
    RADIUS,
    RECORD,
    REFERENCE,
    SIGHT,
    SPEED,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.crowd.simulation import Simulation

    Floats = NDArray[np.float64]

MODES: Final = ("gone", "waiting", "walking", "arrived", "staying", "unreachable")
"""Names of the modes, in the order of `state`."""

_MOST_SAMPLES: Final = 5000  # samples of the returned corridor at most
_NEAREST: Final = 0.05  # m, least gap between discs in F_c, which would diverge


class Character(NamedTuple):
    """One character at one moment; m, m/s and m/s2."""

    id: int
    position: tuple[float, float]
    velocity: tuple[float, float]
    goal: tuple[float, float] | None
    radius: float
    speed: float  # preferred
    population: int
    mode: str
    attraction: tuple[float, float] | None  # attraction point
    corridor: Floats  # (n, 3) x, y, clearance along the remaining path
    forces: dict[str, Floats]  # (2,) each, by name


def character(simulation: Simulation, number: int, slot: int) -> Character:
    """Return the details of the character in a slot."""
    state = simulation.engine.state
    place, body, track = state.place[slot], state.body[slot], state.track[slot]
    walks = MODES[track[MODE]] == "walking" and track[HALF] >= 0
    at = _attraction(simulation, slot) if walks else None
    return Character(
        id=number,
        position=_pair(place[:2]),
        velocity=_pair(body[:2]),
        goal=_pair(place[2:4]) if np.isfinite(place[2:4]).all() else None,
        radius=float(body[RADIUS]),
        speed=float(body[SPEED]),
        population=int(state.story[slot, POPULATION]),
        mode=MODES[track[MODE]],
        attraction=None if at is None else _pair(at),
        corridor=_path_ahead(simulation, track) if walks else np.empty((0, 3)),
        forces=_forces(simulation, number, slot, at),
    )


def _attraction(simulation: Simulation, slot: int) -> Floats:
    """Return the attraction point (2,), or the goal once one ball contains it and the character."""
    state, track = simulation.engine.state, simulation.engine.state.track[slot]
    if track[LEFT] == GUIDED:
        marks, notes, _ = simulation.engine.guides
        row = track[FINAL]
        if notes[row, SIGHT] == GOAL_AHEAD:
            return state.place[slot, 2:4].copy()
        return marks[row, AIM_X : AIM_Y + 1].copy()
    x, y, clearance = simulation.engine.tracks.balls[track[AT]]
    at = np.array([x, y])
    if track[LEFT] < 0 or track[GROUP] >= 0:
        return at
    ends = state.place[slot].reshape(2, 2)
    away = hypot(*(ends - at).T)
    sees_goal = (away < max(clearance - state.body[slot, RADIUS], FLOOR)).all()
    return ends[1].copy() if sees_goal else at


def _path_ahead(simulation: Simulation, track: NDArray[np.int32]) -> Floats:
    """Return balls (n, 3) from the attraction point to the end of the path or route."""
    engine, tracks = simulation.engine, simulation.engine.tracks
    if track[LEFT] == GUIDED:
        return _route(simulation, int(track[FINAL]))
    parts = [_samples(int(track[AT]), int(track[END]))]
    for half in engine.pool[track[NEXT] : track[NEXT] + max(0, track[LEFT])].tolist():
        first, last = int(tracks.first[half // 2]), int(tracks.last[half // 2])
        parts.append(_samples(last, first) if half % 2 else _samples(first, last))
    rows = np.concatenate(parts)[:_MOST_SAMPLES]
    return tracks.balls[rows].copy()


def _route(simulation: Simulation, row: int) -> Floats:
    """Return the points ahead on a guide's route, with their clearance (n, 3)."""
    marks, notes, pool = simulation.engine.guides
    record, count = notes[row, [RECORD, POINTS]].tolist()
    points = pool[record : record + count]
    ahead = np.ascontiguousarray(points[points[:, 2] >= marks[row, REFERENCE], :2])
    return np.column_stack([ahead, simulation.map.clearance(ahead)])[:_MOST_SAMPLES]


def _samples(first: int, last: int) -> NDArray[np.int64]:
    """Return the numbers from first to last, forward or backward."""
    return np.arange(first, last + 1) if last >= first else np.arange(first, last - 1, -1)


def _forces(simulation: Simulation, number: int, slot: int, at: Floats | None) -> dict[str, Floats]:
    """Compute F_a, F_perp and F_c of characters and of obstacles separately. (2,) m/s2."""
    state = simulation.engine.state
    place, body = state.place[slot, :2], state.body[slot].astype(np.float64)
    heading = np.array([1.0, 0.0])
    forces = {"steering": -body[:2] / RELAXATION, "lane": np.zeros(2)}
    if at is not None:
        away = np.asarray(at, np.float64) - place
        distance = max(float(hypot(*away)), 1e-9)
        heading = away / distance
        x, y, clearance = simulation.engine.tracks.balls[state.track[slot, AT]].tolist()
        if (x, y) == (at[0], at[1]):  # lanes are off on routes and with the goal in sight
            beside = _beside(body, heading, distance, clearance)
            forces["lane"] = body[SPEED] * (beside - heading) / RELAXATION
        forces["steering"] = (body[SPEED] * heading - body[:2]) / RELAXATION
    others = simulation.engine.present
    slots = simulation.engine.slot_of[others[others != number]]
    rows = np.column_stack([state.place[slots, :2], state.body[slots][:, [0, 1, RADIUS]]])
    forces["avoidance"] = _push(place, body, heading, rows, simulation)
    forces["obstacles"] = _push(
        place, body, heading, simulation.obstacles.discs(simulation.time), simulation
    )
    return forces


def _beside(body: Floats, heading: Floats, distance: float, clearance: float) -> Floats:
    """Return the direction of F_a + F_perp (2,)."""
    radius, pace = body[RADIUS], float((body[:2] ** 2).sum()) / body[SPEED] ** 2
    if 2.0 * radius >= clearance:
        return heading
    across = body[LANE] * min(1.0, pace) * (clearance - 2.0 * radius)
    across /= max(distance, 0.5 * (clearance - radius))
    force = heading + across * np.array([-heading[1], heading[0]])
    direction: Floats = force / max(float(hypot(*force)), 1e-9)
    return direction


def _push(
    place: Floats, body: Floats, heading: Floats, rows: Floats, simulation: Simulation
) -> Floats:
    """Return F_c of discs (n, 5) x, y, velocity, radius (equation 3 of Helbing and Molnar)."""
    share, look = float(simulation.engine.model[0]), float(simulation.engine.model[1])
    away = place - rows[:, :2]
    distance = hypot(*away.T)
    reach = body[RADIUS] + rows[:, 4]
    near = (distance <= reach + RANGE) & (distance > 0.0)
    away, distance, rows, reach = away[near], distance[near], rows[near], reach[near]
    if not len(rows):
        return np.zeros(2)
    normal = away / distance[:, None]
    gap = np.maximum(distance - reach, _NEAREST)
    g = gap[:, None] * normal
    step = look * (rows[:, 2:4] - share * body[:2])
    h = g - step
    h_size = np.maximum(hypot(*h.T), _NEAREST)
    total = gap + h_size
    b = np.sqrt(np.maximum(0.25 * (total**2 - (step**2).sum(axis=1)), 0.0025))
    size = V0 / SIGMA * exp(-BODY / SIGMA) * exp(-b / SIGMA) * total / (4.0 * b)
    seen = -(normal @ heading) >= cos(math.radians(avoid.SIGHT))
    size = np.where(seen, size, BEHIND * size)
    direction = g / gap[:, None] + h / h_size[:, None]
    total_force: Floats = (size[:, None] * direction).sum(axis=0)
    return total_force


def _pair(values: Any) -> tuple[float, float]:
    x, y = values
    return float(x), float(y)
