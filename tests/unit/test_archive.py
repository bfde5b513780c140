"""Archives are checked before they are unpacked, and then against their schema."""

from __future__ import annotations

import io
import json
import math
import os
import tracemalloc
import zipfile

import numpy as np
import pytest

import footway as fw
from footway import archive
from footway.archive import Array, Either, Names, Number, OneOf, Whole, flags, indices
from tests.archives import pack, rewrite, unpack

KIND = archive.Kind(
    format="test",
    version=3,
    name="thing",
    remedy="make it again",
    arrays={
        "points": Array("<f8", ("points", 2), nan=True),
        "offsets": Array("<i8", ("lines+1",), 0, "points", step=2),
        "next": indices("points", "points", least=-1, dtype="<i4"),
        "body": Array("<f4", ("points", 2), (0.0, -1.0), (1.0, "names")),
        "good": flags("lines"),
    },
    facts={"names": [str], "size": Number(0.0, math.inf), "count": Whole(0, 9)},
)
FACTS = {"names": ["a", "b"], "size": math.inf, "count": 3}
ARRAYS = {
    "points": np.array([(0.0, 1), (2, np.nan), (3, 3), (4, 5), (5, 6)]),
    "offsets": np.array([0, 2, 5]),
    "next": np.array([1, 2, 3, 4, -1], np.int32),
    "body": np.full((5, 2), 0.5, np.float32),
    "good": np.array([True, False]),
}


@pytest.fixture
def file(tmp_path):
    archive.write(tmp_path / "a.npz", KIND, FACTS, ARRAYS)
    return tmp_path / "a.npz"


def refused(file) -> str:
    with pytest.raises(fw.BadFile) as error, archive.reading(file, KIND):
        pass
    text = str(error.value)
    assert text.startswith(f"{file}: ")
    assert "\n" not in text
    return text


def test_comes_back_in_memory_of_its_own(file):
    with archive.reading(file, KIND) as (facts, arrays):
        assert facts == FACTS
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)
        assert arrays[name].flags.writeable
        assert arrays[name].dtype == array.dtype
    assert archive.format_of(file) == "test"


def test_the_same_content_gives_the_same_bytes(file, tmp_path):
    archive.write(tmp_path / "b.npz", KIND, FACTS, ARRAYS)
    assert (tmp_path / "b.npz").read_bytes() == file.read_bytes()


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("points", np.zeros((5, 3)), "shape"),
        ("points", np.zeros((4, 2)), "shape"),
        ("points", np.zeros((5, 2), ">f8"), "plain numbers"),
        ("points", np.zeros((5, 2), np.float32), "type"),
        ("points", np.asfortranarray(np.zeros((5, 2))), "plain numbers"),
        ("points", np.full((5, 2), np.inf), "out of range"),
        ("points", np.full((5, 2), -2e9), "out of range"),
        ("offsets", np.array([0, 1, 5]), "offsets"),
        ("offsets", np.array([0, 2, 4]), "offsets"),
        ("offsets", np.array([1, 3, 5]), "offsets"),
        ("offsets", np.array([0, 2**62, 5]), "offsets"),
        ("next", np.array([1, 2, 3, 5, 0], np.int32), "out of range"),
        ("next", np.array([1, 2, 3, -2, 0], np.int32), "out of range"),
        ("body", np.full((5, 2), np.nan, np.float32), "out of range"),
        ("body", np.array([[0, 2]] * 5, np.float32), "out of range"),
        ("good", np.array([2, 0], np.uint8).view(bool), "out of range"),
        ("good", np.array([None, {}]), "plain numbers"),
        ("another", np.zeros(1), "unknown"),
    ],
)
def test_arrays_that_do_not_fit(file, name, value, words):
    rewrite(file, lambda _, arrays: arrays.update({name: value}))
    assert words in refused(file)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("names", "ab"), ("names", [1]), ("size", -1), ("size", True), ("size", "x"),
        ("size", 10**400), ("count", 3.0), ("count", 10), ("count", True), ("more", 1),
    ],
)  # fmt: skip
def test_facts_that_do_not_fit(file, name, value):
    rewrite(file, lambda header, _: header["facts"].update({name: value}))
    assert "facts" in refused(file)


@pytest.mark.parametrize(
    ("pattern", "good", "bad"),
    [
        (Either((str, [Whole(0, 3)])), ["a", [1, 2]], [None, 1, [4]]),
        (Names(Number(0, 1)), [{}, {"a": 0.5}], [[], {"a": 2}, None]),
        ((bool, OneOf(("x", None))), [[True, None]], [[True], [1, None], (True, 0), "ab"]),
        ({"a": str}, [{"a": ""}], [{}, {"a": 1}, {"a": "", "b": 1}, []]),
    ],
)
def test_patterns(pattern, good, bad):
    for value in good:
        archive.check(value, pattern, "it")
    for value in bad:
        with pytest.raises(archive.Damaged, match="it"):
            archive.check(value, pattern, "it")


def test_the_digest_is_over_everything(file):
    content = file.read_bytes()
    for change in (
        lambda header, _: header["facts"].update(count=4),
        lambda _, arrays: arrays["points"].fill(1.0),
    ):
        header, arrays = unpack(content)
        change(header, arrays)
        file.write_bytes(pack(header, arrays, seal=False))
        assert "its content was changed after it was written" in refused(file)


