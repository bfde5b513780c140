"""From a GeoJSON file to a map that answers queries: the gallery's city, and a real district.

Footway: `load` reads and repairs the file, `walls` nodes them, `medial` is the exact medial axis,
`index` what makes queries look-ups; the whole is `load`, `walls` and `CorridorMap.build`. JuPedSim
gets the area that Footway has loaded and repaired, inset by the radius for it; only then its clock
starts. So two things differ: Footway's map serves every radius, JuPedSim's mesh this one; and
Footway's whole begins with a file, JuPedSim's with clean polygons. "polygons to map" is the part of
Footway that does the same work. Everything is warm: compiled kernels are loaded, the file is in the
system's cache. Times are processor times: both work on one thread. The district is Munich,
Muenchner Freiheit, (c) OpenStreetMap contributors, ODbL; it is left out where the file is absent.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
import shapely

import footway as fw
from benchmarks.checks import TOLERANCE, WallTree, WrongAnswer
from benchmarks.peers.navigator import NotInstalled
from benchmarks.peers.routing_engine import RoutingEngine
from benchmarks.questions import points_in
from benchmarks.report import Outcome, Table, Target
from benchmarks.timing import processor_time, spread
from footway.corridor.index import build_index
from footway.environment import gallery
from footway.formats import save_geojson
from footway.medial import medial_axis

if TYPE_CHECKING:
    from benchmarks.effort import Effort
    from benchmarks.timing import Spread

RADIUS = 0.25
STEPS = ("load", "walls", "medial", "index")
TOTAL = "Footway, file to map for every radius"
BUILD = "Footway, polygons to map for every radius"
PEER = f"JuPedSim RoutingEngine, polygons to mesh for {RADIUS:g} m"
CITY = "The city of 500 x 500 m"
DISTRICT = Path(__file__).parents[2] / "shared" / "data" / "city"
DISTRICT /= "munich_muenchner_freiheit.geojson"


def run(effort: Effort) -> Outcome:
    """Check the maps, then time the steps of their construction."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "city.geojson"
        save_geojson(gallery.make("city"), file)
        files = {CITY: file}
        if DISTRICT.exists():
            files["A district of Munich, 420 x 390 m"] = DISTRICT
        environments = {title: fw.load(file) for title, file in files.items()}
        checks = [f"{title}: {_check(env)}" for title, env in environments.items()]
        rounds = {title: _rounds(file, effort) for title, file in files.items()}
    spreads = {
        title: {name: spread(r[name] for r in some) for name in some[0]}
        for title, (some, _) in rounds.items()
    }
    total = spreads[CITY][TOTAL]
    target = Target("city built from GeoJSON", 0.12, "s", total.median, total.minimum)
    tables = [
        _table(f"{title}, {len(environments[title].walls.segments):,} walls", some)
        for title, some in spreads.items()
    ]
    remarks = list(dict.fromkeys(remark for _, some in rounds.values() for remark in some))
    if not DISTRICT.exists():
        remarks.append("The district is not there: it is not measured.")
    return Outcome(tables, " ".join(checks), [target], remarks)


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


def largest_part(area: shapely.Geometry) -> shapely.Polygon:
    """Return the largest polygon of an area: JuPedSim takes one polygon."""
    return max(shapely.get_parts(area), key=shapely.area)


def _rounds(file: Path, effort: Effort) -> tuple[list[dict[str, float]], list[str]]:
    """Return the duration of every step in every round, s, and why a peer is absent."""
    area = largest_part(shapely.buffer(fw.load(file).walkable, -RADIUS, join_style="mitre"))
    rounds = []
    for _ in range(effort.repeats):
        try:
            peer, remarks = {PEER: processor_time(lambda: RoutingEngine(area))[0]}, []
        except NotInstalled as absent:
            peer, remarks = {}, [str(absent)]
        rounds.append(_steps(file) | peer)
    return rounds, remarks


def _steps(file: Path) -> dict[str, float]:
    """Return the durations of the steps, and of the whole, which repeats the last two."""
    load, env = processor_time(lambda: fw.load(file))
    walls, _ = processor_time(lambda: env.walls)
    medial, axis = processor_time(lambda: medial_axis(env.walls))
    index, _ = processor_time(lambda: build_index(axis))
    build, _ = processor_time(lambda: fw.CorridorMap.build(env))
    steps = dict(zip(STEPS, (load, walls, medial, index), strict=True))
    return steps | {TOTAL: load + walls + build, BUILD: walls + build}


def _table(title: str, spreads: dict[str, Spread]) -> Table:
    whole = (TOTAL, BUILD, PEER)
    columns = ("step", "min, s", "median, s", "ratio to file to map", "ratio to polygons to map")
    rows = []
    for name, s in spreads.items():
        ratios = (s.median / spreads[ours].median if name in whole else None for ours in whole[:2])
        rows.append((name, s.minimum, s.median, *ratios))
    return Table(title, columns, rows)
