"""Validation of user input: numbers, points, seeds, counts, names and files.

Public functions validate their arguments with these. Each returns the value in its plain form
(float, int, float64 array, Path) or raises a one-line error with value and requirement.

Text is not converted to numbers, and booleans are not accepted as counts.
"""

from __future__ import annotations

import difflib
import math
import os
from pathlib import Path
from reprlib import Repr
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from footway.errors import BadFile, BadInput, BadQuery

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import ArrayLike

    from footway.arrays import Floats, Ints

FARTHEST: Final = 1e9
"""m. Maximum coordinate, length and radius: 500 times the widest map, and squares of lengths stay
precise enough in 64-bit numbers."""

MOST_SAMPLES: Final = 10_000_000
"""Maximum samples of one result (points of a path, camera frames): 1 GB at 100 bytes each."""

MOST_THREADS: Final = 1024
"""Maximum threads of one call."""

MOST_SEED: Final = 2**63 - 1
"""Seeds are hashed as 64-bit numbers."""

LONGEST_NAME: Final = 4096
"""Maximum length of a path in characters: the limit of Linux."""

_NUMBERS: Final = {2: "two numbers x, y", 3: "three numbers x, y, z"}


class _Repr(Repr):
    """Also shortens integers that Python refuses to print."""

    def repr_int(self, x: int, level: int) -> str:  # noqa: ARG002  # the base class calls it
        if x.bit_length() > 100:
            return f"a whole number of {int(x.bit_length() * 0.30103) + 1} digits"
        return repr(x)


_short = _Repr()
_short.maxstring = _short.maxother = 60  # characters


def shown(value: object) -> str:
    """Return a value for messages: on one line, at most 60 characters.

    Example:
        >>> shown([1, 2]), shown("0.2"), shown(10**5000)
        ('[1, 2]', "'0.2'", 'a whole number of 5001 digits')
    """
    return " ".join(_short.repr(value).split())[:60]


# Numbers ------------------------------------------------------------------------------------------


def number(
    value: object,
    name: str,
    unit: str = "",
    *,
    low: float = -math.inf,
    above: float = -math.inf,
    high: float = math.inf,
    endless: bool = False,
    error: type[BadInput] = BadQuery,
) -> float:
    """Return a number between its limits.

    Args:
        value: the given value.
        name: of the argument, for the message.
        unit: such as "m"; "" for none.
        low: minimum.
        above: exclusive minimum.
        high: maximum.
        endless: whether infinity is allowed.
        error: class of the error.

    Example:
        >>> number(2, "speed", "m/s", above=0.0)
        2.0
        >>> number(-2, "speed", "m/s", above=0.0)
        Traceback (most recent call last):
        footway.errors.BadQuery: the speed is -2 m/s: it must be more than 0 m/s
    """
    unit = f" {unit}" if unit else ""
    found = as_float(value)
    if found is None:
        raise error(f"the {name} is {shown(value)}: it must be a number")
    text = f"the {name} is {found:g}{unit}: it must be"
    if math.isnan(found) or (math.isinf(found) and not endless):
        raise error(f"{text} finite")
    if found <= above:
        raise error(f"{text} more than {above:g}{unit}")
    if found < low or found > high:
        limit = f"{low:g}{unit} or more" if found < low else f"{high:g}{unit} or less"
        raise error(f"{text} {limit}")
    return found


def as_float(value: object) -> float | None:
    """Return a number as a float (infinite if too large), or None for other types."""
    if type(value) is float:
        return value
    if isinstance(value, (str, bytes, bytearray, bool, np.bool_, np.complexfloating)):
        return None
    if isinstance(value, np.ndarray) and (value.ndim or value.dtype.kind not in "iuf"):
        return None
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]
    except (TypeError, ValueError):
        return None


