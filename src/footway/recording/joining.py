"""Recordings one after the other: parts of one run become one, and a run goes on in its file."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway.errors import BadFile, BadInput
from footway.recording.recording import FIRST, LAST, Characters, Recording, concatenated

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from footway.crowd.crowd import Crowd
    from footway.recording.recording import Rows, RowSource


_NOBODY = Characters(np.empty(0, np.int64), np.empty(0), np.empty(0, np.int32))


class _Part(NamedTuple):
    """The first rows of a recording, and where they begin in what it is joined to."""

    source: RowSource
    begin: int
    end: int


class _Chained:
    """Rows of several sources, one after the other."""

    def __init__(self, parts: Sequence[_Part]) -> None:
        self._parts = parts

    def read(self, first: int, last: int) -> Rows:
        return concatenated(
            part.source.read(max(first, part.begin) - part.begin, min(last, part.end) - part.begin)
            for part in self._parts
            if first < part.end and part.begin < last
        )


def chained(sources: Sequence[tuple[RowSource, int]]) -> RowSource:
    """Return the rows of several sources one after the other: the first so many of each."""
    begins = np.concatenate([[0], np.cumsum([rows for _, rows in sources])]).tolist()
    ends = pairwise(begins)
    return _Chained([_Part(one, *rows) for (one, _), rows in zip(sources, ends, strict=True)])


def until(recording: Recording, step: int) -> Recording:
    """The frames of a recording up to a number of simulation steps, that one included."""
    frames = int(np.searchsorted(recording.steps, step, side="right"))
    ways = recording.obstacles
    end = float(recording.times[frames - 1]) if frames else -np.inf
    ways = ways[ways[:, FIRST] <= end].copy()
    ways[:, LAST] = np.minimum(ways[:, LAST], end)
    return replace(
        recording,
        times=recording.times[:frames],
        steps=recording.steps[:frames],
        offsets=recording.offsets[: frames + 1],
        obstacles=ways,
    )


def joined(recordings: Sequence[Recording]) -> Recording:
    """Parts of one run, in any order, as one recording; rows are read when asked for.

    Frames that several parts have are taken from the one that begins later.
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
        source=chained([(one.source, size) for one, size in zip(kept, sizes, strict=True)]),
    )


def _in_order(recordings: Sequence[Recording]) -> list[Recording]:
    """Parts of one run by their first frames, without those that lie in another."""
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
    """Raise BadInput where two recordings are not parts of one run."""
    for what, a, b in (
        ("seeds", before.seed, after.seed),
        ("steps", f"{before.step:g} s", f"{after.step:g} s"),
        ("maps", before.map_name, after.map_name),
    ):
        if a != b:
            raise BadInput(f"the recordings are not of one run: their {what} are {a} and {b}")
    shorter, longer = sorted((before.names, after.names), key=len)
    if longer[: len(shorter)] != shorter:
        raise BadInput("the recordings are not of one run: they have other populations")


def union(parts: Sequence[Characters]) -> Characters:
    """Return everybody of several recordings, with what the first of them says."""
    ids, radius, population = zip(_NOBODY, *parts, strict=True)
    found, first = np.unique(np.concatenate(ids), return_index=True)
    return Characters(found, np.concatenate(radius)[first], np.concatenate(population)[first])


def recorded_before(crowd: Crowd, file: Path, every: int) -> Recording | None:
    """The recording in a file up to now, where it is of this crowd's run; None where it is not.

    It has the same seed, step, map and populations, its last frame is less than `every` steps ago,
    and where that is now, everybody is in the same place, to the last bit.
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
