"""Terrain by Shapely alone: where a disc fits, which kind lies on top, what a line crosses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely

if TYPE_CHECKING:
    from footway.environment import Environment
    from footway.environment.partition import Partition


class TerrainOracle:
    """Kinds on top of each other by differences of polygons, walls by their distance."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        walls = environment.walls
        lines = shapely.linestrings(walls.segments.reshape(-1, 2, 2))
        self.walls = shapely.union_all([*lines, *shapely.points(walls.points)])
        self.tops = {"ground": environment.walkable}
        for region in environment.terrain:
            for kind in self.tops:
                self.tops[kind] = shapely.difference(self.tops[kind], region.polygon)
            here = shapely.intersection(region.polygon, environment.walkable)
            self.tops[region.kind] = shapely.union(self.tops.get(region.kind, here), here)

    def clearance(self, a, b) -> float:
        """Least distance of the line ab to a wall, m; -1 where it leaves walkable space."""
        line = shapely.LineString([a, b])
        outside = shapely.difference(line, shapely.buffer(self.environment.walkable, 1e-5))
        return -1.0 if outside.length > 0 else float(shapely.distance(line, self.walls))

    def metres(self, a, b, slack: float) -> dict[str, tuple[float, float]]:
        """Least and most metres of the line ab on each kind, for borders that lie `slack` off."""
        line = shapely.LineString([a, b])
        return {
            kind: (
                line.intersection(shapely.buffer(top, -slack)).length,
                line.intersection(shapely.buffer(top, slack)).length,
            )
            for kind, top in self.tops.items()
        }


def areas_of(cut: Partition) -> np.ndarray:
    """Area of each triangle, m2; negative where it runs clockwise."""
    a, b, c = (cut.points[cut.triangles[:, k]] for k in range(3))
    (ux, uy), (vx, vy) = (b - a).T, (c - a).T
    return 0.5 * (ux * vy - uy * vx)


def assert_sound(cut: Partition) -> None:
    """No flat triangle, no overlap, neighbours that agree, no corner inside another side."""
    assert areas_of(cut).min() > 1e-12
    sides: dict[tuple[int, int], int] = {}
    for t, corners in enumerate(cut.triangles.tolist()):
        for k in range(3):
            side = corners[k], corners[(k + 1) % 3]
            assert side not in sides
            sides[side] = t
            neighbour = int(cut.neighbours[t, k])
            if neighbour >= 0:
                assert set(side) <= set(cut.triangles[neighbour].tolist())
                assert t in cut.neighbours[neighbour].tolist()
    assert len(np.unique(cut.points, axis=0)) == len(cut.points)
    open_ends = np.array([s for s in sides if s[::-1] not in sides])
    lines = shapely.linestrings(cut.points[open_ends])
    corner, line = shapely.STRtree(lines).query(
        shapely.points(cut.points), predicate="dwithin", distance=1e-9
    )
    assert (open_ends[line] == corner[:, None]).any(axis=1).all()
