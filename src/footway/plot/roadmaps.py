"""Draw roadmaps: over the plan in two dimensions, level by level in three.

rrm-roadmaps-2006, figures 3, 5 and 6: nodes, local paths, clearance discs and paths.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize

from footway.constants import ROADMAPS
from footway.environment import Volume
from footway.environment.lattice import polygon_parts
from footway.errors import BadQuery
from footway.plot import layers, palette
from footway.plot.arguments import checked
from footway.plot.canvas import add_colour_key, draw_page_bar, keys_of, new_canvases, padded
from footway.plot.levels import draw_levels
from footway.plot.shapes import blended_pieces, free_space_of, sampled_pieces
from footway.roadmap.fake_obstacles import open_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from footway.arrays import Bools, Floats
    from footway.corridor import Path
    from footway.environment import Environment
    from footway.plot.canvas import Canvas
    from footway.plot.shapes import FreeSpace
    from footway.roadmap import Roadmap

MANY: Final = 5_000  # number of lines that is too large to draw them thick, or as vectors

FEW_DISCS: Final = 300
"""Greatest number of discs that are drawn with a rim each; of more, only the union has a rim."""

_TOP: Final = 92  # percentile of clearance with the last colour: open squares are rare and wide


@dataclass(frozen=True, eq=False)
class RoadmapPanel:
    """Content of one of several pictures.

    Attributes:
        caption: text above it on the left.
        roadmap: all panels of a picture have the same environment.
        details: text above it on the right.
        discs: centres (n, 2) and radii (n,) m of discs that are filled, in two dimensions.
        path: on the roadmap; the edges are drawn faintly then.
        special: (n,) nodes to draw black, as the useful nodes of figure 3.
    """

    caption: str
    roadmap: Roadmap
    details: str = ""
    discs: tuple[Floats, Floats] | None = None
    path: Path | Floats | None = None
    special: Bools | None = None

    @property
    def route(self) -> Floats | None:
        """Points (k, d) of the path, m."""
        points = getattr(self.path, "points", self.path)
        return None if points is None else np.asarray(points, np.float64)

    @property
    def in_effect(self) -> RoadmapPanel:
        """The panel without edges and nodes closed by fake obstacles."""
        if not self.roadmap.fake_obstacles:
            return self
        stays = open_parts(self.roadmap)[0]
        special = None if self.special is None else self.special[stays]
        return replace(self, roadmap=self.roadmap.in_effect, special=special)


@checked
def draw_roadmap(
    roadmap: Roadmap,
    *,
    environment: Environment | Volume | None = None,
    path: Path | Floats | None = None,
) -> Figure:
    """Return a picture of a roadmap: nodes, and local paths coloured by clearance.

    Args:
        roadmap: in two or three dimensions.
        environment: source of the free space. By default it is derived from the walls; in three
            dimensions, the voxels that the object never reaches are drawn.
        path: a path on the roadmap.

    Example:
        >>> import footway as fw
        >>> from footway import plot
        >>> field = fw.load("gallery:field")
        >>> roadmap = fw.roadmap.grid(field, resolution=1.0, radius=0.5)
        >>> figure = plot.draw_roadmap(roadmap, environment=field)
    """
    title = f"{roadmap.name or 'map'}: {ROADMAPS[roadmap.method].paper}"
    panel = RoadmapPanel("", roadmap, path=path)
    if panel.route is not None and panel.route.shape[1] != roadmap.dimension:
        raise BadQuery(
            f"the path has {panel.route.shape[1]} coordinates, and the roadmap {roadmap.dimension}"
        )
    size = f"{roadmap.n_nodes:,} nodes  ·  {roadmap.n_edges:,} edges"
    if fakes := len(roadmap.fake_obstacles):
        size = f"{size}  ·  {fakes} fake obstacle{'' if fakes == 1 else 's'}"
    if panel.route is not None:
        length = float(np.linalg.norm(np.diff(panel.route, axis=0), axis=1).sum())
        size = f"{length:.2f} m  ·  {size}"
    return draw_roadmaps([panel], title=title, details=size, environment=environment)


@checked
def draw_roadmaps(
    panels: Sequence[RoadmapPanel],
    *,
    title: str,
    details: str = "",
    environment: Environment | Volume | None = None,
    columns: int | None = None,
) -> Figure:
    """Return a picture with several roadmaps of one environment, to compare them.

    Their edges are coloured by clearance on one scale. In three dimensions each level of the
    environment is drawn on its own, from above, without its ceilings.

    Args:
        panels: in reading order.
        title: of the page.
        details: on the right of the title.
        environment: source of the free space.
        columns: of plans; by default all side by side, or one above the other.
    """
    values = [panel.roadmap.samples().clearance for panel in panels if panel.roadmap.n_edges]
    values += [panel.roadmap.node_clearance for panel in panels]
    clearance = np.maximum(np.concatenate(values), 1e-3)
    top = float(np.percentile(clearance, _TOP))
    norm = Normalize(0.0, top, clip=True)
    if panels[0].roadmap.dimension == 3:
        volume = environment if isinstance(environment, Volume) else None
        canvases = draw_levels(panels, volume, norm, title=title, details=details)
    else:
        assert not isinstance(environment, Volume)
        canvases = _draw_plans(
            panels, environment, norm, columns=columns, title=title, details=details
        )
    if any(panel.path is None for panel in panels):
        key = ScalarMappable(norm, palette.clearance_colours())
        label, above = "clearance of the object (m)", bool(top < clearance.max())
        add_colour_key(canvases[0], key, label=label, above=above, area=keys_of(canvases[0]))
    draw_page_bar(canvases[-1])
    return canvases[0].figure


def _draw_plans(
    panels: Sequence[RoadmapPanel],
    environment: Environment | None,
    norm: Normalize,
    *,
    columns: int | None,
    title: str,
    details: str,
) -> list[Canvas]:
    first = panels[0].roadmap
    x0, y0, x1, y1 = first.bounds if environment is None else environment.bounds
    view = padded((x0, y0, x1, y1), 0.012)
    captions = [(panel.caption, panel.details) for panel in panels]
    canvases = new_canvases(view, captions, title=title, details=details, columns=columns)
    free_space = free_space_of(first if environment is None else environment)
    for canvas, panel in zip(canvases, panels, strict=True):
        layers.draw_free_space(canvas, free_space)
        if panel.discs is not None:
            _draw_discs(canvas, panel.discs, free_space)
        layers.draw_fakes(canvas, panel.roadmap)
        _draw_edges(canvas, panel.in_effect, norm)
        _draw_nodes(canvas, panel.in_effect)
        if panel.route is not None:
            for colour, width, level in ((palette.HALO, 3.2, 3.0), (palette.ACCENT, 1.7, 3.1)):
                style: dict[str, Any] = {"solid_capstyle": "round", "solid_joinstyle": "round"}
                canvas.axes.plot(*panel.route.T, color=colour, lw=width, zorder=level, **style)
            start, goal = tuple(panel.route[0].tolist()), tuple(panel.route[-1].tolist())
            layers.draw_ends(canvas, start, goal, avoid=panel.route)
    return canvases


def _draw_discs(canvas: Canvas, discs: tuple[Floats, Floats], free_space: FreeSpace) -> None:
    """Fill the union of discs, and draw the rims if there are few (figure 6)."""
    centres, radii = (values[discs[1] > 0] for values in discs)
    round_ = shapely.buffer(shapely.points(centres), radii, quad_segs=16)
    union = shapely.intersection(shapely.union_all(round_), free_space.walkable)
    layers.fill(canvas, union, zorder=1.5, facecolor=palette.CORRIDOR, alpha=0.2)
    rims = round_
    if len(round_) > FEW_DISCS:
        rims = [ring for p in polygon_parts(union) for ring in (p.exterior, *p.interiors)]
    rings = [shapely.get_coordinates(rim) for rim in rims]
    style: dict[str, Any] = {"linewidths": 0.5, "alpha": 0.5, "zorder": 1.6}
    layers.add_lines(canvas.axes, rings, colors=palette.CORRIDOR, **style)


def _draw_edges(canvas: Canvas, panel: RoadmapPanel, norm: Normalize) -> None:
    roadmap = panel.roadmap
    if roadmap.n_edges == 0:
        return
    many = roadmap.n_edges > MANY
    small = len(panel.roadmap.nodes) > 60 or canvas.axes.get_position().width < 0.5
    width = 0.3 if many else 0.9 if small else 1.5
    step = 3.0 * canvas.metres_per_point
    is_blended = roadmap.method == "voronoi_prm"  # paths have lines and arcs
    pieces, clearance = (blended_pieces if is_blended else pieces_of)(roadmap, step)
    style: dict[str, Any] = {"capstyle": "round", "rasterized": many, "zorder": 2.0}
    if panel.path is not None:
        layers.add_lines(canvas.axes, pieces, colors=palette.MUTED, linewidths=0.7 * width, **style)
        return
    if not many:
        halo: dict[str, Any] = {"colors": palette.HALO, "linewidths": width + 1.4, "alpha": 0.8}
        layers.add_lines(canvas.axes, pieces, capstyle="round", zorder=1.95, **halo)
    colours = palette.clearance_colours()
    layers.add_lines(
        canvas.axes, pieces, clearance, cmap=colours, norm=norm, linewidth=width, **style
    )


def pieces_of(roadmap: Roadmap, step: float) -> tuple[Floats, Floats]:
    """Return pieces (n, 2, d) m of all local paths, and the clearance (n,) m of each.

    They are at most a step long, or whole lines if there are many edges, as in a grid.
    """
    is_large = roadmap.n_edges > MANY
    return sampled_pieces(roadmap, float(roadmap.lengths.max()) if is_large else step)


def _draw_nodes(canvas: Canvas, panel: RoadmapPanel) -> None:
    """Draw nodes as discs with a rim; special ones are black."""
    nodes = panel.roadmap.nodes
    if len(nodes) > MANY:
        return
    if panel.roadmap.method == "voronoi_prm" and panel.special is None:
        x, y = nodes.T  # drawn faintly, because arcs bypass them
        canvas.axes.scatter(x, y, s=2.5, c=palette.MUTED, linewidths=0, alpha=0.7, zorder=1.9)
        return
    wide = canvas.axes.get_position().width > 0.5
    size = (26.0 if wide else 11.0) if len(nodes) <= 60 else (14.0 if wide else 5.0)
    special = np.zeros(len(nodes), bool) if panel.special is None else panel.special
    for chosen, face in ((~special, palette.HALO), (special, palette.INK)):
        x, y = nodes[chosen].T
        style: dict[str, Any] = {"edgecolors": palette.INK, "linewidths": 0.7 if wide else 0.5}
        canvas.axes.scatter(x, y, s=size, c=face, zorder=3.3, **style)
