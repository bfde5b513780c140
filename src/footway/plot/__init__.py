"""Pictures of maps, paths, routes, roadmaps, cameras, repairs and crowds, good enough for a paper.

    from footway import plot

    figure = plot.draw_path(cmap, path, corridor=corridor, pinch=pinch)
    plot.save_picture(figure, "path.png")      # or .svg, .pdf

Every `draw_` function returns a Matplotlib figure of its own; nothing touches pyplot's global
state, so pictures can be made on a server and in threads.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from footway.extras import optional_imports

if TYPE_CHECKING:
    from footway.plot.animation import animate, check_animation_file
    from footway.plot.buildings import draw_building
    from footway.plot.cameras import draw_camera
    from footway.plot.canvas import check_picture_file, save_picture
    from footway.plot.crowds import draw_crowd, draw_density, draw_moment, representative_frame
    from footway.plot.figures import (
        draw_alternatives,
        draw_check,
        draw_distances,
        draw_map,
        draw_no_path,
        draw_path,
        draw_paths,
    )
    from footway.plot.roadmaps import RoadmapPanel, draw_roadmap, draw_roadmaps
    from footway.plot.walks import (
        Line,
        Panel,
        RoutePanel,
        draw_panels,
        draw_route,
        draw_routes,
        draw_walk,
    )

__all__ = [
    "Line",
    "Panel",
    "RoadmapPanel",
    "RoutePanel",
    "animate",
    "check_animation_file",
    "check_picture_file",
    "draw_alternatives",
    "draw_building",
    "draw_camera",
    "draw_check",
    "draw_crowd",
    "draw_density",
    "draw_distances",
    "draw_map",
    "draw_moment",
    "draw_no_path",
    "draw_panels",
    "draw_path",
    "draw_paths",
    "draw_roadmap",
    "draw_roadmaps",
    "draw_route",
    "draw_routes",
    "draw_walk",
    "representative_frame",
    "save_picture",
]  # fmt: skip

_MODULES = {
    "animation": ("animate", "check_animation_file"),
    "buildings": ("draw_building",),
    "cameras": ("draw_camera",),
    "crowds": ("draw_crowd", "draw_density", "draw_moment", "representative_frame"),
    "figures": (
        "draw_alternatives", "draw_check", "draw_distances", "draw_map", "draw_no_path",
        "draw_path", "draw_paths",
    ),
    "roadmaps": ("RoadmapPanel", "draw_roadmap", "draw_roadmaps"),
    "canvas": ("check_picture_file", "save_picture"),
    "walks": (
        "Line", "Panel", "RoutePanel", "draw_panels", "draw_route", "draw_routes", "draw_walk",
    ),
}  # fmt: skip
"""Names by module. They are loaded when first used: glTF files need no Matplotlib."""


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            with optional_imports():
                return getattr(import_module(f"footway.plot.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