def whole(
    value: object,
    name: str,
    *,
    low: int = 0,
    high: int | None = None,
    error: type[BadInput] = BadQuery,
) -> int:
    """Return a whole number between its limits.

    Example:
        >>> whole(3, "count")
        3
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < low:
        raise error(f"the {name} is {shown(value)}: it must be a whole number, {low} or more")
    if high is not None and value > high:
        raise error(f"the {name} is {shown(value)}: it must be {high} or less")
    return int(value)


def index(value: object, name: str, count: int, *, error: type[BadInput] = BadQuery) -> int:
    """Return an index into `count` items."""
    if count == 0:
        raise error(f"there is no {name} {shown(value)}: there are none")
    return whole(value, name, high=count - 1, error=error)


def seed(value: object, *, high: int = MOST_SEED, error: type[BadInput] = BadQuery) -> int:
    """Return a seed: a whole number, 0 or more."""
    return whole(value, "seed", high=high, error=error)


def threads(value: object) -> int | None:
    """Return a number of threads; None means one per core."""
    return None if value is None else whole(value, "threads", low=1, high=MOST_THREADS)


def radius(
    value: object,
    extent: float = FARTHEST,
    *,
    name: str = "radius",
    above: float = -math.inf,
    error: type[BadInput] = BadQuery,
) -> float:
    """Return a radius, m: 0 or more, and not larger than the map.

    Args:
        value: the given value, m.
        extent: of the map, m: the longest side of its bounding box (`extent_of`).
        name: of the argument.
        above: 0 if the radius must be positive.
        error: class of the error.

    Example:
        >>> radius(0.25, 40.0)
        0.25
    """
    found = as_float(value)
    if found is None:
        raise error(f"the {name} is {shown(value)}: it must be a number in metres")
    if not 0.0 <= found < math.inf:
        raise error(f"the {name} is {found:g} m: it must be 0 or more, and finite")
    if found <= above:
        raise error(f"the {name} is {found:g} m: it must be more than {above:g} m")
    if found > extent:
        raise error(
            f"the {name} is {found:g} m and the map only {extent:g} m wide: check that both are in "
            "metres, or give the map another scale"
        )
    return found


def extent_of(bounds: Sequence[float]) -> float:
    """Return the longest side, m, of a box (x0, y0, x1, y1) or (x0, y0, z0, x1, y1, z1)."""
    half = len(bounds) // 2
    return max(high - low for low, high in zip(bounds[:half], bounds[half:], strict=True))


def number_of_samples(count: float, what: str, advice: str) -> None:
    """Raise an error if a result would have more than MOST_SAMPLES samples."""
    if not count <= MOST_SAMPLES:
        raise BadQuery(f"{what} would have {count:.3g} samples: {advice}, for {MOST_SAMPLES:,}")


# Points -------------------------------------------------------------------------------------------


def point(value: Any, name: str, *dimensions: int, error: type[BadInput] = BadQuery) -> Floats:
    """Return finite coordinates (d,), m, of one of the given dimensions (2 by default)."""
    numbers = _coordinates(value)
    if numbers is None or len(numbers) not in (dimensions or (2,)):
        wanted = " or ".join(_NUMBERS[d] for d in dimensions or (2,))
        raise error(f"the {name} must be {wanted} in metres, not {shown(value)}")
    if not all(-FARTHEST <= number <= FARTHEST for number in numbers):
        finite = all(map(math.isfinite, numbers))
        raise error(
            f"the {name} is {numbers}: coordinates are {FARTHEST:g} m at most"
            if finite
            else f"the {name} is {as_text(numbers)}: coordinates must be finite"
        )
    return np.array(numbers)


def place(value: Any, name: str) -> tuple[float, float]:
    """Return a point of the plane as two floats, m; quick for a tuple of floats."""
    if type(value) is tuple and len(value) == 2:
        x, y = value
        is_plain = type(x) is float and type(y) is float
        if is_plain and -FARTHEST <= x <= FARTHEST and -FARTHEST <= y <= FARTHEST:
            return value
    x, y = point(value, name).tolist()
    return x, y


def pair(value: Any, name: str) -> tuple[float, float]:
    """Return two finite numbers x, y."""
    found = _coordinates(value)
    if found is None or len(found) != 2 or not all(-FARTHEST <= v <= FARTHEST for v in found):
        raise BadQuery(f"the {name} is {shown(value)}: give two finite numbers, x and y")
    return found[0], found[1]


def _coordinates(value: Any) -> list[float] | None:
    if isinstance(value, (set, frozenset, dict)):  # unordered, or keys
        return None
    try:
        numbers = [as_float(number) for number in value]
    except TypeError:
        return None
    return [number for number in numbers if number is not None] if None not in numbers else None


def points(
    values: ArrayLike,
    dimension: int = 2,
    *,
    name: str = "points",
    farthest: float = FARTHEST,
    error: type[BadInput] = BadQuery,
) -> Floats:
    """Return finite coordinates (n, d), m, C-contiguous, at most `farthest`."""
    array = floats(values, f"(n, {dimension})", name=name, error=error)
    if array.size == 0 and array.ndim in (1, 2):
        array = array.reshape(0, dimension)
    if array.ndim != 2 or array.shape[1] != dimension:
        raise error(f"{name} must have the shape (n, {dimension}), not {array.shape}")
    good = (np.isfinite(array) & (np.abs(array) <= farthest)).all(axis=1)
    if not good.all():
        row = int(np.flatnonzero(~good)[0])
        raise error(
            f"row {row} of the {name} is {array[row].tolist()}: coordinates must be finite"
            if not np.isfinite(array[row]).all()
            else f"row {row} of the {name} is {array[row].tolist()}: coordinates are "
            f"{FARTHEST:g} m at most"
        )
    return array


def floats(values: object, shape: str, *, name: str, error: type[BadInput] = BadQuery) -> Floats:
    """Return real numbers of any shape as a C-contiguous float64 array; they may be NaN.

    `shape` is the expected shape, for the message.
    """
    try:
        array = np.asarray(values)
        if array.dtype.kind == "O":  # numbers of several types
            array = np.array([as_float(v) for v in array.ravel()]).reshape(array.shape)
        if array.dtype.kind in "iuf":
            return np.asarray(array, np.float64, order="C")
    except ValueError:  # lists of several lengths
        pass
    raise error(f"{name} must be numbers in an array of the shape {shape}, not {shown(values)}")


def whole_numbers(
    values: object, name: str, shape: str, *, error: type[BadInput] = BadQuery
) -> Ints:
    """Return whole numbers of any shape as a C-contiguous int64 array.

    `shape` is the expected shape, for the message. Booleans and floats are rejected.
    """
    try:
        array = np.asarray(values)
        good = array.dtype.kind in "iu" or not array.size
        if good and array.dtype.kind == "u" and array.size and array.max() > MOST_SEED:
            good = False
    except (TypeError, ValueError, OverflowError):
        good = False
    if not good:
        raise error(f"the {name} must be whole numbers of the shape {shape}, not {shown(values)}")
    return np.ascontiguousarray(array, np.int64)


def ids(values: object, name: str = "ids") -> Ints:
    """Return whole numbers (n,), from one number or several."""
    array = np.atleast_1d(whole_numbers(values, name, "(n,)"))
    if array.ndim != 1:
        raise BadQuery(f"the {name} have the shape {array.shape}: give (n,)")
    return array


def as_many(starts: Floats, goals: Floats) -> None:
    """Raise an error unless there are as many goals as starts."""
    if len(starts) != len(goals):
        raise BadQuery(f"{len(starts)} starts and {len(goals)} goals: give the same number of each")


def as_text(place: Iterable[float]) -> str:
    """Return a point for messages.

    Example:
        >>> as_text([1, 2.5])
        '(1.000, 2.500)'
    """
    return "(" + ", ".join(f"{float(value):.3f}" for value in place) + ")"


# Texts, files and others --------------------------------------------------------------------------


def one_of(
    value: object, name: str, choices: Sequence[str], *, error: type[BadInput] = BadQuery
) -> None:
    """Raise an error unless the value is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise error(f"the {name} is {shown(value)}: it must be one of {', '.join(choices)}")


