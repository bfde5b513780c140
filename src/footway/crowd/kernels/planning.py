"""Plan paths: draw a goal, find the shortest backbone, store its half-edges."""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel, prefetch
from footway.corridor.kernels.backbone import (
    direct_cost,
    find_backbone,
    find_backbone_between,
    place_on_edge,
    share_of,
)
from footway.corridor.kernels.graph_search import PlaceOnEdge
from footway.corridor.kernels.layouts import OnAxis
from footway.corridor.kernels.locate import locate_end, locate_on
from footway.corridor.kernels.query import is_connected
from footway.crowd.kernels.attraction import last_sample
from footway.crowd.kernels.layouts import (
    AT,
    AXIS_X,
    AXIS_Y,
    BALL_RADIUS,
    END,
    FINAL,
    FIRST_GOAL,
    FOLLOWS,
    GOAL,
    GOAL_SHEET,
    GOAL_X,
    GOAL_Y,
    GROUP,
    HALF,
    ID,
    LEFT,
    LOOK,
    MODE,
    N_DRAWN,
    N_GOALS,
    NEXT,
    ON_PATH,
    PATH,
    PATH_SIZE,
    RADIUS,
    REACH,
    UNREACHABLE,
    WAITING,
    WALKING,
    WANDERS,
    X,
    Y,
)
from footway.follow.kernels.forces import mix

FOUND, NONE, IN_WALL = 0, 1, 2
DRAWS = 1024  # greatest number of goals that are drawn
DRAWN_AHEAD = 8  # draws by which memory is prefetched: on a large map most goals are too far
SEARCHES = 4  # greatest number of searches per request
NEAREST = 4.0  # m, least distance of a drawn goal, if possible
SMALLEST = 3  # log2 of the smallest block of the pool

# Columns of `found`: status, goal, first and last sample, number of half-edges.
STATUS, GOAL_FOUND, BEGIN_AT, END_AT, HALVES = range(5)


@inner
def _sample_at(piece, x, y, tracks, axis):
    """Return the sample that is nearest to a point of the axis, along it."""
    count = tracks.at_piece[piece + 1] - tracks.at_piece[piece]
    return tracks.at_piece[piece] + int(share_of(piece, x, y, axis) * count + 0.5)


@inner
def _is_reachable(start, goal, radius, pieces, index):
    return pieces[goal] >= 0 and is_connected(start.piece, pieces[goal], radius, index)


@inner
def _are_open(one, other, radius, clearance):
    """Return whether a disc passes the samples between two others, both excluded."""
    for k in range(min(one, other) + 1, max(one, other)):
        if clearance[k] < radius:
            return False
    return True


@inner
def passes(place, begin, end):
    """Return whether a path from one sample of an edge to another passes a sample."""
    return begin <= place <= end or end <= place <= begin


@inner
def _with_delay(place, sample, tracks, delays):
    """Return a place on an edge with the delay at the narrowest place of the edge."""
    extra = delays.weight * delays.by_edge[place.edge]
    narrowest = delays.narrowest[place.edge]
    to_first = extra if passes(narrowest, sample, tracks.first[place.edge]) else 0.0
    to_last = extra if passes(narrowest, sample, tracks.last[place.edge]) else 0.0
    return PlaceOnEdge(
        place.edge,
        place.to_first + to_first,
        place.to_last + to_last,
        place.first_is_open,
        place.last_is_open,
    )


@inner
def _leave_open(place, sample, radius, tracks, clearance):
    """Return a place on an edge with only those directions open that obstacles do not close."""
    first, last = tracks.first[place.edge], tracks.last[place.edge]
    return PlaceOnEdge(
        place.edge,
        place.to_first,
        place.to_last,
        place.first_is_open and _are_open(sample, first - 1, radius, clearance),
        place.last_is_open and _are_open(sample, last + 1, radius, clearance),
    )


