"""The file format of maps of buildings: the building itself, from which the map is built again.

Building takes half a second for twelve floors, and a file cannot contradict itself.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from footway import archive
from footway.archive import Damaged
from footway.corridor.building.map import BuildingMap
from footway.errors import BadInput
from footway.formats.geojson import building_features, building_of_features

if TYPE_CHECKING:
    from os import PathLike

    from footway.environment import Building

KIND = archive.Kind(
    format="footway building map",
    version=1,
    name="map of a building",
    remedy="build it again",
    arrays={},
    facts={"name": str, "features": str},
)


def save(file: str | PathLike[str], building: Building) -> None:
    """Write a building to a file."""
    features = json.dumps(building_features(building))
    archive.write(file, KIND, {"name": building.name, "features": features}, {})


def load(file: str | PathLike[str]) -> BuildingMap:
    """Read a building and build its map."""
    with archive.reading(file, KIND) as (facts, _):
        try:
            building = building_of_features(json.loads(facts["features"]), facts["name"])
        except (BadInput, ValueError, TypeError, AttributeError) as error:
            raise Damaged(f"the building in it cannot be read: {error}") from error
        return BuildingMap(building)
