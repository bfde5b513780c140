"""Join parts of one run, and continue a run in its file without losing frames."""

from dataclasses import replace

import numpy as np
import pytest

import footway as fw
from footway.recording.joining import joined, until
from footway.recording.recording import Recorder, Recording
from tests.unit.crowd.maps import cmap, crowd
from tests.unit.recording.recordings import MEMORY, assert_same, random_recording, walk_at_random


def walkers(seed=1):
    it = crowd("hall", seed=seed)
    it.add(6, name="some")
    it.add_obstacle((5, 2), 0.5, velocity=(0.1, 0.0), appears=1.0, vanishes=3.0)
    return it


@pytest.fixture(scope="module")
def whole():
    """A run of four seconds in one go."""
    return walkers().run(seconds=4.0, every=5)


class TestUntil:
    def test_frames_up_to_a_step(self):
        recording = random_recording()
        for step in (0, 7, 20, 38, 99):
            frames = min(20, step // 2 + 1)
            assert_same(_copied(until(recording, step)), recording, frames=frames)

    def test_nothing(self):
        assert until(random_recording(), -1).n_frames == 0

    def test_obstacles_end_there(self, whole):
        half = until(whole, 20)
        assert half.obstacles[:, 6].max() == pytest.approx(2.0)
        for k in range(half.n_frames):
            assert (half.obstacles_at(k) == whole.obstacles_at(k)).all()


class TestJoined:
    @pytest.mark.parametrize("overlap", [0, 4])
    def test_in_any_order(self, overlap):
        recording = random_recording()
        parts = [until(recording, 12 + overlap), _since(recording, 14), until(recording, 4)]
        assert_same(parts[1].joined(parts[2], parts[0]), recording)

    def test_populations_that_were_added_later_are_named(self):
        recording = random_recording()
        later = replace(_since(recording, 16), names=("left", "right", "late"))
        for parts in ((until(recording, 14), later), (later, until(recording, 14))):
            assert joined(parts).names == ("left", "right", "late")

    def test_a_part_within_another_changes_nothing(self):
        recording = random_recording()
        assert_same(until(recording, 20).joined(recording), recording)
        assert_same(recording.joined(_since(until(recording, 20), 8)), recording)

    def test_saved_and_loaded(self, tmp_path):
        recording, file = random_recording(), tmp_path / "all.parquet"
        until(recording, 14).joined(_since(recording, 16)).save(file)
        assert_same(Recording.load(file), recording)

    def test_parts_without_frames(self):
        recording, empty = random_recording(), Recorder(**MEMORY).close()
        assert_same(empty.joined(recording), recording)
        assert empty.joined(empty).n_frames == 0
        with pytest.raises(fw.BadInput, match="no recordings"):
            joined([])

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"seed": 8}, "their seeds are 7 and 8"),
            ({"step": 0.2}, "their steps are 0.1 s and 0.2 s"),
            ({"map_name": "circle"}, "their maps are square and circle"),
            ({"names": ("left", "up")}, "their populations differ"),
        ],
    )
    def test_other_runs_are_refused(self, change, words):
        other = walk_at_random(Recorder(**(MEMORY | change))).close()
        with pytest.raises(fw.BadInput, match=words):
            random_recording().joined(_since(other, 4))


