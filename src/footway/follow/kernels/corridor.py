"""Queries of a corridor: attraction point, free straight lines, furthest valid shortcut.

`balls` is (n, 4): centre and radius R. A ball holds a character if the distance of their centres is
at most R - r. The corridor for the character is the union of these smaller balls.
"""

from __future__ import annotations

import math

from footway._numba.jit import inner
from footway.follow.kernels.layouts import INSIDE, RADIUS
from footway.follow.kernels.vectors import between, distance, dot, minus, row

NEAR = 4  # balls ahead that are checked in every step
FAR = 1.5  # m, a ball further away than this is not checked until the character has moved that far
BLOCK = 16  # balls that are skipped together


@inner
def distance_to(x, k, balls):
    """Distance from a point to the centre of ball k."""
    return distance(row(balls, k), x)


@inner
def gap_to(x, k, r, balls):
    """Distance of a character from the region in which ball k holds it; negative inside."""
    return distance(x, row(balls, k)) - (balls[k, RADIUS] - r - INSIDE)


@inner
def holds(x, k, r, balls):
    """Whether ball k holds a character at x."""
    off = minus(x, row(balls, k))
    reach = balls[k, RADIUS] - r - INSIDE
    return reach > 0.0 and dot(off, off) < reach * reach


@inner
def longest_stride(balls):
    """Upper bound of the change of `gap_to` from one ball to the next, for any position."""
    longest = 1e-12
    for k in range(len(balls) - 1):
        stride = distance(row(balls, k + 1), row(balls, k))
        longest = max(longest, stride + abs(balls[k + 1, RADIUS] - balls[k, RADIUS]))
    return longest


@inner
def advance_near(x, t, r, balls):
    """Largest index among the next few balls that hold a character; t if none does."""
    k, last = t + 1, t + NEAR
    while k <= last and k < len(balls):
        if holds(x, k, r, balls):
            t, last = k, k + NEAR
        k += 1
    return t


@inner(inline=False)
def make_blocks(balls, blocks):
    """Write a bounding ball of each block of consecutive balls: centre and radius (b, 4)."""
    for b in range(len(blocks)):
        first, end = b * BLOCK, min(len(balls), (b + 1) * BLOCK)
        x, radius = row(balls, (first + end) // 2), 0.0
        for k in range(first, end):
            radius = max(radius, gap_to(x, k, 0.0, balls) + 2.0 * balls[k, RADIUS])
        blocks[b, 0], blocks[b, 1], blocks[b, 2], blocks[b, RADIUS] = x[0], x[1], x[2], radius


@inner(inline=False)
def advance_far(x, t, last, r, balls, blocks):
    """Definition 5: largest index up to `last`, and the gap to the nearest other ball.

    Blocks of distant balls are skipped.
    """
    first, least = t + NEAR + 1, FAR
    for b in range(first // BLOCK, last // BLOCK + 1):
        off = minus(x, row(blocks, b))
        reach = blocks[b, RADIUS] - r + FAR
        if dot(off, off) >= reach * reach:
            continue
        for k in range(max(first, b * BLOCK), min(last + 1, (b + 1) * BLOCK)):
            gap = gap_to(x, k, r, balls)
            if gap < 0.0:
                t = k
            else:
                least = min(least, gap)
    return t, least


@inner
def leaves_at(x, to, k, r, balls):
    """Fraction of the line from x to `to` at which it leaves ball k; negative: never in it."""
    off, step = minus(x, row(balls, k)), minus(to, x)
    reach = balls[k, RADIUS] - r - INSIDE
    a, b = dot(step, step), dot(off, step)
    root = b * b - a * (dot(off, off) - reach * reach)
    if reach <= 0.0 or root < 0.0:
        return -1.0
    if a == 0.0:
        return math.inf
    return (math.sqrt(root) - b) / a


@inner
def _next_holder(p, k, last, r, per_metre, balls):
    """First ball from k to `last` that holds a point; an index above `last` if none does."""
    while k <= last:
        gap = gap_to(p, k, r, balls)
        if gap < 0.0:
            break
        k += max(1, int(gap * per_metre))
    return k


@inner(inline=False)
def reaches(x, to, t, last, r, stride, balls):
    """Fraction of the straight line from x that stays in balls t to `last`; 1: all of it.

    Where the line leaves a ball, it continues in a later one that holds it, preferably a far one.
    """
    share, k, first, per_metre = 0.0, t, t, 1.0 / stride
    while True:
        further = leaves_at(x, to, k, r, balls)
        if further <= share and k > first:
            k = (first + k) // 2  # the line leaves the far ball before the near ones
            continue
        if further <= share:
            return share
        share = further
        if share >= 1.0:
            return 1.0
        p = between(x, to, share)
        k = _next_holder(p, k + 1, last, r, per_metre, balls)
        if k > last:  # a ball that was skipped may hold it
            k = _next_holder(p, t, last, r, per_metre, balls)
        if k > last:
            return share
        first, hop = k, 1
        while k + hop <= last and holds(p, k + hop, r, balls):
            k += hop
            hop *= 2


@inner(inline=False)
def _is_valid(x, t, k, r, stride, balls):
    """Whether a free straight line in balls t to k reaches the centre of ball k."""
    return reaches(x, row(balls, k), t, k, r, stride, balls) >= 1.0


@inner(inline=False)
def furthest_valid(x, t, guess, limit, r, stride, balls):
    """Index of alpha(x, dt): the largest up to `limit` that a free straight line reaches.

    Galloping search from the previous result, which is usually close, then bisection.
    """
    low, high, hop = t, limit + 1, 1
    guess = min(max(guess, t), limit)
    if limit - guess <= NEAR and _is_valid(x, t, limit, r, stride, balls):
        return limit
    if guess > t and not _is_valid(x, t, guess, r, stride, balls):
        high = guess
        while high - hop > t and not _is_valid(x, t, high - hop, r, stride, balls):
            high -= hop
            hop *= 2
        low = max(t, high - hop)
    else:
        low = guess
        while low + hop <= limit and _is_valid(x, t, low + hop, r, stride, balls):
            low += hop
            hop *= 2
        high = min(high, low + hop)
    while high - low > 1:
        middle = (low + high) // 2
        if _is_valid(x, t, middle, r, stride, balls):
            low = middle
        else:
            high = middle
    return low
