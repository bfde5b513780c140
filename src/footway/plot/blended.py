"""Lines and arcs of a roadmap with circular blends (voronoi-roadmaps-2004, figures 1 and 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway.roadmap.blends import blends

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.roadmap import Roadmap
    from footway.roadmap.blends import Blends

    Floats = NDArray[np.float64]


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
    return np.stack(
        [
            centre[row] + radius[row, None] * _unit(angle[row] + share[:, 0] * sweep[row])
            for share in (low, high)
        ],
        axis=1,
    )


def _shares(count: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Divide each row into `count` equal parts: row, begin and end (0 to 1) of each part."""
    row = np.repeat(np.arange(len(count)), count)
    part = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    share = (part / count[row])[:, None]
    return row, share, share + 1.0 / count[row][:, None]


def _unit(angle: Floats) -> Floats:
    return np.column_stack([np.cos(angle), np.sin(angle)])
