"""Choose the links of a path through a building: those of the least length or time.

A sequence is a list of portals that a path passes, and of rides in lifts. For a given sequence the
path is the shortest in plan. Sequences are tried in the order of a lower bound of their cost, from
straight distances between portals, until the bound exceeds the cost of the best path.
"""

from __future__ import annotations

import heapq
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.portable_math import hypot
from footway.environment.links import WALKING, Escalator, Lift, Link

if TYPE_CHECKING:
    from collections.abc import Iterator

    from footway.arrays import Floats
    from footway.environment import Building


_SHORTER = 1.0 - 1e-9  # a lower bound is lower by this share in spite of rounding


class Cost(NamedTuple):
    """What is least along a path: its length along the slope, m, or its time, s."""

    building: Building
    by: str  # "length" or "time"
    speed: float = WALKING  # m/s on the level

    def of_step(self, sheet: int, plan: float, rise: float) -> float:
        """Cost of a straight step on a sheet, `plan` metres in plan and `rise` metres up."""
        layer = self.building.layers[sheet]
        length = math.sqrt(plan * plan + rise * rise)
        if self.by == "length":
            return length
        link = self.building.links[layer.link] if layer.link >= 0 else None
        if not isinstance(link, Link) or layer.is_level or plan == 0.0:
            return length / self.speed
        return plan * link.seconds_per_metre(length / plan, self.speed, upward=rise > 0.0)

    def of_ride(self, lift: Lift, rise: float) -> float:
        """Cost of a ride in a lift."""
        return abs(rise) if self.by == "length" else lift.seconds(rise)

    def may_go(self, sheet: int, rise: float) -> bool:
        """Whether people may move up or down on a sheet: an escalator runs in one direction."""
        layer = self.building.layers[sheet]
        link = self.building.links[layer.link] if layer.link >= 0 else None
        if not isinstance(link, Escalator) or layer.is_level or abs(rise) < 1e-9:
            return True
        return link.allows(upward=rise > 0.0)


class Ride(NamedTuple):
    """A ride in a lift between the cabin's sheets at two floors."""

    link: int
    start: int
    goal: int


class Plan(NamedTuple):
    """A sequence of portals: the sheets of each walked part, and the rides between them."""

    bound: float
    seams: tuple[int, ...]
    parts: tuple[frozenset[int], ...]
    rides: tuple[Ride, ...]


