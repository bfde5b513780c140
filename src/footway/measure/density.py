"""Densities in a measurement area."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from footway.environment.areas import contains, voronoi_shares
from footway.errors import BadQuery
from footway.measure.rows import as_area, checked, frame_of_rows
from footway.validation import FARTHEST, number, whole

if TYPE_CHECKING:
    from footway.arrays import Floats
    from footway.recording.recording import Recording


def classic_density(recording: Recording, area: Any) -> Floats:
    """Return the number of characters inside an area by its size, per m2. (frames,).

    rho(t) = N(t) / |A|, PedPy's `compute_classic_density`.

    Args:
        recording: of a crowd.
        area: ring (k, 2) m, Shapely polygon or Area.

    Example:
        >>> import footway as fw
        >>> crowd = fw.Crowd(fw.CorridorMap.build(fw.load("gallery:field")))
        >>> _ = crowd.add(3, starts=[(2, 2), (3, 2), (9, 2)])
        >>> classic_density(crowd.run(seconds=0), [(1, 1), (5, 1), (5, 3), (1, 3)]).tolist()
        [0.25]
    """
    known, polygon = checked(recording), as_area(area)
    inside = contains(polygon, known.positions)
    count = np.bincount(frame_of_rows(known)[inside], minlength=known.n_frames)
    return count / float(polygon.area)


def voronoi_density(
    recording: Recording,
    area: Any,
    *,
    walkable: Any = None,
    cut_off: float | None = None,
    every: int = 1,
) -> Floats:
    """Return the density in an area by Voronoi cells, per m2. (frames / every, rounded up,).

    Steffen and Seyfried (2010): rho(t) = (1 / |M|) sum_i |A_i ∩ M| / |A_i|, where A_i is the cell
    of character i within the walkable area. It fluctuates less than the classic density.

    Args:
        recording: of a crowd.
        area: M: ring (k, 2) m, Shapely polygon or Area.
        walkable: where cells end; by default the environment of the recording.
        cut_off: m, greatest distance from the character that belongs to its cell.
        every: measure every so many frames.

    Raises:
        BadQuery: an argument is invalid, or the recording has no map and `walkable` is missing.
    """
    known, polygon = checked(recording), as_area(area)
    if walkable is None:
        if known.environment is None:
            raise BadQuery("the recording has no map: give `walkable`, where Voronoi cells end")
        walkable = known.environment.walkable
    free_space = as_area(walkable)
    if cut_off is not None:
        cut_off = number(cut_off, "cut_off", "m", above=0.0, high=FARTHEST)
    step = whole(every, "every", low=1)
    found = []
    for k in range(0, known.n_frames, step):
        shares = voronoi_shares(known.frame(k).positions, free_space, polygon, cut_off)
        found.append(float(shares.sum()) / float(polygon.area))
    return np.array(found)
