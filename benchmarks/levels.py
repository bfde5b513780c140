"""Roadmaps of large levels of voxels, for a ball with a radius of half a voxel.

"boxes" is open space with random boxes, "rooms" a grid of rooms with doors, shafts and furniture;
both are made from a seed. "Simple" is the MovingAI map of that name, where present, with the
lengths of its scenario: steps to one of the 26 neighbours of a voxel. Elsewhere the shortest path
is that of the grid of free cells, with the same steps. A path may be shorter than these, since it
need not run from corner to corner. "peak" is the memory of the process up to the construction of
the roadmap, "processor" the time of all threads.
"""

from __future__ import annotations

import resource
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import footway as fw
from benchmarks.checks import WrongAnswer
from benchmarks.effort import FULL
from benchmarks.report import Outcome, Table, Target
from footway.roadmap.lattice.grid import grid_distances

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.effort import Effort
    from footway.roadmap import Roadmap, SpaceMap

    Floats = NDArray[np.float64]

SHAPE = (246, 154, 205)
QUICK_SHAPE = (62, 39, 52)
RADIUS = 0.5
SHARED = Path(__file__).parents[2] / "shared" / "data" / "grids3d" / "Simple.3dmap"
STARTS = 4  # of random queries: each is one search of the whole grid
NEAREST = 10.0  # cells; the detour of shorter queries says little
LONGER = 1.3  # times the shortest path: the goal for the average
MOST_SECONDS, MOST_GB = 60.0, 2.0


class Queries(NamedTuple):
    """Queries with the lengths of their shortest paths."""

    starts: Floats  # (n, 3) m
    goals: Floats  # (n, 3) m
    shortest: Floats  # (n,) m


def run(effort: Effort) -> Outcome:
    """Build roadmaps of each level, check them, and measure time, memory and paths."""
    shape = SHAPE if effort.queries >= FULL.queries else QUICK_SHAPE
    levels = [boxes(shape), rooms(shape)]
    if SHARED.is_file():
        levels.append(fw.load(SHARED))
    built = [_build(level) for level in levels]  # first all, since searching grids needs memory
    rows, means = [], []
    for made in built:
        found = fw.roadmap.verify(made.roadmaps[0])
        if not found.holds:
            raise WrongAnswer(f"{made.roadmaps[0].name}: {found}")
        queries = _queries(made.roadmaps[0], effort.queries)
        for roadmap, seconds in zip(made.roadmaps, made.seconds, strict=True):
            ratio, each = _paths(fw.CorridorMap.from_roadmap(roadmap), queries)
            means.append(float(ratio.mean()))
            rows.append(
                (roadmap.name, roadmap.method, roadmap.n_nodes, roadmap.n_edges,
                 len(roadmap.closed), f"{seconds:.1f}", f"{made.cpu:.1f}", f"{made.memory:.2f}",
                 f"{means[-1]:.3f}", f"{ratio.max():.2f}", f"{1000.0 * each:.2f}")
            )  # fmt: skip
    columns = (
        *("level", "method", "nodes", "edges", "closed passages", "built, s"),
        *("processor, s", "peak, GB", "over the shortest, mean", "most", "per path, ms"),
    )
    slowest = max(made.seconds[-1] for made in built)
    return Outcome(
        [Table(f"Roadmaps of levels, {' x '.join(map(str, shape))} voxels", columns, rows)],
        "coverage and connection of every roadmap at every free corner; every path in free cells",
        [
            Target("length of paths over the shortest, mean", LONGER, "", max(means)),
            Target("RRRM of a level", MOST_SECONDS, "s", slowest),
            Target("memory", MOST_GB, "GB", max(made.memory for made in built)),
        ],
    )


class Built(NamedTuple):
    """Roadmaps of a level, and the effort."""

    roadmaps: list[Roadmap]  # RRM*, RRRM
    seconds: list[float]  # s, up to each
    cpu: float  # s, of both
    memory: float  # GB, peak of the process so far


def _build(level: fw.Volume) -> Built:
    began, processor = time.perf_counter(), time.process_time()
    star = fw.roadmap.rrm_star(level, radius=RADIUS)
    halfway = time.perf_counter() - began
    retracted = fw.roadmap.retract(star)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    seconds = [halfway, time.perf_counter() - began]
    return Built([star, retracted], seconds, time.process_time() - processor, memory)


