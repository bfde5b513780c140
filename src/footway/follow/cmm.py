"""The Corridor Map Method's follower (cmm-2007; cmm-crowds-2008, section 3)."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from footway.constants import TOUCH
from footway.corridor.kernels.backbone import refine
from footway.errors import BadQuery, NoPath
from footway.follow.checks import LONGEST_STEP, SLACK, check_character
from footway.follow.forces import as_forces, sum_of
from footway.follow.kernels.corridor import BLOCK
from footway.follow.kernels.walk import (
    ARRIVED,
    BEGUN,
    DELAY,
    FIELDS,
    LONGEST,
    STALLED,
    STOOD,
    TIME,
    WALKING,
    X,
    walk_on,
)
from footway.follow.obstacles import as_discs, name_of, sub_corridor, sway_around
from footway.follow.settings import Settings
from footway.follow.walk import Walk
from footway.validation import FARTHEST, number, one_of, shown
from footway.validation import seed as checked_seed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from footway.corridor import Corridor
    from footway.follow.forces import Force
    from footway.follow.obstacles import Disc

    Floats = NDArray[np.float64]
    Obstacle = Disc | tuple[float, ...]

FINEST_STEP = 0.5  # m, between balls of a corridor that is refined
REPULSION = 0.4  # m, k of F_i: a disc at this distance weighs as much as F_0
REPLAN = 5  # steps between two sub-corridors around discs that move
TIGHT = 0.8  # of the narrowest ball: a larger radius may be what holds a character up
WAIT = 60.0  # s to wait until discs that move open the corridor
MOST_SAMPLES = 20_000_000  # of a walk: more would not fit in memory
_SAMPLES = 1 << 13  # of a walk, before the memory grows
NO_DISCS = np.empty((0, 7))
NO_LENGTHS = np.zeros(1)
NO_FORCE = np.zeros(3)


class Trail(NamedTuple):
    """Samples as they are written: (capacity, 3) each."""

    points: Floats
    velocities: Floats
    directions: Floats  # where the character looks, also while it turns on the spot


class _Trails(threading.local):
    """Trails of the calling thread that no walk is using: fresh memory costs more than walking."""

    def __init__(self) -> None:
        self.free: list[Trail] = []


_trails = _Trails()


def _take_trail() -> Trail:
    if _trails.free:
        return _trails.free.pop()
    return Trail(*(np.empty((_SAMPLES, 3)) for _ in range(3)))


def cmm(
    corridor: Corridor,
    *,
    radius: float | None = None,
    speed: float = 1.2,
    step: float = 0.1,
    turn_rate: float = math.pi,
    shortcut: float = 0.0,
    noise: float = 0.0,
    wavelength: float = 8.0,
    lane: float = 0.0,
    corner: float = 0.0,
    obstacles: Sequence[Obstacle] = (),
    avoid: Literal["forces", "corridor"] = "forces",
    forces: Sequence[Force] = (),
    seed: int = 0,
) -> Walk:
    """Walk of a character through a corridor, from its start to its goal.

    An attraction point runs ahead on the backbone; the character follows it under the forces that
    are switched on, and never leaves the free space. They can be combined.

    Args:
        corridor: from `CorridorMap.corridor`, or `Corridor.from_balls`; in 2D or 3D.
        radius: of the character, m; that of the corridor where it is not given.
        speed: greatest, m/s.
        step: seconds between samples.
        turn_rate: greatest, rad/s. Between two samples the heading changes by at most this times
            the step; a character that must turn more slows down.
        shortcut: dt of the second attraction point alpha(x, dt), a share of the backbone from 0
            to 1; more makes the path shorter.
        noise: weight of coherent noise on the direction (F_rand), 0 to about 1.
        wavelength: of that noise, m.
        lane: weight k of a force to the left (F_perp); negative: to the right.
        corner: positive takes corners tight, negative wide.
        obstacles: discs that stand or move: `Disc`, or (x, y, radius).
        avoid: them by repulsive "forces" (F_i), or by a sub-"corridor" that sways around them.
        forces: of your own: functions of a `Moment` that return (d,), in units of F_0.
        seed: of the noise; the same seed gives the same bits.

    Raises:
        BadQuery: a value that makes no sense, with its limit.
        NoPath: the character does not fit, or obstacles close the corridor ("blocked").

    Example:
        >>> import footway as fw
        >>> cmap = fw.CorridorMap.build(fw.load("gallery:field"))
        >>> walk = fw.follow.cmm(cmap.corridor((2, 2), (17, 11), radius=0.25), speed=1.2)
        >>> walk.clearance >= 0.25, walk.points[-1].tolist()
        (True, [17.0, 11.0])

    """
    if not hasattr(corridor, "backbone"):
        raise BadQuery(f"a corridor is needed, not {shown(corridor)}: see CorridorMap.corridor")
    settings = settings_of(
        radius=corridor.radius if radius is None else radius,
        speed=speed, step=step, turn_rate=turn_rate, shortcut=shortcut, noise=noise,
        wavelength=wavelength, lane=lane, corner=corner, seed=seed,
    )  # fmt: skip
    check_character(corridor, settings)
    one_of(avoid, "way to avoid obstacles", ("forces", "corridor"))
    none = isinstance(obstacles, tuple) and not obstacles
    named, discs = ((), NO_DISCS) if none else as_discs(obstacles, corridor.dimension)
    walker = Walker(corridor, settings, named, discs, as_forces(forces))
    if named:
        walker.check_ends()
    if len(discs) and avoid == "corridor":
        walker.sway()
    else:
        walker.push_through()
    return walker.walk()


def settings_of(
    *,
    radius: float,
    speed: float,
    step: float,
    turn_rate: float,
    shortcut: float,
    noise: float,
    wavelength: float,
    lane: float,
    corner: float,
    seed: int,
) -> Settings:
    """Numbers that make sense, or one clear line; the same names as in `cmm`."""
    return Settings(
        radius=number(radius, "radius", "m", low=0.0, high=FARTHEST),
        speed=number(speed, "speed", "m/s", above=0.0, high=FARTHEST),
        step=number(step, "step", "s", above=0.0, high=LONGEST_STEP),
        turn_rate=number(turn_rate, "turn_rate", "rad/s", above=0.0),
        shortcut=number(shortcut, "shortcut", "", low=0.0, high=1.0),
        noise=number(noise, "noise", "", low=0.0, high=100.0),
        wavelength=number(wavelength, "wavelength", "m", low=TOUCH, high=FARTHEST),
        seed=checked_seed(seed),
        lane=number(lane, "lane", "", low=-100.0, high=100.0),
        corner=number(corner, "corner", "", low=-100.0, high=100.0),
        repulsion=REPULSION,
    )


class Walker:
    """One character on its way: the loop around the kernel."""

    def __init__(
        self,
        corridor: Corridor,
        settings: Settings,
        named: tuple[Disc, ...],
        discs: Floats,
        forces: tuple[Force, ...],
    ) -> None:
        self.corridor, self.settings = corridor, settings
        self.grid = corridor.source.index.grid if corridor.source is not None else None
        self.named, self.discs, self.forces = named, discs, forces
        self.balls = nested_balls(corridor, settings.radius)
        self.trail = _take_trail()
        samples = corridor.length / (settings.speed * settings.step)
        if samples > MOST_SAMPLES:
            raise BadQuery(
                f"{samples:.3g} samples of {settings.step:g} s at {settings.speed:g} m/s are too "
                f"many: take a longer step or a higher speed, for at most {MOST_SAMPLES:,}"
            )
        self._begin()

    def _begin(self) -> None:
        """Stand at the start."""
        self.count = 0
        self.state = np.zeros(FIELDS)
        self.state[X : X + 3] = self.balls[0, :3]

    def check_ends(self) -> None:
        """Refuse a disc on the start, or one that stands on the goal."""
        r = self.settings.radius
        for what, place, still in (
            ("start", self.balls[0, :3], False),
            ("goal", self.balls[-1, :3], True),
        ):
            for i, disc in enumerate(self.discs):
                apart = float(np.sqrt(((disc[:3] - place) ** 2).sum()))
                if still and disc[4:].any():
                    continue
                if apart < disc[3] + r:
                    raise BadQuery(
                        f"{name_of(self.named, i)} lies on the {what}: its centre is {apart:.3f} m "
                        f"away, and {disc[3] + r:.3f} m is the least for a radius of {r:g} m"
                    )

    def push_through(self) -> None:
        """Walk under repulsive forces; where these cancel each other, around the discs instead."""
        if self._run(self.balls, self.discs) == ARRIVED:
            return
        if not len(self.discs):
            raise self._lost()
        self._begin()
        self.sway()

    def sway(self) -> None:
        """Walk in sub-corridors around the discs."""
        if not self.discs[:, 4:].any():
            around = sub_corridor(self.corridor, self.named, radius=self.settings.radius)
            self.corridor = around
            self.balls = nested_balls(around, self.settings.radius)
            if self._run(self.balls, NO_DISCS) != ARRIVED:
                raise self._lost()
            return
        self._sway_from_here()

    def _sway_from_here(self) -> None:
        """Again and again a sub-corridor around discs that move, as they will be met."""
        waited, limit = 0.0, DELAY + LONGEST * self.corridor.length / self.settings.speed
        while True:
            ahead = self._balls_ahead()
            balls, closed_by = sway_around(
                ahead,
                self.discs,
                self.settings.radius,
                self.state[TIME] + lengths_along(ahead) / self.settings.speed,
                dimension=self.corridor.dimension,
            )
            if balls is None:  # go on, and let the forces hold it back until there is a way
                waited += REPLAN * self.settings.step
                balls = ahead
            if closed_by and waited > WAIT:
                raise self._blocked(closed_by)
            self.state[BEGUN] = 0.0
            # The discs' forces as well: they may come otherwise than expected.
            nested = refine(balls, self.settings.radius, FINEST_STEP)
            status = self._run(nested, self.discs, steps=REPLAN)
            if status == ARRIVED:
                return
            if status == STALLED or self.state[TIME] > limit:
                raise self._lost()

    def _balls_ahead(self) -> Floats:
        """The character as a ball, then the balls of its corridor from where it is on."""
        gaps = np.linalg.norm(self.balls[:, :3] - self.state[X : X + 3], axis=1)
        room = self.balls[:, 3] - gaps
        held = np.flatnonzero(room >= self.settings.radius - 1e-9)
        last = int(held[-1]) if len(held) else len(room) - 1
        t = int(np.argmax(room[: last + 1]))  # the ball in whose depth it is
        here = np.append(self.state[X : X + 3], room[t])
        return np.vstack([here, self.balls[t:]])

    def _run(self, balls: Floats, discs: Floats, *, steps: int | None = None) -> int:
        """Call the kernel until the character arrives, stalls, or has made the steps."""
        lengths = np.empty(len(balls)) if self.settings.shortcut > 0.0 else NO_LENGTHS
        blocks = np.empty((-(-len(balls) // BLOCK), 4))
        own, made = NO_FORCE, 0
        while True:
            wanted = len(self.trail.points) - self.count - 2
            if wanted < 8:
                self._grow()
                continue
            if steps is not None:
                wanted = min(wanted, steps - made)
            if self.forces:
                own = sum_of(
                    self.forces, self.state, balls, self.corridor.dimension, self.settings.radius
                )
                wanted = 1
            status, count = walk_on(
                self.state, wanted, self.settings, balls, blocks, lengths, discs, own,
                self.trail.points[self.count :], self.trail.velocities[self.count :],
                self.trail.directions[self.count :],
            )  # fmt: skip
            self.count += count
            made += count
            if status != WALKING or made == steps:
                return int(status)

    def _grow(self) -> None:
        more = len(self.trail.points) + 64
        self.trail = Trail(*(np.vstack([a, np.empty((more, 3))]) for a in self.trail))

    def _blocked(self, closed_by: tuple[int, ...]) -> NoPath:
        names = "; ".join(name_of(self.named, i) for i in closed_by)
        it = "it" if len(closed_by) == 1 else "one of them"
        return NoPath(
            f"the corridor is closed for a radius of {self.settings.radius:g} m by {names}: "
            f"move or remove {it}, or use a smaller radius",
            reason="blocked",
            obstacles=closed_by,
        )

    def _lost(self) -> NoPath:
        place = self.state[X : X + self.corridor.dimension]
        moving = tuple(np.flatnonzero(self.discs[:, 4:].any(axis=1)).tolist())
        habits = self.settings.noise or self.settings.lane or self.settings.corner
        cause = (
            "forces of your own hold it there; weaken them" if self.forces
            else "obstacles that move hold it there; see NoPath.obstacles" if moving
            else "lane, noise or corner hold it there; weaken them" if habits
            else "it walks or turns too slowly; see speed, turn_rate and step"
        )  # fmt: skip
        room = self.corridor.narrowest
        if self.settings.radius > TIGHT * room:
            cause += f"; or it has no room to turn: take a radius well below {room:.3f} m"
        return NoPath(
            f"the character comes no closer to its goal at {np.round(place, 3).tolist()} after "
            f"{self.state[TIME]:.1f} s: {cause}",
            reason="blocked",
            obstacles=moving,
        )

    def walk(self) -> Walk:
        """What was walked."""
        d, corridor = self.corridor.dimension, self.corridor
        stands = self.trail.directions[: self.count, :d].copy() if self.state[STOOD] else None
        walk = Walk(
            lambda: corridor,
            self.settings.radius,
            self.settings.speed,
            self.settings.step,
            self.trail.points[: self.count, :d].copy(),
            self.trail.velocities[: self.count, :d].copy(),
            stands,
            self.named,
            self.discs,
            self.grid,
        )
        _trails.free.append(self.trail)
        return walk


def nested_balls(corridor: Corridor, radius: float) -> Floats:
    """Balls of a corridor, each centre well inside its neighbours for a character of a radius."""
    if corridor.source is not None and radius <= corridor.radius:
        return corridor.balls
    centres, rooms = corridor.balls[:, :3], corridor.balls[:, 3]
    apart = np.linalg.norm(np.diff(centres, axis=0), axis=1)
    overlap = 0.5 * (rooms[:-1] + rooms[1:] - apart)
    k = int(overlap.argmin())
    if overlap[k] < radius - SLACK:
        advice = "give more balls or a smaller radius"
        if corridor.dimension == 3 and len(corridor.edges):  # of a roadmap that touches a wall
            advice = "retract the roadmap (see roadmap.retract), or use a smaller object"
        raise NoPath(
            f"the corridor has a gap between balls {k} and {k + 1}: they overlap by "
            f"{overlap[k]:.5g} m on either side, which is less than the radius of {radius:g} m; "
            f"{advice}",
            reason="pinch",
        )
    balls: Floats = refine(corridor.balls, radius, FINEST_STEP)
    return balls


def lengths_along(balls: Floats) -> Floats:
    """(n,) m. Length of the backbone up to each ball."""
    step = np.linalg.norm(np.diff(balls[:, :3], axis=0), axis=1)
    return np.concatenate([[0.0], np.cumsum(step)])
