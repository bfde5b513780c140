"""Flow over a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footway import validation
from footway.errors import BadQuery
from footway.measure.rows import checked, frame_of_rows

if TYPE_CHECKING:
    from footway.arrays import Bools, Floats, Ints
    from footway.recording.recording import Recording


class Crossings(NamedTuple):
    """Characters that crossed a line, in the order of time."""

    ids: Ints  # (n,)
    times: Floats  # (n,) s, between two frames by interpolation
    left: Bools  # (n,) whether it went to the left, as seen from the line's first end


def crossings(recording: Recording, line: Any) -> Crossings:
    """Return when characters crossed a line; a character may do so several times.

    Args:
        recording: of a crowd.
        line: its ends ((x0, y0), (x1, y1)), m.

    Example:
        >>> import footway as fw
        >>> hall = fw.Environment.from_polygons(bounds=(0, 0, 10, 4))
        >>> crowd = fw.Crowd(fw.CorridorMap.build(hall))
        >>> _ = crowd.add(1, starts=[(1, 2)], goals=[(9, 2)], speed=1.0)
        >>> found = crossings(crowd.run(seconds=8), ((5, 4), (5, 0)))
        >>> found.ids.tolist(), found.left.tolist(), bool(3.5 < found.times[0] < 5.0)
        ([0], [True], True)
    """
    known = checked(recording)
    ends = validation.sequence(line, "line")
    if len(ends) != 2:
        raise BadQuery(f"a line has two ends ((x0, y0), (x1, y1)), not {validation.shown(line)}")
    a, b = (np.array(validation.pair(end, "end of the line")) for end in ends)
    if (a == b).all():
        raise BadQuery("the line has no length: give two different ends")
    frame = frame_of_rows(known)
    order = np.lexsort((frame, known.ids))
    before, after = order[:-1], order[1:]
    follows = (known.ids[before] == known.ids[after]) & (frame[after] == frame[before] + 1)
    before, after = before[follows], after[follows]
    rows, share, left = steps_over(known.positions[before], known.positions[after], a, b)
    before, after = before[rows], after[rows]
    first = known.times[frame[before]]
    times = first + share * (known.times[frame[after]] - first)
    sort = np.argsort(times, kind="stable")
    return Crossings(known.ids[after][sort], times[sort], left[sort])


def steps_over(before: Floats, after: Floats, a: Floats, b: Floats) -> tuple[Ints, Floats, Bools]:
    """Return which steps (n, 2) to (n, 2) cross the line from a to b.

    Returns their numbers (k,), the share of the step before the line (k,), and whether it leads to
    the left of the line (k,). A point on the line counts as right of it.
    """
    along = b - a

    def side(points: Floats) -> Floats:
        at = points - a
        found: Floats = along[0] * at[:, 1] - along[1] * at[:, 0]  # > 0: on the left of the line
        return found

    was, is_now = side(before), side(after)
    rows = np.flatnonzero((was > 0.0) != (is_now > 0.0))
    share = was[rows] / (was[rows] - is_now[rows])
    place = before[rows] + share[:, None] * (after[rows] - before[rows]) - a
    position = (place * along).sum(axis=1) / (along * along).sum()
    hits = (position >= 0.0) & (position <= 1.0)
    return rows[hits], share[hits], is_now[rows][hits] > 0.0


def flow(recording: Recording, line: Any) -> float:
    """Return the flow over a line, characters per second; NaN if fewer than two crossed it.

    J = (N - 1) / (t_N - t_1) of the first crossings of N characters.
    """
    found = crossings(recording, line)
    _, first = np.unique(found.ids, return_index=True)
    times = np.sort(found.times[first])
    if len(times) < 2 or times[-1] <= times[0]:
        return float("nan")
    return float((len(times) - 1) / (times[-1] - times[0]))
