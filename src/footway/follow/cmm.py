"""The Corridor Map Method's follower (cmm-2007; cmm-crowds-2008, section 3)."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from footway import validation
from footway._numba.jit import thread_count
from footway.constants import TOUCH
from footway.corridor.kernels.backbone import refine
from footway.corridor.map import as_points
from footway.corridor.solver import SPACING
from footway.errors import BadInput, BadQuery, NoPath
from footway.follow.detour import (
    as_discs,
    check_ends,
    check_fits,
    describe,
    detour_around,
    sub_corridor,
)
from footway.follow.kernels.corridor import BLOCK
from footway.follow.kernels.walk import (
    ARRIVED,
    AT,
    BEGUN,
    DELAY,
    DONE,
    FIELDS,
    LONGEST,
    NOWHERE,
    STALLED,
    STOOD,
    TIME,
    WALKING,
    V,
    X,
    walk_many,
    walk_on,
)
from footway.follow.settings import LONGEST_STEP, SLACK, Settings
from footway.follow.walk import Walk
from footway.validation import FARTHEST, number, one_of, shown
from footway.validation import seed as checked_seed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    from numpy.typing import NDArray

    from footway.corridor import Corridor
    from footway.follow.detour import Disc

    Obstacle = Disc | tuple[float, ...]
    from collections.abc import Iterator

    from footway.corridor import CorridorMap


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


FINEST_STEP = 0.5  # m between balls of a refined corridor
REPULSION = 0.4  # m, k of F_i: at this distance the force of an obstacle equals F_0
REPLAN = 5  # steps after which a sub-corridor around moving obstacles is planned again
TIGHT = 0.8  # of the narrowest ball: a larger radius may be the reason why a character is stuck
WAIT = 60.0  # s to wait for moving obstacles to open the corridor
MOST_SAMPLES = 20_000_000  # per walk: more would not fit in memory
_SAMPLES = 1 << 13  # initial capacity of a walk
NO_DISCS = np.empty((0, 7))
NO_LENGTHS = np.zeros(1)
NO_FORCE = np.zeros(3)


class Trail(NamedTuple):
    """Buffers for the samples of a walk, (capacity, 3) each."""

    points: Floats
    velocities: Floats
    directions: Floats  # heading, also while the character turns on the spot


class _Trails(threading.local):
    """Unused trails of the calling thread, reused because allocation takes longer than a walk."""

    def __init__(self) -> None:
        self.free: list[Trail] = []


_trails = _Trails()


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
    """Move a character through a corridor from start to goal and return its walk.

    An attraction point moves ahead on the backbone; the character follows it under the enabled
    forces, which can be combined, and never leaves the free space.

    Args:
        corridor: from `CorridorMap.corridor`, or `Corridor.from_balls`; in 2D or 3D.
        radius: of the character, m; by default that of the corridor.
        speed: maximum speed, m/s.
        step: seconds between samples.
        turn_rate: maximum, rad/s. The heading changes by at most turn_rate * step between two
            samples; the character slows down for sharper turns.
        shortcut: dt of the second attraction point alpha(x, dt), a fraction of the backbone from 0
            to 1; larger values make the path shorter.
        noise: weight of coherent noise on the direction (F_rand), 0 to about 1.
        wavelength: of the noise, m.
        lane: weight k of the force to the left (F_perp); negative values act to the right.
        corner: positive values cut corners, negative values take them wide.
        obstacles: standing or moving discs: `Disc`, or (x, y, radius).
        avoid: obstacles by repulsive "forces" (F_i), or by a sub-"corridor" that leads around them.
        forces: user-defined functions of a `Moment` that return (d,), in units of F_0.
        seed: of the noise; the same seed gives the same bits.

    Raises:
        BadQuery: an invalid value; the message states the limit.
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
    settings = make_settings(
        radius=corridor.radius if radius is None else radius,
        speed=speed, step=step, turn_rate=turn_rate, shortcut=shortcut, noise=noise,
        wavelength=wavelength, lane=lane, corner=corner, seed=seed,
    )  # fmt: skip
    check_fits(corridor, settings.radius)
    one_of(avoid, "way to avoid obstacles", ("forces", "corridor"))
    none = isinstance(obstacles, tuple) and not obstacles
    named, discs = ((), NO_DISCS) if none else as_discs(obstacles, corridor.dimension)
    walker = Walker(corridor, settings, named, discs, as_forces(forces))
    if named:
        check_ends(named, discs, settings.radius, walker.balls[[0, -1], :3])
    if len(discs) and avoid == "corridor":
        walker.detour()
    else:
        walker.push_through()
    return walker.walk()


