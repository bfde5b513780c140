"""Time and memory of building larger cities, and whether it is near-linear.

Each city is a GeoJSON file that a fresh process loads and builds, after it has built a small map
so that compiled kernels are loaded. Memory is the greatest that the process ever had resident
once the first map was built, interpreter and libraries included; what it had before it opened the
file stands beside it. The exponent is the slope of time over walls, both logarithmic: 1 is linear.
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

import footway as fw
from benchmarks.report import Outcome, Table
from benchmarks.timing import spread, stopwatch

if TYPE_CHECKING:
    from benchmarks.effort import Effort

SLOWEST = 3
"""Rounds at most: the largest city takes long, and long measurements are steady."""


def run(effort: Effort) -> Outcome:
    """Measure each city in its own process."""
    grown = [_in_fresh_process(name, min(effort.repeats, SLOWEST)) for name in effort.tilings]
    walls = [city["walls"] for city in grown]
    slopes = {
        what: np.polyfit(np.log(walls), np.log([spread(c[what]).median for c in grown]), 1)[0]
        for what in ("load", "build")
    }
    remarks = [f"exponent of {what}: {slope:.2f}" for what, slope in slopes.items()]
    checked = " ".join(f"{city['name']}: {city['checked']}" for city in grown)
    return Outcome([_table(grown)], checked, remarks=remarks)


def _table(grown: list[dict[str, Any]]) -> Table:
    columns = (
        "map",
        "walls",
        "load min, s",
        "load median, s",
        "build min, s",
        "build median, s",
        "build per wall, us",
        "before, MB",
        "peak, MB",
    )
    rows = []
    for city in grown:
        load, build = spread(city["load"]), spread(city["build"])
        times = (load.minimum, load.median, build.minimum, build.median)
        per_wall = build.median / city["walls"] * 1e6
        rows.append((city["name"], city["walls"], *times, per_wall, city["before"], city["peak"]))
    return Table("Cities, tiled", columns, rows)


def _in_fresh_process(name: str, repeats: int) -> dict[str, Any]:
    from footway.environment import gallery
    from footway.formats import save_geojson

    with TemporaryDirectory() as folder:
        file = Path(folder) / "map.geojson"
        save_geojson(gallery.make(name), file)
        command = [sys.executable, "-m", "benchmarks.scaling", str(file), str(repeats)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603 - ourselves
    return {"name": name, **json.loads(done.stdout)}


def measure(file: str, repeats: int) -> dict[str, Any]:
    """Load and build in this process; return the duration of each round, s, and memory, MB."""
    from benchmarks.build import check_map

    check_map(small := fw.load("gallery:mckenna"), fw.CorridorMap.build(small))
    before = peak_megabytes()
    rounds = []
    for turn in range(repeats):
        load, env = stopwatch(partial(fw.load, file))
        build, cmap = stopwatch(partial(fw.CorridorMap.build, env))
        rounds.append((load, build))
        if turn == 0:
            peak = peak_megabytes()  # later rounds also hold the previous map
    loads, builds = zip(*rounds, strict=True)
    facts = {"walls": len(cmap.walls), "before": before, "peak": peak}
    return facts | {"load": loads, "build": builds, "checked": check_map(env, cmap)}


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
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
