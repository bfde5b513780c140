"""Collision-free speed model of Tordeux, Chraibi and Seyfried (2016).

"Collision-free speed model for pedestrian dynamics", Traffic and Granular Flow '15 (arXiv
1512.05597). A character turns away from others and walks at the speed V(s) that the spacing s to
the nearest one in its way allows. Distances are between discs: the paper's l is the sum of the
radii here.

    v = V(s) e,  V(s) = min(v0, max(0, (s - l) / T))
    e ~ e0 + sum of a exp((l - s_j) / D) n_j        n_j: direction from neighbour j
    s = least s_j of those with e . n_j <= 0 and |e x n_j| <= l / s_j
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from footway._numba.jit import inner
from footway._numba.math import exp
from footway.crowd.kernels.pairs import CONTACT, GAP, NORMAL_X, NORMAL_Y
from footway.crowd.models.declaration import LocalModel, parameter

# Parameters of the kernel.
TIME_GAP, STRENGTH, DISTANCE = range(3)


@dataclass(frozen=True)
class CollisionFreeSpeed(LocalModel):
    """Collision-free speed model: the spacing ahead determines the speed, without inertia.

    Example:
        >>> import footway as fw
        >>> fw.crowd.models.CollisionFreeSpeed(time_gap=0.8).time_gap
        0.8

    """

    name: ClassVar[str] = "collision_free_speed"
    label: ClassVar[str] = "Collision-free speed"
    idea: ClassVar[str] = (
        "The spacing ahead determines the speed; people nearby turn the direction."
    )
    use: ClassVar[str] = "Comparisons with JuPedSim; cautious people who never push."
    source: ClassVar[str] = "Tordeux, Chraibi and Seyfried (2016)"

    time_gap: float = parameter(
        1.0, unit="s", above=0.0, high=10.0, source="Tordeux et al. (2016), table 1",
        help="Time gap T to the character ahead.",
    )  # fmt: skip
    strength: float = parameter(
        5.0, low=0.0, high=1e3, source="Tordeux et al. (2016), table 1",
        help="Strength a of the repulsion at contact, compared with the preferred direction.",
    )  # fmt: skip
    distance: float = parameter(
        0.1, unit="m", above=0.0, high=10.0, source="Tordeux et al. (2016), table 1",
        help="Range D of the repulsion.",
    )  # fmt: skip


@inner
def collision_free_velocity(first, end, own, parameters, pairs):
    """Return the velocity, m/s."""
    if own.speed == 0.0:
        return 0.0, 0.0
    time_gap, strength, distance = (
        float(parameters[TIME_GAP]), float(parameters[STRENGTH]), float(parameters[DISTANCE]),
    )  # fmt: skip
    ex, ey = own.ex, own.ey
    for m in range(first, end):
        push = strength * exp(-max(0.0, float(pairs[GAP, m])) / distance)
        ex, ey = ex + push * pairs[NORMAL_X, m], ey + push * pairs[NORMAL_Y, m]
    length = math.sqrt(ex * ex + ey * ey)
    if length < 1e-9:
        return 0.0, 0.0
    ex, ey = ex / length, ey / length
    free = own.speed * time_gap
    for m in range(first, end):
        nx, ny, gap, contact = (
            pairs[NORMAL_X, m], pairs[NORMAL_Y, m], pairs[GAP, m], pairs[CONTACT, m],
        )  # fmt: skip
        is_ahead = ex * nx + ey * ny <= 0.0 and abs(ex * ny - ey * nx) * (gap + contact) <= contact
        if is_ahead and gap < free:
            free = float(gap)
    speed = max(0.0, free / time_gap)
    return speed * ex, speed * ey
