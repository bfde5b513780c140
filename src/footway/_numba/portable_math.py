"""Elementary functions of arrays and numbers, with the same bits on every machine.

The sine, arctangent, logarithm and so on of NumPy and the C library depend on CPU and version and
differ in the last bit. Code that affects a map, a path or a crowd uses these functions instead:
lint rejects `np.sin`, `math.hypot` and the like outside pictures and reports. A number gives a
`float`, an array gives an array of 64-bit floats of the same shape.

>>> sin(0.5)
0.479425538604203
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol, overload

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from footway.arrays import Floats

__all__ = ["acos", "asinh", "atan2", "cos", "dist", "exp", "hypot", "log", "sin", "tan"]


class _Elementwise(Protocol):
    """A function of numbers or of arrays of 64-bit floats."""

    @overload
    def __call__(self, *values: float) -> float: ...
    @overload
    def __call__(self, *values: Floats) -> Floats: ...
    def __call__(self, *values: Any) -> Any: ...


def _elementwise(name: str, arguments: int = 1) -> _Elementwise:
    """Return the function that applies a kernel of `_numba.math` element by element.

    Arrays are broadcast against each other. The kernels are imported at the first call, because
    Numba is slow to import.
    """

    def apply(*values: ArrayLike) -> float | Floats:
        from footway._numba import math as kernels

        if len(values) != arguments:
            raise TypeError(f"{name} takes {arguments} arguments, not {len(values)}")
        arrays = np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in values))
        out = np.empty(arrays[0].size)
        kernel = getattr(kernels, f"{name}_each")
        kernel(*(np.ascontiguousarray(array).ravel() for array in arrays), out)
        return out.reshape(arrays[0].shape) if arrays[0].ndim else float(out[0])

    return apply  # type: ignore[return-value]


sin = _elementwise("sin")
"""Sine of angles in radians."""
cos = _elementwise("cos")
"""Cosine of angles in radians."""
tan = _elementwise("tan")
"""Tangent of angles in radians."""
atan2 = _elementwise("atan2", 2)
"""Angle of vectors (x, y), given as y, x, from the x axis: -pi to pi rad; zeros have no sign."""
acos = _elementwise("acos")
"""Arccosine in 0 to pi rad."""
log = _elementwise("log")
"""Natural logarithm."""
exp = _elementwise("exp")
"""Exponential function."""
asinh = _elementwise("asinh")
"""Inverse hyperbolic sine."""


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
