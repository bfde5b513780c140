"""Coherent groups: members share a corridor, the front waits (cmm-crowds-2008, section 6).

In a building the corridor leads over floors and links, and coherence is measured along it, in plan:
members on different floors are as far apart as the walk between them. The front waits where it is,
on stairs, too, but not on escalators, which carry it on: there it waits behind them. Groups do not
use lifts. The corridor begins at the last member, since the straight line from a start in the
middle to others may lead through floors.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.portable_math import hypot
from footway.crowd.kernels import layouts as col
from footway.crowd.kernels.attraction import BASE, FLOOR, limit_fronts, measure_corridor
from footway.crowd.kernels.floors import RUNS
from footway.crowd.kernels.layouts import PathRequests
from footway.crowd.kernels.planning import BEGIN_AT, END_AT, FOUND, HALVES, STATUS
from footway.crowd.planning import NO_OPENINGS
from footway.crowd.populations import ARRIVAL
from footway.errors import BadQuery
from footway.validation import FARTHEST, number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.arrays import Floats, Ints
    from footway.corridor.kernels.layouts import Index
    from footway.crowd.populations import Population
    from footway.crowd.simulation import Simulation

    Slots = NDArray[np.int32]

_PACKED = 0.6  # share of the group area that discs can fill and still walk
_SPARE = 1 << 14  # samples by which the array of balls grows
_TRIES = 16  # goals that are tried for a group
_ELBOW = 0.3  # m around each standing member, so that the last ones find free space
_LANDING = 1.0  # m behind an escalator and the space for the group, where the front waits
_REJOIN = 5.0  # s between two new corridors for members who lost theirs


class Dispersion(NamedTuple):
    """Measured dispersion of a group."""

    lateral: float  # m, across the backbone, between the outermost two centres
    longitudinal: float  # m, along the backbone, between the first and the last
    area: float  # m2, of the balls between the least and the most advanced attraction point
    spread: float = 0.0  # m, along the backbone, between these two attraction points


class Corridor(NamedTuple):
    """A corridor of a group."""

    balls: Floats  # (n, 3) x, y, R, m
    edges: Ints  # (k,) of the map, along it
    sheets: Ints  # (n,) of the balls, in a building; -1 in the plane


class Bounds(NamedTuple):
    """Greatest dispersion of a group; infinite for no bound."""

    width: float = math.inf  # m, g_w: the balls are no wider than this
    area: float = math.inf  # m2, g_A
    longitudinal: float = math.inf  # m, between first and last attraction point


def check_bounds(
    width: float | None,
    group_area: float | None,
    lateral: float | None,
    longitudinal: float | None,
    radii: Floats,
) -> Bounds:
    """Return checked bounds from the parameters of either paper."""
    given = {
        "width": width, "group_area": group_area, "lateral": lateral, "longitudinal": longitudinal,
    }  # fmt: skip
    width, group_area, lateral, longitudinal = (
        None
        if value is None
        else number(
            value, f"group's {name}", "m2" if name == "group_area" else "m", above=0, high=FARTHEST
        )
        for name, value in given.items()
    )
    widths = [w for w in (width, None if lateral is None else 0.5 * lateral) if w is not None]
    bound = Bounds(
        min(widths, default=math.inf),
        math.inf if group_area is None else group_area,
        math.inf if longitudinal is None else longitudinal,
    )
    widest = float(radii.max(initial=0.0))
    if bound.width < 1.5 * widest:
        raise BadQuery(
            f"the group's width bounds its corridor to {bound.width:g} m around the backbone: "
            f"characters of radius {widest:g} m need {1.5 * widest:g} m or more"
        )
    needed = float(math.pi * (radii**2).sum() / _PACKED)
    if bound.area < needed:
        raise BadQuery(
            f"the group area is {bound.area:g} m2: {len(radii)} characters of radius {widest:g} m "
            f"need {needed:.1f} m2 or more"
        )
    return bound


class Group:
    """Characters that stay together.

    Attributes:
        ids: (n,) of its members.
        bounds: greatest dispersion.
        arrived: number of goals that all members have reached together.

    """

    def __init__(self, groups: Groups, number: int, ids: Ints, bounds: Bounds) -> None:
        self._groups, self.number = groups, number
        self.ids, self.bounds = ids, bounds
        self.arrived = 0
        self.edge = -1  # number of its edge in the tracks
        self.edges = np.empty(0, np.int64)  # edges of the map along its corridor
        self.first_sample = self.capacity = 0  # of its part of the tracks
        self.backbone = np.empty((0, 3))  # (n, 3) x, y, R' of the balls
        self.sheets = np.empty(0, np.int64)  # (n,) of the balls, in a building; -1 in the plane

    @property
    def samples(self) -> range:
        """Samples of its corridor in the tracks."""
        return range(self.first_sample, self.first_sample + len(self.backbone))

    @property
    def dispersion(self) -> Dispersion:
        """Current dispersion."""
        return self._groups.dispersion(self)

    def __repr__(self) -> str:
        return f"<Group of {len(self.ids)}, {self.bounds}>"


class Groups:
    """The groups of a crowd: their corridors, and how far the front of each may move ahead."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._characters = simulation.characters
        self.all: list[Group] = []
        self.front_limits = np.empty(0, np.int32)  # last sample for attraction points; -1: no limit
        self._table = np.empty((0, 8))
        self._members = np.empty(0, np.int64)
        self._lengths = self._gains = np.empty(0)
        self._onward = np.empty(0, np.int64)
        self._used = len(simulation.tracks.balls)  # samples in use

    def add(self, ids: Ints, bounds: Bounds) -> Group:
        """Return a new group without a corridor."""
        group = Group(self, len(self.all), ids, bounds)
        self.all.append(group)
        return group

    def members(self, group: Group) -> Slots:
        """Return the slots of the present members of a group."""
        return self._characters.present_slots(group.ids)

    # -- goals -------------------------------------------------------------------------------

    def move_to_closest_ball(self, group: Group, slot: int) -> None:
        """Move the attraction point of a displaced member to the ball closest to the member.

        In a building, to the closest that it sees. If it sees none, the group gets a corridor that
        begins at this member, but not too often.
        """
        simulation, floors = self._simulation, self._simulation.floors
        place, balls = self._characters.position[slot], group.backbone
        out = hypot(balls[:, 0] - place[0], balls[:, 1] - place[1]) - balls[:, 2]
        if floors is not None:
            sheet, radius = self._characters.sheet[slot] - 1, float(self._characters.radius[slot])
            sees = floors.sees(place, int(sheet), balls[:, :2], group.sheets, 0.5 * radius)
            if not sees.any():
                every = max(1, round(_REJOIN / simulation.dt))
                if (simulation.steps + int(self._characters.id[slot])) % every == 0:
                    self._give_corridor(group, self._goal_of(slot), slot)
                return
            out[~sees] = math.inf
        self._characters.sample[slot] = group.first_sample + int(out.argmin())

    def send(self, group: Group, population: Population) -> None:
        """Give a group a corridor to a random one of its population's goals."""
        simulation, goals = self._simulation, population.stages[0][0]
        rng = simulation.random("groups", simulation.steps * 1009 + group.number)
        for _ in range(_TRIES):
            if self._give_corridor(group, goals.first + int(rng.integers(goals.size, 1)[0])):
                return
        self._characters.mode[self.members(group)] = col.UNREACHABLE

    def send_again(self, group: Group) -> None:
        """Give a walking group a new corridor to its current goal, after its radii have changed."""
        characters, slots = self._characters, self.members(group)
        mode = characters.mode[slots]
        walking = slots[(mode == col.WALKING) | (mode == col.UNREACHABLE)]
        if not len(walking):
            return
        goals, sheets = characters.goal_point[walking[:1]], characters.goal_sheet[walking[:1]]
        radius = np.full(1, float(characters.radius[slots].max()))
        characters.mode[slots] = col.ARRIVED
        if not np.isfinite(goals).all():
            self.send(group, self._simulation.populations[characters.population[walking[0]]])
        else:
            on = sheets.astype(np.int64) - 1
            free, on = self._simulation.nearest_free(goals, on, radius)
            if not self._give_corridor(group, self._goal_at(free[0], int(on[0]))):
                characters.mode[slots] = col.UNREACHABLE
        # The arrival of these is counted already.
        characters.mode[slots[mode == col.ARRIVED]] = col.ARRIVED

    def avoid_closed_edges(self, edges: Ints) -> None:
        """Give groups another corridor if obstacles close edges of their current one."""
        characters = self._characters
        for group in self.all:
            slots = self.members(group)
            walking = slots[characters.mode[slots] == col.WALKING]
            closed = np.intersect1d(group.edges, edges)
            clearance = self._simulation.planner.index.graph.clearance[closed]
            if len(walking) and (clearance < characters.radius[slots].max()).any():
                self._give_corridor(group, self._goal_of(walking[0]))

    def choose_again(self) -> None:
        """Give all groups that walk another corridor, because a link has opened."""
        for group in self.all:
            slots = self.members(group)
            walking = slots[self._characters.mode[slots] == col.WALKING]
            if len(walking):
                self._give_corridor(group, self._goal_of(walking[0]))

    def walk_back(self, slot: int) -> None:
        """Let a member walk back who stays, but was pushed to another floor of a building."""
        characters = self._characters
        characters.mode[slot] = col.WALKING
        self.move_to_closest_ball(self.all[characters.group[slot]], slot)

    def _goal_of(self, slot: int) -> int:
        """Return the number of the goal of a member."""
        characters = self._characters
        return self._goal_at(
            characters.goal_point[slot].copy(), int(characters.goal_sheet[slot]) - 1
        )

    def _goal_at(self, point: Floats, sheet: int) -> int:
        """Return the number of a goal in the table, which is added if it is not there."""
        goals = self._simulation.goals
        same = np.flatnonzero((goals.points == point).all(axis=1) & (goals.sheets == sheet))
        if len(same):
            return int(same[0])
        on = None if self._simulation.floors is None else np.array([sheet])
        return goals.add(point[None], sheets=on).first

    # -- corridors ---------------------------------------------------------------------------

    def _give_corridor(self, group: Group, goal: int, begin: int = -1) -> bool:
        """Give a group a corridor to a goal, around closed edges if possible; False if none.

        In a building it begins at the member in the slot `begin`, or at the last one.
        """
        simulation, characters, slots = self._simulation, self._characters, self.members(group)
        radius = float(characters.radius[slots].max())
        for index in (simulation.planner.index, simulation.index):
            found = (
                self._find_corridor(slots, goal, radius, index)
                if simulation.floors is None
                else self._find_on_floors(slots, goal, index, begin)
            )
            if found is not None:
                reach = max(ARRIVAL, (radius + _ELBOW) * math.sqrt(len(slots)))
                self.assign_corridor(group, found, goal, reach)
                return True
        return False

    def _find_corridor(
        self, slots: Slots, goal: int, radius: float, index: Index
    ) -> Corridor | None:
        """Return a corridor from the member nearest to the centre: that itself may be in a wall."""
        simulation, place = self._simulation, self._characters.position[slots]
        start = place[hypot(*(place - place.mean(axis=0)).T).argmin()]
        at = simulation.goals.points[goal]
        found = simulation.map.solver.corridor(start, at, radius, index=index)
        if found.status != 0:
            return None
        balls = found.balls[:, [0, 1, 3]]
        return Corridor(balls, found.halves // 2, np.full(len(balls), -1))

    def _find_on_floors(self, slots: Slots, goal: int, index: Index, begin: int) -> Corridor | None:
        """Return a corridor in a building, without lifts, from the last member or a given one."""
        simulation, floors, characters = (
            self._simulation, self._simulation.floors, self._characters
        )  # fmt: skip
        assert floors is not None
        some = slots if begin < 0 else np.array([begin], np.int32)
        n = len(some)
        requests = PathRequests(
            characters.id[some].astype(np.int64), characters.position[some],
            np.full(n, float(characters.radius[slots].max())), np.tile([goal, 1, 0], (n, 1)),
            np.full(n, math.inf), np.zeros(n), simulation.sheets_of(some),
        )  # fmt: skip
        planner, best, corridor = simulation.planner, -math.inf, None
        openings = planner.openings if index is planner.index else NO_OPENINGS
        for _, found, halves in planner.find(requests, floors.without_lifts(index), openings):
            costs = simulation.congestion.measure(found, halves, np.zeros(len(found)))
            paths = np.split(halves, np.cumsum(found[:, HALVES])[:-1])
            for one, cost, path in zip(found, costs.tolist(), paths, strict=True):
                if one[STATUS] == FOUND and cost > best:
                    best, corridor = cost, self._along(one, path)
        return corridor

    def _along(self, found: NDArray[np.int32], path: NDArray[np.int32]) -> Corridor:
        """Return the corridor along a path: a result of the planner, and its half-edges."""
        tracks, parts = self._simulation.tracks, []
        for k, half in enumerate(path.tolist()):
            ends = int(tracks.first[half // 2]), int(tracks.last[half // 2])
            first, last = ends[::-1] if half % 2 else ends
            first = int(found[BEGIN_AT]) if k == 0 else first
            last = int(found[END_AT]) if k == len(path) - 1 else last
            step = -1 if half % 2 else 1
            if (last - first) * step < 0:  # both on one edge, nearer than its samples
                first = last
            parts.append(np.arange(first, last + step, step))
        samples = np.concatenate(parts)
        sheets = tracks.sheets[samples].astype(np.int64) - 1
        return Corridor(tracks.balls[samples], path.astype(np.int64) // 2, sheets)

    def assign_corridor(self, group: Group, corridor: Corridor, goal: int, reach: float) -> None:
        """Assign a corridor to a group, and put its members at the beginning.

        In a building, where they may be on several floors, each at the closest ball in sight.
        """
        # No ball takes more than half of the group area, or the group could not move forward.
        widest = min(group.bounds.width, math.sqrt(group.bounds.area / (2.0 * math.pi)))
        balls = corridor.balls
        group.backbone = np.column_stack([balls[:, :2], np.minimum(balls[:, 2], widest)])
        group.edges, group.sheets = corridor.edges, corridor.sheets
        self._write_corridor(group)
        characters, slots = self._characters, self.members(group)
        characters.enter_corridor(slots, group.number, group.edge, group.samples)
        table = self._simulation.goals
        characters.goal_point[slots] = table.points[goal]
        characters.reach[slots] = reach
        if self._simulation.floors is not None:
            characters.goal[slots] = goal
            characters.goal_sheet[slots] = table.table.sheets[goal]
            for slot in slots.tolist():
                self.move_to_closest_ball(group, slot)
        self._rebuild_tables()

    def _write_corridor(self, group: Group) -> None:
        """Write the balls of a group's corridor into the tracks."""
        tracks, count = self._simulation.tracks, len(group.backbone)
        if count > group.capacity:
            group.first_sample, group.capacity = self._used, 2 * count
            self._used += 2 * count
        if self._used > len(tracks.balls):
            more = np.zeros((self._used - len(tracks.balls) + _SPARE, 3))
            tracks = tracks._replace(balls=np.concatenate([tracks.balls, more]))
            if self._simulation.floors is not None:
                sheets = np.concatenate([tracks.sheets, np.zeros(len(more), np.int32)])
                tracks = tracks._replace(sheets=sheets)
        if group.edge < 0:
            group.edge = len(tracks.first)
            tracks = tracks._replace(
                first=np.append(tracks.first, np.int32(0)),
                last=np.append(tracks.last, np.int32(0)),
                ends=np.vstack([tracks.ends, np.full((1, 2), -1, np.int32)]),
            )
        samples = group.samples
        tracks.balls[samples.start : samples.stop] = group.backbone
        if self._simulation.floors is not None:
            tracks.sheets[samples.start : samples.stop] = group.sheets + 1
        tracks.first[group.edge], tracks.last[group.edge] = samples[0], samples[-1]
        self._simulation.tracks = tracks

    def _rebuild_tables(self) -> None:
        """Rebuild the tables of the kernel `limit_fronts`."""
        rows, lengths, gains, onward = [], [], [], []
        begin = base = 0
        for group in self.all:
            count, bounds = len(group.backbone), group.bounds
            length, gain = np.zeros(count), np.zeros(count)
            if count:
                measure_corridor(group.backbone, length, gain)
            is_bounded = count > 0 and np.isfinite([bounds.area, bounds.longitudinal]).any()
            first = group.first_sample
            rows.append([
                begin, begin + len(group.ids), first, first + count - 1, base, bounds.area,
                bounds.longitudinal, is_bounded,
            ])  # fmt: skip
            lengths.append(length)
            gains.append(gain)
            onward.append(self._waiting_places(group, length))
            begin, base = begin + len(group.ids), base + count
        self._table = np.array(rows, np.float64).reshape(-1, 8)
        self._members = np.concatenate([self._members[:0], *(group.ids for group in self.all)])
        self._lengths = np.concatenate([np.empty(0), *lengths])
        self._gains = np.concatenate([np.empty(0), *gains])
        self._onward = np.concatenate([np.empty(0, np.int64), *onward])
        self.front_limits = np.full(len(self.all), -1, np.int32)

    def _waiting_places(self, group: Group, lengths: Floats) -> Ints:
        """Return for each ball the one at which the front waits instead. (n,).

        Not on an escalator, nor just behind it: those on it cannot wait.
        """
        found, floors = np.arange(len(lengths)), self._simulation.floors
        if floors is None or not len(lengths):
            return found
        carries = floors.slopes[group.sheets, RUNS] != 0.0
        slots = self.members(group)
        widest = float(self._characters.radius[slots].max(initial=0.0))
        landing = _LANDING + 2.0 * (widest + _ELBOW) * math.sqrt(len(slots))
        for end in np.flatnonzero(carries)[::-1].tolist():
            behind = int(np.searchsorted(lengths, lengths[end] + landing))
            behind = min(behind, len(lengths) - 1)
            found[end : behind + 1] = found[behind]
        return found

    def restore(self) -> None:
        """Restore corridors of a checkpoint, where samples are relative to their beginning."""
        for group in self.all:
            if len(group.backbone):
                self._write_corridor(group)
                slots = self.members(group)
                self._characters.put_on_edge(slots, group.edge, group.samples)
                self._characters.sample[slots] += group.first_sample
        self._rebuild_tables()

    def limit_fronts(self) -> None:
        """Compute how far the front of each group may move ahead (alpha_max)."""
        if len(self._table):
            limit_fronts(
                self._table, self._members, self._characters.slot_of, self._lengths, self._gains,
                self._onward, self._simulation.tracks.balls, self._characters.state,
                self.front_limits,
            )  # fmt: skip

    # -- dispersion --------------------------------------------------------------------------

    def dispersion(self, group: Group) -> Dispersion:
        """Measure a group across and along its backbone."""
        characters, slots = self._characters, self.members(group)
        if len(slots) == 0 or len(group.backbone) < 2:
            return Dispersion(0.0, 0.0, 0.0)
        sheets = self._simulation.sheets_of(slots)
        along, across = _project(
            characters.position[slots], group.backbone[:, :2], sheets, group.sheets
        )
        at = characters.sample[slots] - group.first_sample
        base, low = int(self._table[group.number, BASE]), int(at.min())
        high = max(low, self._least_ball(group, slots[int(at.argmax())]))
        area = math.pi * np.square(group.backbone[low, col.BALL_RADIUS])
        area += float(self._gains[base + low + 1 : base + high + 1].sum())
        front = int(self.front_limits[group.number]) - group.first_sample
        most = int(at.max()) if front < 0 else min(int(at.max()), front)
        spread = max(0.0, float(self._lengths[base + most] - self._lengths[base + low]))
        return Dispersion(float(np.ptp(across)), float(np.ptp(along)), float(area), spread)

    def _least_ball(self, group: Group, slot: int) -> int:
        """Return the least advanced ball that contains a character: end of the group area."""
        characters, balls = self._characters, group.backbone
        (x, y), radius = characters.position[slot], characters.radius[slot]
        away = hypot(balls[:, 0] - x, balls[:, 1] - y)
        is_inside = away < np.maximum(balls[:, col.BALL_RADIUS] - radius, FLOOR)
        at = int(characters.sample[slot]) - group.first_sample
        behind = np.flatnonzero(~is_inside[: at + 1])
        return int(behind[-1]) + 1 if len(behind) and behind[-1] < at else at


def _project(points: Floats, line: Floats, sheets: Ints, along: Ints) -> tuple[Floats, Floats]:
    """Project points onto a line: arc length and signed distance. (n,), (n,).

    In a building, points on `sheets` (n,) onto the parts of the line on the same sheet, if there
    are any; `along` (m,) are the sheets of the line's points.
    """
    a, step = line[:-1], np.diff(line, axis=0)
    length = np.maximum(hypot(*step.T), 1e-12)
    before = np.concatenate([[0.0], np.cumsum(length)[:-1]])
    offset = points[:, None] - a
    t = np.clip((offset * step).sum(axis=2) / length**2, 0.0, 1.0)
    away = offset - t[:, :, None] * step
    distance = hypot(away[:, :, 0], away[:, :, 1])
    is_there = (along[None, :-1] == sheets[:, None]) | (along[None, 1:] == sheets[:, None])
    is_elsewhere = is_there.any(axis=1, keepdims=True) & ~is_there
    distance = np.where(is_elsewhere, np.inf, distance)
    k, rows = distance.argmin(axis=1), np.arange(len(points))
    side = step[k, 0] * offset[rows, k, 1] - step[k, 1] * offset[rows, k, 0]
    return before[k] + t[rows, k] * length[k], np.copysign(distance[rows, k], side)
