"""Kernels that move the junctions of a roadmap so that roads pass them straight.

A graph is in compressed rows: vertex v has the half-edges offsets[v] to offsets[v + 1] - 1, which
lead to the vertices `to` (h,) and must keep `floor` (h,) m from the walls. Spaces passed to these
kernels have radius 0.
"""

from __future__ import annotations

import math

from footway._numba.jit import inner, kernel
from footway._numba.math import atan2, hypot
from footway.roadmap.kernels.clearance import least_among_walls
from footway.roadmap.kernels.space import clearance_at, to_segment

ROUNDS = 4
"""Rounds over all junctions."""

WIDEST_TURN = 1.05
"""rad. Two edges that turn more than this at a junction do not form one road."""

MOST_STRIDES = 400
"""Most strides of a single move; more would be needed only for a tiny disc."""

LEAST_GAIN = 1e-3
"""rad2. Least decrease of the bend that justifies a move."""


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
