"""Plan paths: draw a goal, find the shortest backbone, store its half-edges.

Paths ("routes" here) are in one pool of half-edges. Its blocks have lengths that are powers of two;
free blocks of each length form a linked list in their own memory.
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway.corridor.kernels.backbone import find_backbone, share_of
from footway.corridor.kernels.layouts import OnAxis
from footway.corridor.kernels.locate import locate_end
from footway.corridor.kernels.query import is_connected
from footway.crowd.kernels.tracks import last_of
from footway.crowd.state import (
    AT,
    END,
    FINAL,
    GOAL,
    GOAL_X,
    GOAL_Y,
    GROUP,
    HALF,
    ID,
    LEFT,
    MODE,
    NEXT,
    RADIUS,
    REACH,
    ROUTE,
    ROUTE_SIZE,
    UNREACHABLE,
    WAITING,
    WALKING,
)
from footway.follow.kernels.forces import mix

FOUND, NONE, IN_WALL = 0, 1, 2
DRAWS = 1024  # greatest number of goals that are drawn
SEARCHES = 4  # greatest number of searches per request
NEAREST = 4.0  # m, least distance of a drawn goal, if possible
SMALLEST = 3  # log2 of the smallest block of the pool

# Columns of `wishes`, the path requests: first place and number of the places to draw from, and
# goals drawn so far.
POOL, POOL_SIZE, DRAW = range(3)
# Columns of `found`: status, place, first and last sample, number of half-edges.
STATUS, PLACE, BEGIN_AT, END_AT, HALVES = range(5)


@inner
def sample_at(piece, x, y, tracks, axis):
    """Return the sample that is nearest to a point of the axis, along it."""
    count = tracks.at_piece[piece + 1] - tracks.at_piece[piece]
    return tracks.at_piece[piece] + int(share_of(piece, x, y, axis) * count + 0.5)


@inner(inline=False)
def _find(x, y, start, radius, number, wish, within, seed, spots, pieces, index, workspace):
    """Draw a reachable goal and find the path: (place, number of half-edges); -1, -1 for none."""
    size, searches = wish[POOL_SIZE], 0
    nearest, best = -1, math.inf  # used if no goal is within the distance
    for attempt in range(DRAWS):
        bits = mix(seed, number, wish[DRAW] * DRAWS + attempt)
        place = wish[POOL] + int(bits % np.uint64(size))
        dx, dy = spots[place, 0] - x, spots[place, 1] - y
        d2 = dx * dx + dy * dy
        if size > 1 and attempt < DRAWS - 1 and (d2 > within * within or d2 < NEAREST * NEAREST):
            if NEAREST * NEAREST <= d2 < best and _reaches(start, place, radius, pieces, index):
                nearest, best = place, d2
            continue
        if size > 1 and attempt == DRAWS - 1 and nearest >= 0:
            place = nearest
        if not _reaches(start, place, radius, pieces, index):
            continue
        goal = OnAxis(pieces[place], spots[place, 2], spots[place, 3])
        count = find_backbone(start, goal, radius, index, workspace)
        if count >= 0:
            return place, count
        searches += 1
        if searches == SEARCHES:
            break
    return -1, -1


@inner
def _reaches(start, place, radius, pieces, index):
    """Return whether there is a path from a start to a place."""
    return pieces[place] >= 0 and is_connected(start.piece, pieces[place], radius, index)


@kernel
def plan(
    first, starts, radii, numbers, wishes, within, seed, spots, pieces, tracks, index, workspace,
    found, halves,
):  # fmt: skip
    """Plan the requests from `first` on; return the first one that does not fit into `halves`.

    The half-edges of all paths are written consecutively.
    """
    used = 0
    for q in range(first, len(starts)):
        if used + len(workspace.halves) > len(halves):
            return q
        x, y = starts[q, 0], starts[q, 1]
        located = locate_end(x, y, index)
        piece, px, py = located.piece, located.x, located.y
        found[q, STATUS], found[q, PLACE], found[q, HALVES] = IN_WALL, -1, 0
        if piece < 0:
            continue
        place, count = _find(
            x, y, OnAxis(piece, px, py), radii[q], numbers[q], wishes[q], within[q], seed, spots,
            pieces, index, workspace,
        )  # fmt: skip
        found[q, STATUS] = NONE if place < 0 else FOUND
        if place < 0:
            continue
        found[q, PLACE], found[q, HALVES] = place, count
        found[q, BEGIN_AT] = sample_at(piece, px, py, tracks, index.axis)
        found[q, END_AT] = sample_at(
            pieces[place], spots[place, 2], spots[place, 3], tracks, index.axis
        )
        for k in range(count):
            halves[used + k] = workspace.halves[k]
        used += count
    return len(starts)


@inner
def _class_of(count):
    size = SMALLEST
    while 1 << size < count:
        size += 1
    return size


@inner
def _give_back(route, size, pool, lists):
    """Free a block of the pool."""
    pool[route] = lists[size]
    lists[size] = route


@inner
def _take(size, pool, lists):
    """Allocate a block; `lists[0]` is the beginning of unused memory. -1: the pool is full."""
    if lists[size] >= 0:
        route = lists[size]
        lists[size] = pool[route]
        return route
    route = lists[0]
    if route + (1 << size) > len(pool):
        return -1
    lists[0] += 1 << size
    return route


@inner
def forget_route(k, state, pool, lists):
    """Free the path of slot k."""
    if state.story[k, ROUTE_SIZE] > 0:
        _give_back(state.story[k, ROUTE], state.story[k, ROUTE_SIZE], pool, lists)
    state.story[k, ROUTE_SIZE] = 0


@kernel
def forget_routes(slots, state, pool, lists):
    """Free the paths of several slots."""
    for k in slots:
        forget_route(k, state, pool, lists)


@kernel
def set_off(slots, found, halves, give_up, spots, reach, state, pool, lists, tracks):
    """Assign the paths that were found; return how many were handled before the pool was full.

    Characters without a new path keep their current one while they walk.
    """
    used = 0
    for q in range(len(slots)):
        k, count = slots[q], found[q, HALVES]
        if found[q, STATUS] != FOUND:
            if give_up and (state.track[k, MODE] != WALKING or state.story[k, ROUTE_SIZE] == 0):
                state.track[k, MODE] = UNREACHABLE
            continue
        forget_route(k, state, pool, lists)
        size = _class_of(count)
        route = _take(size, pool, lists)
        if route < 0:
            return q
        for h in range(count):
            pool[route + h] = halves[used + h]
        used += count
        state.story[k, ROUTE], state.story[k, ROUTE_SIZE] = route, size
        _begin(k, found[q], route, count, spots, reach, state, pool, tracks)
    return len(slots)


@inner
def _begin(k, answer, route, count, spots, reach, state, pool, tracks):
    """Put a character on the first half-edge of a new path."""
    half, at, final, place = int(pool[route]), answer[BEGIN_AT], answer[END_AT], answer[PLACE]
    if count == 1 and (at < final if half & 1 else at > final):
        at = final
    track = state.track
    track[k, AT], track[k, FINAL], track[k, HALF] = at, final, half
    track[k, END] = final if count == 1 else last_of(half, tracks)
    track[k, NEXT], track[k, LEFT], track[k, GROUP] = route + 1, count - 1, -1
    state.story[k, GOAL] = place
    state.place[k, GOAL_X], state.place[k, GOAL_Y] = spots[place, 0], spots[place, 1]
    state.body[k, REACH] = reach[place]
    if track[k, MODE] != WAITING:
        track[k, MODE] = WALKING


@kernel
def wander_off(slots, seed, state, tracks, index):
    """Put wanderers on the nearest edge, in a random direction."""
    axis, graph = index.axis, index.graph
    for q in range(len(slots)):
        k = slots[q]
        x, y = state.place[k, 0], state.place[k, 1]
        located = locate_end(x, y, index)
        piece, px, py = located.piece, located.x, located.y
        if piece < 0:
            state.track[k, MODE] = UNREACHABLE
            continue
        edge = graph.edge_of[piece]
        half = 2 * edge + int(mix(seed, state.track[k, ID], 1) & np.uint64(1))
        if tracks.home[graph.edges[edge, 1 - (half & 1)]] == half ^ 1:
            half ^= 1  # leave dead ends instead of entering them
        if tracks.balls[last_of(half, tracks), 2] <= state.body[k, RADIUS]:
            half ^= 1  # the character does not fit at the end of this edge
        state.track[k, AT] = sample_at(piece, px, py, tracks, axis)
        state.track[k, HALF], state.track[k, LEFT] = half, -1
        state.track[k, END] = last_of(half, tracks)
        if state.track[k, MODE] != WAITING:
            state.track[k, MODE] = WALKING


@kernel
def find_users(n, edges, clearance, state, pool, ids):
    """Write ids of characters whose path uses one of the edges where they do not fit; count."""
    count = 0
    for k in range(n):
        track = state.track
        on_route = track[k, GROUP] < 0 and track[k, HALF] >= 0 and track[k, LEFT] >= 0
        if not on_route or (track[k, MODE] != WALKING and track[k, MODE] != WAITING):
            continue
        for h in range(-1, max(0, track[k, LEFT])):
            edge = (track[k, HALF] if h < 0 else pool[track[k, NEXT] + h]) >> 1
            if edge < len(edges) and edges[edge] and clearance[edge] < state.body[k, RADIUS]:
                ids[count] = track[k, ID]
                count += 1
                break
    return count
