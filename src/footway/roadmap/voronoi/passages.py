"""Passages: the exact medial axis where the disc fits, without branches into corners.

A roadmap with a chain of edges along every passage has a path through every corridor between the
obstacles (voronoi-roadmaps-2004, section 2.3); sampling alone only makes that likely.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway._numba.portable_math import hypot
from footway._numba.segments import closest_points, dot, foot_parameter
from footway.constants import ON_WALL
from footway.medial.kernels.graph import chain_pieces
from footway.roadmap.kernels.prm import peel
from footway.roadmap.roadmap import clearance_along, components
from footway.roadmap.voronoi.draft import SLACK

if TYPE_CHECKING:
    from footway.arrays import Bools, Floats, Ints
    from footway.medial import MedialAxis
    from footway.roadmap.lattice.space import Space


STEP = 0.25  # distance between points of the axis as a share of the clearance there
STEEP = 1 / 3  # growth of clearance per metre out of a corner with an angle of 39 degrees or more

NEARLY = 0.9
"""Share of a passage's clearance that an edge along it keeps if less than desired is there."""

OFF_AXIS = 0.4
"""Largest distance of an edge from a point of the axis, as a share of the clearance there, so that
no obstacle lies between them."""

TINY = 0.02
"""m. Where the disc does not fit, near corners, the axis is sampled as for a disc of at least this
radius."""

SHORTEST = 1e-5
"""m. Least length of parts of the axis; the grid of the wall coordinates is much coarser."""


class AxisPoints(NamedTuple):
    """Densely sampled medial axis."""

    points: Floats  # (p, 2) m
    clearance: Floats  # (p,) m, distance to the nearest wall
    links: Ints  # (l, 2) neighbours on the axis


class Passages(NamedTuple):
    """Straight edges along passages. A vertex without edges is its whole component."""

    vertices: Floats  # (n, 2) m
    edges: Ints  # (m, 2)


def passages(axis: MedialAxis, walls: Space, *, radius: float, desired: float) -> Passages:
    """Return chains of straight edges along all passages of a disc.

    Edges keep the `desired` clearance (m), or nearly that of the passage if it is less, and never
    less than `radius`. `walls` is a space of radius 0.
    """
    sampled = axis_points(axis, radius=radius, desired=desired)
    fits = sampled.clearance >= radius - SLACK
    wide = sampled._replace(links=sampled.links[fits[sampled.links].all(axis=1)])
    edges = straightened(without_dead_ends(wide), walls, radius=radius, desired=desired)
    isolated = _widest_of_other_components(wide, edges, radius)
    used, ends = np.unique(np.concatenate([edges.ravel(), isolated]), return_inverse=True)
    return Passages(wide.points[used], ends[: edges.size].reshape(-1, 2))


def axis_points(axis: MedialAxis, *, radius: float, desired: float) -> AxisPoints:
    """Return samples of the whole axis, at most a quarter of the clearance there apart."""
    piece = np.flatnonzero(axis.piece_left >= 0)
    count = _parts(axis, piece, radius, desired)
    row, share = inner_points(count)
    owner = piece[row]
    between = _on_pieces(axis, owner, share)
    left, right = axis.sites[axis.piece_left[owner]], axis.sites[axis.piece_right[owner]]
    nearer = np.minimum(
        hypot(*(between - closest_points(between, left)).T),
        hypot(*(between - closest_points(between, right)).T),
    )
    # Events: edges share the vertices at their ends.
    node = np.full(len(axis.events), -1)
    node[axis.offsets[:-1]], node[axis.offsets[1:] - 1] = axis.edges.T
    inner = np.flatnonzero(node < 0)
    node[inner] = len(axis.vertices) + np.arange(len(inner))
    n = int(node.max(initial=-1)) + 1
    points, clearance = np.empty((n + len(between), 2)), np.empty(n + len(between))
    points[node], points[n:] = axis.events, between
    clearance[node], clearance[n:] = axis.clearance, nearer
    links = chain_links(np.column_stack([node[piece], node[piece + 1]]), count, n)
    return AxisPoints(points, clearance, links)


def inner_points(count: Ints) -> tuple[Ints, Floats]:
    """Return row and share of the points that cut each row into `count` (n,) equal parts."""
    row = np.repeat(np.arange(len(count)), count - 1)
    first = np.cumsum(count - 1) - (count - 1)
    return row, (np.arange(len(row)) - first[row] + 1) / count[row]


def chain_links(ends: Ints, count: Ints, first: int) -> Ints:
    """Return the links (l, 2) between the ends (n, 2) of rows and the `inner_points` between them.

    The inner points are numbered from `first` on.
    """
    row = np.repeat(np.arange(len(count)), count)
    place = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    inside = first + np.arange(len(row)) - row
    start = np.where(place == 0, ends[row, 0], inside - 1)
    return np.column_stack([start, np.where(place == count[row] - 1, ends[row, 1], inside)])


