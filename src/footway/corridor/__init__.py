"""The corridor map: one exact map for every radius, and the queries on it.

MedialAxis --index--> Index --search--> corridor, path, bottleneck
"""

from typing import TYPE_CHECKING, Any

from footway.corridor.corridor import Corridor, Pinch
from footway.corridor.map import CorridorMap, Location
from footway.corridor.path import Path, TautPath

if TYPE_CHECKING:
    from footway.corridor.space_map import SpaceMap

__all__ = ["Corridor", "CorridorMap", "Location", "Path", "Pinch", "SpaceMap", "TautPath"]


def __getattr__(name: str) -> Any:
    if name == "SpaceMap":  # lazily: it imports the roadmaps, which maps of the plane do not need
        from footway.corridor.space_map import SpaceMap

        return SpaceMap
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
