"""Compute many walks in parallel on all cores."""

from __future__ import annotations

import math
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from footway import validation
from footway._numba.jit import thread_count
from footway.corridor.map import as_points
from footway.corridor.solver import SPACING
from footway.errors import BadQuery, NoPath
from footway.follow.cmm import NO_DISCS, cmm, make_settings
from footway.follow.kernels.batch import DONE, NOWHERE, walk_many
from footway.follow.kernels.corridor import BLOCK
from footway.follow.kernels.walk import FIELDS
from footway.follow.walk import Walk
from footway.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from footway.corridor import CorridorMap
    from footway.follow.settings import Settings

    Floats = NDArray[np.float64]

_BATCH = 16  # queries per task of a thread
_SAMPLES = 1 << 16  # capacity of a batch


class _Scratch(threading.local):
    """Sample buffers of a thread, reused because allocation takes longer than the walk."""

    def __init__(self) -> None:
        self.samples = tuple(np.empty((_SAMPLES, 3)) for _ in range(3))


_scratch = _Scratch()


def cmm_batch(
    cmap: CorridorMap,
    starts: ArrayLike,
    goals: ArrayLike,
    *,
    radius: float = 0.25,
    speed: float = 1.2,
    step: float = 0.1,
    turn_rate: float = math.pi,
    shortcut: float = 0.0,
    noise: float = 0.0,
    wavelength: float = 8.0,
    lane: float = 0.0,
    corner: float = 0.0,
    seed: int = 0,
    threads: int | None = None,
) -> list[Walk | None]:
    """Compute a walk for each of (n, 2) starts and goals, on all cores; None if there is no path.

    Walk k is bit-identical to the result of `cmm` in `cmap.corridor(starts[k], goals[k])` with the
    seed `seed + k`, for any number of threads.

    Example:
        >>> import footway as fw
        >>> cmap = fw.CorridorMap.build(fw.load("gallery:field"))
        >>> walks = fw.follow.cmm_batch(cmap, [(2, 2), (2, 3)], [(17, 11), (-5, 0)])
        >>> [walk is not None for walk in walks]
        [True, False]

    """
    if not hasattr(cmap, "solver"):
        raise BadQuery(f"a CorridorMap is needed, not {shown(cmap)}: see CorridorMap.build")
    ends = _queries(starts, goals)
    settings = make_settings(
        radius=radius, speed=speed, step=step, turn_rate=turn_rate, shortcut=shortcut, noise=noise,
        wavelength=wavelength, lane=lane, corner=corner, seed=seed,
    )  # fmt: skip
    validation.seed(seed, high=validation.MOST_SEED - len(ends))
    validation.radius(radius, cmap.solver.extent)
    count = validation.threads(threads) or thread_count()
    firsts = range(0, len(ends), _BATCH)
    with ThreadPoolExecutor(max_workers=count) as pool:
        batches = pool.map(
            lambda first: list(_walk_batch(cmap, ends[first : first + _BATCH], settings, first)),
            firsts,
        )
        return [walk for batch in batches for walk in batch]


def _walk_batch(
    cmap: CorridorMap, ends: Floats, settings: Settings, first: int
) -> Iterator[Walk | None]:
    """Yield the walks of some queries; `first` is the index of the first one in all queries."""
    n, solver = len(ends), cmap.solver
    statuses, offsets, stood = np.empty(n, np.int64), np.empty(n + 1, np.int64), np.zeros(n, bool)
    points, velocities, directions = _scratch.samples
    seeds = settings.seed + first + np.arange(n)
    balls, places, shares = solver.balls
    walk_many(
        ends, seeds, settings, SPACING, balls, places, shares,
        np.empty((len(balls) // BLOCK + 1, 4)), np.empty(len(balls)), np.empty(FIELDS),
        statuses, offsets, stood, points, velocities, directions, NO_DISCS, solver.index,
        solver.ladder,
    )  # fmt: skip
    for k, (status, seed) in enumerate(zip(statuses.tolist(), seeds.tolist(), strict=True)):
        if status == NOWHERE:
            yield None
        elif status == DONE:
            rows = slice(int(offsets[k]), int(offsets[k + 1]))
            yield Walk(
                partial(cmap.corridor, ends[k, :2], ends[k, 2:], radius=settings.radius),
                settings.radius,
                settings.speed,
                settings.step,
                points[rows, :2].copy(),
                velocities[rows, :2].copy(),
                directions[rows, :2].copy() if stood[k] else None,
                (),
                NO_DISCS,
                solver.index.grid,
            )
        else:
            yield _walk_alone(cmap, ends[k], settings, seed)


def _walk_alone(cmap: CorridorMap, ends: Floats, settings: Settings, seed: int) -> Walk | None:
    """Compute the walk of a query that exceeds the memory of a batch."""
    options = settings._asdict() | {"seed": seed}
    options.pop("repulsion")
    try:
        return cmm(cmap.corridor(ends[:2], ends[2:], radius=settings.radius), **options)
    except NoPath:
        return None


def _queries(starts: ArrayLike, goals: ArrayLike) -> Floats:
    """Return start and goal of each query, (n, 4)."""
    a, b = as_points(starts), as_points(goals)
    validation.as_many(a, b)
    return np.hstack([a, b])
