"""The Corridor Map Method's follower (cmm-2007; cmm-crowds-2008, section 3)."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from footway.corridor._backbone_kernels import refine
from footway.errors import BadQuery, NoPath
from footway.follow._corridor_kernels import BLOCK
from footway.follow._walk_kernels import (
    ARRIVED,
    BEGUN,
    FIELDS,
    STALLED,
    STOOD,
    TIME,
    WALKING,
    H,
    V,
    X,
    walk_on,
)
from footway.follow.checks import SLACK, check_character, number
from footway.follow.forces import as_forces, sum_of
from footway.follow.obstacles import as_discs, name_of, sub_corridor, sway_around
from footway.follow.settings import Settings
from footway.follow.walk import Walk

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
WAIT = 60.0  # s to wait until discs that move open the corridor
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
    if not hasattr(corridor, "balls"):
        raise BadQuery(f"a corridor is needed, not {corridor!r:.60}: see CorridorMap.corridor")
    settings = settings_of(
        radius=corridor.radius if radius is None else radius,
        speed=speed, step=step, turn_rate=turn_rate, shortcut=shortcut, noise=noise,
        wavelength=wavelength, lane=lane, corner=corner, seed=seed,
    )  # fmt: skip
    check_character(corridor, settings)
    if avoid not in ("forces", "corridor"):
        raise BadQuery(f'avoid is {avoid!r}: it must be "forces" or "corridor"')
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
        radius=number(radius, "radius", "m", low=0.0),
        speed=number(speed, "speed", "m/s", above=0.0),
        step=number(step, "step", "s", above=0.0),
        turn_rate=number(turn_rate, "turn_rate", "rad/s", above=0.0),
        shortcut=number(shortcut, "shortcut", "", low=0.0, high=1.0),
        noise=number(noise, "noise", ""),
        wavelength=number(wavelength, "wavelength", "m", above=0.0),
        seed=_seed(seed),
        lane=number(lane, "lane", ""),
        corner=number(corner, "corner", ""),
        repulsion=REPULSION,
    )


def _seed(value: int) -> int:
    if not isinstance(value, int | np.integer) or not 0 <= int(value) < 2**63:
        raise BadQuery(f"the seed is {value!r}: it must be a whole number from 0 to 2^63 - 1")
    return int(value)


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
        self.limit = 120.0 + 10.0 * corridor.length / settings.speed
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
                apart = float(np.linalg.norm(disc[:3] - place))
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
        """Again and again a sub-corridor around the discs, as they will be met."""
        moving, waited = bool(self.discs[:, 4:].any()), 0.0
        while True:
            ahead = self._balls_ahead()
            now = float(self.state[TIME])
            lengths = lengths_along(ahead)
            balls, closed_by = sway_around(
                ahead,
                self.discs,
                self.settings.radius,
                now + lengths / self.settings.speed,
                dimension=self.corridor.dimension,
            )
            if balls is None:
                waited += REPLAN * self.settings.step
                if not moving or waited > WAIT:
                    raise self._blocked(closed_by or ())
                self._stand(REPLAN)
                continue
            steps = REPLAN if moving else None
            self.state[BEGUN] = 0.0
            discs = self.discs if moving else NO_DISCS  # they may come otherwise than expected
            status = self._run(refine(balls, self.settings.radius, FINEST_STEP), discs, steps=steps)
            if status == ARRIVED:
                return
            if status == STALLED or self.state[TIME] > self.limit:
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
            if self.state[TIME] > self.limit:
                return STALLED

    def _stand(self, steps: int) -> None:
        """Wait for some steps."""
        while len(self.trail.points) - self.count < steps + 2:
            self._grow()
        rows = slice(self.count, self.count + steps)
        self.trail.points[rows] = self.state[X : X + 3]
        self.trail.velocities[rows] = 0.0
        self.trail.directions[rows] = self.state[H : H + 3]
        self.state[V : V + 3] = 0.0
        self.state[STOOD] += steps
        self.state[TIME] += steps * self.settings.step
        self.count += steps

    def _grow(self) -> None:
        more = len(self.trail.points) + 64
        self.trail = Trail(*(np.vstack([a, np.empty((more, 3))]) for a in self.trail))

    def _blocked(self, closed_by: tuple[int, ...]) -> NoPath:
        names = "; ".join(name_of(self.named, i) for i in closed_by)
        return NoPath(
            f"the corridor is closed for a radius of {self.settings.radius:g} m by {names}: "
            "move or remove one of them, or take another corridor",
            reason="blocked",
            obstacles=closed_by,
        )

    def _lost(self) -> NoPath:
        place = self.state[X : X + self.corridor.dimension]
        cause = "obstacles that move" if len(self.discs) else "lane, noise or corner"
        return NoPath(
            f"the character comes no closer to its goal at {np.round(place, 3).tolist()} after "
            f"{self.state[TIME]:.1f} s: {'forces of your own' if self.forces else cause} hold it "
            "there; weaken them",
            reason="blocked",
            obstacles=tuple(range(len(self.discs))),
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
    balls: Floats = refine(corridor.balls, radius, FINEST_STEP)
    k = int(balls[:, 3].argmin())
    if balls[k, 3] < radius - SLACK:
        place = tuple(np.round(balls[k, : corridor.dimension], 3).tolist())
        raise NoPath(
            f"the corridor has a gap at {place}: its balls overlap by {balls[k, 3]:.3f} m there, "
            f"which is less than the radius of {radius:g} m; give more balls or a smaller radius",
            reason="pinch",
        )
    return balls


def lengths_along(balls: Floats) -> Floats:
    """(n,) m. Length of the backbone up to each ball."""
    step = np.linalg.norm(np.diff(balls[:, :3], axis=0), axis=1)
    return np.concatenate([[0.0], np.cumsum(step)])
