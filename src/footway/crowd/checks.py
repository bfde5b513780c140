"""Check arguments of a crowd beyond plain numbers: maps, areas, weights, forces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from footway._numba.portable_math import hypot
from footway.crowd.profile import drawn, mean_and_deviation
from footway.errors import BadQuery
from footway.validation import FARTHEST, floats, number, pair, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway._numba.random_stream import RandomStream
    from footway.corridor import CorridorMap
    from footway.crowd.profile import Spread

    Floats = NDArray[np.float64]

LONGEST = 604_800.0  # s, a week: larger values are probably in another unit
_SAME_WALL = 0.01  # m, tolerance between walls of a map and of its environment


def a_map(value: object) -> None:
    """Raise BadQuery unless the value is a CorridorMap in the plane."""
    if not hasattr(value, "solver"):
        raise BadQuery(
            f"a crowd walks on a CorridorMap in the plane, not on {shown(value)}: build one, of a "
            "volume or a mesh from the plan that load(..., between=(LOW, HIGH)) cuts"
        )


def environment_of(cmap: CorridorMap, value: object) -> None:
    """Raise BadQuery if bounds or walls show that the map was built from another environment."""
    bounds = getattr(value, "bounds", None)
    if bounds is None or not hasattr(value, "walls"):
        raise BadQuery(f"the environment is {shown(value)}: give what the map was built from")
    if not np.allclose(bounds, cmap.bounds, rtol=0.0, atol=0.01):
        raise BadQuery(
            f"the environment {getattr(value, 'name', '')!r} reaches from {bounds[:2]} to "
            f"{bounds[2:]}, the map from {cmap.bounds[:2]} to {cmap.bounds[2:]}: give the one that "
            "the map was built from"
        )
    _check_walls(cmap, value)


def _check_walls(cmap: CorridorMap, environment: Any) -> None:
    """Raise BadQuery if the environment has a wall that the map lacks, or the reverse."""
    segments, points = environment.walls.segments, environment.walls.points
    places = np.concatenate([0.5 * (segments[:, :2] + segments[:, 2:]), points])
    off = np.flatnonzero(~(cmap.clearance(places) <= _SAME_WALL))
    if len(off):
        x, y = places[off[0]]
        raise BadQuery(
            f"the environment {environment.name!r} has a wall at ({x:.2f}, {y:.2f}) where the map "
            "has none: give the one that the map was built from"
        )
    axis = cmap.solver.index.axis
    there, here = (_length(lines) for lines in (axis.sites[~axis.is_point], segments))
    if abs(there - here) > _SAME_WALL:
        raise BadQuery(
            f"the environment {environment.name!r} has {here:.2f} m of walls and the map "
            f"{there:.2f} m: give the one that the map was built from"
        )


def _length(segments: Floats) -> float:
    """Return the total length of segments (n, 4), m."""
    return float(hypot(*(segments[:, 2:] - segments[:, :2]).T).sum())


def premovement(value: Spread, count: int, rng: RandomStream) -> Floats:
    """Draw the seconds before each character starts to walk (count,), 0 or more."""
    mean, deviation = mean_and_deviation(value, "premovement", "s")
    number(mean, "premovement", "s", low=0.0, high=LONGEST)
    number(deviation, "deviation of the premovement", "s", low=0.0, high=LONGEST)
    return np.maximum(0.0, drawn((mean, deviation), count, rng))


def preference(value: Any, edges: int) -> Floats:
    """Return checked weights of the edges of the map (edges,); some must be positive."""
    weights = floats(value, f"({edges},)", name="the preference")
    if weights.shape != (edges,) or not ((weights >= 0.0) & (weights <= FARTHEST)).all():
        raise BadQuery(f"the preference must be ({edges},) weights of 0 or more: one for each edge")
    if not weights.any():
        raise BadQuery("the preference is 0 for every edge: some must be positive")
    return weights


def forces(value: Any, count: int) -> NDArray[np.float32]:
    """Return the checked accelerations (count, 2) that a user's function returned."""
    wanted = f"give accelerations ({count}, 2) in m/s2, or None"
    array = floats(value, f"({count}, 2)", name="what a function of each_step returns")
    if array.shape != (count, 2):
        raise BadQuery(f"a function of each_step returned the shape {array.shape}: {wanted}")
    with np.errstate(over="ignore"):
        single = array.astype(np.float32)
    if not np.isfinite(single).all():
        row = int(np.flatnonzero(~np.isfinite(single).all(axis=1))[0])
        raise BadQuery(
            f"a function of each_step returned {array[row].tolist()} in row {row}: {wanted}, "
            "finite ones"
        )
    return single


def as_choice(value: Any) -> list[Any] | None:
    """Return alternative destinations; None if the value is one point or area.

    A list of three or more points is an area; as alternatives, each point needs its own list.
    """
    if not isinstance(value, (list, tuple)) or as_point(value) is not None or _is_ring(value):
        return None
    if not value:
        raise BadQuery("a destination is an empty list: give areas or points to choose from")
    return [
        item[0] if isinstance(item, (list, tuple)) and len(item) == 1 else item for item in value
    ]


def _is_ring(value: Any) -> bool:
    """Return whether a list has the shape of three or more points."""
    try:
        array = np.asarray(value, np.float64)
    except (TypeError, ValueError, OverflowError):
        return False
    return array.ndim == 2 and len(array) > 2


def as_point(value: Any) -> Floats | None:
    """Return (1, 2) if the value is one point x, y; else None."""
    if hasattr(value, "__geo_interface__") or hasattr(value, "rings"):
        return None
    try:
        return np.array([pair(value, "point")])
    except BadQuery:
        return None
