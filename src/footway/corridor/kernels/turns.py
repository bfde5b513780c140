"""Tables of turns for one radius: tangents between corners, and hub labels of their distances.

A turn is a corner and the side on which it is passed; turn 2 c + side, with the side of kernels/
search, and turn ^ 1 is the same one walked in the opposite direction. Distances between turns are
made additive by a reference direction at each corner, the middle of the directions that a path may
have there: the arc from direction u to v is the angle of v less the angle of u.

Labels are hub labels (Akiba, Iwata and Yoshida, SIGMOD 2013) that count: each shortest path
between two turns passes exactly one hub that is in the labels of both and whose part of the path
passes no hub of a higher rank (Zhang and Yu, SIGMOD 2020). So paths of equal length are noticed.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.heap import pop, push
from footway._numba.jit import inner, kernel
from footway._numba.math import atan2
from footway.corridor.kernels.tangents import VIOLATION, tangent
from footway.corridor.kernels.wall_grid import line_clearance

TIE = 3e-9  # m, paths whose lengths differ by less are not told apart; more than SLACK
NEAR = 1e-6  # m, error of a length in a file
EDGE = 1e-6  # cosine, tolerance of a direction along a wall


@inner
def turn_cost(ux, uy, corner, side, radius, references):
    """Arc at a turn from its reference direction to u, m; negative before it."""
    rx, ry = references[corner, 0], references[corner, 1]
    angle = atan2(rx * uy - ry * ux, rx * ux + ry * uy)
    if side == 1:  # the other side has the opposite reference, and turns the other way
        angle = -atan2(ry * ux - rx * uy, -rx * ux - ry * uy)
    return radius * angle


@inner
def may_turn(ux, uy, corner, side, references, cosines):
    """Whether a path may have the direction u at a corner without crossing its walls."""
    ahead = references[corner, 0] * ux + references[corner, 1] * uy
    return (ahead if side == 0 else -ahead) >= cosines[corner] - EDGE


@inner
def _is_clear(a, b, ka, kb, ux, uy, floor, grid):
    """Whether a tangent between circles around two places is at least `floor` from all walls."""
    clear, _ = line_clearance(
        a[0] + ka * uy, a[1] - ka * ux, b[0] + kb * uy, b[1] - kb * ux, floor, grid
    )
    return clear >= floor


@inner
def _between(length, ux, uy, turn, following, radius, references):
    """Length from the reference of a turn to that of another, over the tangent between them."""
    turned = turn_cost(ux, uy, turn // 2, turn % 2, radius, references)
    return length + turned - turn_cost(ux, uy, following // 2, following % 2, radius, references)


@kernel
def find_tangents(places, references, cosines, radius, most, grid):
    """All tangents between circles around corners that are clear of walls, one for both directions.

    Corners have `places` (n, 2) m, reference directions of their turns to the left (n, 2), and
    the cosine of the largest angle to it (n,). Returns turns (m,), next turns (m,) and lengths
    (m,), from reference to reference, m; `most` of them
    if there are too many.
    """
    froms, tos, lengths = np.empty(1024, np.int32), np.empty(1024, np.int32), np.empty(1024)
    count, floor = 0, radius - VIOLATION
    for a in range(len(places)):
        for b in range(a + 1, len(places)):
            dx, dy = places[b, 0] - places[a, 0], places[b, 1] - places[a, 1]
            for sides in range(4):
                side_a, side_b = sides // 2, sides % 2
                ka, kb = (1 - 2 * side_a) * radius, (1 - 2 * side_b) * radius
                ux, uy, length = tangent(dx, dy, kb - ka)
                if length < 0.0 or not may_turn(ux, uy, a, side_a, references, cosines):
                    continue
                if not may_turn(ux, uy, b, side_b, references, cosines):
                    continue
                if not _is_clear(places[a], places[b], ka, kb, ux, uy, floor, grid):
                    continue
                if count == most:
                    return froms[:count].copy(), tos[:count].copy(), lengths[:count].copy()
                if count == len(froms):
                    froms, tos, lengths = (
                        np.concatenate((froms, froms)),
                        np.concatenate((tos, tos)),
                        np.concatenate((lengths, lengths)),
                    )
                froms[count], tos[count] = 2 * a + side_a, 2 * b + side_b
                lengths[count] = _between(
                    length, ux, uy, froms[count], tos[count], radius, references
                )
                count += 1
    return froms[:count].copy(), tos[:count].copy(), lengths[:count].copy()


@kernel
def is_through(froms, tos, between, offsets, targets, lengths):
    """Whether a tangent passes another turn between its own, which divides it in two, (m,).

    The paths over both parts and over the whole would have the same length.
    """
    found = np.zeros(len(froms), np.bool_)
    for k in range(len(froms)):
        for e in range(offsets[froms[k]], offsets[froms[k] + 1]):
            turn = targets[e]
            for rest in range(offsets[turn], offsets[turn + 1]):
                if targets[rest] == tos[k] and lengths[e] + lengths[rest] <= between[k] + TIE:
                    found[k] = True
    return found


@kernel
def count_behind(roots, offsets, targets, lengths):
    """Turns behind each turn in the trees of shortest paths from some roots, summed, (2 n,)."""
    n = len(offsets) - 1
    distance, parent, size = np.empty(n), np.empty(n, np.int32), np.empty(n, np.int64)
    order, total = np.empty(n, np.int32), np.zeros(n, np.int64)
    keys, queue = np.empty(len(targets) + 1), np.empty(len(targets) + 1, np.int32)
    for root in roots:
        distance[:], parent[:], size[:] = math.inf, -1, 0
        distance[root], settled = 0.0, 0
        in_heap = push(0.0, root, 0, keys, queue)
        while in_heap > 0:
            y, d = queue[0], keys[0]
            in_heap = pop(in_heap, keys, queue)
            if size[y] > 0:  # an arc backward may make it nearer: that does not matter here
                continue
            order[settled], size[y] = y, 1
            settled += 1
            for e in range(offsets[y], offsets[y + 1]):
                x, there = targets[e], d + lengths[e]
                if size[x] == 0 and there < distance[x]:
                    distance[x], parent[x] = there, y
                    in_heap = push(there, x, in_heap, keys, queue)
        for k in range(settled - 1, 0, -1):
            y = order[k]
            total[y] += size[y] - 1
            size[parent[y]] += size[y]
    return total


@kernel
def label_turns(offsets, targets, lengths, most):
    """Hub labels of turns that are numbered by rank: see TurnTable. No labels: more than `most`.

    Returns the labels in the order in which they were found: turn, hub, next turn, distance, and
    whether there are several shortest paths.
    """
    n = len(offsets) - 1
    size, count = 1 << 16, 0
    turns, hubs, nexts = (
        np.empty(size, np.int32),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
    )
    dists, many, before = np.empty(size), np.empty(size, np.bool_), np.empty(size, np.int32)
    head = np.full(n, -1, np.int32)  # last label of each turn; `before` links them
    to_hub = np.full(n, math.inf)
    distance, parent = np.full(n, math.inf), np.empty(n, np.int32)
    is_many, visited, kept = np.zeros(n, np.bool_), np.empty(n, np.int32), np.zeros(n, np.bool_)
    keys, queue = np.empty(2 * len(targets) + 2), np.empty(2 * len(targets) + 2, np.int32)
    for corner in range(n // 2):
        begin = count
        for side in range(2):
            root = 2 * corner + side
            e = head[root]
            while e >= 0:
                to_hub[hubs[e]] = dists[e]
                e = before[e]
            distance[root], parent[root], is_many[root] = 0.0, -1, False
            visited[0], n_visited = root, 1
            in_heap = push(0.0, root, 0, keys, queue)
            while in_heap > 0:
                y, d = queue[0], keys[0]
                in_heap = pop(in_heap, keys, queue)
                if d > distance[y]:
                    continue
                best, e = math.inf, head[y ^ 1]
                while e >= 0 and best >= d - TIE:
                    best = min(best, to_hub[hubs[e] ^ 1] + dists[e])
                    e = before[e]
                kept[y] = best >= d - TIE
                if not kept[y]:
                    continue
                for e in range(offsets[y], offsets[y + 1]):
                    x, there = targets[e], d + lengths[e]
                    if x // 2 <= corner or in_heap >= len(keys):
                        continue
                    if there < distance[x] - TIE:
                        if distance[x] == math.inf:
                            visited[n_visited] = x
                            n_visited += 1
                        distance[x], parent[x], is_many[x] = there, y, is_many[y]
                        in_heap = push(there, x, in_heap, keys, queue)
                    elif there <= distance[x] + TIE and parent[x] != y:
                        is_many[x] = True
            if count + n_visited > most:
                return (
                    turns[:0].copy(),
                    hubs[:0].copy(),
                    nexts[:0].copy(),
                    dists[:0].copy(),
                    many[:0].copy(),
                )
            while count + n_visited > len(turns):
                turns, hubs, nexts = (
                    np.concatenate((turns, turns)),
                    np.concatenate((hubs, hubs)),
                    np.concatenate((nexts, nexts)),
                )
                dists, many, before = (
                    np.concatenate((dists, dists)),
                    np.concatenate((many, many)),
                    np.concatenate((before, before)),
                )
            for k in range(n_visited):
                y = visited[k]
                if kept[y]:
                    turns[count], hubs[count], dists[count] = y ^ 1, root ^ 1, distance[y]
                    nexts[count] = parent[y] ^ 1 if y != root else root ^ 1
                    many[count] = is_many[y]
                    count += 1
                distance[y] = math.inf
            e = head[root]
            while e >= 0:
                to_hub[hubs[e]] = math.inf
                e = before[e]
        for e in range(begin, count):  # only now: the sides of a corner do not prune each other
            before[e], head[turns[e]] = head[turns[e]], e
    return (
        turns[:count].copy(), hubs[:count].copy(), nexts[:count].copy(), dists[:count].copy(),
        many[:count].copy(),
    )  # fmt: skip


@inner
def find_label(turn, hub, table):
    """Label of a turn with a hub; -1 if there is none."""
    low, high = table.offsets[turn], table.offsets[turn + 1]
    while low < high:
        middle = (low + high) // 2
        if table.hubs[middle] < hub:
            low = middle + 1
        else:
            high = middle
    return low if low < table.offsets[turn + 1] and table.hubs[low] == hub else -1


@kernel
def are_labels_of(table, grid, xy):
    """Whether labels lead to their hubs over tangents that are clear of walls: for those of a file.

    It does not check whether the paths are the shortest.
    """
    n, radius = len(table.offsets) - 1, table.radius[0]
    known, lengths = np.full(n, -1), np.empty(n)
    for turn in range(n):
        last, a = -1, table.sites[turn // 2]
        for e in range(table.offsets[turn], table.offsets[turn + 1]):
            hub, following = table.hubs[e], table.nexts[e]
            if hub <= last or hub >= n or following >= n:
                return False
            last = hub
            if hub == turn:
                if table.distances[e] != 0.0:
                    return False
                continue
            rest = find_label(following, hub, table)
            if rest < 0 or following == turn:
                return False
            if known[following] != turn:
                b = table.sites[following // 2]
                ka, kb = (1 - 2 * (turn % 2)) * radius, (1 - 2 * (following % 2)) * radius
                ux, uy, length = tangent(xy[b, 0] - xy[a, 0], xy[b, 1] - xy[a, 1], kb - ka)
                floor = radius - 2.0 * VIOLATION  # its clearance was measured from the other end
                if length < 0.0 or not _is_clear(xy[a], xy[b], ka, kb, ux, uy, floor, grid):
                    return False
                known[following] = turn
                lengths[following] = _between(
                    length, ux, uy, turn, following, radius, table.references
                )
            if abs(table.distances[e] - table.distances[rest] - lengths[following]) > NEAR:
                return False
    return True
