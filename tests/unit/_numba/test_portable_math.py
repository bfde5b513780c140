"""The portable elementary functions are accurate, and equal in kernels and for arrays."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from footway._numba import portable_math
from footway._numba.random_stream import RandomStream

COUNT = 1500


def around(*middles: float) -> np.ndarray:
    """Return numbers near some values, from a few units in the last place to a thousandth away."""
    near = RandomStream(3).normal(40) * np.logspace(-16, -3, 40)
    return np.concatenate([middle * (1.0 + near) for middle in middles])


def uniform(low: float, high: float) -> np.ndarray:
    return low + (high - low) * RandomStream(1).uniform(COUNT)


QUARTERS = around(*(k * math.pi / 4 for k in (1, 2, 3, 4, 6, 8, 200, 100_001)))
ANGLES = np.concatenate([uniform(-10, 10), uniform(-1e6, 1e6), uniform(-1e-6, 1e-6), QUARTERS])
POWERS = 10.0 ** uniform(-300, 300)

CASES = {
    "sin": (ANGLES, 1.0),
    "cos": (ANGLES, 1.0),
    "tan": (ANGLES, 2.5),
    "acos": (np.concatenate([uniform(-1, 1), 1.0 - 10.0 ** uniform(-16, 0)]), 2.5),
    "log": (np.concatenate([uniform(1e-9, 5), around(1.0, 0.5, 2.0), POWERS]), 1.0),
    "exp": (np.concatenate([uniform(-5, 5), uniform(-700, 700), uniform(-1e-6, 1e-6)]), 1.0),
    "asinh": (np.concatenate([uniform(-5, 5), uniform(-1e-6, 1e-6), POWERS[POWERS < 1e9]]), 2.5),
}


def worst(values: np.ndarray, exact: list) -> float:
    """Largest error in units in the last place."""
    return max(
        float(abs(mpmath.mpf(float(value)) - true) / float(np.spacing(abs(float(true)))))
        for value, true in zip(values, exact, strict=True)
        if true != 0
    )


@pytest.mark.parametrize("name", CASES)
def test_errors_are_below_what_is_promised(name):
    x, most = CASES[name]
    with mpmath.workprec(140):
        exact = [getattr(mpmath, name)(mpmath.mpf(float(value))) for value in x]
        assert worst(getattr(portable_math, name)(x), exact) < most


def test_the_angle_of_a_vector_is_accurate_in_all_quadrants():
    y, x = RandomStream(5).normal(2 * COUNT).reshape(2, -1) * 10.0 ** uniform(-8, 8)
    with mpmath.workprec(140):
        exact = [mpmath.atan2(float(b), float(a)) for b, a in zip(y, x, strict=True)]
        assert worst(portable_math.atan2(y, x), exact) < 2.5


def test_angles_beyond_a_right_angle_are_not_biased():
    """Without the part of pi below the last place, results are half a unit too small on average."""
    y, x = np.abs(RandomStream(5).normal(2 * COUNT).reshape(2, -1))
    with mpmath.workprec(140):
        exact = [mpmath.atan2(float(b), float(-a)) for b, a in zip(y, x, strict=True)]
        errors = [
            float((mpmath.mpf(float(value)) - true) / float(np.spacing(float(true))))
            for value, true in zip(portable_math.atan2(y, -x), exact, strict=True)
        ]
    assert abs(np.mean(errors)) < 0.25


def test_huge_angles_lose_accuracy_slowly():
    x = 10.0 ** np.linspace(6.01, 300, 500)
    sine, cosine = portable_math.sin(x), portable_math.cos(x)
    assert sine * sine + cosine * cosine == pytest.approx(np.ones(len(x)), abs=1e-15)
    few = x[x < 1e12]
    with mpmath.workprec(140):
        exact = np.array([float(mpmath.sin(float(value))) for value in few])
    assert (np.abs(portable_math.sin(few) - exact) <= 4e-17 * few).all()


@pytest.mark.parametrize(
    ("y", "x", "angle"),
    [(0, 0, 0), (0, 2, 0), (0, -2, math.pi), (-0.0, -2, math.pi), (3, 0, math.pi / 2)],
)
def test_the_angle_of_a_vector_on_an_axis(y, x, angle):
    assert portable_math.atan2(y, x) == angle


def test_special_values():
    assert portable_math.exp(1000.0) == math.inf
    assert portable_math.exp(-1000.0) == 0.0
    assert portable_math.log(0.0) == -math.inf
    assert math.isnan(portable_math.log(-1.0))
    assert portable_math.sin(0.0) == 0.0
    assert portable_math.cos(0.0) == 1.0


def test_shapes_are_kept_and_numbers_give_numbers():
    assert portable_math.sin(np.zeros((3, 4))).shape == (3, 4)
    assert portable_math.atan2(np.zeros((3, 1)), np.ones(4)).shape == (3, 4)
    assert portable_math.cos(np.empty(0)).shape == (0,)
    assert type(portable_math.sin(1.0)) is float
    assert type(portable_math.hypot(np.float64(3.0), np.float64(4.0))) is float
    assert portable_math.dist((1.0, 1.0), (4.0, 5.0)) == 5.0


def test_random_numbers_are_uniform_normal_and_whole():
    stream = RandomStream([4, 2])
    assert np.histogram(stream.uniform(40_000), 10, (0, 1))[0] == pytest.approx(4000, rel=0.06)
    normal = stream.normal(40_001)
    assert len(normal) == 40_001
    assert (normal.mean(), normal.std()) == (pytest.approx(0, abs=0.02), pytest.approx(1, abs=0.02))
    assert np.mean(np.abs(normal) < 1.0) == pytest.approx(0.6827, abs=0.01)
    whole = stream.integers(7, 10_000)
    assert set(whole.tolist()) == set(range(7))
    order = stream.permutation(1000)
    assert sorted(order.tolist()) == list(range(1000))
    assert order.tolist() != sorted(order.tolist())


def test_random_numbers_are_these():
    """The first numbers of a seed never change."""
    assert RandomStream(7).uniform(2).tolist() == [0.625095466604667, 0.8972138009695755]
    assert RandomStream([7, 1]).integers(1000, 4).tolist() == [770, 111, 189, 159]


def test_distances_are_correctly_rounded():
    places = RandomStream(2).uniform(3000, 4) * 500.0
    with mpmath.workprec(200):
        for ax, ay, bx, by in places.tolist():
            dx, dy = mpmath.mpf(ax - bx), mpmath.mpf(ay - by)
            exact = mpmath.sqrt(dx * dx + dy * dy)
            assert portable_math.dist((ax, ay), (bx, by)) == float(exact)
    assert portable_math.dist((2.0, 3.0), (2.0, 3.0)) == 0.0
