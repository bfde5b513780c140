"""Voronoi-PRM: straight edges with high clearance, from samples on the Voronoi diagram.

    passages -----> samples -----> useful edges -----> retract -----> join -----> bypass
    all of them     retracted      K times shorter     edges          overlaps    vertices

voronoi-roadmaps-2004, sections 2.1 to 2.3.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, NamedTuple, get_args

import numpy as np

from footway._numba.portable_math import hypot
from footway._numba.random_stream import RandomStream
from footway.constants import TOUCH
from footway.errors import BadInput
from footway.roadmap.kernels.graph import make_growing_graph
from footway.roadmap.kernels.prm import inside_walls, retract_points, useful_pairs
from footway.roadmap.lattice.space import Space, make_space
from footway.roadmap.roadmap import Roadmap, clearance_along
from footway.roadmap.voronoi.blends import BlendMethod
from footway.roadmap.voronoi.draft import (
    SLACK,
    Draft,
    add_samples,
    drop_dead_ends,
    drop_useless_chains,
    improve,
    join_crossings,
    join_overlaps,
)
from footway.roadmap.voronoi.passages import STEEP, passages
from footway.validation import FARTHEST, as_float, extent_of, flag, function, one_of, shown
from footway.validation import radius as checked_radius
from footway.validation import seed as checked_seed

if TYPE_CHECKING:
    from footway.arrays import Bools, Floats, Ints
    from footway.environment import Environment
    from footway.medial import MedialAxis
    from footway.roadmap.roadmap import Progress


STEPS = 7  # steps of the construction, as `progress` counts them
FEWEST = 200  # default number of samples, in addition to one for each `AREA_PER_SAMPLE`

AREA_PER_SAMPLE = 100.0  # m2

WITHOUT_PASSAGES = 8
"""Factor on the default number of samples, up to `ENOUGH`, if only samples find passages."""

ENOUGH = 5000

MOST_SAMPLES = 100_000

NEIGHBOURS = 3.0  # default neighbour distance, in mean distances between samples
MOST_CELLS = 1000  # most cells along the longer side of a lattice that is finer than the default

SAVING = 1.0
"""Neighbour distances that an edge must save if all passages have roads already; otherwise corners
would be cut again and again."""

EPSILON = 1e-7
"""m. Largest distance of a retracted point from the Voronoi diagram: the paper's epsilon."""

MOST_TRIES = 100  # most batches of random points that are drawn before sampling stops


class _Parameters(NamedTuple):
    """Checked parameters; lengths in m."""

    radius: float
    clearance: float
    samples: int
    neighbour_distance: float
    usefulness: float
    every_passage: bool
    seed: int


def voronoi_prm(
    environment: Environment,
    *,
    radius: float = 0.25,
    clearance: float | None = None,
    samples: int | None = None,
    neighbour_distance: float | None = None,
    usefulness: float = 1.5,
    resolution: float | None = None,
    every_passage: bool = True,
    blends: BlendMethod = "exact",
    seed: int = 0,
    progress: Progress | None = None,
) -> Roadmap:
    """Return a roadmap of straight edges that keep a distance from the walls.

    Args:
        environment: 2D map.
        radius: m, of the disc that moves, a micrometre or more. No part of an edge is nearer to a
            wall.
        clearance: m, distance to walls that edges keep wherever possible; in a narrower passage
            they follow its middle. None: twice the radius.
        samples: number of random samples; None: by the size of the map.
        neighbour_distance: m, longest edge between samples; None: by their number.
        usefulness: the paper's K: an edge closes a cycle if it is this many times shorter than
            the existing path.
        resolution: m, side of a cell of the space; None: half a metre, more for large maps.
        every_passage: also add a road through every passage that the disc fits through, not only
            where samples happen to be.
        blends: method for the arcs of paths: "exact" or "halved" as published; see `blends`.
        seed: the same seed gives the same roadmap.
        progress: called with the number of steps done and their total number.

    Raises:
        BadInput: invalid numbers, a volume, or a disc that fits nowhere.

    Example:
        >>> from footway.environment import gallery
        >>> roadmap = voronoi_prm(gallery.make("field"), radius=0.5)
        >>> roadmap.n_components, roadmap.n_cycles >= 16
        (1, True)
    """
    parameters = _checked(
        environment, radius, clearance, samples, neighbour_distance, usefulness, every_passage, seed
    )
    one_of(blends, "method of the blends", get_args(BlendMethod), error=BadInput)
    function(progress, "progress")
    clock = _Clock(progress)
    axis = _axis(environment, parameters.radius)
    clock.tick("axis")
    space = _space(environment, axis, parameters.radius, resolution)
    clock.tick("space")
    draft = Draft(
        space._replace(radius=0.0), radius=parameters.radius, desired=parameters.clearance
    )
    isolated = _add_passages(draft, axis, parameters) if parameters.every_passage else []
    clock.tick("passages")
    drawn = free_samples(
        environment, draft.walls, radius=parameters.radius, count=parameters.samples, seed=int(seed)
    )
    add_samples(draft, *retract_to_axis(drawn, draft.walls))
    clock.tick("samples")
    _add_edges(draft, parameters)
    clock.tick("edges")
    join_crossings(draft)
    join_overlaps(draft)
    clock.tick("overlaps")
    if parameters.every_passage:  # otherwise a chain may be the only one through its passage
        drop_useless_chains(draft, parameters.usefulness)
    last = drop_dead_ends(draft, STEEP, all_of_them=parameters.every_passage)
    improve(draft)
    clock.tick("bypass")
    if not parameters.every_passage:
        isolated = last
        if not last and draft.at and not len(draft.edges):
            isolated = [int(np.argmax(draft.clearances))]  # a single node
    nodes, edges = draft.compacted(isolated)
    return Roadmap.make(
        nodes, edges, space, method="voronoi_prm", name=environment.name,
        parameters={**space.parameters, **parameters._asdict(), "blends": blends},
        seconds=clock.seconds,
    )  # fmt: skip