class Portals:
    """The portals of a building as a graph, for lower bounds of the cost of sequences."""

    def __init__(self, building: Building) -> None:
        self.building = building
        self.lines = np.array([seam.ends for seam in building.seams]).reshape(-1, 4)
        self.of_sheet: list[list[int]] = [[] for _ in building.layers]
        for k, seam in enumerate(building.seams):
            self.of_sheet[seam.left].append(k)
            self.of_sheet[seam.right].append(k)
        middle = 0.5 * (self.lines[:, :2] + self.lines[:, 2:])
        left = np.array([seam.left for seam in building.seams], np.int64)
        self.heights = building.heights(left, middle) if len(left) else np.empty(0)
        self.cabins = {sheet: (k, ride) for k, ride in enumerate(building.rides) for sheet in ride}
        self._apart: dict[tuple[int, int], float] = {}

    def other(self, seam: int, sheet: int) -> int:
        """Sheet on the other side of a portal."""
        one = self.building.seams[seam]
        return one.right if one.left == sheet else one.left

    def apart(self, one: int, two: int) -> float:
        """Straight distance between two portals in plan, m."""
        key = (min(one, two), max(one, two))
        if key not in self._apart:
            self._apart[key] = _segment_distance(self.lines[one], self.lines[two])
        return self._apart[key]

    def plans(self, start: Floats, goal: Floats, cost: Cost) -> Iterator[Plan]:
        """Yield the sequences between two points (x, y, sheet), that of the least bound first."""
        heights = [
            float(self.building.heights(np.array([int(p[2])]), p[None, :2])[0])
            for p in (start, goal)
        ]
        first, last = int(start[2]), int(goal[2])
        to_goal = self._bounds_to(goal, heights[1], cost)
        heap: list[tuple[float, int, float, int, float, Plan]] = []
        count = 0

        def push(spent: float, sheet: int, height: float, seam: int, plan: Plan) -> None:
            nonlocal count
            rest = (
                to_goal[sheet, seam]
                if seam >= 0
                else self._least(sheet, start, height, goal, heights[1], to_goal, cost)
            )
            if rest < math.inf:
                count += 1
                heapq.heappush(
                    heap,
                    (spent + rest, count, spent, sheet, height, plan._replace(bound=spent + rest)),
                )

        push(0.0, first, heights[0], -1, Plan(0.0, (), (frozenset([first]),), ()))
        while heap:
            bound, _, spent, sheet, height, plan = heapq.heappop(heap)
            if sheet == -1:
                yield plan._replace(bound=bound)
                continue
            seam = plan.seams[-1] if plan.seams else -1
            if sheet == last and cost.may_go(sheet, heights[1] - height):
                step = self._step(sheet, seam, start, goal, heights[1] - height, cost)
                count += 1
                heapq.heappush(heap, (spent + step, count, spent + step, -1, 0.0, plan))
            for here, ride in self._boardings(sheet, plan):
                rise = self.building.layers[here].low - height if ride else 0.0
                more = cost.of_ride(self.building.links[ride.link], rise) if ride else 0.0  # type: ignore[arg-type]
                level = self.building.layers[here].low if ride else height
                for following in self.of_sheet[here]:
                    if following in plan.seams:
                        continue
                    up = float(self.heights[following]) - level
                    if not cost.may_go(here, up):
                        continue
                    step = 0.0 if ride else self._step_to(here, seam, start, following, up, cost)
                    beyond = self.other(following, here)
                    parts = plan.parts
                    if ride:
                        parts = (*parts, frozenset([here]))
                    parts = (*parts[:-1], parts[-1] | {beyond})
                    rides = (*plan.rides, ride) if ride else plan.rides
                    push(
                        spent + more + step, beyond, float(self.heights[following]), following,
                        Plan(0.0, (*plan.seams, following), parts, rides),
                    )  # fmt: skip

    def _boardings(self, sheet: int, plan: Plan) -> list[tuple[int, Ride | None]]:
        """Return the sheet itself, and where rides from it lead."""
        found: list[tuple[int, Ride | None]] = [(sheet, None)]
        if sheet in self.cabins:
            link, ride = self.cabins[sheet]
            used = {one.link for one in plan.rides}
            if link not in used:
                found += [(other, Ride(link, sheet, other)) for other in ride if other != sheet]
        return found

    def _step(
        self, sheet: int, seam: int, start: Floats, goal: Floats, rise: float, cost: Cost
    ) -> float:
        plan = (
            float(hypot(*(goal[:2] - start[:2])))
            if seam < 0
            else _point_distance(goal[:2], self.lines[seam])
        )
        return cost.of_step(sheet, plan, rise) * _SHORTER

    def _step_to(
        self, sheet: int, seam: int, start: Floats, following: int, rise: float, cost: Cost
    ) -> float:
        plan = (
            _point_distance(start[:2], self.lines[following])
            if seam < 0
            else self.apart(seam, following)
        )
        return cost.of_step(sheet, plan, rise) * _SHORTER

    def _least(
        self, sheet: int, start: Floats, height: float, goal: Floats, top: float,
        to_goal: dict[tuple[int, int], float], cost: Cost,
    ) -> float:  # fmt: skip
        """Lower bound of the cost from the start."""
        best = math.inf
        if sheet == int(goal[2]):
            best = self._step(sheet, -1, start, goal, top - height, cost)
        for seam in self.of_sheet[sheet]:
            rise = float(self.heights[seam]) - height
            if cost.may_go(sheet, rise):
                step = self._step_to(sheet, -1, start, seam, rise, cost)
                best = min(best, step + to_goal[self.other(seam, sheet), seam])
        if sheet in self.cabins:
            best = 0.0
        return best

    def _bounds_to(self, goal: Floats, height: float, cost: Cost) -> dict[tuple[int, int], float]:
        """Lower bounds of the cost to the goal, for (sheet, portal by which it is entered)."""
        bounds = {
            (sheet, seam): math.inf for sheet, seams in enumerate(self.of_sheet) for seam in seams
        }
        into: dict[tuple[int, int], list[tuple[tuple[int, int], float]]] = {
            key: [] for key in bounds
        }
        heap: list[tuple[float, tuple[int, int]]] = []
        for sheet, seam in bounds:
            level = float(self.heights[seam])
            if sheet == int(goal[2]) and cost.may_go(sheet, height - level):
                heap.append(
                    (self._step(sheet, seam, goal, goal, height - level, cost), (sheet, seam))
                )
            for here, ride in self._boardings(sheet, Plan(0.0, (), (), ())):
                for following in self.of_sheet[here]:
                    rise = float(self.heights[following]) - level
                    if following == seam or not (ride or cost.may_go(here, rise)):
                        continue
                    if ride:
                        step = cost.of_ride(self.building.links[ride.link], rise)  # type: ignore[arg-type]
                    else:
                        step = cost.of_step(sheet, self.apart(seam, following), rise) * _SHORTER
                    into[self.other(following, here), following].append(((sheet, seam), step))
        heapq.heapify(heap)
        while heap:
            bound, key = heapq.heappop(heap)
            if bound >= bounds[key]:
                continue
            bounds[key] = bound
            for before, step in into[key]:
                if bound + step < bounds[before]:
                    heapq.heappush(heap, (bound + step, before))
        return bounds


def _point_distance(point: Floats, line: Floats) -> float:
    px, py, (dx, dy) = point[0] - line[0], point[1] - line[1], line[2:] - line[:2]
    t = min(1.0, max(0.0, (px * dx + py * dy) / (dx * dx + dy * dy)))
    return float(hypot(px - t * dx, py - t * dy))


def _segment_distance(one: Floats, two: Floats) -> float:
    """Distance of two lines that do not cross."""
    return min(
        _point_distance(one[:2], two), _point_distance(one[2:], two),
        _point_distance(two[:2], one), _point_distance(two[2:], one),
    )  # fmt: skip
