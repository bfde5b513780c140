"""Load the MAP argument: a file, a built-in map, a saved corridor map or a saved roadmap."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from footway.cli.options import Source, as_typed
from footway.cli.reports import warn_of_ignored
from footway.errors import BadInput
from footway.formats.registry import content_of, is_saved

if TYPE_CHECKING:
    from collections.abc import Iterator

    from footway.cli.progress import Steps
    from footway.corridor import CorridorMap
    from footway.environment import Building, Environment, Volume
    from footway.roadmap.maps.space_map import SpaceMap

_KEYWORD: Final = re.compile(r"(?<![^\s(])(scale|up|between|resolution)=(?:\(LOW, HIGH\))?")
"""Arguments of `load` in messages, which are options on the command line."""


class LoadedMap(NamedTuple):
    """A corridor map and its environment; a saved map has no environment."""

    corridors: Any  # CorridorMap, SpaceMap of a roadmap in three dimensions, or None for a route
    environment: Environment | None

    @property
    def building(self) -> Building | None:
        """The building that the map is of, else None."""
        return getattr(self.corridors, "building", None)

    @property
    def in_space(self) -> SpaceMap | None:
        """The map if it is a roadmap in three dimensions, else None."""
        return self.corridors if len(getattr(self.corridors, "bounds", ())) == 6 else None


def load_map(source: Source, steps: Steps) -> LoadedMap:
    """Load a saved corridor map, or load an environment and build its map."""
    if not is_saved(source.name):
        return build_map(load_environment(source, steps), steps)
    from footway.corridor import CorridorMap

    saved = load_saved(source, steps)
    if not isinstance(saved, CorridorMap):
        raise BadInput(
            f"{source.name}: is a roadmap in three dimensions; a map in two is needed here"
        )
    loaded = LoadedMap(saved, None)
    if loaded.building is not None:
        raise _of_building(source.name)
    return loaded


def load_saved(source: Source, steps: Steps) -> CorridorMap | SpaceMap:
    """Load a saved corridor map, or a saved roadmap with clearance attached."""
    from footway.corridor import CorridorMap

    name = source.name
    if source.scale is not None:
        raise BadInput(f"{name}: a saved map is in metres already; leave --scale out")
    for option in ("between", "up"):
        if getattr(source, option) is not None:
            typed = as_typed(option)
            raise BadInput(f"{name}: is a saved map; {typed} is for the file it was built from")
    with steps.step("load", f"Loading {name}"):
        return CorridorMap.load(name)


def load_environment(source: Source, steps: Steps) -> Environment:
    """Load a two-dimensional environment from a file or from the gallery."""
    from footway.environment import Environment

    if content_of(source.name) == "mesh" and source.between is None:
        raise _in_space(source.name, "--method rrrm --resolution 0.5")
    made = _load(source, steps)
    if hasattr(made, "floors"):
        raise _of_building(source.name)
    if not isinstance(made, Environment):
        raise _in_space(source.name, "--method rrrm")
    return made


def load_plan_or_building(source: Source, steps: Steps) -> Environment | Building:
    """Load an environment, or a building of several floors.

    For commands that know what a building is.
    """
    from footway.environment import Building, Environment
    from footway.environment.gallery import buildings

    name = source.name.removeprefix("gallery:")
    may_be = content_of(source.name) == "plan" or name in buildings()
    made = _load(source, steps) if may_be else None
    return made if isinstance(made, (Building, Environment)) else load_environment(source, steps)


def load_space(source: Source, steps: Steps, resolution: float | None) -> Environment | Volume:
    """Load an environment in two or three dimensions for a roadmap; meshes need a resolution."""
    if content_of(source.name) != "mesh" or source.between is not None:
        made = _load(source, steps)
        if hasattr(made, "floors"):
            raise _of_building(source.name)
        return made
    if resolution is None:
        raise BadInput(
            f"{source.name}: is a mesh; give --resolution METRES for its voxels, or --between "
            "LOW,HIGH for a plan of the obstacles between two heights"
        )
    return _load(source, steps, resolution=resolution)


def build_map(environment: Any, steps: Steps) -> LoadedMap:
    """Build the corridor map of an environment."""
    from footway.corridor import CorridorMap

    with steps.step("build", "Building the corridor map"):
        return LoadedMap(CorridorMap.build(environment), environment)


def repair_lines(environment: Environment | Volume | None) -> Iterator[str]:
    """Return a line for each repair of the input, and one line for many alike."""
    from footway.environment.repair import repairs_to_list

    repairs = environment.repairs if environment else ()
    for k, number in repairs_to_list(repairs).items():
        more = f" (and {number - 1} more of this kind)" if number > 1 else ""
        yield f"{repairs[k]}{more}"


def _of_building(name: str) -> BadInput:
    return BadInput(
        f"{name}: is a building, and this command takes one floor: give the plan of a floor; "
        "build, check and path take buildings"
    )


def _in_space(name: str, options: str) -> BadInput:
    return BadInput(
        f"{name}: is three-dimensional; build a roadmap (`footway build {name} {options}`) "
        "or cut a plan with --between LOW,HIGH"
    )


def _load(source: Source, steps: Steps, **more: Any) -> Environment | Volume:
    """Load a map file; errors name options of the command line instead of arguments."""
    from footway.formats import load

    name, scale, heights, up = source
    between = None if heights is None else (heights[0], heights[1])
    if is_saved(name):
        raise BadInput(f"{name}: is a saved map; give the map file that it was built from")
    with steps.step("load", f"Loading {name}"):
        try:
            made: Environment | Volume = load(name, scale=scale, between=between, up=up, **more)
        except BadInput as error:
            raise type(error)(_KEYWORD.sub(r"--\1", str(error))) from error
    warn_of_ignored(name, made)
    return made


def make_yard() -> Environment:
    """Return a small map: a yard with mud around an obstacle. Queries on it load kernels."""
    from footway.environment import Environment

    obstacle = [(7, 4), (9, 4), (9, 8), (7, 8)]
    mud = [(4, 0), (12, 0), (12, 6), (4, 6)]
    return Environment.from_polygons(
        bounds=(0, 0, 16, 12), obstacles=[obstacle], terrain=[("mud", mud)]
    )