class _Clock:
    """Measures the duration of each step, s, and reports progress."""

    def __init__(self, progress: Progress | None) -> None:
        self.seconds: dict[str, float] = {}
        self._progress = progress
        self._last = time.perf_counter()

    def tick(self, step: str) -> None:
        """Record the end of a step."""
        now = time.perf_counter()
        self.seconds[step], self._last = now - self._last, now
        if self._progress is not None:
            self._progress(len(self.seconds), STEPS)


def _axis(environment: Environment, radius: float) -> MedialAxis:
    """Return the medial axis; raise BadInput if the disc fits nowhere on it."""
    from footway.medial import medial_axis

    axis = medial_axis(environment.walls)
    widest = int(np.argmax(axis.clearance))
    if axis.clearance[widest] < radius:
        (x, y), clearance = axis.events[widest].tolist(), float(axis.clearance[widest])
        raise BadInput(
            f"a disc of radius {radius:g} m fits nowhere: the widest place, ({x:.3f}, {y:.3f}), "
            f"has {clearance:.3f} m; use a smaller radius"
        )
    return axis


def _space(
    environment: Environment, axis: MedialAxis, radius: float, resolution: float | None
) -> Space:
    """Return the lattice of the disc; a finer one if it fits in no cell of the default size."""
    try:
        return make_space(environment, resolution=resolution, radius=radius)
    except BadInput:
        if resolution is not None:
            raise
    x0, y0, x1, y1 = environment.bounds
    spare = float(axis.clearance.max()) - radius  # a cell with this diagonal is free
    finer = max(0.7 * spare, max(x1 - x0, y1 - y0) / MOST_CELLS)
    return make_space(environment, resolution=finer, radius=radius)


def _add_passages(draft: Draft, axis: MedialAxis, parameters: _Parameters) -> list[int]:
    """Add a chain of edges along every passage; return the isolated vertices, which are kept."""
    found = passages(axis, draft.walls, radius=parameters.radius, desired=parameters.clearance)
    draft.add_vertices(found.vertices)
    draft.add_edges(found.edges, is_passage=True)
    join_overlaps(draft)
    improve(draft)
    return sorted(set(range(len(found.vertices))) - set(found.edges.ravel().tolist()))


def _add_edges(draft: Draft, parameters: _Parameters) -> None:
    """Add useful edges, retracted to the Voronoi diagram."""
    places = draft.places
    edges = useful_neighbours(
        places, draft.edges, draft.walls, radius=parameters.radius,
        distance=parameters.neighbour_distance, usefulness=parameters.usefulness,
        saving=SAVING * parameters.neighbour_distance if parameters.every_passage else 0.0,
    )  # fmt: skip
    lines = retract_edges(
        places[edges[:, 0]], places[edges[:, 1]], draft.walls, radius=parameters.radius,
        desired=parameters.clearance, shortest=parameters.radius,
    )  # fmt: skip
    inner = np.concatenate([np.empty((0, 2)), *(line[1:-1] for line in lines)])
    new = iter(draft.add_vertices(inner).tolist())
    chains = [
        [a, *(next(new) for _ in line[1:-1]), b]
        for (a, b), line in zip(edges.tolist(), lines, strict=True)
        if len(line)
    ]
    draft.add_chains(chains, is_passage=False)


