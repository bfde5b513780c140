"""RRRM: retract the local paths of a roadmap to the medial axis (rrm-roadmaps-2006, section IV).

Nodes are not moved: up to the lattice they lie on the medial axis already, and the shortest path
factor is defined for nodes on it. So the least clearance of an edge, which may be that of a node,
never decreases.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from footway._numba.jit import thread_count
from footway.errors import BadInput
from footway.roadmap.kernels.retraction import STEP, retract_path
from footway.roadmap.lattice.rrm_star import UsefulNodes, check_same, on_lattice, phase, rrm_star
from footway.roadmap.roadmap import Roadmap, a_roadmap
from footway.validation import function
from footway.validation import seed as checked_seed

if TYPE_CHECKING:
    from footway.arrays import Floats
    from footway.environment import Environment
    from footway.environment.volume import Volume
    from footway.roadmap.lattice.space import Space
    from footway.roadmap.roadmap import Progress


STRETCH = 3
"""Memory for a retracted path: this many times the configurations of the straight one + `SPARE`."""

SPARE = 64

STRAIGHT = 0.8  # share of the work that is done before the retraction


def rrrm(
    source: Environment | Volume | Roadmap,
    *,
    resolution: float | None = None,
    radius: float = 0.25,
    size: tuple[float, float, float] | None = None,
    usefulness: float = 1.5,
    useful_nodes: UsefulNodes = "shortening",
    seed: int = 0,
    progress: Progress | None = None,
) -> Roadmap:
    """Return the retracted RRM*: small, with useful cycles and high clearance.

    Args:
        source: 2D map, volume of voxels, or a roadmap of `rrm` or `rrm_star`.
        resolution: m, side of a cell; None: half a metre, more for large maps, and less if that
            would close passages (see `Roadmap.closed`); a volume's own.
        radius: m, of the disc or ball that moves.
        size: m, of a box that moves without turning, in a volume.
        usefulness: the paper's K: see `rrm_star`.
        useful_nodes: "shortening" or "published": see `rrm_star`.
        seed: the same seed gives the same roadmap.
        progress: called with the approximate amount of work done and 1000, the total.

    Raises:
        BadInput: invalid numbers, too many cells for the memory, or no free cell.

    Example:
        >>> from footway.environment import gallery
        >>> roadmap = rrrm(gallery.make("field"), resolution=1.0, radius=0.5)
        >>> roadmap.method, len(roadmap.path_points) > 3 * roadmap.n_edges
        ('rrrm', True)
    """
    function(progress, "progress")
    if isinstance(source, Roadmap) and source.method == "rrm_star":
        checked_seed(seed, error=BadInput)
        own = {name: source.parameters.get(name) for name in ("usefulness", "useful_nodes")}
        check_same(
            source.space.parameters | own, resolution=resolution, radius=radius, size=size,
            usefulness=usefulness, useful_nodes=useful_nodes,
        )  # fmt: skip
    else:
        source = rrm_star(
            source, resolution=resolution, radius=radius, size=size, usefulness=usefulness,
            useful_nodes=useful_nodes, seed=seed, progress=phase(progress, 0.0, STRAIGHT),
        )  # fmt: skip
    return retract(source, progress=phase(progress, STRAIGHT, 1.0))


def retract(roadmap: Roadmap, *, progress: Progress | None = None) -> Roadmap:
    """Return the same roadmap with every local path on the medial axis, in two or three dimensions.

    Configurations one cell apart are pushed away from their closest obstacle until their clearance
    stops growing. Branches that go back and forth are cut. Then the path is smoothed, at the cost
    of at most a tenth of a cell of clearance. Paths stay in the free cells, and the least clearance
    of a path never decreases.

    Args:
        roadmap: of any method; its weights are kept.
        progress: called with the number of edges done and their total number.

    Raises:
        BadInput: a roadmap with fake obstacles, which the medial axis ignores.

    Example:
        >>> from footway.environment import Environment
        >>> from footway.roadmap.roadmap import Roadmap
        >>> from footway.roadmap.lattice.space import make_space
        >>> hall = make_space(Environment.from_polygons(bounds=(0, 0, 20, 10)))
        >>> straight = Roadmap.make([(2, 2), (18, 2)], [(0, 1)], hall, method="rrm")
        >>> round(float(retract(straight).path_of(0)[:, 1].max()), 1)
        5.0
    """
    a_roadmap(roadmap)
    function(progress, "progress")
    if roadmap.fake_obstacles:
        raise BadInput("the roadmap has fake obstacles: retract it first, then edit")
    start = time.perf_counter()
    space, done = roadmap.space, []
    paths = [roadmap.path_of(edge) for edge in range(roadmap.n_edges)]
    with ThreadPoolExecutor(thread_count()) as pool:
        for path in pool.map(lambda path: retract_line(path, space), paths):
            done.append(path)
            if progress is not None:
                progress(len(done), len(paths))
    return Roadmap.make(
        roadmap.nodes, roadmap.edges, space, method="rrrm", paths=done, weights=roadmap.weights,
        name=roadmap.name, parameters=roadmap.parameters,
        seconds={**roadmap.seconds, "retraction": time.perf_counter() - start},
    ).with_changes(closed=roadmap.closed)  # fmt: skip


def retract_line(points: Floats, space: Space) -> Floats:
    """Retract a polyline in free cells, (k, d) m, to the medial axis, as `retract` does."""
    path = on_lattice(space.lattice(points))
    length = float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())
    most = int(STRETCH * length / STEP) + len(path) + SPARE
    return space.positions(retract_path(path, most, space))
