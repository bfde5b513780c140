"""The part of the map between a start and a goal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Corridor:
    """Balls of maximal clearance along a backbone (cmm-2007, definition 4 and figure 3).

    The backbone starts in `start` and ends in `goal`; both are joined to the medial axis by
    straight lines whose balls have the radius of the axis' ball less the distance to its centre.

    Attributes:
        backbone: (n, 2) B[t], m.
        radii: (n,) R[t], clearance of the backbone, m.
        left: (n, 2) nearest obstacle point on the left, m.
        right: (n, 2) nearest obstacle point on the right, m.
        edges: (k,) half-edges of the map: 2 e along edge e, 2 e + 1 against it.
        radius: of the disc that it was asked for, m.

    """

    start: tuple[float, float]
    goal: tuple[float, float]
    radius: float
    backbone: Floats
    radii: Floats
    left: Floats
    right: Floats
    edges: NDArray[np.int64]

    @property
    def length(self) -> float:
        """Length of the backbone, m."""
        return float(np.hypot(*np.diff(self.backbone, axis=0).T).sum())

    @property
    def narrowest(self) -> float:
        """Least radius of a ball, m."""
        return float(self.radii.min())

    def __repr__(self) -> str:
        return (
            f"Corridor({self.length:.2f} m, {len(self.radii)} balls, "
            f"narrowest {self.narrowest:.3f} m, radius {self.radius:g} m)"
        )


@dataclass(frozen=True)
class Pinch:
    """Where the widest way between two points is narrowest.

    Attributes:
        radius: of the widest disc that gets through, m.
        at: centre of that disc, (x, y) in m.
        left: wall point on its one side.
        right: wall point on its other side.

    """

    radius: float
    at: tuple[float, float]
    left: tuple[float, float]
    right: tuple[float, float]

    @property
    def width(self) -> float:
        """Twice the radius, m."""
        return 2.0 * self.radius
