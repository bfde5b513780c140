"""Derive the tables of `footway validate` from trajectories of experiments.

    python -m benchmarks.validation_tables ../shared/data/trajectories/experiments

writes `src/footway/validate/data/*.csv`. The trajectories are not part of Footway: they come from
the Pedestrian Dynamics Data Archive of Forschungszentrum Jülich (CC BY), through PedPy's demo data.
Quantities are those of `footway.measure`; every row says how many samples it has.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footway import measure
from footway.environment import Environment
from footway.validate.tables import FOLDER
from footway.validate.trajectories import load_trajectories

if TYPE_CHECKING:
    from footway.recording.recording import Recording

SOURCE = (
    "Source: Pedestrian Dynamics Data Archive, Forschungszentrum Jülich (CC BY), through PedPy's "
    "demo data. Derived by benchmarks/validation_tables.py."
)
CORRIDOR = Environment.from_polygons(
    [
        (2.8, -6.5), (2.8, -4), (1.8, -4), (1.8, 4), (2.8, 4), (2.8, 8.1),
        (-1, 8.1), (-1, 4), (0, 4), (0, -4), (-1, -4), (-1, -6.5),
    ]
)  # fmt: skip
TWO_WAY = Environment.from_polygons(bounds=(-6, -0.2, 5, 4.4))
MEASURED = {
    "corridor": [(0, -2), (1.8, -2), (1.8, 0), (0, 0)],
    "two-way": [(-2, 0), (2, 0), (2, 4), (-2, 4)],
}


def samples(run: Recording, area: list[Any], *, every: int) -> np.ndarray[Any, Any]:
    """Return time, Voronoi density and mean speed of every so many frames, in the middle 60 %."""
    first, last = int(0.2 * run.n_frames), int(0.8 * run.n_frames)
    density = measure.voronoi_density(run, area, every=every)
    speed = measure.mean_speed(run, area)[::every]
    index = np.arange(0, run.n_frames, every)
    known = (index >= first) & (index < last) & np.isfinite(speed)
    return np.column_stack([run.times[index], density, speed])[known]


def block_flow(run: Recording, line: Any, *, persons: int = 10) -> tuple[float, float, int]:
    """Return flow, its deviation over blocks of persons, and the number of persons.

    The first and the last tenth of the persons are left out: the jam has not built up, or is gone.
    """
    found = measure.crossings(run, line)
    _, first = np.unique(found.ids, return_index=True)
    times = np.sort(found.times[first])
    cut = len(times) // 10
    times = times[cut : len(times) - cut]
    blocks = persons / (times[persons::persons] - times[:-persons:persons])
    return (len(times) - 1) / (times[-1] - times[0]), float(blocks.std(ddof=1)), len(times)


def single_file(file: Path) -> np.ndarray[Any, Any]:
    """Return time, density (per m, of the 1D Voronoi cell) and speed of persons, every 2 s."""
    rows = np.genfromtxt(file, delimiter=",", skip_header=1)
    found = []
    for frame in np.unique(rows[:, 1])[::5]:
        here = rows[rows[:, 1] == frame]
        here = here[np.argsort(here[:, 2])]
        size = 0.5 * (here[2:, 2] - here[:-2, 2])  # half of the distance to both neighbours
        speed = np.abs(here[1:-1, 4])
        found += [(frame / 25.0, 1.0 / d, v) for d, v in zip(size, speed, strict=True) if d > 0.1]
    return np.array(found)


def write(name: str, comments: list[str], columns: str, rows: list[Any]) -> None:
    """Write a table with its source."""
    lines = [f"# {line}" for line in comments] + [columns]
    lines += [",".join(v if isinstance(v, str) else f"{v:.4g}" for v in row) for row in rows]
    (FOLDER / f"{name}.csv").write_text("\n".join(lines) + "\n")


def main(folder: Path) -> None:
    """Write all tables."""
    FOLDER.mkdir(exist_ok=True)
    corridor, runs = [], {}
    for name in ("uo-070-180-180", "uo-180-180-120", "uo-180-180-095"):
        runs[name] = load_trajectories(
            folder / f"{name}.txt", rate=16.0, unit=0.01, environment=CORRIDOR
        )
        corridor += [(name, *row) for row in samples(runs[name], MEASURED["corridor"], every=8)]
    write(
        "corridor",
        [
            "One-way flow, corridor 1.8 m wide (HERMES 2009): uo-ENTRANCE-CORRIDOR-EXIT, in cm.",
            SOURCE,
            "Voronoi density and mean speed (window 0.4 s) in (0, -2)-(1.8, 0) m, every 0.5 s,",
            "in the middle 60 % of the frames.",
        ],
        "experiment,time_s,density_per_m2,speed_m_s",
        corridor,
    )
    narrow = load_trajectories(folder / "bottleneck_040_c_56_h.txt", rate=25.0)
    exits = [
        ("bottleneck_040_c_56_h", 0.5, *block_flow(narrow, ((-0.4, -0.5), (0.4, -0.5)))),
        ("uo-180-180-095", 0.95, *block_flow(runs["uo-180-180-095"], ((-1, -4), (2.8, -4)))),
        ("uo-180-180-120", 1.2, *block_flow(runs["uo-180-180-120"], ((-1, -4), (2.8, -4)))),
    ]
    write(
        "bottleneck",
        [
            "Flow through a bottleneck by its width; deviation over blocks of ten persons.",
            SOURCE,
            "The first and the last tenth of the persons are left out.",
        ],
        "experiment,width_m,flow_per_s,deviation_per_s,persons",
        exits,
    )
    both = load_trajectories(
        folder / "bi_corr_400_b_03.txt", rate=25.0, unit=0.01, environment=TWO_WAY
    )
    write(
        "two_way",
        [
            "Two-way flow in a corridor 4 m wide (bi_corr_400_b_03).",
            SOURCE,
            "Voronoi density and mean speed (window 0.4 s) in (-2, 0)-(2, 4) m, every second,",
            "in the middle 60 % of the frames.",
        ],
        "time_s,density_per_m2,speed_m_s",
        samples(both, MEASURED["two-way"], every=25).tolist(),
    )
    lines = []
    for name in ("single_file_n34_cam2", "single_file_n56_cam1"):
        found = single_file(folder / f"{name}.csv")
        lines += [(name, *row) for row in found]
    write(
        "single_file",
        [
            "Single file on an oval of 34 and of 56 persons (2006), in the view of a camera.",
            SOURCE,
            "Density 1 / d, where d is half of the distance between the persons in front and",
            "behind, every 2 s.",
        ],
        "experiment,time_s,density_per_m,speed_m_s",
        lines,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
