"""Recordings come back to the last bit, also after a kill; other files are refused in one line."""

from __future__ import annotations

import contextlib
import json
import resource
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import footway as fw
from footway.recording import parquet_file, storage
from footway.recording.recording import InMemory, Recorder, Recording
from footway.recording.storage import ParquetRecorder
from tests.effort import examples
from tests.unit.crowd.maps import crowd
from tests.unit.recording.recordings import (
    MEMORY,
    assert_bits,
    assert_same,
    random_recording,
    walk_at_random,
)

pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def recording():
    return random_recording()


@pytest.fixture
def file(tmp_path):
    return tmp_path / "run.parquet"


def streamed(file, *, rows_per_group=60, **options):
    return walk_at_random(
        ParquetRecorder(file, rows_per_group=rows_per_group, **MEMORY), **options
    ).close()


def refused(file) -> str:
    """Return the message with which a file is refused: one line that names the file."""
    with pytest.raises(fw.BadFile) as error:
        Recording.load(file).positions  # noqa: B018 - rows are read when they are asked for
    message = str(error.value)
    assert "\n" not in message
    assert str(file) in message
    return message


class TestInMemory:
    def test_frames(self, recording):
        assert recording.n_frames == 20
        assert recording.duration == pytest.approx(3.8)
        assert recording.steps.tolist() == list(range(0, 40, 2))
        assert recording.offsets[-1] == len(recording.ids) == len(recording.positions)
        frame = recording.frame(3)
        assert frame.time == recording.times[3]
        assert frame.ids.tolist() == list(range(11))
        first, last = recording.offsets[3:5]
        assert_bits(frame.positions, recording.positions[first:last])
        assert_bits(frame.velocities, recording.velocities[first:last])

    def test_the_last_frame_is_empty(self, recording):
        assert recording.frame(-1).positions.shape == (0, 2)

    def test_characters(self, recording):
        who = recording.characters
        assert who.ids.tolist() == list(range(12))
        assert who.radius[-1] == 0.5
        assert who.population.tolist() == [0, 1] * 6

    def test_a_character_in_no_frame_is_not_recorded(self):
        recorder = Recorder(**MEMORY)
        recorder.add_characters([0, 5, 9], 0.25, 0)
        recorder.add_frame(0, 0.0, [5], [(1, 2)], [(0, 0)])
        assert recorder.close().characters.ids.tolist() == [5]

    def test_trajectories_of_all(self, recording):
        """Also of the first and the last characters of a frame."""
        for one in recording.characters.ids.tolist():
            times, places = recording.trajectory(one)
            frames = [recording.frame(k) for k in range(recording.n_frames)]
            here = [frame for frame in frames if one in frame.ids]
            assert times.tolist() == [frame.time for frame in here]
            expected = [frame.positions[frame.ids == one][0] for frame in here]
            np.testing.assert_array_equal(places, expected)

    def test_a_trajectory(self, recording):
        times, positions = recording.trajectory(11)
        assert times.tolist() == recording.times[10:19].tolist()
        assert_bits(positions[0], recording.frame(10).positions[-1])

    @pytest.mark.parametrize("k", [20, -21, 10**9])
    def test_no_such_frame(self, recording, k):
        with pytest.raises(fw.BadQuery, match="20 frames"):
            recording.frame(k)

    @pytest.mark.parametrize("character", [12, -1])
    def test_no_such_character(self, recording, character):
        with pytest.raises(fw.BadQuery, match=f"id {character} "):
            recording.trajectory(character)

    def test_arrays_of_the_caller_are_copied(self):
        recorder, at = Recorder(**MEMORY), np.ones((1, 2))
        recorder.add_characters([0], [0.25], [0])
        recorder.add_frame(0, 0.0, [0], at, at)
        at[:] = 7.0
        assert recorder.close().positions.tolist() == [[1.0, 1.0]]

    def test_no_frames(self):
        recording = Recorder(**MEMORY).close()
        assert recording.n_frames == recording.duration == 0
        assert recording.positions.shape == (0, 2)

    def test_one_line_about_it(self, recording):
        assert repr(recording) == "<Recording on 'square': 12 characters, 20 frames, 3.8 s>"


