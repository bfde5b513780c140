"""Speeds of characters, from their positions as in experiments, not from the simulator's state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from footway._numba.portable_math import hypot
from footway.environment.areas import contains
from footway.measure.rows import as_area, checked, frame_of_rows, means_by_frame, neighbours_in_time
from footway.validation import number

if TYPE_CHECKING:
    from footway.arrays import Floats
    from footway.recording.recording import Recording


def speeds(recording: Recording, *, window: float = 0.4) -> Floats:
    """Return the speed of each row of a recording, m/s. (rows,).

    v(t) = |x(t + w/2) - x(t - w/2)| / w, as PedPy's `compute_individual_speed`: a short window
    measures the swaying of steps, a long one smooths stops. It is rounded to whole frames, at least
    one on either side. NaN in the first and the last half window of each character.

    Args:
        recording: with frames at equal intervals.
        window: w, s.

    Example:
        >>> import footway as fw
        >>> crowd = fw.Crowd(fw.CorridorMap.build(fw.load("gallery:field")))
        >>> _ = crowd.add(3, speed=1.2)
        >>> found = speeds(crowd.run(seconds=3))
        >>> bool(np.nanmax(found) < 1.3)
        True
    """
    known = checked(recording)
    window = number(window, "window", "s", above=0.0)
    found = np.full(len(known.ids), np.nan)
    if known.n_frames < 3:
        return found
    spacing = float(known.times[1] - known.times[0])
    here, before, after = neighbours_in_time(known, max(1, round(0.5 * window / spacing)))
    moved = known.positions[after] - known.positions[before]
    frame = frame_of_rows(known)
    found[here] = hypot(*moved.T) / (known.times[frame[after]] - known.times[frame[before]])
    return found


def mean_speed(recording: Recording, area: Any, *, window: float = 0.4) -> Floats:
    """Return the mean speed of the characters inside an area in each frame, m/s. (frames,).

    Args:
        recording: with frames at equal intervals.
        area: ring (k, 2) m, Shapely polygon or Area.
        window: s, of `speeds`.

    Returns:
        NaN for frames in which nobody is inside.
    """
    known = checked(recording)
    frame = frame_of_rows(known)
    values = speeds(known, window=window)
    values[~contains(as_area(area), known.positions)] = np.nan
    return means_by_frame(values, frame, known.n_frames)
