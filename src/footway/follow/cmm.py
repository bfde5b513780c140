"""The Corridor Map Method's follower (cmm-2007; cmm-crowds-2008, section 3)."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from footway import validation
from footway._numba.jit import thread_count
from footway.corridor.kernels.backbone import refine
from footway.corridor.map import as_points
from footway.corridor.search import SPACING
from footway.errors import BadInput, BadQuery, NoPath
from footway.follow.detour import (
    NO_DISCS,
    SLACK,
    check_ends,
    check_fits,
    describe,
    sub_corridor,
)
from footway.follow.kernels.corridor import BLOCK
from footway.follow.kernels.detour import detour
from footway.follow.kernels.detour_clearance import OPEN
from footway.follow.kernels.layouts import ARRIVED, RADIUS, STALLED, VX
from footway.follow.kernels.walk import (
    DELAY,
    DONE,
    LONGEST,
    NO_CORRIDOR,
    ZERO,
    Batch,
    CorridorArrays,
    WalkState,
    walk,
    walk_many,
)
from footway.follow.walk import Walk
from footway.follow.walker import Walker, make_settings, make_trail
from footway.validation import one_of, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike

    from footway.arrays import Floats, Ints
    from footway.corridor import Corridor, CorridorMap
    from footway.follow.detour import Obstacle
    from footway.follow.kernels.layouts import Settings


Avoid: TypeAlias = Literal["forces", "corridor", "published-corridor"]
"""Methods to avoid obstacles; the last is the paper's, without our repairs."""

Attraction: TypeAlias = Literal["bounded", "published"]
"""F_0 of at most 1, or as in the paper."""

