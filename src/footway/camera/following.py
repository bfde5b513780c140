"""A camera behind a character of a recorded crowd."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.portable_math import atan2, cos, sin
from footway.camera.flight import Moments
from footway.camera.limits import LEAST, MOST
from footway.camera.look import as_directions
from footway.camera.measuring import polyline_room
from footway.camera.motion import MOST_FRAMES, CameraMotion, checked_rate, frame_times
from footway.constants import TOUCH
from footway.errors import BadQuery
from footway.validation import FARTHEST, number, shown
from footway.validation import radius as checked_radius

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor import CorridorMap
    from footway.crowd import Recording

    Floats = NDArray[np.float64]

_STANDS = 0.1  # m/s. Who is slower than this keeps his heading
_EYES = 1.5  # m. Height at which the camera looks at the character
_AHEAD = 2.0  # m. It looks at a place so far before him, so that it sees where he goes
_RADIUS = 0.2  # m. Least distance to walls where none is asked for
_MARGIN = 0.002  # m. By which knots are clearer than the radius at first
_ATTEMPTS = 4  # to keep the radius between knots too, each with a larger margin
_STIFF = 2.0  # 1/s. How quickly the camera turns after the character
_KNOTS = 60.0  # per second. Where the motion is planned, whatever the rate of its frames
_PARTS = 4  # of the way from knot to knot, by which it is measured
_STEPS = 64  # of a ray on its way to a wall, at most; one that is not there yet ends where it is


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
    """Motion of a camera behind one character, from the first frame he is in to the last.

    It keeps its distance and turns after him, gently; position and direction are C1. It looks at
    where he goes, a little down. Time counts from his first frame.

    Args:
        recording: of a crowd.
        character: his id; see `recording.characters.ids`.
        distance: behind him, m. With a map it is shorter where a wall is in the way.
        height: of the camera above the ground, m.
        radius: least distance of the camera to walls, m, with a map: no more than he himself keeps.
            If not given, 0.2, or less where he is nearer to walls than that.
        turn_rate: greatest, of the heading, rad/s.
        smoothing: s. Steps to the side that take less than this are hardly seen.
        rate: frames per second; the motion is the same at any rate.
        cmap: the map he walks on: then the camera is in no wall, nor behind one.

    Raises:
        BadQuery: nobody has this id, or he is in one frame only; a bad value; a radius with which
            the camera does not fit where he walks.

    Example:
        >>> import footway as fw
        >>> cmap = fw.CorridorMap.build(fw.load("gallery:field"))
        >>> crowd = fw.Crowd(cmap, seed=1)
        >>> ids = crowd.add(20)
        >>> shot = fw.camera.follow(crowd.run(seconds=5), ids[0], cmap=cmap)
        >>> round(shot.duration, 3), shot.clearance >= 0.2
        (5.0, True)

    """
    wish = _Wish(
        number(distance, "distance", "m", low=0.0, high=FARTHEST),
        number(height, "height", "m", above=_EYES, high=FARTHEST),
        checked_radius(_RADIUS if radius is None else radius, _extent(cmap)),
        number(turn_rate, "turn rate", "rad/s", low=LEAST, high=MOST),
        number(smoothing, "smoothing", "s", low=LEAST, high=MOST),
    )
    rate = checked_rate(rate)
    if not hasattr(recording, "trajectory"):
        raise BadQuery(f"a Recording is needed, not {shown(recording)}: see Crowd.run")
    times, track = recording.trajectory(character)
    if len(times) < 2:
        raise BadQuery(f"character {character} is in one frame only: there is nothing to follow")
    times = times - times[0]
    frame_times(float(times[-1]), rate)  # refuses too many
    walk = _walk(times, track)
    if cmap is None:
        return CameraMotion(_chase(walk, wish), rate, None, None, wish.radius, math.nan)
    if radius is None:
        wish = wish._replace(radius=min(wish.radius, polyline_room(walk.places, cmap)))
    _check_room(cmap, walk, character, wish.radius)
    chase, clearance = _clear_chase(cmap, walk, wish)
    if radius is not None and clearance < wish.radius - TOUCH:
        raise BadQuery(
            f"the radius is {wish.radius:g} m, and a smooth camera behind character {character} "
            f"keeps {clearance:.4f} m: give a radius of no more than that"
        )
    return CameraMotion(chase, rate, None, None, min(wish.radius, clearance), clearance)


def _extent(cmap: CorridorMap | None) -> float:
    """Longest side of the map, m."""
    if cmap is None:
        return FARTHEST
    if not hasattr(cmap, "solver"):
        raise BadQuery(f"a CorridorMap is needed, not {shown(cmap)}: see CorridorMap.build")
    return cmap.solver.extent


class _Wish(NamedTuple):
    distance: float
    height: float
    radius: float
    turn_rate: float
    smoothing: float
    margin: float = _MARGIN


class _Walk(NamedTuple):
    """A character's track at the knots."""

    times: Floats  # (n,) s, in even steps
    places: Floats  # (n, 2) m


