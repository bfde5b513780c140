"""User-defined forces, evaluated between the steps of a walk."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway.errors import BadInput, BadQuery
from footway.follow.kernels.walk import AT, TIME, V, X
from footway.validation import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]


class Moment(NamedTuple):
    """State of a character that user-defined forces receive."""

    position: Floats  # (d,) m
    velocity: Floats  # (d,) m/s
    time: float  # s since the start
    attraction_point: Floats  # (d,) m, alpha(x)
    ball_radius: float  # m, R[t] of the attraction point's ball
    index: int  # type: ignore[assignment]  # t, index of that ball in the corridor


Force = Callable[[Moment], "ArrayLike"]
"""A function of a moment that returns a force (d,) in units of F_0, which is at most 1."""


def as_forces(forces: Sequence[Force]) -> tuple[Force, ...]:
    """Check that all forces are callable and return them as a tuple."""
    if not isinstance(forces, list | tuple):
        raise BadQuery(f"forces must be a list of functions of a Moment, not {shown(forces)}")
    for force in forces:
        if not callable(force):
            raise BadQuery(f"forces must be functions of a Moment: {shown(force)} cannot be called")
    return tuple(forces)


def sum_of(
    forces: Sequence[Force], state: Floats, balls: Floats, dimension: int, radius: float
) -> Floats:
    """Return the sum of the user-defined forces at a character's state, (3,)."""
    t = int(state[AT])
    gaps = np.linalg.norm(balls[t:, :3] - state[X : X + 3], axis=1) - (balls[t:, 3] - radius)
    held = np.flatnonzero(gaps < 0.0)
    t += int(held[-1]) if len(held) else 0
    now = Moment(
        position=state[X : X + dimension].copy(),
        velocity=state[V : V + dimension].copy(),
        time=float(state[TIME]),
        attraction_point=balls[t, :dimension].copy(),
        ball_radius=float(balls[t, 3]),
        index=t,
    )
    total = np.zeros(3)
    for force in forces:
        total[:dimension] += _checked(force, now, dimension)
    return total


def _checked(force: Force, now: Moment, dimension: int) -> Floats:
    name = getattr(force, "__name__", repr(force))
    try:
        value = np.asarray(force(now), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadInput(f"the force {name!r} failed at {now.time:.1f} s: {error}") from error
    if value.shape != (dimension,):
        raise BadInput(f"the force {name!r} returned the shape {value.shape}: give ({dimension},)")
    if not np.isfinite(value).all():
        raise BadInput(f"the force {name!r} returned {value.tolist()} at {now.time:.1f} s: NaN")
    return value
