"""Plan routes over terrain for characters that share their preferences.

The result of a search is pulled taut with its margin, to some centimetres. Only if that is costly,
the optimal route is computed as in `fw.route`, to decide whether a margin is possible.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import kernel
from footway.crowd.kernels.layouts import (
    PIECE_BEGIN,
    PIECE_END,
    PIECE_TRIANGLE,
    POINT_COST,
    POINT_LENGTH,
    POINT_X,
    POINT_Y,
)
from footway.terrain.kernels.cut_route import cut_again
from footway.terrain.kernels.improvement import pull_roughly, pull_taut, weigh
from footway.terrain.kernels.links import make_link_workspace, read_links, search_links
from footway.terrain.kernels.search import TerrainGraph, least_weight, length
from footway.terrain.kernels.triangles import rate

DEAR = 1.02  # times the cost over nodes: costlier routes are compared with the optimal route
SAME = 1e-6  # m, tolerance for equal points


@kernel
def _rates(along, paid, lengths, least):
    """Return where the terrain changes: knots (k,), m along the route, and weights (k - 1,).

    Pieces along (m, 2), sorted by their beginnings, have weights paid (m,); on a border between two
    the smaller weight counts. Bends of the route, at `lengths`, are knots.
    """
    ends = np.sort(along.ravel())
    knots = np.empty(len(ends) + len(lengths))
    count, j = 0, 0
    for i in range(len(lengths)):
        while j < len(ends) and ends[j] < lengths[i] - SAME:
            if ends[j] > knots[count - 1] + SAME:
                knots[count] = ends[j]
                count += 1
            j += 1
        while j < len(ends) and ends[j] <= lengths[i] + SAME:
            j += 1
        knots[count] = lengths[i]
        count += 1
    rates = np.full(count - 1, math.inf)
    k = 0
    for i in range(len(along)):
        while k < count - 1 and 0.5 * (knots[k] + knots[k + 1]) < along[i, 0]:
            k += 1
        m = k
        while m < count - 1 and 0.5 * (knots[m] + knots[m + 1]) <= along[i, 1]:
            rates[m] = min(rates[m], paid[i])
            m += 1
    for k in range(count - 1):
        if rates[k] == math.inf:  # no piece: rounding
            rates[k] = least
    return knots[:count], rates


@kernel
def _record(points, weights, least, first_line, seen, ground):
    """Return a route in the layout of the pool, (n + m, 4), and n: see `Guides`.

    `first_line` and `seen` are those of `cut_again`.
    """
    lengths = np.zeros(len(points))
    for i in range(1, len(points)):
        lengths[i] = lengths[i - 1] + length(
            points[i, 0] - points[i - 1, 0], points[i, 1] - points[i - 1, 1]
        )
    triangle, along, ends = cut_again(points, lengths, first_line, seen, ground)
    order = np.argsort(along[:, 0].copy(), kind="mergesort")
    triangle, along, ends = triangle[order], along[order], ends[order]
    m = len(triangle)
    paid = np.empty(m)
    for i in range(m):
        dx, dy = ends[i, 2] - ends[i, 0], ends[i, 3] - ends[i, 1]
        size = max(length(dx, dy), 1e-300)  # a piece may be a point
        paid[i] = rate(ground.kind[triangle[i]], dx / size, dy / size, weights, ground)
    knots, rates = _rates(along, paid, lengths, least)
    out = np.zeros((len(knots) + m, 4))
    out[0, POINT_X], out[0, POINT_Y] = points[0, 0], points[0, 1]
    count, line, paid_so_far = 1, 0, 0.0
    for k in range(1, len(knots)):
        paid_so_far += rates[k - 1] * (knots[k] - knots[k - 1])
        is_bend = knots[k] >= lengths[line + 1]
        if is_bend or rates[k] != rates[k - 1]:
            share = (knots[k] - lengths[line]) / (lengths[line + 1] - lengths[line])
            share = 1.0 if is_bend else share
            for c in range(2):  # POINT_X, POINT_Y
                a, b = points[line, c], points[line + 1, c]
                out[count, c] = b if is_bend else a + share * (b - a)
            out[count, POINT_LENGTH], out[count, POINT_COST] = knots[k], paid_so_far
            count += 1
        line = line + 1 if is_bend else line
    for i in range(m):
        out[count + i, PIECE_BEGIN], out[count + i, PIECE_END] = along[i, 0], along[i, 1]
        out[count + i, PIECE_TRIANGLE] = 2.0 * triangle[i]
    return out[: count + m], count


@kernel
def plan_routes(starts, goals, margin, weights, ground, nodes, away, bounds, links, around):
    """Plan routes from starts to goals (n, 2), m: rows of the pool (r, 4), and sizes (n, 2) int64.

    Sizes are the numbers of points and pieces; 0: there is no route. Routes keep `margin` m from
    worse terrain if possible. `away`, `bounds`, `links` and `around` are the results of
    `landmarks`, `make_bounds`, `make_links` and `rates_around`.
    """
    least = least_weight(weights, ground.kind)
    graph = TerrainGraph(ground, weights, least, nodes, away)
    work = make_link_workspace(graph)
    seen, lines = np.full(len(ground.triangles), -1, np.int64), 0
    sizes = np.zeros((len(starts), 2), np.int64)
    rows, used = np.empty((256, 4)), 0
    for q in range(len(starts)):
        last, final, cost = search_links(starts[q], goals[q], links, bounds, graph, work)
        if final < 0:
            continue
        steps = read_links(last, final, work)
        path, through = work.path[:steps], work.passed[: steps + 1]
        ends = np.concatenate((starts[q], goals[q]))
        best = pull_roughly(path, through, ends, weights, margin, ground, nodes, around)
        if len(best) < 2 or weigh(best, weights, ground) >= DEAR * cost:
            best, _ = pull_taut(path, through, ends, weights, margin, ground, nodes, around)
        if len(best) < 2:
            continue
        record, points = _record(best, weights, least, lines, seen, ground)
        lines += len(best)
        if len(record) == points:
            continue
        while used + len(record) > len(rows):
            rows = np.concatenate((rows, np.empty_like(rows)))
        rows[used : used + len(record)] = record
        used += len(record)
        sizes[q, 0], sizes[q, 1] = points, len(record) - points
    return rows[:used].copy(), sizes
