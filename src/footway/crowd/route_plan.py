"""One route over terrain, as the pool of a crowd keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway.terrain._course_kernels import cut
from footway.terrain._ground_kernels import FREE
from footway.terrain._refine_kernels import refine
from footway.terrain._steiner_kernels import search_nodes
from footway.terrain.course import without_repeats

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.crowd.manner import Footing
    from footway.crowd.state import Habit

    Floats = NDArray[np.float64]

PRICE = 0.05  # share by which such a route may weigh more than the best way
SAME = 1e-6  # m between places that are the same
MARGIN = 0.75  # m that routes keep off worse ground, where there is room: others push one about


class Route(NamedTuple):
    """A route as the pool keeps it."""

    points: Floats  # (n, 4) x, y, m along it, and the cost up to there
    pieces: Floats  # (m, 4) m along it at both ends, the triangle of the spread ground, and 0


def plan_route(start: Floats, goal: Floats, footing: Footing) -> Route | None:
    """The best route from start to goal (2,) that was found; None: there is none."""
    if not np.isfinite([*start, *goal]).all() or (start == goal).all():
        return None
    ground, weights, nodes = footing.terrain.ground, footing.weights, footing.nodes
    way, through = search_nodes(start, goal, weights, ground, nodes)
    if not len(through):
        return None
    taut, off = refine(way, through, start, goal, weights, MARGIN, ground, nodes)
    if len(taut) < 2:
        return None
    points = without_repeats(_cheaper(taut, off, footing))
    lengths = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    triangle, along, _ = cut(points, lengths, ground)
    order = np.argsort(along[:, 0], kind="stable")
    if len(points) < 2 or not len(order):
        return None
    pieces = np.column_stack([along, 2.0 * triangle, np.zeros(len(order))])[order]
    paid = weights[ground.kind[triangle]]
    return Route(_with_costs(points, lengths, along, paid, footing.habit), pieces)


def _cheaper(taut: Floats, off: Floats, footing: Footing) -> Floats:
    """The way (n, 2) that keeps off worse ground, or the best one where that costs too much."""
    if not len(off):
        return taut
    lines = [np.hstack([way[:-1], way[1:]]) for way in (taut, off)]
    (_, best, _), (_, cost, stops) = (footing.terrain.trace(w, footing.weights) for w in lines)
    good = (stops == FREE).all() and cost.sum() <= (1.0 + PRICE) * best.sum()
    return off if good else taut


def _with_costs(
    points: Floats, lengths: Floats, along: Floats, weights: Floats, habit: Habit
) -> Floats:
    """Points of a route (n, 4) with those where the ground changes: x, y, m along it, and cost.

    Pieces along (m, 2) have weights (m,); of two that lie on a border the better one counts.
    """
    if habit.least == habit.most:
        return np.column_stack([points, lengths, habit.least * lengths])
    knots = np.unique(along.ravel())
    nearest = lengths[np.searchsorted(0.5 * (lengths[:-1] + lengths[1:]), knots)]
    knots = knots[(np.abs(knots - nearest) > SAME) & np.append(True, np.diff(knots) > SAME)]
    knots = np.union1d(lengths, knots)
    first, end = np.searchsorted(0.5 * (knots[:-1] + knots[1:]), along.T)
    count = end - first
    where = np.arange(count.sum()) + np.repeat(first - np.cumsum(count) + count, count)
    rates = np.full(len(knots) - 1, habit.most)
    np.minimum.at(rates, where, np.repeat(weights, count))
    rates[np.setdiff1d(np.arange(len(rates)), where)] = habit.least  # no piece: rounding
    kept = np.concatenate([[True], np.diff(rates) != 0.0, [True]]) | np.isin(
        knots, lengths
    )  # bends stay
    places = np.column_stack([np.interp(knots, lengths, points[:, k]) for k in (0, 1)])
    costs = np.concatenate([[0.0], np.cumsum(rates * np.diff(knots))])
    return np.column_stack([places, knots, costs])[kept]
