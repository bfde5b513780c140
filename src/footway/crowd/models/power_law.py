"""Power law of the time to collision: Karamouzas, Skinner and Guy (2014).

"Universal power law governing pedestrian interactions", Physical Review Letters 113, 238701: the
energy of a pair of pedestrians that will collide in tau seconds if neither changes its velocity is

    E(tau) = k / tau^2 exp(-tau / tau0)                                                (equation 2)

and the force is its negative gradient with respect to the own position. With x the offset from the
other and v the relative velocity, |x + v tau| = R gives grad tau = (x + v tau) / s, where
s^2 = (x . v)^2 - v^2 (x^2 - R^2): the force acts along the normal at the point of contact. It grows
without bound toward contact, where an explicit step would throw characters back and forth. So the
force of a pair is limited to half of the approach at contact per step: both together end it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from footway._numba.jit import inner
from footway.crowd.kernels.pairs import (
    CONTACT,
    DX,
    DY,
    FORCE_X,
    FORCE_Y,
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
K, PER_TAU0, PER_16_TAU0, STRONGEST, PER_2_DT = range(5)

_ZERO, _HALF, _ONE, _TWO = (np.float32(value) for value in (0.0, 0.5, 1.0, 2.0))
_SIXTH = np.float32(1.0 / 6.0)
_LEAST_SHARE: Any = np.float32(0.02)  # of (d^2 - R^2) / d^2: closer discs count as this close
_TINY: Any = np.float32(1e-12)


@dataclass(frozen=True)
class PowerLaw(LocalModel):
    """Power law of the time to collision: characters anticipate collisions.

    Example:
        >>> import footway as fw
        >>> fw.crowd.models.PowerLaw(tau0=2.0).tau0
        2.0

    """

    name: ClassVar[str] = "power_law"
    label: ClassVar[str] = "Power law (time to collision)"
    idea: ClassVar[str] = "The energy of a pair is a power law of its time to collision."
    use: ClassVar[str] = "Crossing streams, where people see collisions coming."
    source: ClassVar[str] = "Karamouzas, Skinner and Guy (2014)"

    k: float = parameter(
        1.5, unit="m2", low=0.0, high=1e3, source="Karamouzas et al. (2014), supplement",
        help="Strength of the energy.",
    )  # fmt: skip
    tau0: float = parameter(
        3.0, unit="s", above=0.0, high=60.0, source="Karamouzas et al. (2014)",
        help="Time to collision beyond which the energy vanishes.",
    )  # fmt: skip
    strongest: float = parameter(
        20.0, unit="m/s2", above=0.0, high=1e3, source="chosen",
        help="Greatest force of a pair.",
    )  # fmt: skip

    def to_array(self, dt: float) -> NDArray[np.float32]:
        """Return the parameters of the kernel for steps of dt s."""
        values = (self.k, 1.0 / self.tau0, 1.0 / (16.0 * self.tau0), self.strongest, 0.5 / dt)
        return np.array(values, np.float32)


@inner
def power_law_forces(n, parameters, pairs):
    """Compute the force of the first n pairs, without branches."""
    k, per_tau0 = parameters[K], parameters[PER_TAU0]
    per_16_tau0, strongest = parameters[PER_16_TAU0], parameters[STRONGEST]
    per_2_dt = parameters[PER_2_DT]
    for m in range(np.uint64(n)):
        _, _, gap = measure(m, pairs)
        x, y, contact = pairs[DX, m], pairs[DY, m], pairs[CONTACT, m]
        vx, vy = pairs[OWN_VX, m] - pairs[OTHER_VX, m], pairs[OWN_VY, m] - pairs[OTHER_VY, m]
        a, b = vx * vx + vy * vy, -(x * vx + y * vy)
        d2 = x * x + y * y
        c = max(gap * (gap + _TWO * contact), _LEAST_SHARE * d2)  # d^2 - R^2
        s2 = b * b - a * c
        s = math.sqrt(max(s2, _TINY))
        tau = c / max(b + s, _TINY)
        u = tau * per_16_tau0
        p = _ONE + u * (_ONE + u * (_HALF + u * _SIXTH))  # exp(-tau / tau0) is p^-16, to 1 %
        p *= p
        p *= p
        p *= p
        p *= p
        f = k * (_TWO / tau + per_tau0) / (p * tau * tau * s)
        # The vector x + v tau has the length R = sqrt(d^2 - c); the approach at contact is s / R.
        per_r = _ONE / math.sqrt(max(d2 - c, _TINY))
        f = min(f, strongest * per_r, s * per_r * per_r * per_2_dt)
        f = f if (s2 > _ZERO) & (b > _ZERO) else _ZERO
        pairs[FORCE_X, m], pairs[FORCE_Y, m] = f * (x + tau * vx), f * (y + tau * vy)
