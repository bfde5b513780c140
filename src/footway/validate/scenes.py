"""Scenes of experiments: walkable space, people, where they walk, and for how long."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from footway._numba.portable_math import atan2, cos, hypot, sin
from footway._numba.random_stream import RandomStream
from footway.environment import Environment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footway.arrays import Floats

    Ring = Sequence[tuple[float, float]]

RADIUS: Final = 0.2  # m, of everybody
WEIDMANN_SPEED: Final = (1.34, 0.26)  # m/s, mean and deviation of free speeds; Weidmann (1993)
HERMES_SPEED: Final = (1.55, 0.18)
"""m/s. Free speed of the participants of the corridor experiments: Zhang et al. (2011), J. Stat.
Mech. P06004."""


@dataclass(frozen=True)
class Stream:
    """People with the same destinations.

    Attributes:
        stops: areas (rings) or points that they visit in order, m.
        speed: mean and deviation of their free speeds, m/s.
        starts: (n, 2) m, where they are at the beginning; or
        times: (n,) s, when they appear at a random free point of `area`.
        area: ring, m.
        repeat: whether they visit the stops again and again; else they leave at the last one.
    """

    stops: tuple[Any, ...]
    speed: tuple[float, float] = WEIDMANN_SPEED
    starts: Floats | None = None
    times: Floats | None = None
    area: Any = None
    repeat: bool = False


@dataclass(frozen=True)
class Scene:
    """Walkable space and the people in it.

    Attributes:
        name: in the report.
        environment: the walkable space.
        streams: the people.
        seconds: how long it runs at most.
    """

    name: str
    environment: Environment
    streams: tuple[Stream, ...]
    seconds: float


def box(x0: float, y0: float, x1: float, y1: float) -> list[tuple[float, float]]:
    """Return the corners of a rectangle, m."""
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def scatter(x0: float, y0: float, x1: float, y1: float, density: float, seed: int) -> Floats:
    """Return points of a hexagonal lattice with this density (per m2), moved at random. (n, 2).

    They are more than two radii apart up to 4 per m2, and a radius away from the rectangle's sides.
    """
    apart = math.sqrt(2.0 / (math.sqrt(3.0) * density))
    rows = max(1, round((y1 - y0) / (apart * math.sqrt(3.0) / 2.0)))
    columns = max(1, round(density * (x1 - x0) * (y1 - y0) / rows))
    gap_x, gap_y = (x1 - x0) / columns, (y1 - y0) / rows
    k, row = np.meshgrid(np.arange(columns), np.arange(rows), indexing="ij")
    x = x0 + gap_x * (k + 0.25 + 0.5 * (row % 2))
    y = y0 + gap_y * (row + 0.5)
    free = max(0.0, 0.5 * (min(gap_x, float(hypot(0.5 * gap_x, gap_y))) - 2.0 * RADIUS) - 0.01)
    points = np.column_stack([x.ravel(), y.ravel()])
    points += 1.4 * (RandomStream(seed).uniform(*points.shape) - 0.5) * min(free, 0.5)
    margin = RADIUS + 0.01
    return np.clip(points, (x0 + margin, y0 + margin), (x1 - margin, y1 - margin))


def one_way(density: float, seed: int, *, width: float = 3.0) -> Scene:
    """Return a corridor filled with people who all walk to its end."""
    length, filled = 52.0, 40.0
    starts = scatter(0.3, 0.0, filled, width, density, seed)
    stream = Stream((box(length - 2.0, 0.0, length, width),), starts=starts)
    env = Environment.from_polygons(bounds=(0.0, 0.0, length, width), name="one-way")
    return Scene(f"one-way {density:g} per m2", env, (stream,), 12.0)


def corridor(entrance: float, exit_width: float, persons: int, rate: float, _: int = 0) -> Scene:
    """Return the corridor of the HERMES experiments: 1.8 m wide, 8 m long, its exit narrowed.

    People appear at a rate (per s) in front of it while there is free space.
    """
    left, right = 0.9 - 0.5 * exit_width, 0.9 + 0.5 * exit_width
    ring = [
        (-1, -7.5), (2.8, -7.5), (2.8, -4.2), (right, -4.2), (right, -4), (1.8, -4), (1.8, 4),
        (2.8, 4), (2.8, 11), (-1, 11), (-1, 4), (0, 4), (0, -4), (left, -4), (left, -4.2),
        (-1, -4.2),
    ]  # fmt: skip
    half = 0.5 * min(entrance, 1.8) if entrance < 1.8 else 1.9
    stream = Stream(
        (box(-1, -7.5, 2.8, -6.5),),
        speed=HERMES_SPEED,
        times=np.arange(persons) / rate,
        area=box(0.9 - half, 9.0, 0.9 + half, 11.0),
    )
    env = Environment.from_polygons([ring], name="corridor")
    name = f"uo-{100 * entrance:03.0f}-180-{100 * exit_width:03.0f}"
    return Scene(name, env, (stream,), persons / rate + 120.0)


def bottleneck(width: float, seed: int, *, persons: int = 150) -> Scene:
    """Return a hall with people at 3 per m2 in front of a passage 0.5 m long."""
    depth = 1.05 * persons / 3.0 / 8.0
    starts = scatter(-4.0, 1.0, 4.0, 1.0 + depth, 3.0, seed)
    starts = starts[np.argsort(starts[:, 1], kind="stable")][:persons]
    half = 0.5 * width
    ring = [
        (-4, 0), (-half, 0), (-half, -0.5), (-4, -0.5), (-4, -4), (4, -4), (4, -0.5),
        (half, -0.5), (half, 0), (4, 0), (4, 2.0 + depth), (-4, 2.0 + depth),
    ]  # fmt: skip
    stream = Stream((box(-4, -4, 4, -3),), starts=starts)
    env = Environment.from_polygons([ring], name="bottleneck")
    return Scene(f"bottleneck {width:g} m", env, (stream,), 300.0)


def two_way(rate: float, _: int = 0, *, seconds: float = 90.0) -> Scene:
    """Return a corridor 4 m wide into which people come from both ends, `rate` per s at each."""
    times = np.arange(int(rate * seconds)) / rate
    streams = (
        Stream((box(8.8, 0, 10, 4),), times=times, area=box(-9, 0, -6.5, 4)),
        Stream((box(-10, 0, -8.8, 4),), times=times, area=box(6.5, 0, 9, 4)),
    )
    env = Environment.from_polygons(bounds=(-10, 0, 10, 4), name="two-way")
    return Scene(f"two-way {rate:g} per s and side", env, streams, seconds)


def corner(persons: int, seed: int) -> Scene:
    """Return two corridors 2 m wide that meet at a right angle; the inner corner is at (8, 2)."""
    ring = [(0, 0), (10, 0), (10, 10), (8, 10), (8, 2), (0, 2)]
    times = np.sort(RandomStream(seed).uniform(persons)) * persons / 1.5
    stream = Stream((box(8, 9, 10, 10),), times=times, area=box(0, 0, 1.5, 2))
    env = Environment.from_polygons([ring], name="corner")
    return Scene(f"corner, {persons} persons", env, (stream,), persons / 1.5 + 20.0)


STRAIGHT, TURN = 5.0, 2.5  # m: length of the straight parts of the oval, radius of its turns
OVAL: Final = 2.0 * STRAIGHT + 2.0 * math.pi * TURN  # m, length of its centre line


def single_file(persons: int, _: int = 0, *, width: float = 0.7) -> Scene:
    """Return an oval on which people walk in a single file, equally spaced at the beginning."""
    at = OVAL * np.arange(persons) / persons
    quarter = np.floor(4.0 * at / OVAL).astype(int)
    quarters: Floats = OVAL * np.array([0.25, 0.5, 0.75, 1.0])
    stops = [tuple(stop) for stop in on_oval(quarters).tolist()]
    streams = tuple(
        Stream(tuple(stops[k:] + stops[:k]), starts=on_oval(at[quarter == k]), repeat=True)
        for k in range(4)
        if (quarter == k).any()
    )
    along = np.arange(0.0, OVAL, 0.1)
    outer, inner = (on_oval(along, aside) for aside in (-0.5 * width, 0.5 * width))
    env = Environment.from_polygons([outer], obstacles=[inner], name="oval")
    return Scene(f"single file of {persons}", env, streams, 60.0)


def on_oval(along: Floats, aside: float = 0.0) -> Floats:
    """Return points of the oval, counterclockwise: distances along it, and to its left. (n, 2)."""
    along = np.mod(along, OVAL)
    half = 0.5 * OVAL
    second = along >= half
    s = np.where(second, along - half, along)
    angle = np.clip((s - STRAIGHT) / TURN, 0.0, math.pi) - 0.5 * math.pi
    reach = TURN - aside
    x = np.where(s < STRAIGHT, s, STRAIGHT + reach * cos(angle))
    y = np.where(s < STRAIGHT, -reach, reach * sin(angle))
    x, y = np.where(second, STRAIGHT - x, x), np.where(second, -y, y)
    return np.column_stack([x, y])


def along_oval(points: Floats) -> Floats:
    """Return the distance along the oval of the nearest point of its centre line, m. (n,)."""
    x, y = points.T
    right, left = x > STRAIGHT, x < 0.0
    angle = atan2(y, x - STRAIGHT) + 0.5 * math.pi
    other = atan2(-y, -x) + 0.5 * math.pi
    half = 0.5 * OVAL
    found = np.where(y < 0.0, x, half + STRAIGHT - x)
    found = np.where(right, STRAIGHT + TURN * angle, found)
    found = np.where(left, half + STRAIGHT + TURN * other, found)
    along: Floats = np.mod(found, OVAL)
    return along
