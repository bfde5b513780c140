"""Clearance of a million points: `cmap.clearance` against Shapely.

All are asked about the same random points of the city's free space, where the clearance is the
distance to the boundary. Shapely's `distance` computes it against the whole boundary; its
`STRtree.query_nearest` against the walls one by one, which is faster. Shapely is asked about a
sample of the points and its time per point is compared, because a million would take it ten
seconds a round. Neither making Shapely's point objects nor building its tree is counted. Shapely
works on one core, so Footway is measured on one as well as on all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numba
import numpy as np
import shapely

from benchmarks.checks import TOLERANCE, WallTree, WrongAnswer
from benchmarks.questions import points_in
from benchmarks.report import Outcome, Table, Target
from benchmarks.timing import Spread, in_turn
from footway import CorridorMap
from footway.environment import gallery

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.effort import Effort
    from footway import Environment

    Floats = NDArray[np.float64]

DISTANCE = "shapely.distance to the boundary"
TREE = "shapely STRtree.query_nearest"


def run(effort: Effort) -> Outcome:
    """Check against both methods of Shapely, then time."""
    env = gallery.make("city")
    cmap = CorridorMap.build(env)
    points = points_in(env.walkable, effort.points, seed=1)
    sample = shapely.points(points[: effort.sample])
    boundary, tree = env.walkable.boundary, WallTree(env)
    checked = _check(cmap, env, points, tree)
    threads = numba.get_num_threads()
    seconds = in_turn(
        {
            f"Footway, {threads} threads": lambda: cmap.clearance(points),
            "Footway, 1 thread": lambda: _on_one_thread(cmap, points),
            DISTANCE: lambda: shapely.distance(sample, boundary),
            TREE: lambda: tree.distance(sample),
        },
        repeats=effort.repeats,
    )
    each = {
        name: spread.scaled(1e6 / (len(points) if "Footway" in name else len(sample)))
        for name, spread in seconds.items()
    }
    return Outcome([_table(each)], checked, [_target(each, threads)])


def _on_one_thread(cmap: CorridorMap, points: Floats) -> Floats:
    before, numba.config.NUMBA_NUM_THREADS = numba.config.NUMBA_NUM_THREADS, 1
    try:
        return cmap.clearance(points)
    finally:
        numba.config.NUMBA_NUM_THREADS = before


def _check(cmap: CorridorMap, env: Environment, points: Floats, tree: WallTree) -> str:
    few = shapely.points(points[:500])
    apart = {
        DISTANCE: np.abs(
            cmap.clearance(points[:500]) - shapely.distance(few, env.walkable.boundary)
        ),
        TREE: np.abs(cmap.clearance(points) - tree.distance(shapely.points(points))),
    }
    worst = max(float(difference.max()) for difference in apart.values())
    if worst > TOLERANCE:
        raise WrongAnswer(f"clearance differs from Shapely's distance by {worst:.3g} m")
    inside = points_in(shapely.box(*env.bounds).difference(env.walkable), 1_000, seed=2)
    if cmap.clearance(inside).any():
        raise WrongAnswer("points inside buildings have a clearance other than 0")
    return (
        f"all {len(points):,} clearances against Shapely, greatest difference {worst:.1e} m; "
        f"{len(inside):,} points inside buildings have 0."
    )


def _table(each: dict[str, Spread]) -> Table:
    def row(name: str, us: Spread) -> tuple[str | float, ...]:
        ratios = [each[peer].median / us.median for peer in (DISTANCE, TREE)]
        return name, us.minimum, us.median, *ratios

    columns = ("per point", "min, us", "median, us", "times faster than distance", "than STRtree")
    return Table("Clearance of a point", columns, [row(*item) for item in each.items()])


def _target(each: dict[str, Spread], threads: int) -> Target:
    ours, peer = each[f"Footway, {threads} threads"], each[DISTANCE]
    return Target(
        "clearance of 1,000,000 points, faster than Shapely", 20, "x", peer.median / ours.median,
        peer.minimum / ours.minimum, at_least=True,
    )  # fmt: skip
