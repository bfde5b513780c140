"""Elementary functions for kernels, with the same bits on every machine.

sin, cos, atan2, log and the like come from the C library of the host and differ between its
versions and between CPUs. These use additions, multiplications, divisions and square roots only,
which IEEE 754 fixes to the last bit, so a result depends on neither CPU nor operating system.
Errors are below 1 unit in the last place (`tan`, `atan2`, `acos`, `asinh`: below 2.5).

Polynomials and splits of constants are those of FDLIBM 5.3 (Copyright (C) 1993 by Sun Microsystems,
Inc. All rights reserved. Developed at SunPro. Permission to use, copy, modify, and distribute this
software is freely granted, provided that this notice is preserved).
"""

from __future__ import annotations

import math

from footway._numba.jit import inner, kernel

_TWO_OVER_PI = 0.6366197723675814
# pi / 2 as a sum: each part has 33 bits, so that its product with a small integer is exact
_HALF_PI_1 = 1.57079632673412561417
_HALF_PI_2 = 6.07710050630396597660e-11
_HALF_PI_REST = 2.02226624879595063154e-21
_REDUCIBLE = 1e6  # rad: for larger angles full turns are removed first, which slowly loses accuracy
_PI_REST = 1.2246467991473531772e-16  # pi - math.pi
_TURN = 2.0 * math.pi

# arctangents of 1/2, 1, 3/2 and infinity, as sums of two
_ATAN_HALF, _ATAN_HALF_REST = 4.63647609000806093515e-01, 2.26987774529616870924e-17
_ATAN_ONE, _ATAN_ONE_REST = 7.85398163397448278999e-01, 3.06161699786838301793e-17
_ATAN_MORE, _ATAN_MORE_REST = 9.82793723247329054082e-01, 1.39033110312309984516e-17
_ATAN_INF, _ATAN_INF_REST = 1.57079632679489655800e00, 6.12323399573676603587e-17

_LN2, _LN2_REST = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_LOG_OVERFLOW, _LOG_UNDERFLOW = 709.782712893383973096, -745.1332191019411


@inner
def hypot(x, y):
    """Length of the vector (x, y); overflows beyond 1e154."""
    return math.sqrt(x * x + y * y)


@inner
def sincos(x):
    """Sine and cosine of an angle in radians."""
    if abs(x) > _REDUCIBLE:
        x %= _TURN
    k = math.floor(x * _TWO_OVER_PI + 0.5)
    first = x - k * _HALF_PI_1
    second = k * _HALF_PI_2
    near = first - second
    rest = k * _HALF_PI_REST - ((first - near) - second)
    r = near - rest
    rest = (near - r) - rest  # the angle is r + rest, |r| <= pi / 4

    z = r * r
    p = (8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04
        + z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08
        + z * 1.58969099521155010221e-10))))  # fmt: skip
    s = r - ((z * (0.5 * rest - r * z * p) - rest) + r * z * 1.66666666666666324348e-01)
    p = z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03
        + z * (2.48015872894767294178e-05 + z * (-2.75573143513906633035e-07
        + z * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11)))))  # fmt: skip
    half = 0.5 * z
    one = 1.0 - half
    c = one + (((1.0 - one) - half) + (z * p - r * rest))

    quadrant = k & 3
    if quadrant == 0:
        return s, c
    if quadrant == 1:
        return c, -s
    if quadrant == 2:
        return -s, -c
    return -c, s


@inner
def sin(x):
    """Sine of an angle in radians."""
    return sincos(x)[0]


@inner
def cos(x):
    """Cosine of an angle in radians."""
    return sincos(x)[1]


@inner
def tan(x):
    """Tangent of an angle in radians."""
    s, c = sincos(x)
    return s / c


