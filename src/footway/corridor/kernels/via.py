"""The shortest backbone through each edge of the map, in the order of length."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footway._numba.heap import pop, push
from footway._numba.jit import inner, kernel
from footway._numba.math import hypot
from footway.corridor.kernels.tangents import SLACK

if TYPE_CHECKING:
    from footway.arrays import Floats

CAUTION = 1e-5  # m, and share: by which a path may be shorter than its least length, as computed


class Wanted(NamedTuple):
    """Which backbones are wanted, and the ends of their paths.

    A path begins in the cell of its start, which is not always on the piece of the axis to which
    the start retracts: then a joint leads from there to the cell. Likewise for the goal.
    """

    different: float  # share outside the edges taken
    taken: Any  # (ne,)
    longest: float  # m, of the path
    radius: float  # of the disc, m
    sx: float
    sy: float
    gx: float
    gy: float
    start_joint: Any  # (n,) edges from the start's piece of the axis to its cell
    goal_joint: Any  # (n,) likewise


class Memory(NamedTuple):
    """Memory for the enumeration of backbones."""

    marks: Any  # (nv,) the half-edge of the last backbone that passed a vertex
    out: Any  # (nv + 2,) half-edges of a backbone
    portals: Any  # (events + 1, 4) m, left and right


class Tree(NamedTuple):
    """Shortest backbones of a disc from a place on an edge to all vertices."""

    edge: int
    parts: Floats  # (2,) m along the edge to its first and last vertex; infinite: too narrow
    cost: Floats  # (nv,) m; infinite: not reachable
    arrival: Any  # (nv,) half-edge by which the backbone arrives; -1 for none


@kernel
def grow_tree(edge, parts, radius, graph):
    """Return the `Tree` of a place on an edge (Dijkstra), which is not followed as a whole."""
    n = len(graph.offsets) - 1
    cost, arrival = np.full(n, math.inf), np.full(n, -1)
    keys, queue = np.empty(len(graph.out) + 2), np.empty(len(graph.out) + 2, np.int64)
    size = 0
    for end in range(2):
        if parts[end] < math.inf:
            size = push(parts[end], 2 * edge + 1 - end, size, keys, queue)
    while size > 0:
        here, half = keys[0], queue[0]
        size = pop(size, keys, queue)
        v = graph.edges[half // 2, 1 - half % 2]
        if arrival[v] >= 0:
            continue
        cost[v], arrival[v] = here, half
        for slot in range(graph.offsets[v], graph.offsets[v + 1]):
            out = graph.out[slot]
            is_open = graph.clearance[out // 2] >= radius - SLACK and out // 2 != edge
            if is_open and arrival[graph.edges[out // 2, 1 - out % 2]] < 0:
                size = push(here + graph.length[out // 2], out, size, keys, queue)
    return Tree(edge, parts, cost, arrival)


@kernel
def sort_by_length(start, goal, radius, graph):
    """Half-edges by the length of the shortest backbone through them; those without are left out.

    `start` and `goal` are the trees of both ends.
    """
    total = np.full(2 * len(graph.edges), math.inf)
    for half in range(len(total)):
        edge = half // 2
        if graph.clearance[edge] >= radius - SLACK:
            first, last = graph.edges[edge, half % 2], graph.edges[edge, 1 - half % 2]
            total[half] = start.cost[first] + graph.length[edge] + goal.cost[last]
    order = np.argsort(total, kind="mergesort")
    return order[: np.sum(total < math.inf)].copy()


@inner
def _write_backbone(half, start, goal, graph, marks, out):
    """Write the half-edges of the backbone through one: how many; 0 if it has a loop.

    marks[v] is the half-edge of the last backbone that passed vertex v.
    """
    edges, n, v = graph.edges, 0, graph.edges[half // 2, half % 2]
    if start.edge == goal.edge or half // 2 == start.edge or half // 2 == goal.edge:
        return 0
    while v >= 0:  # back to the start
        marks[v], out[n] = half, start.arrival[v]
        v = -1 if out[n] // 2 == start.edge else edges[out[n] // 2, out[n] % 2]
        n += 1
    for k in range(n // 2):
        out[k], out[n - 1 - k] = out[n - 1 - k], out[k]
    out[n] = half
    n, v = n + 1, edges[half // 2, 1 - half % 2]
    while v >= 0:  # on to the goal
        if marks[v] == half:
            return 0
        marks[v], out[n] = half, goal.arrival[v] ^ 1
        v = -1 if out[n] // 2 == goal.edge else edges[out[n] // 2, 1 - out[n] % 2]
        n += 1
    return n


@inner
def _add_portal(event, backward, k, radius, axis, portals):
    """Write the part of an event's chord that the centre of a disc may pass to row k."""
    left, right = (axis.right, axis.left) if backward else (axis.left, axis.right)
    x, y = left[event, 0], left[event, 1]
    dx, dy = right[event, 0] - x, right[event, 1] - y
    width, share = math.sqrt(dx * dx + dy * dy), 0.0
    if width > 2.0 * radius:
        share = radius / width
    portals[k, 0], portals[k, 1] = x + share * dx, y + share * dy
    portals[k, 2], portals[k, 3] = x + (1.0 - share) * dx, y + (1.0 - share) * dy