FINEST_STEP = 0.5  # m between balls of a refined corridor
REPLAN = 5  # steps after which a sub-corridor around moving obstacles is planned again
TIGHT = 0.8  # of the narrowest ball: a larger radius may be the reason why a character is stuck
WAIT = 60.0  # s to wait for moving obstacles to open the corridor
NO_LENGTHS = np.zeros(1)
NO_HORIZONS, NO_PACES = np.zeros(1, np.int64), np.zeros(1)
_BATCH = 16  # queries per task of a thread
_BATCH_SAMPLES = 1 << 16  # capacity of a batch


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
    avoid: Avoid = "forces",
    repulsion: float = 0.4,
    attraction: Attraction = "bounded",
    forces: Sequence[Force] = (),
    seed: int = 0,
) -> Walk:
    """Move a character through a corridor from start to goal and return its walk.

    An attraction point moves ahead on the backbone; the character follows it under the enabled
    forces, which can be combined, and never leaves the free space.

    Args:
        corridor: from `CorridorMap.corridor`, or `Corridor.from_balls`; in 2D or 3D. In a
            building, `speed` is that on the level, and links have theirs.
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
        avoid: obstacles by repulsive "forces" (F_i), or by a sub-"corridor" that leads around them;
            "published-corridor" is the paper's: see `published` of `sub_corridor`.
        repulsion: k of F_i, m: an obstacle at this distance exerts the same force as F_0.
        attraction: F_0 is "bounded" by 1 and the velocity adapts to the sum of forces; or both are
            as "published": F_0 is infinite at the rim of a ball, and the velocity is the integral
            of the forces, up to `speed`. The walk then depends on the spacing of the balls.
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
        wavelength=wavelength, lane=lane, corner=corner, repulsion=repulsion,
    )  # fmt: skip
    validation.seed(seed)
    check_fits(corridor, settings.radius)
    one_of(avoid, "method to avoid obstacles", get_args(Avoid))
    one_of(attraction, "attraction", get_args(Attraction))
    settings = settings._replace(published=attraction == "published")
    if not isinstance(forces, list | tuple):
        raise BadQuery(f"forces must be a list of functions of a Moment, not {shown(forces)}")
    for force in forces:
        if not callable(force):
            raise BadQuery(f"forces must be functions of a Moment: {shown(force)} cannot be called")
    if hasattr(corridor, "building"):
        from footway.follow.building_walk import walk_building  # it imports this module

        if len(obstacles):
            raise BadQuery("obstacles are for walks on one floor: leave them out in a building")
        whole: Any = corridor  # a BuildingCorridor
        return walk_building(whole, settings, tuple(forces), int(seed))
    walker = CorridorWalker(corridor, settings, obstacles, tuple(forces), int(seed))
    if len(walker.discs) and avoid != "forces":
        walker.make_detour(published=avoid == "published-corridor")
    else:
        walker.push_through()
    return walker.walk()


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


class CorridorWalker(Walker):
    """Walk in a corridor, with detours around obstacles."""

    state: WalkState
    horizons, paces = NO_HORIZONS, NO_PACES  # of the arrays; those of the plane

    def __init__(
        self,
        corridor: Corridor,
        settings: Settings,
        obstacles: Sequence[Obstacle],
        forces: tuple[Force, ...],
        seed: int,
    ) -> None:
        self.corridor, self.forces, self.seed = corridor, forces, seed
        self.grid = corridor.source.index.grid if corridor.source is not None else None
        self.balls = nested_balls(corridor, settings.radius)
        super().__init__(settings, obstacles, corridor.dimension, corridor.length)
        if self.named:
            check_ends(self.named, self.discs, settings.radius, self.balls[[0, -1], :3])
        self._enter(self.balls, self.discs)
        self.state = WalkState(tuple(self.balls[0, :3].tolist()))

    def _enter(self, balls: Floats, discs: Floats) -> None:
        """Prepare to walk in these balls (n, 4), among discs (m, 7)."""
        lengths = np.empty(len(balls)) if self.settings.shortcut > 0.0 else NO_LENGTHS
        blocks = np.empty((-(-len(balls) // BLOCK), 4))
        self.arrays = CorridorArrays(balls, blocks, lengths, self.horizons, self.paces)
        self.discs_here = discs

    def advance(self, steps: int) -> tuple[int, int]:
        """Call the kernel: for one step if the user has forces, because they depend on it."""
        own = ZERO
        if self.forces:
            own, steps = self._own_force(), 1
        status, count, self.state = walk(
            self.state, steps, self.settings, self.seed, self.arrays, self.discs_here, own,
            self.trail, self.count,
        )  # fmt: skip
        return status, count

    def _own_force(self) -> tuple[float, float, float]:
        """Return the sum of the user-defined forces."""
        d, balls, state = self.dimension, self.arrays.balls, self.state
        position = np.array(state.position)
        t = state.at if state.is_begun else 0
        gaps = np.linalg.norm(balls[t:, :3] - position, axis=1)
        held = np.flatnonzero(gaps - (balls[t:, RADIUS] - self.settings.radius) < 0.0)
        t += int(held[-1]) if len(held) else 0
        now = Moment(
            position=position[:d],
            velocity=np.array(state.velocity[:d]),
            time=state.time,
            attraction_point=balls[t, :d].copy(),
            ball_radius=float(balls[t, RADIUS]),
            index=t,
        )
        total = np.zeros(3)
        for force in self.forces:
            total[:d] += _checked(force, now, d)
        x, y, z = total.tolist()
        return x, y, z

    def push_through(self) -> None:
        """Walk under repulsive forces; if they cancel out, make a detour around the obstacles."""
        if self.run() == ARRIVED:
            return
        if not len(self.discs):
            raise self._lost()
        self.count = 0
        self.state = WalkState(tuple(self.balls[0, :3].tolist()))
        self.make_detour()

    def make_detour(self, *, published: bool = False) -> None:
        """Walk in sub-corridors around the obstacles."""
        if self.discs[:, VX:].any() and not published:
            self._detour_from_here()
            return
        radius = self.settings.radius
        self.corridor = sub_corridor(
            self.corridor, self.named, radius=radius, speed=self.settings.speed, published=published
        )
        check_fits(self.corridor, radius)
        self._enter(nested_balls(self.corridor, radius), NO_DISCS)
        if self.run() != ARRIVED:
            raise self._lost()

    def _detour_from_here(self) -> None:
        """Repeatedly plan a sub-corridor around the predicted positions of moving obstacles."""
        s = self.settings
        waited, limit = 0.0, DELAY + LONGEST * self.corridor.length / s.speed
        while True:
            ahead = self._balls_ahead()
            gaps = np.linalg.norm(np.diff(ahead[:, :3], axis=0), axis=1)
            times = self.state.time + np.concatenate([[0.0], np.cumsum(gaps)]) / s.speed
            result, rows, blame = detour(ahead, self.discs, s.radius, times, self.dimension)
            balls = ahead
            if result == OPEN:
                balls = np.ascontiguousarray(rows[:, :4])
            else:  # continue; forces hold the character back until the corridor opens
                waited += REPLAN * s.step
                if waited > WAIT:
                    raise self._blocked(tuple(blame.tolist()))
            # Keep the repulsive forces: obstacles may move differently than predicted.
            self._enter(refine(balls, s.radius, FINEST_STEP), self.discs)
            self.state = self.state._replace(is_begun=False)
            status = self.run(REPLAN)
            if status == ARRIVED:
                return
            if status == STALLED or self.state.time > limit:
                raise self._lost()

    def _balls_ahead(self) -> Floats:
        """Return a ball at the character, followed by the balls of its corridor that lie ahead."""
        position = np.array(self.state.position)
        depth = self.balls[:, RADIUS] - np.linalg.norm(self.balls[:, :3] - position, axis=1)
        held = np.flatnonzero(depth >= self.settings.radius - 1e-9)
        last = int(held[-1]) if len(held) else len(depth) - 1
        t = int(np.argmax(depth[: last + 1]))  # the ball that it is deepest in
        return np.vstack([np.append(position, depth[t]), self.balls[t:]])

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
        place = np.round(self.state.position[: self.dimension], 3).tolist()
        moving = tuple(np.flatnonzero(self.discs[:, VX:].any(axis=1)).tolist())
        biases = self.settings.noise or self.settings.lane or self.settings.corner
        cause = (
            "custom forces hold it there; weaken them" if self.forces
            else "moving obstacles hold it there; see NoPath.obstacles" if moving
            else "lane, noise or corner hold it there; weaken them" if biases
            else "it walks or turns too slowly; see speed, turn_rate and step"
        )  # fmt: skip
        narrowest = self.corridor.narrowest
        if self.settings.radius > TIGHT * narrowest:
            cause += f"; or it has no space to turn: use a radius well below {narrowest:.3f} m"
        return NoPath(
            f"the character gets no closer to its goal at {place} after "
            f"{self.state.time:.1f} s: {cause}",
            reason="blocked",
            obstacles=moving,
        )

    def walk(self) -> Walk:
        """Return the finished walk."""
        corridor = self.corridor
        made = Walk(made_in=lambda: corridor, **self.samples(), grid=self.grid)
        self.release()
        return made


def nested_balls(corridor: Corridor, radius: float) -> Floats:
    """Return balls so close that each holds its neighbours' centres for a character of `radius`."""
    if corridor.source is not None and radius <= corridor.radius:
        return corridor.balls
    centres, radii = corridor.balls[:, :3], corridor.balls[:, RADIUS]
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
    if not hasattr(cmap, "solver") or hasattr(cmap, "building"):
        raise BadQuery(f"a CorridorMap is needed, not {shown(cmap)}: see CorridorMap.build")
    a, b = as_points(starts), as_points(goals)
    validation.as_many(a, b)
    ends = np.hstack([a, b])
    settings = make_settings(
        radius=radius, speed=speed, step=step, turn_rate=turn_rate, shortcut=shortcut, noise=noise,
        wavelength=wavelength, lane=lane, corner=corner,
    )  # fmt: skip
    validation.seed(seed, high=validation.MOST_SEED - len(ends))
    validation.radius(radius, cmap.solver.extent)
    count = validation.threads(threads) or thread_count()

    def walk_some(first: int) -> list[Walk | None]:
        queries = ends[first : first + _BATCH]
        return list(_walk_batch(cmap, queries, settings, seed + first + np.arange(len(queries))))

    with ThreadPoolExecutor(max_workers=count) as pool:
        batches = pool.map(walk_some, range(0, len(ends), _BATCH))
        return [walk for batch in batches for walk in batch]