def _queries(roadmap: Roadmap, count: int) -> Queries:
    file = SHARED.with_name(SHARED.name + ".3dscen")
    if roadmap.name == SHARED.stem and file.is_file():
        return scenario(file, roadmap, count)
    return random_queries(roadmap, count)


def boxes(shape: tuple[int, int, int], seed: int = 1) -> fw.Volume:
    """Return a level of random boxes in open space, about a sixth of it solid."""
    random = np.random.default_rng(seed)
    solid = np.zeros(shape[::-1], bool)
    for _ in range(round(400 * np.prod(shape) / np.prod(SHAPE))):
        low, size = random.integers(0, shape), random.integers(3, 30, 3)
        solid[tuple(slice(a, a + s) for a, s in zip(low[::-1], size[::-1], strict=True))] = True
    return fw.Volume(solid, resolution=1.0, name="boxes")


def rooms(shape: tuple[int, int, int], seed: int = 1, side: int = 41) -> fw.Volume:
    """Return a level of rooms with walls of two voxels, doors and shafts, and furniture."""
    random = np.random.default_rng(seed)
    solid = np.zeros(shape[::-1], bool)
    cuts = [np.linspace(0, s, max(2, round(s / side) + 1)).astype(int) for s in shape]
    for axis in range(3):
        others = [a for a in range(3) if a != axis]
        for wall in cuts[axis][1:-1]:
            place = [slice(None)] * 3
            place[2 - axis] = slice(wall - 1, wall + 1)
            solid[tuple(place)] = True
            for corner in np.ndindex(*(len(cuts[a]) - 1 for a in others)):
                if random.random() < 0.4:
                    continue
                for a, k in zip(others, corner, strict=True):
                    low, high = cuts[a][k] + 2, max(cuts[a][k] + 3, cuts[a][k + 1] - 8)
                    first = int(random.integers(low, high))
                    place[2 - a] = slice(first, first + int(random.integers(3, 8)))
                solid[tuple(place)] = False
    for _ in range(round(600 * np.prod(shape) / np.prod(SHAPE))):
        low, size = random.integers(0, shape), random.integers(2, 10, 3)
        solid[tuple(slice(a, a + s) for a, s in zip(low[::-1], size[::-1], strict=True))] = True
    return fw.Volume(solid, resolution=1.0, name="rooms")


def random_queries(roadmap: Roadmap, count: int) -> Queries:
    """Return queries between free corners that are connected, from few starts to many goals."""
    space, random = roadmap.space, np.random.default_rng(7)
    corners = space.corners
    few = corners[random.integers(0, len(corners), STARTS)]
    starts, goals = few, corners[random.integers(0, len(corners), -(-count // STARTS))]
    lengths = grid_distances(space, starts, goals)
    a, b = np.nonzero(np.isfinite(lengths) & (lengths > NEAREST * space.resolution))
    return Queries(space.positions(starts[a]), space.positions(goals[b]), lengths[a, b])


def scenario(file: Path, roadmap: Roadmap, count: int) -> Queries:
    """Return queries of a MovingAI scenario between centres of voxels that are free cells."""
    given = np.loadtxt(file, skiprows=2, usecols=range(7))
    cells, lengths = given[:, :6].astype(int).reshape(-1, 2, 3), given[:, 6]
    free = roadmap.space.free[cells[..., 2], cells[..., 1], cells[..., 0]].all(axis=1)
    chosen = np.flatnonzero(free & (lengths > NEAREST))
    chosen = chosen[:: max(1, len(chosen) // count)][:count]
    return Queries(cells[chosen, 0] + 0.5, cells[chosen, 1] + 0.5, lengths[chosen])


def _paths(smap: SpaceMap, queries: Queries) -> tuple[Floats, float]:
    """Return the lengths of paths over the shortest, (n,), and the mean processor time, s."""
    pairs = list(zip(queries.starts, queries.goals, strict=True))
    smap.path(*pairs[0])
    start = time.process_time()
    paths = [smap.path(a, b) for a, b in pairs]
    each = (time.process_time() - start) / len(paths)
    space = smap.roadmap.space
    for path in paths:
        if not space.lines_are_free(path.points[:-1], path.points[1:]).all():
            raise WrongAnswer(f"the path from {path.start} to {path.goal} leaves the free cells")
    return np.array([path.length for path in paths]) / queries.shortest, each
