"""Extract the medial axis of the free space from the Voronoi diagram of the walls."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.portable_math import hypot
from footway._numba.segments import closest_points, cross, dot, foot_parameter, parabola_length
from footway.constants import GRID, ON_WALL, TOUCH
from footway.errors import BadGeometry
from footway.medial.kernels.graph import chain_pieces, components
from footway.medial.voronoi import Diagram, diagram

if TYPE_CHECKING:
    from footway.arrays import Bools, Floats, Ints
    from footway.environment import Walls


class MedialAxis(NamedTuple):
    """The medial axis as a graph; every array in metres or indices, -1 for none.

    Edge e runs through the event points offsets[e] to offsets[e + 1] - 1, from vertex edges[e, 0]
    to edges[e, 1]. The piece from event i to event i + 1 of the same edge is equidistant to the
    sites piece_left[i] and piece_right[i]: a line between two sites of one kind, a parabola
    between a point and a segment. The clearance along a piece is monotone.
    """

    vertices: Floats  # (nv, 2)
    edges: Ints  # (ne, 2)
    offsets: Ints  # (ne + 1,)
    events: Floats  # (m, 2)
    clearance: Floats  # (m,)
    left: Floats  # (m, 2) nearest obstacle point on the left of the edge
    right: Floats  # (m, 2)
    piece_left: Ints  # (m,) site; -1 at the last event of an edge
    piece_right: Ints  # (m,)
    piece_length: Floats  # (m,) arc length of the piece that begins here; 0 at the last event
    sites: Floats  # (ns, 4)
    is_point: Bools  # (ns,) a corner that sticks into free space, or a point obstacle
    two_sided: Bools  # (ns,)


class _Pieces(NamedTuple):
    """Pieces of the axis before they are chained into edges."""

    vertices: Floats  # (nv, 2)
    ends: Ints  # (np, 2)
    sites: Ints  # (np, 2) left, right


def medial_axis(walls: Walls, *, grid: float = GRID) -> MedialAxis:
    """Medial axis of the free space between `walls`, which lie on a grid of `grid` metres.

    Raises:
        BadGeometry: when there is no free space with an interior.
    """
    voronoi = diagram(walls, grid=grid)
    pieces = _contract(_inside_free_space(voronoi))
    pieces = _split_at_narrowest(_detach_from_walls(pieces, voronoi), voronoi)
    if not len(pieces.ends):
        raise BadGeometry("the walkable area has no interior: is it a line, or in other units?")
    return _chain_into_edges(pieces, voronoi)


def _inside_free_space(voronoi: Diagram) -> _Pieces:
    """Keep the Voronoi edges on the free side of the walls.

    Edges that meet away from the walls lie on the same side, so the walls of a connected component
    decide by vote whether all of it is free.
    """
    start, end, left, right = voronoi.edges.T
    on_wall = _vertex_clearance(voronoi) < ON_WALL
    tag = np.arange(len(start)) + len(voronoi.vertices)
    links = np.column_stack([np.concatenate([start, end]), np.concatenate([tag, tag])])
    count, label = components(links[~on_wall[links[:, 0]]], len(voronoi.vertices) + len(start))
    middle = 0.5 * (voronoi.vertices[start] + voronoi.vertices[end])
    vote = _side(voronoi, left, middle) + _side(voronoi, right, middle)
    # A component with only single-line walls has no one-sided wall to vote: it is free.
    inside = np.bincount(label[tag], weights=vote, minlength=count) >= 0
    keep = inside[label[tag]]
    return _Pieces(voronoi.vertices, voronoi.edges[keep, :2], voronoi.edges[keep, 2:])


def _vertex_clearance(voronoi: Diagram) -> Floats:
    start, end, left, _ = voronoi.edges.T
    clearance = np.zeros(len(voronoi.vertices))
    for vertex in (start, end):
        position = voronoi.vertices[vertex]
        contact = closest_points(position, voronoi.sites[left])
        clearance[vertex] = hypot(*(position - contact).T)
    return clearance


def _side(voronoi: Diagram, site: Ints, points: Floats) -> Floats:
    """Return +1 for points on the free side of a one-sided wall, -1 behind it, 0 elsewhere."""
    wall = voronoi.sites[site]
    turn = cross(wall[:, 2:] - wall[:, :2], points - wall[:, :2])
    return np.where(voronoi.two_sided[site], 0.0, np.sign(turn))


def _contract(pieces: _Pieces) -> _Pieces:
    """Merge nearly coincident vertices; regular grids of obstacles have many of them.

    Moving a vertex changes its clearance by up to twice the distance moved; a quarter of TOUCH
    keeps every clearance exact to TOUCH.
    """
    start, end = pieces.ends.T
    step = pieces.vertices[end] - pieces.vertices[start]
    tiny = hypot(*step.T) < 0.25 * TOUCH
    size = len(pieces.vertices)
    _, label = components(np.ascontiguousarray(pieces.ends[tiny]), size)
    used, ends = np.unique(label[pieces.ends[~tiny]], return_inverse=True)
    first = np.full(label.max(initial=-1) + 1, -1)
    first[label[::-1]] = np.arange(size)[::-1]
    ends = ends.reshape(-1, 2)
    real = ends[:, 0] != ends[:, 1]
    return _Pieces(pieces.vertices[first[used]], ends[real], pieces.sites[~tiny][real])


def _detach_from_walls(pieces: _Pieces, voronoi: Diagram) -> _Pieces:
    """Give every dead end that runs into a wall corner its own vertex.

    Dead ends on both sides of a wall, or between walls that touch, end in the same point of the
    wall, but they are not connected.
    """
    position = pieces.vertices[pieces.ends].reshape(-1, 2)
    contact = closest_points(position, voronoi.sites[np.repeat(pieces.sites[:, 0], 2)])
    on_wall = hypot(*(position - contact).T) < ON_WALL
    ends = pieces.ends.ravel().copy()
    ends[on_wall] = len(pieces.vertices) + np.arange(on_wall.sum())
    return _Pieces(
        np.vstack([pieces.vertices, position[on_wall]]), ends.reshape(-1, 2), pieces.sites
    )


def _split_at_narrowest(pieces: _Pieces, voronoi: Diagram) -> _Pieces:
    """Split pieces at an interior minimum of clearance, so that it is monotone on each piece."""
    narrowest, found = _narrowest_points(pieces, voronoi)
    extra = len(pieces.vertices) + np.arange(found.sum())
    first, second = pieces.ends.copy(), pieces.ends[found].copy()
    first[found, 1] = extra
    second[:, 0] = extra
    return _Pieces(
        np.vstack([pieces.vertices, narrowest[found]]),
        np.vstack([first, second]),
        np.vstack([pieces.sites, pieces.sites[found]]),
    )


def _narrowest_points(pieces: _Pieces, voronoi: Diagram) -> tuple[Floats, Bools]:
    """Midpoint of the two sites' closest points (n, 2) m, and whether it is inside the piece."""
    left, right = pieces.sites.T
    swap = voronoi.is_point[right] & ~voronoi.is_point[left]
    point, other = np.where(swap, right, left), np.where(swap, left, right)
    focus = voronoi.sites[point, :2]
    wall = voronoi.sites[other]
    along = wall[:, 2:] - wall[:, :2]
    squared = dot(along, along)
    t = dot(focus - wall[:, :2], along) / np.where(squared > 0, squared, 1.0)
    narrowest = 0.5 * (focus + wall[:, :2] + t[:, None] * along)
    start, end = (pieces.vertices[v] for v in pieces.ends.T)
    across = focus - narrowest  # from the narrowest point straight to the contact
    direction = np.column_stack([-across[:, 1], across[:, 0]])
    direction /= np.maximum(hypot(*direction.T), TOUCH)[:, None]
    before, after = dot(start - narrowest, direction), dot(end - narrowest, direction)
    inside = (np.minimum(before, after) < -TOUCH) & (np.maximum(before, after) > TOUCH)
    return narrowest, inside & voronoi.is_point[point]


