"""Project a surface between two heights onto a plan.

A point of the plan is blocked if the surface passes over it between the heights, or if the whole
vertical line between the heights lies inside a closed body, and thus inside the section at any of
these heights. The plan is therefore the projection of the surface, cut at both heights, united with
one filled section. Sections are filled if they are closed and oriented outward, even if the body is
open (a building without a floor). If there are rooms, everything outside them is blocked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from footway.constants import GRID, TOUCH
from footway.environment import Environment, InputGeometry, Pieces, Repair
from footway.errors import BadInput
from footway.formats.grid_tracing import heights
from footway.formats.mesh_bodies import linked

if TYPE_CHECKING:
    from footway.arrays import Bools, Floats, Ints
    from footway.formats.mesh_bodies import Surface


def footprint(surface: Surface, *, between: tuple[float, float], name: str) -> Environment:
    """Return the environment between two heights, m."""
    low, high = heights(between)
    bottom, top = surface.vertices[:, 2].min(), surface.vertices[:, 2].max()
    if high <= bottom or low >= top:
        raise BadInput(
            f"nothing stands between {low:g} and {high:g} m: the mesh reaches from {bottom:g} to "
            f"{top:g} m; give heights within it, or up= if another axis points up"
        )
    areas, lines = _projection(surface.corners, low, high)
    filled, notes = _section(surface, (low + high) / 2)
    x0, y0, _ = surface.vertices.min(axis=0).tolist()
    x1, y1, _ = surface.vertices.max(axis=0).tolist()
    box = shapely.box(x0, y0, x1, y1)
    if surface.room.any():  # everything outside the rooms is blocked
        segments, _, _ = _segments(surface, surface.room, (low + high) / 2)
        rooms = shapely.union_all(_filled(segments[:, [2, 3, 0, 1]]), grid_size=GRID)
        filled.append(shapely.difference(box, rooms, grid_size=GRID))
    blocked = shapely.union_all([*areas, *filled], grid_size=GRID)
    # The sides of solids are lines too: only free-standing lines are walls.
    alone = shapely.union_all(lines, grid_size=GRID)
    for solid in (blocked, box.exterior):
        alone = shapely.difference(alone, solid, grid_size=GRID)
    given = InputGeometry(
        bounds=_pieces(box, "bounds"),
        obstacles=_pieces(blocked, "obstacle"),
        lines=_pieces(shapely.line_merge(alone), "wall"),
    )
    # Open parts are reported by the section.
    known = [note for note in surface.repairs if note.kind != "open mesh"]
    return Environment.from_input_geometry(given, repairs=[*known, *notes], name=name)


def _pieces(union: Any, label: str) -> Pieces:
    """Return the parts of a union, with labels."""
    parts = shapely.get_parts(union)
    parts = parts[~shapely.is_empty(parts)]
    return Pieces(parts, [f"{label} {i}" for i in range(len(parts))])


def _projection(corners: Floats, low: float, high: float) -> tuple[list[Any], list[Any]]:
    """Return polygons and lines: the projection of the faces between the heights.

    The part of a triangle between two planes is convex: its projection is the hull of the corners
    between the planes and the points where edges cross them.
    """
    z = corners[:, :, 2]
    meets = (z.max(axis=1) > low + TOUCH) & (z.min(axis=1) < high - TOUCH)
    corners = corners[meets]
    points, used = _cut(corners, low, high)
    owner = np.broadcast_to(np.arange(len(corners))[:, np.newaxis], used.shape)
    if not len(corners):
        return [], []
    several = shapely.multipoints(points[used], indices=owner[used])
    hulls = shapely.convex_hull(several)
    thin = shapely.area(hulls) <= GRID * shapely.length(hulls)
    return list(hulls[~thin]), _as_lines(points[thin], used[thin])


def _cut(corners: Floats, low: float, high: float) -> tuple[Floats, Bools]:
    """Return (n, 9, 2) corners and crossings of edges with both planes, and which are valid."""
    points = [corners[:, :, :2]]
    used = [(corners[:, :, 2] >= low) & (corners[:, :, 2] <= high)]
    far = np.roll(corners, -1, axis=1)
    rise = far[:, :, 2] - corners[:, :, 2]
    for plane in (low, high):
        crosses = (corners[:, :, 2] < plane) != (far[:, :, 2] < plane)
        share = (plane - corners[:, :, 2]) / np.where(crosses, rise, 1.0)
        points.append((corners + share[:, :, np.newaxis] * (far - corners))[:, :, :2])
        used.append(crosses)
    return np.concatenate(points, axis=1), np.concatenate(used, axis=1)


def _as_lines(points: Floats, used: Bools) -> list[Any]:
    """Return the lines between the outermost points of vertical faces."""
    if not len(points):
        return []
    hidden = np.where(used[:, :, np.newaxis], points, np.nan)
    wide = np.nanmax(hidden, axis=1) - np.nanmin(hidden, axis=1)
    axis = np.argmax(wide, axis=1)
    row = np.arange(len(points))
    along = hidden[row, :, axis]
    ends = np.stack([points[row, np.nanargmin(along, 1)], points[row, np.nanargmax(along, 1)]], 1)
    long = np.abs(ends[:, 1] - ends[:, 0]).max(axis=1) > GRID
    return list(shapely.linestrings(ends[long]))


def _section(surface: Surface, level: float) -> tuple[list[Any], list[Repair]]:
    """Return the polygons of solids in the section at this height, and the open parts."""
    segments, ends, closed = _segments(surface, ~surface.room, level)
    if not len(segments):
        return [], []
    part, closes = _parts(ends)
    x0, y0, x1, y1 = segments.T
    outward = (np.bincount(part, weights=x0 * y1 - x1 * y0) > 0)[part]
    kept = closes & (closed | outward)
    # An open, inward part is the courtyard of a building, or encloses no solid.
    for one in np.unique(part[closes & ~kept]):
        own = part == one
        kept[own] = _winding(segments[closes & (closed | outward)], segments[own][0, :2]) > 0
    notes = []
    if not closes.all():
        x, y = segments[~closes][0, :2].tolist()
        detail = (
            f"{(~closes).sum():,} faces belong to walls that enclose nothing at a height of "
            f"{level:g} m: they block movement, and the space behind them is free"
        )
        notes.append(Repair("open mesh", (x, y), detail))
    return _filled(segments[kept]), notes


def _filled(loops: Floats) -> list[Any]:
    """Return the polygons enclosed by loops, with the inside on their left."""
    lines = shapely.union_all(shapely.linestrings(loops.reshape(-1, 2, 2)), grid_size=GRID)
    faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(lines)))
    middles = shapely.get_coordinates(shapely.point_on_surface(faces))
    return [face for face, at in zip(faces, middles, strict=True) if _winding(loops, at) > 0]


def _segments(surface: Surface, which: Bools, level: float) -> tuple[Floats, Ints, Bools]:
    """Return the section of the faces `which` at a height.

    Returns (n, 4) segments with the inside on their left, (n, 2) the mesh edges on which they
    end, and (n,) whether they belong to closed bodies.
    """
    above = surface.vertices[:, 2] >= level
    which = which & np.isin(above[surface.faces].sum(axis=1), (1, 2))
    faces = surface.faces[which]
    up = above[faces]
    row = np.arange(len(faces))
    # Rotate the corners so that the first is alone above or below: the section connects its edges.
    alone = np.where(up.sum(axis=1) == 1, np.argmax(up, axis=1), np.argmin(up, axis=1))
    tip, after, before = (faces[row, (alone + k) % 3] for k in range(3))
    rising = up[row, alone]
    start = np.sort(np.stack([tip, np.where(rising, after, before)], axis=1), axis=1)
    end = np.sort(np.stack([tip, np.where(rising, before, after)], axis=1), axis=1)
    ends = np.hstack([_at(surface, start, level), _at(surface, end, level)])
    _, edge = np.unique(np.concatenate([start, end]), axis=0, return_inverse=True)
    return ends, edge.reshape(2, -1).T.astype(np.int64), surface.closed[which]


def _at(surface: Surface, edge: Ints, level: float) -> Floats:
    """Return where edges (n, 2) cross a height, identical for all faces at the edge."""
    a, b = surface.vertices[edge[:, 0]], surface.vertices[edge[:, 1]]
    share = (level - a[:, 2]) / (b[:, 2] - a[:, 2])
    return (a + share[:, np.newaxis] * (b - a))[:, :2]


def _parts(ends: Ints) -> tuple[Ints, Bools]:
    """Return the connected component of each segment, and whether that is closed.

    It is if equally many segments begin and end at every point.
    """
    count = int(ends.max()) + 1
    part = linked(ends[:, 0], ends[:, 1], count)
    balance = np.bincount(ends[:, 0], minlength=count) - np.bincount(ends[:, 1], minlength=count)
    own = part[ends[:, 0]]
    return own, ~np.isin(own, part[balance != 0])


def _winding(loops: Floats, at: Floats) -> int:
    """Return the winding number of the loops around a point."""
    x0, y0, x1, y1 = loops.T
    upward, downward = (y0 <= at[1]) & (y1 > at[1]), (y1 <= at[1]) & (y0 > at[1])
    left = (x1 - x0) * (at[1] - y0) - (at[0] - x0) * (y1 - y0)
    return int((upward & (left > 0)).sum()) - int((downward & (left < 0)).sum())