def test_the_digest_tells_shapes_and_types_apart():
    numbers = np.arange(6, dtype="<i4")
    others = [numbers.reshape(2, 3), numbers.reshape(3, 2), numbers.view("<f4"), numbers]
    seals = {archive.sealed(b"", {"a": one})["digest"].tobytes() for one in others}
    assert len(seals) == len(others)


@pytest.mark.parametrize("version", [2, 4, None, "3"])
def test_only_its_own_version_is_read(file, version):
    rewrite(file, lambda header, _: header.update(version=version))
    assert "written by another Footway" in refused(file)


def test_two_parts_of_one_name(file):
    stream = io.BytesIO()
    np.save(stream, ARRAYS["points"])
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(file, "a") as out:
        out.writestr("points.npy", stream.getvalue())
    assert "its parts overlap" in refused(file)


def test_what_is_not_packed_may_be_as_large_as_its_file(file, monkeypatch):
    monkeypatch.setattr(archive, "MOST_UNPACKED", 100)
    with archive.reading(file, KIND) as (_, arrays):
        assert len(arrays["points"]) == 5


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_infinities_are_refused_also_where_there_is_no_limit(tmp_path, value):
    kind = archive.Kind("t", 1, "t", "t", {"a": Array("<f8", ("n",), -math.inf, math.inf)}, {})
    archive.write(tmp_path / "a", kind, {}, {"a": np.array([0, 1e300])})
    with archive.reading(tmp_path / "a", kind) as (_, arrays):
        assert arrays["a"].tolist() == [0, 1e300]
    archive.write(tmp_path / "a", kind, {}, {"a": np.array([0, value])})
    with pytest.raises(fw.BadFile, match="out of range"), archive.reading(tmp_path / "a", kind):
        pass


def test_another_version_and_another_kind(file):
    rewrite(file, lambda header, _: header.update(version=2))
    words = "written by another Footway (format 2, this one reads 3): make it again or update"
    assert words in refused(file)
    rewrite(file, lambda header, _: header.update(format="other"))
    assert "another kind of file" in refused(file)
    np.savez(file, facts=np.zeros(3, np.uint8))
    assert "it has no header, like files of older versions" in refused(file)


def test_what_is_no_file(tmp_path):
    assert "does not exist" in refused(tmp_path / "none")
    assert "is a directory" in refused(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert "is not a regular file" in refused(tmp_path / "pipe")
    assert archive.format_of(tmp_path / "pipe") is None


def test_facts_that_json_lacks(tmp_path):
    with pytest.raises(fw.BadInput, match="cannot be written"):
        archive.write(tmp_path / "a", KIND, FACTS | {"size": math.nan}, ARRAYS)
    assert not (tmp_path / "a").exists()


class TestBombs:
    """Small files that would unpack to large ones are rejected before unpacking."""

    @staticmethod
    def file_with(path, name: str, content: bytes) -> None:
        """Write a compressed archive in which one array is replaced."""
        header = json.dumps({"format": "test", "version": 3, "facts": {**FACTS, "size": "inf"}})
        members = archive.sealed(header.encode(), ARRAYS)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
            for known, array in members.items():
                stream = io.BytesIO()
                np.save(stream, array)
                out.writestr(f"{known}.npy", content if known == name else stream.getvalue())

    @staticmethod
    def peak_of(file) -> tuple[str, int]:
        tracemalloc.start()
        try:
            return refused(file), tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    @pytest.mark.parametrize("name", ["header", "digest", "points", "good"])
    def test_an_array_of_another_size(self, tmp_path, name):
        stream = io.BytesIO()
        np.save(stream, np.zeros(7 * 10**7, np.uint8))
        self.file_with(tmp_path / "a", name, stream.getvalue())
        assert (tmp_path / "a").stat().st_size < 10**6
        _, peak = self.peak_of(tmp_path / "a")
        assert peak < 10**6

    def test_more_than_any_file_may_unpack_to(self, tmp_path, monkeypatch):
        monkeypatch.setattr(archive, "MOST_UNPACKED", 10**6)
        stream = io.BytesIO()
        np.save(stream, np.zeros((5, 40_000)))
        self.file_with(tmp_path / "a", "points", stream.getvalue())
        words, peak = self.peak_of(tmp_path / "a")
        assert "it would unpack to 2 MiB" in words
        assert peak < 10**6

    def test_more_than_it_says(self, tmp_path):
        """The zip directory declares an acceptable size, but the content is larger."""
        stream = io.BytesIO()
        np.save(stream, np.zeros((5, 2)))
        self.file_with(tmp_path / "a", "points", stream.getvalue() + bytes(10**7))
        content = bytearray((tmp_path / "a").read_bytes())
        size = len(stream.getvalue())
        for place in range(len(content) - 4):
            if content[place : place + 4] == (size + 10**7).to_bytes(4, "little"):
                content[place : place + 4] = size.to_bytes(4, "little")
        (tmp_path / "a").write_bytes(content)
        _, peak = self.peak_of(tmp_path / "a")
        assert peak < 10**6

    def test_parts_that_overlap(self, file):
        with zipfile.ZipFile(file, "a") as out:
            first = max(out.filelist, key=lambda info: info.file_size)
            for k in range(200):
                more = zipfile.ZipInfo(f"copy{k}.npy")
                more.header_offset, more.CRC = first.header_offset, first.CRC
                more.compress_size = more.file_size = first.file_size
                out.filelist.append(more)
            out.writestr("last.npy", b"")
        assert "its parts overlap" in refused(file)
