"""Crowds: arrays of characters with a step function; their frames go into a Recording.

map, seed --> Crowd --add, add_source, add_group--> step, step, step --> Recording

crowd        the public class; simulation: state and services behind it
phases       the phases of a step around stepping (arrays: state; samples of the map: tracks)
spawning     new characters; profile, region, places, capacity, sources
goals        goals of populations; planning: paths within a budget per step; nearest
terrain_*    routes over terrain for characters with preferences
groups, obstacles, profile_change, map_change, inspection, stuck, checkpoint
"""

from __future__ import annotations

from footway.crowd.crowd import Crowd
from footway.crowd.groups import Dispersion, Group
from footway.crowd.profile import Profile
from footway.crowd.region import Region
from footway.crowd.stuck import Stuck
from footway.recording.recording import Recording

__all__ = ["Crowd", "Dispersion", "Group", "Profile", "Recording", "Region", "Stuck"]