class TestRoundTrip:
    def test_saved_and_loaded(self, recording, file):
        recording.save(file)
        again = Recording.load(file)
        assert_same(again, recording)
        assert again.complete
        assert list(file.parent.iterdir()) == [file]

    @pytest.mark.parametrize("rows_per_group", [1, 7, 60, 10**6])
    def test_streamed(self, recording, file, rows_per_group):
        assert_same(streamed(file, rows_per_group=rows_per_group), recording)
        assert_same(Recording.load(file), recording)

    def test_frame_by_frame(self, recording, file):
        streamed(file)
        again = Recording.load(file)
        for k in (*range(20), 3, 17, 0):
            for a, b in zip(again.frame(k)[1:], recording.frame(k)[1:], strict=True):
                assert_bits(a, b)

    def test_a_trajectory_over_row_groups(self, recording, file):
        streamed(file)
        for a, b in zip(Recording.load(file).trajectory(4), recording.trajectory(4), strict=True):
            assert_bits(a, b)

    @pytest.mark.parametrize("frames", [0, 1, 2])
    def test_few_frames(self, file, frames):
        recorders = Recorder(**MEMORY), ParquetRecorder(file, **MEMORY)
        for recorder in recorders:
            for k in range(frames):
                nobody = np.empty((0, 2))
                recorder.add_frame(k, 0.1 * k, [], nobody, nobody)
        a, b = (recorder.close() for recorder in recorders)
        assert_same(b, a)
        assert_same(Recording.load(file), a)

    def test_odd_numbers(self, file):
        recorder = ParquetRecorder(file, step=1 / 3, seed=2**80, map_name="Plätze\n\0", names=[""])
        recorder.add_characters([3, 70_000], [1e-300, 1e300], [0, 0])
        at = [(-0.0, 5e-324), (1.7e308, np.nan)]
        recorder.add_frame(2**40, 0.1 + 0.2, [70_000, 3], at, [(np.inf, -0.0), (1e-45, 0.1)])
        recording = recorder.close()
        again = Recording.load(file)
        assert_same(again, recording)
        assert_bits(again.positions, np.array(at))
        assert again.times[0] == 0.1 + 0.2
        assert again.seed == 2**80

    def test_saved_over_itself(self, recording, file):
        streamed(file)
        again = Recording.load(file)
        again.save(file)
        assert_same(again, recording)
        assert_same(Recording.load(file), recording)

    def test_a_new_run_in_the_file_of_a_loaded_one(self, recording, file):
        streamed(file)
        old = Recording.load(file)
        streamed(file, seed=4)
        assert_same(old, recording)
        assert Recording.load(file).positions[0, 0] != recording.positions[0, 0]

    def test_the_same_run_gives_the_same_bytes(self, file):
        streamed(file)
        first = file.read_bytes()
        streamed(file)
        assert file.read_bytes() == first

    def test_memory_holds_one_row_group(self, file):
        recorder = walk_at_random(ParquetRecorder(file, rows_per_group=60, **MEMORY), frames=200)
        assert sum(len(rows.ids) for rows in recorder._kept) < 60
        recorder.close()

    def test_others_read_it(self, recording, file):
        streamed(file)
        with file.open("rb") as stream:
            table = pq.ParquetFile(stream).read(use_threads=False)
        assert table.column_names == [
            "frame", "time", "id", "x", "y", "vx", "vy", "radius", "population"
        ]  # fmt: skip
        assert table["x"].to_pylist() == recording.positions[:, 0].tolist()
        assert table["radius"].to_pylist()[-1] == 0.5
        assert table["frame"].to_pylist()[-1] == recording.steps[-2]