class _Memory(threading.local):
    """Samples of a thread, reused because allocation takes longer than the walk."""

    def __init__(self) -> None:
        self.trail = make_trail(_BATCH_SAMPLES)


_memory = _Memory()


def _walk_batch(
    cmap: CorridorMap, ends: Floats, settings: Settings, seeds: Ints
) -> Iterator[Walk | None]:
    """Yield the walks of some queries (n, 4)."""
    n, solver, trail = len(ends), cmap.solver, _memory.trail
    statuses, offsets = np.empty(n, np.int64), np.empty(n + 1, np.int64)
    batch = Batch(ends, seeds, statuses, offsets, np.zeros(n, bool))
    size = len(solver.balls[0])
    blocks, lengths = np.empty((size // BLOCK + 1, 4)), np.empty(size)
    corridor = CorridorArrays(solver.balls[0], blocks, lengths, NO_HORIZONS, NO_PACES)
    walk_many(
        batch, settings, SPACING, solver.balls, corridor, NO_DISCS, trail, solver.index,
        solver.graph_workspace,
    )  # fmt: skip
    for k, status in enumerate(statuses.tolist()):
        find_corridor = partial(cmap.corridor, ends[k, :2], ends[k, 2:], radius=settings.radius)
        if status == NO_CORRIDOR:
            yield None
        elif status == DONE:
            rows = slice(int(offsets[k]), int(offsets[k + 1]))
            yield Walk(
                find_corridor, settings.radius, settings.speed, settings.step,
                trail.points[rows, :2].copy(), trail.velocities[rows, :2].copy(),
                trail.directions[rows, :2].copy() if batch.stood[k] else None,
                (), NO_DISCS, solver.index.grid,
            )  # fmt: skip
        else:  # it exceeds the memory of a batch
            try:
                walker = CorridorWalker(find_corridor(), settings, (), (), int(seeds[k]))
                walker.push_through()
                yield walker.walk()
            except NoPath:
                yield None
