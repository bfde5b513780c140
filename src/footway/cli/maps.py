"""The MAP argument: a file, a built-in map or a saved corridor map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from footway.errors import BadInput

if TYPE_CHECKING:
    from footway.cli.output import Steps
    from footway.corridor import CorridorMap
    from footway.environment import Environment

SAVED: Final = ".fwmap"
"""Suffix of a saved corridor map."""

MapArgument = Annotated[
    str,
    typer.Argument(
        metavar="MAP",
        help="A map file (GeoJSON, WKT, MovingAI .map, ROS .yaml, PNG), a saved .fwmap, "
        "or gallery:NAME.",
        show_default=False,
    ),
]
ScaleOption = Annotated[
    str | None,
    typer.Option(
        metavar="METRES",
        help="Metres per cell of a grid, per pixel of a PNG, per unit of GeoJSON and WKT.",
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


class LoadedMap(NamedTuple):
    """A corridor map, and its environment unless it came from a saved map."""

    corridors: CorridorMap
    environment: Environment | None


def is_saved(name: str) -> bool:
    """Tell whether a MAP argument names a saved corridor map."""
    return name.lower().endswith(SAVED)


def load_map(name: str, *, scale: float | None, steps: Steps) -> LoadedMap:
    """Load a saved corridor map, or load an environment and build its map."""
    if is_saved(name):
        return LoadedMap(_load_saved(name, scale=scale, steps=steps), None)
    environment = load_environment(name, scale=scale, steps=steps)
    return LoadedMap(build_map(environment, steps=steps), environment)


def load_environment(name: str, *, scale: float | None, steps: Steps) -> Environment:
    """Load an environment from a file or from the gallery."""
    from footway.io import load

    if is_saved(name):
        raise BadInput(f"{name}: is a saved corridor map; give the map file that it was built from")
    with steps.step("load", f"Loading {name}"):
        return load(name, scale=scale)


def build_map(environment: Environment, *, steps: Steps) -> CorridorMap:
    """Build the corridor map of an environment."""
    from footway.corridor import CorridorMap

    with steps.step("build", "Building the corridor map"):
        return CorridorMap.build(environment)


def _load_saved(name: str, *, scale: float | None, steps: Steps) -> CorridorMap:
    from footway.corridor import CorridorMap

    if scale is not None:
        raise BadInput(f"{name}: a saved corridor map is in metres already; leave --scale out")
    with steps.step("load", f"Loading {name}"):
        return CorridorMap.load(name)
