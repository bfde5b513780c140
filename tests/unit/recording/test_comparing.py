"""Hashes that do not change, and the first difference of two recordings."""

import hashlib
import json
import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footway.recording.comparing import compare, frame_hashes, replay_hash
from footway.recording.joining import until
from footway.recording.recording import InMemory, Recorder
from tests.effort import examples
from tests.unit.recording.recordings import MEMORY, random_recording, walk_at_random


def changed(recording, row, **columns):
    """The recording with other values in one row."""
    rows = {name: getattr(recording, name).copy() for name in ("ids", "positions", "velocities")}
    for name, value in columns.items():
        rows[name][row] = value
    return replace(recording, source=InMemory(type(recording._rows)(**rows)))


def hashed_by_hand(recording):
    """Hash one value after the other, as the module documents it."""
    who = {one: k for k, one in enumerate(recording.characters.ids.tolist())}
    whole = hashlib.blake2b(digest_size=16)
    whole.update(struct.pack("<dq", recording.step, recording.n_frames))
    found = []
    for k in range(recording.n_frames):
        time, ids, at, velocity = recording.frame(k)
        order = sorted(range(len(ids)), key=lambda row: ids[row])
        digest = hashlib.blake2b(digest_size=16)
        digest.update(struct.pack("<qdq", int(recording.steps[k]), time, len(ids)))
        digest.update(b"".join(struct.pack("<q", ids[row]) for row in order))
        digest.update(b"".join(struct.pack("<dd", *at[row]) for row in order))
        digest.update(b"".join(struct.pack("<ff", *velocity[row]) for row in order))
        places = [who[int(ids[row])] for row in order]
        digest.update(b"".join(struct.pack("<d", recording.characters.radius[p]) for p in places))
        populations = recording.characters.population
        digest.update(b"".join(struct.pack("<q", populations[place]) for place in places))
        found.append(digest.hexdigest())
        whole.update(digest.digest())
    whole.update(json.dumps(list(recording.names)).encode())
    return found, whole.hexdigest()


class TestHash:
    def test_it_is_what_the_docs_say(self):
        recording = random_recording()
        frames, whole = hashed_by_hand(recording)
        assert [frame.hash for frame in frame_hashes(recording)] == frames
        assert replay_hash(recording) == recording.replay_hash() == whole

    def test_it_stays_the_same(self):
        """Values are exact constants, so that no random generator affects the hash."""
        recorder = Recorder(**MEMORY)
        recorder.add_characters([3, 5], [0.25, 0.5], [0, 1])
        recorder.add_frame(0, 0.0, [5, 3], [(1.5, -0.0), (2.0, np.nan)], [(0, 1), (2, 3)])
        recorder.add_frame(2, 0.25, [], np.empty((0, 2)), np.empty((0, 2)))
        assert recorder.close().replay_hash() == "03ce07f8b30b3c71b8412c7cfcc6b486"

    def test_order_of_rows_makes_no_difference(self):
        recorders = [Recorder(**MEMORY), Recorder(**MEMORY)]
        at = np.array([(1.0, 2.0), (3.0, 4.0)])
        for recorder, order in zip(recorders, ([0, 1], [1, 0]), strict=True):
            recorder.add_characters([7, 9], 0.25, 0)
            recorder.add_frame(0, 0.0, np.array([7, 9])[order], at[order], at[order])
        one, other = (recorder.close() for recorder in recorders)
        assert one.replay_hash() == other.replay_hash()
        assert one.compare(other).equal

    def test_saved_and_loaded(self, tmp_path):
        recording = random_recording()
        recording.save(tmp_path / "run.parquet")
        assert type(recording).load(tmp_path / "run.parquet").replay_hash() == (
            recording.replay_hash()
        )


