"""Passages: the exact medial axis where the disc fits, without what runs into corners.

A roadmap with a chain of edges along every passage has a path through every corridor between the
obstacles (voronoi-roadmaps-2004, section 2.3), which samples alone only make likely.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.portable_math import hypot
from footway._numba.segments import closest_points, dot, foot_parameter
from footway.constants import ON_WALL
from footway.roadmap.draft import SLACK
from footway.roadmap.kernels.prm import peel
from footway.roadmap.roadmap import clearance_along

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.medial import MedialAxis
    from footway.roadmap.space import Space

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

STEP = 0.25
"""Distance between points of the axis as a share of the room there."""

STEEP = 1 / 3
"""Room that is won per metre on the way out of a corner: of 39 degrees, or wider."""

NEARLY = 0.9
"""Share of the room of a passage that a straight edge along it keeps where the wish is more."""

OFF_AXIS = 0.4
"""Share of the room of a point of the axis that a straight edge may be away from it: so between
the axis and the edge there is no obstacle."""

TINY = 0.02
"""m. Where the disc does not fit through, near corners, the axis is cut as for a disc of this
radius at least."""

SHORTEST = 1e-5
"""m. Parts of the axis are no shorter: the walls lie on a grid that is much coarser."""


class AxisPoints(NamedTuple):
    """Points of the medial axis, close together."""

    points: Floats  # (p, 2) m
    room: Floats  # (p,) m, distance to the nearest wall
    links: Ints  # (l, 2) neighbours on the axis


class Passages(NamedTuple):
    """Straight edges along passages. A vertex without edges is all there is of its component."""

    vertices: Floats  # (n, 2) m
    edges: Ints  # (m, 2)


def passages(axis: MedialAxis, walls: Space, *, radius: float, wish: float) -> Passages:
    """Return chains of straight edges along all passages of a disc.

    Edges keep `wish` from the walls, m, or nearly what the passage has where that is less, and
    never less than `radius`. `walls` is a space of radius 0.
    """
    wide = where_it_fits(axis_points(axis, radius=radius, wish=wish), radius)
    edges = straightened(without_dead_ends(wide), walls, radius=radius, wish=wish)
    lone = _widest_of_the_rest(wide, edges, radius)
    used, ends = np.unique(np.concatenate([edges.ravel(), lone]), return_inverse=True)
    return Passages(wide.points[used], ends[: edges.size].reshape(-1, 2))


def axis_points(axis: MedialAxis, *, radius: float, wish: float) -> AxisPoints:
    """Return points of the whole axis, as far apart as a quarter of the room there or less."""
    piece = np.flatnonzero(axis.piece_left >= 0)
    count = _parts(axis, piece, radius, wish)
    owner = np.repeat(piece, count - 1)
    first = np.cumsum(count - 1) - (count - 1)
    share = (np.arange(len(owner)) - np.repeat(first, count - 1) + 1) / np.repeat(count, count - 1)
    between = _on_pieces(axis, owner, share)
    node = _nodes_of_events(axis)
    n = int(node.max(initial=-1)) + 1
    points = np.empty((n + len(between), 2))
    points[node], points[n:] = axis.events, between
    room = np.empty(len(points))
    room[node], room[n:] = axis.clearance, _room(axis, owner, between)
    return AxisPoints(points, room, _links(piece, count, n + first, node))


def _parts(axis: MedialAxis, piece: Ints, radius: float, wish: float) -> Ints:
    """Into how many parts each piece is cut: fine enough for chords to keep their room."""
    room = np.minimum(axis.clearance[piece], axis.clearance[piece + 1])
    room = np.where(room < max(radius, ON_WALL), max(radius, TINY), room)
    spare = room - np.maximum(radius, np.minimum(wish, NEARLY * room))
    step = np.minimum(STEP * room, np.sqrt(4.0 * room * spare))
    curved = axis.is_point[axis.piece_left[piece]] != axis.is_point[axis.piece_right[piece]]
    step = np.where(curved, np.maximum(step, max(1e-2 * radius, SHORTEST)), STEP * room)
    return np.maximum(1, np.ceil(axis.piece_length[piece] / step)).astype(np.int64)


def _on_pieces(axis: MedialAxis, piece: Ints, share: Floats) -> Floats:
    """Points (n, 2) at shares of pieces: of the line, or of the parabola's directrix."""
    start, end = axis.events[piece], axis.events[piece + 1]
    points = start + share[:, None] * (end - start)
    left, right = axis.piece_left[piece], axis.piece_right[piece]
    curved = np.flatnonzero(axis.is_point[left] != axis.is_point[right])
    left, right, share = left[curved], right[curved], share[curved, None]
    swap = axis.is_point[left]
    focus = axis.sites[np.where(swap, left, right), :2]
    wall = axis.sites[np.where(swap, right, left)]
    along = wall[:, 2:] - wall[:, :2]
    along /= hypot(*along.T)[:, None]
    first = foot_parameter(start[curved], wall)[:, None]
    last = foot_parameter(end[curved], wall)[:, None]
    foot = wall[:, :2] + along * (first + share * (last - first))
    normal = np.column_stack([-along[:, 1], along[:, 0]])
    across = focus - foot
    height = dot(across, across) / (2.0 * dot(across, normal))
    points[curved] = foot + normal * height[:, None]
    return points


