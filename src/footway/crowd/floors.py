"""Crowds in a building: which sheet characters, goals and neighbours are on.

A character has x, y in plan and a sheet: a floor, a part of a link, or the cabin of a lift. The
axis, its samples and paths along them are those of the joined surface in plan coordinates, so the
kernels for the plane move characters up stairs unchanged: the ball of the attraction point contains
the character also on the surface, because each ball of a corridor overlaps the one before it. Only
what looks things up by position must know the sheet:

- Walls: the guard measures in the grid of the sheet on which a step ends.
- The sheet itself changes only where a step crosses a portal. It is not derived from the sample of
  the attraction point, which is ahead of the character.
- Neighbours: each sheet has cells of its own. Cells of different sheets that are close to each
  other through portals are joined once, when the cells are made; `kernels.floors` decides who is
  a neighbour. So the plane pays for nothing but a test whether there are joined cells.
- Goals: a goal is in sight only if the straight line to it ends on its sheet.

Costs of edges are times, multiplied by the mean walking speed: so paths choose between stairs,
escalators and lifts by time. Half-edges against the direction of an escalator are left out, and
nobody enters or leaves one at the wrong end. Rides in lifts are edges, too (see `lift_graph`).
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footway import validation
from footway._numba.portable_math import hypot
from footway.constants import LANDMARKS
from footway.corridor.building.index import sheet_grid
from footway.corridor.kernels.graph_search import make_graph_workspace
from footway.corridor.kernels.layouts import FIRST_PORTAL
from footway.corridor.kernels.surface import layer_at, surface_distances
from footway.corridor.search import landmark_distances
from footway.crowd.floor_space import FloorSpace
from footway.crowd.free_space import describe_misfit, main_part
from footway.crowd.kernels.floors import (
    CLOSED,
    DOORS,
    DOWN_BELT,
    DOWN_SHARE,
    RUNS,
    SHUT,
    UP_BELT,
    UP_SHARE,
    UP_X,
    UP_Y,
)
from footway.crowd.kernels.layouts import (
    ARRIVED,
    END,
    HALF,
    ON_ROUTE,
    STAYING,
    UNREACHABLE,
    WALKING,
    WEIGHTS_ROW,
    Joined,
)
from footway.crowd.kernels.placement import keep_apart
from footway.crowd.kernels.planning import start_wandering
from footway.crowd.lift_graph import (
    both_ways,
    rides_of,
    waiting_seconds,
    with_rides,
    with_samples,
)
from footway.crowd.lifts import Lifts
from footway.crowd.spawning import AT_ONCE, TRIES, radii_of
from footway.environment.links import WALKING as MEAN_SPEED
from footway.environment.links import Escalator, Lift, Link
from footway.environment.shafts import shafts_of
from footway.errors import BadQuery

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from footway._numba.random_stream import RandomStream
    from footway.arrays import Bools, Floats, Ints
    from footway.corridor.building.map import BuildingMap
    from footway.corridor.kernels.graph_search import GraphWorkspace
    from footway.corridor.kernels.layouts import Grid, Index
    from footway.crowd.kernels.layouts import Tracks
    from footway.crowd.simulation import Simulation
    from footway.crowd.spawning import Source
    from footway.environment import Building
    from footway.environment.areas import Polygon


_TRIES = 40  # batches of random points without a free one
_SEND_BACK = 0.8  # s between two looks for people who were pushed away
_PUSHED = 0.3  # m beyond the distance at which a goal counts as reached
_LEVEL = 1e-3  # m, a rise that is less counts as level


class Closure(NamedTuple):
    """A link that nobody may enter for some time; those on it leave it."""

    link: str
    start: float  # s
    end: float  # s


class Floors:
    """What a crowd has to know about a building.

    Attributes:
        building: the building.
        index: search structures of its map, with times as costs and one-way escalators.
        open_index: the same with the edges of closed links narrowed.
        slopes: (sheets, 9) see `kernels.floors`.
        space: where discs fit.
        shafts: the lifts.
        n_edges: number of edges of the map; those of rides in lifts follow.
        names: (sheets,) name of the floor or link of each sheet.
        recorded_names: names of the floors and then of the links.
        recorded: (sheets,) index of each sheet into these.
        closures: links that are closed for some time.
        open_index: the index in which links that are closed now have no clearance.

    """

    def __init__(self, cmap: BuildingMap) -> None:
        self.map, self.building = cmap, cmap.building
        self.slopes = _slopes(self.building)
        self.index = _timed(cmap)
        self.n_edges = len(self.index.graph.edges)
        self.shafts = shafts_of(self.building)
        self._rides = rides_of(cmap, self.shafts)
        self._local = threading.local()
        self._landmarks: Floats | None = None
        if self.shafts:
            graph = with_rides(self.index.graph, self._rides, self._costs(0.0))
            self.index = self.index._replace(graph=graph)
            self.slopes[np.concatenate([shaft.cabins for shaft in self.shafts]), DOORS] = SHUT
        self.names = [self.building.name_of(k) for k in range(len(self.building.layers))]
        self.open_index = self.index
        self._edge_sheets = np.full(len(self.index.graph.edges), -1)
        self._edge_sheets[: self.n_edges] = cmap.solver.edge_sheet
        axis = self.index.axis
        self._vertex_clearance = np.zeros(len(axis.vertices))
        self._vertex_clearance[axis.edges[:, 0]] = axis.clearance[axis.offsets[:-1]]
        self._vertex_clearance[axis.edges[:, 1]] = axis.clearance[axis.offsets[1:] - 1]
        self.closures: list[Closure] = []
        self.closed: frozenset[str] = frozenset()
        n_floors = len(self.building.floors)
        self.recorded_names = [one.name for one in (*self.building.floors, *self.building.links)]
        self.recorded = np.array(
            [one.floor if one.floor >= 0 else n_floors + one.link for one in self.building.layers],
            np.int16,
        )
        self._portals = cmap.solver.index.grid.layers
        counts = np.diff(self._portals.first[: len(self) + 1, FIRST_PORTAL])
        self._portal_sheets = np.repeat(np.arange(len(self)), counts)
        self.space = FloorSpace(self)

    def __len__(self) -> int:
        return len(self.names)

    # -- lifts ---------------------------------------------------------------------------------

    def run_lifts(self, simulation: Simulation) -> Lifts | None:
        """Return the running lifts; None if there are none."""
        return Lifts(simulation, self) if self.shafts else None

    def _costs(self, wait: float) -> Floats:
        """Return the costs of all rides with a wait, m; never less than their length in plan."""
        ends = self.map.solver.index.axis.vertices[self._rides.vertices]
        least: Floats = hypot(*(ends[:, 1] - ends[:, 0]).T)
        return np.maximum(least, MEAN_SPEED * (self._rides.seconds + wait))

    def charge(self, lift: int, wait: float) -> None:
        """Set the cost of the rides of a lift, with an expected wait in s."""
        mine = self._rides.of_lift == lift
        self.index.graph.length[self.n_edges :][mine] = self._costs(wait)[mine]

    def ride_of(self, half: int) -> tuple[int, int, int]:
        """Return the lift of the half-edge of a ride, and the stops at which it begins and ends."""
        lift, first, last = self._rides.rides[(half >> 1) - self.n_edges]
        return (lift, last, first) if half & 1 else (lift, first, last)

    def without_lifts(self, index: Index) -> Index:
        """Return an index in which nobody uses lifts."""
        clearance = index.graph.clearance.copy()
        clearance[self.n_edges :] = 0.0
        return index._replace(graph=index.graph._replace(clearance=clearance))

    def tracks(self, tracks: Tracks) -> Tracks:
        """Return the samples of the map with the sheets of its edges, and with rides."""
        edges = self.map.solver.edge_sheet
        sheets = np.zeros(len(tracks.balls), np.int32)
        count = tracks.last[: len(edges)] - tracks.first[: len(edges)] + 1
        sheets[: count.sum()] = np.repeat(edges + 1, count)
        weights = tracks.weights.copy()
        weights[:, self.slopes[edges, DOORS] > 0.0] = 0.0  # nobody wanders into lifts
        tracks = tracks._replace(sheets=sheets, weights=weights)
        return with_samples(tracks, self.index, len(edges), self._rides) if self.shafts else tracks

    @property
    def workspace(self) -> GraphWorkspace:
        """Memory of the calling thread for searches along the axis and in lifts."""
        if not self.shafts:
            return self.map.solver.graph_workspace
        if not hasattr(self._local, "workspace"):
            graph = self.index.graph
            self._local.workspace = make_graph_workspace(
                len(graph.up), len(graph.edges), self.landmarks
            )
        workspace: GraphWorkspace = self._local.workspace
        return workspace

    @property
    def landmarks(self) -> Floats:
        """Distances from vertices, in metres, with lifts for which nobody waits."""
        if self._landmarks is None:
            least = [waiting_seconds(shaft, 0) for shaft in self.shafts]
            graph = self.index.graph
            length = graph.length.copy()
            for lift, wait in enumerate(least):
                mine = self._rides.of_lift == lift
                length[self.n_edges :][mine] = self._costs(wait)[mine]
            self._landmarks = landmark_distances(
                both_ways(graph._replace(length=length)), LANDMARKS
            )
        return self._landmarks

    def portals_of(self, sheet: int) -> Floats:
        """Return the portals (n, 4) of a sheet, m, with the sheet on their left."""
        first = self._portals.first[:, 3]
        portals: Floats = self._portals.portals[first[sheet] : first[sheet + 1]]
        return portals

    def sheets_beyond(self, sheet: int) -> list[int]:
        """Return the sheets behind the portals of a sheet, ascending."""
        first = self._portals.first[:, 3]
        found: list[int] = np.unique(self._portals.beyond[first[sheet] : first[sheet + 1]]).tolist()
        return found

    def portals_beyond(self, sheet: int) -> list[tuple[Floats, int]]:
        """Return the portals (4,) of a sheet, m, each with the sheet behind it."""
        first = self._portals.first[:, 3]
        rows = range(int(first[sheet]), int(first[sheet + 1]))
        return [(self._portals.portals[k], int(self._portals.beyond[k])) for k in rows]

    def are_reached(self, point: Floats, sheet: int, points: Floats, sheets: Ints) -> Bools:
        """Return which points (n, 2) on sheets (n,) are on the sheet of a point, or in sight of it.

        That is straight through portals, whatever walls are between.
        """
        found: Bools = sheets == sheet
        some = np.flatnonzero(~found)
        if len(some):
            found[some] = self.sees(point, sheet, points[some], sheets[some], 0.0)
        return found

    def sees(self, point: Floats, sheet: int, points: Floats, sheets: Ints, radius: float) -> Bools:
        """Return whether a disc gets straight from a point to points (n, 2) on sheets (n,)."""
        away, n = np.empty(len(points)), len(points)
        starts, layers = np.tile(point, (n, 1)), np.full(n, sheet)
        ends = np.ascontiguousarray(points)
        surface_distances(starts, layers, ends, sheets, self.index.grid, away)
        return np.asarray(away >= radius)

    def sheet_after(self, at: tuple[float, float], to: tuple[float, float], sheet: int) -> int:
        """Return the sheet to which a straight line from a point of a sheet leads; no lift."""
        if at == to:
            return sheet
        last = int(layer_at(*at, *to, sheet, self.index.grid))
        return sheet if self.slopes[last, DOORS] > 0.0 else last

    def grid_of(self, sheet: int) -> Grid:
        """Return the grid of the walls of a sheet."""
        return sheet_grid(self._portals, sheet)

    @property
    def edge_sheets(self) -> Ints:
        """(e,) Sheet of each edge of the graph; -1 for rides in lifts."""
        return self._edge_sheets

    def vertex(self, number: int) -> tuple[Floats, float]:
        """Return the place of a vertex of the map in plan, (2,) m, and its clearance, m."""
        at = self.index.axis.vertices[number]
        return at, float(self._vertex_clearance[number])

    # -- places --------------------------------------------------------------------------------

    def points(self, values: Any, what: str) -> tuple[Floats, Ints]:
        """Return points (n, 2), m, and sheets (n,) of points (x, y, floor)."""
        return self.map.places(values, None, what)

    def locate(self, points: Floats, sheets: Ints) -> tuple[Ints, Floats]:
        """Locate points on their sheets: pieces (n,), values (n, 6) as in kernels/locate."""
        return self.map.solver.locate_on(points, sheets)

    def clearances(self, points: Floats, sheets: Ints) -> Floats:
        """Distance of points (n, 2) on sheets (n,) to walls and doors of lifts in plan, (n,) m."""
        return self.space.clearances(points, sheets)

    def check(self, what: str, points: Floats, sheets: Ints, radii: Floats) -> None:
        """Raise BadQuery if a disc does not fit, or is in a lift."""
        inside = np.flatnonzero(self.slopes[sheets, DOORS] > 0.0)
        if len(inside):
            k = int(inside[0])
            (x, y), name = points[k].tolist(), self.building.layers[int(sheets[k])].name
            raise BadQuery(
                f"{what} {k} at ({x:g}, {y:g}) is in {name}, where nobody starts or stays; move it "
                "to a floor"
            )
        clearance = self.clearances(points, sheets)
        tight = np.flatnonzero(clearance < radii)
        if len(tight):
            k = int(tight[0])
            (x, y), name = points[k].tolist(), self.building.layers[int(sheets[k])].name
            reason = describe_misfit(clearance[k], radii[k], "it")
            raise BadQuery(f"{what} {k} at ({x:g}, {y:g}) on {name} {reason}; move it")

    def area(self, value: Any) -> tuple[Polygon | None, Ints]:
        """Return polygon (None: all) and floors of an area.

        That is (polygon, floor), the name of a floor, or that of an area on a floor.
        """
        from footway.environment.areas import area_of, as_polygon  # loads Shapely

        if value is None:
            return None, np.arange(len(self.building.floors))
        if isinstance(value, str):
            floors = self.building.floors
            if value in (floor.name for floor in floors):
                return None, np.array([self.building.floor_index(value)])
            names = [{area.name for area in floor.environment.areas} for floor in floors]
            found = [k for k, here in enumerate(names) if value in here]
            if len(found) == 1:
                return area_of(floors[found[0]].environment, value), np.array(found)
            if found:
                where = ", ".join(floors[k].name for k in found)
                raise BadQuery(
                    f"the area {validation.shown(value)} is on several floors ({where}): give "
                    f"(polygon, floor), see building.floors[{found[0]}].environment.areas"
                )
            hint = validation.did_you_mean(value, {floor.name for floor in floors}.union(*names))
            raise BadQuery(f"there is no floor or area {validation.shown(value)}; {hint}")
        if not isinstance(value, (tuple, list)) or len(value) != 2:
            raise BadQuery(
                f"an area in a building is (polygon, floor) or the name of a floor, not "
                f"{validation.shown(value)}"
            )
        return as_polygon(value[0]), np.array([self.building.floor_index(value[1])])

    def free_points(
        self,
        count: int,
        radius: float,
        area: tuple[Polygon | None, Ints],
        rng: RandomStream,
        *,
        is_connected: bool = False,
    ) -> tuple[Floats, Ints]:
        """Return 1 to `count` random points where a disc fits, uniform over an area, with sheets.

        If `is_connected`, they are in the part of the map with most of them, directions ignored.
        """
        from footway.environment.areas import contains  # loads Shapely

        polygon, floors = area
        bounds = [self.building.floors[k].environment.bounds for k in floors.tolist()]
        low, high = np.min(bounds, axis=0)[:2], np.max(bounds, axis=0)[2:]
        if polygon is not None:
            low, high = np.array(polygon.bounds[:2]), np.array(polygon.bounds[2:])
        found: list[Floats] = []
        sheets: list[Ints] = []
        for _ in range(_TRIES):
            draw = rng.uniform(2 * count + 64, 3)
            at = low + draw[:, :2] * (high - low)
            on = floors[np.minimum((draw[:, 2] * len(floors)).astype(np.int64), len(floors) - 1)]
            if polygon is not None:
                inside = contains(polygon, at)
                at, on = at[inside], on[inside]
            keep = self.clearances(np.ascontiguousarray(at), on) > radius
            found.append(at[keep])
            sheets.append(on[keep])
            if sum(map(len, found)) >= count:
                break
        points, on = np.concatenate(found)[:count], np.concatenate(sheets)[:count]
        if is_connected and len(points):
            main = main_part(self.locate(points, on)[0], radius, self.index)
            points, on = points[main], on[main]
        if not len(points):
            raise BadQuery(f"there is no position in the area where a disc of {radius:g} m fits")
        return np.ascontiguousarray(points), on

    def scatter(
        self, radii: Floats, area: Any, simulation: Simulation, rng: RandomStream
    ) -> tuple[Floats, Ints]:
        """Place discs of these radii (n,) at random points of an area without overlaps."""
        if not len(radii):
            return np.empty((0, 2)), np.empty(0, np.int64)
        where, widest, taken = self.area(area), float(radii.max()), self._taken(simulation)
        points, sheets, idle = np.empty((0, 2)), np.empty(0, np.int64), 0
        while idle < _TRIES:
            rest = radii[len(points) :]
            some, on = self.free_points(
                2 * len(rest) + 64, widest, where, rng, is_connected=area is None
            )
            outside = ~self.are_in_obstacles(some, on, np.full(len(some), widest), simulation)
            some, on = some[outside], on[outside]
            new, there = self._keep_apart(some, on, rest, taken)
            idle = 0 if len(new) else idle + 1
            taken = np.vstack([taken, np.column_stack([new, rest[: len(new)], there])])
            points, sheets = np.vstack([points, new]), np.concatenate([sheets, there])
            if len(new) == len(rest):
                return points, sheets
        raise BadQuery(
            f"only {len(points)} of {len(radii)} characters of radius {widest:g} m found free "
            "space in the area: add fewer, or give them more space"
        )

    def spawn_points(
        self, source: Source, count: int, simulation: Simulation, rng: RandomStream
    ) -> tuple[Floats, Ints]:
        """Return free points, and their sheets, for at most the next `count` of a source."""
        count = min(count, AT_ONCE)
        radii = radii_of(source.rows)[source.next : source.next + count]
        rows = rng.integers(len(source.points), TRIES * count)
        points, sheets = source.points[rows], source.sheets[rows]
        widest = np.full(len(points), radii.max(initial=0.0))
        outside = ~self.are_in_obstacles(points, sheets, widest, simulation)
        return self._keep_apart(points[outside], sheets[outside], radii, self._taken(simulation))

    def are_in_obstacles(
        self, points: Floats, sheets: Ints, radii: Floats, simulation: Simulation
    ) -> Bools:
        """Return which discs (n,) overlap an obstacle, on the same sheet or through portals."""
        obstacles, found = simulation.obstacles, np.zeros(len(points), bool)
        on = obstacles.sheets(simulation.time)
        for (x, y, radius), sheet in zip(
            simulation.obstacle_discs.tolist(), on.tolist(), strict=True
        ):
            near = np.flatnonzero(hypot(points[:, 0] - x, points[:, 1] - y) < radii + radius)
            at = np.array([x, y])
            found[near] |= self.are_reached(at, sheet, points[near], sheets[near])
        return found

    def points_around(
        self, centre: Floats, sheet: int, radii: Floats, simulation: Simulation, rng: RandomStream
    ) -> tuple[Floats, Ints]:
        """Place discs of these radii (n,) on a sheet in sight of a point, close to it."""
        need, widest = float(np.sqrt((radii * radii).sum())), float(radii.max())
        for reach in (1.6 * need, 2.5 * need, 5.0 * need, 10.0 * need, 50.0 * need):
            points, sheets, taken = np.empty((0, 2)), np.empty(0, np.int64), self._taken(simulation)
            for _ in range(_TRIES):
                some = centre + reach * (2.0 * rng.uniform(256, 2) - 1.0)
                some = np.ascontiguousarray(some[hypot(*(some - centre).T) <= reach])
                on = np.full(len(some), sheet)
                free = self.clearances(some, on) > widest
                free &= ~self.are_in_obstacles(some, on, np.full(len(some), widest), simulation)
                free &= self.sees(centre, sheet, some, on, 0.5 * widest)
                rest = radii[len(points) :]
                new, there = self._keep_apart(some[free], on[free], rest, taken)
                taken = np.vstack([taken, np.column_stack([new, rest[: len(new)], there])])
                points, sheets = np.vstack([points, new]), np.concatenate([sheets, there])
                if len(points) == len(radii):
                    return points, sheets
        (x, y), name = centre.tolist(), self.building.layers[sheet].name
        raise BadQuery(
            f"there is no free space for a group of {len(radii)} around ({x:g}, {y:g}) on {name}"
        )

    def _keep_apart(
        self, points: Floats, sheets: Ints, radii: Floats, taken: Floats
    ) -> tuple[Floats, Ints]:
        """Return the first points that keep discs apart, and their sheets.

        `taken` (n, 4) are x, y, radius and sheet of other discs.
        """
        size = 2.0 * max(float(radii.max(initial=0.0)), float(taken[:, 2].max(initial=0.0)))
        low, high = np.array(self.building.bounds).reshape(2, 2)
        shift = (high[0] - low[0]) + 4.0 * size  # each sheet is beside the one before it
        count = np.ceil((np.array([shift * len(self), high[1] - low[1]]) + size) / size)
        others = np.ascontiguousarray(taken[:, :3])
        others[:, 0] += shift * taken[:, 3]
        apart = points + np.column_stack([shift * sheets, 0.0 * sheets])
        found, _ = keep_apart(apart, radii, others, size, low, int(count[0]), int(count[1]))
        there = np.floor((found[:, 0] - low[0] + 0.5 * size) / shift).astype(np.int64)
        return found - np.column_stack([shift * there, 0.0 * there]), there

    def _taken(self, simulation: Simulation) -> Floats:
        """Return x, y, radius, sheet of all characters, also on the sheets next to theirs. (n, 4).

        So nobody starts inside a disc that reaches through a portal.
        """
        characters = simulation.characters
        slots = characters.slots(characters.ids)
        discs, sheets = characters.discs, characters.sheet[slots].astype(np.int64) - 1
        rows = [np.column_stack([discs, sheets])]
        for sheet in range(len(self)):
            for other in self.sheets_beyond(sheet):
                on = discs[sheets == sheet]
                rows.append(np.column_stack([on, np.full(len(on), other)]))
        return np.concatenate(rows)

    # -- wanderers -----------------------------------------------------------------------------

    def start_wandering(self, slots: NDArray[np.int32], seed: int, simulation: Simulation) -> None:
        """Put wanderers (n,) on the nearest edges of their sheets; never against an escalator."""
        state, tracks, graph = simulation.characters.state, simulation.tracks, self.index.graph
        sheets = simulation.sheets_of(slots)
        for sheet in np.unique(sheets).tolist():
            index = self.index._replace(grid=self.grid_of(sheet))
            start_wandering(slots[sheets == sheet], seed, state, tracks, index)
        is_open = np.zeros(2 * len(graph.edges), bool)
        is_open[graph.out] = True
        half = state.cursor[slots, HALF]
        walks = slots[(half >= 0) & (half < len(is_open))]
        half = state.cursor[walks, HALF]
        # Who stepped on an edge of weight 0, such as stairs, leaves it by the nearer end.
        edge, row = half >> 1, state.cursor[walks, WEIGHTS_ROW]
        ends = self.index.axis.vertices[graph.edges[edge]]
        away = hypot(*(ends - simulation.characters.position[walks][:, None]).transpose(2, 0, 1))
        is_avoided = (tracks.weights[row, edge] == 0.0) & (tracks.weights[0, edge] > 0.0)
        half = np.where(is_avoided, 2 * edge + (away[:, 0] < away[:, 1]), half)
        half = np.where(is_open[half], half, half ^ 1).astype(np.int32)
        state.cursor[walks, HALF] = half
        state.cursor[walks, END] = np.where(half & 1, tracks.first[edge], tracks.last[edge])

    # -- those who stay ------------------------------------------------------------------------

    def send_back(self, simulation: Simulation) -> None:
        """Let people who stay, but were pushed to another sheet, walk back.

        They need a path: a straight line to their place would lead against the wall beside stairs.
        Back on the right sheet they stop where there is space, so that they do not push others.
        """
        if simulation.steps % max(1, round(_SEND_BACK / simulation.dt)):
            return
        characters = simulation.characters
        slots = characters.slots(characters.ids)
        is_off = characters.sheet[slots] != characters.goal_sheet[slots]
        away = hypot(*(characters.goal_point[slots] - characters.position[slots]).T)
        far = away > characters.reach[slots] + _PUSHED
        stays = characters.mode[slots] == STAYING
        for slot in slots[stays & is_off & far].tolist():
            if characters.group[slot] >= 0:
                simulation.groups.walk_back(slot)
                continue
            characters.mode[slot] = ARRIVED
            simulation.planner.request(int(characters.id[slot]), keep_goal=True)
        walks = characters.mode[slots] == WALKING
        walks &= characters.follows[slots] != ON_ROUTE  # that may end before the goal
        for slot in slots[walks & ~is_off & far].tolist():
            population = simulation.populations[characters.population[slot]]
            if not population.is_back(int(characters.stage[slot]), int(characters.goal[slot])):
                continue
            if self._is_off_portals(slot, simulation):
                characters.mode[slot] = STAYING
                characters.state.progress[slot] = characters.position[slot]

    def _is_off_portals(self, slot: int, simulation: Simulation) -> bool:
        """Return whether a character is well inside its sheet."""
        characters = simulation.characters
        x, y = characters.position[slot].tolist()
        least = float(characters.radius[slot]) + _PUSHED
        for ax, ay, bx, by in self.portals_of(int(characters.sheet[slot]) - 1).tolist():
            dx, dy = bx - ax, by - ay
            t = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)
            t = min(1.0, max(0.0, t))
            if float(hypot(x - ax - t * dx, y - ay - t * dy)) < least:
                return False
        return True

    # -- closed links --------------------------------------------------------------------------

    def close(self, link: str, start: float, end: float) -> None:
        """Close a link from `start` to `end`, s of simulated time."""
        names = [one.name for one in self.building.links]
        if validation.text(link, "name of a link") not in names:
            hint = validation.did_you_mean(link, names) or "the building has none"
            raise BadQuery(f"there is no link {validation.shown(link)}: {hint}")
        if end <= start:
            raise BadQuery(f"link {link!r} opens at {end:g} s, before it closes at {start:g} s")
        self.closures.append(Closure(link, start, end))

    def open(self, link: str, now: float) -> None:
        """Open a link that is closed at a time, s; closures that begin later stay."""
        if link not in self.closed_at(now):
            raise BadQuery(f"link {validation.shown(link)} is not closed at {now:g} s")
        closures = [
            one._replace(end=min(one.end, now)) if one.link == link and one.start <= now else one
            for one in self.closures
        ]
        self.closures = [one for one in closures if one.end > one.start]

    def closed_at(self, time: float) -> frozenset[str]:
        """Names of the links that are closed at a time, s."""
        now = time + 1e-9
        return frozenset(one.link for one in self.closures if one.start <= now < one.end)

    def close_links(self, simulation: Simulation, *, send: bool = True) -> None:
        """Close and open the links that are due; whose path is concerned gets a new one.

        If all paths are closed, a character waits where its path enters the closed link.
        """
        closed = self.closed_at(simulation.time)
        if closed == self.closed:
            return
        opened, self.closed = self.closed - closed, closed
        links = self.building.links
        is_closed = np.array(
            [one.link >= 0 and links[one.link].name in closed for one in self.building.layers]
        )
        self.slopes[:, CLOSED] = is_closed
        shut = [shaft.lift.name in closed for shaft in self.shafts]
        rides = np.flatnonzero(np.array(shut, bool)[self._rides.of_lift])
        is_cabin = self.slopes[:, DOORS] > 0.0  # from which people get out
        edges = np.flatnonzero((is_closed & ~is_cabin)[self.map.solver.edge_sheet])
        edges = np.concatenate([edges, self.n_edges + rides])
        clearance = self.index.graph.clearance.copy()
        clearance[edges] = 0.0
        graph = self.index.graph._replace(clearance=clearance)
        self.open_index = self.index._replace(graph=graph)
        simulation.narrow_paths()
        if not send:
            return
        if simulation.lifts is not None:
            simulation.lifts.close(closed)
        characters, planner = simulation.characters, simulation.planner
        concerned = (
            characters.ids
            if opened
            else np.union1d(planner.users_of(edges), simulation.routes.followers)
        )
        slots = characters.slots(concerned)
        goes = np.isin(characters.mode[slots], (WALKING, UNREACHABLE))
        goes &= characters.group[slots] < 0
        for number in concerned[goes & ~is_closed[simulation.sheets_of(slots)]].tolist():
            slot = characters.slots(number)
            population = simulation.populations[characters.population[slot]]
            is_on_journey = population.reaches(characters.stage[slot], characters.goal[slot])
            choose = planner.n_alternatives(number) > 1 and is_on_journey
            planner.request(number, keep_goal=not choose)
        if opened:
            simulation.groups.choose_again()
        else:
            simulation.groups.avoid_closed_edges(edges)

    # -- neighbours ----------------------------------------------------------------------------

    def join_cells(self, box: Floats, shape: Ints) -> Joined:
        """Return for each cell those of other sheets that are within a cell's size by portals."""
        columns, rows = shape.tolist()
        size, per_sheet = float(box[2]), columns * rows
        x, y = np.meshgrid(np.arange(columns), np.arange(rows))
        corner = box[:2] + size * np.column_stack([x.ravel(), y.ravel()])
        layers = self._portals
        ends = layers.portals.reshape(-1, 2, 2)
        middle, half = ends.mean(axis=1), 0.5 * hypot(*(ends[:, 1] - ends[:, 0]).T)
        near = [
            np.flatnonzero(hypot(*_gap(corner, at, size).T) <= size + length)
            for at, length in zip(middle, half, strict=True)
        ]
        pairs: set[tuple[int, int]] = set()
        for portal, last, there in self._portals_in_reach(middle, half, size):
            begin = self._portal_sheets[portal] * per_sheet + near[portal]
            end = there * per_sheet + near[last]
            step = corner[near[portal]][:, None] - corner[near[last]]
            apart = np.maximum(0.0, np.abs(step) - size)
            some, other = np.nonzero(hypot(apart[..., 0], apart[..., 1]) <= size)
            pairs.update(zip(begin[some].tolist(), end[other].tolist(), strict=True))
        table = np.array(sorted(pairs), np.int64).reshape(-1, 2)
        count = np.bincount(table[:, 0], minlength=per_sheet * len(self))
        offsets = np.concatenate([[0], np.cumsum(count)]).astype(np.int32)
        return Joined(per_sheet, offsets, table[:, 1].astype(np.int32), np.empty((0, 2)), 0.0)

    def _portals_in_reach(
        self, middle: Floats, half: Floats, size: float
    ) -> Iterator[tuple[int, int, int]]:
        """Yield for each portal those behind it within `size`: (portal, last one, sheet beyond).

        `middle` (n, 2) and `half` (n,) are the middles and half the widths of portals, m.
        """
        first, beyond = self._portals.first[:, 3], self._portals.beyond
        for portal, sheet in enumerate(self._portal_sheets.tolist()):
            reached, seen = [(portal, 0.0)], {sheet}
            while reached:
                last, gone = reached.pop()
                there = int(beyond[last])
                if there in seen:
                    continue
                seen.add(there)
                yield portal, last, there
                for more in range(int(first[there]), int(first[there + 1])):
                    # Lower bound of the distance between two portals.
                    between = float(hypot(*(middle[more] - middle[last])) - half[more] - half[last])
                    further = gone + max(0.0, between)
                    if further <= size:
                        reached.append((more, further))


