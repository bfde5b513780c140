"""Dynamic obstacles and sub-corridors around them (cmm-2007, "Avoiding Dynamic Obstacles").

Obstacles are discs, or balls in 3D, that stand still or move in a straight line.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from footway._numba.portable_math import dist
from footway.errors import BadQuery, NoPath
from footway.follow.kernels.detour import detour
from footway.follow.kernels.detour_clearance import BLOCKED, ON_GOAL, ON_START, OPEN
from footway.follow.kernels.layouts import RADIUS, VX
from footway.validation import FARTHEST, flag, number, shown, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from footway.arrays import Floats
    from footway.corridor import Corridor


SLACK = 1e-6  # m by which a radius may exceed the narrowest ball, due to rounding of the map
NO_DISCS = np.empty((0, 7))


@dataclass(frozen=True)
class Disc:
    """A dynamic obstacle.

    Attributes:
        at: position at time 0, (x, y) or (x, y, z) in metres.
        radius: m, more than 0.
        velocity: m/s, of the same dimension; zero by default.
        name: used in messages, such as "cart".

    Example:
        >>> import footway as fw
        >>> fw.follow.Disc((3, 4), 0.5, velocity=(0, -1), name="cart")
        Disc(at=(3.0, 4.0), radius=0.5, velocity=(0.0, -1.0), name='cart')
    """

    at: tuple[float, ...]
    radius: float
    velocity: tuple[float, ...] = (0.0, 0.0)
    name: str = ""

    def __post_init__(self) -> None:
        name = text(self.name, "name of an obstacle")
        of = f'the obstacle "{name}"' if name else "an obstacle"
        at = _coordinates(self.at, f"place of {of}", "m")
        velocity = _coordinates(self.velocity, f"velocity of {of}", "m/s")
        if not any(velocity):
            velocity = (0.0,) * len(at)
        if len(velocity) != len(at):
            raise BadQuery(
                f"the velocity of {of} has {len(velocity)} coordinates: its place has {len(at)}"
            )
        radius = number(self.radius, f"radius of {of}", "m", above=0.0)
        for field, value in (("at", at), ("velocity", velocity), ("radius", radius)):
            object.__setattr__(self, field, value)


Obstacle = Disc | tuple[float, ...]
"""A disc, or (x, y, radius), or (x, y, z, radius) in 3D."""


def as_discs(
    obstacles: Iterable[Disc | Sequence[float]], dimension: int
) -> tuple[tuple[Disc, ...], Floats]:
    """Return obstacles as discs and as an array (m, 7): x, y, z, radius in m and vx, vy, vz in m/s.

    An obstacle is a `Disc`, or (x, y, radius), or (x, y, z, radius) in a corridor of dimension 3.
    """
    if isinstance(obstacles, tuple) and not obstacles:
        return (), NO_DISCS
    try:
        listed = list(obstacles)
    except TypeError:
        raise BadQuery(f"obstacles must be a list of discs, not {shown(obstacles)}") from None
    named = tuple(_as_disc(obstacle, i, dimension) for i, obstacle in enumerate(listed))
    discs = np.zeros((len(named), 7))
    for row, disc in zip(discs, named, strict=True):
        row[:dimension], row[RADIUS] = disc.at, disc.radius
        row[VX : VX + dimension] = disc.velocity
    return named, discs


def sub_corridor(
    corridor: Corridor,
    obstacles: Iterable[Disc | Sequence[float]],
    *,
    radius: float | None = None,
    speed: float = 1.2,
    published: bool = False,
) -> Corridor:
    """Return a corridor inside another one that leads around obstacles: (B', R') of the paper.

    It passes each obstacle on the better side and stays connected. Its balls lie inside those of
    the corridor and contain no obstacle. Balls that no obstacle touches, the start and the goal
    are unchanged. Where obstacles block the backbone but balls of the corridor overlap elsewhere,
    such as across a bend, the part in between is left out.

    Args:
        corridor: from `CorridorMap.corridor` or `Corridor.from_balls`; in 2D or 3D.
        obstacles: `Disc`, or (x, y, radius), or (x, y, z, radius) in 3D.
        radius: of the character, m; by default that of the corridor.
        speed: of the character, m/s; used to predict where a moving obstacle is when the
            character reaches a ball.
        published: move each ball by itself, by the formulas of the paper. These ignore the radii of
            the obstacles, so balls may overlap them; and they move balls on both sides of an
            obstacle apart, which may tear the corridor: then `cmm` raises NoPath.

    Raises:
        BadQuery: invalid values, or an obstacle on top of the start or the goal.
        NoPath: obstacles close the corridor ("blocked"; `obstacles` is a minimal set that does),
            or the corridor is too narrow for the character ("pinch"; also reported if the margin
            is below 5 mm and obstacles touch the corridor).

    Example:
        >>> import footway as fw
        >>> hall = fw.Corridor.from_balls([(x, 0) for x in range(9)], [2.0] * 9, radius=0.25)
        >>> around = fw.follow.sub_corridor(hall, [(4, 0.1, 0.3)])
        >>> bool(around.backbone[:, 1].min() < -0.5), around.narrowest > 0.5
        (True, True)
    """
    if not hasattr(corridor, "backbone"):
        raise BadQuery(f"a corridor is needed, not {shown(corridor)}: see CorridorMap.corridor")
    r = number(corridor.radius if radius is None else radius, "radius", "m", low=0.0)
    pace = number(speed, "speed", "m/s", above=0.0)
    named, discs = as_discs(obstacles, corridor.dimension)
    check_fits(corridor, r)
    steps = np.linalg.norm(np.diff(corridor.backbone, axis=0), axis=1)
    times = np.concatenate([[0.0], np.cumsum(steps)]) / pace
    if flag(published, "published"):
        return replace(corridor, radius=r, balls=moved_balls(corridor.balls, discs, times),
                       source=None)  # fmt: skip
    status, rows, blame = detour(corridor.balls, discs, r, times, corridor.dimension)
    if status == OPEN:
        return replace(corridor, radius=r, balls=np.ascontiguousarray(rows[:, :4]), source=None)
    indices = tuple(blame.tolist())
    names = "; ".join(describe(named[i], i) for i in indices)
    if status in (ON_START, ON_GOAL):
        end, what = (0, "start") if status == ON_START else (-1, "goal")
        disc = discs[indices[0]]
        apart = np.linalg.norm(disc[:3] + times[end] * disc[VX:] - corridor.balls[end, :3])
        raise BadQuery(
            f"{describe(named[indices[0]], indices[0])} lies on top of the {what}: its centre is "
            f"{apart:.3f} m away, and {disc[RADIUS] + r:.3f} m is the least for a radius of {r:g} m"
        )
    if status == BLOCKED:
        raise NoPath(
            f"the corridor is closed for a radius of {r:g} m by {names}: "
            "move or remove one of them, or take another corridor",
            reason="blocked",
            obstacles=indices,
        )
    raise NoPath(
        f"the corridor is too narrow for a radius of {r:g} m, even without {names}: "
        "use a smaller radius or another corridor",
        reason="pinch",
    )


def moved_balls(balls: Floats, discs: Floats, times: Floats) -> Floats:
    """Return (B', R') as published: balls (n, 4) at `times` (n,), s, moved away from discs (m, 7).

    A ball that contains the centre of a disc moves by (R - d) / 2, where d is the distance of the
    centres; one disc after the other. The first and the last ball stay at the start and the goal
    and shrink. A ball exactly on a disc moves along x.
    """
    moved = balls.copy()
    inner = moved[1:-1]
    for disc in discs:
        at = disc[:3] + times[:, None] * disc[VX:]
        for end in (0, -1):
            gap = np.sqrt(((balls[end, :3] - at[end]) ** 2).sum())
            moved[end, RADIUS] = min(moved[end, RADIUS], gap)
        away = inner[:, :3] - at[1:-1]
        d = np.sqrt((away**2).sum(axis=1))
        away[d == 0.0] = 1.0, 0.0, 0.0
        away /= np.where(d == 0.0, 1.0, d)[:, None]
        by = np.maximum(0.0, 0.5 * (inner[:, RADIUS] - d))
        inner[:, :3] += by[:, None] * away
        inner[:, RADIUS] -= by
    return moved


def check_fits(corridor: Corridor, radius: float) -> None:
    """Raise NoPath if a character of `radius` (m) does not fit its corridor."""
    narrowest = corridor.narrowest
    if radius > narrowest + SLACK:
        k = int(corridor.radii.argmin())
        place = tuple(round(float(c), 3) for c in corridor.backbone[k])
        raise NoPath(
            f"a radius of {radius:g} m does not fit the corridor: it is narrowest at "
            f"{place}, where {narrowest:.3f} m fits; use a smaller radius or another corridor",
            reason="pinch",
        )


def check_ends(named: Sequence[Disc], discs: Floats, radius: float, ends: Floats) -> None:
    """Raise BadQuery if an obstacle covers the start, or a standing one covers the goal.

    Args:
        named: the obstacles.
        discs: (m, 7) the obstacles as an array.
        radius: of the character, m.
        ends: (2, d) start and goal, m.
    """
    for what, place in zip(("start", "goal"), ends, strict=True):
        for i, disc in enumerate(discs):
            # In the plane `dist` is correctly rounded: a disc that just touches is accepted.
            apart = (
                dist(disc, place)
                if len(place) == 2
                else float(np.sqrt(((disc[:3] - place) ** 2).sum()))
            )
            moves = what == "goal" and bool(disc[VX:].any())
            if apart < disc[RADIUS] + radius and not moves:
                least = disc[RADIUS] + radius
                raise BadQuery(
                    f"{describe(named[i], i)} lies on the {what}: its centre is {apart:.3f} m "
                    f"away, and {least:.3f} m is the least for a radius of {radius:g} m"
                )


def describe(disc: Disc, i: int) -> str:
    """Describe disc i for a message, such as `obstacle 2 "cart" at (3.00, 4.00), radius 0.5 m`."""
    name = f' "{disc.name}"' if disc.name else ""
    at = ", ".join(f"{c:.2f}" for c in disc.at)
    return f"obstacle {i}{name} at ({at}), radius {disc.radius:g} m"


def _as_disc(value: Any, i: int, dimension: int) -> Disc:
    """Return obstacle i as a disc of the corridor's dimension."""
    if isinstance(value, Disc):
        disc = value
    else:
        numbers = _coordinates(value, f"obstacle {i}", "", count=(dimension + 1,))
        disc = Disc(numbers[:-1], number(numbers[-1], f"radius of obstacle {i}", "m", above=0.0))
    if len(disc.at) != dimension:
        raise BadQuery(
            f"{describe(disc, i)} has {len(disc.at)} coordinates: the corridor has {dimension}"
        )
    return disc


def _coordinates(
    value: Any, what: str, unit: str, *, count: tuple[int, ...] = (2, 3)
) -> tuple[float, ...]:
    """Return finite numbers, or raise BadQuery."""
    try:
        numbers = () if isinstance(value, str) else tuple(value)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) not in count:
        wanted = " or ".join(str(c) for c in count)
        raise BadQuery(f"the {what} is {shown(value)}: it must be {wanted} numbers")
    return tuple(number(c, what, unit, low=-FARTHEST, high=FARTHEST) for c in numbers)
