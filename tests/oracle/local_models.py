"""Local models as their papers print them: slow, in 64 bits, one character and its neighbours."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

STEP = 1e-5
"""m. Of central differences."""


class Neighbour(NamedTuple):
    """Another character, or an obstacle, relative to a character at the origin."""

    at: Floats  # m, of its centre
    velocity: Floats  # m/s
    contact: float  # m, sum of the radii


# -- Karamouzas, Skinner and Guy (2014) ----------------------------------------------------------


def time_to_collision(x: Floats, v: Floats, contact: float) -> float:
    """Return the first t >= 0 with |x + v t| = contact, s; infinite if there is none."""
    a, b, c = float(v @ v), 2.0 * float(x @ v), float(x @ x) - contact**2
    if a == 0.0 or b >= 0.0 or b * b < 4.0 * a * c:
        return math.inf
    return (-b - math.sqrt(b * b - 4.0 * a * c)) / (2.0 * a)


def energy(x: Floats, v: Floats, contact: float, k: float, tau0: float) -> float:
    """Return E(tau), equation 5, m2/s2."""
    tau = time_to_collision(x, v, contact)
    return 0.0 if math.isinf(tau) else k / tau**2 * math.exp(-tau / tau0)


def power_law_force(own: Floats, other: Neighbour, k: float, tau0: float) -> Floats:
    """Return -grad E by central differences, m/s2."""
    x, v = -other.at, own - other.velocity
    slope = [
        energy(x + nudge, v, other.contact, k, tau0) - energy(x - nudge, v, other.contact, k, tau0)
        for nudge in STEP * np.eye(2)
    ]
    return -np.array(slope) / (2.0 * STEP)


# -- Tordeux, Chraibi and Seyfried (2016) ----------------------------------------------------------


def collision_free_velocity(
    toward: Floats,
    speed: float,
    others: Sequence[Neighbour],
    time_gap: float,
    strength: float,
    distance: float,
) -> Floats:
    """Return V(s) e, equations 1 to 5, m/s."""
    direction = toward.astype(float)
    for other in others:
        s = math.hypot(*other.at)
        push = strength * math.exp(min(0.0, (other.contact - s) / distance))
        direction = direction - push * other.at / s
    e = direction / math.hypot(*direction)
    spacing = math.inf
    for other in others:
        s = math.hypot(*other.at)
        n = -other.at / s
        if e @ n <= 0.0 and abs(e[0] * n[1] - e[1] * n[0]) <= other.contact / s:
            spacing = min(spacing, s - other.contact)
    return np.asarray(min(speed, max(0.0, spacing / time_gap)) * e)


# -- van den Berg, Guy, Lin and Manocha (2011) -----------------------------------------------------


def is_in_velocity_obstacle(v: Floats, at: Floats, contact: float, horizon: float) -> bool:
    """Return whether a relative velocity leads to a collision within the horizon (section 3).

    The definition: for some t in [0, horizon], |t v - at| < contact.
    """
    speed2 = float(v @ v)
    t = min(horizon, max(0.0, float(v @ at) / speed2)) if speed2 > 0.0 else 0.0
    return math.hypot(*(t * v - at)) < contact


HalfPlane = tuple["Floats", "Floats"]
"""A point of the boundary, and the unit normal toward permitted velocities."""


def violation(v: Floats, planes: Sequence[HalfPlane]) -> float:
    """Return the greatest distance by which a velocity violates a half-plane, m/s."""
    return max((-float(n @ (v - p)) for p, n in planes), default=-math.inf)


def nearest_permitted(
    wanted: Floats, planes: Sequence[HalfPlane], greatest: float
) -> Floats | None:
    """Return the permitted velocity nearest to the wanted one, by all candidates, or None.

    The optimum is the wanted velocity, its projection onto a boundary or the circle of the greatest
    speed, or an intersection of two boundaries.
    """
    candidates = [wanted, wanted * min(1.0, greatest / max(1e-12, math.hypot(*wanted)))]
    for p, n in planes:
        e = np.array([n[1], -n[0]])
        candidates.append(p + float((wanted - p) @ e) * e)
        b, c = float(p @ e), float(p @ p) - greatest**2
        if b * b >= c:
            candidates += [p + (-b + sign * math.sqrt(b * b - c)) * e for sign in (1.0, -1.0)]
    for (p, n), (q, m) in itertools.combinations(planes, 2):
        cross = float(n[0] * m[1] - n[1] * m[0])
        if abs(cross) > 1e-9:
            candidates.append(np.linalg.solve(np.array([n, m]), np.array([n @ p, m @ q])))
    within = [
        v for v in candidates if math.hypot(*v) <= greatest + 1e-9 and violation(v, planes) <= 1e-9
    ]
    return min(within, key=lambda v: math.dist(v, wanted), default=None)


def least_violation(planes: Sequence[HalfPlane], greatest: float) -> float:
    """Return the least violation of any velocity in the circle, by nested ternary search."""

    def at(x: float) -> float:
        reach = math.sqrt(max(0.0, greatest**2 - x * x))
        return _least(lambda y: violation(np.array([x, y]), planes), -reach, reach)

    return _least(at, -greatest, greatest)


def _least(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the minimum of a convex function."""
    for _ in range(60):
        third = (high - low) / 3.0
        if function(low + third) < function(high - third):
            high -= third
        else:
            low += third
    return function(0.5 * (low + high))
