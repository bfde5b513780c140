"""A camera behind a character of a recorded crowd."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.portable_math import atan2, cos, sin
from footway.camera.curve import polyline_distance
from footway.camera.look import as_directions
from footway.camera.motion import MOST_FRAMES, CameraMotion, Moments, checked_rate, frame_times
from footway.camera.speed import LEAST, MOST
from footway.constants import TOUCH
from footway.errors import BadQuery
from footway.validation import FARTHEST, number, shown
from footway.validation import radius as checked_radius

if TYPE_CHECKING:
    from footway.arrays import Floats
    from footway.corridor import CorridorMap
    from footway.crowd import Recording

_STANDS = 0.1  # m/s. A character slower than this keeps its heading
_EYES = 1.5  # m. Height of the point that the camera looks at
_AHEAD = 2.0  # m. The camera looks at a point this far in front of the character
_RADIUS = 0.25  # m. Default least distance to walls
_MARGIN = 0.002  # m. Initial extra clearance at knots
_ATTEMPTS = 4  # attempts to keep the radius between knots, each with a larger margin
_STIFF = 2.0  # 1/s. Stiffness with which the heading follows the character
_KNOTS = 60.0  # per second. Knots at which the motion is planned, independent of the frame rate
_PARTS = 4  # chords per interval between knots for measuring clearance
_STEPS = 64  # most steps of a ray towards a wall; it ends early if it needs more


def follow(
    recording: Recording,
    character: int,
    *,
    distance: float = 4.0,
    height: float = 2.5,
    radius: float | None = None,
    turn_rate: float = 0.8,
    smoothing: float = 1.0,
    rate: float = 30.0,
    cmap: CorridorMap | None = None,
) -> CameraMotion:
    """Return the motion of a camera behind one character, from its first frame to its last.

    The camera keeps its distance and turns smoothly with the character; position and direction are
    C1. It looks slightly down at a point in front of the character. Time starts at the character's
    first frame.

    Args:
        recording: of a crowd.
        character: id of the character; see `recording.characters.ids`.
        distance: behind the character, m. With a map it is shortened where a wall is in between.
        height: of the camera above the ground, m.
        radius: least distance of the camera to walls, m, with a map; at most the character's own
            distance. Default: 0.25, or less if the character comes nearer to walls than that.
        turn_rate: greatest rate of the heading, rad/s.
        smoothing: s. Sideways movements shorter than this are smoothed out.
        rate: frames per second; the motion does not depend on it.
        cmap: map of the recording; with it the camera is never inside or behind a wall.

    Raises:
        BadQuery: unknown id, a character in one frame only, an invalid value, or a radius with
            which the camera does not fit along the character's path.

    Example:
        >>> import footway as fw
        >>> cmap = fw.CorridorMap.build(fw.load("gallery:field"))
        >>> crowd = fw.Crowd(cmap, seed=1)
        >>> ids = crowd.add(20)
        >>> shot = fw.camera.follow(crowd.run(seconds=5), ids[0], cmap=cmap)
        >>> round(shot.duration, 3), shot.clearance >= 0.25
        (5.0, True)
    """
    if cmap is not None and (not hasattr(cmap, "solver") or hasattr(cmap, "building")):
        raise BadQuery(f"a CorridorMap is needed, not {shown(cmap)}: see CorridorMap.build")
    extent = FARTHEST if cmap is None else cmap.solver.extent
    settings = _Settings(
        number(distance, "distance", "m", low=0.0, high=FARTHEST),
        number(height, "height", "m", above=_EYES, high=FARTHEST),
        checked_radius(_RADIUS if radius is None else radius, extent),
        number(turn_rate, "turn rate", "rad/s", low=LEAST, high=MOST),
        number(smoothing, "smoothing", "s", low=LEAST, high=MOST),
    )
    rate = checked_rate(rate)
    if not hasattr(recording, "trajectory"):
        raise BadQuery(f"a Recording is needed, not {shown(recording)}: see Crowd.run")
    if recording.floor_names:
        raise BadQuery(
            "the recording is of a building: the camera follows on one floor, see on_floor"
        )
    times, track = recording.trajectory(character)
    if len(times) < 2:
        raise BadQuery(f"character {character} is in one frame only: there is nothing to follow")
    times = times - times[0]
    frame_times(float(times[-1]), rate)  # raises if there are too many frames
    count = min(MOST_FRAMES, max(1, math.ceil(times[-1] * _KNOTS)))
    knots = np.linspace(0.0, times[-1], count + 1)
    walk = _Walk(knots, _cubic(times, track, np.gradient(track, times, axis=0), knots)[0])
    if cmap is None:
        return CameraMotion(_chase(walk, settings), rate, None, None, settings.radius, math.nan)
    if radius is None:
        settings = settings._replace(
            radius=min(settings.radius, polyline_distance(walk.places, cmap))
        )
    _check_fits(cmap, walk, character, settings.radius)
    for _ in range(_ATTEMPTS):  # the planned margin is kept at knots only
        chase = _chase(walk, settings, cmap)
        clearance = chase.clearance(cmap)
        if clearance >= settings.radius:
            break
        settings = settings._replace(margin=settings.margin + 1.5 * (settings.radius - clearance))
    if radius is not None and clearance < settings.radius - TOUCH:
        raise BadQuery(
            f"the radius is {settings.radius:g} m, and a smooth camera behind character "
            f"{character} keeps {clearance:.4f} m: give a radius of no more than that"
        )
    return CameraMotion(chase, rate, None, None, min(settings.radius, clearance), clearance)


class _Settings(NamedTuple):
    distance: float
    height: float
    radius: float
    turn_rate: float
    smoothing: float
    margin: float = _MARGIN


class _Walk(NamedTuple):
    """Positions of a character at the knots."""

    times: Floats  # (n,) s, in even steps
    places: Floats  # (n, 2) m


def _check_fits(cmap: CorridorMap, walk: _Walk, character: int, radius: float) -> None:
    """Raise BadQuery if the camera does not fit everywhere at the character's own position."""
    least = polyline_distance(walk.places, cmap)
    if least > 0.0 and radius <= least + TOUCH:
        return
    x, y = walk.places[cmap.clearance(walk.places).argmin()].tolist()
    if least == 0.0:
        raise BadQuery(
            f"character {character} meets a wall at ({x:.3f}, {y:.3f}): use the map of the "
            "recording, or one with more frames"
        )
    raise BadQuery(
        f"the radius is {radius:g} m, and at ({x:.3f}, {y:.3f}) character {character} is "
        f"{least:.4f} m from a wall: give a radius of no more than that"
    )


