"""Alternative paths in the city, for a disc of radius 0.25 m, as called from Python.

Random queries, the same for every row. "shortest" is `cmap.path`; the others are
`cmap.paths_between`, the shortest path included. Times are processor times of a query in its
fastest round, and "each" is that time divided by the number of paths that were found.
"""

from __future__ import annotations

import time
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.checks import WrongAnswer
from benchmarks.report import Outcome, Table, Target
from footway import CorridorMap
from footway.environment import gallery

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.effort import Effort
    from footway.corridor.path import TautPath

    Ask = Callable[..., list[TautPath]]

RADIUS = 0.25
QUERIES = 200
LONGEST = 1e-9  # m, rounding
MOST_EACH, MOST = 1.0, 5.0  # ms
ROWS: dict[str, dict[str, Any]] = {
    "k = 5": {"k": 5},
    "k = 20": {"k": 20},
    "k = 5, different = 0.3": {"k": 5, "different": 0.3},
    "k = 5, different = 0.3, longer = 0.1": {"k": 5, "different": 0.3, "longer": 0.1},
    "k = 10, different = 0.5, longer = 0.05": {"k": 10, "different": 0.5, "longer": 0.05},
}


def run(effort: Effort) -> Outcome:
    """Check the paths of all queries, and time them in turn."""
    cmap = CorridorMap.build(gallery.make("city"))
    cmap.prepare()
    points = cmap.random_points(2 * min(effort.queries, QUERIES), radius=RADIUS, seed=3)
    queries = list(zip(points[::2], points[1::2], strict=True))
    asked: dict[str, Ask] = {"shortest": lambda a, b: [cmap.path(a, b, radius=RADIUS)]}
    for name, options in ROWS.items():
        asked[name] = partial(cmap.paths_between, radius=RADIUS, **options)
    counts = {name: _checked(ask, queries, ROWS.get(name, {})) for name, ask in asked.items()}
    best = {name: np.full(len(queries), np.inf) for name in asked}
    for _ in range(effort.repeats):
        for name, ask in asked.items():
            for k, query in enumerate(queries):
                begin = time.process_time()
                ask(*query)
                best[name][k] = min(best[name][k], 1e3 * (time.process_time() - begin))
    rows = []
    for name, times in best.items():
        each = times.sum() / counts[name].sum()
        middle, rare = np.quantile(times, [0.5, 0.99]).tolist()
        rows.append((name, counts[name].mean(), middle, rare, times.max(), each))
    columns = ("", "paths found, mean", "median, ms", "p99, ms", "most, ms", "each, ms")
    checked = (
        f"all paths of {len(queries):,} queries keep the radius, no two of a query have the same "
        "length, and none is longer than asked."
    )
    return Outcome(
        [Table("Alternative paths in the city", columns, rows)],
        checked,
        [
            Target("each of k alternatives, mean", MOST_EACH, "ms", max(row[-1] for row in rows)),
            Target("a query with `different`, p99", MOST, "ms", max(r[3] for r in rows[3:])),
        ],
    )


def _checked(ask: Ask, queries: list[Any], options: dict[str, Any]) -> Any:
    """Return how many paths each query has, (n,)."""
    counts = []
    for query in queries:
        paths = ask(*query)
        lengths = [path.length for path in paths]
        limit = lengths[0] * (1.0 + options.get("longer", np.inf)) + LONGEST
        if any(b - a < LONGEST for a, b in pairwise(lengths)) or lengths[-1] > limit:
            raise WrongAnswer(f"lengths of the paths of {query}: {lengths}")
        if min(path.clearance for path in paths) < RADIUS - 1e-6:
            raise WrongAnswer(f"a path of {query} is closer to a wall than the radius")
        counts.append(len(paths))
    return np.array(counts)
