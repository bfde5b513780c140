"""Kinds of ground: regions in quiet colours, and a key below the map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import shapely
from matplotlib.patches import PathPatch, Rectangle

from footway.environment.environment import GROUND
from footway.environment.lattice import polygon_parts
from footway.io.picture import palette
from footway.io.picture.ground import outline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from footway.environment import Environment
    from footway.io.picture.sheet import Sheet

_MOST_NAMES: Final = 12  # kinds in the key; more of them do not fit below a map
_SWATCH: Final = 0.016  # width of a colour in the key, of the page's
_LETTER: Final = 0.0078  # width of a letter, likewise


def draw_terrain(sheet: Sheet, environment: Environment) -> None:
    """Fill the regions of an environment by kind, the later ones on top, and draw their key.

    Goes between the ground and what lies on it; does nothing where there are no regions.
    """
    if not environment.terrain:
        return
    colours = terrain_colours(environment)
    for region in environment.terrain:
        shape = shapely.intersection(region.polygon, environment.walkable)
        parts = shapely.orient_polygons(polygon_parts(shape))
        if len(parts):
            colour = colours.get(region.kind, palette.GROUND)
            patch = PathPatch(outline(parts), facecolor=colour, edgecolor="none")
            patch.set_zorder(1.15)
            sheet.axes.add_patch(patch)
    _draw_key(sheet, colours)


def terrain_colours(environment: Environment) -> Mapping[str, str]:
    """Return a colour for each kind of ground: that of its name, or else one from a list.

    Bare ground is among them where there is any.
    """
    kinds = sorted({region.kind for region in environment.terrain} - {GROUND})
    other = [kind for kind in kinds if kind not in palette.TERRAIN]
    spare = {k: palette.OTHER_TERRAIN[i % len(palette.OTHER_TERRAIN)] for i, k in enumerate(other)}
    found = {kind: palette.TERRAIN.get(kind, spare.get(kind, "")) for kind in kinds}
    covered = shapely.union_all([region.polygon for region in environment.terrain])
    bare = shapely.difference(environment.walkable, covered)
    return {GROUND: palette.GROUND, **found} if bare.area > 0 else found


def _draw_key(sheet: Sheet, colours: Mapping[str, str]) -> None:
    """Draw a swatch and a name for each kind, in a line at the bottom of the page."""
    place = sheet.axes.get_position()
    x, y = place.x0, 0.20 * place.y0
    height = 0.13 * place.y0
    for kind, colour in list(colours.items())[:_MOST_NAMES]:
        swatch = Rectangle((x, y - height / 2), _SWATCH, height, facecolor=colour)
        swatch.set(edgecolor=palette.WALL, linewidth=0.4, transform=sheet.figure.transFigure)
        sheet.figure.add_artist(swatch)
        x += 1.35 * _SWATCH
        sheet.figure.text(x, y, kind, fontsize=7, color=palette.MUTED, va="center")
        x += _LETTER * len(kind) + 1.2 * _SWATCH
