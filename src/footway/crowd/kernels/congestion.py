"""Congestion: who is about to pass which bottleneck, and what a path costs with its delays."""

from __future__ import annotations

import math

from footway._numba.jit import inner, kernel
from footway.crowd.kernels.attraction import first_sample, last_sample
from footway.crowd.kernels.layouts import (
    AT,
    END,
    FINAL,
    FOLLOWS,
    GROUP,
    HALF,
    ID,
    LEFT,
    MODE,
    NEXT,
    ON_PATH,
    POPULATION,
    SPEED,
    WALKING,
)
from footway.crowd.kernels.planning import BEGIN_AT, END_AT, FOUND, HALVES, STATUS, passes


@inner
def _walks_path(k, state):
    """Return whether a character walks along a path of its own."""
    cursor = state.cursor
    is_walking = cursor[k, MODE] == WALKING and cursor[k, FOLLOWS] == ON_PATH
    return is_walking and cursor[k, GROUP] < 0 and cursor[k, HALF] >= 0


@inner
def _length_between(at, end, edge, tracks, graph):
    """Return the length of an edge between two of its samples, m."""
    samples = max(1, tracks.last[edge] - tracks.first[edge])
    return abs(end - at) * graph.length[edge] / samples


@inner
def _next_bottleneck(k, horizon, state, path_halves, tracks, graph, narrowest):
    """Return the edge with the narrowest place that a character passes within a distance; or -1."""
    cursor = state.cursor
    half, at, end, left = cursor[k, HALF], cursor[k, AT], cursor[k, END], cursor[k, LEFT]
    least, found, walked = math.inf, -1, 0.0
    for h in range(left + 1):
        if h > 0:
            half = path_halves[cursor[k, NEXT] + h - 1]
            at = first_sample(half, tracks)
            end = cursor[k, FINAL] if h == left else last_sample(half, tracks)
        edge = half >> 1
        if edge >= len(graph.clearance):
            break  # an edge of the crowd, such as a loop
        is_narrower = graph.clearance[edge] <= least
        if is_narrower and passes(narrowest[edge], at, end):
            least, found = graph.clearance[edge], edge
        walked += _length_between(at, end, edge, tracks, graph)
        if walked > horizon:
            break
    return found


@kernel
def count_at_bottlenecks(n, seconds, state, path_halves, tracks, graph, narrowest, counts):
    """Count by edge the characters whose next bottleneck it is (ne,).

    The next bottleneck of a character is the narrowest place that it would pass within so many
    seconds if nobody were in its way; each character counts once.
    """
    counts[:] = 0.0
    for k in range(n):
        if _walks_path(k, state):
            horizon = seconds * state.body[k, SPEED]
            edge = _next_bottleneck(k, horizon, state, path_halves, tracks, graph, narrowest)
            if edge >= 0:
                counts[edge] += 1.0


@inner
def _path_cost(half, at, end, halves, next_half, left, final, weight, tracks, graph, delays):
    """Return length and delay of a path, m, and whether it is delayed.

    It begins on `half`, between the samples `at` and `end`, and continues with `left` half-edges
    from halves[next_half] on, up to the sample `final`.
    """
    length, delay = 0.0, 0.0
    for h in range(left + 1):
        if h > 0:
            half = halves[next_half + h - 1]
            at = first_sample(half, tracks)
            end = final if h == left else last_sample(half, tracks)
        edge = half >> 1
        length += _length_between(at, end, edge, tracks, graph)
        if passes(delays.narrowest[edge], at, end):
            delay += delays.by_edge[edge]
    return length + weight * delay, delay > 0.0


@kernel
def find_delayed(n, step, period, weights, state, path_halves, tracks, graph, delays, ids, costs):
    """Find the characters whose turn it is and whose path has a delay; return their number.

    A character has its turn once in `period` steps, if the weight of its population (m per second
    of delay) is positive. Writes ids and costs of the remaining paths, m.
    """
    count, cursor = 0, state.cursor
    for k in range(n):
        weight = weights[state.journey[k, POPULATION]]
        is_due = (step + cursor[k, ID]) % period == 0
        if not is_due or weight <= 0.0 or not _walks_path(k, state):
            continue
        if cursor[k, HALF] >> 1 >= len(graph.length):
            continue
        cost, is_delayed = _path_cost(
            cursor[k, HALF], cursor[k, AT], cursor[k, END], path_halves, cursor[k, NEXT],
            cursor[k, LEFT], cursor[k, FINAL], weight, tracks, graph, delays,
        )  # fmt: skip
        if is_delayed:
            ids[count], costs[count] = cursor[k, ID], cost
            count += 1
    return count


@kernel
def measure_paths(found, halves, weights, tracks, graph, delays, costs):
    """Compute the costs (n,) of paths that were found, m; infinite where there is none.

    `found` (n, 5) and `halves` are results of `find_paths`, `weights` (n,) m per second of delay.
    """
    used = 0
    for q in range(len(found)):
        costs[q] = math.inf
        if found[q, STATUS] != FOUND:
            continue
        half, left = halves[used], found[q, HALVES] - 1
        end = found[q, END_AT] if left == 0 else last_sample(half, tracks)
        costs[q], _ = _path_cost(
            half, found[q, BEGIN_AT], end, halves, used + 1, left, found[q, END_AT], weights[q],
            tracks, graph, delays,
        )  # fmt: skip
        used += found[q, HALVES]