@inner
def atan(x):
    """Arctangent, in -pi/2 to pi/2."""
    a = abs(x)
    if a < 0.4375:
        high, low, t = 0.0, 0.0, a
    elif a < 0.6875:
        high, low, t = _ATAN_HALF, _ATAN_HALF_REST, (2.0 * a - 1.0) / (2.0 + a)
    elif a < 1.1875:
        high, low, t = _ATAN_ONE, _ATAN_ONE_REST, (a - 1.0) / (a + 1.0)
    elif a < 2.4375:
        high, low, t = _ATAN_MORE, _ATAN_MORE_REST, (a - 1.5) / (1.0 + 1.5 * a)
    else:
        high, low, t = _ATAN_INF, _ATAN_INF_REST, -1.0 / a
    z = t * t
    w = z * z
    even = z * (3.33333333333329318027e-01 + w * (1.42857142725034663711e-01
        + w * (9.09088713343650656196e-02 + w * (6.66107313738753120669e-02
        + w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)))))  # fmt: skip
    odd = w * (-1.99999999998764832476e-01 + w * (-1.11111104054623557880e-01
        + w * (-7.69187620504482999495e-02 + w * (-5.83357013379057348645e-02
        - w * 3.65315727442169155270e-02))))  # fmt: skip
    value = high - ((t * (even + odd) - low) - t)
    return -value if x < 0.0 else value


@inner
def atan2(y, x):
    """Angle of the vector (x, y) from the x axis, in -pi to pi; 0 for the null vector.

    The sign of a zero is ignored: (-1, -0.0) has the angle pi, not -pi.
    """
    if x == 0.0:
        if y == 0.0:
            return 0.0
        value = _ATAN_INF
    else:
        value = atan(abs(y / x))
        if x < 0.0:
            value = math.pi - (value - _PI_REST)
    return -value if y < 0.0 else value


@inner
def acos(x):
    """Arccosine of a number in -1 to 1, in 0 to pi."""
    return 2.0 * atan2(math.sqrt(1.0 - x), math.sqrt(1.0 + x))


@inner
def log(x):
    """Natural logarithm of a positive number; minus infinity at 0, NaN below."""
    if x <= 0.0:
        return -math.inf if x == 0.0 else math.nan
    if x == math.inf:
        return x
    m, exponent = math.frexp(x)
    if m < 0.7071067811865476:
        m, exponent = 2.0 * m, exponent - 1
    k, f = float(exponent), m - 1.0
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    odd = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01
        + w * 1.531383769920937332e-01))  # fmt: skip
    even = z * (6.666666666666735130e-01 + w * (2.857142874366239149e-01
        + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)))  # fmt: skip
    half = 0.5 * f * f
    return k * _LN2 - ((half - (s * (half + odd + even) + k * _LN2_REST)) - f)


@inner
def exp(x):
    """E to the power of x."""
    if x > _LOG_OVERFLOW:
        return math.inf
    if x < _LOG_UNDERFLOW:
        return 0.0
    k = math.floor(x / 0.6931471805599453 + 0.5)
    high, low = x - k * _LN2, k * _LN2_REST
    r = high - low
    z = r * r
    c = r - z * (1.66666666666666019037e-01 + z * (-2.77777777770155933842e-03
        + z * (6.61375632143793436117e-05 + z * (-1.65339022054652515390e-06
        + z * 4.13813679705723846039e-08))))  # fmt: skip
    value = 1.0 - ((low - r * c / (2.0 - c)) - high)
    return math.ldexp(value, int(k))


@inner
def asinh(x):
    """Inverse hyperbolic sine."""
    a = abs(x)
    more = a + a * a / (1.0 + math.sqrt(1.0 + a * a))  # the argument of log1p
    u = 1.0 + more
    value = more if u == 1.0 else log(u) * more / (u - 1.0)
    return -value if x < 0.0 else value


@kernel
def sin_each(x, out):
    """Element-wise sine of a flat array of 64-bit floats; the functions below work alike."""
    for k in range(len(x)):
        out[k] = sin(x[k])


@kernel
def cos_each(x, out):
    for k in range(len(x)):
        out[k] = cos(x[k])


@kernel
def tan_each(x, out):
    for k in range(len(x)):
        out[k] = tan(x[k])


@kernel
def atan2_each(y, x, out):
    for k in range(len(x)):
        out[k] = atan2(y[k], x[k])


@kernel
def acos_each(x, out):
    for k in range(len(x)):
        out[k] = acos(x[k])


@kernel
def log_each(x, out):
    for k in range(len(x)):
        out[k] = log(x[k])


@kernel
def exp_each(x, out):
    for k in range(len(x)):
        out[k] = exp(x[k])


@kernel
def asinh_each(x, out):
    for k in range(len(x)):
        out[k] = asinh(x[k])
