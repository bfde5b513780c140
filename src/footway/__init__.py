"""Footway turns a map into natural motion.

    import footway as fw

    env = fw.load("city.geojson")
    cmap = fw.CorridorMap.build(env)
    path = cmap.path((2, 3), (480, 451), radius=0.25)

Names are loaded when first used, so `import footway` costs milliseconds.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

__all__ = [
    "BadFile",
    "BadGeometry",
    "BadInput",
    "BadQuery",
    "Building",
    "Corridor",
    "CorridorMap",
    "Crowd",
    "Environment",
    "Escalator",
    "Floor",
    "FootwayError",
    "IndicativeRoute",
    "Lift",
    "NoPath",
    "Path",
    "Pinch",
    "Profile",
    "Ramp",
    "Recording",
    "Roadmap",
    "Scenario",
    "Stairs",
    "Terrain",
    "Volume",
    "__version__",
    "camera",
    "crowd",
    "follow",
    "load",
    "load_scenario",
    "load_study",
    "roadmap",
    "route",
    "study",
]

_NAMES = {
    "corridor": "Corridor CorridorMap Path Pinch",
    "crowd": "Crowd Profile Recording",
    "environment": "Building Environment Escalator Floor Lift Ramp Stairs Volume",
    "errors": "BadFile BadGeometry BadInput BadQuery FootwayError NoPath",
    "formats": "load",
    "roadmap": "Roadmap",
    "runs.execution": "study",
    "runs.study": "load_study",
    "scenario": "Scenario load_scenario",
    "terrain": "IndicativeRoute Terrain",
    "terrain.route": "route",
}
_HOME = {name: f"footway.{module}" for module, names in _NAMES.items() for name in names.split()}

if TYPE_CHECKING:
    from footway import camera, crowd, follow, roadmap
    from footway.corridor import Corridor, CorridorMap, Path, Pinch
    from footway.crowd import Crowd, Profile, Recording
    from footway.environment import (
        Building,
        Environment,
        Escalator,
        Floor,
        Lift,
        Ramp,
        Stairs,
        Volume,
    )
    from footway.errors import BadFile, BadGeometry, BadInput, BadQuery, FootwayError, NoPath
    from footway.formats import load
    from footway.roadmap import Roadmap
    from footway.runs.execution import study
    from footway.runs.study import load_study
    from footway.scenario import Scenario, load_scenario
    from footway.terrain import IndicativeRoute, Terrain
    from footway.terrain.route import route


def __getattr__(name: str) -> Any:
    if name in {"camera", "crowd", "follow", "roadmap"}:
        return import_module(f"footway.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'footway' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
