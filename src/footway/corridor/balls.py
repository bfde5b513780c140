"""Sampled corridors: balls along the axis that cover a given share of the free space."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway import validation
from footway._numba.random_stream import RandomStream
from footway.corridor.kernels.locate import clearances, share_covered
from footway.corridor.sampling import on_pieces, subdivide
from footway.errors import BadQuery

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor.index import Index

    Floats = NDArray[np.float64]

_PROBES = 10_000  # random points: the coverage is known to about 0.1 %
_SMALLEST = 0.05  # m, smaller balls cover a negligible area
_FARTHEST, _CLOSEST = 2.0, 0.02  # spacing of balls relative to their radius


class Balls(NamedTuple):
    """Balls of maximal clearance on the medial axis (cmm-crowds-2008, section 2.1)."""

    centres: Floats  # (k, 2) m
    radii: Floats  # (k,) m
    edges: NDArray[np.int64]  # (k,) edge of the map
    coverage: float  # measured share of the free space that they cover


def cover(index: Index, coverage: float) -> Balls:
    """Find the sparsest spacing of balls, relative to their radii, that covers this share."""
    coverage = validation.number(coverage, "coverage", above=0.0)
    if coverage >= 1.0:
        raise BadQuery(f"the coverage is {coverage:g}: it must be between 0 and 1")
    probes = _probes(index)
    sparse, dense = _FARTHEST, _CLOSEST
    best: Balls | None = None
    for _ in range(8):
        middle = float(np.sqrt(sparse * dense))
        balls = _balls(index, middle, probes)
        if balls.coverage >= coverage:
            best, dense = balls, middle
        else:
            sparse = middle
    if best is None:  # try the closest spacing last: it takes longer than all others together
        best = _balls(index, _CLOSEST, probes)
    if best.coverage < coverage:
        raise BadQuery(
            f"balls on the axis reach a coverage of {best.coverage:.4f} at the most here: "
            f"ask for less than {coverage:g}"
        )
    return best


def _probes(index: Index) -> Floats:
    """Return random points of the free space; the same for every call."""
    rng = RandomStream(0)
    box, shape = index.grid.box, index.grid.shape
    points = box[:2] + rng.uniform(4 * _PROBES, 2) * box[2] * shape
    free = points[clearances(points, index.grid, index.fans) > 0]
    probes: Floats = free[:_PROBES]
    return probes


def _balls(index: Index, spacing: float, probes: Floats) -> Balls:
    """Balls whose distance along the axis is at most `spacing` times the smaller radius."""
    axis = index.axis
    piece = np.flatnonzero(axis.piece_left >= 0)
    narrow = np.minimum(axis.clearance[piece], axis.clearance[piece + 1])
    gap = spacing * np.maximum(narrow, _SMALLEST)
    count = np.maximum(1, np.ceil(axis.piece_length[piece] / gap)).astype(np.int64)
    piece, t = subdivide(piece, count)
    samples = on_pieces(axis, piece, t)
    keep = samples.clearance > _SMALLEST
    centres, radii = samples.points[keep], samples.clearance[keep]
    largest_first = np.argsort(-radii)
    covered = share_covered(probes, centres[largest_first], radii[largest_first])
    return Balls(centres, radii, index.graph.edge_of[piece][keep], covered)