class TestCompare:
    def test_equal(self):
        found = compare(random_recording(), random_recording())
        assert found.equal
        assert found == ({}, None)

    @examples(60)
    @given(
        row=st.integers(0, 200),
        name=st.sampled_from(["positions", "velocities"]),
        by=st.sampled_from([1e-9, 1.0, np.nan, np.inf, 0.0]),
    )
    def test_one_value(self, row, name, by):
        """A change is found at its position and alters the hash; equal values do not."""
        recording = random_recording()
        before = getattr(recording, name)[row, 0]
        other = changed(recording, row, **{name: getattr(recording, name)[row] + np.array([by, 0])})
        found = compare(recording, other)
        same = getattr(other, name)[row, 0].tobytes() == before.tobytes()
        assert found.equal == same == (recording.replay_hash() == other.replay_hash())
        if same:
            return
        frame = int(np.searchsorted(recording.offsets, row, side="right")) - 1
        assert (found.first.frame, found.first.character) == (frame, recording.ids[row])
        assert found.first.what == {"positions": "position", "velocities": "velocity"}[name]
        assert found.first.characters == 1
        after = getattr(other, name)[row, 0]
        expected = abs(float(after) - float(before))
        assert found.first.amount == pytest.approx(expected, nan_ok=True)
        hashes = zip(frame_hashes(recording), frame_hashes(other), strict=True)
        assert [a.frame for a, b in hashes if a != b] == [frame]

    def test_the_sign_of_zero_and_nan(self):
        zero = changed(random_recording(), 5, positions=(0.0, np.nan))
        assert compare(zero, zero).equal
        found = compare(zero, changed(zero, 5, positions=(-0.0, np.nan)))
        assert found.first.what == "position"
        assert np.isnan(found.first.amount)

    def test_the_first_of_several(self):
        recording = random_recording()
        first, last = recording.offsets[7:9].tolist()
        rows = np.arange(first + 2, last)
        found = compare(recording, changed(recording, rows, positions=(1.0, 1.0)))
        assert (found.first.frame, found.first.character) == (7, recording.ids[first + 2])
        assert found.first.characters == last - first - 2
        assert (found.first.step, found.first.time) == (14, pytest.approx(1.4))

    def test_missing_characters(self):
        recording = random_recording()
        row = int(recording.offsets[4]) + 3
        ids = recording.ids.copy()
        ids[row] = 99
        rows = recording._rows._replace(ids=ids)
        everybody = type(recording.characters)(
            *(np.append(*pair) for pair in zip(recording.characters, (99, 0.25, 0), strict=True))
        )
        other = replace(recording, characters=everybody, source=InMemory(rows))
        found = compare(recording, other).first
        assert (found.frame, found.character, found.what) == (4, 3, "missing in B")
        assert found.values == (recording.positions[row].tolist(), None)
        assert found.characters == 2
        assert compare(other, recording).first.what == "missing in A"

    def test_other_lengths(self):
        recording = random_recording()
        found = compare(recording, until(recording, 12))
        assert not found.equal
        assert found.facts["frames"] == (20, 7)
        assert found.first is None
        assert not compare(until(recording, -1), recording).equal

    def test_other_steps(self):
        recording = random_recording()
        slow = walk_at_random(Recorder(**(MEMORY | {"step": 0.2}))).close()
        found = compare(recording, slow)
        assert found.facts == {"dt": (0.1, 0.2)}
        assert found.first is None
        assert not found.equal
        assert slow.replay_hash() != recording.replay_hash()

    def test_other_frames(self):
        found = compare(random_recording(every=2), random_recording(every=3)).first
        assert (found.frame, found.what) == (0, "position")
        late = replace(random_recording(), times=random_recording().times + 0.5)
        found = compare(random_recording(), late).first
        assert (found.frame, found.what, found.amount) == (0, "time", pytest.approx(0.5))
        other = replace(random_recording(), steps=random_recording().steps + 1)
        assert compare(random_recording(), other).first.what == "step"

    @pytest.mark.parametrize(("name", "value"), [("radius", 0.3), ("population", 0)])
    def test_characters(self, name, value):
        recording = random_recording()
        column = getattr(recording.characters, name).copy()
        column[11] = value
        other = replace(recording, characters=recording.characters._replace(**{name: column}))
        found = compare(recording, other).first
        assert (found.frame, found.character, found.what) == (10, 11, name)
        assert found.amount == (pytest.approx(0.2) if name == "radius" else None)
        assert other.replay_hash() != recording.replay_hash()

    @pytest.mark.parametrize(
        ("change", "counts"),
        [
            ({"seed": 8}, False),
            ({"map_name": "circle"}, False),
            ({"complete": False}, False),
            ({"names": ("left", "up")}, True),
        ],
    )
    def test_facts(self, change, counts):
        recording = random_recording()
        other = replace(recording, **change)
        found = compare(recording, other)
        assert len(found.facts) == 1
        assert found.equal is not counts
        assert (recording.replay_hash() == other.replay_hash()) is not counts
