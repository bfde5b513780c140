"""A* on a grid with the popular pure-Python library `pathfinding`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from scipy.spatial import KDTree

from benchmarks.peers.navigator import NotInstalled

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from benchmarks.peers.navigator import Point

CELL = 1.0
"""m. Half of it takes four times as long, and A* already takes a tenth of a second a query."""


class GridSearch:
    """Paths over the centres of the cells whose centres lie in the inset area.

    Start and goal are joined to the nearest such centre. Each search begins with the library's own
    reset of all cells, which is part of its time. `weigh` returns the weights of centres (n, 2);
    the library's heuristic requires 1 or more.
    """

    name = f"pathfinding A*, {CELL:g} m grid"

    def __init__(
        self, area: shapely.Polygon, weigh: Callable[[NDArray[np.float64]], Any] | None = None
    ) -> None:
        try:
            from pathfinding.core.diagonal_movement import DiagonalMovement
            from pathfinding.core.grid import Grid
            from pathfinding.finder.a_star import AStarFinder
        except ImportError:
            raise NotInstalled("pathfinding is not installed: pip install pathfinding") from None
        xmin, ymin, xmax, ymax = area.bounds
        self._corner = np.array([xmin, ymin]) + CELL / 2
        x = np.arange(self._corner[0], xmax, CELL)
        y = np.arange(self._corner[1], ymax, CELL)
        shapely.prepare(area)
        free = shapely.contains_xy(area, *np.meshgrid(x, y))
        self._cells = np.argwhere(free)[:, ::-1]
        self._nearest = KDTree(self._centres(self._cells))
        cost = free.astype(float)
        if weigh is not None:
            cost[free] = weigh(self._centres(self._cells))
        self._grid = Grid(matrix=cost.tolist())
        # Diagonal steps past a blocked cell would cut the corners of buildings.
        self._finder = AStarFinder(diagonal_movement=DiagonalMovement.only_when_no_obstacle)

    def ask(self, start: Point, goal: Point) -> Any:
        """List of cells."""
        first, last = self._nearest.query(np.array([start, goal]))[1]
        begin = self._grid.node(*self._cells[first].tolist())
        end = self._grid.node(*self._cells[last].tolist())
        return self._finder.find_path(begin, end, self._grid)[0]

    def polyline(self, answer: Any, start: Point, goal: Point) -> NDArray[np.float64] | None:
        """(n, 2) m."""
        if not answer:
            return None
        centres = self._centres(np.array([(node.x, node.y) for node in answer]))
        return np.vstack([start, centres, goal])

    def _centres(self, cells: NDArray[np.int64]) -> NDArray[np.float64]:
        return self._corner + CELL * cells