class TestCutShort:
    def test_a_run_that_fails(self, recording, file):
        def fail():
            with ParquetRecorder(file, **MEMORY) as recorder:
                walk_at_random(recorder)
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            fail()
        again = Recording.load(file)
        assert_same(again, recording)
        assert not again.complete
        assert "cut short" in repr(again)

    def test_incomplete_stays_incomplete(self, file, tmp_path):
        with ParquetRecorder(file, **MEMORY) as recorder:
            walk_at_random(recorder)
        Recording.load(file).save(tmp_path / "copy.parquet")
        assert not Recording.load(tmp_path / "copy.parquet").complete

    def test_readable_while_it_is_written(self, recording, file):
        recorder = ParquetRecorder(file, rows_per_group=60, **MEMORY)
        assert Recording.load(file).n_frames == 0
        walk_at_random(recorder)
        recorder.flush()
        now = Recording.load(file)
        assert not now.complete
        assert_same(now, recording)
        assert_same(Recording.load(file.with_name("run.parquet.parts")), recording)
        assert not file.exists()
        recorder.close()
        assert_same(Recording.load(file), recording)
        with pytest.raises(fw.BadFile, match=r"run\.parquet: its run has continued"):
            now.frame(0)

    def test_the_old_output_is_kept_until_the_end(self, recording, file):
        recording.save(file)
        kept = file.read_bytes()
        recorder = ParquetRecorder(file, rows_per_group=60, **MEMORY)
        assert_same(Recording.load(file), recording)  # the new one has no frame yet
        walk_at_random(recorder, seed=4).flush()
        assert file.read_bytes() == kept
        assert Recording.load(file).positions[0, 0] != recording.positions[0, 0]
        recorder.close()
        assert file.read_bytes() != kept
        assert list(file.parent.iterdir()) == [file]

    def test_killed_when_all_but_the_parts_was_done(self, recording, file, monkeypatch):
        recorder = walk_at_random(ParquetRecorder(file, rows_per_group=60, **MEMORY))
        monkeypatch.setattr(recorder._output, "clear", lambda: None)
        recorder.close()
        assert file.with_name("run.parquet.parts").exists()
        assert Recording.load(file).complete
        assert_same(Recording.load(file), recording)
        recording.save(file)
        assert list(file.parent.iterdir()) == [file]

    def test_a_part_that_is_damaged_is_named(self, file):
        recorder = walk_at_random(ParquetRecorder(file, rows_per_group=60, **MEMORY))
        recorder.flush()
        part = file.parent / "run.parquet.parts" / "00001.parquet"
        part.write_bytes(part.read_bytes()[:-9])
        with pytest.raises(fw.BadFile, match=r"00001\.parquet: .* cut off or damaged"):
            Recording.load(file)
        with pytest.raises(fw.BadFile, match=r"00001\.parquet: .* cut off or damaged"):
            recorder.close()

    def test_rows_are_also_written_after_some_time(self, file, monkeypatch):
        monkeypatch.setattr(storage, "_SHORTEST_PART", 0.0)
        monkeypatch.setattr(storage, "_SHARE_OF_RUN", 0.0)
        recorder = walk_at_random(ParquetRecorder(file, **MEMORY))
        assert Recording.load(file).n_frames >= 18  # all but those that are being written
        recorder.close()

    def test_cut_off_anywhere(self, recording, file):
        """Every length of the file but the whole one is refused in one line."""
        streamed(file)
        raw = file.read_bytes()
        for size in range(0, len(raw), 37):
            file.write_bytes(raw[:size])
            refused(file)

    @pytest.mark.parametrize("size", [1, 300_000, 900_000])
    def test_killed(self, file, size):
        """After SIGKILL, which no handler sees, the written parts are readable."""
        process = subprocess.Popen([sys.executable, "-c", ENDLESS_RUN, str(file)])
        parts = file.with_name("run.parquet.parts")
        until = time.monotonic() + 300
        while time.monotonic() < until and size_of(parts) < size:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        assert process.wait(timeout=300) == -signal.SIGKILL
        found = [pq.read_table(part, use_threads=False) for part in parts.glob("*.parquet")]
        if not found:
            assert size == 1
            assert "does not exist" in refused(file)
            return
        cut = Recording.load(file)
        assert sum(len(one) for one in found) == cut.offsets[-1]
        assert not cut.complete
        assert cut.n_frames >= (10 if size > 1 else 0)
        for k in (0, cut.n_frames - 1) if cut.n_frames else ():
            assert (cut.frame(k).positions == k).all()
        assert len(cut.characters.ids) == (1000 if cut.n_frames else 0)
        cut.positions  # noqa: B018 - all rows are in memory now
        cut.save(file)  # makes one file of the parts
        assert_same(Recording.load(file), cut)
        assert list(file.parent.iterdir()) == [file]


def size_of(folder):
    """Bytes of all files in a folder, some of which may be removed meanwhile."""
    sizes = []
    for file in folder.iterdir() if folder.exists() else ():
        with contextlib.suppress(FileNotFoundError):
            sizes.append(file.stat().st_size)
    return sum(sizes)


ENDLESS_RUN = """
import sys
import numpy as np
from footway.recording.storage import ParquetRecorder
recorder = ParquetRecorder(
    sys.argv[1], step=0.1, seed=0, map_name="", names=["all"], rows_per_group=5000
)
ids = np.arange(1000)
recorder.add_characters(ids, 0.25, 0)
noise = np.random.default_rng(0).normal(size=(1000, 2))
for k in range(10**9):
    recorder.add_frame(k, 0.1 * k, ids, np.full((1000, 2), float(k)), k * noise)
"""