@inner(inline=False)
def _find_path(start, goal, radius, tracks, openings, delays, index, workspace):
    """`find_backbone` with obstacles and delays also on the edges of the start and the goal."""
    if not openings.are_narrowed and not delays.are_included:
        return find_backbone(start, goal, radius, index, workspace)
    begin = _sample_at(start.piece, start.x, start.y, tracks, index.axis)
    end = _sample_at(goal.piece, goal.x, goal.y, tracks, index.axis)
    here, there = place_on_edge(start, radius, index), place_on_edge(goal, radius, index)
    direct, is_open = math.inf, True
    if openings.are_narrowed:
        is_open = _are_open(begin, end, radius, openings.clearance)
        here = _leave_open(here, begin, radius, tracks, openings.clearance)
        there = _leave_open(there, end, radius, tracks, openings.clearance)
    if here.edge == there.edge and is_open:
        direct = direct_cost(start, goal, here.edge, radius, index)
    if delays.are_included:
        if passes(delays.narrowest[here.edge], begin, end):
            direct += delays.weight * delays.by_edge[here.edge]
        here = _with_delay(here, begin, tracks, delays)
        there = _with_delay(there, end, tracks, delays)
    return find_backbone_between(start, goal, here, there, direct, radius, index, workspace)


@inner(inline=False)
def _draw_near(bits, q, start, requests, goals, index):
    """Draw one of the reachable goals within the distance; -1 if there is none.

    Goals closer than NEAREST count only if there are no others.
    """
    first = requests.goal_ranges[q, FIRST_GOAL]
    last = first + requests.goal_ranges[q, N_GOALS]
    for least in (NEAREST, 0.0):
        count = 0
        for chosen in range(2):  # count them, then find the one that is drawn
            wanted = int(bits % np.uint64(max(1, count)))
            count = 0
            for goal in range(first, last):
                dx = goals.located[goal, X] - requests.starts[q, X]
                dy = goals.located[goal, Y] - requests.starts[q, Y]
                away = math.sqrt(dx * dx + dy * dy)
                if not least <= away <= requests.within[q]:
                    continue
                if _is_reachable(start, goal, requests.radii[q], goals.pieces, index):
                    if chosen and count == wanted:
                        return goal
                    count += 1
    return -1


@inner
def _draw(q, attempt, requests, seed):
    """Draw one of the goals of a request: (random bits, goal)."""
    wanted = requests.goal_ranges[q]
    bits = mix(seed, requests.ids[q], wanted[N_DRAWN] * DRAWS + attempt)
    return bits, wanted[FIRST_GOAL] + int(bits % np.uint64(wanted[N_GOALS]))


@inner(inline=False)
def _nearest_drawn(q, start, requests, seed, goals, index):
    """Return the nearest of all drawn goals that are too far, if it is reachable; else -1."""
    within, nearest, best = requests.within[q], -1, math.inf
    for attempt in range(DRAWS - 1):
        _, goal = _draw(q, attempt, requests, seed)
        dx = goals.located[goal, X] - requests.starts[q, X]
        dy = goals.located[goal, Y] - requests.starts[q, Y]
        d2 = dx * dx + dy * dy
        is_nearer = NEAREST * NEAREST <= d2 < best and d2 > within * within
        if is_nearer and _is_reachable(start, goal, requests.radii[q], goals.pieces, index):
            nearest, best = goal, d2
    return nearest


