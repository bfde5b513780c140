"""Social force model of Helbing and Molnar (1995): F_c of cmm-crowds-2008, section 4.

"Social force model for pedestrian dynamics", Physical Review E 51, 4282, equation 3, which that
section takes: the negative gradient of the potential V0 exp(-b / sigma) around another character,
where b is the semi-minor axis of an ellipse that extends along its motion in `look_ahead` seconds.
By default distances are between the discs, so contact is the limit at any radius, and the velocity
is relative to the character's own (Johansson, Helbing and Shukla, 2007, Advances in Complex Systems
10): in the printed form, a character flees from one that walks ahead at the same velocity, and a
dense one-way crowd stops. The headway is not of these papers: see `kernels/guard.py`.
`helbing_molnar` in the registry is the printed form, between centres.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from footway._numba.jit import inner
from footway._numba.portable_math import cos, exp
from footway.crowd.kernels.pairs import (
    CONTACT,
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
from footway.crowd.models.declaration import LocalModel, parameter

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Parameters of the kernel.
OWN_SHARE, LOOK_AHEAD, QUARTER_STRENGTH, PER_16_SIGMA, BEHIND, COS_SIGHT, SIDE, RADII, REPULSION = (
    range(9)
)

_ZERO, _HALF, _QUARTER, _ONE = np.float32(0.0), np.float32(0.5), np.float32(0.25), np.float32(1.0)
_SIXTH = np.float32(1.0 / 6.0)
_NEAREST: Any = np.float32(0.05)  # m between discs, below which the force is constant
_LEAST: Any = np.float32(0.0025)  # m2, of b squared


@dataclass(frozen=True)
class SocialForce(LocalModel):
    """Social force model: characters repel each other; the default.

    Example:
        >>> import footway as fw
        >>> model = fw.crowd.models.SocialForce(look_ahead=1.5)
        >>> model.look_ahead, model.sigma
        (1.5, 0.3)

    """

    name: ClassVar[str] = "social_force"
    label: ClassVar[str] = "Social force"
    idea: ClassVar[str] = "A repulsive potential around others, stretched along their motion."
    use: ClassVar[str] = "The default: fast, and people in dense crowds keep moving."
    source: ClassVar[str] = "Helbing and Molnar (1995); Johansson, Helbing and Shukla (2007)"

    own_share: float = parameter(
        1.0, low=0.0, high=1.0, source="1: Johansson et al. (2007); 0: Helbing and Molnar (1995)",
        help="Share of the own velocity that is subtracted from that of the other.",
    )  # fmt: skip
    look_ahead: float = parameter(
        1.0, unit="s", low=0.0, high=10.0, source="chosen; Helbing and Molnar (1995): 2 s",
        help="Time for which the motion of the other is extrapolated.",
    )  # fmt: skip
    v0: float = parameter(
        2.1, unit="m2/s2", low=0.0, high=1e3, source="Helbing and Molnar (1995)",
        help="Strength of the potential.",
    )  # fmt: skip
    sigma: float = parameter(
        0.3, unit="m", above=0.0, high=10.0, source="Helbing and Molnar (1995)",
        help="Range of the potential.",
    )  # fmt: skip
    discs: float = parameter(
        1.0, low=0.0, high=1.0, source="chosen; Helbing and Molnar (1995): 0",
        help="Share of the radii that is subtracted from distances: 1 is between discs, 0 between "
        "centres.",
    )  # fmt: skip
    body: float = parameter(
        0.5, unit="m", low=0.0, high=10.0, source="two radii of 0.25 m",
        help="Distance of the centres at which v0 is defined if distances are between discs.",
    )  # fmt: skip
    behind: float = parameter(
        0.5, low=0.0, high=1.0, source="Helbing and Molnar (1995)",
        help="Factor for characters outside the field of view.",
    )  # fmt: skip
    sight: float = parameter(
        100.0, unit="degrees", low=0.0, high=180.0, source="Helbing and Molnar (1995)",
        help="Field of view to either side.",
    )  # fmt: skip
    side: float = parameter(
        0.05, unit="m", low=0.0, high=1.0, source="chosen",
        help="Lateral offset that breaks the symmetry of head-on encounters.",
    )  # fmt: skip
    repulsion: float = parameter(
        0.0, low=0.0, high=100.0, source="chosen; Geraerts and Overmars (2007) give no number",
        help="k of F_i and c_o: dynamic obstacles repel by k / gap, as published, compared with "
        "the preferred direction. 0: they repel as characters do.",
    )  # fmt: skip
    headway: float = parameter(
        0.9, unit="s", low=0.0, high=10.0, source="fitted to single files and corridors",
        help="T: close behind another one, the speed is at most distance / T. 0: no headway.",
    )  # fmt: skip
    headway_beside: float = parameter(
        0.05, unit="s", above=0.0, high=10.0, source="fitted",
        help="T toward all other sides.",
    )  # fmt: skip
    space: float = parameter(
        0.06, unit="m", low=0.0, high=1.0, source="fitted",
        help="Distance that standing characters keep from those in front of them.",
    )  # fmt: skip
    shoulders: float = parameter(
        0.7, above=0.0, high=1.0, source="fitted",
        help="Share of the sum of the radii. Others with a larger lateral offset are beside, not "
        "ahead.",
    )  # fmt: skip
    anticipation: float = parameter(
        1.0, unit="s", low=0.0, high=10.0, source="fitted to doors; the idea: Xu et al. (2021)",
        help="Time for which a follower expects that the one ahead keeps walking away.",
    )  # fmt: skip

    def to_array(self, dt: float) -> NDArray[np.float32]:  # noqa: ARG002 - of other models
        """Return the parameters of the kernel."""
        body = self.discs * self.body
        strength = self.v0 / self.sigma * float(exp(-body / self.sigma))  # m/s2 at distance 0
        cos_sight = float(cos(math.radians(self.sight)))
        values = (
            self.own_share, self.look_ahead, 0.25 * strength, 1.0 / (16.0 * self.sigma),
            self.behind, cos_sight, self.side, 1.0 - self.discs, self.repulsion,
        )  # fmt: skip
        return np.array(values, np.float32)


@inner
def social_forces(n, parameters, pairs):
    """Compute F_c of the first n pairs, without branches."""
    own_share, look_ahead = parameters[OWN_SHARE], parameters[LOOK_AHEAD]
    quarter_strength, per_16_sigma = parameters[QUARTER_STRENGTH], parameters[PER_16_SIGMA]
    behind, cos_sight, side = parameters[BEHIND], parameters[COS_SIGHT], parameters[SIDE]
    radii = parameters[RADII]
    for m in range(np.uint64(n)):
        nx, ny, gap = measure(m, pairs)
        sx = (pairs[OTHER_VX, m] - own_share * pairs[OWN_VX, m]) * look_ahead
        sy = (pairs[OTHER_VY, m] - own_share * pairs[OWN_VY, m]) * look_ahead
        ex, ey = pairs[HEADING_X, m], pairs[HEADING_Y, m]
        g = max(gap + radii * pairs[CONTACT, m], _NEAREST)
        opposing = -(ex * sx + ey * sy)
        shift = side * min(_ONE, max(_ZERO, opposing + opposing))
        shift = shift if ey * nx >= ex * ny else -shift
        gx, gy = g * nx + shift * ey, g * ny - shift * ex
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
