"""How characters follow a route over terrain: by what method, and what ground they prefer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from footway.crowd.profile import check_spread
from footway.crowd.state import Habit
from footway.errors import BadQuery

if TYPE_CHECKING:
    from footway.crowd.profile import Profile
    from footway.environment import Environment
    from footway.terrain.kernels.steiner import Nodes
    from footway.terrain.terrain import Ground, Terrain


FEW = 3  # nodes on a long side of a triangle: ways are found sooner, and are 0.2 % longer

Follow = Literal["miran", "irm"]


class Manner(NamedTuple):
    """A way to follow routes, that populations share."""

    follow: Follow
    sigma: float  # m
    spacing: float  # m
    look: float  # m
    radius: float  # m, of the widest of them: the ground is made for it
    preferences: dict[str, float]  # weight by kind of ground

    @classmethod
    def of(cls, profile: Profile) -> Manner | None:
        """What a profile wants; None where it follows corridors."""
        if profile.follows == "cmm":
            return None
        mean, deviation = check_spread("radius", profile.radius, np.inf, "m")
        widest = float(np.float32(mean + 2.0 * deviation))  # as bodies have it
        numbers = (float(profile.sigma), float(profile.spacing), float(profile.look))
        return cls(profile.follows, *numbers, widest, dict(profile.preferences))

    @classmethod
    def from_list(cls, values: list[Any]) -> Manner:
        """The inverse of `list`, for a checkpoint."""
        return cls(*values)


class Footing(NamedTuple):
    """A manner on its ground."""

    terrain: Terrain
    ground: Ground  # spread
    nodes: Nodes  # to search over
    away: np.ndarray[Any, np.dtype[np.float32]]  # (nodes, landmarks) weighted length between them
    weights: np.ndarray[Any, np.dtype[np.float64]]  # (kinds,)
    habit: Habit


def footing_of(manner: Manner, environment: Environment | None) -> Footing:
    """The ground for those of a manner, and its numbers as kernels take them.

    Raises:
        BadQuery: the crowd knows no environment.
        BadInput: a kind of ground that the map lacks, or a weight that makes no sense.

    """
    if environment is None:
        raise BadQuery(
            "a profile with preferences, or one that follows miran or irm, needs ground: make the "
            "crowd by Crowd(map, environment=...), of what the map was built from"
        )
    from footway.terrain.improvement import network_of
    from footway.terrain.terrain import Terrain  # they load Shapely

    terrain = Terrain.build(environment, manner.radius)
    weights = terrain.weights(manner.preferences)
    used = weights[np.unique(terrain.ground.kind)]
    sigma = manner.sigma if manner.follow == "miran" else 0.0
    habit = Habit(sigma, manner.spacing, manner.look, float(used.min()), float(used.max()))
    network = network_of(terrain, FEW)
    nodes, away = network.nodes, network.landmarks(weights)
    return Footing(terrain, spread(terrain.ground), nodes, away, weights, habit)


def spread(ground: Ground) -> Ground:
    """The ground with triangle t as number 2 t; the odd ones are nowhere.

    So the pieces of a course in triangle t are offsets[2 t] to offsets[2 t + 1] - 1, and a thread
    can note those of one character after the other without touching the rest of its memory.
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
