"""Limit how far the front of a group may move ahead (cmm-crowds-2008, section 6)."""

from __future__ import annotations

import math

from footway._numba.jit import inner, kernel
from footway._numba.math import acos
from footway.crowd.state import AT, GONE, MODE


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
        dx, dy = balls[k, 0] - balls[k - 1, 0], balls[k, 1] - balls[k - 1, 1]
        d = math.sqrt(dx * dx + dy * dy)
        lengths[k] = lengths[k - 1] + d
        gains[k] = math.pi * balls[k, 2] * balls[k, 2] - _lens(d, balls[k - 1, 2], balls[k, 2])


@kernel
def cap(groups, members, slot_of, lengths, gains, balls, state, caps):
    """Compute alpha_max of every group, as a sample that attraction points may not pass.

    `groups` (g, 8): first and end of its members, first and last sample, index of the first sample
    in `lengths` and `gains`, group area g_A, longitudinal bound, whether there is a bound.
    """
    for g in range(len(groups)):
        caps[g] = -1
        if groups[g, 7] == 0.0:
            continue
        first, last, base = int(groups[g, 2]), int(groups[g, 3]), int(groups[g, 4])
        least = last + 1
        for m in range(int(groups[g, 0]), int(groups[g, 1])):
            k = slot_of[members[m]]
            if k >= 0 and state.track[k, MODE] != GONE:
                least = min(least, state.track[k, AT])
        if least > last:
            continue
        at, area = least, math.pi * balls[least, 2] * balls[least, 2]
        begin = lengths[base + least - first]
        while at < last:
            area += gains[base + at + 1 - first]
            if area > groups[g, 5] or lengths[base + at + 1 - first] - begin > groups[g, 6]:
                break
            at += 1
        caps[g] = at