class Chase:
    """Camera positions and headings at knots with cubics between them: C1.

    Attributes:
        times: (n,) s.
        places: (n, 3) m.
    """

    def __init__(self, times: Floats, places: Floats, heading: Floats, distance: Floats) -> None:
        self.times, self.places = times, places
        level = distance + _AHEAD
        gaze = np.column_stack([heading, atan2(_EYES - places[:, 2], level)])
        self._values = np.column_stack([places, gaze])
        self._slopes = np.gradient(self._values, times, axis=0)
        step = np.linalg.norm(np.diff(places, axis=0), axis=1)
        self._arc_lengths = np.concatenate([[0.0], np.cumsum(step)])

    @property
    def duration(self) -> float:
        """Duration, s."""
        return float(self.times[-1])

    def at(self, t: Floats) -> Moments:
        """Return the position and view of the camera at times t (n,), s."""
        t = np.clip(t, 0.0, self.duration)
        values, slopes = _cubic(self.times, self._values, self._slopes, t)
        speeds = np.linalg.norm(slopes[:, :3], axis=1)
        directions = as_directions(values[:, 3], values[:, 4])
        arc_lengths = np.interp(t, self.times, self._arc_lengths)
        return Moments(t, values[:, :3], directions, speeds, arc_lengths)

    def clearance(self, cmap: CorridorMap) -> float:
        """Return a lower bound of the distance to any wall (m), also between knots."""
        count = _PARTS * (len(self.times) - 1)
        chords = self.at(np.linspace(0.0, self.duration, count + 1)).positions[:, :2]
        # The distance between a cubic and its chord is at most an eighth of its second derivative,
        # which is linear and hence greatest at a knot.
        step = np.diff(self.times)[:, None]
        moved = np.diff(self.places, axis=0)
        first, last = self._slopes[:-1, :3] * step, self._slopes[1:, :3] * step
        bends = np.stack([6.0 * moved - 4.0 * first - 2.0 * last,
                          6.0 * moved - 2.0 * first - 4.0 * last])  # fmt: skip
        left = float(np.linalg.norm(bends, axis=2).max()) / 8.0 / _PARTS**2
        return max(0.0, polyline_distance(chords, cmap) - left)


def _chase(walk: _Walk, settings: _Settings, cmap: CorridorMap | None = None) -> Chase:
    """Compute positions and headings of the camera at all knots."""
    knots = walk.times
    smooth = _smoothed(knots, walk.places, settings.smoothing)
    heading = _eased_heading(knots, np.gradient(smooth, knots, axis=0), settings.turn_rate)
    if cmap is not None:  # back towards the walk where it is too close to walls
        aside = smooth - walk.places
        far = np.linalg.norm(aside, axis=1)
        unit = aside / np.maximum(far, 1e-12)[:, None]
        reach = _reach(cmap, walk.places, unit, far, settings)
        share = np.where(far > 1e-9, reach / np.maximum(far, 1e-12), 1.0)
        smooth = walk.places + _smooth_below(knots, share, settings.smoothing)[:, None] * aside
    back = -np.column_stack([cos(heading), sin(heading)])
    distance = np.full(len(knots), settings.distance)
    if cmap is not None:
        reach = _reach(cmap, smooth, back, distance, settings)
        distance = _smooth_below(knots, reach, settings.smoothing)
    places = smooth + distance[:, None] * back
    height = np.full(len(knots), settings.height)
    return Chase(knots, np.column_stack([places, height]), heading, distance)


