"""Join recordings: merge parts of one run, and continue a run in its file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from footway.errors import BadFile, BadInput
from footway.recording.recording import FIRST, LAST, Chained, Characters, Recording

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from footway.crowd.crowd import Crowd
    from footway.recording.recording import RowSource

_NO_CHARACTERS = Characters(np.empty(0, np.int64), np.empty(0), np.empty(0, np.int32))


class Sources(Chained):
    """Rows of open sources, one after the other; each with the number of its first rows to use."""

    def __init__(self, sources: Sequence[tuple[RowSource, int]]) -> None:
        super().__init__()
        self._sources = [source for source, _ in sources]
        self._ends = np.cumsum([rows for _, rows in sources]).tolist()

    def source(self, k: int) -> RowSource:
        """Return source k."""
        return self._sources[k]


def until(recording: Recording, step: int) -> Recording:
    """Return the frames of a recording up to and including a simulation step."""
    frames = int(np.searchsorted(recording.steps, step, side="right"))
    motions = recording.obstacles
    end = float(recording.times[frames - 1]) if frames else -np.inf
    is_kept = motions[:, FIRST] <= end
    motions = motions[is_kept].copy()
    motions[:, LAST] = np.minimum(motions[:, LAST], end)
    return replace(
        recording,
        times=recording.times[:frames],
        steps=recording.steps[:frames],
        offsets=recording.offsets[: frames + 1],
        obstacles=motions,
        obstacle_floors=recording.obstacle_floors[is_kept],
    )


def joined(recordings: Sequence[Recording]) -> Recording:
    """Join parts of one run, in any order, to one recording; rows are read on demand.

    Frames that occur in several parts are taken from the part that begins latest.
    """
    order = _in_order(recordings)
    if not order:
        return recordings[0]
    ends = [int(after.steps[0]) - 1 for after in order[1:]]
    kept = [until(one, end) for one, end in zip(order, ends, strict=False)] + order[-1:]
    sizes = [int(one.offsets[-1]) for one in kept]
    begins = np.cumsum([0, *sizes[:-1]])
    offsets = [one.offsets[1:] + begin for one, begin in zip(kept, begins, strict=True)]
    return replace(
        order[-1],
        times=np.concatenate([one.times for one in kept]),
        steps=np.concatenate([one.steps for one in kept]),
        offsets=np.concatenate([[0], *offsets]).astype(np.int64),
        characters=union([one.characters for one in kept]),
        names=max((one.names for one in order), key=len),
        obstacles=np.vstack([one.obstacles for one in kept]),
        obstacle_floors=np.concatenate([one.obstacle_floors for one in kept]),
        recorded_map=next((one.recorded_map for one in order[::-1] if one.recorded_map), None),
        source=Sources([(one.source, size) for one, size in zip(kept, sizes, strict=True)]),
    )


def _in_order(recordings: Sequence[Recording]) -> list[Recording]:
    """Sort parts of one run by their first frames and drop those contained in another part."""
    if not recordings:
        raise BadInput("there are no recordings to join; give one or more")
    found = [one for one in recordings if one.n_frames]
    order: list[Recording] = []
    for one in sorted(found, key=lambda one: (int(one.steps[0]), -int(one.steps[-1]))):
        if order:
            _check_one_run(order[-1], one)
        if not order or one.steps[-1] > order[-1].steps[-1]:
            order.append(one)
    return order


def _check_one_run(before: Recording, after: Recording) -> None:
    """Raise BadInput if two recordings are not parts of one run."""
    for what, here, there in (
        ("seeds", before.seed, after.seed),
        ("steps", f"{before.step:g} s", f"{after.step:g} s"),
        ("maps", before.map_name, after.map_name),
    ):
        if here != there:
            raise BadInput(
                f"the recordings are not of one run: their {what} are {here} and {there}"
            )
    old, new = before.environment, after.environment
    if old and new and not old.walkable.equals(new.walkable):
        raise BadInput("the recordings are not of one run: the walls of their maps differ")
    shorter, longer = sorted((before.names, after.names), key=len)
    if longer[: len(shorter)] != shorter:
        raise BadInput("the recordings are not of one run: their populations differ")
    common = np.intersect1d(before.steps, after.steps)
    if len(common):
        a, b = (one.frame(int(one.steps.searchsorted(common[0]))) for one in (before, after))
        if not (np.array_equal(a.ids, b.ids) and np.array_equal(a.positions, b.positions)):
            raise BadInput(
                "the recordings are not of one run: their characters differ after "
                f"{a.time:g} s; export them one by one"
            )


def union(parts: Sequence[Characters]) -> Characters:
    """Return the characters of several recordings; the first occurrence of an id counts."""
    ids, radius, population = zip(_NO_CHARACTERS, *parts, strict=True)
    found, first = np.unique(np.concatenate(ids), return_index=True)
    return Characters(found, np.concatenate(radius)[first], np.concatenate(population)[first])


def recorded_before(crowd: Crowd, file: Path, every: int) -> Recording | None:
    """Return the recording in a file up to the current step if it is of this crowd's run, or None.

    It must have the same seed, step, map and populations, and its last frame must be less than
    `every` steps old; if that is the current step, all positions must be bit-identical.
    """
    from footway.recording.storage import load

    try:
        found = until(load(file), crowd.steps)
    except BadFile:
        return None
    facts = (found.seed, found.step, found.map_name, found.names)
    names = tuple(crowd.names[: len(found.names)])
    if facts != (crowd.seed, crowd.dt, crowd.map.name, names) or not found.n_frames:
        return None
    since = crowd.steps - int(found.steps[-1])
    if since == 0:
        frame = found.frame(-1)
        same = np.array_equal(frame.ids, crowd.ids)
        return found if same and np.array_equal(frame.positions, crowd.positions) else None
    return found if since < every else None
