"""Kernels of the Voronoi-PRM: retraction, useful edges, dead ends, overlaps, junctions.

Spaces passed to these kernels have radius 0, so that their clearance is the distance to the nearest
wall.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway._numba.math import atan2, hypot
from footway.roadmap.kernels.clearance import least_among_walls
from footway.roadmap.kernels.graph import add_edge, is_far
from footway.roadmap.kernels.space import FREE, clearance_at, hit_among, to_segment

MOST_STEPS = 64
"""Most doublings of the distance to the wall point: from a millimetre across any map."""

LEAST_STRIDE = 0.5
"""Least distance, in radii, between points of a line that are tested before it is measured."""


@kernel
def retract_points(points, epsilon, walls, out):
    """Move points (n, 2) m straight away from their nearest wall point to the Voronoi diagram.

    Writes x, y and the clearance there into out (n, 3). voronoi-roadmaps-2004, section 2.1: step
    away from the wall point until it is no longer the nearest, then bisect to `epsilon`. `walls`
    is a space of radius 0.
    """
    for row in range(len(points)):
        x, y, clearance = _retracted(points[row, 0], points[row, 1], epsilon, walls)
        out[row, 0], out[row, 1], out[row, 2] = x, y, clearance


@inner(inline=False)
def _retracted(x, y, epsilon, walls):
    """Return one point retracted to the Voronoi diagram, and its clearance.

    Along the ray, the points whose nearest wall point is its origin come before all others, so the
    distance can be doubled in each step.
    """
    clearance, cx, cy, _ = clearance_at(x, y, 0.0, walls)
    if clearance <= 0.0:
        return x, y, 0.0
    ux, uy = (x - cx) / clearance, (y - cy) / clearance
    near, far = clearance, 2.0 * clearance
    for _ in range(MOST_STEPS):
        if not _is_nearest(cx, cy, ux, uy, far, walls):
            break
        near, far = far, 2.0 * far
    while far - near > epsilon:
        middle = 0.5 * (near + far)
        if not near < middle < far:
            break
        if _is_nearest(cx, cy, ux, uy, middle, walls):
            near = middle
        else:
            far = middle
    x, y = cx + near * ux, cy + near * uy
    return x, y, clearance_at(x, y, 0.0, walls)[0]


@inner
def _is_nearest(cx, cy, ux, uy, away, walls):
    """Return whether wall point c is nearest to the point `away` m from it, or equally near."""
    clearance, _, _, _ = clearance_at(cx + away * ux, cy + away * uy, 0.0, walls)
    return clearance >= away * (1.0 - 1e-12) - 1e-10


@kernel
def inside_walls(points, walls, out):
    """Write whether points (n, 2) are inside the rings of walls (w, 4), by the even-odd rule."""
    for row in range(len(points)):
        x, y = points[row, 0], points[row, 1]
        odd = False
        for w in range(len(walls)):
            y0, y1 = walls[w, 1], walls[w, 3]
            if (y0 > y) != (y1 > y):
                x0, x1 = walls[w, 0], walls[w, 2]
                odd ^= x < x0 + (y - y0) / (y1 - y0) * (x1 - x0)
        out[row] = odd


@kernel
def useful_pairs(
    pairs, lengths, places, known, known_lengths, limits, radius, walls, graph, search
):
    """Return which pairs (p, 2) of places (n, 2) are useful edges when added one by one.

    A pair is added if the line between its places keeps `radius` m from the walls, and along the
    known edges (k, 2) and earlier pairs no path between them is within its limit (p,) m. `graph`
    has no edges at first; `search` is scratch memory.
    """
    is_useful = np.zeros(len(pairs), np.bool_)
    for e in range(len(known)):
        add_edge(known[e, 0], known[e, 1], e, known_lengths[e], graph)
    count = len(known)
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        ax, ay, bx, by = places[a, 0], places[a, 1], places[b, 0], places[b, 1]
        if not keeps_radius(ax, ay, bx, by, radius, walls):
            continue
        if is_far(a, b, limits[p], True, places, graph, search):
            add_edge(a, b, count, lengths[p], graph)
            is_useful[p] = True
            count += 1
    return is_useful


@inner(inline=False)
def keeps_radius(ax, ay, bx, by, radius, walls):
    """Return whether a line keeps the radius, for which the free cells were computed.

    Free cells accept most lines that do; steps of at least `LEAST_STRIDE`, from where the line
    leaves the free cells, refute most lines that do not. The remaining lines are measured.
    """
    x0, y0, side = walls.origin[0], walls.origin[1], walls.resolution
    share = hit_among(
        (ax - x0) / side, (ay - y0) / side, 0.0, (bx - x0) / side, (by - y0) / side, 0.0, walls.jump
    )  # fmt: skip
    if share == FREE:
        return True
    length = hypot(bx - ax, by - ay)
    while share < 1.0:
        clearance, _, _, _ = clearance_at(
            ax + share * (bx - ax), ay + share * (by - ay), 0.0, walls
        )
        if clearance < radius:
            return False
        share += max(clearance - radius, LEAST_STRIDE * radius) / length
    return least_among_walls(ax, ay, bx, by, walls) >= radius


@kernel
def peel(links, points, clearance, steep):
    """Return which links (l, 2) remain after ends that run into corners are removed one by one.

    An end runs into a corner if clearance grows by more than `steep` for each metre away from it.
    """
    n = len(points)
    degree = np.zeros(n, np.int64)
    total = np.zeros(n, np.int64)  # sum of the numbers of a node's links: at an end, its only link
    for e in range(len(links)):
        for k in range(2):
            degree[links[e, k]] += 1
            total[links[e, k]] += e
    left = np.ones(len(links), np.bool_)
    for v in range(n):
        end = v
        while degree[end] == 1:
            e = total[end]
            base = links[e, 0] + links[e, 1] - end
            apart = hypot(points[end, 0] - points[base, 0], points[end, 1] - points[base, 1])
            if clearance[base] - clearance[end] <= steep * apart:
                break
            left[e] = False
            degree[end] = 0
            degree[base] -= 1
            total[base] -= e
            end = base
    return left


@kernel
def close_pairs(points, edges, distance):
    """Return pairs (k, 2) of a vertex and a foreign edge within `distance` (n,) of the vertex."""
    out = np.empty((1024, 2), np.int64)
    count = 0
    for e in range(len(edges)):
        a, b = edges[e, 0], edges[e, 1]
        ax, ay, bx, by = points[a, 0], points[a, 1], points[b, 0], points[b, 1]
        low_x, high_x, low_y, high_y = min(ax, bx), max(ax, bx), min(ay, by), max(ay, by)
        for v in range(len(points)):
            x, y = points[v, 0], points[v, 1]
            if max(low_x - x, x - high_x, low_y - y, y - high_y) > distance[v] or v in (a, b):
                continue
            if to_segment(x, y, ax, ay, bx, by)[0] <= distance[v]:
                if count == len(out):
                    bigger = np.empty((2 * count, 2), np.int64)
                    bigger[:count] = out
                    out = bigger
                out[count, 0], out[count, 1] = v, e
                count += 1
    return out[:count].copy()


@kernel
def crossing_pairs(points, edges, is_new):
    """Return pairs (k, 2) of edges (m, 2) with an inner crossing; the first has `is_new` (m,)."""
    out = np.empty((1024, 2), np.int64)
    count = 0
    for e in range(len(edges)):
        if not is_new[e]:
            continue
        a, b = edges[e, 0], edges[e, 1]
        ax, ay, bx, by = points[a, 0], points[a, 1], points[b, 0], points[b, 1]
        low_x, high_x, low_y, high_y = min(ax, bx), max(ax, bx), min(ay, by), max(ay, by)
        for f in range(len(edges)):
            c, d = edges[f, 0], edges[f, 1]
            if (is_new[f] and f <= e) or c in (a, b) or d in (a, b):
                continue
            cx, cy, dx, dy = points[c, 0], points[c, 1], points[d, 0], points[d, 1]
            if max(low_x - max(cx, dx), min(cx, dx) - high_x) > 0.0:
                continue
            if max(low_y - max(cy, dy), min(cy, dy) - high_y) > 0.0:
                continue
            one = _turn(ax, ay, bx, by, cx, cy) * _turn(ax, ay, bx, by, dx, dy)
            other = _turn(cx, cy, dx, dy, ax, ay) * _turn(cx, cy, dx, dy, bx, by)
            if one < 0.0 and other < 0.0:
                if count == len(out):
                    bigger = np.empty((2 * count, 2), np.int64)
                    bigger[:count] = out
                    out = bigger
                out[count, 0], out[count, 1] = e, f
                count += 1
    return out[:count].copy()


@inner
def _turn(ax, ay, bx, by, x, y):
    """Return a positive value if (x, y) is to the left of the line from a to b."""
    return (bx - ax) * (y - ay) - (by - ay) * (x - ax)


@kernel
def nearest_edges(points, places, edges, out_edge, out_away):
    """Write the edge (m, 2) nearest to each point (k, 2), and its distance; places (n, 2)."""
    for row in range(len(points)):
        x, y = points[row, 0], points[row, 1]
        best, nearest = math.inf, -1
        for e in range(len(edges)):
            a, b = edges[e, 0], edges[e, 1]
            ax, ay, bx, by = places[a, 0], places[a, 1], places[b, 0], places[b, 1]
            if max(min(ax, bx) - x, x - max(ax, bx), min(ay, by) - y, y - max(ay, by)) >= best:
                continue
            away = to_segment(x, y, ax, ay, bx, by)[0]
            if away < best:
                best, nearest = away, e
        out_edge[row], out_away[row] = nearest, best


# -- junctions -----------------------------------------------------------------------------------


ROUNDS = 4  # rounds over all junctions
WIDEST_TURN = 1.05  # rad. Two edges that turn more than this at a junction do not form one road
MOST_STRIDES = 400  # most strides of a single move; more would be needed only for a tiny disc
LEAST_GAIN = 1e-3  # rad2. Least decrease of the bend that justifies a move


@kernel
def straighten(places, offsets, to, floor, radius, stride, farthest, walls):
    """Move junctions onto the line between two of their neighbours if roads then bend less.

    Updates `places` (n, 2) m. Every edge keeps its floor after a move, and `radius` during it, at
    steps of `stride` m (at most `MOST_STRIDES`). A single move is at most `farthest` times the
    clearance of the junction. Returns the number of moves.
    """
    moves = 0
    for _ in range(ROUNDS):
        for v in range(len(places)):
            if offsets[v + 1] - offsets[v] >= 3:
                moves += _straighten_one(
                    v, places, offsets, to, floor, radius, stride, farthest, walls
                )
    return moves


@inner(inline=False)
def _straighten_one(v, places, offsets, to, floor, radius, stride, farthest, walls):
    """Move one junction to the best of its lines; return the number of moves (0 or 1)."""
    x, y = places[v, 0], places[v, 1]
    most = min(farthest * clearance_at(x, y, 0.0, walls)[0], MOST_STRIDES * stride)
    before = _bends_around(v, places, offsets, to)
    best, bx, by = before - LEAST_GAIN, x, y
    for one in range(offsets[v], offsets[v + 1]):
        for other in range(one + 1, offsets[v + 1]):
            p, q = to[one], to[other]
            if _bend(places, p, v, q) > WIDEST_TURN:
                continue
            away, fx, fy = to_segment(x, y, places[p, 0], places[p, 1], places[q, 0], places[q, 1])
            if away > most or away < 1e-9:
                continue
            places[v, 0], places[v, 1] = fx, fy
            after = _bends_around(v, places, offsets, to)
            places[v, 0], places[v, 1] = x, y
            if after < best and _can_move(
                v, fx, fy, places, offsets, to, floor, radius, stride, walls
            ):
                best, bx, by = after, fx, fy
    places[v, 0], places[v, 1] = bx, by
    return int(best < before - LEAST_GAIN)


@inner(inline=False)
def _can_move(v, x, y, places, offsets, to, floor, radius, stride, walls):
    """Return whether the edges of a vertex keep their floor at a new place, `radius` before."""
    x0, y0 = places[v, 0], places[v, 1]
    steps = max(1, math.ceil(hypot(x - x0, y - y0) / stride))
    for step in range(steps, 0, -1):
        share = step / steps
        sx, sy = x0 + share * (x - x0), y0 + share * (y - y0)
        for half in range(offsets[v], offsets[v + 1]):
            b = to[half]
            least = floor[half] if step == steps else radius
            if least_among_walls(sx, sy, places[b, 0], places[b, 1], walls) < least:
                return False
    return True


@inner(inline=False)
def _bends_around(v, places, offsets, to):
    """Return the sum of `_bends_at` over a vertex and its neighbours, rad2."""
    total = _bends_at(v, places, offsets, to)
    for half in range(offsets[v], offsets[v + 1]):
        total += _bends_at(to[half], places, offsets, to)
    return total


@inner(inline=False)
def _bends_at(v, places, offsets, to):
    """Return the sum over the edges of a vertex of the squared least bend to another edge, rad2."""
    total = 0.0
    for one in range(offsets[v], offsets[v + 1]):
        least = math.inf
        for other in range(offsets[v], offsets[v + 1]):
            if other != one:
                least = min(least, _bend(places, to[one], v, to[other]))
        if least < math.inf:
            total += least * least
    return total


@inner
def _bend(places, p, v, q):
    """Return the angle by which the path from p over v to q turns, 0 to pi."""
    ax, ay = places[v, 0] - places[p, 0], places[v, 1] - places[p, 1]
    bx, by = places[q, 0] - places[v, 0], places[q, 1] - places[v, 1]
    return abs(atan2(ax * by - ay * bx, ax * bx + ay * by))
