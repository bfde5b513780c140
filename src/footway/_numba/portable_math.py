"""Elementary functions of arrays and numbers, with the same bits on every machine.

The sine, arctangent, logarithm and so on of NumPy and the C library depend on CPU and version and
differ in the last bit. Code that affects a map, a path or a crowd uses these functions instead:
lint rejects `np.sin`, `math.hypot` and the like outside pictures and reports. A number gives a
`float`, an array gives an array of 64-bit floats of the same shape.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, overload

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = ["acos", "asinh", "atan2", "cos", "dist", "exp", "hypot", "log", "sin", "tan"]


@overload
def sin(x: float) -> float: ...
@overload
def sin(x: Floats) -> Floats: ...
def sin(x: ArrayLike) -> Any:
    """Sine of angles in radians.

    >>> sin(0.5)
    0.479425538604203
    """
    from footway._numba.math import sin_each

    return _each(sin_each, x)


@overload
def cos(x: float) -> float: ...
@overload
def cos(x: Floats) -> Floats: ...
def cos(x: ArrayLike) -> Any:
    """Cosine of angles in radians."""
    from footway._numba.math import cos_each

    return _each(cos_each, x)


@overload
def tan(x: float) -> float: ...
@overload
def tan(x: Floats) -> Floats: ...
def tan(x: ArrayLike) -> Any:
    """Tangent of angles in radians."""
    from footway._numba.math import tan_each

    return _each(tan_each, x)


@overload
def atan2(y: float, x: float) -> float: ...
@overload
def atan2(y: Floats, x: Floats) -> Floats: ...
def atan2(y: ArrayLike, x: ArrayLike) -> Any:
    """Angle of the vectors (x, y) from the x axis, in -pi to pi rad; a zero has no sign."""
    from footway._numba.math import atan2_each

    return _each(atan2_each, y, x)


@overload
def acos(x: float) -> float: ...
@overload
def acos(x: Floats) -> Floats: ...
def acos(x: ArrayLike) -> Any:
    """Arccosine in 0 to pi rad."""
    from footway._numba.math import acos_each

    return _each(acos_each, x)


@overload
def log(x: float) -> float: ...
@overload
def log(x: Floats) -> Floats: ...
def log(x: ArrayLike) -> Any:
    """Natural logarithm."""
    from footway._numba.math import log_each

    return _each(log_each, x)


@overload
def exp(x: float) -> float: ...
@overload
def exp(x: Floats) -> Floats: ...
def exp(x: ArrayLike) -> Any:
    """Exponential function."""
    from footway._numba.math import exp_each

    return _each(exp_each, x)


@overload
def asinh(x: float) -> float: ...
@overload
def asinh(x: Floats) -> Floats: ...
def asinh(x: ArrayLike) -> Any:
    """Inverse hyperbolic sine."""
    from footway._numba.math import asinh_each

    return _each(asinh_each, x)


def hypot(x: Any, y: Any) -> Any:
    """Length of the vectors (x, y), numbers or arrays; overflows beyond 1e154.

    >>> hypot(3.0, 4.0)
    5.0
    """
    squared = x * x + y * y
    length = np.sqrt(squared)
    return length if isinstance(squared, np.ndarray) else float(length)


def dist(p: Sequence[float], q: Sequence[float]) -> float:
    """Distance of two points in the plane, m; correctly rounded except for rare ties.

    The sum of squares is computed in double-double arithmetic, so that equal lengths compare equal.
    """
    x, y = p[0] - q[0], p[1] - q[1]
    a, a_rest = _square(x)
    b, b_rest = _square(y)
    total = a + b
    part = total - a
    rest = (a - (total - part)) + (b - part) + a_rest + b_rest
    length = math.sqrt(total)
    if length == 0.0:
        return 0.0
    square, square_rest = _square(length)
    return float(length + ((total - square) - square_rest + rest) / (2.0 * length))


def _square(a: float) -> tuple[float, float]:
    """Square of a number as a sum of two (Dekker 1971)."""
    scaled = 134217729.0 * a  # 2**27 + 1
    high = scaled - (scaled - a)
    low = a - high
    product = a * a
    return product, ((high * high - product) + 2.0 * high * low) + low * low


def _each(kernel: Callable[..., None], *values: ArrayLike) -> float | Floats:
    """Apply a kernel element by element; arrays are broadcast against each other."""
    arrays = np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in values))
    out = np.empty(arrays[0].size)
    kernel(*(np.ascontiguousarray(array).ravel() for array in arrays), out)
    return out.reshape(arrays[0].shape) if arrays[0].ndim else float(out[0])
