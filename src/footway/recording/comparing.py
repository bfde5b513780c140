"""Compare recordings bit by bit: hashes of frames and the first difference.

All hashed values are little-endian, and characters are sorted by id:

    frame    BLAKE2b of 16 bytes over step (int64), time (float64), number of characters n (int64),
             ids (n int64), x and y (n x 2 float64), velocity (n x 2 float32), radius (n float64)
             and population (n int64); of a building also floor (n int64)
    replay   BLAKE2b of 16 bytes over the length of a step (float64), the number of frames (int64),
             the hashes of all frames, and the names of populations (a JSON list in UTF-8)

So -0.0 differs from 0.0, and NaNs with the same bits are equal. Seed, map, dynamic obstacles and
completeness of the run are not included.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from footway.arrays import Floats, Ints, Singles
    from footway.recording.recording import Recording

_BYTES: Final = 16

What = Literal[
    "step",
    "time",
    "missing in A",
    "missing in B",
    "position",
    "velocity",
    "radius",
    "population",
    "floors",
]


class FrameHash(NamedTuple):
    """Hash of one frame."""

    frame: int  # number of the frame, from 0
    step: int  # simulation steps done
    time: float  # s
    characters: int  # number of characters in the frame
    hash: str  # 32 hexadecimal digits


class FrameDifference(NamedTuple):
    """The first frame in which two recordings differ, and one of its differences."""

    frame: int  # number of the frame, from 0
    step: int  # simulation steps done, in A
    time: float  # s, in A
    what: What  # the value that differs
    character: int  # smallest id that differs; -1: step or time of the frame differs
    values: tuple[Any, Any]  # in A and in B; None: missing
    amount: float | None  # size of the difference in m, m/s or s; None: not applicable
    characters: int  # number of characters that differ in this frame


class Comparison(NamedTuple):
    """Differences between two recordings, A and B.

    Attributes:
        facts: values in A and B of the global properties that differ: "dt" (s), "populations",
            "frames" (number of frames), "seed", "map", "complete", and "walkable" (area in m2) if
            the recorded maps differ.
        first: the first frame that differs; None if all common frames are equal.
    """

    facts: dict[str, tuple[Any, Any]]
    first: FrameDifference | None

    @property
    def equal(self) -> bool:
        """Whether the replay hashes are equal: seed, maps and "complete" are ignored."""
        return self.first is None and not self.facts.keys() & {"dt", "populations", "frames"}


class _Sorted(NamedTuple):
    """A frame sorted by id, as it is hashed."""

    ids: Ints
    position: Floats
    velocity: Singles
    radius: Floats
    population: Ints
    floors: NDArray[np.int16]


def frame_hashes(recording: Recording) -> Iterator[FrameHash]:
    """Yield the hash of each frame."""
    moments = zip(recording.steps.tolist(), recording.times.tolist(), strict=True)
    for k, (step, time) in enumerate(moments):
        rows = _sorted(recording, k)
        digest = blake2b(digest_size=_BYTES)
        for value, kind in ((step, "<i8"), (time, "<f8"), (len(rows.ids), "<i8")):
            digest.update(np.array(value, kind).tobytes())
        for column, kind in zip(rows[:5], ("<i8", "<f8", "<f4", "<f8", "<i8"), strict=True):
            digest.update(np.ascontiguousarray(column, kind).tobytes())
        if recording.floor_names:
            digest.update(np.ascontiguousarray(rows.floors, "<i8").tobytes())
        yield FrameHash(k, step, time, len(rows.ids), digest.hexdigest())


def replay_hash(recording: Recording, frames: Iterable[FrameHash] | None = None) -> str:
    """Return the hash of a whole recording; `frames` are the hashes of its frames, if known."""
    digest = blake2b(digest_size=_BYTES)
    digest.update(np.array(recording.step, "<f8").tobytes())
    digest.update(np.array(recording.n_frames, "<i8").tobytes())
    for frame in frame_hashes(recording) if frames is None else frames:
        digest.update(bytes.fromhex(frame.hash))
    digest.update(json.dumps(recording.names).encode())
    return digest.hexdigest()


def compare(a: Recording, b: Recording) -> Comparison:
    """Compare two recordings frame by frame, up to the first difference."""
    facts = {
        "dt": (a.step, b.step),
        "populations": (list(a.names), list(b.names)),
        "frames": (a.n_frames, b.n_frames),
        "seed": (a.seed, b.seed),
        "map": (a.map_name, b.map_name),
        "complete": (a.complete, b.complete),
    }
    differing = {name: pair for name, pair in facts.items() if pair[0] != pair[1]}
    here, there = a.environment, b.environment
    if here and there and not here.walkable.equals(there.walkable):
        differing["walkable"] = (here.area, there.area)
    frames = range(min(a.n_frames, b.n_frames))
    first = next((found for k in frames if (found := _difference(a, b, k)) is not None), None)
    return Comparison(differing, first)


def _sorted(recording: Recording, k: int) -> _Sorted:
    frame, characters = recording.frame(k), recording.characters
    floors = np.zeros(len(frame.ids), np.int16)
    if recording.floor_names:
        names = {name: number for number, name in enumerate(recording.floor_names)}
        floors[:] = [names[name] for name in recording.floors_at(k)[0]]
    order = np.argsort(frame.ids, kind="stable")
    ids = frame.ids[order]
    row = np.searchsorted(characters.ids, ids)
    return _Sorted(
        ids,
        frame.positions[order],
        frame.velocities[order],
        characters.radius[row],
        characters.population[row].astype(np.int64),
        floors[order],
    )


def _difference(a: Recording, b: Recording, k: int) -> FrameDifference | None:
    """Return the first difference of frame k in two recordings; None if there is none."""
    step, time = int(a.steps[k]), float(a.times[k])
    steps, times = (step, int(b.steps[k])), (time, float(b.times[k]))
    if steps[0] != steps[1]:
        return FrameDifference(k, step, time, "step", -1, steps, abs(times[1] - time), 0)
    if times[0] != times[1]:
        return FrameDifference(k, step, time, "time", -1, times, abs(times[1] - time), 0)
    rows, others = _sorted(a, k), _sorted(b, k)
    _, here, there = np.intersect1d(rows.ids, others.ids, return_indices=True)
    differing = np.zeros(len(here), bool)
    for name in _Sorted._fields[1:]:
        one, other = getattr(rows, name)[here], getattr(others, name)[there]
        bits = f"i{one.dtype.itemsize}"
        unequal = one.view(bits) != other.view(bits)
        differing |= unequal if unequal.ndim == 1 else unequal.any(axis=1)
    changed = rows.ids[here][differing]
    only_a = np.setdiff1d(rows.ids, others.ids)
    only_b = np.setdiff1d(others.ids, rows.ids)
    number = len(changed) + len(only_a) + len(only_b)
    if not number:
        return None
    character = int(np.concatenate([changed, only_a, only_b]).min())
    what, values, amount = _described(rows, others, character)
    return FrameDifference(k, step, time, what, character, values, amount, number)


def _described(
    rows: _Sorted, others: _Sorted, character: int
) -> tuple[What, tuple[Any, Any], float | None]:
    """Return which value of a character differs, both values, and the size of the difference."""
    place = np.searchsorted(rows.ids, character)
    place_b = np.searchsorted(others.ids, character)
    if character not in rows.ids:
        return "missing in A", (None, others.position[place_b].tolist()), None
    if character not in others.ids:
        return "missing in B", (rows.position[place].tolist(), None), None
    fields: tuple[What, ...] = ("position", "velocity", "radius", "floors")
    for what in fields:
        one, other = getattr(rows, what)[place], getattr(others, what)[place_b]
        if one.tobytes() != other.tobytes():
            with np.errstate(all="ignore"):
                apart = float(np.linalg.norm(np.float64(other) - np.float64(one)))
            return what, (one.tolist(), other.tolist()), apart
    return "population", (int(rows.population[place]), int(others.population[place_b])), None
