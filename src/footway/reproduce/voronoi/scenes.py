"""The environments of the figures, and their roadmaps."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from footway.corridor import CorridorMap
from footway.environment import Environment, gallery
from footway.reproduce.voronoi.judge import Judge
from footway.roadmap.blends import blends
from footway.roadmap.voronoi_prm import voronoi_prm

if TYPE_CHECKING:
    from footway.roadmap import Roadmap
    from footway.roadmap.blends import Blends

RADIUS: Final = 0.25
"""m. Of a pedestrian, as in the other experiments; the paper names none."""

SEED: Final = 2004


class Scene(NamedTuple):
    """A plan of the gallery with its roadmap."""

    name: str
    environment: Environment
    roadmap: Roadmap
    blends: Blends
    cmap: CorridorMap
    judge: Judge


@cache
def scene(name: str) -> Scene:
    """Return a plan of the gallery with its roadmap (cached)."""
    environment = gallery.make(name)
    roadmap, found = build(environment)
    return Scene(name, environment, roadmap, found, map_of(roadmap), Judge(environment))


def build(environment: Environment) -> tuple[Roadmap, Blends]:
    """Build the roadmap with its blends (section 2)."""
    roadmap = voronoi_prm(environment, radius=RADIUS, seed=SEED)
    return roadmap, blends(roadmap)


def map_of(roadmap: Roadmap) -> CorridorMap:
    """Return the roadmap as a corridor map for queries."""
    cmap = CorridorMap.from_roadmap(roadmap)
    assert isinstance(cmap, CorridorMap)
    return cmap


@cache
def exact_map(name: str) -> CorridorMap:
    """Return the corridor map of a plan of the gallery, for shortest paths."""
    return CorridorMap.build(scene(name).environment)


COURTYARD: Final = (
    ((3.0, 11.2), (6.4, 10.4), (7.4, 13.2), (4.4, 14.2)),
    ((11.0, 10.6), (14.2, 12.0), (13.4, 14.6), (10.4, 13.8)),
    ((18.0, 9.6), (21.2, 10.4), (20.6, 14.0), (17.6, 13.4)),
    ((2.6, 3.0), (5.6, 2.2), (6.8, 4.8), (5.0, 7.2), (2.8, 6.2)),
    ((9.2, 5.4), (11.0, 3.0), (13.4, 4.4), (12.0, 7.2)),
    ((16.0, 2.4), (20.8, 3.0), (21.2, 5.6), (16.8, 6.4)),
)
"""Convex blocks of figures 3 and 5, in m."""


@cache
def courtyard() -> Environment:
    """Six blocks in a rectangle of 24 x 16 m."""
    return Environment.from_polygons(
        bounds=(0, 0, 24, 16), obstacles=[list(block) for block in COURTYARD], name="courtyard"
    )
