"""Shared parts of all exports: evenly spaced frames, batches of rows, and the walkable area."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway.environment.areas import box, covers, union, walkable_parts
from footway.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from footway.arrays import Bools, Floats, Ints
    from footway.corridor import CorridorMap
    from footway.environment import Environment
    from footway.environment.areas import Polygon
    from footway.recording.recording import Recording

_BATCH = 200_000  # rows written at a time
_CHECKED_FRAMES = 25  # to check that a map belongs to a recording


class EvenFrames(NamedTuple):
    """Frames at equal time intervals, as required by formats with a frame rate."""

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
    """Return the frames at multiples of the first interval, and their rate.

    Raises:
        BadInput: the recording has no characters.
    """
    check_plane(recording)
    if not len(recording.characters.ids):
        raise BadInput("the recording has no characters; there is nothing to export")
    since = recording.steps - recording.steps[0]
    apart = int(since[1]) if len(since) > 1 else 1
    frames = np.flatnonzero(since % apart == 0)
    return EvenFrames(frames, since[frames] // apart, 1.0 / (recording.step * apart))


def check_plane(recording: Recording) -> None:
    """Raise BadInput for the recording of a whole building."""
    if recording.floor_names:
        raise BadInput(
            "the recording is of a building: take one floor of it, recording.on_floor("
            f"{recording.floor_names[0]!r})"
        )


def batches(recording: Recording, frames: Ints, numbers: Ints) -> Iterator[Batch]:
    """Yield the rows of some frames in batches, so that long recordings fit in memory.

    `frames` (k,) are indices into the recording's frames, `numbers` (k,) their exported numbers.
    """
    sizes = np.diff(recording.offsets)[frames]
    cuts = np.flatnonzero(np.diff(np.cumsum(sizes) // _BATCH)) + 1
    for chosen in np.split(np.arange(len(frames)), cuts):
        counts = sizes[chosen]
        if not counts.any():
            continue
        found = [recording.frame(k) for k in frames[chosen].tolist()]
        yield Batch(
            np.repeat(numbers[chosen], counts),
            np.repeat(recording.steps[frames[chosen]], counts),
            np.repeat(recording.times[frames[chosen]], counts),
            np.concatenate([frame.ids for frame in found]),
            np.concatenate([frame.positions for frame in found]),
            np.concatenate([frame.velocities for frame in found]).astype(np.float64),
        )


def walkable_area(recording: Recording, environment: Environment | None) -> Polygon:
    """Return the parts of an environment that contain characters.

    By default it is the recording's own environment, or a box around all characters.
    Walls without thickness become slits of two millimetres.
    """
    environment = environment or recording.environment
    if environment is None:
        return box_of(recording)
    parts = walkable_parts(environment)
    used = _used(recording, parts) if len(parts) > 1 else [True]
    return union(list(compress(parts, used)))


def check_inside(recording: Recording, environment: Environment, name: str) -> None:
    """Raise BadInput if a character was outside the walkable area of a map called `name`."""
    _check_some(recording, name, lambda at: covers(environment.walkable, at))


def check_clear(recording: Recording, cmap: CorridorMap, name: str) -> None:
    """Raise BadInput if a character was outside the free space of a corridor map."""
    _check_some(recording, name, lambda at: cmap.clearance(at) > 0.0)


def _check_some(recording: Recording, name: str, is_inside: Callable[[Floats], Bools]) -> None:
    """Check positions in evenly spaced frames, including the first and the last."""
    for k in np.unique(np.linspace(0, recording.n_frames - 1, _CHECKED_FRAMES).astype(np.int64)):
        frame = recording.frame(int(k))
        outside = np.flatnonzero(~is_inside(frame.positions))
        if len(outside):
            x, y = frame.positions[outside[0]].tolist()
            raise BadInput(
                f"{name}: is not the map of the recording: after {frame.time:g} s character "
                f"{int(frame.ids[outside[0]])} is at ({x:.2f}, {y:.2f}), outside of it or in an "
                "obstacle; give the map of the recording, in the same scale"
            )


def box_of(recording: Recording) -> Polygon:
    """Return a box that contains all characters, m."""
    found = [recording.frame(k).positions for k in range(recording.n_frames)]
    low = np.min([at.min(axis=0) for at in found if len(at)], axis=0)
    high = np.max([at.max(axis=0) for at in found if len(at)], axis=0)
    margin = float(recording.characters.radius.max())
    return box(low - margin, high + margin)


def _used(recording: Recording, parts: Sequence[Polygon]) -> Bools:
    """Return which parts contain a character; all of them if none does."""
    used = np.zeros(len(parts), bool)
    for k in range(recording.n_frames):
        at = recording.frame(k).positions
        for part in np.flatnonzero(~used).tolist():
            used[part] = covers(parts[part], at).any()
        if used.all():
            break
    return used if used.any() else ~used
