"""Voronoi-PRM: a roadmap of straight edges far from walls, from samples on the Voronoi diagram.

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
from footway.roadmap.draft import Draft
from footway.roadmap.growing import put_in_chains, put_in_samples
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
"""Of the construction, as `progress` counts them."""

FEWEST = 200
"""Samples where the caller does not say how many, on top of one for each `AREA_PER_SAMPLE`."""

AREA_PER_SAMPLE = 100.0  # m2

WITHOUT_PASSAGES = 8
"""Times as many samples, up to `ENOUGH`, where passages are found by samples alone."""

ENOUGH = 5000

MOST_SAMPLES = 100_000

NEIGHBOURS = 3.0
"""Mean distances between samples that neighbours may be apart where the caller does not say."""


MOST_CELLS = 1000
"""Cells along the longer side of the lattice where the disc fits in no cell of the usual size."""

SAVING = 1.0
"""Neighbour distances that an edge must save where all passages are there already: else
each corner would be cut, and the corners that are left, again and again."""


class _Wishes(NamedTuple):
    """What was asked for, checked; lengths in m."""

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
    """Return a roadmap of straight edges that keep their distance from the walls.

    Args:
        environment: 2D map.
        radius: m, of the disc that moves, a micrometre or more. No part of an edge is nearer to a
            wall.
        clearance: m, distance to walls that edges keep wherever there is room; in a narrower
            passage they follow its middle. None: twice the radius.
        samples: how many places are drawn; None: by the size of the map.
        neighbour_distance: m, how far apart places may be that an edge joins; None: by the samples.
        usefulness: the paper's K: a cycle is closed by an edge that is this many times shorter
            than the way around.
        resolution: m, side of a cell of the space; None: half a metre, more for large maps.
        every_passage: also put a road through every passage that the disc fits through, not only
            where samples happen to be.
        seed: the same seed gives the same roadmap.
        progress: called with the numbers of steps done and of all.

    Raises:
        BadInput: numbers that make no sense, a volume, or no place where the disc fits.

    Example:
        >>> from footway.environment import gallery
        >>> roadmap = voronoi_prm(gallery.make("field"), radius=0.5)
        >>> roadmap.n_components, roadmap.n_cycles >= 16
        (1, True)

    """
    wishes = _checked(
        environment, radius, clearance, samples, neighbour_distance, usefulness, every_passage, seed
    )
    function(progress, "progress")
    clock = _Clock(progress)
    axis = _axis(environment, wishes.radius)
    clock.tick("axis")
    space = _space(environment, axis, wishes.radius, resolution)
    clock.tick("space")
    draft = Draft(space._replace(radius=0.0), radius=wishes.radius, wish=wishes.clearance)
    lone = _put_in_passages(draft, axis, wishes) if wishes.every_passage else []
    clock.tick("passages")
    _put_in_samples(draft, environment, wishes)
    clock.tick("samples")
    _put_in_edges(draft, wishes)
    clock.tick("edges")
    join_crossings(draft)
    join_overlaps(draft)
    clock.tick("overlaps")
    if wishes.every_passage:  # else a chain may be the only one through its passage
        drop_useless_chains(draft, wishes.usefulness)
    last = drop_dead_ends(draft, STEEP, all_of_them=wishes.every_passage)
    improve(draft)
    clock.tick("bypass")
    nodes, edges = draft.compacted(lone if wishes.every_passage else last or _widest(draft))
    return Roadmap.make(
        nodes, edges, space, method="prm", name=environment.name,
        parameters={**space.parameters, **wishes._asdict()}, seconds=clock.seconds,
    )  # fmt: skip


class _Clock:
    """How long each step took, s."""

    def __init__(self, progress: Progress | None) -> None:
        self.seconds: dict[str, float] = {}
        self._progress = progress
        self._last = time.perf_counter()

    def tick(self, step: str) -> None:
        """Say that a step is done."""
        now = time.perf_counter()
        self.seconds[step], self._last = now - self._last, now
        if self._progress is not None:
            self._progress(len(self.seconds), STEPS)


def _axis(environment: Environment, radius: float) -> MedialAxis:
    """Medial axis of the map, on which the disc must fit somewhere."""
    from footway.medial import medial_axis

    axis = medial_axis(environment.walls)
    widest = int(np.argmax(axis.clearance))
    if axis.clearance[widest] < radius:
        (x, y), room = axis.events[widest].tolist(), float(axis.clearance[widest])
        raise BadInput(
            f"nothing fits a disc of {radius:g} m: the widest place, ({x:.3f}, {y:.3f}), has "
            f"{room:.3f} m; take a smaller radius"
        )
    return axis


def _space(
    environment: Environment, axis: MedialAxis, radius: float, resolution: float | None
) -> Space:
    """Lattice of the disc; a finer one where it fits in no cell of the usual size."""
    try:
        return make_space(environment, resolution=resolution, radius=radius)
    except BadInput:
        if resolution is not None:
            raise
    x0, y0, x1, y1 = environment.bounds
    spare = float(axis.clearance.max()) - radius  # a cell that this is the diagonal of is free
    finer = max(0.7 * spare, max(x1 - x0, y1 - y0) / MOST_CELLS)
    return make_space(environment, resolution=finer, radius=radius)


def _put_in_passages(draft: Draft, axis: MedialAxis, wishes: _Wishes) -> list[int]:
    """Put a chain of edges along every passage; which vertices have none and are needed still."""
    found = passages(axis, draft.walls, radius=wishes.radius, wish=wishes.clearance)
    draft.add_vertices(found.vertices)
    draft.add_edges(found.edges, is_passage=True)
    join_overlaps(draft)
    improve(draft)
    return sorted(set(range(len(found.vertices))) - set(found.edges.ravel().tolist()))


def _put_in_samples(draft: Draft, environment: Environment, wishes: _Wishes) -> None:
    """Put in samples on the Voronoi diagram."""
    drawn = free_samples(
        environment, draft.walls, radius=wishes.radius, count=wishes.samples, seed=wishes.seed
    )
    put_in_samples(draft, *retract_to_axis(drawn, draft.walls))


def _put_in_edges(draft: Draft, wishes: _Wishes) -> None:
    """Put in useful edges, retracted."""
    places = draft.places
    edges = useful_neighbours(
        places, draft.edges, draft.walls, radius=wishes.radius,
        distance=wishes.neighbour_distance, usefulness=wishes.usefulness,
        saving=SAVING * wishes.neighbour_distance if wishes.every_passage else 0.0,
    )  # fmt: skip
    chains = retract_edges(
        places[edges[:, 0]], places[edges[:, 1]], draft.walls, radius=wishes.radius,
        wish=wishes.clearance, shortest=wishes.radius,
    )  # fmt: skip
    put_in_chains(draft, edges, chains)


def _widest(draft: Draft) -> list[int]:
    """The vertex with most room, if there are only vertices."""
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
) -> _Wishes:
    from footway.environment import Environment as Plan  # loads Shapely

    if not isinstance(environment, Plan):
        raise BadInput(_no_map(environment))
    checked_seed(seed, error=BadInput)
    extent = extent_of(environment.bounds)
    r = _radius(radius, extent)
    count = _count(samples, environment.area, every_passage=flag(every_passage, "every_passage"))
    mean = math.sqrt(environment.area / max(count, 1))
    return _Wishes(
        radius=r,
        clearance=2.0 * r if clearance is None else _wish(clearance, r, extent),
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


def _no_map(environment: object) -> str:
    name = getattr(environment, "name", "")
    return (
        f"{name or type(environment).__name__} is no 2D map, which a Voronoi-PRM needs: cut a plan "
        "of a volume with between=LOW,HIGH, or build with rrm_star"
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


def _wish(value: object, radius: float, extent: float) -> float:
    clearance = checked_radius(value, extent, name="clearance", above=0.0, error=BadInput)
    if clearance < radius:
        raise BadInput(
            f"the clearance is {clearance:g} m, less than the radius of {radius:g} m: "
            "it is the distance from the middle of the disc to the walls"
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