def _reach(
    cmap: CorridorMap, origin: Floats, unit: Floats, most: Floats, settings: _Settings
) -> Floats:
    """Return how far (n,) m a disc can move from places (n, 2) along unit vectors (n, 2).

    Each step is as long as the free distance around the disc, so it never meets a wall.
    """
    gone, kept = np.zeros(len(origin)), settings.radius + settings.margin
    for _ in range(_STEPS):
        free = cmap.clearance(origin + gone[:, None] * unit) - kept
        step = np.minimum(np.maximum(free, 0.0), most - gone)
        gone = gone + step
        if not (step > _MARGIN).any():
            break
    return gone


def _smooth_below(times: Floats, limit: Floats, seconds: float) -> Floats:
    """Return smooth values (n,) nowhere above a limit (n,): sliding minimum, then mean."""
    half = _half_width(times, seconds)
    least = np.lib.stride_tricks.sliding_window_view(
        np.pad(limit, 2 * half, mode="edge"), 4 * half + 1
    ).min(axis=1)
    return _smoothed(times, least[:, None], seconds)[:, 0]


def _smoothed(times: Floats, values: Floats, seconds: float) -> Floats:
    """Return the mean (n, k) over a triangular window 2 `seconds` wide, reflected at the ends."""
    half = _half_width(times, seconds)
    box = np.ones(2 * half + 1) / (2 * half + 1)
    weights = np.convolve(box, box)
    first, last = 2.0 * values[0] - values[2 * half : 0 : -1], 2.0 * values[-1]
    last = last - values[-2 : -2 * half - 2 : -1]
    padded = np.vstack([first, values, last]) if half else values
    return np.column_stack([np.convolve(column, weights, mode="valid") for column in padded.T])


def _half_width(times: Floats, seconds: float) -> int:
    """Return the number of knots in half of `seconds`; fewer in a short motion."""
    step = float(times[1] - times[0])
    return max(0, min(round(0.5 * seconds / step), (len(times) - 2) // 2))


def _eased_heading(times: Floats, velocity: Floats, turn_rate: float) -> Floats:
    """Return a heading (n,) rad that follows the velocity as a damped spring with limited rate.

    Reaching the greatest rate takes half a second, even if the character reverses on the spot.
    """
    pace = np.linalg.norm(velocity, axis=1)
    moves = np.flatnonzero(pace > _STANDS)
    if not len(moves):
        return np.zeros(len(times))
    target = np.unwrap(atan2(velocity[moves, 1], velocity[moves, 0]))
    target = target[np.clip(np.searchsorted(moves, np.arange(len(times)), "right") - 1, 0, None)]
    heading, rate, out = float(target[0]), 0.0, np.empty(len(times))
    out[0] = heading
    for k in range(1, len(times)):
        step = float(times[k] - times[k - 1])
        pull = _STIFF**2 * math.remainder(target[k] - heading, math.tau)
        # Implicit damping is stable for any step.
        free_rate = (rate + step * pull) / (1.0 + 2.0 * _STIFF * step)
        change = _STIFF * turn_rate * step
        most = turn_rate - 0.25 * change  # the cubic exceeds it between knots by at most the rest
        rate = min(max(free_rate, rate - change, -most), rate + change, most)
        heading += step * rate
        out[k] = heading
    return out


def _cubic(times: Floats, values: Floats, slopes: Floats, t: Floats) -> tuple[Floats, Floats]:
    """Return values and slopes (m, k) at times t (m,) of the cubics through knots (n, k)."""
    k = np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2)
    step = (times[k + 1] - times[k])[:, None]
    x = (t - times[k])[:, None] / step
    a, b, c, d = values[k], slopes[k] * step, values[k + 1], slopes[k + 1] * step
    one = x * x * (3.0 - 2.0 * x)
    there = a + one * (c - a) + x * (1.0 - x) * (1.0 - x) * b + x * x * (x - 1.0) * d
    slope = 6.0 * x * (1.0 - x) * (c - a) + (1.0 - x) * (1.0 - 3.0 * x) * b
    slope = slope + x * (3.0 * x - 2.0) * d
    return there, slope / step
