"""From a GeoJSON file of the city to a map that answers queries.

Footway: `load` reads and repairs the file, `walls` nodes them, `medial` is the exact medial axis,
`index` what makes queries look-ups; the whole is `load`, `walls` and `CorridorMap.build`. JuPedSim
gets the area that Footway has loaded and repaired, inset by the radius for it; only then its clock
starts, and its mesh serves this one radius. Everything is warm: compiled kernels are loaded, the
file is in the system's cache.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
import shapely

import footway as fw
from benchmarks.checks import TOLERANCE, WallTree, WrongAnswer
from benchmarks.peers.navigator import NotInstalled, inset
from benchmarks.peers.routing_engine import RoutingEngine
from benchmarks.questions import points_in
from benchmarks.report import Outcome, Table, Target
from benchmarks.timing import spread, stopwatch
from footway.corridor.index import build_index
from footway.environment import gallery
from footway.formats import save_geojson
from footway.medial import medial_axis

if TYPE_CHECKING:
    from benchmarks.effort import Effort
    from benchmarks.timing import Spread

RADIUS = 0.25
STEPS = ("load", "walls", "medial", "index")
TOTAL = "Footway, file to map"
PEER = "JuPedSim RoutingEngine, area to mesh"


def run(effort: Effort) -> Outcome:
    """Check the map, then time the steps of its construction."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "city.geojson"
        save_geojson(gallery.make("city"), file)
        checked = _check(fw.load(file))
        rounds, remarks = _rounds(file, effort)
    spreads = {name: spread(r[name] for r in rounds) for name in rounds[0]}
    total = spreads[TOTAL]
    target = Target("city built from GeoJSON", 0.4, "s", total.median, total.minimum)
    return Outcome([_table(spreads)], checked, [target], remarks)


def check_map(env: fw.Environment, cmap: fw.CorridorMap) -> str:
    """Check the map's topology and its clearance.

    Raises:
        WrongAnswer: the numbers of cycles and holes differ, or clearance differs from Shapely's.

    """
    if cmap.n_cycles != env.holes:
        raise WrongAnswer(f"{cmap.n_cycles} cycles around {env.holes} holes")
    points = points_in(env.walkable, 10_000, seed=3)
    apart = np.abs(cmap.clearance(points) - WallTree(env).distance(shapely.points(points))).max()
    if apart > TOLERANCE:
        raise WrongAnswer(f"clearance differs from Shapely's distance by {apart:.3g} m")
    return (
        f"{cmap.n_vertices:,} vertices and {cmap.n_edges:,} edges make {cmap.n_cycles} cycles, as "
        f"many as there are holes; clearance of {len(points):,} points within {apart:.1e} m of "
        "Shapely's distance."
    )


def _check(env: fw.Environment) -> str:
    return check_map(env, fw.CorridorMap.build(env))


def _rounds(file: Path, effort: Effort) -> tuple[list[dict[str, float]], list[str]]:
    """Return the duration of every step in every round, s, and why a peer is absent."""
    area = inset(fw.load(file), RADIUS)
    rounds = []
    for _ in range(effort.repeats):
        try:
            peer, remarks = {PEER: stopwatch(lambda: RoutingEngine(area))[0]}, []
        except NotInstalled as absent:
            peer, remarks = {}, [str(absent)]
        rounds.append(_steps(file) | peer)
    return rounds, remarks


def _steps(file: Path) -> dict[str, float]:
    """Return the durations of the steps, and of the whole, which repeats the last two."""
    load, env = stopwatch(lambda: fw.load(file))
    walls, _ = stopwatch(lambda: env.walls)
    medial, axis = stopwatch(lambda: medial_axis(env.walls))
    index, _ = stopwatch(lambda: build_index(axis))
    build, _ = stopwatch(lambda: fw.CorridorMap.build(env))
    steps = dict(zip(STEPS, (load, walls, medial, index), strict=True))
    return steps | {TOTAL: load + walls + build}


def _table(spreads: dict[str, Spread]) -> Table:
    total = spreads[TOTAL].median
    rows = [
        (name, s.minimum, s.median, s.median / total if name in (TOTAL, PEER) else None)
        for name, s in spreads.items()
    ]
    return Table(
        "The city of 500 x 500 m", ("step", "min, s", "median, s", "ratio to Footway"), rows
    )