@inner
def _write_portals(n, wanted, axis, out, portals):
    """Write the portals that every path around a backbone passes, in order: how many."""
    joint, first = wanted.start_joint, 0
    while first < min(len(joint), n) and joint[first] == out[first] // 2:
        first += 1
    joint, last = wanted.goal_joint, 0
    while last < min(len(joint), n) and joint[last] == out[n - 1 - last] // 2:
        last += 1
    count = 0
    for k in range(max(1, first), n - max(1, last)):  # the others are followed in part
        edge, backward = out[k] // 2, out[k] % 2 == 1
        begin, end = axis.offsets[edge], axis.offsets[edge + 1]
        for i in range(end - begin):
            event = end - 1 - i if backward else begin + i
            _add_portal(event, backward, count, wanted.radius, axis, portals)
            count += 1
    return count


@inner
def _turns_left(ax, ay, bx, by, cx, cy):
    """Twice the area of a triangle; positive if c is on the left of the line from a to b."""
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)


@inner
def _length_through(count, wanted, portals):
    """Length of the shortest line through portals in order, m: no path of a disc is shorter.

    The funnel algorithm: both sides of the funnel are lines from its apex to ends of portals.
    Portals that the apex sees from behind are left out, which can only make the line shorter.
    """
    portals[count, 0], portals[count, 1] = wanted.gx, wanted.gy
    portals[count, 2], portals[count, 3] = wanted.gx, wanted.gy
    ax, ay, length = wanted.sx, wanted.sy, 0.0
    lx, ly, rx, ry = ax, ay, ax, ay
    at_left, at_right, k = -1, -1, 0  # portals that end at the sides; -1: a side is the apex
    while k <= count:
        left, right = (portals[k, 0], portals[k, 1]), (portals[k, 2], portals[k, 3])
        if k < count and _turns_left(ax, ay, *right, *left) < 0.0:
            k += 1
            continue
        if at_right < 0 or _turns_left(ax, ay, rx, ry, *right) >= 0.0:
            if at_left >= 0 and _turns_left(ax, ay, lx, ly, *right) >= 0.0:
                length += hypot(lx - ax, ly - ay)
                ax, ay, k = lx, ly, at_left + 1
                at_left, at_right = -1, -1
                continue
            (rx, ry), at_right = right, k
        if at_left < 0 or _turns_left(ax, ay, lx, ly, *left) <= 0.0:
            if _turns_left(ax, ay, rx, ry, *left) <= 0.0 and at_left >= 0:
                length += hypot(rx - ax, ry - ay)
                ax, ay, k = rx, ry, at_right + 1
                at_left, at_right = -1, -1
                continue
            (lx, ly), at_left = left, k
        k += 1
    return length + hypot(wanted.gx - ax, wanted.gy - ay)


@inner
def _is_far(edge, wanted, axis):
    """Whether the ends of an edge are too far from both ends of the path for any path through it.

    False for the edges of joints, which a path may not follow.
    """
    for joint in (wanted.start_joint, wanted.goal_joint):
        for other in joint:
            if other == edge:
                return False
    for event in (axis.offsets[edge], axis.offsets[edge + 1] - 1):
        dx = axis.right[event, 0] - axis.left[event, 0]
        dy = axis.right[event, 1] - axis.left[event, 1]
        x, y = axis.left[event, 0] + 0.5 * dx, axis.left[event, 1] + 0.5 * dy
        away = hypot(x - wanted.sx, y - wanted.sy) + hypot(x - wanted.gx, y - wanted.gy)
        away -= math.sqrt(dx * dx + dy * dy)  # the path may pass the chord anywhere
        if away - CAUTION * (1.0 + away) > wanted.longest:
            return True
    return False


@kernel
def next_backbone(at, order, wanted, start, goal, axis, graph, memory):
    """Write the next backbone that is wanted to memory.out: (half-edges, next place, least length).

    From place `at` of `order` on; 0 half-edges if there is none. No path around the backbone is
    shorter than the least length, which is also wanted to be within the limit.
    """
    out = memory.out
    for place in range(at, len(order)):
        if _is_far(order[place] // 2, wanted, axis):
            continue
        n = _write_backbone(order[place], start, goal, graph, memory.marks, out)
        outside, whole = 0.0, 0.0
        for k in range(n):
            length = graph.length[out[k] // 2]
            if k == 0:
                length = start.parts[1 - out[k] % 2]
            elif k == n - 1:
                length = goal.parts[out[k] % 2]
            whole += length
            outside += 0.0 if wanted.taken[out[k] // 2] else length
        if n == 0 or outside < wanted.different * max(whole, SLACK):
            continue
        count = _write_portals(n, wanted, axis, out, memory.portals)
        least = _length_through(count, wanted, memory.portals)
        least -= CAUTION * (1.0 + least)
        if least <= wanted.longest:
            return n, place + 1, least
    return 0, len(order), 0.0