def _room(axis: MedialAxis, piece: Ints, points: Floats) -> Floats:
    """Distance of points of pieces to the nearer of their two sites, (n,) m."""
    away = [
        hypot(*(points - closest_points(points, axis.sites[side[piece]])).T)
        for side in (axis.piece_left, axis.piece_right)
    ]
    room: Floats = np.minimum(*away)
    return room


def _nodes_of_events(axis: MedialAxis) -> Ints:
    """Number of the point at each event: the ends of edges are vertices, which edges share."""
    node = np.full(len(axis.events), -1)
    node[axis.offsets[:-1]], node[axis.offsets[1:] - 1] = axis.edges.T
    inner = np.flatnonzero(node < 0)
    node[inner] = len(axis.vertices) + np.arange(len(inner))
    return node


def _links(piece: Ints, count: Ints, first: Ints, node: Ints) -> Ints:
    """Neighbours (l, 2): `count` links along each piece, whose inner points begin at `first`."""
    owner = np.repeat(np.arange(len(piece)), count)
    place = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    start = np.where(place == 0, node[piece[owner]], first[owner] + place - 1)
    end = np.where(place == count[owner] - 1, node[piece[owner] + 1], first[owner] + place)
    return np.column_stack([start, end])


def where_it_fits(axis: AxisPoints, radius: float) -> AxisPoints:
    """Return the axis without points that have less room than the radius."""
    fits = axis.room >= radius - SLACK
    return axis._replace(links=axis.links[fits[axis.links].all(axis=1)])


def without_dead_ends(axis: AxisPoints) -> AxisPoints:
    """Return the axis without what runs into corners, and without stubs.

    A stub is a dead end that lies in the disc of free space around the place where it begins.
    Dead-end rooms and corridors stay, and of each component something.
    """
    from footway.medial.kernels.chains import chain_pieces  # the package is slow to import

    links = axis.links[peel(axis.links, axis.points, axis.room, STEEP)]
    while True:
        order, forward, offsets = chain_pieces(links, len(axis.points))
        tail, head = _ends_of_chains(links, order, forward, offsets)
        stub = _stubs(axis, tail, head, np.bincount(links.ravel(), minlength=len(axis.points)))
        if not stub.any():
            return axis._replace(links=links)
        links = links[np.sort(order[~np.repeat(stub, np.diff(offsets))])]


def _ends_of_chains(links: Ints, order: Ints, forward: Bools, offsets: Ints) -> tuple[Ints, Ints]:
    """First and last point of each chain of links."""
    first, last = offsets[:-1], offsets[1:] - 1
    tail = np.where(forward[first], links[order[first], 0], links[order[first], 1])
    head = np.where(forward[last], links[order[last], 1], links[order[last], 0])
    return tail, head


