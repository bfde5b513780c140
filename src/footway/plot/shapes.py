"""Geometry of maps and roadmaps for pictures, glTF files and the studio.

It needs no Matplotlib.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import shapely

from footway.corridor import CorridorMap
from footway.environment.walls import segments_of
from footway.roadmap import Roadmap
from footway.roadmap.lattice.space import corners_where
from footway.roadmap.voronoi.blends import blends

if TYPE_CHECKING:
    from footway.arrays import Floats, Ints, Shapes
    from footway.environment import Building, Environment
    from footway.environment.building import Layer, LinkOutline
    from footway.roadmap.voronoi.blends import Blends

RAILING: Final = 1.0  # m. Height of the walls beside stairs
_POST: Final = 0.1  # m. Side of the square post that shows a point obstacle

_MARGIN: Final = 0.02
"""Margin of the ground around the map, as a share of the longer side of the map."""


class FreeSpace(NamedTuple):
    """Walkable space and the walls around it."""

    walkable: shapely.MultiPolygon
    walls: Floats  # (n, 4) x0, y0, x1, y1 in metres
    points: Floats  # (m, 2) point obstacles
    links: tuple[LinkOutline, ...] = ()  # of a floor of a building


def free_space_of(source: CorridorMap | Environment | Roadmap) -> FreeSpace:
    """Return the free space of an environment, a map or a roadmap, which has only walls.

    Walkable are the faces between the walls of a roadmap in which its object fits somewhere.
    """
    if isinstance(source, CorridorMap):
        source = source.environment
    if not isinstance(source, Roadmap):
        links = getattr(source, "links", ())
        return FreeSpace(source.walkable, source.walls.segments, source.walls.points, links)
    walls = source.space.walls
    ends = walls.reshape(-1, 2, 2)
    is_point = (ends[:, 0] == ends[:, 1]).all(axis=1)
    faces = shapely.get_parts(shapely.polygonize(shapely.linestrings(ends[~is_point])))
    free = np.zeros(len(faces), bool)
    space = source.space
    nodes = space.positions(corners_where(space.is_node & (space.corner_clearance > 0)))
    free[shapely.STRtree(faces).query(shapely.points(nodes), predicate="within")[1]] = True
    walkable = shapely.multipolygons(shapely.orient_polygons(faces[free]))
    return FreeSpace(walkable, walls[~is_point], ends[is_point, 0])


class Surface(NamedTuple):
    """Triangles in space, each counterclockwise as seen from its front.

    Corners shared by two faces are duplicated with the normal of each face, so that edges look
    sharp.
    """

    corners: Floats  # (n, 3) m, z up
    normals: Floats  # (n, 3) unit
    triangles: Ints  # (k, 3) corners


def raise_walls(
    walkable: shapely.MultiPolygon, segments: Floats, points: Floats, *, height: float
) -> Surface:
    """Return walls of a height (m) around walkable space, and roofs over the rest.

    Args:
        walkable: walkable space, m.
        segments: (n, 4) walls x0, y0, x1, y1; their fronts are on the left.
        points: (m, 2) point obstacles, which become posts of 0.1 m.
        height: of the walls, m.
    """
    posts = shapely.box(*(points - 0.5 * _POST).T, *(points + 0.5 * _POST).T, ccw=False)
    sides = _raised(np.concatenate([segments, segments_of(shapely.get_rings(posts))]), height)
    filled = shapely.polygons([part.exterior for part in shapely.get_parts(walkable)])
    solid = shapely.difference(shapely.union_all(filled), walkable)
    roofs = _roofs(np.append(shapely.get_parts(solid), posts), height)
    return Surface(
        np.concatenate([sides.corners, roofs.corners]),
        np.concatenate([sides.normals, roofs.normals]),
        np.concatenate([sides.triangles, roofs.triangles + len(sides.corners)]),
    )


def lay_ground(bounds: tuple[float, float, float, float]) -> Surface:
    """Return one large square under a map, at height 0."""
    margin = _MARGIN * max(bounds[2] - bounds[0], bounds[3] - bounds[1])
    x0, y0, x1, y1 = np.array(bounds) + margin * np.array([-1, -1, 1, 1])
    corners = np.array([(x0, y0, 0.0), (x1, y0, 0.0), (x1, y1, 0.0), (x0, y1, 0.0)])
    return Surface(corners, np.tile([0.0, 0.0, 1.0], (4, 1)), np.array([(0, 1, 2), (0, 2, 3)]))


def surfaces_of(building: Building, height: float) -> dict[str, Surface]:
    """Return the walls, floors and links of a building, each where it is.

    Walls of floors and lifts have this height (m), those of stairs, ramps and escalators RAILING.
    """
    walls: list[Surface] = []
    floors: list[Surface] = []
    links: list[Surface] = []
    for sheet, layer in zip(building.sheets, building.layers, strict=True):
        tall = RAILING if layer.link >= 0 and not layer.is_level else height
        walls.append(_on_layer(_raised(sheet.walls.segments, tall), layer))
        area = _on_layer(_roofs(shapely.get_parts(sheet.polygon), 0.0), layer)
        (links if layer.link >= 0 else floors).append(area)
    found = {"walls": walls, "ground": floors, "links": links}
    return {name: _merged(surfaces) for name, surfaces in found.items() if surfaces}


def _on_layer(surface: Surface, layer: Layer) -> Surface:
    """Return a surface on the height of a floor or link; horizontal faces become sloped."""
    corners = surface.corners.copy()
    corners[:, 2] += layer.heights(np.ascontiguousarray(corners[:, :2]))
    normals = surface.normals
    if not layer.is_level and len(corners):
        one, two, three = corners[surface.triangles].transpose(1, 0, 2)
        sloped = np.cross(two - one, three - one)
        sloped /= np.maximum(np.linalg.norm(sloped, axis=1, keepdims=True), 1e-12)
        flat = np.abs(normals[surface.triangles[:, 0], 2]) > 0.5
        normals = normals.copy()
        normals[surface.triangles[flat].ravel()] = np.repeat(sloped[flat], 3, axis=0)
    return Surface(corners, normals, surface.triangles)


def _merged(surfaces: list[Surface]) -> Surface:
    first = np.cumsum([0, *(len(surface.corners) for surface in surfaces)])
    return Surface(
        np.concatenate([surface.corners for surface in surfaces]),
        np.concatenate([surface.normals for surface in surfaces]),
        np.concatenate([s.triangles + at for s, at in zip(surfaces, first, strict=False)]),
    )


def _raised(segments: Floats, height: float) -> Surface:
    """Return a rectangle on each segment, with its front on the left."""
    count = len(segments)
    first, last = segments[:, :2], segments[:, 2:]
    corners = np.zeros((count, 4, 3))
    corners[:, :, :2] = np.stack([last, first, first, last], axis=1)
    corners[:, 2:, 2] = height
    along = last - first
    left = np.column_stack([-along[:, 1], along[:, 0], np.zeros(count)])
    left /= np.linalg.norm(left, axis=1, keepdims=True)
    fan = np.array([(0, 1, 2), (0, 2, 3)])
    triangles = (4 * np.arange(count)[:, None, None] + fan).reshape(-1, 3)
    return Surface(corners.reshape(-1, 3), np.repeat(left, 4, axis=0), triangles)


def _roofs(solids: Shapes, height: float) -> Surface:
    """Return flat roofs over polygons."""
    solids = solids[shapely.get_type_id(solids) == shapely.GeometryType.POLYGON]
    cut = shapely.get_parts(shapely.constrained_delaunay_triangles(solids))
    rings = shapely.get_exterior_ring(shapely.orient_polygons(cut))
    corners = shapely.get_coordinates(rings).reshape(-1, 4, 2)[:, :3].reshape(-1, 2)
    count = len(corners)
    return Surface(
        np.column_stack([corners, np.full(count, height)]),
        np.tile([0.0, 0.0, 1.0], (count, 1)),
        np.arange(count).reshape(-1, 3),
    )


def sampled_pieces(roadmap: Roadmap, step: float) -> tuple[Floats, Floats]:
    """Return pieces (n, 2, d) m of all local paths, up to a step long, and their clearance (n,)."""
    points, clearance, edge = roadmap.samples(step)
    here = np.flatnonzero(edge[:-1] == edge[1:])
    ends = np.stack([points[here], points[here + 1]], axis=1)
    return ends, 0.5 * (clearance[here] + clearance[here + 1])


def blended_pieces(roadmap: Roadmap, step: float) -> tuple[Floats, Floats]:
    """Return pieces (n, 2, 2) m of all lines and arcs, and the clearance (n,) m of each.

    Pieces are at most a step long. Of an edge, only the part that paths on the roadmap use is
    included: between the nearest arcs at its ends, or up to a vertex where it ends.
    """
    found = blends(roadmap)
    pieces = np.concatenate([_lines(roadmap, found, step), _arcs(roadmap, found, step)])
    return pieces, roadmap.space.clearance(pieces.mean(axis=1))[0]


def _lines(roadmap: Roadmap, found: Blends, step: float) -> Floats:
    """Return pieces (n, 2, 2) of the straight parts."""
    ends = roadmap.nodes[roadmap.edges]
    cut = np.full((roadmap.n_edges, 2), np.inf)  # distance from each end to the nearest arc, m
    for edge in found.edges.T:
        side = (roadmap.edges[edge, 1] == found.vertex).astype(np.int64)
        np.minimum.at(cut, (edge, side), found.tangent)
    share = np.where(np.isfinite(cut), cut, 0.0) / np.maximum(roadmap.lengths, 1e-9)[:, None]
    along = ends[:, 1] - ends[:, 0]
    first, last = ends[:, 0] + share[:, :1] * along, ends[:, 1] - share[:, 1:] * along
    left = np.hypot(*(last - first).T)
    is_there = left > 1e-9
    count = np.ceil(left[is_there] / step).astype(np.int64)
    row, low, high = _shares(count)
    first, along = first[is_there][row], (last - first)[is_there][row]
    return np.stack([first + low * along, first + high * along], axis=1)


def _arcs(roadmap: Roadmap, found: Blends, step: float) -> Floats:
    """Return pieces (n, 2, 2) of the arcs."""
    is_arc = np.isfinite(found.radius) & (found.tangent > 0.0)
    vertex, edge = found.vertex[is_arc], found.edges[is_arc, 0]
    centre, radius, sweep = found.centre[is_arc], found.radius[is_arc], found.sweep[is_arc]
    away = roadmap.nodes[roadmap.edges[edge]].sum(axis=1) - 2.0 * roadmap.nodes[vertex]
    unit = away / np.hypot(*away.T)[:, None]
    start = roadmap.nodes[vertex] + found.tangent[is_arc, None] * unit - centre
    angle = np.arctan2(start[:, 1], start[:, 0])
    bend = np.abs(sweep)
    count = np.ceil(np.maximum(radius * bend / step, bend / 0.2)).astype(np.int64)
    row, low, high = _shares(np.maximum(count, 1))
    turns = angle[row, None] + np.hstack([low, high]) * sweep[row, None]
    unit = np.stack([np.cos(turns), np.sin(turns)], axis=-1)
    arcs: Floats = centre[row, None] + radius[row, None, None] * unit
    return arcs


def _shares(count: Ints) -> tuple[Ints, Floats, Floats]:
    """Divide each row into `count` equal parts: row, begin and end (0 to 1) of each part."""
    row = np.repeat(np.arange(len(count)), count)
    part = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    share = (part / count[row])[:, None]
    return row, share, share + 1.0 / count[row][:, None]
