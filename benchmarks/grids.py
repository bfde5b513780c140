"""Maps of the MovingAI benchmark: paths of a point, the memory of a map and the time to make it.

Grids become polygons along the borders of cells; a metre is a cell. Queries are those of the map's
scenarios, between centres of cells, from Python; "min" is the quantile of each query's fastest
round. "prepared" is the same map with a table for a point (`cmap.prepare(radius=0.0)`). Footway's
path of a point keeps a micrometre from walls; scenarios list the shortest path along the eight
directions of a grid, which is longer. "build" goes from the file to a map that answers queries,
"landmarks" and "table" are what `prepare` adds, and large maps get no table; all are processor
times. Memory is that of the arrays of the map. The maps are not part of the project: those that lie
beside it are measured.
Searches for a point on meshes, such as Polyanya (Cui, Harabor and Grastien, IJCAI 2017), answer the
same queries, but serve one radius and certify nothing; no implementation of it is on PyPI, so none
is timed here. The second table has published figures of the Grid-based Path Planning Competition
(any-angle track, 2023, 256,000 queries): other maps, many of them larger, another machine, and C++.
Its means can be compared with ours in size only; "preprocessing" is what their files take.
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import footway as fw
from benchmarks.checks import WrongAnswer
from benchmarks.report import Outcome, Table
from benchmarks.timing import processor_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from benchmarks.effort import Effort

    Floats = NDArray[np.float64]

GRIDS = Path(__file__).parents[2] / "shared" / "data" / "grids"
MOST_WALLS = 10_000  # of a map with a table
SLACK = 0.01  # m, by which a scenario may be shorter: its lengths are rounded
COLUMNS = (
    "map", "walls", "queries", "build, s", "landmarks, s", "table, s", "map, MB", "table, MB",
    "mean, us", "median, us", "p99, us", "prepared: mean, us", "median, us", "p99, us",
    "shorter than the grid's, %",
)  # fmt: skip
PUBLISHED = (
    ("Polyanya, constrained triangles merged (Poly_MCDT)", 377.514573464, 0.228, 0.090),
    ("Polyanya, rectangles (Poly_Rec)", 1704.373277857, 1.0, 0.116),
)
"""Entry; s for all queries; GB of files computed before; GB of memory. From the archive of entries,
github.com/gppc-dev/algorithm-archive, anyangle/2023."""
PUBLISHED_QUERIES = 256_000


class Scenario(NamedTuple):
    """A query between centres of cells."""

    start: tuple[float, float]
    goal: tuple[float, float]
    along_grid: float  # m, length of the shortest path along eight directions


def run(effort: Effort) -> Outcome:
    """Check and time the queries of each map."""
    files = sorted(GRIDS.glob("*.map"))
    if not files:
        return Outcome([], "nothing", remarks=["There are no MovingAI maps beside the project."])
    measured = [_measure(file, effort) for file in files]
    asked = sum(row[2] for row in measured)
    checked = (
        f"{asked:,} paths lead from start to goal and cross no wall; none is longer than the "
        "scenario's along the grid, nor shorter than the straight line. The table changes no bit."
    )
    return Outcome([Table("Paths of a point", COLUMNS, measured), _published()], checked)


def _published() -> Table:
    rows = [
        (entry, 1e6 * seconds / PUBLISHED_QUERIES, stored, memory)
        for entry, seconds, stored, memory in PUBLISHED
    ]
    columns = ("entry", "mean, us", "preprocessing, GB", "memory, GB")
    return Table("Published figures, Grid-based Path Planning Competition 2023", columns, rows)


def _measure(file: Path, effort: Effort) -> tuple[Any, ...]:
    build, cmap = processor_time(lambda: fw.CorridorMap.build(fw.load(file)))
    scenarios = list(_scenarios(file, cmap))[: effort.queries]
    landmarks, _ = processor_time(cmap.prepare)
    lengths, plain = _ask(cmap, scenarios, effort)
    gain = 100.0 * float(np.median(1.0 - lengths / [one.along_grid for one in scenarios]))
    walls, size = len(cmap.solver.index.grid.walls), _bytes(cmap.solver.index) / 1e6
    table, table_size, quantiles = None, None, (None, None, None)
    if walls <= MOST_WALLS:
        table, _ = processor_time(partial(cmap.prepare, radius=0.0))
        same, prepared = _ask(cmap, scenarios, effort)
        if not np.array_equal(lengths, same):
            raise WrongAnswer(f"{file.stem}: a table changed the length of a path")
        table_size, quantiles = cmap.prepared[0.0] / 1e6, _summary(prepared)
    return (
        file.stem, walls, len(scenarios), build, landmarks, table, size, table_size,
        *_summary(plain), *quantiles, gain,
    )  # fmt: skip


def _summary(times: Floats) -> tuple[float, ...]:
    """Return mean, median and 99th percentile."""
    return float(times.mean()), *map(float, np.quantile(times, (0.5, 0.99)))


def _scenarios(file: Path, cmap: fw.CorridorMap) -> Iterator[Scenario]:
    """Yield the queries of a map whose ends differ and are free."""
    for line in file.with_name(f"{file.name}.scen").read_text().splitlines()[1:]:
        if not line.strip():
            continue
        _, _, _, height, *cells, length = line.split()
        x0, y0, x1, y1 = (int(cell) + 0.5 for cell in cells)
        one = Scenario((x0, int(height) - y0), (x1, int(height) - y1), float(length))
        if one.along_grid > 0.0 and cmap.clearance([one.start, one.goal]).min() > 0.0:
            yield one


def _ask(cmap: fw.CorridorMap, scenarios: list[Scenario], effort: Effort) -> tuple[Floats, Floats]:
    """Return the lengths of the paths, (n,) m, and the fastest round of each query, (n,) us."""
    fastest = np.full(len(scenarios), np.inf)
    for _ in range(effort.repeats):
        lengths = np.empty(len(scenarios))
        for k, (start, goal, along_grid) in enumerate(scenarios):
            begin = time.perf_counter()
            path = cmap.path(start, goal, radius=0.0)
            fastest[k] = min(fastest[k], 1e6 * (time.perf_counter() - begin))
            lengths[k] = path.length
            straight = float(np.hypot(goal[0] - start[0], goal[1] - start[1]))
            if not straight - SLACK <= path.length <= along_grid + SLACK:
                raise WrongAnswer(f"{start} to {goal}: {path.length} m, the grid's {along_grid} m")
            if path.points[0].tolist() != list(start) or path.points[-1].tolist() != list(goal):
                raise WrongAnswer(f"{start} to {goal}: the path has other ends")
    return lengths, fastest


def _bytes(value: Any) -> int:
    """Return the bytes of all arrays in nested tuples."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    return sum(map(_bytes, value)) if isinstance(value, tuple) else 0