def _chain_into_edges(pieces: _Pieces, voronoi: Diagram) -> MedialAxis:
    """Join pieces into edges between vertices whose degree is not two."""
    order, forward, piece_offsets = chain_pieces(pieces.ends, len(pieces.vertices))
    ends = np.where(forward[:, None], pieces.ends[order], pieces.ends[order][:, ::-1])
    sites = np.where(forward[:, None], pieces.sites[order], pieces.sites[order][:, ::-1])
    count = len(piece_offsets) - 1
    last = piece_offsets[1:] - 1
    offsets = piece_offsets + np.arange(count + 1)
    node = np.insert(ends[:, 0], piece_offsets[1:], ends[last, 1])
    piece_left, piece_right = (np.insert(s, piece_offsets[1:], -1) for s in sites.T)
    at_left, at_right = (np.insert(s, piece_offsets[1:], s[last]) for s in sites.T)
    terminal = np.column_stack([node[offsets[:-1]], node[offsets[1:] - 1]])
    used, edges = np.unique(terminal, return_inverse=True)
    events = pieces.vertices[node]
    left = closest_points(events, voronoi.sites[at_left])
    right = closest_points(events, voronoi.sites[at_right])
    clearance = np.minimum(hypot(*(events - left).T), hypot(*(events - right).T))
    length = np.zeros(len(events))
    length[piece_left >= 0] = _piece_lengths(pieces.vertices[ends], sites, voronoi)
    return MedialAxis(
        vertices=pieces.vertices[used],
        edges=edges.reshape(-1, 2),
        offsets=offsets,
        events=events,
        clearance=clearance,
        left=left,
        right=right,
        piece_left=piece_left,
        piece_right=piece_right,
        piece_length=length,
        sites=voronoi.sites,
        is_point=voronoi.is_point,
        two_sided=voronoi.two_sided,
    )


def _piece_lengths(ends: Floats, sites: Ints, voronoi: Diagram) -> Floats:
    """Arc lengths of pieces. ends (n, 2, 2), sites (n, 2)."""
    length = hypot(*(ends[:, 1] - ends[:, 0]).T)
    kind = voronoi.is_point[sites]
    curved = kind[:, 0] != kind[:, 1]
    point = np.where(kind[:, 0], sites[:, 0], sites[:, 1])[curved]
    wall = voronoi.sites[np.where(kind[:, 0], sites[:, 1], sites[:, 0])[curved]]
    focus = voronoi.sites[point, :2]
    middle = foot_parameter(focus, wall)
    along = wall[:, 2:] - wall[:, :2]
    height = np.abs(cross(along, focus - wall[:, :2])) / hypot(*along.T)
    start, end = (foot_parameter(ends[curved, k], wall) - middle for k in (0, 1))
    length[curved] = parabola_length(height, start, end)
    result: Floats = length
    return result
