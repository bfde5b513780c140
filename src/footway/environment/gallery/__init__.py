"""Built-in maps, procedural and deterministic, modelled on the environments of the papers.

    from footway.environment import gallery

    gallery.names()            # "city", "field", "forest", "game", "house", "mckenna", ...
    gallery.make("city")       # Environment, 500 x 500 m
    gallery.make("city:3x3")   # nine cities side by side, 1,500 x 1,500 m
    gallery.make("forest")     # Environment with terrain, as "mckenna-road"
    gallery.make("house")      # Volume, 57 x 40 x 20 m: "house" and "quake" are three-dimensional

A map is identical on every platform and in every run: its random numbers come from a fixed stream
and its corners are whole millimetres.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal, overload

from footway.errors import BadInput
from footway.validation import shown

if TYPE_CHECKING:
    from footway.environment import Building, Environment, Volume

__all__ = ["MOST_TILES", "buildings", "make", "names"]

MOST_TILES: Final = 12
"""Maximum number of cities in each direction: 144 of them have 85,000 buildings."""

_NAMES: Final = (
    "city", "field", "forest", "game", "house", "mckenna", "mckenna-road", "office", "quake",
)  # fmt: skip
_BUILDINGS: Final = ("rimea8", "stadium", "station", "tower")
_TILING = re.compile(r"city:([0-9]{1,4})x([0-9]{1,4})")


def names() -> tuple[str, ...]:
    """Return the names of the maps in alphabetical order, without tiled ones such as "city:3x3"."""
    return _NAMES


def buildings() -> tuple[str, ...]:
    """Return the names of the buildings of several floors in alphabetical order."""
    return _BUILDINGS


@overload
def make(name: Literal["house", "quake"]) -> Volume: ...
@overload
def make(name: str) -> Environment | Any: ...
def make(name: str) -> Environment | Volume | Building:
    """Return the map of this name; "city:NxN" is N x N cities, N from 1 to 12.

    "house" and "quake" are volumes; "rimea8", "stadium", "station" and "tower" are buildings.

    Raises:
        BadInput: there is no such map; the message lists those that exist.

    Example:
        >>> from footway.environment import gallery
        >>> gallery.make("mckenna").holes
        23
    """
    if not isinstance(name, str):
        raise BadInput(f"the name of a map is a text, not {shown(name)}")
    if name in _BUILDINGS:
        building: Building = getattr(import_module(f"footway.environment.gallery.{name}"), name)()
        return building
    if name in _NAMES:
        function = name.replace("-", "_")
        file = "volumes" if name in {"house", "quake"} else function
        module = import_module(f"footway.environment.gallery.{file}")
        environment: Environment | Volume = getattr(module, function)()
        return environment
    tiling = _TILING.fullmatch(name)
    if tiling is None:
        known = ", ".join(_NAMES)
        raise BadInput(
            f"no map {shown(name)} in the gallery; there are {known} and city:NxN, "
            f"and the buildings {', '.join(_BUILDINGS)}"
        )
    from footway.environment.gallery.city import tiled_city

    columns, rows = int(tiling[1]), int(tiling[2])
    if columns != rows or not 1 <= columns <= MOST_TILES:
        raise BadInput(f"{name!r} is not a square of 1 to {MOST_TILES} cities a side; try city:3x3")
    return tiled_city(columns, name=f"gallery:city:{columns}x{rows}")
