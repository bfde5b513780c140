"""Layouts: named tuples that the kernels of followers take, and columns of arrays."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from footway._numba.jit import kernel

if TYPE_CHECKING:
    from footway.arrays import Floats
    from footway.follow.kernels.visibility import VisibilityWorkspace
    from footway.terrain.cut_route import CutRoute
    from footway.terrain.terrain import TerrainMesh


ARRIVED, WALKING, STALLED, OUT_OF_SIGHT, NO_MEMORY = range(5)  # status of a walk

# Columns of balls (n, 4) and discs (m, 7) after x, y, z.
RADIUS, VX, VY, VZ = 3, 4, 5, 6

INSIDE = 1e-9  # m between a character and a rim: more than rounding errors


class Settings(NamedTuple):
    """Parameters of a walking character: see `cmm` and `miran`."""

    radius: float  # m
    speed: float  # m/s, maximum
    step: float  # s between samples
    turn_rate: float  # rad/s, maximum
    # In a corridor:
    shortcut: float = 0.0  # dt of alpha(x, dt), fraction of the backbone
    noise: float = 0.0  # c_rand
    wavelength: float = 1.0  # m, of the noise
    lane: float = 0.0  # k of F_perp, positive to the left
    corner: float = 0.0  # positive values cut corners
    repulsion: float = 0.4  # k of F_i and c_o of F_o, m: gap at which the force of a disc is 1
    published: bool = False  # whether F_0 and its integration are those of cmm-2007 as published
    # On a route:
    sigma: float = math.inf  # m, shortcut parameter
    spacing: float = math.inf  # m, the paper's d
    look: float = 0.0  # m walked between two updates of the attraction point
    clearance: float = 0.0  # m, preferred distance beyond the radius
    steering: float = 1.0  # c_s
    boundary: float = 0.0  # c_b
    smooth: bool = True  # False: straight toward each attraction point, as the proofs assume


class Trail(NamedTuple):
    """Samples of a walk, in rows."""

    points: Floats  # (n, d) m
    velocities: Floats  # (n, d) m/s: the velocity of a sample leads to the next one
    directions: Floats  # (n, d) headings; in corridors only while the character stands
    progress: Floats  # (n, 4) of walks on a route only: see the columns below


@kernel  # an inner function must not return arrays to a kernel, which counts references
def rows_from(trail, first):
    """Rows of a trail from `first` on."""
    return Trail(
        trail.points[first:],
        trail.velocities[first:],
        trail.directions[first:],
        trail.progress[first:],
    )


# Columns of `Trail.progress`: reference and attraction point, m along the route; x, y of the
# attraction point.
REFERENCE, ATTRACTION, ALPHA_X, ALPHA_Y = range(4)


class Body(NamedTuple):
    """A character on a terrain."""

    x: float  # m
    y: float
    triangle: int  # that contains it
    vx: float = 0.0  # m/s, the velocity that led here
    vy: float = 0.0
    hx: float = 0.0  # heading, a unit vector; zero: not turned anywhere yet
    hy: float = 0.0


class Guide(NamedTuple):
    """Reference point and attraction point of a character on its route."""

    reference: float  # m along the route
    line: int  # of the route, on which the reference point lies
    attraction: float  # m along the route
    x: float  # of the attraction point, m
    y: float


class RouteState(NamedTuple):
    """A character between two calls of `miran_walk` or `irm_walk`."""

    body: Body
    guide: Guide
    walked: float = 0.0  # m since the last update of the guide
    time: float = 0.0  # s
    idle: float = 0.0  # s without progress
    steps: int = 0
    stood: int = 0  # steps in which it stood


class Surroundings(NamedTuple):
    """What the follower of a route reads."""

    route: CutRoute
    mesh: TerrainMesh
    weights: Floats  # (k,) of the kinds of terrain
    workspace: VisibilityWorkspace