def text(value: object, name: str, *, error: type[BadInput] = BadQuery) -> str:
    """Return a text that can be encoded for files."""
    if not isinstance(value, str) or "\0" in value or not _is_encodable(value):
        raise error(f"the {name} is {shown(value)}: it must be a text")
    return value


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return "did you mean ...?", or else a list of the known names; "" if there are none."""
    names = sorted(known)
    near = similar(name, names)
    if near:
        return f"did you mean {shown(near)}?"
    listed = ", ".join(shown(known_name) for known_name in names[:12])
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    return f"there are {listed}{more}" if names else ""


def similar(name: str, known: Iterable[str], *, at_least: float = 0.6) -> str:
    """Return the most similar known name, ignoring case; "" if none is similar enough."""
    lower = {candidate.lower(): candidate for candidate in known}
    near = difflib.get_close_matches(name.lower()[:60], lower, n=1, cutoff=at_least)
    return lower[near[0]] if near else ""


def meant_built_in(file: Path, prefix: str) -> str:
    """Return PREFIX:NAME if a file that does not exist is that with a misspelled prefix, else "".

    >>> meant_built_in(Path("dmeo:city"), "demo")
    'demo:city'
    """
    given, _, name = str(file).partition(":")
    return f"{prefix}:{name}" if name and not file.exists() and similar(given, [prefix]) else ""


def flag(value: object, name: str, *, error: type[BadInput] = BadQuery) -> bool:
    """Return True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise error(f"{name} is {shown(value)}: it must be True or False")
    return bool(value)


