"""The MAP argument: load a file, a built-in map, a saved corridor map or a saved roadmap."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from footway.cli.output import say
from footway.errors import BadInput
from footway.formats.registry import content_of, name_formats

if TYPE_CHECKING:
    from collections.abc import Iterator

    from footway.cli.output import Steps
    from footway.corridor import CorridorMap
    from footway.environment import Environment, Volume
    from footway.roadmap.space_map import SpaceMap

SAVED: Final = ".fwmap"
"""Suffix of a saved corridor map or roadmap."""

MapArgument = Annotated[
    str,
    typer.Argument(
        metavar="MAP",
        help=f"A map file ({name_formats('plan')}; in three dimensions "
        f"{name_formats('mesh', 'volume')}), a saved .fwmap, or gallery:NAME.",
        show_default=False,
    ),
]
ScaleOption = Annotated[
    str | None,
    typer.Option(
        metavar="METRES",
        help="Metres per cell of a grid, per pixel of a PNG, per unit of GeoJSON, WKT and meshes.",
        show_default=False,
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on standard output, nothing else.")
]
PlotOption = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Draw a picture: .png, .svg or .pdf.", show_default=False),
]


BetweenOption = Annotated[
    str | None,
    typer.Option(
        metavar="LOW,HIGH",
        help="Make a plan of a three-dimensional map: obstacles between these two heights.",
        show_default=False,
    ),
]


UpOption = Annotated[
    str | None,
    typer.Option(
        metavar="y|z",
        help="Axis of a mesh that points up.",
        show_default="y in OBJ and glTF, z in PLY and STL",
    ),
]

_KEYWORD: Final = re.compile(r"(?<![^\s(])(scale|up|between|resolution)=(?:\(LOW, HIGH\))?")
"""Arguments of `load` in messages, which are options on the command line."""


class LoadedMap(NamedTuple):
    """A corridor map and its environment; a saved map has no environment."""

    corridors: Any  # CorridorMap, or SpaceMap for a saved roadmap in three dimensions
    environment: Environment | None

    @property
    def in_space(self) -> SpaceMap | None:
        """The map if it is a roadmap in three dimensions, else None."""
        return self.corridors if len(self.corridors.bounds) == 6 else None


def is_saved(name: str) -> bool:
    """Whether a MAP argument names a saved corridor map or roadmap."""
    return name.lower().endswith(SAVED)


def load_map(name: str, *, scale: float | None, steps: Steps) -> LoadedMap:
    """Load a saved corridor map, or load an environment and build its map."""
    if is_saved(name):
        from footway.corridor import CorridorMap

        saved = load_saved(name, scale=scale, steps=steps)
        if not isinstance(saved, CorridorMap):
            raise BadInput(f"{name}: is a roadmap in three dimensions; a map in two is needed here")
        return LoadedMap(saved, None)
    environment = load_environment(name, scale=scale, steps=steps)
    return LoadedMap(build_map(environment, steps=steps), environment)


def load_environment(
    name: str,
    *,
    scale: float | None,
    steps: Steps,
    between: tuple[float, float] | None = None,
    up: str | None = None,
) -> Environment:
    """Load a two-dimensional environment from a file or from the gallery."""
    from footway.environment import Environment

    _refuse_saved(name)
    if content_of(name) == "mesh" and between is None:
        raise _in_space(name, "--method rrrm --resolution 0.5")
    with steps.step("load", f"Loading {name}"):
        made = _load(name, scale=scale, between=between, up=up)
    if not isinstance(made, Environment):
        raise _in_space(name, "--method rrrm")
    return made


def _in_space(name: str, options: str) -> BadInput:
    return BadInput(
        f"{name}: is three-dimensional; build a roadmap (`footway build {name} {options}`) "
        "or cut a plan (`footway build ... --between LOW,HIGH`)"
    )


def _load(name: str, **options: Any) -> Environment | Volume:
    """Load a map; errors name options of the command line instead of arguments."""
    from footway.formats import load

    try:
        made: Environment | Volume = load(name, **options)
    except BadInput as error:
        raise type(error)(_KEYWORD.sub(r"--\1", str(error))) from error
    warn_of_ignored(name, made)
    return made


def warn_of_ignored(name: str, made: Environment | Volume | None) -> None:
    """Warn on standard error about ignored parts of a map, because they may be walls."""
    ignored = [repair for repair in (made.repairs if made else ()) if repair.kind == "ignored"]
    if ignored:
        more = "" if len(ignored) == 1 else f" (and {len(ignored) - 1} more: footway check {name})"
        say(f"{name}: {ignored[0]}{more}")


def load_space(
    name: str,
    *,
    scale: float | None,
    steps: Steps,
    resolution: float | None,
    between: tuple[float, float] | None,
    up: str | None = None,
) -> Environment | Volume:
    """Load an environment in two or three dimensions for a roadmap; meshes need a resolution."""
    _refuse_saved(name)
    is_mesh = content_of(name) == "mesh"
    with steps.step("load", f"Loading {name}"):
        if is_mesh and between is None:
            if resolution is None:
                raise BadInput(
                    f"{name}: is a mesh; give --resolution METRES for its voxels, or --between "
                    "LOW,HIGH for a plan of the obstacles between two heights"
                )
            return _load(name, scale=scale, resolution=resolution, up=up)
        return _load(name, scale=scale, between=between, up=up)


def _refuse_saved(name: str) -> None:
    if is_saved(name):
        raise BadInput(f"{name}: is a saved map; give the map file that it was built from")


def build_map(environment: Environment, *, steps: Steps) -> CorridorMap:
    """Build the corridor map of an environment."""
    from footway.corridor import CorridorMap

    with steps.step("build", "Building the corridor map"):
        return CorridorMap.build(environment)


def load_saved(name: str, *, scale: float | None, steps: Steps) -> CorridorMap | SpaceMap:
    """Load a saved corridor map, or a saved roadmap with clearance attached."""
    from footway.corridor import CorridorMap

    if scale is not None:
        raise BadInput(f"{name}: a saved map is in metres already; leave --scale out")
    with steps.step("load", f"Loading {name}"):
        return CorridorMap.load(name)


def repair_lines(environment: Environment | Volume | None) -> Iterator[str]:
    """Return a line for each repair of the input, and one line for many alike."""
    from footway.environment.repair import repairs_to_list

    repairs = environment.repairs if environment else ()
    for k, number in repairs_to_list(repairs).items():
        more = f" (and {number - 1} more of this kind)" if number > 1 else ""
        yield f"{repairs[k]}{more}"
