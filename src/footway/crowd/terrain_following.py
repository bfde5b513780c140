"""Follow routes over terrain: styles of populations, and the routes of their characters.

A character with terrain preferences has a path on the corridor map like all others: it shows that
the goal can be reached, and is followed if there is no route over the terrain. Its guide holds the
route of least weighted length and the attraction point on it.

In a building the path decides which links are used. On each floor there is a route up to the portal
through which the path leaves it (a leg, see `floor_legs`); on links the path is followed. Each
style has its own terrain on each floor, which is built when somebody needs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from footway.archive import Damaged
from footway.corridor.points import locate
from footway.crowd.floor_legs import check_floors, legs_of
from footway.crowd.kernels import layouts as col
from footway.crowd.kernels.layouts import (
    FollowedTerrain,
    FollowingParameters,
    FollowingWorkspace,
    Guides,
    Window,
)
from footway.crowd.kernels.terrain_following import nearest_on_terrain, update_attraction_points
from footway.crowd.kernels.terrain_routes import plan_routes
from footway.crowd.profile import greatest
from footway.errors import BadGeometry, BadQuery
from footway.follow.kernels.visibility import make_workspace
from footway.terrain.kernels.links import distances_from, make_bounds, make_links

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.arrays import Floats, Ints
    from footway.corridor.kernels.layouts import Graph, Index
    from footway.crowd.profile import Profile
    from footway.crowd.simulation import Simulation
    from footway.environment import Environment
    from footway.terrain.kernels.links import Bounds, Links
    from footway.terrain.kernels.search import Nodes
    from footway.terrain.terrain import Terrain, TerrainMesh


MARGIN = 0.75  # m between routes and worse terrain if possible: other characters push sideways
_FEW_NODES = 3  # on a long side of a triangle: the search is faster, routes are 0.2 % longer
_BATCH = 128  # routes per task of a thread
_SHARED = 24  # routes to one goal for which a search of the whole terrain saves time
_FEW = 500  # guides below which one thread is faster
_SMALLEST = 5  # log2 of the smallest block of the pool
_GOLDEN = 0.6180339887498949  # fractional parts of multiples are spread evenly over 0 to 1
_STEP = 1.0  # m between the points of a route that are located on the map
_FAR = 1.0  # m beside the terrain, beyond which there is no route


class FollowingStyle(NamedTuple):
    """How to follow routes over terrain; populations may share a style."""

    follow: Literal["miran", "irm"]
    sigma: float  # m
    spacing: float  # m
    look: float  # m
    clearance: float  # m
    steering: float  # c_s
    boundary: float  # c_b
    radius: float  # m, greatest radius: the terrain is shrunk by it
    preferences: dict[str, float]  # weight by kind of terrain

    @classmethod
    def from_profile(cls, profile: Profile) -> FollowingStyle | None:
        """Return the style of a profile; None if it follows corridors."""
        if profile.follows == "cmm":
            return None
        p = profile
        return cls(
            profile.follows, p.sigma, p.spacing, p.look, p.clearance, p.steering, p.boundary,
            greatest(p.radius), dict(p.preferences),
        )  # fmt: skip


class StyleTerrain(NamedTuple):
    """The terrain of a following style, prepared for searches and kernels."""

    terrain: Terrain
    followed: FollowedTerrain
    nodes: Nodes  # of the search graph
    landmarks: NDArray[np.float32]  # (nodes, landmarks) weighted distances
    bounds: Bounds  # of the landmarks
    links: Links  # between nodes, with their costs
    around: Floats  # (points,) greatest rate around each point of the mesh

    @classmethod
    def on_floor(cls, style: FollowingStyle, environment: Environment) -> StyleTerrain | None:
        """Build the terrain of a style on a floor; None if the disc fits nowhere there.

        Preferences for kinds that this floor lacks have no effect.
        """
        from footway.terrain.terrain import Terrain, base_kind  # loads Shapely

        try:
            kinds = {base_kind(kind) for kind in Terrain.build(environment, style.radius).kinds}
        except BadGeometry:
            return None
        known = {kind: weight for kind, weight in style.preferences.items() if kind in kinds}
        return cls.build(style._replace(preferences=known), environment)

    @classmethod
    def build(cls, style: FollowingStyle, environment: Environment | None) -> StyleTerrain:
        """Build the terrain of a style.

        Raises:
            BadQuery: the crowd has no environment.
            BadInput: the map lacks a kind of terrain, or a weight is invalid.

        """
        if environment is None:
            raise BadQuery(
                "a profile with preferences, or one that follows miran or irm, needs terrain: "
                "create the crowd with Crowd(map, environment=...), where the environment is the "
                "one that the map was built from"
            )
        from footway.terrain.improvement import network_of
        from footway.terrain.terrain import Terrain  # loads Shapely

        terrain = Terrain.build(environment, style.radius)
        weights = terrain.weights(style.preferences)
        kinds = np.unique(terrain.mesh.kind)
        rise = np.sqrt(1.0 + (terrain.mesh.rise[kinds] ** 2).sum(axis=1))
        sigma = style.sigma if style.follow == "miran" else 0.0
        parameters = FollowingParameters(
            sigma,
            style.spacing,
            style.look,
            style.clearance,
            style.boundary / style.steering,
            style.radius,
            float(weights[kinds].min()),
            float((weights[kinds] * rise).max()),
        )
        network = network_of(terrain, _FEW_NODES)
        followed = FollowedTerrain(parameters, weights, doubled_triangles(terrain.mesh))
        links = make_links(weights, terrain.mesh, network.nodes)
        landmarks = network.landmarks(weights)
        return cls(
            terrain, followed, network.nodes, landmarks, make_bounds(landmarks), links,
            network.rates_around(weights),
        )  # fmt: skip


def doubled_triangles(mesh: TerrainMesh) -> TerrainMesh:
    """Return the mesh with triangle t renumbered to 2 t; odd numbers are empty.

    The pieces of a route in triangle t are offsets[2 t] to offsets[2 t + 1] - 1, so a thread can
    list those of one character after the other without resetting the rest of the array.
    """
    count = len(mesh.triangles)
    triangles, neighbours = np.zeros((2, 2 * count, 3), np.int32)
    kind = np.zeros(2 * count, mesh.kind.dtype)
    triangles[::2], kind[::2] = mesh.triangles, mesh.kind
    neighbours[::2] = np.where(mesh.neighbours >= 0, 2 * mesh.neighbours, -1)
    return mesh._replace(
        triangles=np.ascontiguousarray(triangles),
        neighbours=np.ascontiguousarray(neighbours),
        kind=kind,
        members=2 * mesh.members,
    )


class Route(NamedTuple):
    """A route in the layout of the pool."""

    points: Floats  # (n, 4) x, y, m along it, cost up to there
    pieces: Floats  # (m, 4) m along it at both ends, triangle (see `doubled_triangles`), 0


class Routes:
    """Guides of all characters on routes; rows of removed characters are reused.

    Attributes:
        environment: of a plane; None if it is not known, and in a building.
        n_floors: of a building; 1 in the plane.
        guides: arrays for kernels. The style of a guide in a building is style * floors + floor.
        styles: by number.

    """

    def __init__(self, simulation: Simulation, environment: Environment | None) -> None:
        self._simulation, self._characters = simulation, simulation.characters
        self.environment = environment
        self._floors = simulation.floors
        self.n_floors = 1 if self._floors is None else len(self._floors.building.floors)
        self.guides = Guides(np.empty((0, 10)), np.empty((0, 8), np.int32), np.empty((0, 4)))
        self.styles: list[FollowingStyle] = []
        self._terrains: dict[int, StyleTerrain | None] = {}  # by style and floor
        self._indices: dict[int, Index] = {}  # by floor
        self._rows: dict[int, int] = {}  # row of a guide, by id
        self._sizes: dict[int, int] = {}  # log2 of the block of the pool, by row
        self._free_rows: list[int] = []
        self._free: dict[int, list[int]] = {}  # free blocks of the pool, by log2 of their length
        self._used_rows = self._used = 0
        self._longest = 0  # rows of the longest route
        self._was_on = np.empty(0, np.int64)  # sheet of each id before the step, from 1
        self._workspaces: dict[tuple[int, int], FollowingWorkspace] = {}  # by thread and style

    # -- following styles --------------------------------------------------------------------

    def number(self, style: FollowingStyle | None) -> int:
        """Return the number of a style, replacing an unused one; -1 for corridors."""
        if style is None:
            return -1
        if style not in self.styles:
            facts = self.guides.facts[: self._used_rows]
            mine = facts[facts[:, col.CHARACTER] >= 0, col.STYLE] // self.n_floors
            used = set(mine.tolist())
            used |= {population.style for population in self._simulation.populations}
            count = len(self.styles)
            self._store(style, next((k for k in range(count) if k not in used), count))
        return self.styles.index(style)

    def add(self, style: FollowingStyle) -> int:
        """Return the number of a style, appending it: populations do not refer to styles yet."""
        if style not in self.styles:
            self._store(style, len(self.styles))
        return self.styles.index(style)

    def _store(self, style: FollowingStyle, number: int) -> None:
        """Build the terrain of a style, and store it under a free number."""
        if self._floors is None:
            self._terrains[number] = StyleTerrain.build(style, self.environment)
        else:
            check_floors(style, self._floors)
            for floor in range(self.n_floors):
                self._terrains.pop(number * self.n_floors + floor, None)
        self.styles[number : number + 1] = [style]
        self._workspaces = {
            key: w for key, w in self._workspaces.items() if key[1] // self.n_floors != number
        }

    def _terrain(self, number: int) -> StyleTerrain | None:
        """Return the terrain of a style: in a building, of style * floors + floor."""
        if number not in self._terrains:
            assert self._floors is not None
            style, floor = divmod(number, self.n_floors)
            environment = self._floors.building.floors[floor].environment
            self._terrains[number] = StyleTerrain.on_floor(self.styles[style], environment)
        return self._terrains[number]

    def _index(self, number: int) -> Index:
        """Return the search structures for the terrain of a style: with the walls of its floor."""
        index, floor = self._simulation.index, number % self.n_floors
        if self._floors is None:
            return index
        if floor not in self._indices:
            self._indices[floor] = index._replace(grid=self._floors.grid_of(floor))
        return self._indices[floor]

    # -- following ---------------------------------------------------------------------------

    def update_attraction_points(self) -> None:
        """Update the attraction points of all characters that are due."""
        if not self.styles:
            return
        simulation, used = self._simulation, self._used_rows
        threads = simulation.threads if used >= _FEW else 1
        parts = [(k, k * used // threads, (k + 1) * used // threads) for k in range(threads)]
        facts = self.guides.facts[:used]
        for number in np.unique(facts[facts[:, col.CHARACTER] >= 0, col.STYLE]).tolist():

            def update(part: tuple[int, int, int], style: int = number) -> None:
                thread, first, end = part
                self.update_guides(
                    first, end, style, self.guides, self._characters.slot_of,
                    self._characters.state, thread,
                )  # fmt: skip

            simulation.on_threads(update, parts)

    def update_guides(
        self,
        first: int,
        end: int,
        style: int,
        guides: Guides,
        slot_of: NDArray[np.int32],
        state: Any,
        thread: int = 0,
    ) -> None:
        """Update the guides first to end - 1 that have a following style and are due."""
        terrain = self._terrain(style)
        assert terrain is not None
        update_attraction_points(
            first, end, style, self._simulation.steps, self._simulation.dt,
            terrain.followed, guides, slot_of, state, self._workspace(thread, style),
            self._index(style),
        )  # fmt: skip

    def _workspace(self, thread: int, number: int) -> FollowingWorkspace:
        key, size = (thread, number), self._longest
        if key not in self._workspaces or len(self._workspaces[key].window.lengths) < size:
            terrain = self._terrain(number)
            assert terrain is not None
            triangles = len(terrain.followed.ground.triangles)
            window = Window(
                points=np.empty((size, 2)),
                lengths=np.empty(size),
                costs=np.empty(size),
                pieces=np.empty((size, 4)),
                along=np.empty((size, 2)),
                offsets=np.zeros(triangles + 1, np.int32),
                counts=np.zeros(triangles + 1, np.int32),
            )
            self._workspaces[key] = FollowingWorkspace(window, make_workspace(triangles, size))
        return self._workspaces[key]

    # -- planning ----------------------------------------------------------------------------

    def follow(self, ids: Ints, graph: Graph) -> None:
        """Plan routes for the characters with a style; all have a path already.

        A character whose route uses an edge that obstacles close in `graph` follows its path.
        """
        if not self.styles or not len(ids):
            return
        slots = self._characters.slots(ids)
        numbers = self._characters.population[slots].tolist()
        styles = np.array([self._simulation.populations[p].style for p in numbers])
        for k in range(len(self.styles)):
            mine = styles == k
            if mine.any() and self._floors is None:
                goals = self._characters.goal_point[slots[mine]]
                self._plan(ids[mine], slots[mine], k, goals, graph)
            elif mine.any():
                self._plan_legs(ids[mine], slots[mine], k, graph)

    def _plan_legs(self, ids: Ints, slots: NDArray[np.int32], style: int, graph: Graph) -> None:
        """Plan routes in a building up to the ends of the floors on which characters are."""
        characters, floors = self._characters, self._floors
        assert floors is not None
        legs = legs_of(ids, slots, self._simulation)
        for floor in np.unique(legs.floors[legs.floors >= 0]).tolist():
            some = np.flatnonzero(legs.floors == floor)
            number = style * self.n_floors + floor
            if self._terrain(number) is not None:
                self._plan(ids[some], slots[some], number, legs.ends[some], graph)
        on_route = np.flatnonzero((legs.floors >= 0) & (characters.follows[slots] == col.ON_ROUTE))
        mine = slots[on_route]
        characters.goal_point[mine] = legs.ends[on_route]
        characters.goal_sheet[mine] = legs.floors[on_route] + 1
        characters.reach[mine] = legs.reach[on_route]

    def is_on_leg(self, slots: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which characters (n,) of a building walk to the end of a floor, not a goal."""
        if self._floors is None or not self.styles:
            return np.zeros(len(slots), bool)
        characters = self._characters
        found: NDArray[np.bool_] = characters.follows[slots] == col.ON_ROUTE
        table, some = self._simulation.goals, np.flatnonzero(found)
        goals = characters.goal[slots[some]]
        found[some] = (characters.goal_point[slots[some]] != table.points[goals]).any(axis=1)
        found[some] |= characters.goal_sheet[slots[some]] != table.table.sheets[goals]
        return found

    def goals(self, slots: NDArray[np.int32]) -> tuple[Floats, Ints]:
        """Return the goals (n, 2) of characters, m, and their sheets (n,) from 1; behind legs."""
        characters, table = self._characters, self._simulation.goals
        points = characters.goal_point[slots]
        sheets = characters.goal_sheet[slots].astype(np.int64)
        legs = np.flatnonzero(self.is_on_leg(slots))
        if len(legs):
            numbers = characters.goal[slots[legs]]
            points[legs], sheets[legs] = table.points[numbers], table.table.sheets[numbers]
        return points, sheets

    def end_legs(self, slots: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Give characters (n,) that walk to the end of a floor their goal again; return which.

        They stand until a path is planned.
        """
        characters, legs = self._characters, self.is_on_leg(slots)
        mine = slots[legs]
        if len(mine):
            goals, table = characters.goal[mine], self._simulation.goals
            characters.goal_point[mine] = table.points[goals]
            characters.goal_sheet[mine] = table.table.sheets[goals]
            characters.hold_until_planned(characters.id[mine].astype(np.int64))
            for number in characters.id[mine].tolist():
                self._simulation.planner.request(number, keep_goal=True)
        return legs

    @property
    def followers(self) -> Ints:
        """Ids of characters on routes, ascending."""
        characters = self._characters
        ids = np.array(sorted(self._rows), np.int64)
        found: Ints = ids[characters.follows[characters.slots(ids)] == col.ON_ROUTE]
        return found

    def remember_floors(self) -> None:
        """Remember where all characters of a building are before a step."""
        if self._floors is not None and self.styles:
            self._was_on = self._sheets_by_id()

    def _sheets_by_id(self) -> Ints:
        characters = self._characters
        slots, ids = characters.slot_of, characters.ids
        found = np.zeros(len(slots), np.int64)
        found[ids] = characters.sheet[slots[ids]]
        return found

    def plan_on_new_floors(self) -> None:
        """Let characters with a style plan again that a step has brought to another floor."""
        if self._floors is None or not self.styles:
            return
        characters, simulation = self._characters, self._simulation
        ids = characters.ids
        slots = characters.slots(ids)
        styles = np.array([population.style for population in simulation.populations], np.int64)
        before, now = self._was_on[ids], characters.sheet[slots]
        changed = (before != now) & (characters.mode[slots] == col.WALKING)
        changed &= styles[characters.population[slots]] >= 0
        changed &= (now <= self.n_floors) | (characters.follows[slots] == col.ON_ROUTE)
        for number in ids[changed].tolist():
            simulation.planner.request(number, keep_goal=True)

    def _plan(
        self, ids: Ints, slots: NDArray[np.int32], style: int, ends: Floats, graph: Graph
    ) -> None:
        """Plan routes to ends (n, 2) on all threads, and put characters on them by their ids."""
        characters, terrain = self._characters, self._terrain(style)
        assert terrain is not None
        starts = self._on_terrain(characters.position[slots], terrain, style)
        goals = self._on_terrain(ends, terrain, style)
        parts = _batches(goals)
        answers = self._simulation.on_threads(
            lambda part: plan(starts[part], goals[part], terrain), parts
        )
        routes: list[Route | None] = [None] * len(ids)
        for part, answer in zip(parts, answers, strict=True):
            for k, route in zip(part.tolist(), answer, strict=True):
                routes[k] = route
        self._reserve(routes)
        radii = characters.radius[slots].tolist()
        for number, slot, radius, route in zip(
            ids.tolist(), slots.tolist(), radii, routes, strict=True
        ):
            if route is not None and not self._is_blocked(route.points, 0.0, radius, graph, style):
                self.assign_route(number, slot, style, route)

    def _on_terrain(self, points: Floats, terrain: StyleTerrain, number: int) -> Floats:
        """Return the nearest points of the terrain (n, 2); NaN if they are far from it."""
        found, away = np.empty((len(points), 2)), np.empty(len(points))
        nearest_on_terrain(points, terrain.followed.ground, self._index(number).grid, found, away)
        found[away > _FAR] = np.nan
        return found

    def blocked(self, graph: Graph) -> list[int]:
        """Return ids, ascending, of characters with an edge ahead that is closed in `graph`."""
        progress, facts, pool = self.guides
        characters, found = self._characters, []
        for number, row in sorted(self._rows.items()):
            slot = characters.slots(number)
            walks = characters.mode[slot] in (col.WALKING, col.WAITING)
            if characters.follows[slot] != col.ON_ROUTE or not walks:
                continue
            points = pool[facts[row, col.FIRST_ROW] :][: facts[row, col.POINTS]]
            radius, style = float(characters.radius[slot]), int(facts[row, col.STYLE])
            if self._is_blocked(points, float(progress[row, col.REFERENCE]), radius, graph, style):
                found.append(number)
        return found

    def _is_blocked(
        self, route: Floats, start: float, radius: float, graph: Graph, style: int
    ) -> bool:
        """Return whether obstacles close an edge of the map along a route (n, 4).

        Only the part after `start`, m along the route, counts.
        """
        if graph is self._simulation.open_index.graph:
            return False
        x, y, along = route[:, :3].T
        at = np.arange(start, along[-1], _STEP)
        points = np.column_stack([np.interp(at, along, x), np.interp(at, along, y)])
        index = self._simulation.index
        if self._floors is None:
            pieces, _ = locate(points, index)
        else:
            pieces, _ = self._floors.locate(points, np.full(len(points), style % self.n_floors))
        edges = graph.edge_of[pieces[pieces >= 0]]
        clearance, before = graph.clearance[edges], index.graph.clearance[edges]
        return bool((clearance < np.minimum(radius, before)).any())

    # -- memory ------------------------------------------------------------------------------

    def assign_route(self, number: int, slot: int, style: int, route: Route) -> None:
        """Put a character at the beginning of a route."""
        if number in self._rows:
            self._free_block(self._rows[number])
        elif self._free_rows:
            self._rows[number] = self._free_rows.pop()
        else:
            self._rows[number] = self._used_rows
            self._used_rows += 1
            if self._used_rows > len(self.guides.progress):
                progress, facts = _doubled(self.guides.progress), _doubled(self.guides.facts)
                self.guides = self.guides._replace(progress=progress, facts=facts)
        row, count = self._rows[number], len(route.points)
        size = count + len(route.pieces)
        first = self._allocate(row, size)
        progress, facts, pool = self.guides
        pool[first : first + count] = route.points
        pool[first + count : first + size] = route.pieces
        progress[row] = 0.0
        progress[row, col.LENGTH] = route.points[-1, 2]
        look = self.styles[style // self.n_floors].look
        progress[row, col.STRIDE] = look * (number * _GOLDEN % 1.0)
        # On its first line, and not updated yet.
        facts[row] = number, style, first, count, len(route.pieces), 0, -1, col.ROUTE_VISIBLE
        self._longest = max(self._longest, size)
        self._characters.follow_route(slot, row)

    def _reserve(self, routes: list[Route | None]) -> None:
        """Make room for routes at once: to double the pool again and again copies all of it."""
        counts = [len(route.points) + len(route.pieces) for route in routes if route is not None]
        rows = self._used + sum(1 << _block_size(count) for count in counts)
        if rows > 2 * len(self.guides.pool):
            self.guides = self.guides._replace(pool=_grown(self.guides.pool, rows))

    def _allocate(self, row: int, count: int) -> int:
        """Allocate a block of the pool; its length is a power of two."""
        size = _block_size(count)
        self._sizes[row] = size
        if self._free.get(size):
            return self._free[size].pop()
        self._used += 1 << size
        while self._used > len(self.guides.pool):
            self.guides = self.guides._replace(pool=_doubled(self.guides.pool))
        return self._used - (1 << size)

    def _free_block(self, row: int) -> None:
        size = self._sizes.pop(row)
        self._free.setdefault(size, []).append(int(self.guides.facts[row, col.FIRST_ROW]))

    def forget(self, ids: Ints) -> None:
        """Free the guides of characters that leave."""
        for number in ids.tolist():
            row = self._rows.pop(number, None)
            if row is not None:
                self._free_block(row)
                self.guides.facts[row, col.CHARACTER] = -1
                self._free_rows.append(row)

    # -- checkpoints -------------------------------------------------------------------------

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all guides by ascending id, for a checkpoint."""
        rows = [self._rows[number] for number in sorted(self._rows)]
        progress, facts, pool = self.guides
        sizes = facts[rows, col.POINTS] + facts[rows, col.PIECES]
        routes = [pool[f : f + n] for f, n in zip(facts[rows, col.FIRST_ROW], sizes, strict=True)]
        return {
            "guide_progress": progress[rows, : col.STORED],
            "guide_facts": facts[rows],
            "guide_routes": np.concatenate([np.empty((0, 4)), *routes]),
        }

    def restore(self, styles: list[FollowingStyle], arrays: dict[str, NDArray[Any]]) -> None:
        """Restore a checkpoint; raise Damaged if its arrays are inconsistent."""
        for number, style in enumerate(styles):
            self._store(style, number)
        progress, facts, routes = (arrays[f"guide_{n}"] for n in ("progress", "facts", "routes"))
        ends = np.cumsum(facts[:, col.POINTS].astype(np.int64) + facts[:, col.PIECES])
        ids = facts[:, col.CHARACTER]
        if (
            len(routes) != (ends[-1] if len(ends) else 0)
            or len(np.unique(ids)) != len(ids)
            or ids.max(initial=-1) >= len(self._characters.slot_of)
            or (facts[:, col.UPDATED] > self._simulation.steps).any()
            or (facts[:, col.STYLE] >= len(styles) * self.n_floors).any()
        ):
            raise Damaged("its routes over terrain do not match each other")
        for k, end in enumerate(ends.tolist()):
            begin = end - int(facts[k, col.POINTS] + facts[k, col.PIECES])
            self._restore_guide(progress[k], facts[k], routes[begin:end])

    def _restore_guide(self, progress: Floats, facts: NDArray[np.int32], rows: Floats) -> None:
        number, style, count = facts[[col.CHARACTER, col.STYLE, col.POINTS]].tolist()
        characters, slot = self._characters, int(self._characters.slots(number))
        if slot < 0 or characters.group[slot] >= 0 or not facts[col.LINE] <= count - 2:
            raise Damaged("its routes over terrain do not match its characters")
        route, terrain = Route(rows[:count], rows[count:]), self._terrain(style)
        if terrain is None or not _is_route(
            route, progress, len(terrain.followed.ground.triangles)
        ):
            raise Damaged("its routes over terrain do not match the terrain")
        cursor = characters.state.cursor[slot]
        before = cursor.copy()
        self.assign_route(number, slot, style, route)
        row = self._rows[number]
        first_row = self.guides.facts[row, col.FIRST_ROW]
        self.guides.progress[row, : col.STORED], self.guides.facts[row] = progress, facts
        self.guides.facts[row, col.FIRST_ROW] = first_row
        if before[col.FOLLOWS] != col.ON_ROUTE:  # it follows a path; the guide only keeps its row
            cursor[:] = before


def _batches(goals: Floats) -> list[Ints]:
    """Return the numbers of the requests of each task of a thread, by their goals (n, 2).

    Many requests with the same goal are a task of their own: see `plan`.
    """
    _, which, counts = np.unique(goals, axis=0, return_inverse=True, return_counts=True)
    which = which.ravel()
    is_shared = counts[which] >= _SHARED
    order = np.argsort(which, kind="stable")
    order = order[is_shared[order]]
    shared = np.split(order, np.flatnonzero(np.diff(which[order])) + 1) if len(order) else []
    rest = np.flatnonzero(~is_shared)
    return [*shared, *(rest[a : a + _BATCH] for a in range(0, len(rest), _BATCH))]


def plan(starts: Floats, goals: Floats, terrain: StyleTerrain) -> list[Route | None]:
    """Plan routes from starts to goals (n, 2), m, for one following style; None: no route.

    Each result is independent of the others. There is no route from or to NaN. If many requests
    have the same goal, a search of the whole terrain from there gives the best bounds for all.
    """
    routes: list[Route | None] = [None] * len(starts)
    is_given = np.isfinite(starts + goals).all(axis=1) & (starts != goals).any(axis=1)
    requested = np.flatnonzero(is_given)
    ground, weights = terrain.terrain.mesh, terrain.followed.weights
    landmarks, bounds = terrain.landmarks, terrain.bounds
    if len(requested) >= _SHARED and (goals[requested] == goals[requested[0]]).all():
        goal = goals[requested[0]]
        landmarks = distances_from(goal, weights, ground, terrain.nodes, terrain.links)
        bounds = make_bounds(landmarks)
    rows, sizes = plan_routes(
        starts[requested], goals[requested], MARGIN, weights, ground, terrain.nodes, landmarks,
        bounds, terrain.links, terrain.around,
    )  # fmt: skip
    first = 0
    for request, (points, pieces) in zip(requested.tolist(), sizes.tolist(), strict=True):
        bend, end = first + points, first + points + pieces
        if pieces:
            routes[request] = Route(rows[first:bend], rows[bend:end])
        first = end
    return routes


def _is_route(route: Route, progress: Floats, triangles: int) -> bool:
    """Return whether lengths ascend, pieces are in triangles and the progress is on the route."""
    along, (begin, end, where) = route.points[:, 2:], route.pieces.T[:3]
    length = float(along[-1, 0])
    reference, attraction, stride = progress[[col.REFERENCE, col.ATTRACTION, col.STRIDE]].tolist()
    return bool(
        (along[0] == 0.0).all()
        and (np.diff(along, axis=0) >= 0.0).all()
        and 0.0 < length == progress[col.LENGTH]
        and 0.0 <= reference <= attraction <= length
        and stride >= 0.0
        and ((begin >= 0.0) & (begin <= end) & (end <= length * (1.0 + 1e-9))).all()
        and (np.diff(begin) >= 0.0).all()
        and ((where >= 0) & (where < triangles) & (where % 2 == 0)).all()
    )


def _block_size(count: int) -> int:
    """Return log2 of the size of the block for so many rows."""
    return max(_SMALLEST, (count - 1).bit_length())


def _doubled(array: NDArray[Any]) -> NDArray[Any]:
    """Return a copy with twice the capacity."""
    return _grown(array, max(64, 2 * len(array)))


def _grown(array: NDArray[Any], capacity: int) -> NDArray[Any]:
    """Return a copy with a greater capacity."""
    more = np.zeros((capacity, *array.shape[1:]), array.dtype)
    more[: len(array)] = array
    return more
