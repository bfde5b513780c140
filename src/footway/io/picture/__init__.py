"""Pictures of maps, paths, routes, roadmaps, cameras, repairs and crowds, good enough for a paper.

    from footway.io import picture

    figure = picture.draw_path(cmap, path, corridor=corridor, pinch=pinch)
    picture.save_picture(figure, "path.png")      # or .svg, .pdf

Every `draw_` function returns a Matplotlib figure of its own; nothing touches pyplot's global
state, so pictures can be made on a server and in threads.
"""

from __future__ import annotations

from footway.io.picture.animation import animate
from footway.io.picture.cameras import draw_camera
from footway.io.picture.crowds import draw_crowd, draw_density, draw_moment, telling_frame
from footway.io.picture.encoding import check_animation_file
from footway.io.picture.figures import (
    draw_check,
    draw_map,
    draw_no_path,
    draw_path,
    draw_paths,
)
from footway.io.picture.roadmaps import RoadmapPanel, draw_roadmap, draw_roadmaps
from footway.io.picture.saving import check_picture_file, save_picture
from footway.io.picture.terrain import Line, RoutePanel, draw_route, draw_routes
from footway.io.picture.walks import Panel, draw_panels, draw_walk

__all__ = [
    "Line",
    "Panel",
    "RoadmapPanel",
    "RoutePanel",
    "animate",
    "check_animation_file",
    "check_picture_file",
    "draw_camera",
    "draw_check",
    "draw_crowd",
    "draw_density",
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
    "save_picture",
    "telling_frame",
]