RUN = ENDLESS_RUN.replace("10**9", "30") + "recorder.close()"


def run(code, *arguments, limits=None):
    """Run Python code in its own process, with limits of the system."""

    def limit():
        for which, value in (limits or {}).items():
            resource.setrlimit(which, (value, value))

    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


class TestMemory:
    """Memory is proportional to the rows of a file, even if its metadata are wrong."""

    def test_large_ids(self, recording, file):
        numbers = np.array([*range(11), 2**31 - 1])
        who = recording.characters._replace(ids=numbers)
        rows = recording._rows._replace(ids=numbers[recording.ids])
        replace(recording, characters=who, source=InMemory(rows)).save(file)
        process = run(READ_ALL, file, limits={resource.RLIMIT_AS: 3 * 2**30})
        assert process.stderr == ""
        assert process.stdout == f"20 12 {2**31 - 1}\n"

    def test_more_rows_than_bytes(self, file, monkeypatch):
        """A repeated value takes a few bytes in the file, but full size in memory."""
        import pyarrow as pa

        streamed(file)
        with file.open("rb") as stream:
            whole = pq.ParquetFile(stream)
            metadata, table = whole.metadata.metadata, whole.read(use_threads=False)
        many = table.take(pa.array(np.zeros(2**18, np.int64)))
        with pq.ParquetWriter(
            file, table.schema, compression="zstd", store_schema=False, data_page_size=2**30
        ) as writer:
            writer.add_key_value_metadata({b"footway": metadata[b"footway"]})
            writer.write_table(many, row_group_size=len(many))
        monkeypatch.setattr(parquet_file, "_MOST_ROWS_PER_BYTE", 10)  # 200 of them take a minute
        assert "rows, more than can be in it" in refused(file)

    @pytest.mark.parametrize("rows", [2**24 + 1, 2**62, -1])
    def test_row_groups_that_are_declared_too_large(self, file, rows):
        streamed(file)
        metadata = SimpleNamespace(
            num_row_groups=1, row_group=lambda _: SimpleNamespace(num_rows=rows)
        )
        with pytest.raises(ValueError, match="row group of"):
            parquet_file._checked_sizes(file, metadata)


READ_ALL = """
import sys
from footway.recording.recording import Recording
from footway.recording.jupedsim import save_jupedsim
found = Recording.load(sys.argv[1])
found.save(sys.argv[1])
save_jupedsim(found, sys.argv[1] + ".sqlite")
print(found.n_frames, len(found.characters.ids), found.ids.max())
"""


