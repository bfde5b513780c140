"""Crowds: arrays of characters with a step function; their frames go into a Recording.

map, seed --> Crowd --add, add_source, add_group--> step, step, step --> Recording

crowd              the public class, with the phases of a step
simulation         state and services of a running crowd; the motion of all characters
state, tracks      arrays of characters; samples of the map that all share
spawning           new characters and sources; free_space finds places for them
populations        populations and their goals; profile: body and habits
planning           requests and paths, within a budget per step
terrain_following  routes over terrain for characters with preferences
models             local models: how characters avoid each other
groups, obstacles, profile_change, map_change, inspection, checkpoint
"""

from __future__ import annotations

from footway.crowd import models
from footway.crowd.crowd import Crowd
from footway.crowd.groups import Dispersion, Group
from footway.crowd.inspection import Stuck
from footway.crowd.profile import Profile
from footway.recording.recording import Recording

__all__ = ["Crowd", "Dispersion", "Group", "Profile", "Recording", "Stuck", "models"]
