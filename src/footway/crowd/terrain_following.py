"""Terrain following styles: method, parameters and terrain preferences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from footway.crowd.profile import greatest
from footway.crowd.state import Habit
from footway.errors import BadQuery

if TYPE_CHECKING:
    from footway.crowd.profile import Profile
    from footway.environment import Environment
    from footway.terrain.kernels.search import Nodes
    from footway.terrain.terrain import Ground, Terrain


FEW = 3  # nodes on a long side of a triangle: the search is faster, routes are 0.2 % longer

Follow = Literal["miran", "irm"]


class FollowingStyle(NamedTuple):
    """How to follow routes over terrain; populations may share a style."""

    follow: Follow
    sigma: float  # m
    spacing: float  # m
    look: float  # m
    radius: float  # m, greatest radius: the terrain is shrunk by it
    preferences: dict[str, float]  # weight by kind of terrain

    @classmethod
    def of(cls, profile: Profile) -> FollowingStyle | None:
        """Return the style of a profile; None if it follows corridors."""
        if profile.follows == "cmm":
            return None
        numbers = (profile.sigma, profile.spacing, profile.look, greatest(profile.radius))
        return cls(profile.follows, *numbers, dict(profile.preferences))


class TerrainData(NamedTuple):
    """A following style with its terrain, prepared for searches and kernels."""

    terrain: Terrain
    ground: Ground  # with doubled triangle numbers, see `spread`
    nodes: Nodes  # of the search graph
    away: np.ndarray[Any, np.dtype[np.float32]]  # (nodes, landmarks) weighted distances
    weights: np.ndarray[Any, np.dtype[np.float64]]  # (kinds,)
    habit: Habit


def build_terrain_data(style: FollowingStyle, environment: Environment | None) -> TerrainData:
    """Build the terrain and the kernel parameters of a following style.

    Raises:
        BadQuery: the crowd has no environment.
        BadInput: the map lacks a kind of terrain, or a weight is invalid.

    """
    if environment is None:
        raise BadQuery(
            "a profile with preferences, or one that follows miran or irm, needs ground: make the "
            "crowd by Crowd(map, environment=...), of what the map was built from"
        )
    from footway.terrain.improvement import network_of
    from footway.terrain.terrain import Terrain  # loads Shapely

    terrain = Terrain.build(environment, style.radius)
    weights = terrain.weights(style.preferences)
    used = weights[np.unique(terrain.ground.kind)]
    sigma = style.sigma if style.follow == "miran" else 0.0
    habit = Habit(sigma, style.spacing, style.look, float(used.min()), float(used.max()))
    network = network_of(terrain, FEW)
    nodes, away = network.nodes, network.landmarks(weights)
    return TerrainData(terrain, spread(terrain.ground), nodes, away, weights, habit)


def spread(ground: Ground) -> Ground:
    """Return the ground with triangle t renumbered to 2 t; odd numbers are empty.

    The pieces of a route in triangle t are offsets[2 t] to offsets[2 t + 1] - 1, so a thread can
    list those of one character after the other without resetting the rest of the array.
    """
    count = len(ground.triangles)
    triangles, neighbours = np.zeros((2, 2 * count, 3), np.int32)
    kind = np.zeros(2 * count, ground.kind.dtype)
    triangles[::2], kind[::2] = ground.triangles, ground.kind
    neighbours[::2] = np.where(ground.neighbours >= 0, 2 * ground.neighbours, -1)
    return ground._replace(
        triangles=np.ascontiguousarray(triangles),
        neighbours=np.ascontiguousarray(neighbours),
        kind=kind,
        members=2 * ground.members,
    )
