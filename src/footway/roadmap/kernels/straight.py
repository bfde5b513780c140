"""Array kernels that move the junctions of a roadmap so that its roads go straight on.

A graph is in compressed rows: vertex v has the half-edges offsets[v] to offsets[v + 1] - 1, which
lead to the vertices `to` (h,) and must keep `floor` (h,) m from the walls. Spaces that come in here
have the radius 0.
"""

from __future__ import annotations

import math

from footway._numba.jit import inner, kernel
from footway._numba.math import atan2, hypot
from footway.roadmap.kernels.clearance import least_among_walls
from footway.roadmap.kernels.space import clearance_at, to_segment

ROUNDS = 4
"""Times that all junctions are looked at."""

WIDEST_TURN = 1.05
"""rad. A pair of roads that turns more at a junction is not one road that goes on."""

MOST_STRIDES = 400
"""Strides that a vertex moves at a time: more only where the disc is tiny."""

LEAST_GAIN = 1e-3
"""rad2. Bend that a move takes away, at least."""


@kernel
def straighten(places, offsets, to, floor, radius, stride, farthest, walls):
    """Move junctions onto the line between two of their neighbours where roads bend less then.

    `places` (n, 2) m change. Every edge keeps its floor, and `radius` on the way there in steps of
    `stride` m, `MOST_STRIDES` of them at most; no junction moves farther at a time than `farthest`
    times its room. Returns how many moves there were.
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
    """Move one junction to the best of its lines; how often (0 or 1)."""
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
    """Whether the edges of a vertex keep their room at a new place, and the radius on the way."""
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
    """Sum over the half-edges at a vertex and its neighbours of the least bend squared, rad2."""
    total = _bends_at(v, places, offsets, to)
    for half in range(offsets[v], offsets[v + 1]):
        total += _bends_at(to[half], places, offsets, to)
    return total


@inner(inline=False)
def _bends_at(v, places, offsets, to):
    """Each edge at a vertex goes on along another: its least bend, squared and summed, rad2."""
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
    """Angle by which a way turns at v, from p to q, 0 to pi."""
    ax, ay = places[v, 0] - places[p, 0], places[v, 1] - places[p, 1]
    bx, by = places[q, 0] - places[v, 0], places[q, 1] - places[v, 1]
    return abs(atan2(ax * by - ay * bx, ax * bx + ay * by))
