"""The corridor map of a building: one map over all floors and links."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from footway import validation
from footway._numba.jit import thread_count
from footway._numba.portable_math import hypot
from footway._numba.random_stream import RandomStream
from footway.corridor.building.corridor import BuildingCorridor
from footway.corridor.building.index import build_surface_index
from footway.corridor.building.nearest import nearest_fitting
from footway.corridor.building.path import BuildingPath
from footway.corridor.building.route import Cost, Plan, Portals, Ride
from footway.corridor.building.solver import BuildingSolver
from footway.corridor.explain import explain_components, explain_failure
from footway.corridor.kernels.layouts import APART, FOUND, FULL, NOWHERE
from footway.corridor.kernels.locate import AXIS_CLEARANCE, WALL_X, WALL_Y, X, Y
from footway.corridor.kernels.query import POINT, THIN, are_connected
from footway.corridor.kernels.surface import surface_distances
from footway.corridor.kernels.tangents import SLACK, VIOLATION
from footway.corridor.map import CorridorMap, Location, PathToward
from footway.corridor.path import TautPath
from footway.corridor.widest import find_bottleneck
from footway.environment.links import WALKING
from footway.errors import BadQuery, NoPath
from footway.medial.joining import joined_axis

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike

    from footway.arrays import Bools, Floats, Ints
    from footway.corridor.corridor import Pinch
    from footway.environment import Building


_MOST_PLANS = 500  # sequences of links that are tried for one path
_MOST_PATHS = 1000  # between the same ends
_TRIES = 200  # batches of random points without a free one


class BuildingMap(CorridorMap):
    """The medial axis of all floors and links of a building, with exact clearance in plan.

    Points are (x, y, floor), with the name of a floor or of a link. `CorridorMap.build` makes it.

    Attributes:
        building: the building.

    """

    solver: BuildingSolver

    def __init__(self, building: Building) -> None:
        surface = joined_axis(building.sheets, building.seams, grid=building.grid)
        index = build_surface_index(surface, building.seams)
        solver = BuildingSolver(index, building, surface.edge_sheet)
        super().__init__(index, name=building.name, solver=solver)
        self.building = building
        self._portals = Portals(building)
        self._walls = np.concatenate([sheet.walls.segments for sheet in building.sheets])

    def prepare(self, radius: float | None = None, *, wait: bool = True) -> None:
        """Measure the map's landmarks now; tables for a radius are made for plans only."""
        validation.flag(wait, "wait")
        if radius is not None:
            raise self._not_yet("prepare with a radius")
        self.solver.measure_landmarks()

    def save(self, file: str | PathLike[str]) -> None:
        """Write the building to one file; `CorridorMap.load` builds the map again."""
        from footway.corridor.building import archive  # it imports this module

        archive.save(file, self.building)

    # -- places --------------------------------------------------------------------------------

    def _place(self, point: Any, what: str) -> Floats:
        """Return (x, y, sheet) of a point (x, y, floor)."""
        try:
            x, y, floor = point
        except (TypeError, ValueError):
            raise BadQuery(
                f"the {what} must be (x, y, floor) in a building, as in (2.0, 3.0, "
                f"{self.building.floors[0].name!r}), not {validation.shown(point)}"
            ) from None
        at = validation.point((x, y), what)
        return np.array([*at, self._sheet(at, floor)])

    def _sheet(self, at: Floats, floor: object) -> int:
        """Return the sheet of a floor, or the part of a link that contains a point in plan."""
        links = [link.name for link in self.building.links]
        names = {one.name for one in self.building.floors}
        if isinstance(floor, str) and floor in links and floor not in names:
            number = links.index(floor)
            parts = [k for k, layer in enumerate(self.building.layers) if layer.link == number]
            inside = [k for k in parts if self.building.contains(k, at[None])[0]]
            return (inside or parts)[0]
        return self.building.floor_index(floor)

    def places(self, points: Any, floor: object, name: str = "points") -> tuple[Floats, Ints]:
        """Return points (n, 2) and sheets (n,): of (x, y, floor), or of (x, y) on one floor."""
        if floor is not None:
            at = validation.points(points, name=name, farthest=np.inf)
            return at, np.array([self._sheet(one, floor) for one in at], np.int64)
        rows = [self._place(point, name) for point in validation.sequence(points, name)]
        found = np.array(rows).reshape(-1, 3)
        return np.ascontiguousarray(found[:, :2]), found[:, 2].astype(np.int64)

    def _radius(self, radius: float) -> float:
        """Return the radius of a search: beside a portal's end the sheet of a point is unknown."""
        return max(validation.radius(radius, self.solver.extent), THIN)

    def _is_on_floor(self, end: Floats) -> bool:
        return bool(self.building.contains(int(end[2]), end[None, :2])[0])

    def _check_ends(self, *ends: Floats, radius: float = 0.0) -> None:
        """Raise BadQuery, with the nearest place for the radius, if an end is not on its floor."""
        for what, end in zip(("start", "goal"), ends, strict=False):
            if not self._is_on_floor(end):
                contact = self.solver.locate(end)[1][0, [WALL_X, WALL_Y]]
                raise self.solver.explain_unlocated_end(what, end, contact, radius)

    def clearance(self, points: Any, floor: object = None) -> Floats:
        """Distance of each point to the nearest wall in plan, (n,) m; 0 inside obstacles.

        Points are (x, y, floor), or (n, 2) on one `floor`.
        """
        return self.solver.clearances(*self.places(points, floor))

    def locate(self, points: Any, floor: object = None) -> Location:
        """Retraction of each point onto the medial axis; it may be on the next floor or link."""
        piece, values = self.solver.locate_on(*self.places(points, floor))
        edge = np.where(piece >= 0, self._index.graph.edge_of[piece], -1)
        position = np.ascontiguousarray(values[:, X : Y + 1])
        return Location(edge, piece, position, values[:, AXIS_CLEARANCE].copy())

    def nearest_obstacle(self, points: Any, floor: object = None) -> Floats:
        """Nearest wall point of each point in plan, (n, 2) m."""
        _, values = self.solver.locate_on(*self.places(points, floor))
        return np.ascontiguousarray(values[:, WALL_X : WALL_Y + 1])

    def retract(self, points: Any, floor: object = None) -> Floats:
        """Move points away from their nearest obstacle up to the medial axis. (n, 2) m."""
        return self.locate(points, floor).position

    @property
    def walls(self) -> Floats:
        """(n, 4) m. Wall segments of all floors and links in plan."""
        return self._walls

    @property
    def environment(self) -> Any:
        """A building has an environment for each floor: see `building.floors`."""
        raise BadQuery("the map of a building has no single environment: use map.building.floors")

    # -- queries -------------------------------------------------------------------------------

    def path(  # type: ignore[override]
        self,
        start: Any,
        goal: Any,
        *,
        radius: float = 0.25,
        by: Literal["length", "time"] = "length",
        speed: float = WALKING,
    ) -> BuildingPath:
        """Return the best path of a disc over all floors and links.

        Args:
            start: x, y in metres and the name of a floor or link.
            goal: likewise.
            radius: of the disc, m; the path keeps this distance from every wall in plan.
            by: what is least of all sequences of links: "length" along the slope, or "time". In a
                sequence the path is the shortest in plan.
            speed: on the level, m/s.

        Raises:
            BadQuery: no such floor, a point in a wall or outside its floor.
            NoPath: the disc does not fit or does not get through; with the place and the floor.

        """
        a, b = self._place(start, "start"), self._place(goal, "goal")
        radius = self._radius(radius)
        validation.one_of(by, "cost", ("length", "time"))
        pace = validation.number(speed, "speed", "m/s", above=0.0, high=100.0)
        self._check_ends(a, b, radius=radius)
        return self._find(a, b, radius, Cost(self.building, by, pace))

    def paths(  # type: ignore[override]
        self,
        starts: Iterable[Any],
        goals: Iterable[Any],
        *,
        radius: float = 0.25,
        by: Literal["length", "time"] = "length",
        speed: float = WALKING,
        threads: int | None = None,
    ) -> list[BuildingPath | None]:
        """Paths between pairs of points, on all cores; None where no path exists."""
        count = validation.threads(threads) or thread_count()
        pairs = [
            [self._place(point, what) for point in validation.sequence(points, f"{what}s")]
            for points, what in ((starts, "start"), (goals, "goal"))
        ]
        if len(pairs[0]) != len(pairs[1]):
            raise BadQuery(
                f"{len(pairs[0])} starts and {len(pairs[1])} goals: give the same number of each"
            )
        radius = self._radius(radius)
        validation.one_of(by, "cost", ("length", "time"))
        cost = Cost(
            self.building, by, validation.number(speed, "speed", "m/s", above=0.0, high=100.0)
        )

        def find(a: Floats, b: Floats) -> BuildingPath | None:
            if not (self._is_on_floor(a) and self._is_on_floor(b)):
                return None
            try:
                return self._find(a, b, radius, cost)
            except (BadQuery, NoPath):
                return None

        with ThreadPoolExecutor(max_workers=count) as pool:
            return list(pool.map(find, *pairs))

    def _find(self, a: Floats, b: Floats, radius: float, cost: Cost) -> BuildingPath:
        """Return the best path between two points (x, y, sheet)."""
        solution = self.solver.solve(a, b, radius)
        direct = self._walked(solution, a, b, radius)
        if direct is None and solution.status not in (APART, FOUND):
            raise solution.refusal or explain_failure(self.solver, a, b, radius, solution)
        best = self._assemble([direct], [], a, b, cost) if direct else None
        if best is not None and (
            best.plan_length >= best.length * (1 - 1e-12) and cost.by == "length"
        ):
            return best  # no path is shorter along the slope than in plan
        is_limited = False
        for tried, plan in enumerate(self._portals.plans(a, b, cost)):
            if best is not None and plan.bound >= _value(best):
                break
            is_limited = tried == _MOST_PLANS
            if is_limited:
                break
            found = self._along(plan, a, b, radius, cost)
            if found is not None and (best is None or _value(found) < _value(best)):
                best = found
        if best is None:
            raise self._explain(a, b, radius)
        if is_limited:
            object.__setattr__(best, "method", "limited")
        return best

    def _along(
        self, plan: Plan, a: Floats, b: Floats, radius: float, cost: Cost
    ) -> BuildingPath | None:
        """Return the path along a sequence of links, shortest in plan; None if there is none."""
        stops = [a]
        for ride in plan.rides:
            stops += [self._in_cabin(ride.start), self._in_cabin(ride.goal)]
        stops.append(b)
        walked = []
        for k, sheets in enumerate(plan.parts):
            begin, end = stops[2 * k], stops[2 * k + 1]
            allowed = np.zeros(len(self.building.layers), bool)
            allowed[list(sheets)] = True
            graph = self._index.graph
            clearance = np.where(allowed[self.solver.edge_sheet], graph.clearance, 0.0)
            index = self._index._replace(graph=graph._replace(clearance=clearance))
            part = self._walked(
                # Without the shortcut: a straight line may lead through sheets that are left out.
                self.solver.solve(begin, end, radius, shortcut=False, index=index),
                begin,
                end,
                radius,
            )
            if part is None:
                return None
            walked.append(part)
        return self._assemble(walked, list(plan.rides), a, b, cost)

    def _in_cabin(self, sheet: int) -> Floats:
        """Return the place in a cabin where a disc stands: the middle."""
        middle = self.building.sheets[sheet].polygon.centroid
        return np.array([middle.x, middle.y, sheet])

    def _walked(self, solution: Any, a: Floats, b: Floats, radius: float) -> TautPath | None:
        """Return the path of a search in plan, or None."""
        if solution.status in (NOWHERE, FULL):
            return None
        if solution.status != FOUND:
            return None
        ends = ((float(a[0]), float(a[1])), (float(b[0]), float(b[1])))
        return TautPath(
            *ends, radius, solution.length, solution.clearance, solution.pieces,
            solution.method, self.solver.between(int(a[2]), int(b[2])), solution.crossed,
        )  # fmt: skip

    def _assemble(
        self, walked: Sequence[TautPath], rides: list[Ride], a: Floats, b: Floats, cost: Cost
    ) -> BuildingPath | None:
        """Join walked parts by rides; None if a part runs against an escalator."""
        points: list[Floats] = []
        sheets: list[Ints] = []
        begin, extra, seconds = int(a[2]), 0.0, 0.0
        time = cost._replace(by="time")
        for k, part in enumerate(walked):
            line, on = self.solver.follow(part.points, begin)
            heights = self._heights(line, on)
            step, rise = hypot(*np.diff(line, axis=0).T), self._rises(line, on)
            for sheet, plan, up in zip(on.tolist(), step.tolist(), rise.tolist(), strict=True):
                if not cost.may_go(sheet, up):
                    return None
                extra += math.sqrt(plan * plan + up * up) - plan
                seconds += time.of_step(sheet, plan, up)
            points.append(np.column_stack([line, heights]))
            sheets.append(on)
            if k < len(rides):
                ride = rides[k]
                change = self.building.layers[ride.goal].low - self.building.layers[ride.start].low
                extra += abs(change)
                seconds += time.of_ride(self.building.links[ride.link], change)  # type: ignore[arg-type]
                sheets.append(np.array([ride.goal]))
                begin = ride.goal
        plan_length = float(sum(part.length for part in walked))
        at, on = np.concatenate(points), np.concatenate(sheets)
        floors, links = self._names(on, int(a[2]), int(b[2]))
        return BuildingPath(
            tuple(at[0].tolist()), tuple(at[-1].tolist()), walked[0].radius, at, on,
            plan_length + extra, plan_length, seconds, min(part.clearance for part in walked),
            floors, links, "shortest", tuple(walked), cost.by,
        )  # fmt: skip

    def _heights(self, line: Floats, on: Ints) -> Floats:
        sheets = np.concatenate([on[:1], on]) if len(on) else np.zeros(len(line), np.int64)
        return self.building.heights(sheets, line)

    def _rises(self, line: Floats, on: Ints) -> Floats:
        return self.building.heights(on, line[1:]) - self.building.heights(on, line[:-1])

    def _names(self, on: Ints, first: int, last: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the names of the floors and of the links in the order of use."""
        floors: list[str] = []
        links: list[str] = []
        for k in [first, *on.tolist(), last]:
            layer = self.building.layers[k]
            names = floors if layer.floor >= 0 else links
            name = (
                self.building.floors[layer.floor]
                if layer.floor >= 0
                else self.building.links[layer.link]
            ).name
            if not names or names[-1] != name:
                names.append(name)
        return tuple(floors), tuple(links)

    def bottleneck(self, start: Any, goal: Any) -> Pinch:
        """Widest disc that gets from start to goal, also by lifts; directions are ignored.

        Raises:
            BadQuery: a point in a wall.
            NoPath: no path exists at any radius.

        """
        a, b = self._place(start, "start"), self._place(goal, "goal")
        self._check_ends(a, b)
        pinch = self._widest(a, b)
        if pinch is None:
            raise explain_components(self.solver, a, b)
        return pinch

    def _widest(self, a: Floats, b: Floats) -> Pinch | None:
        """Return the narrowest point of the widest path; rides in lifts join cabins."""
        stops = [a, b]
        owner = [-1, -1]
        for k, ride in enumerate(self.building.rides):
            stops += [self._in_cabin(sheet) for sheet in ride]
            owner += [k] * len(ride)
        best: dict[int, tuple[float, Pinch | None]] = {0: (math.inf, None)}
        waiting, done = {0}, set()
        while waiting:
            here = max(waiting, key=lambda k: best[k][0])
            waiting.remove(here)
            done.add(here)
            if here == 1:
                return best[1][1]
            for k in range(len(stops)):
                if k in done:
                    continue
                found = best[here]
                if owner[k] < 0 or owner[k] != owner[here]:
                    pinch = find_bottleneck(self.solver, stops[here], stops[k])
                    if pinch is None:
                        continue
                    found = min(found, (pinch.radius, pinch), key=lambda one: one[0])
                if k not in best or found[0] > best[k][0]:
                    best[k] = found
                    waiting.add(k)
        return None

    def _explain(self, a: Floats, b: Floats, radius: float) -> BadQuery | NoPath:
        """Return the error for a query without a path."""
        solution = self.solver.solve(a, b, radius)
        pinch = self._widest(a, b)
        if pinch is None:
            return explain_components(self.solver, a, b)
        if pinch.radius < radius - SLACK:
            return NoPath(
                f"a disc of radius {radius:g} m does not get from {self.solver.text_of(a)} to "
                f"{self.solver.text_of(b)}: the widest path is {pinch.width:.3f} m wide at "
                f"{pinch.place}; use a radius up to {pinch.radius:.3f} m",
                reason="pinch",
                pinch=pinch,
            )
        if solution.status in (NOWHERE, FULL):
            return explain_failure(self.solver, a, b, radius, solution)
        against = [str(link) for link in self.building.links if link.kind == "escalator"]
        return NoPath(
            f"{self.solver.text_of(a)} and {self.solver.text_of(b)} are only joined against the "
            f"direction of {', '.join(against) or 'a link'}: add stairs or another escalator",
            reason="components",
        )

    def distances(
        self, start: Any, points: Any, *, radius: float = 0.25, floor: object = None,
        threads: int | None = None,
    ) -> Floats:  # fmt: skip
        """Lengths along the slope of the best paths from a start to points, (n,) m; inf: none."""
        at, sheets = self.places(points, floor)
        a = self._place(start, "start")
        self.path(start, start, radius=radius)
        cost = Cost(self.building, "length")
        count = validation.threads(threads) or thread_count()

        def find(k: int) -> float:
            b = np.array([*at[k], sheets[k]])
            if not (self._is_on_floor(a) and self._is_on_floor(b)):
                return math.inf
            try:
                return self._find(a, b, self._radius(radius), cost).length
            except (BadQuery, NoPath):
                return math.inf

        with ThreadPoolExecutor(max_workers=count) as pool:
            return np.array(list(pool.map(find, range(len(at)))))

    def is_reachable(
        self, start: Any, points: Any, *, radius: float = 0.25, floor: object = None
    ) -> Bools:
        """Whether a disc gets from a start to each of the points, also by lifts. (n,).

        Directions of escalators are ignored.
        """
        a = self._place(start, "start")
        self.path(start, start, radius=radius)
        at, sheets = self.places(points, floor)
        pieces, _ = self.solver.locate_on(at, sheets)
        fits = self.solver.clearances(at, sheets) >= radius - SLACK
        found = np.zeros(len(at), bool)
        for piece in self._pieces_by_lift(a, radius):
            found |= are_connected(piece, pieces, max(radius, POINT), self._index)
        return np.asarray(fits & found)

    def _pieces_by_lift(self, a: Floats, radius: float) -> list[int]:
        """Return pieces of the axis in all parts of the map that a disc gets to by lifts."""
        reached = [int(self.solver.locate(a)[0][0])]
        rides = [
            self.solver.locate(*(self._in_cabin(sheet) for sheet in ride))[0]
            for ride in self.building.rides
            if ride
        ]
        while True:
            more = [
                ride
                for ride in rides
                if any(
                    are_connected(p, ride, max(radius, POINT), self._index).any() for p in reached
                )
            ]
            if not more:
                return reached
            rides = [ride for ride in rides if not any(ride is one for one in more)]
            reached += [int(piece) for ride in more for piece in ride]

    def random_points(  # type: ignore[override]
        self, n: int = 1, *, radius: float = 0.25, seed: int = 0, reachable_from: Any = None
    ) -> list[tuple[float, float, str]]:
        """Random points (x, y, floor) on the floors where a disc fits, uniform over their area."""
        count = validation.whole(n, "number of points", high=1_000_000)
        radius = validation.radius(radius, self.solver.extent)
        stream = RandomStream(validation.seed(seed))
        floors = self.building.floors
        box = np.array([floor.environment.bounds for floor in floors])
        low, high = box[:, :2].min(axis=0), box[:, 2:].max(axis=0)
        found: list[tuple[float, float, str]] = []
        for _ in range(_TRIES):
            draw = stream.uniform(2 * count + 64, 3)
            at = np.ascontiguousarray(low + draw[:, :2] * (high - low))
            sheets = np.minimum((draw[:, 2] * len(floors)).astype(np.int64), len(floors) - 1)
            keep = self.solver.clearances(at, sheets) > radius
            some = [
                (float(x), float(y), floors[k].name)
                for (x, y), k in zip(at[keep].tolist(), sheets[keep].tolist(), strict=True)
            ]
            if reachable_from is not None and some:
                ok = self.is_reachable(reachable_from, some, radius=radius)
                some = [point for point, good in zip(some, ok.tolist(), strict=True) if good]
            found += some
            if len(found) >= count:
                return found[:count]
        raise BadQuery(
            f"a disc of radius {radius:g} m fits nowhere on the floors, or hardly anywhere: use a "
            "smaller radius"
        )

    def _not_yet(self, what: str) -> BadQuery:
        return BadQuery(
            f"{what} is not available on the map of a building: use the map of one floor"
        )

    def corridor(  # type: ignore[override]
        self,
        start: Any,
        goal: Any,
        *,
        radius: float = 0.25,
        by: Literal["length", "time"] = "length",
        speed: float = WALKING,
    ) -> BuildingCorridor:
        """Corridor of a disc around the best path, over floors and links. Raises as `path` does."""
        path = self.path(start, goal, radius=radius, by=by, speed=speed)
        return BuildingCorridor.around(path, self.building)

    def paths_between(  # type: ignore[override]
        self,
        start: Any,
        goal: Any,
        k: int = 5,
        *,
        radius: float = 0.25,
        longer: float = math.inf,
        by: Literal["length", "time"] = "length",
        speed: float = WALKING,
    ) -> list[BuildingPath]:
        """Return the k best paths of a disc that use different links, the best first.

        Between two links there is one path, the shortest in plan: corridors around obstacles of the
        same floor are no alternatives here. Raises as `path` does.

        Args:
            start: x, y in metres and the name of a floor or link.
            goal: likewise.
            k: number of paths, at most 1,000; the result has fewer if fewer exist.
            radius: of the disc, m.
            longer: by which share the length, or time, of the others may exceed that of the best.
            by: see `path`.
            speed: on the level, m/s.

        """
        a, b = self._place(start, "start"), self._place(goal, "goal")
        radius = self._radius(radius)
        most = validation.whole(k, "number of paths", low=1, high=_MOST_PATHS)
        limit = validation.number(longer, "share `longer`", low=0.0, endless=True)
        validation.one_of(by, "cost", ("length", "time"))
        pace = validation.number(speed, "speed", "m/s", above=0.0, high=100.0)
        self._check_ends(a, b, radius=radius)
        cost = Cost(self.building, by, pace)
        best = self._find(a, b, radius, cost)
        found, longest = {_passed(best): best}, _value(best) * (1.0 + limit)
        for tried, plan in enumerate(self._portals.plans(a, b, cost)):
            if len(found) >= most:
                longest = min(longest, sorted(map(_value, found.values()))[most - 1])
            if plan.bound > longest or tried == _MOST_PLANS:
                break
            path = self._along(plan, a, b, radius, cost)
            if path is not None and _value(path) <= longest:
                known = found.setdefault(_passed(path), path)
                found[_passed(path)] = min(known, path, key=_value)
        return sorted(found.values(), key=_value)[:most]

    def path_toward(
        self,
        start: Any,
        goal: Any,
        *,
        radius: float = 0.25,
        by: Literal["length", "time"] = "length",
        speed: float = WALKING,
    ) -> PathToward:
        """Best path to the goal, or else to the reachable point of its floor nearest to it in plan.

        Raises:
            BadQuery: no such floor; the start is in a wall.
            NoPath: the disc does not fit at the start, or gets to no place of the goal's floor.

        """
        a, b = self._place(start, "start"), self._place(goal, "goal")
        self._check_ends(a, radius=self._radius(radius))
        self.path(start, start, radius=radius, by=by, speed=speed)
        disc, sheet = self._radius(radius), int(b[2])
        end = nearest_fitting(b[:2], sheet, disc, self.solver, self._pieces_by_lift(a, disc))
        if end is None:
            raise NoPath(
                f"a disc of radius {disc:g} m gets from {self.solver.text_of(a)} to no place on "
                f"{self.solver.sheet_name(sheet)}: use a smaller radius or add a link",
                reason="components",
            )
        path = self._find(a, np.array([*end, sheet]), disc, Cost(self.building, by, speed))
        return PathToward(path, float(hypot(*(end - b[:2]))))  # type: ignore[arg-type]

    def line_of_sight(self, a: Any, b: Any, *, radius: float = 0.0, floor: object = None) -> Bools:
        """Whether a disc gets straight, in plan, from each point of `a` to that of `b`. (n,).

        The line may lead through portals, on to stairs and to the next floor.
        """
        starts, first = self.places(a, floor, "starts")
        ends, last = self.places(b, floor, "ends")
        validation.as_many(starts, ends)
        disc = max(validation.radius(radius, self.solver.extent), THIN)
        distance = np.empty(len(starts))
        surface_distances(starts, first, ends, last, self._index.grid, distance)
        inside = self.solver.clearances(starts, first) > 0.0
        inside &= self.solver.clearances(ends, last) > 0.0
        return np.asarray(inside & (distance >= disc - VIOLATION))

    def nearest_free(  # type: ignore[override]
        self, points: Any, floor: object = None, *, radius: float = 0.25
    ) -> list[tuple[float, float, str]]:
        """Nearest place on the same floor, or part of a link, at which a disc fits, for each point.

        Points may be in walls or outside their floor. `path` takes the result as start and goal.

        Raises:
            BadQuery: the disc fits nowhere on the floor.

        """
        at, sheets = self.places(points, floor)
        disc = self._radius(radius)
        found = []
        for place, sheet in zip(at, sheets.tolist(), strict=True):
            near = nearest_fitting(place, sheet, disc, self.solver)
            name = self.solver.sheet_name(sheet)
            if near is None:
                raise BadQuery(
                    f"a disc of radius {disc:g} m fits nowhere on {name}: use a smaller radius"
                )
            layer = self.building.layers[sheet]
            owner = (self.building.floors[layer.floor] if layer.floor >= 0
                     else self.building.links[layer.link])  # fmt: skip
            found.append((float(near[0]), float(near[1]), owner.name))
        return found

    def balls(self, *_: Any, **__: Any) -> Any:
        """Not available on the map of a building."""
        raise self._not_yet("balls")

    def __repr__(self) -> str:
        return (
            f"BuildingMap({self.name!r}, {len(self.building.floors)} floors, "
            f"{len(self.building.links)} links, {self.n_vertices} vertices, {self.n_edges} edges, "
            f"{self.n_cycles} cycles)"
        )


def _passed(path: BuildingPath) -> tuple[int, ...]:
    """Return the floors and parts of links that a path passes, in their order."""
    changes = np.flatnonzero(np.diff(path.sheets)) + 1
    return tuple(path.sheets[np.concatenate([[0], changes])].tolist()) if len(path.sheets) else ()


def _value(path: BuildingPath) -> float:
    return path.length if path.by == "length" else path.seconds
