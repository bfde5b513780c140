"""The corridor map: one exact map for every radius, and the queries on it.

MedialAxis --index--> Index --search--> corridor, path, bottleneck
"""

from footway.corridor.corridor import Corridor, Pinch
from footway.corridor.map import CorridorMap, Location, PathToward
from footway.corridor.path import Path, TautPath

__all__ = ["Corridor", "CorridorMap", "Location", "Path", "PathToward", "Pinch", "TautPath"]