def _gap(corner: Floats, at: Floats, size: float) -> Floats:
    """Return the vectors from squares with these lower left corners to a point. (n, 2)."""
    vectors: Floats = np.maximum(0.0, np.maximum(corner - at, at - corner - size))
    return vectors


def _slopes(building: Building) -> Floats:
    """Return the direction uphill, and the speeds up and down, of each sheet. (sheets, 9)."""
    slopes = np.zeros((len(building.layers), 9))
    for k, layer in enumerate(building.layers):
        link = building.links[layer.link] if layer.link >= 0 else None
        if layer.is_level or not isinstance(link, Link):
            continue
        slopes[k, [UP_X, UP_Y]] = layer.run / float(hypot(*layer.run))
        for upward, belt, share in ((True, UP_BELT, UP_SHARE), (False, DOWN_BELT, DOWN_SHARE)):
            if not link.allows(upward=upward):
                continue
            # People differ as on the level: a link's speed is that of somebody of mean speed.
            speed = 1.0 / link.seconds_per_metre(layer.slope, MEAN_SPEED, upward=upward)
            if isinstance(link, Escalator):
                slopes[k, belt] = link.belt / layer.slope
                slopes[k, RUNS] = 1.0 if upward else -1.0
            slopes[k, share] = max(0.0, speed - slopes[k, belt]) / MEAN_SPEED
    return slopes