class TestGoingOn:
    @pytest.mark.parametrize("every", [1, 5])
    def test_a_second_run_continues_in_the_file(self, tmp_path, every):
        file, it = tmp_path / "run.parquet", walkers()
        it.run(seconds=1.5, every=every, to=file)
        made = it.run(seconds=2.5, every=every, to=file)
        whole = walkers().run(seconds=4.0, every=every)
        for recording in (made, Recording.load(file)):
            assert_same(recording, whole)
            assert recording.complete
            for k in range(whole.n_frames):
                assert recording.obstacles_at(k) == pytest.approx(whole.obstacles_at(k))
        assert [one.name for one in tmp_path.iterdir()] == ["run.parquet"]

    def test_also_after_a_checkpoint_between_two_frames(self, whole, tmp_path):
        """The frames of a stopped run keep their interval."""
        file, saved, it = tmp_path / "run.parquet", tmp_path / "run.npz", walkers()

        def stop(done, _total):
            if done == 18:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            it.run(seconds=4.0, every=5, to=file, progress=stop)
        it.save(saved)
        again = fw.Crowd.load(saved, cmap("hall"))
        assert again.continues(file, every=5)
        assert not again.continues(file)
        again.run(seconds=2.2, every=5, to=file)
        assert_same(Recording.load(file), whole)

    def test_recomputed_frames_count_after_a_kill_too(self, tmp_path):
        """The file has frames after the step from which the run continues."""
        file, it = tmp_path / "run.parquet", walkers()
        walkers().run(seconds=4.0, to=file)
        it.step(20)
        recorder = it.recorder(file)
        for _ in range(5):
            it.step()
            it.record(recorder)
        recorder.flush()
        assert Recording.load(file).steps.tolist() == list(range(26))
        recorder.close()
        assert Recording.load(file).steps.tolist() == list(range(26))

    def test_populations_that_come_while_it_runs_are_named(self):
        it = walkers()
        recorder = it.recorder()
        it.record(recorder)
        it.add(2, name="late")
        it.step()
        it.record(recorder)
        assert recorder.close().names == ("some", "late")

    def test_a_fresh_run_replaces_the_file(self, tmp_path):
        file = tmp_path / "run.parquet"
        walkers(seed=2).run(seconds=2.0, to=file)
        walkers().run(seconds=1.0, to=file)
        assert_same(Recording.load(file), walkers().run(seconds=1.0))

    def test_a_later_run_with_another_seed_replaces_the_file(self, tmp_path):
        file, it = tmp_path / "run.parquet", walkers()
        walkers(seed=2).run(seconds=2.0, to=file)
        it.step(10)
        assert not it.continues(file)
        assert not it.continues(tmp_path / "no.parquet")
        assert it.run(seconds=1.0, to=file).steps.tolist() == list(range(10, 21))

    def test_same_facts_but_other_places(self, tmp_path):
        file, it = tmp_path / "run.parquet", crowd("hall", seed=1)
        it.add(6, name="some", speed=0.8)
        it.run(seconds=2.0, to=file)
        other = walkers()
        other.step(10)
        assert not other.continues(file)

    def test_a_failure_leaves_the_old_file(self, tmp_path, monkeypatch):
        file, it = tmp_path / "run.parquet", walkers()
        it.run(seconds=1.0, to=file)
        kept = file.read_bytes()
        monkeypatch.setattr("footway.recording.storage.write_parquet", _broken)
        with pytest.raises(fw.BadFile, match=r"run\.parquet: cannot be written: broken"):
            it.run(seconds=1.0, to=file)
        assert file.read_bytes() == kept
        assert list(tmp_path.iterdir()) == [file]

    def test_the_bytes_are_those_of_one_run(self, tmp_path):
        """Obstacles continue, too, and row groups are the same."""
        file, whole, it = tmp_path / "run.parquet", tmp_path / "whole.parquet", walkers()
        it.run(seconds=1.5, to=file)
        it.run(seconds=2.5, to=file)
        walkers().run(seconds=4.0, to=whole)
        assert file.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("name", ["run.npz", "run", "run.parquet.gz"])
def test_names_of_recordings(tmp_path, name):
    with pytest.raises(fw.BadInput, match=r"must end in \.parquet"):
        random_recording().save(tmp_path / name)
    with pytest.raises(fw.BadInput, match=r"must end in \.parquet"):
        walkers().run(seconds=1, to=tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["run.parquet", "run"])
def test_names_of_checkpoints(tmp_path, name):
    with pytest.raises(fw.BadInput, match=r"must end in \.npz"):
        walkers().save(tmp_path / name)


def _since(recording, step):
    """The frames of a recording from a step on."""
    recorder = Recorder(**_facts(recording))
    recorder.add_characters(*recording.characters)
    for k in np.flatnonzero(recording.steps >= step).tolist():
        recorder.add_frame(int(recording.steps[k]), *recording.frame(k))
    return recorder.close()


def _copied(recording):
    """The same recording, without characters that are in no frame."""
    return _since(recording, -1)


def _facts(recording):
    return {name: getattr(recording, name) for name in MEMORY}


def _broken(*_, **__):
    raise OSError("broken")