def _parts(axis: MedialAxis, piece: Ints, radius: float, desired: float) -> Ints:
    """Return the number of parts of each piece: enough for chords to keep their clearance."""
    clearance = np.minimum(axis.clearance[piece], axis.clearance[piece + 1])
    clearance = np.where(clearance < max(radius, ON_WALL), max(radius, TINY), clearance)
    spare = clearance - np.maximum(radius, np.minimum(desired, NEARLY * clearance))
    step = np.minimum(STEP * clearance, np.sqrt(4.0 * clearance * spare))
    curved = axis.is_point[axis.piece_left[piece]] != axis.is_point[axis.piece_right[piece]]
    step = np.where(curved, np.maximum(step, max(1e-2 * radius, SHORTEST)), STEP * clearance)
    return np.maximum(1, np.ceil(axis.piece_length[piece] / step)).astype(np.int64)


def _on_pieces(axis: MedialAxis, piece: Ints, share: Floats) -> Floats:
    """Return points (n, 2) at shares of pieces, measured on the line or the directrix."""
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


def without_dead_ends(axis: AxisPoints) -> AxisPoints:
    """Return the axis without branches into corners and without stubs.

    A stub is a dead end that lies in the free disc around its start. Dead-end rooms and corridors
    are kept, and so is some part of each component.
    """
    links = axis.links[peel(axis.links, axis.points, axis.clearance, STEEP)]
    while True:
        order, forward, offsets = chain_pieces(links, len(axis.points))
        first, last = offsets[:-1], offsets[1:] - 1
        tail = np.where(forward[first], links[order[first], 0], links[order[first], 1])
        head = np.where(forward[last], links[order[last], 1], links[order[last], 0])
        degree = np.bincount(links.ravel(), minlength=len(axis.points))
        apart = hypot(*(axis.points[tail] - axis.points[head]).T)
        stub = (degree[tail] == 1) & (apart < axis.clearance[head])
        stub |= (degree[head] == 1) & (apart < axis.clearance[tail])
        if not stub.any():
            return axis._replace(links=links)
        links = links[np.sort(order[~np.repeat(stub, np.diff(offsets))])]


def straightened(axis: AxisPoints, walls: Space, *, radius: float, desired: float) -> Ints:
    """Return a few straight edges (m, 2) between points that replace the links of the axis.

    A chain of links becomes one edge if the edge keeps the clearance and no obstacle lies between
    edge and axis; otherwise it is split where edge and axis are farthest apart, recursively.
    """
    # The points of all chains, one after the other; a chord is the first and last index of a part.
    order, forward, offsets = chain_pieces(axis.links, len(axis.points))
    ends = np.where(forward[:, None], axis.links[order], axis.links[order][:, ::-1])
    chain_points = np.insert(ends[:, 0], offsets[1:], ends[offsets[1:] - 1, 1])
    chains = np.arange(len(offsets) - 1)
    chords = np.column_stack([offsets[:-1] + chains, offsets[1:] + chains])
    done: list[Ints] = []
    while len(chords):
        good, split = _check_chords(axis, chain_points, chords, walls, radius, desired)
        done.append(chain_points[chords[good]])
        first, last = chords[~good].T
        middle = split[~good]
        short = last - first == 1  # cannot be split: the disc barely fits, or not at all
        first, middle, last = (part[~short] for part in (first, middle, last))
        chords = np.column_stack([first, middle, middle, last]).reshape(-1, 2)
    edges = np.concatenate([np.empty((0, 2), np.int64), *done])
    return np.unique(np.sort(edges, axis=1), axis=0)


def _check_chords(
    axis: AxisPoints, chain_points: Ints, chords: Ints, walls: Space, radius: float, desired: float
) -> tuple[Bools, Ints]:
    """Return whether each chord (first, last) can be an edge, and where to split it."""
    first, last = chords.T
    count = last - first + 1
    begin = np.cumsum(count) - count
    place = np.repeat(first - begin, count) + np.arange(count.sum())
    at, clearance = axis.points[chain_points[place]], axis.clearance[chain_points[place]]
    start, end = axis.points[chain_points[first]], axis.points[chain_points[last]]
    lines = np.repeat(np.hstack([start, end]), count, axis=0)
    away = hypot(*(at - closest_points(at, lines)).T)
    least = np.minimum(desired, NEARLY * np.minimum.reduceat(clearance, begin))
    least = np.maximum(radius, least) - SLACK
    good = clearance_along(start, end, walls) >= least
    good &= np.maximum.reduceat(away - OFF_AXIS * clearance, begin) <= 0.0
    # Split where a chord is farthest from the axis; in the middle if it is straight.
    chord = np.repeat(np.arange(len(begin)), count)
    middle = np.abs(np.arange(len(away)) - (begin + 0.5 * (count - 1))[chord])
    order = np.lexsort((middle, -np.round(away, 9), chord))
    inner = np.clip(order[begin] - begin, 1, np.maximum(1, count - 2))
    return good, place[begin + inner]


def _widest_of_other_components(axis: AxisPoints, edges: Ints, radius: float) -> Ints:
    """Return the point of most clearance of each axis component without edges, (k,)."""
    part = components(axis.links, len(axis.points))
    fits = np.flatnonzero(axis.clearance >= radius - SLACK)
    widest = fits[np.lexsort((fits, -axis.clearance[fits], part[fits]))]
    _, first = np.unique(part[widest], return_index=True)
    widest = widest[first]
    return widest[~np.isin(part[widest], part[edges.ravel()])]
