"""F_c: the social force model of Helbing and Molnar (1995; cmm-crowds-2008, section 4).

Equation 3: the potential V0 exp(-b / sigma) around another character, where b is the semi-minor
axis of an ellipse that extends along its motion in `look_ahead` seconds. Distances are between the
discs, not the centres, so contact is the limit. The velocity is relative to the character's own
(Johansson, Helbing and Shukla, 2007): in the printed form, a character flees from one that walks
ahead at the same velocity, and a dense one-way crowd stops.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from footway._numba.jit import inner
from footway._numba.portable_math import cos, exp
from footway.crowd.kernels.pairs import (
    FORCE_X,
    FORCE_Y,
    HEADING_X,
    HEADING_Y,
    OTHER_VX,
    OTHER_VY,
    OWN_VX,
    OWN_VY,
    measure,
)
from footway.validation import number

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Parameters of the kernel.
OWN_SHARE, LOOK_AHEAD, QUARTER_STRENGTH, PER_16_SIGMA, BEHIND, COS_SIGHT, SIDE = range(7)

_HALF, _QUARTER, _ONE = np.float32(0.5), np.float32(0.25), np.float32(1.0)
_SIXTH = np.float32(1.0 / 6.0)
_NEAREST: Any = np.float32(0.05)  # m between discs, below which the force is constant
_LEAST: Any = np.float32(0.0025)  # m2, of b squared


@dataclass(frozen=True)
class HelbingMolnar:
    """Parameters of the model.

    Attributes:
        own_share: factor of a character's own velocity, which is subtracted: 1 relative, 0 printed.
        look_ahead: s, in which the other moves.
        v0: m2/s2, strength of the potential.
        sigma: m, range of the potential.
        body: m, two radii: V0 refers to centres, so this is subtracted for distances of discs.
        behind: factor for characters outside the field of view.
        sight: degrees to either side, the field of view.
        side: m, lateral offset that breaks the symmetry of head-on encounters.

    """

    own_share: float = 1.0
    look_ahead: float = 1.0
    v0: float = 2.1
    sigma: float = 0.3
    body: float = 0.5
    behind: float = 0.5
    sight: float = 100.0
    side: float = 0.05

    def __post_init__(self) -> None:
        number(self.own_share, "own_share", low=0.0, high=1.0)
        number(self.look_ahead, "look_ahead", "s", low=0.0, high=10.0)
        number(self.v0, "v0", "m2/s2", low=0.0, high=1e3)
        number(self.sigma, "sigma", "m", above=0.0, high=10.0)
        number(self.body, "body", "m", low=0.0, high=10.0)
        number(self.behind, "behind", low=0.0, high=1.0)
        number(self.sight, "sight", "degrees", low=0.0, high=180.0)
        number(self.side, "side", "m", low=0.0, high=1.0)

    def to_array(self) -> NDArray[np.float32]:
        """Return the parameters of the kernel."""
        strength = self.v0 / self.sigma * float(exp(-self.body / self.sigma))  # m/s2 at contact
        cos_sight = float(cos(math.radians(self.sight)))
        values = (
            self.own_share, self.look_ahead, 0.25 * strength, 1.0 / (16.0 * self.sigma),
            self.behind, cos_sight, self.side,
        )  # fmt: skip
        return np.array(values, np.float32)


@inner
def helbing_molnar_forces(n, parameters, pairs):
    """Compute F_c of the first n pairs, without branches."""
    own_share, look_ahead = parameters[OWN_SHARE], parameters[LOOK_AHEAD]
    quarter_strength, per_16_sigma = parameters[QUARTER_STRENGTH], parameters[PER_16_SIGMA]
    behind, cos_sight, side = parameters[BEHIND], parameters[COS_SIGHT], parameters[SIDE]
    for m in range(n):
        nx, ny, gap = measure(m, pairs)
        sx = (pairs[OTHER_VX, m] - own_share * pairs[OWN_VX, m]) * look_ahead
        sy = (pairs[OTHER_VY, m] - own_share * pairs[OWN_VY, m]) * look_ahead
        ex, ey = pairs[HEADING_X, m], pairs[HEADING_Y, m]
        g = max(gap, _NEAREST)
        gx, gy = g * nx + side * ey, g * ny - side * ex
        hx, hy = gx - sx, gy - sy
        h = max(math.sqrt(hx * hx + hy * hy), _NEAREST)
        total = g + h
        b = math.sqrt(max(_QUARTER * (total * total - sx * sx - sy * sy), _LEAST))
        v = b * per_16_sigma
        p = _ONE + v * (_ONE + v * (_HALF + v * _SIXTH))  # exp(-b / sigma) is p^-16, to 1 %
        p *= p
        p *= p
        p *= p
        p *= p
        # grad b = (g + h) / 4 b (g / |g| + h / |h|)
        f = quarter_strength * total / (p * b * g * h)
        f = f * behind if -(ex * nx + ey * ny) < cos_sight else f
        pairs[FORCE_X, m], pairs[FORCE_Y, m] = f * (gx * h + hx * g), f * (gy * h + hy * g)
