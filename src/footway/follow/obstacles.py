"""Dynamic obstacles, and corridors that sway around them (cmm-2007, "Avoiding Dynamic Obstacles").

Obstacles are discs, or balls in 3D, that stand or move in a straight line.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from footway.errors import BadQuery, NoPath
from footway.follow.checks import SLACK
from footway.follow.kernels.detour import sway
from footway.follow.kernels.detour_clearance import BLOCKED, ON_GOAL, ON_START, OPEN
from footway.validation import FARTHEST, number, shown, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from footway.corridor import Corridor

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

__all__ = ["Disc", "as_discs", "name_of", "sub_corridor", "sway_around"]


@dataclass(frozen=True)
class Disc:
    """A dynamic obstacle.

    Attributes:
        at: where it is at time 0, (x, y) or (x, y, z) in metres.
        radius: m, more than 0.
        velocity: m/s, in as many coordinates; it stands where none is given.
        name: for messages, such as "cart".

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


def as_discs(
    obstacles: Iterable[Disc | Sequence[float]], dimension: int
) -> tuple[tuple[Disc, ...], Floats]:
    """Discs, and the same as numbers: (m, 7) x, y, z, radius in m and vx, vy, vz in m/s.

    An obstacle is a `Disc`, or (x, y, radius), or (x, y, z, radius) in a corridor of dimension 3.
    """
    try:
        listed = list(obstacles)
    except TypeError:
        raise BadQuery(f"obstacles must be a list of discs, not {shown(obstacles)}") from None
    named = tuple(_as_disc(obstacle, i, dimension) for i, obstacle in enumerate(listed))
    discs = np.zeros((len(named), 7))
    for row, disc in zip(discs, named, strict=True):
        row[:dimension], row[3], row[4 : 4 + dimension] = disc.at, disc.radius, disc.velocity
    return named, discs


def name_of(discs: Sequence[Disc], i: int) -> str:
    """Disc i in a message, such as `obstacle 2 "cart" at (3.00, 4.00), radius 0.5 m`."""
    return _describe(discs[i], i)