@inner(inline=False)
def _find(q, start, requests, seed, goals, tracks, openings, delays, index, workspace):
    """Draw a reachable goal and find the path: (goal, number of half-edges); -1, -1 for none."""
    located, pieces = goals.located, goals.pieces
    radius, within = requests.radii[q], requests.within[q]
    x, y = requests.starts[q, X], requests.starts[q, Y]
    size, searches = requests.goal_ranges[q, N_GOALS], 0
    for attempt in range(DRAWS):
        bits, goal = _draw(q, attempt, requests, seed)
        dx, dy = located[goal, X] - x, located[goal, Y] - y
        d2 = dx * dx + dy * dy
        if size > 1 and attempt < DRAWS - 1 and (d2 > within * within or d2 < NEAREST * NEAREST):
            for ahead in range(1 if attempt == 0 else DRAWN_AHEAD, DRAWN_AHEAD + 1):
                prefetch(located, _draw(q, attempt + ahead, requests, seed)[1])
            continue
        if size > 1 and attempt == DRAWS - 1:
            near = _draw_near(bits, q, start, requests, goals, index)
            if near < 0:  # use the nearest if no goal is within the distance
                near = _nearest_drawn(q, start, requests, seed, goals, index)
            if near >= 0:
                goal = near
        if not _is_reachable(start, goal, radius, pieces, index):
            continue
        end = OnAxis(pieces[goal], located[goal, AXIS_X], located[goal, AXIS_Y])
        count = _find_path(start, end, radius, tracks, openings, delays, index, workspace)
        if count >= 0:
            return goal, count
        searches += 1
        if searches == SEARCHES:
            break
    return -1, -1


@kernel
def find_paths(
    first, requests, seed, goals, tracks, openings, delays, index, workspace, found, halves
):
    """Plan the requests from `first` on; return the first one that does not fit into `halves`.

    The half-edges of all paths are written consecutively. `found` (n, 5) are the results. If
    there are delays, `index.graph.length` contains them.
    """
    used, located = 0, goals.located
    for q in range(first, len(requests.ids)):
        if used + len(workspace.halves) > len(halves):
            return q
        at = locate_on(requests.starts[q, X], requests.starts[q, Y], requests.sheets[q], index)
        found[q, STATUS], found[q, GOAL_FOUND], found[q, HALVES] = IN_WALL, -1, 0
        if at.piece < 0:
            continue
        start = OnAxis(at.piece, at.x, at.y)
        goal, count = _find(
            q, start, requests, seed, goals, tracks, openings, delays, index, workspace
        )
        found[q, STATUS] = NONE if goal < 0 else FOUND
        if goal < 0:
            continue
        found[q, GOAL_FOUND], found[q, HALVES] = goal, count
        found[q, BEGIN_AT] = _sample_at(at.piece, at.x, at.y, tracks, index.axis)
        found[q, END_AT] = _sample_at(
            goals.pieces[goal], located[goal, AXIS_X], located[goal, AXIS_Y], tracks, index.axis
        )
        for k in range(count):
            halves[used + k] = workspace.halves[k]
        used += count
    return len(requests.ids)


@inner
def free_block(block, size, pool):
    """Free a block of the pool."""
    pool.halves[block] = pool.free[size]
    pool.free[size] = block


@inner
def take_block(size, pool):
    """Allocate a block of 2**size half-edges; -1: the pool is full."""
    if pool.free[size] >= 0:
        block = pool.free[size]
        pool.free[size] = pool.halves[block]
        return block
    block = pool.free[0]
    if block + (1 << size) > len(pool.halves):
        return -1
    pool.free[0] += 1 << size
    return block


@inner
def _forget_path(k, state, pool):
    if state.journey[k, PATH_SIZE] > 0:
        free_block(state.journey[k, PATH], state.journey[k, PATH_SIZE], pool)
    state.journey[k, PATH_SIZE] = 0


@kernel
def forget_paths(slots, state, pool):
    """Free the paths of several slots."""
    for k in slots:
        _forget_path(k, state, pool)