def _checked(
    environment: Environment,
    radius: float,
    clearance: float | None,
    samples: int | None,
    neighbour_distance: float | None,
    usefulness: float,
    every_passage: bool,
    seed: int,
) -> _Parameters:
    from footway.environment import Environment as Plan  # loads Shapely

    if not isinstance(environment, Plan):
        name = getattr(environment, "name", "") or type(environment).__name__
        raise BadInput(
            f"{name} is not a 2D map, which a Voronoi-PRM needs: cut a plan of a volume with "
            "between=LOW,HIGH, or build with rrm_star"
        )
    checked_seed(seed, error=BadInput)
    extent = extent_of(environment.bounds)
    size = checked_radius(radius, extent, above=0.0, error=BadInput)
    if size < TOUCH:
        raise BadInput(f"the radius is {size:g} m: it must be at least {TOUCH:g} m")
    desired = 2.0 * size
    if clearance is not None:
        desired = checked_radius(clearance, extent, name="clearance", above=0.0, error=BadInput)
    if desired < size:
        raise BadInput(
            f"the clearance is {desired:g} m, less than the radius of {size:g} m: "
            "it is the distance from the centre of the disc to the walls"
        )
    count = _count(samples, environment.area, every_passage=flag(every_passage, "every_passage"))
    distance = NEIGHBOURS * math.sqrt(environment.area / max(count, 1))
    if neighbour_distance is not None:
        distance = as_float(neighbour_distance) or math.nan
        if not 0.0 < distance <= FARTHEST:
            raise BadInput(
                f"the neighbour distance is {shown(neighbour_distance)}: give a positive length in "
                "metres"
            )
    factor = as_float(usefulness) or math.nan
    if not 1.0 <= factor < math.inf:
        raise BadInput(
            f"the usefulness K is {shown(usefulness)}: it must be 1 or more, and finite "
            "(the paper's is 1.5)"
        )
    return _Parameters(size, desired, count, distance, factor, bool(every_passage), int(seed))


def _count(samples: object, area: float, *, every_passage: bool) -> int:
    if samples is None:
        count = int(FEWEST + area / AREA_PER_SAMPLE)
        return count if every_passage else max(count, min(WITHOUT_PASSAGES * count, ENOUGH))
    is_whole = isinstance(samples, int | np.integer) and not isinstance(samples, bool)
    if not is_whole or not 0 <= int(samples) <= MOST_SAMPLES:  # type: ignore[call-overload]
        raise BadInput(
            f"samples is {shown(samples)}: give a whole number from 0 to {MOST_SAMPLES:,}"
        )
    return int(samples)  # type: ignore[call-overload, no-any-return]


# -- samples and edges on the Voronoi diagram (sections 2.1 and 2.2) -----------------------------


def free_samples(
    environment: Environment, walls: Space, *, radius: float, count: int, seed: int
) -> Floats:
    """Return `count` positions (n, 2) m of a disc, uniform in the space in which it fits.

    Fewer if the disc fits in a tiny part of the map only. `walls` is a space of radius 0.
    """
    rng = RandomStream(seed)
    rings = np.ascontiguousarray(environment.walls.segments[~environment.walls.two_sided])
    low, high = np.array(environment.bounds).reshape(2, 2)
    found = np.empty((0, 2))
    for _ in range(MOST_TRIES):
        if len(found) >= count:
            break
        drawn = low + rng.uniform(max(count, 64), 2) * (high - low)
        inside = np.empty(len(drawn), bool)
        inside_walls(drawn, rings, inside)
        drawn = drawn[inside]
        found = np.concatenate([found, drawn[walls.clearance(drawn)[0] >= radius]])
    return found[:count]


def retract_to_axis(points: Floats, walls: Space) -> tuple[Floats, Floats]:
    """Retract points (n, 2) m to the Voronoi diagram; return them and their clearance (n,) m.

    Each moves straight away from its nearest wall point until another wall point is as near.
    """
    out = np.empty((len(points), 3))
    retract_points(np.ascontiguousarray(points), EPSILON, walls, out)
    return out[:, :2].copy(), out[:, 2].copy()


