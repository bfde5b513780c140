"""Searches on the map of a building: points have x, y in plan and the number of their sheet."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from footway.corridor.building.index import between, sheet_grid
from footway.corridor.building.nearest import nearest_fitting
from footway.corridor.kernels.locate import N_VALUES
from footway.corridor.kernels.surface import follow_polyline, layer_at
from footway.corridor.landmarks import NO_LANDMARKS, measure_landmarks
from footway.corridor.points import clearances, locate
from footway.corridor.search import Solver, _make_workspace
from footway.validation import as_text

if TYPE_CHECKING:
    from footway.arrays import Floats, Ints
    from footway.corridor.kernels.graph_search import GraphWorkspace
    from footway.corridor.kernels.layouts import Index
    from footway.corridor.search import Solution
    from footway.environment import Building


class BetweenSheets(Solver):
    """A solver of a building for a path between two sheets; it uses the memory of the building's.

    Attributes:
        base: solver of the building.
        sheets: of the start and the goal.

    """

    def __init__(self, base: BuildingSolver, start: int, goal: int) -> None:
        super().__init__(between(base.index, start, goal))
        self.base, self.sheets = base, (start, goal)

    @property
    def graph_workspace(self) -> GraphWorkspace:
        """Scratch memory of the building's solver."""
        return self.base.graph_workspace

    def _placed(self, points: tuple[Floats, ...]) -> Floats:
        return np.column_stack([np.vstack(points), self.sheets[: len(points)]])

    def locate(self, *points: Floats) -> tuple[Ints, Floats]:
        """Locate one or two points (x, y): see `Solver.locate`."""
        return self.base.locate(self._placed(points))

    def solve(self, *ends: Any, **options: Any) -> Solution:
        """Answer one query between points (x, y): see `Solver.solve`."""
        start, goal, radius = ends
        a, b = self._placed((np.asarray(start), np.asarray(goal)))
        return self.base.solve(a, b, radius, **options)


class BuildingSolver(Solver):
    """Searches the map of a building.

    Attributes:
        building: the building.
        edge_sheet: (ne,) sheet of each edge.

    """

    def __init__(self, index: Index, building: Building, edge_sheet: Ints) -> None:
        super().__init__(index)
        self.building = building
        self.edge_sheet = edge_sheet

    @cached_property
    def extent(self) -> float:
        """Longest side of the box around all walls, m."""
        corners = self.index.grid.layers.walls.reshape(-1, 2)
        return float(np.ptp(corners, axis=0).max())

    def locate(self, *points: Floats) -> tuple[Ints, Floats]:
        """Locate points (x, y, sheet): pieces (n,), values (n, 6)."""
        places = np.vstack(points)
        return self.locate_on(places[:, :2], places[:, 2].astype(np.int64))

    def locate_on(self, points: Floats, sheets: Ints) -> tuple[Ints, Floats]:
        """Locate points (n, 2) on their sheets (n,); those outside have the piece -1."""
        pieces, values = np.full(len(points), -1), np.zeros((len(points), N_VALUES))
        for k in np.unique(sheets).tolist():
            here = np.flatnonzero(sheets == k)
            some = np.ascontiguousarray(points[here])
            found, values[here] = locate(some, self._on(k))
            pieces[here] = np.where(self.building.contains(k, some), found, -1)
        return pieces, values

    def nearest_fitting(self, point: Floats, radius: float) -> Floats | None:
        """Return the nearest point on the sheet of a point (x, y, sheet) at which a disc fits."""
        return nearest_fitting(point[:2], int(point[2]), radius, self)

    def clearances(self, points: Floats, sheets: Ints) -> Floats:
        """Distance of points (n, 2) on sheets (n,) to the nearest wall in plan, (n,) m."""
        found = np.zeros(len(points))
        for k in np.unique(sheets).tolist():
            here = np.flatnonzero(sheets == k)
            some = np.ascontiguousarray(points[here])
            inside = self.building.contains(k, some)
            found[here] = np.where(inside, clearances(some, self._on(k)), 0.0)
        return found

    def _on(self, sheet: int) -> Index:
        return self.index._replace(grid=sheet_grid(self.index.grid.layers, sheet))

    def index_between(self, start: Floats, goal: Floats, index: Index | None = None) -> Index:
        """Return the index for a query between two points (x, y, sheet)."""
        return between(index or self.index, int(start[2]), int(goal[2]))

    def solve(
        self,
        start: Floats | tuple[float, ...],
        goal: Floats | tuple[float, ...],
        radius: float,
        *,
        shortcut: bool = True,
        index: Index | None = None,
    ) -> Solution:
        """Answer one query between points (x, y, sheet)."""
        a, b = np.asarray(start, float), np.asarray(goal, float)
        here = self.index_between(a, b, index)
        return super().solve(a[:2], b[:2], radius, shortcut=shortcut, index=here)

    def between(self, start: int, goal: int) -> BetweenSheets:
        """Return a solver for points (x, y): the first on sheet `start`, a second on `goal`."""
        return BetweenSheets(self, start, goal)

    def follow(self, points: Floats, sheet: int) -> tuple[Floats, Ints]:
        """Divide a polyline (n, 2) at portals: points (m, 2), and sheets of its parts (m - 1,)."""
        found: tuple[Floats, Ints] = follow_polyline(points, sheet, self.index.grid)
        return found

    def text_of(self, point: Floats) -> str:
        """Return a point (x, y, sheet) for messages."""
        return f"{as_text(point[:2])} on {self.sheet_name(int(point[2]))}"

    def sheet_name(self, sheet: int) -> str:
        """Name of a sheet, as in "floor '1'"."""
        return self.building.layers[sheet].name

    def name_of_edge(self, edge: int) -> str:
        """Name of the sheet of an edge."""
        return self.sheet_name(int(self.edge_sheet[edge]))

    def measure_landmarks(self) -> None:
        """Measure the landmarks, if that was not done: all further searches use them."""
        with self._measuring:
            if self._landmarks is NO_LANDMARKS:
                self._landmarks = measure_landmarks(self.index, _make_workspace, self._beside)
                self.uses_landmarks = len(self._landmarks.places) > 0

    def _beside(self, event: int, place: Floats) -> Index:
        """Return the index for a search from a place near an event of the axis."""
        sheet = int(self.edge_sheet[self.index.graph.edge_of[event]])
        at = self.index.axis.events[event]
        sheet = int(layer_at(*at.tolist(), *place.tolist(), sheet, self.index.grid))
        return between(self.index, sheet, sheet)