def _timed(cmap: BuildingMap) -> Index:
    """Return the index with times, times the mean walking speed, as costs; and one-way edges.

    A cost is never less than the length in plan, which bounds it in searches. Up and down cost the
    same: the mean of both.
    """
    building, index = cmap.building, cmap.solver.index
    graph, sheet = index.graph, cmap.solver.edge_sheet
    factor = np.ones(len(building.layers))
    for k, layer in enumerate(building.layers):
        link = building.links[layer.link] if layer.link >= 0 else None
        if layer.is_level or isinstance(link, Lift) or link is None:
            continue
        directions = [upward for upward in (True, False) if link.allows(upward=upward)]
        factor[k] = MEAN_SPEED * np.mean(
            [link.seconds_per_metre(layer.slope, MEAN_SPEED, upward=up) for up in directions]
        )
    weight = np.maximum(1.0, factor)[sheet] * graph.weight
    vertices = index.axis.vertices
    is_open = np.ones(len(graph.out), bool)
    for edge in np.flatnonzero([_is_one_way(building, k) for k in sheet.tolist()]).tolist():
        layer = building.layers[int(sheet[edge])]
        link = building.links[layer.link]
        low, high = layer.heights(vertices[graph.edges[edge]]).tolist()
        for half, rise in ((2 * edge, high - low), (2 * edge + 1, low - high)):
            if abs(rise) > _LEVEL and not link.allows(upward=rise > 0.0):  # type: ignore[union-attr]
                is_open[graph.out == half] = False
    kept = np.concatenate([[0], np.cumsum(is_open)])
    graph = graph._replace(
        offsets=kept[graph.offsets], out=graph.out[is_open],
        length=graph.length / graph.weight * weight, weight=weight,
    )  # fmt: skip
    return index._replace(graph=graph)


def _is_one_way(building: Building, sheet: int) -> bool:
    layer = building.layers[sheet]
    return layer.link >= 0 and isinstance(building.links[layer.link], Escalator)
