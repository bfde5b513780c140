"""Corridors between a start and a goal, and pinches."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from footway import validation
from footway._numba.portable_math import hypot
from footway.corridor.balls import on_pieces
from footway.corridor.kernels.backbone import length_of
from footway.errors import BadQuery
from footway.notebook_display import NotebookDisplay

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from footway.arrays import Floats, Ints
    from footway.corridor.search import Balls, Solver


@dataclass(frozen=True, eq=False)
class Corridor(NotebookDisplay):
    """Balls of maximal clearance along a backbone (cmm-2007, definition 4 and figure 3).

    The backbone starts in `start` and ends in `goal`; both are joined to the medial axis by
    straight lines whose balls have the radius of the axis' ball less the distance to its centre.
    Balls are at most half a metre apart, and closer where the corridor is narrow for the disc.

    Attributes:
        start: where the backbone begins, (x, y) or (x, y, z) in metres.
        goal: where it ends.
        radius: requested radius of the disc, m.
        balls: (n, 4) x, y, z and R[t], m; z is 0 in two dimensions.
        dimension: 2 or 3.
        edges: (k,) half-edges of the map: 2 e along edge e, 2 e + 1 against it; empty for a
            corridor made by hand.
        source: solver of its map; None for a corridor made by hand.

    """

    start: tuple[float, ...]
    goal: tuple[float, ...]
    radius: float
    balls: Floats = field(repr=False)
    dimension: int = 2
    edges: Ints = field(default_factory=lambda: np.empty(0, np.int64), repr=False)
    source: Solver | None = field(default=None, repr=False)

    @classmethod
    def from_balls(cls, centres: ArrayLike, radii: ArrayLike, *, radius: float = 0.0) -> Corridor:
        """Corridor from the centres of balls, (n, 2) or (n, 3), and their radii (n,), in metres.

        It starts in the first centre and ends in the last one.

        Example:
            >>> import footway as fw
            >>> fw.Corridor.from_balls([(0, 0, 0), (1, 0, 1)], [1, 1], radius=0.2)
            Corridor(1.41 m, 2 balls, narrowest 1.000 m, radius 0.2 m)

        """
        backbone = validation.floats(centres, "(n, 2) or (n, 3)", name="centres")
        if backbone.ndim != 2 or backbone.shape[1] not in (2, 3) or len(backbone) < 2:
            raise BadQuery(f"centres have the shape {backbone.shape}: give (n, 2) or (n, 3), n > 1")
        backbone = validation.points(backbone, backbone.shape[1], name="centres")
        clearances = validation.floats(radii, "(n,)", name="radii")
        if clearances.shape != (len(backbone),):
            raise BadQuery(f"radii have the shape {clearances.shape}: give one for each centre")
        wrong = np.flatnonzero(~((clearances > 0.0) & (clearances <= validation.FARTHEST)))
        if len(wrong):
            k = wrong[0]
            raise BadQuery(
                f"ball {k} has the radius {clearances[k]:g} m: it must be more than 0 and finite"
            )
        dimension = backbone.shape[1]
        balls = np.zeros((len(clearances), 4))
        balls[:, :dimension], balls[:, 3] = backbone, clearances
        start, goal = tuple(backbone[0].tolist()), tuple(backbone[-1].tolist())
        return cls(start, goal, validation.radius(radius), balls, dimension)

    @property
    def backbone(self) -> Floats:
        """(n, d) m. B[t]: centres of the balls, from the start to the goal."""
        return self.balls[:, : self.dimension]

    @property
    def radii(self) -> Floats:
        """(n,) m. R[t]: clearance of the backbone."""
        return self.balls[:, 3]

    @cached_property
    def places(self) -> tuple[Ints, Floats]:
        """Pieces of the medial axis (n,) on which the balls lie, and shares of the pieces (n,)."""
        if self.source is None:
            raise BadQuery("a corridor made by hand has no walls: use CorridorMap.corridor")
        found = self.source.corridor_along(
            np.array(self.start), np.array(self.goal), self.edges, self.radius
        )
        return found.pieces.copy(), found.shares.copy()

    @cached_property
    def _contacts(self) -> tuple[Floats, Floats]:
        piece, share = self.places
        assert self.source is not None
        samples = on_pieces(self.source.index.axis, piece, share)
        step = np.diff(samples.points, axis=0, append=samples.points[-1:])
        still = hypot(*step.T) == 0.0
        across = samples.left - samples.right
        swapped = step[:, 0] * across[:, 1] - step[:, 1] * across[:, 0] < 0.0
        moving = np.flatnonzero(~still)
        if len(moving):  # without a direction, sides are those of the next ball with one
            after = np.searchsorted(moving, np.arange(len(still)))
            swapped = swapped[moving[np.minimum(after, len(moving) - 1)]]
        swapped = swapped[:, None]
        left = np.where(swapped, samples.right, samples.left)
        return left, np.where(swapped, samples.left, samples.right)

    @property
    def left(self) -> Floats:
        """(n, 2) m. Nearest obstacle point on the left."""
        return self._contacts[0]

    @property
    def right(self) -> Floats:
        """(n, 2) m. Nearest obstacle point on the right."""
        return self._contacts[1]

    @cached_property
    def length(self) -> float:
        """Length of the backbone, m."""
        return float(length_of(self.balls))

    @cached_property
    def narrowest(self) -> float:
        """Least radius of a ball, m."""
        return float(self.radii.min())

    def __repr__(self) -> str:
        return (
            f"Corridor({self.length:.2f} m, {len(self.radii)} balls, "
            f"narrowest {self.narrowest:.3f} m, radius {self.radius:g} m)"
        )


def corridor_from_search(
    solver: Solver, start: tuple[float, ...], goal: tuple[float, ...], radius: float, found: Balls
) -> Corridor:
    """Return the corridor of the balls that a search found on a map in the plane."""
    return Corridor(start, goal, radius, found.balls, 2, found.halves, solver)


@dataclass(frozen=True)
class Pinch:
    """The narrowest point of the widest path between two points.

    Attributes:
        radius: of the widest disc that gets through, m.
        at: centre of that disc, (x, y) in m.
        left: nearest wall point on one side, (x, y) in m.
        right: nearest wall point on the other side. If the start or the goal is nearer to a wall
            than any other point of the path, `at` is that end, and `left` and `right` are equal.
        where: floor or link of a building, as in "stairs 'A'"; empty on a flat map.

    """

    radius: float
    at: tuple[float, float]
    left: tuple[float, float]
    right: tuple[float, float]
    where: str = ""

    @property
    def place(self) -> str:
        """Its position, for messages."""
        return validation.as_text(self.at) + (f" on {self.where}" if self.where else "")

    @property
    def width(self) -> float:
        """Twice the radius, m."""
        return 2.0 * self.radius


def pinch_at(radius: float, at: Floats, left: Floats, right: Floats, where: str = "") -> Pinch:
    """Return a Pinch from arrays (2,), m."""
    (x, y), (lx, ly), (rx, ry) = at[:2].tolist(), left.tolist(), right.tolist()
    return Pinch(float(radius), (x, y), (lx, ly), (rx, ry), where)
