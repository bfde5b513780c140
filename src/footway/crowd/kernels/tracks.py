"""Move attraction points along directed edges.

cmm-2007, definition 5: the attraction point is the furthest ball ahead that contains the character.
A path is a list of half-edges in a pool that all characters share; a wanderer draws the next
half-edge at each vertex instead (cmm-crowds-2008, section 5.2).
"""

from __future__ import annotations

import numpy as np

from footway._numba.jit import inner
from footway.crowd.state import AT, END, FINAL, HALF, ID, LEFT, NEXT
from footway.follow.kernels.forces import mix

FLOOR = 0.3  # m: a ball contains every character this close to its centre, for narrow passages
HOPS = 8  # samples or vertices that an attraction point may pass per step
AHEAD = 24  # samples ahead that are checked from time to time: the valid set may have gaps
BACK = 8  # samples behind that are checked, since characters may be pushed back
WANDERS = -1  # in LEFT


@inner
def holds(k, x, y, r, balls):
    """Return whether the ball of sample k contains a character."""
    dx, dy = x - balls[k, 0], y - balls[k, 1]
    reach = max(balls[k, 2] - r, min(FLOOR, balls[k, 2]))
    return dx * dx + dy * dy < reach * reach


@inner
def first_of(half, tracks):
    """Return the first sample of a half-edge."""
    return tracks.last[half >> 1] if half & 1 else tracks.first[half >> 1]


@inner
def last_of(half, tracks):
    """Return the last sample of a half-edge."""
    return tracks.first[half >> 1] if half & 1 else tracks.last[half >> 1]


@inner(inline=False)
def drawn_edge(half, row, r, bits, tracks, graph):
    """Draw the next half-edge of a wanderer by the weights of the edges.

    It turns back only if there is no other edge, around the invisible obstacle if there is one.
    """
    v = tracks.ends[half >> 1, 1 - (half & 1)]
    total = 0.0
    for slot in range(graph.offsets[v], graph.offsets[v + 1]):
        out = graph.out[slot]
        if out != half ^ 1 and graph.clearance[out >> 1] > r:
            total += tracks.weights[row, out >> 1]
    if total == 0.0:
        loop = tracks.loop_of[v]
        if loop >= 0 and half >> 1 != loop and _fits(loop, r, tracks):
            return 2 * loop
        home = tracks.home[v]
        if home >= 0 and graph.clearance[home >> 1] > r:
            return int(home)  # out of a dead end that wanderers do not use
        return half ^ 1
    share = (bits >> np.uint64(11)) * (1.0 / 9007199254740992.0) * total
    chosen = half ^ 1
    for slot in range(graph.offsets[v], graph.offsets[v + 1]):
        out = graph.out[slot]
        if out != half ^ 1 and graph.clearance[out >> 1] > r:
            weight = tracks.weights[row, out >> 1]
            if weight > 0.0:
                chosen = int(out)
                share -= weight
                if share < 0.0:
                    break
    return chosen


@inner
def _fits(edge, r, tracks):
    """Return whether a character fits on a loop."""
    return tracks.balls[tracks.first[edge], 2] > r + 0.1


@inner
def follow_on(k, x, y, r, step, seed, state, pool, tracks, graph):
    """Advance the attraction point of slot k; return whether it is the last of the path."""
    track = state.track
    at, half = track[k, AT], track[k, HALF]
    for _ in range(HOPS):
        if at == track[k, END]:
            if track[k, LEFT] == 0:
                break
            half = _next_half(k, half, r, step, seed, track, pool, tracks, graph)
            at = first_of(half, tracks)
            continue
        on = at - 1 if half & 1 else at + 1
        if not holds(on, x, y, r, tracks.balls):
            break
        at = on
    if (step + track[k, ID]) & 7 == 0 and at != track[k, END]:
        at = _furthest_on_edge(at, track[k, END], half >> 1, x, y, r, tracks)
    track[k, AT] = at
    return at == track[k, END] and track[k, LEFT] == 0


@inner
def _next_half(k, half, r, step, seed, track, pool, tracks, graph):
    """Continue with the next half-edge of the path, or draw one."""
    if track[k, LEFT] == WANDERS:
        bits = mix(seed, track[k, ID], step * 64 + (half & 63))
        half = drawn_edge(half, track[k, FINAL], r, bits, tracks, graph)
        track[k, END] = last_of(half, tracks)
    else:
        half = int(pool[track[k, NEXT]])
        track[k, NEXT] += 1
        track[k, LEFT] -= 1
        track[k, END] = track[k, FINAL] if track[k, LEFT] == 0 else last_of(half, tracks)
    track[k, HALF] = half
    return half


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
        if holds(k, x, y, r, tracks.balls):
            best = k
    return best


@inner(inline=False)
def fall_back(k, x, y, r, state, tracks):
    """Move the attraction point back to a ball that contains the character; False if none."""
    at, half = state.track[k, AT], state.track[k, HALF]
    begin = first_of(half, tracks)
    for _ in range(BACK):
        if at == begin:
            return False
        at += 1 if half & 1 else -1
        if holds(at, x, y, r, tracks.balls):
            state.track[k, AT] = at
            return True
    return False