@kernel
def assign_paths(slots, found, halves, give_up, goals, state, pool, tracks):
    """Assign the paths that were found; return how many were handled before the pool was full.

    Characters without a new path keep their current one while they walk.
    """
    used = 0
    for q in range(len(slots)):
        k, count = slots[q], found[q, HALVES]
        if found[q, STATUS] != FOUND:
            if give_up and (state.cursor[k, MODE] != WALKING or state.journey[k, PATH_SIZE] == 0):
                state.cursor[k, MODE] = UNREACHABLE
            continue
        _forget_path(k, state, pool)
        size = SMALLEST
        while 1 << size < count:
            size += 1
        block = take_block(size, pool)
        if block < 0:
            return q
        for h in range(count):
            pool.halves[block + h] = halves[used + h]
        used += count
        state.journey[k, PATH], state.journey[k, PATH_SIZE] = block, size
        _begin(k, found[q], block, count, goals, state, pool.halves, tracks)
    return len(slots)


@inner
def _begin(k, answer, block, count, goals, state, path_halves, tracks):
    """Put a character on the first half-edge of a new path."""
    half, at = int(path_halves[block]), answer[BEGIN_AT]
    final, goal = answer[END_AT], answer[GOAL_FOUND]
    if count == 1 and (at < final if half & 1 else at > final):
        at = final
    cursor = state.cursor
    cursor[k, AT], cursor[k, FINAL], cursor[k, HALF] = at, final, half
    cursor[k, END] = final if count == 1 else last_sample(half, tracks)
    cursor[k, NEXT], cursor[k, LEFT], cursor[k, GROUP] = block + 1, count - 1, -1
    cursor[k, FOLLOWS] = ON_PATH
    state.body[k, LOOK] = 0.0
    state.journey[k, GOAL] = goal
    state.place[k, GOAL_X], state.place[k, GOAL_Y] = goals.located[goal, X], goals.located[goal, Y]
    state.body[k, REACH] = goals.reach[goal]
    state.sheet[k, GOAL_SHEET] = goals.sheets[goal]
    if cursor[k, MODE] != WAITING:
        cursor[k, MODE] = WALKING


@kernel
def start_wandering(slots, seed, state, tracks, index):
    """Put wanderers on the nearest edge, in a random direction."""
    graph = index.graph
    for q in range(len(slots)):
        k = slots[q]
        at = locate_end(state.place[k, X], state.place[k, Y], index)
        if at.piece < 0:
            state.cursor[k, MODE] = UNREACHABLE
            continue
        edge = graph.edge_of[at.piece]
        half = 2 * edge + int(mix(seed, state.cursor[k, ID], 1) & np.uint64(1))
        if tracks.home[graph.edges[edge, 1 - (half & 1)]] == half ^ 1:
            half ^= 1  # leave dead ends instead of entering them
        if tracks.balls[last_sample(half, tracks), BALL_RADIUS] <= state.body[k, RADIUS]:
            half ^= 1  # the character does not fit at the end of this edge
        state.cursor[k, AT] = _sample_at(at.piece, at.x, at.y, tracks, index.axis)
        state.cursor[k, HALF], state.cursor[k, FOLLOWS], state.cursor[k, LEFT] = half, WANDERS, 0
        state.cursor[k, END] = last_sample(half, tracks)
        state.body[k, LOOK] = 0.0
        if state.cursor[k, MODE] != WAITING:
            state.cursor[k, MODE] = WALKING


@kernel
def find_users(n, edges, clearance, state, path_halves, ids):
    """Write ids of characters whose path uses one of the edges where they do not fit; count."""
    count = 0
    cursor = state.cursor
    for k in range(n):
        has_path = cursor[k, GROUP] < 0 and cursor[k, HALF] >= 0 and cursor[k, FOLLOWS] == ON_PATH
        if not has_path or (cursor[k, MODE] != WALKING and cursor[k, MODE] != WAITING):
            continue
        for h in range(-1, cursor[k, LEFT]):
            edge = (cursor[k, HALF] if h < 0 else path_halves[cursor[k, NEXT] + h]) >> 1
            if edge < len(edges) and edges[edge] and clearance[edge] < state.body[k, RADIUS]:
                ids[count] = cursor[k, ID]
                count += 1
                break
    return count