def sub_corridor(
    corridor: Corridor,
    obstacles: Iterable[Disc | Sequence[float]],
    *,
    radius: float | None = None,
    speed: float = 1.2,
) -> Corridor:
    """Corridor inside another one that sways around obstacles: (B', R') of the paper.

    It goes past each obstacle on the better side and stays connected. Its balls lie inside those
    of the corridor and hold no obstacle. Balls that no obstacle touches stay as they are, and so
    do the start and the goal. Where obstacles close the way along the backbone but balls of the
    corridor overlap elsewhere, such as across a bend, the part in between is left out.

    Args:
        corridor: from `CorridorMap.corridor` or `Corridor.from_balls`; in 2D or 3D.
        obstacles: `Disc`, or (x, y, radius), or (x, y, z, radius) in 3D.
        radius: of the character, m; that of the corridor where it is not given.
        speed: of the character, m/s: it tells where an obstacle that moves will be when the
            character comes to a ball.

    Raises:
        BadQuery: values that make no sense, or an obstacle on top of the start or the goal.
        NoPath: obstacles close the corridor ("blocked"; `obstacles` has the least set of them
            that does), or the corridor is too narrow for the character ("pinch"; this may be said
            where it has less than 5 mm to spare and obstacles touch it).

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
    if r > corridor.narrowest + SLACK:
        raise NoPath(
            f"a radius of {r:g} m does not fit the corridor: at its narrowest "
            f"{corridor.narrowest:.3f} m fits; use a smaller radius or another corridor",
            reason="pinch",
        )
    steps = np.linalg.norm(np.diff(corridor.backbone, axis=0), axis=1)
    times = np.concatenate([[0.0], np.cumsum(steps)]) / pace
    status, rows, blame = sway(corridor.balls, discs, r, times, corridor.dimension)
    if status != OPEN:
        end = 0 if status == ON_START else -1
        gaps = _gaps(corridor.balls[end], discs, times[end])
        raise _failure(status, named, blame, r, gaps)
    return replace(corridor, radius=r, balls=np.ascontiguousarray(rows[:, :4]), source=None)


def sway_around(
    balls: Floats, discs: Floats, radius: float, times: Floats, *, dimension: int = 2
) -> tuple[Floats, None] | tuple[None, tuple[int, ...]]:
    """Sub-corridor of plain arrays: (balls' (n', 4), None), or (None, discs that close it).

    Args:
        balls: (n, 4) x, y, z and R[t], m. The first centre is where the character is.
        discs: (m, 7) as `as_discs` gives them, at time 0.
        radius: of the character, m.
        times: (n,) s, when the character is expected at each ball; discs that move are taken there.
        dimension: 2, or 3 where the corridor may also go over and under a disc.

    """
    status, rows, blame = sway(
        np.ascontiguousarray(balls, np.float64), discs, float(radius), times, dimension
    )
    if status == OPEN:
        return np.ascontiguousarray(rows[:, :4]), None
    return None, tuple(blame.tolist())


def _describe(disc: Disc, i: int) -> str:
    name = f' "{disc.name}"' if disc.name else ""
    at = ", ".join(f"{c:.2f}" for c in disc.at)
    return f"obstacle {i}{name} at ({at}), radius {disc.radius:g} m"


def _as_disc(value: Any, i: int, dimension: int) -> Disc:
    """Obstacle i as a disc of the corridor's dimension."""
    if isinstance(value, Disc):
        disc = value
    else:
        numbers = _coordinates(value, f"obstacle {i}", "", count=(dimension + 1,))
        disc = Disc(numbers[:-1], number(numbers[-1], f"radius of obstacle {i}", "m", above=0.0))
    if len(disc.at) != dimension:
        raise BadQuery(
            f"{_describe(disc, i)} has {len(disc.at)} coordinates: the corridor has {dimension}"
        )
    return disc


def _coordinates(
    value: Any, what: str, unit: str, *, count: tuple[int, ...] = (2, 3)
) -> tuple[float, ...]:
    """Finite numbers, or a clear error."""
    try:
        numbers = () if isinstance(value, str) else tuple(value)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) not in count:
        wanted = " or ".join(str(c) for c in count)
        raise BadQuery(f"the {what} is {shown(value)}: it must be {wanted} numbers")
    return tuple(number(c, what, unit, low=-FARTHEST, high=FARTHEST) for c in numbers)


def _gaps(ball: Floats, discs: Floats, time: float) -> Floats:
    """Distance of each disc's centre, at a time, to the centre of a ball, m."""
    gaps: Floats = np.linalg.norm(discs[:, :3] + time * discs[:, 4:] - ball[:3], axis=1)
    return gaps


def _failure(
    status: int, named: tuple[Disc, ...], blame: Ints, radius: float, gaps: Floats
) -> BadQuery | NoPath:
    """Say why there is no sub-corridor, and what to do. gaps: of the discs to that end."""
    indices = tuple(blame.tolist())
    if status in (ON_START, ON_GOAL):
        i = indices[0]
        end = "start" if status == ON_START else "goal"
        return BadQuery(
            f"{name_of(named, i)} lies on top of the {end}: its centre is {gaps[i]:.3f} m away, "
            f"and {named[i].radius + radius:.3f} m is the least for a radius of {radius:g} m"
        )
    names = "; ".join(name_of(named, i) for i in indices)
    if status == BLOCKED:
        return NoPath(
            f"the corridor is closed for a radius of {radius:g} m by {names}: "
            "move or remove one of them, or take another corridor",
            reason="blocked",
            obstacles=indices,
        )
    return NoPath(
        f"the corridor is too narrow for a radius of {radius:g} m, even without {names}: "
        "use a smaller radius or another corridor",
        reason="pinch",
    )
