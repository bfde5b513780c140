"""Scenes that measure how a crowd moves, and slow, obvious judges of their recordings.

Frames are positions and velocities of all characters after each step, so nothing is judged by the
code that moved them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import shapely

import footway as fw

PEOPLE: dict[str, Any] = {"radius": 0.2, "speed": (1.34, 0.26)}
"""Bodies of the experiments that the scenes repeat."""


@dataclass
class Film:
    """What happened, step by step."""

    dt: float
    radius: float
    ids: list[Any] = field(default_factory=list)
    points: list[Any] = field(default_factory=list)
    velocities: list[Any] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        return len(self.ids) * self.dt

    def take(self, crowd: fw.Crowd) -> None:
        self.ids.append(crowd.ids.copy())
        self.points.append(crowd.positions.copy())
        self.velocities.append(crowd.velocities.copy())

    def tracks(self) -> dict[int, Any]:
        """Return (k, 5) step, x, y, vx, vy by id."""
        count = [len(ids) for ids in self.ids]
        rows = np.column_stack([
            np.repeat(np.arange(len(count)), count),
            np.concatenate(self.points),
            np.concatenate(self.velocities),
        ])  # fmt: skip
        ids = np.concatenate(self.ids)
        order = np.lexsort((rows[:, 0], ids))
        rows, ids = rows[order], ids[order]
        parts = np.flatnonzero(np.diff(ids)) + 1
        firsts = np.concatenate([[0], parts])
        return dict(zip(ids[firsts].tolist(), np.split(rows, parts), strict=True))

    def overlaps(self, *, deeper: float, every: int = 1) -> float:
        """Return the share of character-steps in an overlap deeper than `deeper` radii."""
        bad = total = 0
        for points in self.points[::every]:
            total += len(points)
            bad += int((least_distances(points) < (2.0 - deeper) * self.radius).sum())
        return bad / max(total, 1)

    def least_distance(self) -> float:
        """Return the least distance of two centres, m."""
        return min(
            (float(least_distances(points).min()) for points in self.points if len(points) > 1),
            default=np.inf,
        )

    def turn_rates(self, *, above: float) -> Any:
        """Return the turn rates of all who walk faster than `above` m/s, rad/s."""
        rates = []
        for track in self.tracks().values():
            v = track[:, 3:]
            fast = np.hypot(*v.T) > above
            both = fast[1:] & fast[:-1] & (np.diff(track[:, 0]) == 1)
            a, b = v[:-1][both], v[1:][both]
            turn = np.arctan2(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], (a * b).sum(axis=1))
            rates.append(np.abs(turn) / self.dt)
        return np.concatenate(rates) if rates else np.empty(0)


def least_distances(points):
    """Return the distance from each point to the nearest other one, by comparing all. (n,)."""
    if len(points) < 2:
        return np.full(len(points), np.inf)
    away = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    np.fill_diagonal(away, np.inf)
    return away.min(axis=1)


def run(crowd: fw.Crowd, seconds: float, radius: float = 0.2) -> Film:
    """Step a crowd until it is empty or the time is over."""
    film = Film(crowd.dt, radius)
    for _ in range(round(seconds / crowd.dt)):
        crowd.step()
        film.take(crowd)
        if len(crowd) == 0:
            break
    return film


def crowd_in(free, *, dt=0.1, **settings) -> fw.Crowd:
    """Return an empty crowd in a Shapely polygon."""
    return fw.Crowd(fw.CorridorMap.build(fw.Environment.from_polygons(free)), step=dt, **settings)


def box(x0, y0, x1, y1):
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


# -- scenes --------------------------------------------------------------------------------------


def door(width, *, n=150, dt=0.1, seed=0, lane=None, seconds=600.0, **settings) -> Film:
    """Let people leave a room of 10 m x 10 m by a door in the middle of a side, at y = 0."""
    free = shapely.union_all([
        shapely.box(0, -5, 10, 5),
        shapely.box(9, -width / 2, 11, width / 2),
        shapely.box(10.4, -3, 16, 3),
    ])  # fmt: skip
    crowd = crowd_in(free, dt=dt, seed=seed, **settings)
    options = PEOPLE if lane is None else {**PEOPLE, "lane": lane}
    crowd.add(
        n, area=box(0.3, -4.7, 9, 4.7), destinations=[box(14.5, -2.5, 15.5, 2.5)], then="exit",
        **options,
    )  # fmt: skip
    return run(crowd, seconds)


def flow_at(film: Film, x: float, trim: float = 0.2) -> float:
    """Return people per second over the line at x, without the first and last `trim` of them."""
    times = []
    for track in film.tracks().values():
        over = np.flatnonzero(track[:, 1] > x)
        if len(over):
            times.append(track[over[0], 0] * film.dt)
    times.sort()
    cut = int(trim * len(times))
    kept = times[cut : len(times) - cut]
    return (len(kept) - 1) / (kept[-1] - kept[0])


def corridor_experiment(entrance, exit_width, n, *, dt=0.1, seed=0, **settings) -> Film:
    """Repeat a Juelich experiment: a room, an entrance, 8 m of corridor 1.8 m wide, an exit."""
    free = shapely.union_all([
        shapely.box(-14, -3.5, -4.4, 3.5),
        shapely.box(-5, -entrance / 2, -3, entrance / 2),
        shapely.box(-4, -0.9, 4, 0.9),
        shapely.box(3, -exit_width / 2, 5, exit_width / 2),
        shapely.box(4.2, -3, 10, 3),
    ])  # fmt: skip
    crowd = crowd_in(free, dt=dt, seed=seed, **settings)
    crowd.add(
        n, area=box(-13.8, -3.3, -5, 3.3), destinations=[box(8, -2.5, 9.5, 2.5)], then="exit",
        **PEOPLE,
    )  # fmt: skip
    return run(crowd, 200.0)


def density_and_speed(film: Film, x0, x1, width, trim=0.2):
    """Return mean density and speed in a part of a corridor, in the middle of the time."""
    inside = [
        (points[:, 0] > x0) & (points[:, 0] < x1) & (np.abs(points[:, 1]) < width / 2 + 0.1)
        for points in film.points
    ]
    counts = np.array([part.sum() for part in inside])
    busy = np.flatnonzero(counts)
    first, last = busy[0], busy[-1]
    first, last = int(first + trim * (last - first)), int(last - trim * (last - first))
    speeds = np.concatenate([
        np.hypot(*film.velocities[k][inside[k]].T) for k in range(first, last)
    ])  # fmt: skip
    return counts[first:last].mean() / (x1 - x0) / width, speeds.mean()


def single_file(per_metre, *, dt=0.1, seed=0, width=0.6, **settings) -> float:
    """Return the mean speed in the middle of a file of people, before its front spreads there."""
    crowd = crowd_in(shapely.box(0, -width / 2, 60, width / 2), dt=dt, seed=seed, **settings)
    n = int(30 * per_metre)
    starts = np.column_stack([0.5 + np.arange(n) / per_metre, np.zeros(n)])
    crowd.add(n, starts=starts, destinations=[(59, 0)], then="exit", **PEOPLE)
    film = run(crowd, 8.0)
    speeds = [
        v[(p[:, 0] > 6) & (p[:, 0] < 12), 0]
        for p, v in zip(film.points, film.velocities, strict=True)
    ]
    return float(np.concatenate(speeds[len(speeds) // 2 :]).mean())


def street(density, *, two_way, width=5.0, length=40.0, dt=0.1, seed=0, lane=None,
           seconds=16.0, **settings) -> tuple[Film, set[int]]:  # fmt: skip
    """Fill a street; all people walk east, or every second one west. Return the ids of the latter.

    The middle is filled from both ends for the first seconds.
    """
    crowd = crowd_in(shapely.box(0, -width / 2, length, width / 2), dt=dt, seed=seed, **settings)
    n = round(density * (length - 2) * width)
    options = PEOPLE if lane is None else {**PEOPLE, "lane": lane}
    half = width / 2
    east, west = (
        box(length - 1, 0.3 - half, length - 0.5, half - 0.3),
        box(0.5, 0.3 - half, 1, half - 0.3),
    )
    starts = spread_points(n, 1, -half + 0.25, length - 1, half - 0.25, seed)
    back = n // 2 if two_way else 0
    order = np.random.default_rng(seed).permutation(n)
    crowd.add(n - back, starts=starts[order[back:]], destinations=[east], then="exit", **options)
    ids: list[int] = []
    if back:
        ids = crowd.add(
            back, starts=starts[order[:back]], destinations=[west], then="exit", **options
        ).tolist()
    return run(crowd, seconds), set(ids)


def spread_points(n, x0, y0, x1, y1, seed):
    """Return n points of a jittered hexagonal grid, so that discs hardly overlap at the start."""
    spacing = np.sqrt((x1 - x0) * (y1 - y0) / n * 2 / np.sqrt(3))
    rng = np.random.default_rng(seed)
    while True:
        rows = np.arange(y0, y1, spacing * np.sqrt(3) / 2)
        points = np.array([
            (x + 0.5 * spacing * (k % 2), y)
            for k, y in enumerate(rows)
            for x in np.arange(x0, x1 - 0.5 * spacing, spacing)
        ])  # fmt: skip
        if len(points) >= n:
            break
        spacing *= 0.99
    points = points[np.sort(rng.permutation(len(points))[:n])]
    shift = max(0.0, 0.4 * (spacing - 0.42))
    points = points + rng.uniform(-shift, shift, points.shape)
    return np.clip(points, [x0, y0], [x1, y1])


def forward_speed(film: Film, west: set[int], x0: float, x1: float, after: float) -> float:
    """Return the mean speed in the direction of each one's goal between x0 and x1."""
    found = []
    for k in range(int(after / film.dt), len(film.ids)):
        there = (film.points[k][:, 0] > x0) & (film.points[k][:, 0] < x1)
        sign = np.where(np.isin(film.ids[k], list(west)), -1.0, 1.0)
        found.append((sign * film.velocities[k][:, 0])[there])
    return float(np.concatenate(found).mean())


def shares_across(film: Film, width, x0, x1, after, parts=6):
    """Return the share of people in each of `parts` lengthwise strips, from right to left."""
    y = np.concatenate([
        p[(p[:, 0] > x0) & (p[:, 0] < x1), 1] for p in film.points[int(after / film.dt) :]
    ])  # fmt: skip
    return np.histogram(y, parts, (-width / 2, width / 2))[0] / len(y)


def jam_centroid(film: Film, x: float, t0: float, t1: float) -> float:
    """Return the mean y of those who wait before the door, between two times."""
    frames = film.points[int(t0 / film.dt) : int(t1 / film.dt)]
    return float(np.mean(np.concatenate([p[p[:, 0] < x, 1] for p in frames])))


def detours(film: Film) -> Any:
    """Return the walked length over the straight line, per character."""
    found = []
    for track in film.tracks().values():
        steps = np.hypot(*np.diff(track[:, 1:3], axis=0).T)
        found.append(steps.sum() / max(np.hypot(*(track[-1, 1:3] - track[0, 1:3])), 0.1))
    return np.array(found)