def make_settings(
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
    """Validate the parameters of `cmm` and return them as kernel settings."""
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
    """Walk of one character: the loop around the kernel."""

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
        new = (np.empty((_SAMPLES, 3)) for _ in range(3))
        self.trail = _trails.free.pop() if _trails.free else Trail(*new)
        samples = corridor.length / (settings.speed * settings.step)
        if samples > MOST_SAMPLES:
            raise BadQuery(
                f"{samples:.3g} samples of {settings.step:g} s at {settings.speed:g} m/s are too "
                f"many: take a longer step or a higher speed, for at most {MOST_SAMPLES:,}"
            )
        self._begin()

    def _begin(self) -> None:
        """Place the character at the start."""
        self.count = 0
        self.state = np.zeros(FIELDS)
        self.state[X : X + 3] = self.balls[0, :3]

    def push_through(self) -> None:
        """Walk under repulsive forces; if they cancel out, make a detour around the obstacles."""
        if self._run(self.balls, self.discs) == ARRIVED:
            return
        if not len(self.discs):
            raise self._lost()
        self._begin()
        self.detour()

    def detour(self) -> None:
        """Walk in sub-corridors around the obstacles."""
        if not self.discs[:, 4:].any():
            around = sub_corridor(self.corridor, self.named, radius=self.settings.radius)
            self.corridor = around
            self.balls = nested_balls(around, self.settings.radius)
            if self._run(self.balls, NO_DISCS) != ARRIVED:
                raise self._lost()
            return
        self._detour_from_here()

    def _detour_from_here(self) -> None:
        """Repeatedly plan a sub-corridor around the predicted positions of moving obstacles."""
        waited, limit = 0.0, DELAY + LONGEST * self.corridor.length / self.settings.speed
        while True:
            ahead = self._balls_ahead()
            balls, closed_by = detour_around(
                ahead,
                self.discs,
                self.settings.radius,
                self.state[TIME] + lengths_along(ahead) / self.settings.speed,
                dimension=self.corridor.dimension,
            )
            if balls is None:  # continue; forces hold the character back until the corridor opens
                waited += REPLAN * self.settings.step
                balls = ahead
            if closed_by and waited > WAIT:
                raise self._blocked(closed_by)
            self.state[BEGUN] = 0.0
            # Keep the repulsive forces: obstacles may move differently than predicted.
            nested = refine(balls, self.settings.radius, FINEST_STEP)
            status = self._run(nested, self.discs, steps=REPLAN)
            if status == ARRIVED:
                return
            if status == STALLED or self.state[TIME] > limit:
                raise self._lost()

    def _balls_ahead(self) -> Floats:
        """Return a ball at the character, followed by the balls of its corridor that lie ahead."""
        gaps = np.linalg.norm(self.balls[:, :3] - self.state[X : X + 3], axis=1)
        depth = self.balls[:, 3] - gaps
        held = np.flatnonzero(depth >= self.settings.radius - 1e-9)
        last = int(held[-1]) if len(held) else len(depth) - 1
        t = int(np.argmax(depth[: last + 1]))  # the ball that it is deepest in
        here = np.append(self.state[X : X + 3], depth[t])
        return np.vstack([here, self.balls[t:]])

    def _run(self, balls: Floats, discs: Floats, *, steps: int | None = None) -> int:
        """Call the kernel until the character arrives, stalls, or has taken `steps` steps."""
        lengths = np.empty(len(balls)) if self.settings.shortcut > 0.0 else NO_LENGTHS
        blocks = np.empty((-(-len(balls) // BLOCK), 4))
        own, made = NO_FORCE, 0
        while True:
            batch = len(self.trail.points) - self.count - 2
            if batch < 8:
                more = np.empty((len(self.trail.points) + 64, 3))
                self.trail = Trail(*(np.vstack([a, more]) for a in self.trail))
                continue
            if steps is not None:
                batch = min(batch, steps - made)
            if self.forces:
                own = sum_of(
                    self.forces, self.state, balls, self.corridor.dimension, self.settings.radius
                )
                batch = 1
            status, count = walk_on(
                self.state, batch, self.settings, balls, blocks, lengths, discs, own,
                self.trail.points[self.count :], self.trail.velocities[self.count :],
                self.trail.directions[self.count :],
            )  # fmt: skip
            self.count += count
            made += count
            if status != WALKING or made == steps:
                return int(status)

    def _blocked(self, closed_by: tuple[int, ...]) -> NoPath:
        names = "; ".join(describe(self.named[i], i) for i in closed_by)
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
        biases = self.settings.noise or self.settings.lane or self.settings.corner
        cause = (
            "forces of your own hold it there; weaken them" if self.forces
            else "obstacles that move hold it there; see NoPath.obstacles" if moving
            else "lane, noise or corner hold it there; weaken them" if biases
            else "it walks or turns too slowly; see speed, turn_rate and step"
        )  # fmt: skip
        narrowest = self.corridor.narrowest
        if self.settings.radius > TIGHT * narrowest:
            cause += f"; or it has no room to turn: take a radius well below {narrowest:.3f} m"
        return NoPath(
            f"the character comes no closer to its goal at {np.round(place, 3).tolist()} after "
            f"{self.state[TIME]:.1f} s: {cause}",
            reason="blocked",
            obstacles=moving,
        )

    def walk(self) -> Walk:
        """Return the finished walk."""
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
    """Return balls so close that each holds its neighbours' centres for a character of `radius`."""
    if corridor.source is not None and radius <= corridor.radius:
        return corridor.balls
    centres, radii = corridor.balls[:, :3], corridor.balls[:, 3]
    apart = np.linalg.norm(np.diff(centres, axis=0), axis=1)
    overlap = 0.5 * (radii[:-1] + radii[1:] - apart)
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
    """Return the length of the backbone up to each ball, (n,) m."""
    step = np.linalg.norm(np.diff(balls[:, :3], axis=0), axis=1)
    return np.concatenate([[0.0], np.cumsum(step)])


_BATCH = 16  # queries per task of a thread
_BATCH_SAMPLES = 1 << 16  # capacity of a batch


class _Scratch(threading.local):
    """Sample buffers of a thread, reused because allocation takes longer than the walk."""

    def __init__(self) -> None:
        self.samples = tuple(np.empty((_BATCH_SAMPLES, 3)) for _ in range(3))


_scratch = _Scratch()


def cmm_batch(
    cmap: CorridorMap,
    starts: ArrayLike,
    goals: ArrayLike,
    *,
    radius: float = 0.25,
    speed: float = 1.2,
    step: float = 0.1,
    turn_rate: float = math.pi,
    shortcut: float = 0.0,
    noise: float = 0.0,
    wavelength: float = 8.0,
    lane: float = 0.0,
    corner: float = 0.0,
    seed: int = 0,
    threads: int | None = None,
) -> list[Walk | None]:
    """Compute a walk for each of (n, 2) starts and goals, on all cores; None if there is no path.

    Walk k is bit-identical to the result of `cmm` in `cmap.corridor(starts[k], goals[k])` with the
    seed `seed + k`, for any number of threads.

    Example:
        >>> import footway as fw
        >>> cmap = fw.CorridorMap.build(fw.load("gallery:field"))
        >>> walks = fw.follow.cmm_batch(cmap, [(2, 2), (2, 3)], [(17, 11), (-5, 0)])
        >>> [walk is not None for walk in walks]
        [True, False]

    """
    if not hasattr(cmap, "solver"):
        raise BadQuery(f"a CorridorMap is needed, not {shown(cmap)}: see CorridorMap.build")
    ends = _queries(starts, goals)
    settings = make_settings(
        radius=radius, speed=speed, step=step, turn_rate=turn_rate, shortcut=shortcut, noise=noise,
        wavelength=wavelength, lane=lane, corner=corner, seed=seed,
    )  # fmt: skip
    validation.seed(seed, high=validation.MOST_SEED - len(ends))
    validation.radius(radius, cmap.solver.extent)
    count = validation.threads(threads) or thread_count()
    firsts = range(0, len(ends), _BATCH)
    with ThreadPoolExecutor(max_workers=count) as pool:
        batches = pool.map(
            lambda first: list(_walk_batch(cmap, ends[first : first + _BATCH], settings, first)),
            firsts,
        )
        return [walk for batch in batches for walk in batch]


def _walk_batch(
    cmap: CorridorMap, ends: Floats, settings: Settings, first: int
) -> Iterator[Walk | None]:
    """Yield the walks of some queries; `first` is the index of the first one in all queries."""
    n, solver = len(ends), cmap.solver
    statuses, offsets, stood = np.empty(n, np.int64), np.empty(n + 1, np.int64), np.zeros(n, bool)
    points, velocities, directions = _scratch.samples
    seeds = settings.seed + first + np.arange(n)
    balls, places, shares = solver.balls
    walk_many(
        ends, seeds, settings, SPACING, balls, places, shares,
        np.empty((len(balls) // BLOCK + 1, 4)), np.empty(len(balls)), np.empty(FIELDS),
        statuses, offsets, stood, points, velocities, directions, NO_DISCS, solver.index,
        solver.ladder,
    )  # fmt: skip
    for k, (status, seed) in enumerate(zip(statuses.tolist(), seeds.tolist(), strict=True)):
        if status == NOWHERE:
            yield None
        elif status == DONE:
            rows = slice(int(offsets[k]), int(offsets[k + 1]))
            yield Walk(
                partial(cmap.corridor, ends[k, :2], ends[k, 2:], radius=settings.radius),
                settings.radius,
                settings.speed,
                settings.step,
                points[rows, :2].copy(),
                velocities[rows, :2].copy(),
                directions[rows, :2].copy() if stood[k] else None,
                (),
                NO_DISCS,
                solver.index.grid,
            )
        else:
            yield _walk_alone(cmap, ends[k], settings, seed)


def _walk_alone(cmap: CorridorMap, ends: Floats, settings: Settings, seed: int) -> Walk | None:
    """Compute the walk of a query that exceeds the memory of a batch."""
    options = settings._asdict() | {"seed": seed}
    options.pop("repulsion")
    try:
        return cmm(cmap.corridor(ends[:2], ends[2:], radius=settings.radius), **options)
    except NoPath:
        return None


def _queries(starts: ArrayLike, goals: ArrayLike) -> Floats:
    """Return start and goal of each query, (n, 4)."""
    a, b = as_points(starts), as_points(goals)
    validation.as_many(a, b)
    return np.hstack([a, b])
