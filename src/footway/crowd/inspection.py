"""Inspect a running crowd: one character with its corridor and forces, and stuck characters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from footway._numba.portable_math import hypot
from footway.crowd.kernels import layouts as col
from footway.crowd.kernels.layouts import Guides, State
from footway.crowd.kernels.step import AVOIDANCE, GUARD, OBSTACLES, STEERING, USER, inspect_forces
from footway.crowd.obstacles import list_by_cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.arrays import Floats, Ints
    from footway.crowd.kernels.layouts import World
    from footway.crowd.simulation import Simulation


MODES: Final = ("gone", "waiting", "walking", "arrived", "staying", "unreachable")
"""Names of the modes, in the order of `kernels.layouts`."""

PATIENCE: Final = 30.0  # s without progress, after which a character counts as stuck
_TOUCH: Final = 0.3  # m between discs: a disc closer than this counts as the cause
_MOST_SAMPLES: Final = 5000  # samples of the returned corridor at most


# -- one character -------------------------------------------------------------------------------


class Character(NamedTuple):
    """One character at one moment; m, m/s and m/s2.

    Attributes:
        id: number of the character.
        position: x, y.
        velocity: x, y.
        goal: x, y; None without a goal.
        radius: of its disc.
        speed: preferred speed.
        population: index into `Crowd.names`.
        mode: "waiting" (premovement), "walking", "arrived" (needs a goal), "staying" or
            "unreachable".
        attraction: point that it walks to; None if it does not walk.
        corridor: (n, 3) x, y, clearance along the remaining path.
        forces: (2,) each, by name, as the next step computes them, of the characters and obstacles
            that are present now: "steering" to the attraction point (F_a), "lane" (F_perp, of
            groups, and with a `shortcut` of 0), "noise" (F_rand), "avoidance" of characters and of
            "obstacles" (F_c), "user" (what the functions of `each_step` returned last), and
            "guard", which keeps the disc away from others and walls and limits its speed. Their sum
            is the change of its velocity per second.
        floor: name of the floor or link that it is on; None in the plane.
        goal_floor: likewise of its goal.
        sheets: (n,) layer of the building of each ball of the corridor; -1 in the plane.

    """

    id: int
    position: tuple[float, float]
    velocity: tuple[float, float]
    goal: tuple[float, float] | None
    radius: float
    speed: float
    population: int
    mode: str
    attraction: tuple[float, float] | None
    corridor: Floats
    forces: dict[str, Floats]
    floor: str | None
    goal_floor: str | None
    sheets: Ints


def inspect_character(simulation: Simulation, number: int, slot: int) -> Character:
    """Return the details of the character in a slot."""
    characters = simulation.characters
    cursor = characters.state.cursor[slot]
    (goal,), (on,) = simulation.routes.goals(np.array([slot], np.int32))
    walks = cursor[col.MODE] == col.WALKING and cursor[col.HALF] >= 0
    has_goal = bool(np.isfinite(goal).all())
    goal_sheet = int(on) - 1 if has_goal else -1
    corridor, sheets = np.empty((0, 3)), np.empty(0, np.int64)
    if walks:
        corridor, sheets = _path_ahead(simulation, cursor)
    return Character(
        id=number,
        position=_pair(characters.position[slot]),
        velocity=_pair(characters.velocity[slot]),
        goal=_pair(goal) if has_goal else None,
        radius=float(characters.radius[slot]),
        speed=float(characters.speed[slot]),
        population=int(characters.population[slot]),
        mode=MODES[cursor[col.MODE]],
        attraction=_pair(_attraction_point(simulation, slot)) if walks else None,
        corridor=corridor,
        forces=_forces(simulation, slot),
        floor=_floor_name(simulation, int(characters.sheet[slot]) - 1),
        goal_floor=_floor_name(simulation, goal_sheet),
        sheets=sheets,
    )


def _floor_name(simulation: Simulation, sheet: int) -> str | None:
    """Return the name of the floor or link of a sheet; None without one."""
    floors = simulation.floors
    return None if floors is None or sheet < 0 else floors.names[sheet]


def _pair(values: Any) -> tuple[float, float]:
    x, y = values
    return float(x), float(y)


def _attraction_point(simulation: Simulation, slot: int) -> Floats:
    """Return the point that a character walks to. (2,)."""
    characters, cursor = simulation.characters, simulation.characters.state.cursor[slot]
    goal = characters.goal_point[slot]
    if cursor[col.FOLLOWS] == col.ON_ROUTE:
        guides, row = simulation.routes.guides, cursor[col.GUIDE]
        if guides.facts[row, col.VISIBILITY] == col.GOAL_VISIBLE:
            return np.asarray(goal)
        target: Floats = guides.progress[row, col.TARGET_X : col.TARGET_Y + 1]
        return target
    aim: Floats = characters.state.place[slot, col.AIM_X : col.AIM_Y + 1]
    looks_ahead = characters.state.body[slot, col.SHORTCUT] > 0.0
    if cursor[col.GROUP] >= 0 or not looks_ahead or not np.isfinite(aim).all():
        return simulation.tracks.balls[cursor[col.AT], :2]
    return aim


def _path_ahead(simulation: Simulation, cursor: NDArray[np.int32]) -> tuple[Floats, Ints]:
    """Return balls (n, 3) from the attraction point to the end of the path, and sheets (n,)."""
    if cursor[col.FOLLOWS] == col.ON_ROUTE:
        progress, facts, pool = simulation.routes.guides
        row = cursor[col.GUIDE]
        points = pool[facts[row, col.FIRST_ROW] :][: facts[row, col.POINTS]]
        ahead = np.ascontiguousarray(points[points[:, 2] >= progress[row, col.REFERENCE], :2])
        count = simulation.routes.n_floors
        on = np.full(len(ahead), -1 if simulation.floors is None else facts[row, col.STYLE] % count)
        balls = np.column_stack([ahead, simulation.clearances(ahead, on)])[:_MOST_SAMPLES]
        return balls, on[:_MOST_SAMPLES]
    tracks, path = simulation.tracks, simulation.planner.pool.halves
    parts = [_samples(int(cursor[col.AT]), int(cursor[col.END]))]
    for half in path[cursor[col.NEXT] : cursor[col.NEXT] + cursor[col.LEFT]].tolist():
        first, last = int(tracks.first[half // 2]), int(tracks.last[half // 2])
        parts.append(_samples(last, first) if half % 2 else _samples(first, last))
    samples = np.concatenate(parts)[:_MOST_SAMPLES]
    balls = tracks.balls[samples].copy()
    if simulation.floors is None:
        return balls, np.full(len(balls), -1)
    return balls, tracks.sheets[samples].astype(np.int64) - 1


def _samples(first: int, last: int) -> NDArray[np.int64]:
    """Return the numbers from first to last, forward or backward."""
    return np.arange(first, last + 1) if last >= first else np.arange(first, last - 1, -1)


def _forces(simulation: Simulation, slot: int) -> dict[str, Floats]:
    """Return the forces on a character: the step of this character alone, on a copy of its state.

    Steering, lane and noise are one force in the step, which is computed without noise, and without
    both, to separate them.
    """
    characters = simulation.characters
    simulation.groups.limit_fronts()
    cells = simulation.sort_by_cells()
    row = int(np.flatnonzero(cells.slots == slot)[0])
    here = slice(slot, slot + 1)
    state = State._make(values[here].copy() for values in characters.state)
    obstacles = simulation.obstacles.discs(simulation.time)
    sheets = simulation.obstacles.sheets(simulation.time)
    by_slot = np.zeros((1, 2), np.float32)
    if slot < len(simulation.user_forces.by_slot):
        by_slot[0] = simulation.user_forces.by_slot[slot]
    given = np.zeros((1, 2), np.float32)  # by a model of the user in the last step
    if slot < len(simulation.avoidance.given):
        given[0] = simulation.avoidance.given[slot]
    world = simulation.world(cells._replace(slots=np.zeros_like(cells.slots)))._replace(
        obstacles=list_by_cells(obstacles, simulation.box, simulation.shape, sheets),
        user_forces=simulation.user_forces._replace(by_slot=by_slot),
        avoidance=simulation.avoidance._replace(given=given),
        guides=_updated_guide(simulation, state),
    )
    full = _run(row, world, state)
    state.body[:, col.NOISE] = 0.0
    without_noise = _run(row, world, state)[STEERING]
    state.body[:, col.LANE] = 0.0
    steering = _run(row, world, state)[STEERING]
    return {
        "steering": steering,
        "lane": without_noise - steering,
        "noise": full[STEERING] - without_noise,
        "avoidance": full[AVOIDANCE],
        "obstacles": full[OBSTACLES],
        "user": full[USER],
        "guard": full[GUARD],
    }


def _run(row: int, world: World, state: State) -> Floats:
    """Return the forces (5, 2) on the character in slot 0; the state stays as it is."""
    forces = np.zeros((5, 2))
    inspect_forces(row, world, State._make(values.copy() for values in state), forces)
    return forces


def _updated_guide(simulation: Simulation, state: State) -> Guides:
    """Return a copy of the guide of the character in slot 0, updated as in the next step."""
    progress, facts, pool = simulation.routes.guides
    if state.cursor[0, col.FOLLOWS] != col.ON_ROUTE:
        return simulation.routes.guides
    row = state.cursor[0, col.GUIDE]
    guides = Guides(progress[row : row + 1].copy(), facts[row : row + 1].copy(), pool)
    guides.facts[0, col.CHARACTER] = state.cursor[0, col.GUIDE] = 0
    slot_of = np.zeros(1, np.int32)
    simulation.routes.update_guides(0, 1, int(guides.facts[0, col.STYLE]), guides, slot_of, state)
    return guides


# -- stuck characters ----------------------------------------------------------------------------

Cause = Literal["obstacle", "crowd", "pinch", "unreachable", "lift"]


class Stuck(NamedTuple):
    """A character that moved less than its radius in 30 s while its goal is elsewhere.

    The cause is what blocks it: "obstacle" (a dynamic obstacle), "crowd" (other characters),
    "pinch" (walls), "unreachable" (there is no path), or "lift" (it waits for one).
    """

    id: int
    position: tuple[float, float]  # m
    since: float  # s
    cause: Cause


def find_stuck(simulation: Simulation) -> list[Stuck]:
    """Return the stuck characters by ascending id."""
    characters = simulation.characters
    ids = characters.ids
    slots = characters.slots(ids)
    mode, since = characters.mode[slots], characters.since[slots]
    late = simulation.steps - PATIENCE / simulation.dt
    waiting = {} if simulation.lifts is None else simulation.lifts.waiting
    is_lost = ((mode == col.WALKING) | (mode == col.UNREACHABLE)) & (since <= late)
    found = np.flatnonzero(is_lost & ~np.isin(ids, list(waiting)))
    long = {k: since for k, since in waiting.items() if since <= simulation.time - PATIENCE}
    queue = [
        Stuck(k, _pair(characters.position[characters.slots(k)]), time, "lift")
        for k, time in long.items()
    ]
    return sorted([*queue, *_find_causes(simulation, found)])


def _find_causes(simulation: Simulation, found: Ints) -> list[Stuck]:
    """Return characters that do not move, by their indices among all, with the cause."""
    characters = simulation.characters
    if not len(found):
        return []
    ids = characters.ids
    slots = characters.slots(ids)
    mode, since = characters.mode[slots], characters.since[slots]
    places, on = characters.discs, simulation.sheets_of(slots)
    discs = places.copy()
    if simulation.floors is not None:  # each sheet beside the one before it
        shift = 2.0 * (simulation.map.bounds[2] - simulation.map.bounds[0]) + 10.0
        discs[:, 0] += shift * on
    # A tree finds the candidates: comparing all pairs is quadratic in a jammed crowd.
    reach = discs[found, 2] + discs[:, 2].max() + 1.01 * _TOUCH
    nearby = cKDTree(discs[:, :2]).query_ball_point(discs[found, :2], reach)
    stuck = []
    for k, near in zip(found.tolist(), nearby, strict=True):
        cause: Cause = "pinch"
        if mode[k] == col.UNREACHABLE:
            cause = "unreachable"
        elif _touches(places[k], _obstacles_of(simulation, places[k, :2], int(on[k]))):
            cause = "obstacle"
        elif _touches(discs[k], discs[[other for other in near if other != k]]):
            cause = "crowd"
        time = float(since[k]) * simulation.dt
        stuck.append(Stuck(int(ids[k]), _pair(characters.position[slots[k]]), time, cause))
    return stuck


def _obstacles_of(simulation: Simulation, at: Floats, sheet: int) -> Floats:
    """Return the obstacles (m, 3) that affect a character at a place (2,)."""
    discs, floors = simulation.obstacle_discs, simulation.floors
    if floors is None:
        return discs
    on = simulation.obstacles.sheets(simulation.time)
    return discs[floors.are_reached(at, sheet, discs[:, :2], on)]


def _touches(disc: Floats, others: Floats) -> bool:
    """Return whether one of the discs (n, 3) is within _TOUCH of a disc (3,)."""
    gap = hypot(*(others[:, :2] - disc[:2]).T) - others[:, 2] - disc[2]
    return bool(gap.min(initial=np.inf) < _TOUCH)
