"""View direction of a camera (voronoi-roadmaps-2004, section 4.2).

A moving camera looks at the position that it will have `look_ahead` seconds later. This direction
is C1: it is c / |c| with c = p(t + look_ahead) - p(t), and the position p is C1 because the curve
is C1 and the speed is continuous; so the rate of the direction is continuous wherever c is not
zero. (The rate of the tangent is curvature times speed, which jumps at the start of an arc.) Near a
halt the position ahead is the halt itself; c tends to zero, c / |c| to the last tangent and its
rate to zero.

A standing camera turns with an eased rate, from zero to the initial rate of the next stage.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.portable_math import atan2, cos, hypot, sin

if TYPE_CHECKING:
    from footway.arrays import Floats, Ints
    from footway.camera.curve import Curve
    from footway.camera.speed import SpeedDiagram

_NEAR = 1e-4  # m. Shorter chords get the direction of the curve at their middle, exact to 1e-9
_STILL = 1e-6  # rad. Smaller turns take no time
_STEEP = 1e-9  # horizontal share of a direction below which it has no heading


class Gaze(NamedTuple):
    """A view direction without roll: the horizon is level."""

    heading: float  # rad, from the x-axis to the left
    pitch: float  # rad, upwards
    heading_rate: float = 0.0  # rad/s
    pitch_rate: float = 0.0  # rad/s


class Turn(NamedTuple):
    """A turn on the spot; its rates change continuously from 0 to those of the last gaze."""

    first: Gaze
    last: Gaze
    duration: float  # s

    def directions(self, t: Floats) -> Floats:
        """Return the view direction (n, 3) t seconds (n,) after the start of the turn."""
        if self.duration == 0.0:
            x, slope = np.where(t > 0.0, 1.0, 0.0), np.zeros_like(t)
        else:
            x = np.clip(t / self.duration, 0.0, 1.0)
            slope = x * x * (x - 1.0) * self.duration
        ease = x * x * (3.0 - 2.0 * x)
        heading = self.first.heading + ease * (self.last.heading - self.first.heading)
        pitch = self.first.pitch + ease * (self.last.pitch - self.first.pitch)
        return as_directions(
            heading + slope * self.last.heading_rate, pitch + slope * self.last.pitch_rate
        )


def turn_between(first: Gaze, last: Gaze, turn_rate: float) -> Turn:
    """Return the shorter turn with at most `turn_rate` (rad/s), which takes a second to reach.

    If the next stage starts with a bend, its initial rate is added. Tiny turns take no time.
    """
    heading = first.heading + math.remainder(last.heading - first.heading, math.tau)
    last = last._replace(heading=heading)
    angle = hypot(last.heading - first.heading, last.pitch - first.pitch)
    rate = hypot(last.heading_rate, last.pitch_rate)
    # An eased turn has 1.5 times its mean rate in the middle, and 6 angle / duration^2 at its ends.
    duration = max(1.5 * angle / turn_rate, math.sqrt(6.0 * angle / turn_rate), rate / turn_rate)
    turned = abs(heading - first.heading) + abs(last.pitch - first.pitch)
    if turned + (abs(last.heading_rate) + abs(last.pitch_rate)) < _STILL:
        duration = 0.0
    return Turn(first._replace(heading_rate=0.0, pitch_rate=0.0), last, duration)


def as_gaze(direction: Floats, rate: Floats | None = None, *, heading: float = 0.0) -> Gaze:
    """Return the gaze along a vector (3,) of any length with derivative `rate` (3,) per second.

    A vertical vector gets the given heading.
    """
    x, y, z = direction.tolist()
    level = hypot(x, y)
    if level <= _STEEP * abs(z):
        return Gaze(heading, math.copysign(0.5 * math.pi, z))
    gaze = Gaze(atan2(y, x), atan2(z, level))
    if rate is None:
        return gaze
    dx, dy, dz = rate.tolist()
    away = (x * dx + y * dy) / level
    return gaze._replace(
        heading_rate=(x * dy - y * dx) / (level * level),
        pitch_rate=(dz * level - z * away) / (level * level + z * z),
    )


def as_directions(heading: Floats, pitch: Floats) -> Floats:
    """Return the unit vectors (n, 3) of headings and pitches (n,)."""
    level = cos(pitch)
    return np.column_stack([level * cos(heading), level * sin(heading), sin(pitch)])


class LookAhead:
    """View directions that look ahead along a curve with a given speed diagram."""

    def __init__(self, curve: Curve, diagram: SpeedDiagram, look_ahead: float) -> None:
        self._curve, self._diagram, self._look_ahead = curve, diagram, look_ahead
        inner = curve.breaks[curve.halts]
        self.ends = np.concatenate([[0.0], inner, [curve.length]])
        """(k + 1,) m. Start, halts and end of the curve; stages lie between them."""
        self.times = diagram.time_at(self.ends)

    def directions(self, t: Floats, stage: Ints) -> Floats:
        """Return the view direction (n, 3) after t seconds (n,) of motion, in stages (n,)."""
        curve, ends = self._curve, self.times[stage + 1]
        here = np.minimum(self._diagram.distance_at(t), self.ends[stage + 1])
        there = self._diagram.distance_at(np.minimum(t + self._look_ahead, ends))
        there = np.clip(there, here, self.ends[stage + 1])
        chord = curve.position(there) - curve.position(here)
        length = np.linalg.norm(chord, axis=1)
        # Just before a halt, use the tangent of the piece that ends there.
        before = np.nextafter(self.ends[stage + 1], 0.0)
        tangent = curve.tangent(np.minimum(0.5 * (here + there), before))
        near = (there - here < _NEAR) | (length == 0.0)
        chord = np.where(near[:, None], tangent, chord / np.where(near, 1.0, length)[:, None])
        return in_space(chord)

    def arrival(self, stage: int) -> Gaze:
        """Return the gaze at the end of a stage, along its last tangent."""
        direction = self.directions(self.times[stage + 1 : stage + 2], np.array([stage]))[0]
        return as_gaze(direction)

    def departure(self, stage: int) -> Gaze:
        """Return the gaze at the start of a stage, with its rates."""
        first, last = float(self.times[stage]), float(self.times[stage + 1])
        ahead = min(first + self._look_ahead, last)
        here, there = self.ends[stage], self._diagram.distance_at(ahead)
        chord = self._curve.position(there) - self._curve.position(here)
        pace = float(self._diagram.speed_after(ahead)) if ahead < last else 0.0
        rate = pace * self._curve.tangent(there)
        return as_gaze(in_space(chord[None])[0], in_space(rate[None])[0])


def in_space(vectors: Floats) -> Floats:
    """Return vectors (n, 2 or 3) with three coordinates, (n, 3)."""
    if vectors.shape[1] == 3:
        return vectors
    return np.column_stack([vectors, np.zeros(len(vectors))])