class TestRefused:
    def test_missing(self, tmp_path):
        assert "does not exist" in refused(tmp_path / "missing.parquet")

    def test_directory(self, tmp_path):
        assert "directory" in refused(tmp_path)

    @pytest.mark.parametrize("text", [b"", b"PAR", b"hello", b"PK\x03\x04", b"frame,id\n0,1\n"])
    def test_other_files(self, file, text):
        file.write_bytes(text)
        assert "not a Parquet file" in refused(file)

    @pytest.mark.parametrize("text", [b"PAR1", b"PAR1PAR1", b"PAR1" + bytes(99) + b"PAR1"])
    def test_shells(self, file, text):
        file.write_bytes(text)
        assert "cut off or damaged" in refused(file)

    @pytest.mark.parametrize(
        "change",
        [
            lambda it: {"steps": np.maximum(it.steps, it.steps[1])},
            lambda it: {"steps": it.steps[::-1]},
            lambda it: {"times": it.times * np.nan},
            lambda it: {"step": np.inf},
            lambda it: {"names": it.names[:1]},
            lambda it: {"obstacles": np.full((1, 7), np.inf)},
            lambda it: {"characters": it.characters._replace(ids=it.characters.ids * 0)},
        ],
    )
    def test_columns_that_do_not_fit_together(self, recording, change):
        storage.check_sound(recording)
        with pytest.raises(ValueError, match="do not fit together"):
            storage.check_sound(replace(recording, **change(recording)))

    def test_negative_ids(self, recording, file):
        rows, who = recording._rows, recording.characters
        less = replace(
            recording,
            characters=who._replace(ids=who.ids - 1),
            source=InMemory(rows._replace(ids=rows.ids - 1)),
        )
        less.save(file)
        assert "an id is negative" in refused(file)

    def test_parquet_of_another_program(self, file):
        import pyarrow as pa

        pq.write_table(pa.table({"x": [1.0, 2.0]}), file)
        assert "not a recording of Footway" in refused(file)

    @pytest.mark.parametrize("header", [b'"version": 2', b'"version": "x"'])
    def test_other_versions(self, file, header):
        streamed(file)
        raw = file.read_bytes().replace(b'"version": 1', header[: len(b'"version": 1')])
        file.write_bytes(raw)
        refused(file)

    @pytest.mark.parametrize("key", ["step", "seed", "map", "names", "empty", "complete"])
    def test_broken_headers(self, file, key):
        streamed(file)
        file.write_bytes(file.read_bytes().replace(f'"{key}"'.encode(), b'"' * (len(key) + 2)))
        refused(file)

    def test_folders_that_are_not_there(self, recording, tmp_path):
        with pytest.raises(fw.BadFile, match="cannot be written"):
            recording.save(tmp_path / "nowhere" / "run.parquet")
        with pytest.raises(fw.BadFile, match="cannot be written"):
            ParquetRecorder(tmp_path, **MEMORY)

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
    def test_a_full_disk(self):
        with pytest.raises(fw.BadFile, match="cannot be written"):
            ParquetRecorder("/dev/full", **MEMORY)

    @pytest.mark.parametrize("limit", [100_000, 20_000])
    def test_files_that_become_too_large(self, recording, file, limit):
        """The error is one line; earlier frames and the old output are kept."""
        recording.save(file)
        kept = file.read_bytes()
        process = run(RUN, file, limits={resource.RLIMIT_FSIZE: limit})
        line = process.stderr.splitlines()[-1]
        assert line.startswith(f"footway.errors.BadFile: {file}: cannot be written: File too large")
        parts = file.with_name("run.parquet.parts")
        if limit == 100_000:  # the parts fit, and the whole does not
            assert line.endswith("; the frames before that are in run.parquet.parts")
            assert Recording.load(file).n_frames == 30
        assert file.read_bytes() == kept
        assert not list(parts.glob("*.new"))
        assert not list(parts.glob("lock"))

    def test_closed_although_a_part_could_not_be_written(self, file):
        """The old output is not taken for the new one."""
        streamed(file)
        recorder = walk_at_random(ParquetRecorder(file, rows_per_group=10**6, **MEMORY))
        shutil.rmtree(file.with_name("run.parquet.parts"))
        with pytest.raises(fw.BadFile, match="cannot be written"):
            recorder.flush()
        with pytest.raises(fw.BadFile, match="is not complete"):
            recorder.close()

    def test_a_disk_that_fills_up(self, recording, small_disk):
        file = small_disk / "run.parquet"
        recording.save(file)
        kept = file.read_bytes()
        process = run(ENDLESS_RUN, file)
        line = process.stderr.splitlines()[-1]
        assert line.endswith(
            "run.parquet: cannot be written: No space left on device; "
            "the frames before that are in run.parquet.parts"
        )
        assert file.read_bytes() == kept
        assert Recording.load(file).n_frames >= 5
        with pytest.raises(fw.BadFile, match="No space left on device"):
            random_recording(characters=500, frames=200).save(file)
        assert file.read_bytes() == kept

    @examples(40)
    @given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=6))
    def test_flipped_bytes(self, tmp_path_factory, flips):
        """Refused, or read as some recording: never another error, never a crash."""
        file = tmp_path_factory.mktemp("flipped") / "run.parquet"
        streamed(file)
        raw = bytearray(file.read_bytes())
        for place, value in flips:
            raw[place % len(raw)] = value
        file.write_bytes(raw)
        try:
            Recording.load(file).positions  # noqa: B018
        except fw.BadFile:
            refused(file)


