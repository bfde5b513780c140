"""Check the arrays that a roadmap is built from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway.constants import TOUCH
from footway.errors import BadInput
from footway.validation import floats, points, sequence, shown, whole_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Paths = Sequence[ArrayLike] | tuple[Floats, Ints]


LEAST_WEIGHT, MOST_WEIGHT = 1e-9, 1e9
"""Limits of edge weights: beyond them a weighted length loses the precision of the length."""


def a_roadmap(value: object) -> None:
    """Raise BadInput if the value is not a Roadmap."""
    if not hasattr(value, "path_offsets"):
        raise BadInput(f"a Roadmap is needed, not {shown(value)}: see footway.roadmap")


def places(nodes: ArrayLike, dimension: int) -> Floats:
    """Return checked nodes (n, d), m."""
    return points(nodes, dimension, name="nodes", error=BadInput)


def pairs(edges: ArrayLike, nodes: int) -> Ints:
    """Return checked edges (m, 2) between the given number of nodes."""
    array = whole_numbers(edges, "edges", "(m, 2)", error=BadInput)
    if (array.ndim != 2 and array.size) or array.shape[-1] not in (0, 2):
        raise BadInput(f"edges have the shape {array.shape}: give (m, 2)")
    array = array.reshape(-1, 2)
    outside = (array < 0) | (array >= nodes)
    if outside.any():
        edge = int(np.flatnonzero(outside.any(axis=1))[0])
        raise BadInput(f"edge {edge} joins {array[edge].tolist()}, but there are {nodes} nodes")
    loops = np.flatnonzero(array[:, 0] == array[:, 1])
    if len(loops):
        raise BadInput(f"edge {int(loops[0])} joins node {int(array[loops[0], 0])} to itself")
    return array


def factors(weights: ArrayLike, count: int) -> Floats:
    """Return checked weights (m,) for the given number of edges."""
    array = floats(weights, "(m,)", name="weights", error=BadInput)
    if array.shape != (count,):
        raise BadInput(f"weights have the shape {array.shape}: give one for each of {count} edges")
    if not ((array >= LEAST_WEIGHT) & (array <= MOST_WEIGHT)).all():
        raise BadInput(f"weights must be between {LEAST_WEIGHT:g} and {MOST_WEIGHT:g}")
    return array


def joined_paths(paths: Paths | None, nodes: Floats, edges: Ints) -> tuple[Floats, Ints]:
    """Return the concatenated points of all local paths, and their offsets (m + 1,)."""
    if paths is None:
        straight = np.ascontiguousarray(nodes[edges].reshape(-1, nodes.shape[1]))
        return straight, np.arange(0, 2 * len(edges) + 1, 2)
    dimension = nodes.shape[1]
    if isinstance(paths, tuple) and len(paths) == 2:
        given = points(paths[0], dimension, name="points of local paths", error=BadInput)
        offsets = whole_numbers(paths[1], "offsets of local paths", "(m + 1,)", error=BadInput)
    else:
        lines = [
            points(path, dimension, name="points of a local path", error=BadInput)
            for path in sequence(paths, "local paths", error=BadInput)
        ]
        given = np.concatenate([np.empty((0, dimension)), *lines])
        offsets = np.concatenate([[0], np.cumsum([len(line) for line in lines])]).astype(np.int64)
    _check_paths(given, offsets, nodes, edges)
    return given, offsets


def _check_paths(points: Floats, offsets: Ints, nodes: Floats, edges: Ints) -> None:
    if offsets.shape != (len(edges) + 1,):
        raise BadInput(f"{len(offsets) - 1} local paths for {len(edges)} edges: give one for each")
    if offsets[0] != 0 or offsets[-1] != len(points) or (np.diff(offsets) < 2).any():
        raise BadInput("a local path needs two points or more, from node to node")
    for end, at in ((0, offsets[:-1]), (1, offsets[1:] - 1)):
        away = np.abs(points[at] - nodes[edges[:, end]]).max(axis=1, initial=0.0) > TOUCH
        if away.any():
            edge = int(np.flatnonzero(away)[0])
            raise BadInput(
                f"the local path of edge {edge} does not {('begin', 'end')[end]} at node "
                f"{int(edges[edge, end])}"
            )
