"""Searches of the whole map from one place: lengths of paths to many points, and landmarks.

The sweep from the place contains the shortest path to every turn. So a path to a point is found by
a search from the point that ends at its first turns, which is a few per cent of the whole search.
"""

from __future__ import annotations

import math

from footway._numba.jit import kernel
from footway._numba.math import hypot
from footway.corridor.kernels.layouts import APART, FOUND, NOWHERE, Query
from footway.corridor.kernels.locate import locate_end, locate_on
from footway.corridor.kernels.path import fitting_position
from footway.corridor.kernels.query import POINT, THIN, check_ends, is_connected, make_query
from footway.corridor.kernels.search import search_to_sweep, sweep
from footway.corridor.kernels.tangents import SLACK, VIOLATION, Ends, chain_length, draw_taut
from footway.corridor.kernels.wall_grid import line_clearance


@kernel
def sweep_from(x, y, radius, ws, index):
    """Search the shortest paths of a disc from (x, y) to all turns; False: `ws` is too small.

    ws.bounds[:, 0] becomes the distance of every point of the map, m, infinite where there is no
    path. Those of a disc of radius THIN are lower bounds: no disc that is wider has a shorter path.
    With a negative radius it is a disc of radius THIN, not moved away from a wall that it touches.
    """
    layer, disc = index.grid.layers.start, max(radius, THIN)
    place = locate_on(x, y, layer, index)
    if radius >= 0.0:
        x, y = fitting_position(x, y, disc, place, index.axis)
    q = make_query(Ends(x, y, x, y, disc, layer, layer), place.piece, place.piece, index)
    q = Query(
        x, y, x, y, disc, q.n_corners,
        q.start_edge, q.start_event, q.start_vertex, q.start_open_forward, q.start_open_backward,
        -1, -1, -1, False, False, False, False, layer, layer,
    )  # fmt: skip
    return sweep(ws, index, q)


@kernel
def measure_distances(x, y, points, radius, lengths, statuses, ws, back, index):
    """Lengths of paths from the start of the sweep in `back` to points (n, 2): lengths, statuses.

    Status NOWHERE: this search found none, another one may.
    """
    grid, disc = index.grid, max(radius, THIN)
    start = locate_end(x, y, index)
    from_x, from_y = fitting_position(x, y, disc, start, index.axis)
    for k in range(len(points)):
        px, py, lengths[k] = points[k, 0], points[k, 1], math.inf
        goal = locate_end(px, py, index)
        status, _ = check_ends(start, goal, radius)
        straight = hypot(px - x, py - y)
        if status == FOUND and straight >= SLACK:
            if not is_connected(start.piece, goal.piece, max(radius, POINT), index):
                status = APART
            elif line_clearance(x, y, px, py, disc - VIOLATION, grid)[0] < disc - VIOLATION:
                to_x, to_y = fitting_position(px, py, disc, goal, index.axis)
                ends = Ends(to_x, to_y, from_x, from_y, disc, -1, -1)
                q = make_query(ends, goal.piece, start.piece, index)
                n, straight = search_to_sweep(ws, back, index, q)
                if n >= 0 and disc > radius:
                    xy, ends = index.corners.xy, Ends(x, y, px, py, radius, -1, -1)
                    n = draw_taut(n, ws.chain, ws.tangents, xy, ends)
                    if n >= 0:
                        straight = chain_length(n, ws.chain, ws.tangents, radius)
                status = FOUND if n >= 0 else NOWHERE
        statuses[k] = status
        if status == FOUND:
            lengths[k] = straight
