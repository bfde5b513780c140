"""What a query is given, in two or three dimensions, or one clear line that says why not."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from footway._jit import thread_count
from footway.errors import BadQuery

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

_NUMBERS = {2: "two numbers x, y", 3: "three numbers x, y, z"}


def point(value: Any, what: str, dimension: int = 2) -> Floats:
    """Finite numbers (d,), m."""
    try:
        place = np.array([float(number) for number in value])
    except (TypeError, ValueError):
        place = np.empty(0)
    if len(place) != dimension:
        raise BadQuery(f"the {what} must be {_NUMBERS[dimension]} in metres, not {value!r}")
    if not np.isfinite(place).all():
        raise BadQuery(f"the {what} is {text(place)}: coordinates must be finite")
    return place


def points(values: ArrayLike, dimension: int = 2) -> Floats:
    """Finite numbers (n, d), C-contiguous."""
    try:
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadQuery(f"points must be numbers in an (n, {dimension}) array: {error}") from None
    if array.size == 0 and array.ndim in (1, 2):
        array = array.reshape(0, dimension)
    if array.ndim != 2 or array.shape[1] != dimension:
        raise BadQuery(f"points must have the shape (n, {dimension}), not {array.shape}")
    if not np.isfinite(array).all():
        row = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
        raise BadQuery(f"point {row} is {array[row].tolist()}: coordinates must be finite")
    return array


def pairs(starts: Floats, goals: Floats) -> None:
    """As many starts as goals."""
    if len(starts) != len(goals):
        raise BadQuery(f"{len(starts)} starts and {len(goals)} goals: give as many of each")


def radius(value: float) -> float:
    """A number, 0 or more, m."""
    try:
        size = float(value)
    except (TypeError, ValueError):
        raise BadQuery(f"the radius must be a number in metres, not {value!r}") from None
    if not 0.0 <= size < math.inf:
        raise BadQuery(f"the radius is {size:g} m: it must be 0 or more, and finite")
    return size


def around(value: str) -> None:
    """What a corridor is made around."""
    if value not in {"backbone", "path"}:
        raise BadQuery(f'around is {value!r}: it must be "backbone" or "path"')


def threads(value: int | None) -> int:
    """A number of threads; one for each core if None."""
    count = thread_count() if value is None else value
    if not isinstance(count, int) or count < 1:
        raise BadQuery(f"threads is {count!r}: it must be a whole number, 1 or more")
    return count


def text(place: Iterable[float]) -> str:
    """A point as it stands in messages."""
    return "(" + ", ".join(f"{float(value):.3f}" for value in place) + ")"
