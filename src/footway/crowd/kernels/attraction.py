"""Move attraction points along directed edges.

cmm-2007, definition 5: the attraction point is the furthest ball ahead that contains the character.
A path is a list of half-edges in a pool that all characters share; a wanderer draws the next
half-edge at each vertex instead (cmm-crowds-2008, section 5.2). The front of a group may not move
far ahead of its last member (section 6).
"""

from __future__ import annotations

import math

import numpy as np

from footway._numba.jit import inner, kernel
from footway._numba.math import acos
from footway.crowd.kernels.layouts import (
    AT,
    BALL_RADIUS,
    BALL_X,
    BALL_Y,
    END,
    FINAL,
    FOLLOWS,
    GONE,
    HALF,
    ID,
    LEFT,
    MODE,
    NEXT,
    SHEET,
    WANDERS,
    WEIGHTS_ROW,
)
from footway.follow.kernels.forces import mix

FLOOR = 0.3  # m: a ball contains every character this close to its centre, for narrow passages
HOPS = 8  # samples or vertices that an attraction point may pass per step
AHEAD = 24  # samples ahead that are checked from time to time: the valid set may have gaps
BACK = 8  # samples behind that are checked, since characters may be pushed back

# Columns of `groups`: first and end of its members, first and last sample, index of the first
# sample in `lengths` and `gains`, group area g_A, longitudinal bound, whether there is a bound.
(
    MEMBERS,
    MEMBERS_END,
    FIRST_SAMPLE,
    LAST_SAMPLE,
    BASE,
    GROUP_AREA,
    LONGITUDINAL,
    IS_BOUNDED,
) = range(8)


@inner
def contains(k, x, y, r, balls):
    """Return whether the ball of sample k contains a character."""
    dx, dy = x - balls[k, BALL_X], y - balls[k, BALL_Y]
    reach = max(balls[k, BALL_RADIUS] - r, min(FLOOR, balls[k, BALL_RADIUS]))
    return dx * dx + dy * dy < reach * reach


@inner
def _is_nearer(a, b, x, y, balls):
    """Return whether the centre of sample a is nearer to a point than that of sample b."""
    ax, ay = x - balls[a, BALL_X], y - balls[a, BALL_Y]
    bx, by = x - balls[b, BALL_X], y - balls[b, BALL_Y]
    return ax * ax + ay * ay < bx * bx + by * by


@inner
def first_sample(half, tracks):
    """Return the first sample of a half-edge."""
    return tracks.last[half >> 1] if half & 1 else tracks.first[half >> 1]


@inner
def last_sample(half, tracks):
    """Return the last sample of a half-edge."""
    return tracks.first[half >> 1] if half & 1 else tracks.last[half >> 1]


@inner
def _turns_back(half, out, tracks):
    """Return whether a half-edge leaves a vertex opposite to the direction of arrival.

    Only where edges that meet have the same tangent, as on a roadmap with blends.
    """
    if not tracks.is_smooth:
        return False
    a, b = last_sample(half, tracks), first_sample(out, tracks)
    before = a if a == first_sample(half, tracks) else a + (1 if half & 1 else -1)
    after = b if b == last_sample(out, tracks) else b + (-1 if out & 1 else 1)
    balls = tracks.balls
    ux, uy = balls[a, BALL_X] - balls[before, BALL_X], balls[a, BALL_Y] - balls[before, BALL_Y]
    vx, vy = balls[after, BALL_X] - balls[b, BALL_X], balls[after, BALL_Y] - balls[b, BALL_Y]
    return ux * vx + uy * vy < 0.0


@inner(inline=False)
def draw_edge(half, row, r, bits, tracks, graph):
    """Draw the next half-edge of a wanderer by the weights of the edges.

    It turns back only if there is no other edge, around the invisible obstacle if there is one.
    """
    v = tracks.ends[half >> 1, 1 - (half & 1)]
    total = 0.0
    for slot in range(graph.offsets[v], graph.offsets[v + 1]):
        out = graph.out[slot]
        if out == half ^ 1 or _turns_back(half, out, tracks):
            continue
        if graph.clearance[out >> 1] > r:
            total += tracks.weights[row, out >> 1]
    if total == 0.0:
        loop = tracks.loop_of[v]
        fits = loop >= 0 and tracks.balls[tracks.first[loop], BALL_RADIUS] > r + 0.1
        if fits and half >> 1 != loop:
            return 2 * loop
        home = tracks.home[v]
        if home >= 0 and graph.clearance[home >> 1] > r:
            return int(home)  # out of a dead end that wanderers do not use
        return half ^ 1
    share = (bits >> np.uint64(11)) * (1.0 / 9007199254740992.0) * total
    chosen = half ^ 1
    for slot in range(graph.offsets[v], graph.offsets[v + 1]):
        out = graph.out[slot]
        if out == half ^ 1 or _turns_back(half, out, tracks):
            continue
        if graph.clearance[out >> 1] > r:
            weight = tracks.weights[row, out >> 1]
            if weight > 0.0:
                chosen = int(out)
                share -= weight
                if share < 0.0:
                    break
    return chosen


