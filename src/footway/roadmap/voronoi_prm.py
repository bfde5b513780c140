"""Voronoi-PRM: straight edges with high clearance, from samples on the Voronoi diagram.

    passages -----> samples -----> useful edges -----> retract -----> join -----> bypass
    all of them     retracted      K times shorter     edges          overlaps    vertices

voronoi-roadmaps-2004, sections 2.1 to 2.3.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway.constants import TOUCH
from footway.errors import BadInput
from footway.roadmap.draft import Draft, add_chains, add_samples
from footway.roadmap.improving import drop_dead_ends, drop_useless_chains, improve
from footway.roadmap.overlap import join_crossings, join_overlaps
from footway.roadmap.passages import STEEP, passages
from footway.roadmap.retracted_samples import (
    free_samples,
    retract_edges,
    retract_to_axis,
    useful_neighbours,
)
from footway.roadmap.roadmap import Roadmap
from footway.roadmap.space import Space, make_space
from footway.validation import FARTHEST, as_float, extent_of, flag, function, shown
from footway.validation import radius as checked_radius
from footway.validation import seed as checked_seed

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from footway.environment import Environment
    from footway.medial import MedialAxis

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Progress = Callable[[int, int], None]


STEPS = 7
"""Steps of the construction, as `progress` counts them."""

FEWEST = 200
"""Default number of samples, in addition to one for each `AREA_PER_SAMPLE`."""

AREA_PER_SAMPLE = 100.0  # m2

WITHOUT_PASSAGES = 8
"""Factor on the default number of samples, up to `ENOUGH`, if only samples find passages."""

ENOUGH = 5000

MOST_SAMPLES = 100_000

NEIGHBOURS = 3.0
"""Default neighbour distance, in mean distances between samples."""


MOST_CELLS = 1000
"""Most cells along the longer side of a lattice that is finer than the default."""

SAVING = 1.0
"""Neighbour distances that an edge must save if all passages have roads already; otherwise corners
would be cut again and again."""


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
        environment,
        draft.walls,
        radius=parameters.radius,
        count=parameters.samples,
        seed=parameters.seed,
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
    nodes, edges = draft.compacted(isolated if parameters.every_passage else last or _widest(draft))
    return Roadmap.make(
        nodes, edges, space, method="prm", name=environment.name,
        parameters={**space.parameters, **parameters._asdict()}, seconds=clock.seconds,
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
            f"nothing fits a disc of {radius:g} m: the widest place, ({x:.3f}, {y:.3f}), has "
            f"{clearance:.3f} m; take a smaller radius"
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
    chains = retract_edges(
        places[edges[:, 0]], places[edges[:, 1]], draft.walls, radius=parameters.radius,
        desired=parameters.clearance, shortest=parameters.radius,
    )  # fmt: skip
    add_chains(draft, edges, chains)


def _widest(draft: Draft) -> list[int]:
    """Return the vertex with most clearance if there are no edges, otherwise nothing."""
    if not draft.at or len(draft.edges):
        return []
    return [int(np.argmax(draft.walls.clearance(draft.places)[0]))]


# Checks ------------------------------------------------------------------------------------------


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
            f"{name} is no 2D map, which a Voronoi-PRM needs: cut a plan of a volume with "
            "between=LOW,HIGH, or build with rrm_star"
        )
    checked_seed(seed, error=BadInput)
    extent = extent_of(environment.bounds)
    r = _radius(radius, extent)
    count = _count(samples, environment.area, every_passage=flag(every_passage, "every_passage"))
    mean = math.sqrt(environment.area / max(count, 1))
    return _Parameters(
        radius=r,
        clearance=2.0 * r if clearance is None else _clearance(clearance, r, extent),
        samples=count,
        neighbour_distance=(
            NEIGHBOURS * mean
            if neighbour_distance is None
            else _positive(neighbour_distance, "neighbour distance")
        ),
        usefulness=_factor(usefulness),
        every_passage=bool(every_passage),
        seed=int(seed),
    )


def _number(value: object) -> float:
    found = as_float(value)
    return math.nan if found is None else found


def _positive(value: object, what: str) -> float:
    length = _number(value)
    if not 0.0 < length <= FARTHEST:
        raise BadInput(f"the {what} is {shown(value)}: give a positive length in metres")
    return length


def _radius(value: object, extent: float) -> float:
    radius = checked_radius(value, extent, above=0.0, error=BadInput)
    if radius < TOUCH:
        raise BadInput(f"the radius is {radius:g} m: the smallest disc has {TOUCH:g} m")
    return radius


def _clearance(value: object, radius: float, extent: float) -> float:
    clearance = checked_radius(value, extent, name="clearance", above=0.0, error=BadInput)
    if clearance < radius:
        raise BadInput(
            f"the clearance is {clearance:g} m, less than the radius of {radius:g} m: "
            "it is the distance from the centre of the disc to the walls"
        )
    return clearance


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


def _factor(usefulness: object) -> float:
    factor = _number(usefulness)
    if not 1.0 <= factor < math.inf:
        raise BadInput(
            f"the usefulness K is {shown(usefulness)}: it must be 1 or more, and finite "
            "(the paper's is 1.5)"
        )
    return factor