class TestObstacles:
    """Where dynamic obstacles are in each frame, in memory and in the file."""

    def walked(self, to=None):
        it = crowd("hall", seed=1)
        it.add(3)
        it.add_obstacle((5, 2), 0.5, velocity=(1.0, 0.5), appears=1.0, vanishes=2.0)
        stands = it.add_obstacle((25, 10), 0.7)
        expected = []

        def move(one):
            expected.append(one.obstacles)
            if one.steps == 15:
                one.move_obstacle(stands, (24, 10), velocity=(0.0, 1.0))
            if one.steps == 25:
                one.remove_obstacle(stands)

        it.each_step(move)
        recording = it.run(seconds=3.0, to=to)
        return recording, [*expected, it.obstacles]

    def assert_there(self, recording, expected):
        for k, discs in enumerate(expected):
            if k in {15, 25}:  # it was moved after the frame
                continue
            there = np.array(sorted(recording.obstacles_at(k).tolist()))
            np.testing.assert_allclose(there, np.array(sorted(discs.tolist())), atol=1e-5)
        assert len(recording.obstacles) == 3

    def test_in_memory(self):
        self.assert_there(*self.walked())

    def test_in_a_file(self, tmp_path):
        recording, expected = self.walked(to=tmp_path / "run.parquet")
        self.assert_there(recording, expected)
        loaded = Recording.load(tmp_path / "run.parquet")
        self.assert_there(loaded, expected)
        loaded.save(tmp_path / "again.parquet")
        again = Recording.load(tmp_path / "again.parquet")
        np.testing.assert_array_equal(again.obstacles, recording.obstacles)

    def test_files_without_them_are_read(self, tmp_path, monkeypatch):
        write = storage.write_parquet

        def old(recording, stream, header, **options):
            facts = json.loads(header)
            del facts["obstacles"]
            write(recording, stream, json.dumps(facts), **options)

        monkeypatch.setattr(storage, "write_parquet", old)
        random_recording().save(tmp_path / "old.parquet")
        recording = Recording.load(tmp_path / "old.parquet")
        assert recording.obstacles.shape == (0, 7)
        assert recording.obstacles_at(-1).shape == (0, 3)

    @pytest.mark.parametrize("bad", [5, [[1, 2]], [["x"] * 7], [[None] * 7]])
    def test_damaged(self, tmp_path, monkeypatch, bad):
        write = storage.write_parquet

        def odd(recording, stream, header, **options):
            changed = json.dumps(json.loads(header) | {"obstacles": bad})
            write(recording, stream, changed, **options)

        monkeypatch.setattr(storage, "write_parquet", odd)
        random_recording().save(tmp_path / "odd.parquet")
        with pytest.raises(fw.BadFile, match="damaged"):
            Recording.load(tmp_path / "odd.parquet")

    def test_of_no_frame(self):
        with pytest.raises(fw.BadQuery, match="frame 99"):
            random_recording().obstacles_at(99)


class TestWays:
    """When a disc continues its straight motion, and when a new one begins."""

    def recorded(self, *frames, before=None):
        """Recorder after frames with one disc each, or none: (x, y, vx, vy, radius)."""
        recorder = Recorder(**MEMORY)
        if before is not None:
            recorder.continue_from(before)
        first = before.n_frames if before is not None else 0
        for k, disc in enumerate(frames, first):
            discs = np.array([] if disc is None else [disc], float).reshape(-1, 5)
            recorder.add_obstacles(0.1 * k, range(len(discs)), discs)
            recorder.add_frame(k, 0.1 * k, [], np.empty((0, 2)), np.empty((0, 2)))
        return recorder.close()

    @pytest.mark.parametrize(
        ("disc", "count"),
        [
            ((5.1, 2.2, 1, 2, 0.5), 1),
            ((5.1, 2.1, 1, 2, 0.5), 2),
            ((5.2, 2.2, 1, 2, 0.5), 2),
            ((5.1, 2.2, 1.1, 2, 0.5), 2),
            ((5.1, 2.2, 1, 1, 0.5), 2),
            ((5.1, 2.2, 1, 2, 0.6), 2),
        ],
    )
    def test_another_place_velocity_or_size_is_another_obstacle(self, disc, count):
        recording = self.recorded((5, 2, 1, 2, 0.5), disc)
        assert len(recording.obstacles) == count
        np.testing.assert_allclose(recording.obstacles_at(0), [(5, 2, 0.5)])
        np.testing.assert_allclose(recording.obstacles_at(1), [(disc[0], disc[1], disc[4])])

    def test_a_disc_that_comes_back_was_not_there_meanwhile(self):
        """Also where the recording is continued in between."""
        here = (5, 2, 0, 0, 0.5)
        for frames in ((here, here, None, None, here), (here, None, here)):
            for cut in range(1, len(frames)):
                recording = self.recorded(*frames[cut:], before=self.recorded(*frames[:cut]))
                there = [len(recording.obstacles_at(k)) for k in range(len(frames))]
                assert there == [int(disc is not None) for disc in frames]

    def test_a_motion_continues_where_the_recording_is_continued(self):
        frames = [(5 + 0.1 * k, 2, 1, 0, 0.5) for k in range(4)]
        recording = self.recorded(*frames[2:], before=self.recorded(*frames[:2]))
        assert len(recording.obstacles) == 1
        assert [len(recording.obstacles_at(k)) for k in range(4)] == [1] * 4
