"""Followers: turn a corridor or a route into a walk (cmm-2007; cmm-crowds-2008, section 3).

import footway as fw

corridor = cmap.corridor((2, 3), (480, 451), radius=0.25)
walk = fw.follow.cmm(corridor, speed=1.2, lane=-0.5)
"""

from __future__ import annotations

from footway.follow.cmm import Moment, cmm, cmm_batch
from footway.follow.detour import Disc, sub_corridor
from footway.follow.irm import irm
from footway.follow.miran import miran
from footway.follow.variation import Variations, variations
from footway.follow.walk import RouteWalk, Walk

__all__ = [
    "Disc",
    "Moment",
    "RouteWalk",
    "Variations",
    "Walk",
    "cmm",
    "cmm_batch",
    "irm",
    "miran",
    "sub_corridor",
    "variations",
]
