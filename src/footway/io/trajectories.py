"""What every export of a recording needs: even frames, rows in batches, and the ground."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import shapely

from footway.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from footway.crowd.recording import Recording
    from footway.environment import Environment

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_BATCH = 200_000  # rows that are written at a time


class EvenFrames(NamedTuple):
    """Frames at equal distances in time: formats with a frame rate know no others."""

    frames: Ints  # (k,) index into the recording's frames
    numbers: Ints  # (k,) from 0
    rate: float  # frames per second


class Batch(NamedTuple):
    """Rows of some frames."""

    frame: Ints  # (n,) number of the frame, from 0
    step: Ints  # (n,) simulation steps done
    time: Floats  # (n,) s
    ids: Ints  # (n,)
    positions: Floats  # (n, 2) m
    velocities: Floats  # (n, 2) m/s


def even_frames(recording: Recording) -> EvenFrames:
    """Return the frames that lie at the distance of the first two, and their rate.

    Raises:
        BadInput: nobody was recorded.

    """
    if not len(recording.characters.ids):
        raise BadInput("nobody is in the recording; there is nothing to export")
    since = recording.steps - recording.steps[0]
    apart = int(since[1]) if len(since) > 1 else 1
    frames = np.flatnonzero(since % apart == 0)
    return EvenFrames(frames, since[frames] // apart, 1.0 / (recording.step * apart))


def batches(recording: Recording, frames: Ints, numbers: Ints) -> Iterator[Batch]:
    """Give the rows of some frames in handy pieces, so that long recordings fit in memory.

    `frames` (k,) are indices into the recording's frames, `numbers` (k,) what they are called.
    """
    sizes = np.diff(recording.offsets)[frames]
    cuts = np.flatnonzero(np.diff(np.cumsum(sizes) // _BATCH)) + 1
    for chosen in np.split(np.arange(len(frames)), cuts):
        if sizes[chosen].any():
            yield _batch(recording, frames[chosen], numbers[chosen], sizes[chosen])


def _batch(recording: Recording, frames: Ints, numbers: Ints, sizes: Ints) -> Batch:
    found = [recording.frame(k) for k in frames.tolist()]
    return Batch(
        np.repeat(numbers, sizes),
        np.repeat(recording.steps[frames], sizes),
        np.repeat(recording.times[frames], sizes),
        np.concatenate([frame.ids for frame in found]),
        np.concatenate([frame.positions for frame in found]),
        np.concatenate([frame.velocities for frame in found]).astype(np.float64),
    )


def ground_of(
    recording: Recording, environment: Environment | None
) -> shapely.Polygon | shapely.MultiPolygon:
    """Return where one can walk: the parts of an environment with somebody in them, or a box.

    Walls without thickness become slits of two millimetres. The box holds everybody.
    """
    if environment is None:
        return _box(recording)
    walls = shapely.union_all([environment.lines, environment.points])
    walkable = shapely.difference(
        environment.walkable, shapely.buffer(walls, environment.grid, quad_segs=2)
    )
    parts = shapely.get_parts(walkable)
    used = _used(recording, parts) if len(parts) > 1 else np.ones(1, bool)
    return shapely.union_all(parts[used])


def _box(recording: Recording) -> shapely.Polygon:
    found = [recording.frame(k).positions for k in range(recording.n_frames)]
    low = np.min([at.min(axis=0) for at in found if len(at)], axis=0)
    high = np.max([at.max(axis=0) for at in found if len(at)], axis=0)
    margin = float(recording.characters.radius.max())
    return shapely.box(*(low - margin), *(high + margin))


def _used(recording: Recording, parts: NDArray[np.object_]) -> NDArray[np.bool_]:
    """Tell which parts somebody is in; all of them where nobody is in any."""
    used = np.zeros(len(parts), bool)
    shapely.prepare(parts)
    for k in range(recording.n_frames):
        at = recording.frame(k).positions
        for part in np.flatnonzero(~used).tolist():
            used[part] = shapely.intersects_xy(parts[part], *at.T).any()
        if used.all():
            break
    return used if used.any() else ~used