def _stubs(axis: AxisPoints, tail: Ints, head: Ints, degree: Ints) -> Bools:
    """Which chains end in nothing within the disc around where they begin."""
    apart = hypot(*(axis.points[tail] - axis.points[head]).T)
    tail_ends = (degree[tail] == 1) & (apart < axis.room[head])
    head_ends = (degree[head] == 1) & (apart < axis.room[tail])
    found: Bools = tail_ends | head_ends
    return found


def straightened(axis: AxisPoints, walls: Space, *, radius: float, wish: float) -> Ints:
    """Return few straight edges (m, 2) between points, in place of the many links of the axis.

    A chain of links becomes one edge if that keeps its room and has no obstacle between itself and
    the axis; else it is split where it is farthest from the axis, and so on.
    """
    walk, chords = _walks(axis)
    done: list[Ints] = []
    while len(chords):
        good, split = _judged(axis, walk, chords, walls, radius, wish)
        done.append(walk[chords[good]])
        first, last = chords[~good].T
        middle = split[~good]
        short = last - first == 1  # cannot be split: the disc barely fits, or not at all
        first, middle, last = (part[~short] for part in (first, middle, last))
        chords = np.column_stack([first, middle, middle, last]).reshape(-1, 2)
    edges = np.concatenate([np.empty((0, 2), np.int64), *done])
    return np.unique(np.sort(edges, axis=1), axis=0)


def _walks(axis: AxisPoints) -> tuple[Ints, Ints]:
    """Points along all chains, one chain after the other, and where each begins and ends."""
    from footway.medial.kernels.chains import chain_pieces  # the package is slow to import

    order, forward, offsets = chain_pieces(axis.links, len(axis.points))
    ends = np.where(forward[:, None], axis.links[order], axis.links[order][:, ::-1])
    walk = np.insert(ends[:, 0], offsets[1:], ends[offsets[1:] - 1, 1])
    chains = np.arange(len(offsets) - 1)
    return walk, np.column_stack([offsets[:-1] + chains, offsets[1:] + chains])


def _judged(
    axis: AxisPoints, walk: Ints, chords: Ints, walls: Space, radius: float, wish: float
) -> tuple[Bools, Ints]:
    """Whether each chord (first, last) of the walk will do as an edge, and where to split it."""
    first, last = chords.T
    count = last - first + 1
    begin = np.cumsum(count) - count
    place = np.repeat(first - begin, count) + np.arange(count.sum())
    at, room = axis.points[walk[place]], axis.room[walk[place]]
    start, end = axis.points[walk[first]], axis.points[walk[last]]
    lines = np.repeat(np.hstack([start, end]), count, axis=0)
    away = hypot(*(at - closest_points(at, lines)).T)
    least = np.minimum(wish, NEARLY * np.minimum.reduceat(room, begin))
    least = np.maximum(radius, least) - SLACK
    good = clearance_along(start, end, walls) >= least
    good &= np.maximum.reduceat(away - OFF_AXIS * room, begin) <= 0.0
    return good, _farthest(away, begin, count, place)


def _farthest(away: Floats, begin: Ints, count: Ints, place: Ints) -> Ints:
    """Place in the walk at which each chord is farthest from it; the middle of a straight one."""
    chord = np.repeat(np.arange(len(begin)), count)
    middle = np.abs(np.arange(len(away)) - (begin + 0.5 * (count - 1))[chord])
    order = np.lexsort((middle, -np.round(away, 9), chord))
    found = order[begin]
    inner = np.clip(found - begin, 1, np.maximum(1, count - 2))
    split: Ints = place[begin + inner]
    return split


def _widest_of_the_rest(axis: AxisPoints, edges: Ints, radius: float) -> Ints:
    """Widest point (k,) of each component of the axis that no edge is in."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(axis.points)
    a, b = axis.links.T
    _, part = connected_components(coo_array((np.ones(len(a)), (a, b)), (n, n)), directed=False)
    fits = np.flatnonzero(axis.room >= radius - SLACK)
    widest = fits[np.lexsort((fits, -axis.room[fits], part[fits]))]
    _, first = np.unique(part[widest], return_index=True)
    widest = widest[first]
    rest: Ints = widest[~np.isin(part[widest], part[edges.ravel()])]
    return rest