def _walk(times: Floats, track: Floats) -> _Walk:
    count = min(MOST_FRAMES, max(1, math.ceil(times[-1] * _KNOTS)))
    knots = np.linspace(0.0, times[-1], count + 1)
    return _Walk(knots, _cubic(times, track, np.gradient(track, times, axis=0), knots)[0])


def _check_room(cmap: CorridorMap, walk: _Walk, character: int, radius: float) -> None:
    """Refuse a camera that does not fit where the character is: it may have to come so near."""
    least = polyline_room(walk.places, cmap)
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


def _clear_chase(cmap: CorridorMap, walk: _Walk, wish: _Wish) -> tuple[Chase, float]:
    """Chase that keeps the radius between its knots too, and its clearance, m."""
    for _ in range(_ATTEMPTS):
        chase = _chase(walk, wish, cmap)
        clearance = chase.clearance(cmap)
        if clearance >= wish.radius:
            break
        wish = wish._replace(margin=wish.margin + 1.5 * (wish.radius - clearance))
    return chase, clearance


class Chase:
    """A camera's places and headings at knots, with a cubic between them: C1.

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
        """In seconds."""
        return float(self.times[-1])

    def at(self, t: Floats) -> Moments:
        """Return where the camera is and looks at times t (n,), s."""
        t = np.clip(t, 0.0, self.duration)
        values, slopes = _cubic(self.times, self._values, self._slopes, t)
        speeds = np.linalg.norm(slopes[:, :3], axis=1)
        directions = as_directions(values[:, 3], values[:, 4])
        arc_lengths = np.interp(t, self.times, self._arc_lengths)
        return Moments(t, values[:, :3], directions, speeds, arc_lengths)

    def clearance(self, cmap: CorridorMap) -> float:
        """Least distance to any wall, m: a lower bound, between knots too."""
        count = _PARTS * (len(self.times) - 1)
        chords = self.at(np.linspace(0.0, self.duration, count + 1)).positions[:, :2]
        # A cubic leaves its chord by an eighth of its second derivative at most, which is linear:
        # greatest at a knot.
        step = np.diff(self.times)[:, None]
        moved = np.diff(self.places, axis=0)
        first, last = self._slopes[:-1, :3] * step, self._slopes[1:, :3] * step
        bends = np.stack([6.0 * moved - 4.0 * first - 2.0 * last,
                          6.0 * moved - 2.0 * first - 4.0 * last])  # fmt: skip
        left = float(np.linalg.norm(bends, axis=2).max()) / 8.0 / _PARTS**2
        return max(0.0, polyline_room(chords, cmap) - left)


def _chase(walk: _Walk, wish: _Wish, cmap: CorridorMap | None = None) -> Chase:
    """Places and headings of the camera at all knots."""
    knots = walk.times
    smooth = _smoothed(knots, walk.places, wish.smoothing)
    heading = _eased_heading(knots, np.gradient(smooth, knots, axis=0), wish.turn_rate)
    if cmap is not None:
        smooth = _kept_clear(cmap, walk, smooth, wish)
    back = -np.column_stack([cos(heading), sin(heading)])
    distance = np.full(len(knots), wish.distance)
    if cmap is not None:
        reach = _reach(cmap, smooth, back, distance, wish)
        distance = _beneath(knots, reach, wish.smoothing)
    places = smooth + distance[:, None] * back
    height = np.full(len(knots), wish.height)
    return Chase(knots, np.column_stack([places, height]), heading, distance)


def _kept_clear(cmap: CorridorMap, walk: _Walk, smooth: Floats, wish: _Wish) -> Floats:
    """Smoothed track that is not nearer to walls than the camera may be; else the track itself."""
    aside = smooth - walk.places
    far = np.linalg.norm(aside, axis=1)
    unit = aside / np.maximum(far, 1e-12)[:, None]
    reach = _reach(cmap, walk.places, unit, far, wish)
    share = np.where(far > 1e-9, reach / np.maximum(far, 1e-12), 1.0)
    return walk.places + _beneath(walk.times, share, wish.smoothing)[:, None] * aside


def _reach(cmap: CorridorMap, origin: Floats, unit: Floats, most: Floats, wish: _Wish) -> Floats:
    """How far (n,) m a disc gets from places (n, 2) along unit vectors before it meets a wall.

    It goes on by what is free around it, which never meets a wall.
    """
    gone, kept = np.zeros(len(origin)), wish.radius + wish.margin
    for _ in range(_STEPS):
        free = cmap.clearance(origin + gone[:, None] * unit) - kept
        step = np.minimum(np.maximum(free, 0.0), most - gone)
        gone = gone + step
        if not (step > _MARGIN).any():
            break
    return gone


def _beneath(times: Floats, limit: Floats, seconds: float) -> Floats:
    """Smooth values (n,) that are nowhere above a limit (n,): its least around, then the mean."""
    half = _half_width(times, seconds)
    least = np.lib.stride_tricks.sliding_window_view(
        np.pad(limit, 2 * half, mode="edge"), 4 * half + 1
    ).min(axis=1)
    return _smoothed(times, least[:, None], seconds)[:, 0]


def _smoothed(times: Floats, values: Floats, seconds: float) -> Floats:
    """Mean (n, k) over a window with soft ends, twice `seconds` wide; it reflects at the ends."""
    half = _half_width(times, seconds)
    box = np.ones(2 * half + 1) / (2 * half + 1)
    weights = np.convolve(box, box)
    first, last = 2.0 * values[0] - values[2 * half : 0 : -1], 2.0 * values[-1]
    last = last - values[-2 : -2 * half - 2 : -1]
    padded = np.vstack([first, values, last]) if half else values
    return np.column_stack([np.convolve(column, weights, mode="valid") for column in padded.T])


def _half_width(times: Floats, seconds: float) -> int:
    """Knots in half of `seconds`; fewer in a short motion."""
    step = float(times[1] - times[0])
    return max(0, min(round(0.5 * seconds / step), (len(times) - 2) // 2))


def _eased_heading(times: Floats, velocity: Floats, turn_rate: float) -> Floats:
    """Heading (n,) rad that turns after the velocity as a damped spring, never too fast.

    It takes half a second to reach the greatest rate, also where the character turns on his heel.
    """
    pace = np.linalg.norm(velocity, axis=1)
    moves = np.flatnonzero(pace > _STANDS)
    if not len(moves):
        return np.zeros(len(times))
    wanted = np.unwrap(atan2(velocity[moves, 1], velocity[moves, 0]))
    wanted = wanted[np.clip(np.searchsorted(moves, np.arange(len(times)), "right") - 1, 0, None)]
    heading, rate, out = float(wanted[0]), 0.0, np.empty(len(times))
    out[0] = heading
    for k in range(1, len(times)):
        step = float(times[k] - times[k - 1])
        pull = _STIFF**2 * math.remainder(wanted[k] - heading, math.tau)
        # The damping is taken at the end of the step: stable for any step.
        wish = (rate + step * pull) / (1.0 + 2.0 * _STIFF * step)
        change = _STIFF * turn_rate * step
        most = turn_rate - 0.25 * change  # between knots the cubic exceeds it by no more
        rate = min(max(wish, rate - change, -most), rate + change, most)
        heading += step * rate
        out[k] = heading
    return out


def _cubic(times: Floats, values: Floats, slopes: Floats, t: Floats) -> tuple[Floats, Floats]:
    """Values and slopes (m, k) at times t (m,) of the cubic through values and slopes (n, k)."""
    k = np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2)
    step = (times[k + 1] - times[k])[:, None]
    x = (t - times[k])[:, None] / step
    a, b, c, d = values[k], slopes[k] * step, values[k + 1], slopes[k + 1] * step
    one = x * x * (3.0 - 2.0 * x)
    there = a + one * (c - a) + x * (1.0 - x) * (1.0 - x) * b + x * x * (x - 1.0) * d
    slope = 6.0 * x * (1.0 - x) * (c - a) + (1.0 - x) * (1.0 - 3.0 * x) * b
    slope = slope + x * (3.0 * x - 2.0) * d
    return there, slope / step
