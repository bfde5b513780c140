"""From a corridor to a walk: how characters move (cmm-2007; cmm-crowds-2008, section 3).

import footway as fw

corridor = cmap.corridor((2, 3), (480, 451), radius=0.25)
walk = fw.follow.cmm(corridor, speed=1.2, lane=-0.5)
"""

from __future__ import annotations

from footway.follow.batch import cmm_batch
from footway.follow.cmm import cmm
from footway.follow.forces import Moment
from footway.follow.obstacles import Disc, sub_corridor
from footway.follow.variation import Variations, variations
from footway.follow.walk import Walk

__all__ = [
    "Disc",
    "Moment",
    "Variations",
    "Walk",
    "cmm",
    "cmm_batch",
    "sub_corridor",
    "variations",
]
