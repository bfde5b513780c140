"""Arrays that a roadmap can be made from, or one clear line that says why not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway.constants import TOUCH
from footway.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Paths = Sequence[ArrayLike] | tuple[Floats, Ints]


def seed(value: object) -> None:
    """A whole number, 0 or more."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or not 0 <= int(value) < 2**63:  # type: ignore[call-overload]
        raise BadInput(f"the seed is {value!r:.60}: it must be a whole number, 0 or more")


def places(nodes: ArrayLike, dimension: int) -> Floats:
    """Nodes (n, d), m."""
    array = np.ascontiguousarray(nodes, np.float64)
    if array.ndim != 2 or array.shape[1] != dimension:
        raise BadInput(f"nodes have the shape {array.shape}: give (n, {dimension})")
    if not np.isfinite(array).all():
        raise BadInput("nodes must be finite: there is a NaN or an infinity")
    return array


def pairs(edges: ArrayLike, nodes: int) -> Ints:
    """Edges (m, 2) between that many nodes."""
    array = np.ascontiguousarray(edges, np.int64).reshape(-1, 2)
    outside = (array < 0) | (array >= nodes)
    if outside.any():
        edge = int(np.flatnonzero(outside.any(axis=1))[0])
        raise BadInput(f"edge {edge} joins {array[edge].tolist()}, but there are {nodes} nodes")
    loops = np.flatnonzero(array[:, 0] == array[:, 1])
    if len(loops):
        raise BadInput(f"edge {int(loops[0])} joins node {int(array[loops[0], 0])} to itself")
    return array


def factors(weights: ArrayLike, count: int) -> Floats:
    """Weights (m,) of that many edges."""
    array = np.ascontiguousarray(weights, np.float64)
    if array.shape != (count,):
        raise BadInput(f"weights have the shape {array.shape}: give one for each of {count} edges")
    if not ((array > 0.0) & (array < np.inf)).all():
        raise BadInput("weights must be positive and finite")
    return array


def joined_paths(paths: Paths | None, nodes: Floats, edges: Ints) -> tuple[Floats, Ints]:
    """Local paths one after the other, and where each begins."""
    if paths is None:
        points = np.ascontiguousarray(nodes[edges].reshape(-1, nodes.shape[1]))
        return points, np.arange(0, 2 * len(edges) + 1, 2)
    if isinstance(paths, tuple):
        points, offsets = np.ascontiguousarray(paths[0], np.float64), np.asarray(paths[1], np.int64)
    else:
        lines = [np.asarray(path, np.float64).reshape(-1, nodes.shape[1]) for path in paths]
        points = np.concatenate([np.empty((0, nodes.shape[1])), *lines])
        offsets = np.concatenate([[0], np.cumsum([len(line) for line in lines])]).astype(np.int64)
    _check_paths(points, offsets, nodes, edges)
    return points, offsets


def _check_paths(points: Floats, offsets: Ints, nodes: Floats, edges: Ints) -> None:
    if len(offsets) != len(edges) + 1:
        raise BadInput(f"{len(offsets) - 1} local paths for {len(edges)} edges: give one for each")
    if offsets[0] != 0 or offsets[-1] != len(points) or (np.diff(offsets) < 2).any():
        raise BadInput("a local path needs two points or more, from node to node")
    if points.shape[1:] != nodes.shape[1:] or not np.isfinite(points).all():
        raise BadInput(f"local paths need finite points with {nodes.shape[1]} coordinates")
    for end, at in ((0, offsets[:-1]), (1, offsets[1:] - 1)):
        away = np.abs(points[at] - nodes[edges[:, end]]).max(axis=1, initial=0.0) > TOUCH
        if away.any():
            edge = int(np.flatnonzero(away)[0])
            raise BadInput(
                f"the local path of edge {edge} does not {('begin', 'end')[end]} at node "
                f"{int(edges[edge, end])}"
            )