def function(value: Callable[..., object] | None, name: str) -> None:
    """Raise an error unless the value is None or callable."""
    if value is not None and not callable(value):
        raise BadQuery(f"{name} is {shown(value)}: it must be a function, or None")


def sequence(value: object, name: str, *, error: type[BadInput] = BadQuery) -> list[Any]:
    """Return the items of an iterable other than a text."""
    if isinstance(value, (str, bytes)):
        raise error(f"the {name} are {shown(value)}: give a list of them")
    try:
        return list(value)  # type: ignore[call-overload, no-any-return]
    except TypeError:
        raise error(f"the {name} are {shown(value)}: give a list of them") from None


def instance(
    value: object, kind: type | tuple[type, ...], advice: str, *, error: type[BadInput] = BadInput
) -> None:
    """Raise an error for a value of another type; `advice` names what is needed."""
    if not isinstance(value, kind):
        raise error(f"{advice}, not {shown(value)}")


def file(value: object, name: str = "file") -> Path:
    """Return the path of a file.

    Example:
        >>> file("city.geojson").suffix
        '.geojson'
    """
    given = value if isinstance(value, (str, os.PathLike)) else None
    path = None if given is None else os.fspath(given)
    if (
        not isinstance(path, str)
        or not 0 < len(path) <= LONGEST_NAME
        or "\0" in path
        or not _is_encodable(path)
    ):
        raise BadFile(f"the {name} is {shown(value)}: give its name as a text or a Path")
    return Path(path)


def named(value: object, what: str, *suffixes: str, error: type[BadInput] = BadInput) -> Path:
    """Return the path of a file whose name ends in one of the suffixes; `what` is it, "a picture".

    Example:
        >>> named("plan.txt", "a picture", ".png", ".svg")
        Traceback (most recent call last):
        footway.errors.BadInput: plan.txt: the name of a picture must end in .png or .svg
    """
    path = file(value)
    if path.suffix.lower() not in suffixes:
        *some, last = suffixes
        allowed = f"{', '.join(some)} or {last}" if some else last
        raise error(f"{path}: the name of {what} must end in {allowed}")
    return path


def _is_encodable(value: str) -> bool:
    try:
        os.fsencode(value)
    except UnicodeEncodeError:
        return False
    return True
