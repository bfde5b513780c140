"""Shortest path along the medial axis, by Dijkstra from event point to event point.

The map's own search goes from vertex to vertex, keeps dead ends apart and guesses how far it is.
Here every event point of the axis is a node, every piece between two of them is a link, and
nothing is left out but what is narrower than the disc.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

if TYPE_CHECKING:
    import footway as fw

Point = tuple[float, float]


class Place(NamedTuple):
    """Where a query point s is retracted to: s' on a piece of the axis (cmm-2007, figure 3)."""

    joining: float  # length of the straight line from s to s', m
    piece: int  # event at which the piece begins
    at: Point  # s', m


class ShortestBackbone:
    """Lengths of backbones (cmm-2007, definition 3) in one map, for a disc of one radius.

    From s' to the next event point the straight distance counts, also on a parabola.
    """

    def __init__(self, cmap: fw.CorridorMap, radius: float) -> None:
        axis = cmap._index.axis
        self._map, self._axis = cmap, axis
        self._wide = axis.clearance >= radius
        self._node = len(axis.vertices) + np.arange(len(axis.events))
        # Event points at the ends of edges are vertices, which edges share.
        self._node[axis.offsets[:-1]], self._node[axis.offsets[1:] - 1] = axis.edges.T
        self._links = self._graph()

    def _graph(self) -> coo_array:
        """Matrix of piece lengths. The clearance of a piece is monotone: its ends decide."""
        axis, size = self._axis, int(self._node.max()) + 1
        piece = np.flatnonzero(axis.piece_left >= 0)
        piece = piece[self._wide[piece] & self._wide[piece + 1]]
        # Dijkstra takes a stored zero for no link; parallel links would be added up.
        length = np.maximum(axis.piece_length[piece], 1e-300)
        order = np.argsort(-length, kind="stable")
        a, b, length = self._node[piece][order], self._node[piece + 1][order], length[order]
        shortest = {(min(i, j), max(i, j)): k for k, (i, j) in enumerate(zip(a, b, strict=True))}
        keep = np.fromiter(shortest.values(), dtype=np.int64, count=len(shortest))
        return coo_array((length[keep], (a[keep], b[keep])), (size, size)).tocsr()

    def length(self, start: Point, goal: Point) -> float:
        """Length of the shortest backbone from start to goal, m; infinite where there is none."""
        s, g = self.place(start), self.place(goal)
        return s.joining + self._between(s, g) + g.joining

    def _between(self, s: Place, g: Place) -> float:
        best = math.dist(s.at, g.at) if s.piece == g.piece else math.inf
        leave, enter = self._next_events(s), self._next_events(g)
        for event, distance in leave:
            found = dijkstra(self._links, directed=False, indices=self._node[event])
            for last, rest in enter:
                best = min(best, distance + float(found[self._node[last]]) + rest)
        return best

    def length_along(self, halves: np.ndarray, start: Point, goal: Point) -> float:
        """Length of the backbone through given half-edges (2 e along edge e, 2 e + 1 against)."""
        s, g = self.place(start), self.place(goal)
        if len(halves) == 1 and s.piece == g.piece:
            return s.joining + math.dist(s.at, g.at) + g.joining
        runs = [self._events_of(int(half)) for half in halves]
        runs[0] = [e for e in runs[0] if _is_ahead(e, s.piece, int(halves[0]))]
        runs[-1] = [e for e in runs[-1] if not _is_ahead(e, g.piece, int(halves[-1]))]
        inner = sum(self._along(run) for run in runs)
        leave = math.dist(s.at, self._axis.events[runs[0][0]])
        enter = math.dist(g.at, self._axis.events[runs[-1][-1]])
        return s.joining + leave + inner + enter + g.joining

    def place(self, point: Point) -> Place:
        """Retraction of a point."""
        found = self._map.locate([point])
        at = (float(found.position[0, 0]), float(found.position[0, 1]))
        return Place(math.dist(point, at), int(found.piece[0]), at)

    def _next_events(self, place: Place) -> list[tuple[int, float]]:
        """Event points on either side of a place, with the straight distance, where it fits."""
        return [
            (event, math.dist(place.at, self._axis.events[event]))
            for event in (place.piece, place.piece + 1)
            if self._wide[event]
        ]

    def _events_of(self, half: int) -> list[int]:
        first, last = self._axis.offsets[half // 2], self._axis.offsets[half // 2 + 1]
        run = list(range(int(first), int(last)))
        return run[::-1] if half % 2 else run

    def _along(self, events: list[int]) -> float:
        pairs = itertools.pairwise(events)
        return float(sum(self._axis.piece_length[min(a, b)] for a, b in pairs))


def _is_ahead(event: int, piece: int, half: int) -> bool:
    """Whether one who walks a half-edge and is on a piece of it has the event still to come."""
    return event <= piece if half % 2 else event > piece
