"""Terrain of several kinds, and indicative routes that follow preferences (miran-2013).

Environment --partition--> Terrain --route--> IndicativeRoute --> footway.follow
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from footway.terrain.route import IndicativeRoute
    from footway.terrain.terrain import Terrain

__all__ = ["IndicativeRoute", "Terrain"]


def __getattr__(name: str) -> Any:
    """Import modules that need Shapely on first access: followers do not need them."""
    if name == "IndicativeRoute":
        from footway.terrain.route import IndicativeRoute

        return IndicativeRoute
    if name == "Terrain":
        from footway.terrain.terrain import Terrain

        return Terrain
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
