"""Time and memory of building cities and a tiled real district, and whether it is near-linear.

Each city is a GeoJSON file that a fresh process loads and builds, after it has built a small map
so that compiled kernels are loaded. Memory is the greatest that the process ever had resident
once the first map was built, interpreter and libraries included; what it had before it opened the
file stands beside it. The exponent is the slope of time over walls, both logarithmic: 1 is linear;
it is that of the cities. Paths lead between random places on the whole map, for a radius of 0.25 m,
after `prepare`; those without a path are left out. Times are processor times of one thread.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

import footway as fw
from benchmarks.build import DISTRICT, RADIUS, check_map
from benchmarks.report import Outcome, Table, Target
from benchmarks.timing import processor_time, spread

if TYPE_CHECKING:
    from benchmarks.effort import Effort

STREET = 10.0
"""m between two copies of the district."""

SLOWEST = 3
"""Rounds at most: the largest city takes long, and long measurements are steady."""


def run(effort: Effort) -> Outcome:
    """Measure each city in its own process."""
    grown = [_in_fresh_process(name, effort) for name in effort.tilings]
    walls = [city["walls"] for city in grown]
    slopes = {
        what: np.polyfit(np.log(walls), np.log([spread(c[what]).median for c in grown]), 1)[0]
        for what in ("load", "build")
    }
    remarks = [f"exponent of {what}: {slope:.2f}" for what, slope in slopes.items()]
    targets = [_whole("city:6x6", 4.0, grown)]
    if DISTRICT.exists():
        columns, rows = effort.district
        grown.append(_in_fresh_process(f"district:{columns}x{rows}", effort))
        paths = spread(grown[-1]["paths"])
        targets += [
            _whole("district:14x15", 6.0, grown),
            Target("a path in the district, median", 1.0, "ms", paths.median, paths.minimum),
        ]
    else:
        remarks.append("The district is not there: it is not measured.")
    checked = " ".join(f"{city['name']}: {city['checked']}" for city in grown)
    return Outcome([_table(grown)], checked, targets, remarks)


def _whole(name: str, limit: float, grown: list[dict[str, Any]]) -> Target:
    """Return the target for the time from file to map."""
    what = f"{name} built from GeoJSON"
    for city in grown:
        if city["name"] == name:
            whole = spread(np.add(city["load"], city["build"]).tolist())
            return Target(what, limit, "s", whole.median, whole.minimum)
    return Target(what, limit, "s", None)


def _table(grown: list[dict[str, Any]]) -> Table:
    columns = (
        "map", "walls", "load min, s", "load median, s", "build min, s", "build median, s",
        "build per wall, us", "before, MB", "peak, MB", "a path, median, ms",
    )  # fmt: skip
    rows = []
    for city in grown:
        load, build = spread(city["load"]), spread(city["build"])
        times = (load.minimum, load.median, build.minimum, build.median)
        per_wall = build.median / city["walls"] * 1e6
        memory = (city["before"], city["peak"])
        path = spread(city["paths"]).median
        rows.append((city["name"], city["walls"], *times, per_wall, *memory, path))
    return Table("Cities, tiled", columns, rows)


def _in_fresh_process(name: str, effort: Effort) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "map.geojson"
        _write(name, file)
        numbers = (str(min(effort.repeats, SLOWEST)), str(effort.district_queries))
        command = [sys.executable, "-m", "benchmarks.scaling", str(file), *numbers]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603 - ourselves
    return {"name": name, **json.loads(done.stdout)}


def _write(name: str, file: Path) -> None:
    """Write a map as GeoJSON: a gallery map, or the district, side by side."""
    from footway.environment import gallery
    from footway.formats import save_geojson

    if not name.startswith("district:"):
        save_geojson(gallery.make(name), file)
        return
    columns, rows = map(int, name.removeprefix("district:").split("x"))
    document = json.loads(DISTRICT.read_text())
    shapes = shapely.from_geojson([json.dumps(f["geometry"]) for f in document["features"]])
    x0, y0, x1, y1 = shapely.total_bounds(shapes)
    features = []
    for i, j in np.ndindex(columns, rows):
        move = np.round((i * (x1 - x0 + STREET), j * (y1 - y0 + STREET)), 3)
        moved = shapely.to_geojson(shapely.transform(shapes, lambda xy, by=move: xy + by))
        features += [
            {**feature, "geometry": json.loads(geometry)}
            for feature, geometry in zip(document["features"], moved, strict=True)
        ]
    file.write_text(json.dumps({**document, "features": features}))


def measure(file: str, repeats: int, queries: int) -> dict[str, Any]:
    """Load and build in this process; return the duration of each round, s, and memory, MB.

    Also the durations of paths, ms.
    """
    check_map(small := fw.load("gallery:mckenna"), fw.CorridorMap.build(small))
    before = peak_megabytes()
    rounds = []
    for turn in range(repeats):
        load, env = processor_time(partial(fw.load, file))
        build, cmap = processor_time(partial(fw.CorridorMap.build, env))
        rounds.append((load, build))
        if turn == 0:
            peak = peak_megabytes()  # later rounds also hold the previous map
    loads, builds = zip(*rounds, strict=True)
    facts = {"walls": len(cmap.walls), "before": before, "peak": peak}
    paths = _time_paths(env, cmap, queries)
    done = {"load": loads, "build": builds, "paths": paths, "checked": check_map(env, cmap)}
    return facts | done


def _time_paths(env: fw.Environment, cmap: fw.CorridorMap, count: int) -> list[float]:
    """Return the duration of each of some paths between random places, ms."""
    from benchmarks.questions import points_in

    ends = points_in(shapely.buffer(env.walkable, -1.2 * RADIUS), 2 * count, seed=5)
    cmap.prepare()
    durations = []
    for start, goal in ends.reshape(-1, 2, 2).tolist():
        try:
            seconds, _ = processor_time(partial(cmap.path, start, goal, radius=RADIUS))
        except fw.NoPath:
            continue
        durations.append(1e3 * seconds)
    return durations


def peak_megabytes() -> float:
    """Return the peak resident memory of this process.

    On Linux it is read from the process status, because `getrusage` includes the memory of the
    parent process.
    """
    status = Path("/proc/self/status")
    if status.exists():
        peak = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(peak.split()[1]) / 1024
    import resource

    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
