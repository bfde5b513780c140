"""Crowds: arrays of characters with a step function; their frames go into a Recording.

map, seed --> Crowd --add, add_source, add_group--> step, step, step --> Recording

engine      the arrays (state), the samples of the map (tracks), the step itself
planner     ways for those who ask, some in every step
routes      routes over terrain for those who prefer some ground; manner, route_plan
journeys    what populations want; places, profile, region: where they are and who
groups, sources, obstacles, watch: what else there is in a crowd
"""

from __future__ import annotations

from footway.crowd.crowd import Crowd
from footway.crowd.groups import Dispersion, Group
from footway.crowd.profile import Profile
from footway.crowd.region import Region
from footway.crowd.stuck import Stuck
from footway.recording.recording import Recording

__all__ = ["Crowd", "Dispersion", "Group", "Profile", "Recording", "Region", "Stuck"]
