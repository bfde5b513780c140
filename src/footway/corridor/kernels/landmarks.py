"""Distances from a landmark to all points that bound paths, for lower bounds of searches."""

from __future__ import annotations

import math

from footway._numba.jit import kernel
from footway.corridor.kernels.layouts import Query
from footway.corridor.kernels.locate import locate_on
from footway.corridor.kernels.query import THIN, make_query
from footway.corridor.kernels.search import sweep
from footway.corridor.kernels.tangents import Ends


@kernel
def sweep_from(x, y, ws, index):
    """Write the distance of every point of the map from (x, y) to ws.bounds[:, 0], m.

    For a disc of radius THIN: no disc that is wider has a shorter path. Infinite where there is no
    path. False: the workspace is too small.
    """
    for point in range(len(ws.bounds)):
        ws.bounds[point, 0] = math.inf
    layer = index.grid.layers.start
    piece = locate_on(x, y, layer, index).piece
    q = make_query(Ends(x, y, x, y, THIN, layer, layer), piece, piece, index)
    start = Query(
        x, y, x, y, THIN, q.n_corners,
        q.start_edge, q.start_event, q.start_vertex, q.start_open_forward, q.start_open_backward,
        -1, -1, -1, False, False, False, False, layer, layer,
    )  # fmt: skip
    return sweep(ws, index, start)