@inner
def advance(k, x, y, r, step, seed, state, path_halves, tracks, graph):
    """Advance the attraction point of slot k; return whether it is the last of the path."""
    cursor = state.cursor
    at, half, wanders = cursor[k, AT], cursor[k, HALF], cursor[k, FOLLOWS] == WANDERS
    for _ in range(HOPS):
        if at == cursor[k, END]:
            if wanders:
                bits = mix(seed, cursor[k, ID], step * 64 + (half & 63))
                half = draw_edge(half, cursor[k, WEIGHTS_ROW], r, bits, tracks, graph)
                cursor[k, END] = last_sample(half, tracks)
            elif cursor[k, LEFT] > 0:
                half = int(path_halves[cursor[k, NEXT]])
                cursor[k, NEXT] += 1
                cursor[k, LEFT] -= 1
                is_last = cursor[k, LEFT] == 0
                cursor[k, END] = cursor[k, FINAL] if is_last else last_sample(half, tracks)
            else:
                break
            cursor[k, HALF] = half
            at = first_sample(half, tracks)
            continue
        ahead = at - 1 if half & 1 else at + 1
        if not contains(ahead, x, y, r, tracks.balls) and not _is_nearer(
            ahead, at, x, y, tracks.balls
        ):
            break
        if state.sheet[k, SHEET] > 0 and not _is_on_surface(
            at, ahead, x, y, r, state.sheet[k, SHEET], tracks
        ):
            break
        at = ahead
    # In a building a ball beyond a gap may be on another floor.
    if (step + cursor[k, ID]) & 7 == 0 and at != cursor[k, END] and state.sheet[k, SHEET] == 0:
        at = _furthest_on_edge(at, cursor[k, END], half >> 1, x, y, r, tracks)
    cursor[k, AT] = at
    return at == cursor[k, END] and cursor[k, LEFT] == 0 and not wanders


@inner(inline=False)
def _is_on_surface(at, ahead, x, y, r, sheet, tracks):
    """Return whether a ball contains a character of a building, or is nearer, not only in plan.

    On another sheet that is known if both balls contain the character: their intersection is
    connected. Otherwise the ball may be above it, or behind a wall.
    """
    balls = tracks.balls
    return tracks.sheets[ahead] == sheet or (
        contains(at, x, y, r, balls) and contains(ahead, x, y, r, balls)
    )


@inner(inline=False)
def _furthest_on_edge(at, end, edge, x, y, r, tracks):
    """Return the furthest of the next samples whose ball contains the character, over gaps.

    A loop around an invisible obstacle is followed sample by sample.
    """
    if tracks.ends[edge, 0] == tracks.ends[edge, 1] and tracks.ends[edge, 0] >= 0:
        return at
    step = 1 if end > at else -1
    best, k = at, at
    for _ in range(AHEAD):
        if k == end:
            break
        k += step
        if contains(k, x, y, r, tracks.balls):
            best = k
    return best


@inner(inline=False)
def move_back(k, x, y, r, state, tracks):
    """Move the attraction point back to a ball that contains the character; False if none."""
    at, half = state.cursor[k, AT], state.cursor[k, HALF]
    begin = first_sample(half, tracks)
    for _ in range(BACK):
        if at == begin:
            return False
        at += 1 if half & 1 else -1
        if contains(at, x, y, r, tracks.balls):
            state.cursor[k, AT] = at
            return True
    return False


@inner
def _lens(d, a, b):
    """Return the area of the intersection of two discs with centres at distance d. m2."""
    if d >= a + b:
        return 0.0
    small, large = min(a, b), max(a, b)
    if d <= large - small:
        return math.pi * small * small
    u = (d * d + small * small - large * large) / (2.0 * d)
    v = d - u
    return (
        small * small * acos(min(1.0, max(-1.0, u / small)))
        - u * math.sqrt(max(0.0, small * small - u * u))
        + large * large * acos(min(1.0, max(-1.0, v / large)))
        - v * math.sqrt(max(0.0, large * large - v * v))
    )


@kernel
def measure_corridor(balls, lengths, gains):
    """Compute the backbone length up to each ball (n,), and its contribution to the area (n,).

    The overlap with all previous balls equals the overlap with the last one, since the balls are
    maximal balls of a medial axis.
    """
    lengths[0] = gains[0] = 0.0
    for k in range(1, len(balls)):
        dx, dy = balls[k, BALL_X] - balls[k - 1, BALL_X], balls[k, BALL_Y] - balls[k - 1, BALL_Y]
        d, a, b = math.sqrt(dx * dx + dy * dy), balls[k - 1, BALL_RADIUS], balls[k, BALL_RADIUS]
        lengths[k] = lengths[k - 1] + d
        gains[k] = math.pi * b * b - _lens(d, a, b)


@kernel
def limit_fronts(groups, members, slot_of, lengths, gains, onward, balls, state, limits):
    """Compute alpha_max of every group, as a sample that attraction points may not pass; -1: none.

    `members` are ids, in the order of `groups` (g, 8); `lengths` and `gains` are the results of
    `measure_corridor`, one corridor after the other. Likewise `onward` has for each sample the one
    at which the front waits instead, both counted from the first of the corridor.
    """
    for g in range(len(groups)):
        limits[g] = -1
        if groups[g, IS_BOUNDED] == 0.0:
            continue
        first, last = int(groups[g, FIRST_SAMPLE]), int(groups[g, LAST_SAMPLE])
        least = last + 1
        for m in range(int(groups[g, MEMBERS]), int(groups[g, MEMBERS_END])):
            k = slot_of[members[m]]
            if k >= 0 and state.cursor[k, MODE] != GONE:
                least = min(least, state.cursor[k, AT])
        if least > last:
            continue
        base = int(groups[g, BASE]) - first
        at, area = least, math.pi * balls[least, BALL_RADIUS] * balls[least, BALL_RADIUS]
        begin = lengths[base + least]
        while at < last:
            area += gains[base + at + 1]
            length = lengths[base + at + 1] - begin
            if area > groups[g, GROUP_AREA] or length > groups[g, LONGITUDINAL]:
                break
            at += 1
        limits[g] = first + onward[base + at]