def useful_neighbours(
    places: Floats,
    known: Ints,
    walls: Space,
    *,
    radius: float,
    distance: float,
    usefulness: float,
    saving: float = 0.0,
) -> Ints:
    """Return new edges (m, 2) between places (n, 2), the shortest first.

    An edge joins two places within `distance` metres between which a disc can move straight, if
    along the known edges (k, 2) and the new ones so far there is no path, or only one that is more
    than `usefulness` times longer and longer by more than `saving` metres.
    """
    from scipy.spatial import cKDTree

    if len(places) < 2:
        return np.empty((0, 2), np.int64)
    pairs = cKDTree(places).query_pairs(distance, output_type="ndarray").astype(np.int64)
    lengths = _lengths(places, pairs)
    order = np.lexsort((pairs[:, 1], pairs[:, 0], lengths))
    pairs, lengths = pairs[order], lengths[order]  # no length is 0: close vertices were united
    known = np.ascontiguousarray(known)
    limits = np.maximum(usefulness * lengths, lengths + saving)
    graph, search = make_growing_graph(len(places), len(pairs) + len(known))
    useful: Bools = useful_pairs(
        np.ascontiguousarray(pairs), lengths, places, known, _lengths(places, known), limits,
        radius, walls, graph, search,
    )  # fmt: skip
    chosen: Ints = pairs[useful]
    return chosen


def retract_edges(
    starts: Floats, ends: Floats, walls: Space, *, radius: float, desired: float, shortest: float
) -> list[Floats]:
    """Retract straight edges; return a chain of points (k, 2) m for each, empty if it fails.

    If an edge has less than the `desired` clearance, its midpoint is retracted and both halves are
    treated in the same way, until they have that clearance or their share of the straight edge is
    no longer than `shortest`. An edge fails if such a short part has less clearance than `radius`.
    """
    n = len(starts)
    length = hypot(*(ends - starts).T)
    parts = _Parts(np.hstack([starts, ends]), np.arange(n), np.zeros(n), np.ones(n))
    done: list[_Parts] = []
    failed = np.zeros(n, bool)
    while len(parts.lines):
        clearance = clearance_along(parts.lines[:, :2], parts.lines[:, 2:], walls)
        enough = clearance >= desired - SLACK
        short = length[parts.edge] * parts.share <= shortest
        failed[parts.edge[~enough & short & (clearance < radius - SLACK)]] = True
        done.append(parts.where(enough | short))
        parts = parts.where(~enough & ~short & ~failed[parts.edge]).halved(walls)
    if not done:
        return []
    # The points of each edge in order.
    lines, edge, begin, _ = (np.concatenate(values) for values in zip(*done, strict=True))
    order = np.lexsort((begin, edge))
    lines, cuts = lines[order], np.searchsorted(edge[order], np.arange(n + 1))
    return [
        np.empty((0, 2)) if bad else np.concatenate([lines[a : a + 1, :2], lines[a:b, 2:]])
        for a, b, bad in zip(cuts[:-1].tolist(), cuts[1:].tolist(), failed.tolist(), strict=True)
    ]


class _Parts(NamedTuple):
    """Straight parts of edges."""

    lines: Floats  # (p, 4) m, both ends
    edge: Ints  # (p,) edge that each belongs to
    begin: Floats  # (p,) share of the edge at which the part starts
    share: Floats  # (p,) length as a share of the edge

    def where(self, chosen: Bools) -> _Parts:
        """Return the chosen parts."""
        return _Parts(self.lines[chosen], self.edge[chosen], self.begin[chosen], self.share[chosen])

    def halved(self, walls: Space) -> _Parts:
        """Return both halves of every part; they meet in its retracted midpoint."""
        starts, ends, half = self.lines[:, :2], self.lines[:, 2:], 0.5 * self.share
        middle, _ = retract_to_axis(0.5 * (starts + ends), walls)
        return _Parts(
            np.concatenate([np.hstack([starts, middle]), np.hstack([middle, ends])]),
            np.tile(self.edge, 2),
            np.concatenate([self.begin, self.begin + half]),
            np.tile(half, 2),
        )


def _lengths(places: Floats, edges: Ints) -> Floats:
    length: Floats = hypot(*(places[edges[:, 0]] - places[edges[:, 1]]).T)
    return length
