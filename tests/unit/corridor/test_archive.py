"""Saved maps are restored bit for bit; damaged files are rejected with one line."""

from __future__ import annotations

import io
import pickle
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import footway as fw
from footway.corridor.archive import KIND
from footway.medial import MedialAxis
from tests.archives import pack, rewrite, unpack
from tests.effort import examples


@pytest.fixture
def saved(cmap, tmp_path):
    file = tmp_path / "rooms.fwmap"
    cmap.save(file)
    return file


@pytest.fixture(scope="module")
def content(cmap, tmp_path_factory) -> bytes:
    file = tmp_path_factory.mktemp("map") / "rooms.fwmap"
    cmap.save(file)
    return file.read_bytes()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("damaged")


def with_array(file, name, value) -> None:
    """Replace an array of a file, or remove it."""

    def change(_header, arrays):
        del arrays[name]
        arrays.update({} if value is None else {name: value})

    rewrite(file, change)


def more_sites(file, rows) -> None:
    """Add walls and points to a file: rows x0, y0, x1, y1, free on both sides."""

    def change(_header, arrays):
        points = [row[:2] == row[2:] for row in rows]
        arrays["sites"] = np.vstack([arrays["sites"], rows])
        arrays["is_point"] = np.append(arrays["is_point"], points)
        arrays["two_sided"] = np.append(arrays["two_sided"], [True] * len(rows))

    rewrite(file, change)


def array_of(file, name) -> np.ndarray:
    return unpack(file.read_bytes())[1][name]


def refused(file) -> str:
    """Return the message with which a file is rejected: one line that names the file."""
    with pytest.raises(fw.BadFile) as error:
        fw.CorridorMap.load(file)
    message = str(error.value)
    assert "\n" not in message
    assert str(file) in message
    return message


class TestRoundTrip:
    def test_every_array_has_the_same_bits(self, cmap, saved):
        again = fw.CorridorMap.load(saved)
        for field in MedialAxis._fields:
            a, b = getattr(cmap._index.axis, field), getattr(again._index.axis, field)
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)
        assert again.name == cmap.name == "rooms"

    def test_same_answers(self, cmap, saved):
        again = fw.CorridorMap.load(saved)
        a, b = (cmap.path((1, 1), (19, 5), radius=0.3) for cmap in (cmap, again))
        np.testing.assert_array_equal(a.pieces, b.pieces)
        np.testing.assert_array_equal(
            cmap.clearance([(3, 3), (12, 8)]), again.clearance([(3, 3), (12, 8)])
        )

    def test_building_again_gives_the_same_file(self, env, content, tmp_path):
        file = tmp_path / "twin.fwmap"
        fw.CorridorMap.build(env).save(file)
        assert file.read_bytes() == content

    def test_names_in_any_script(self, env, tmp_path):
        cmap = fw.CorridorMap.build(env)
        cmap.name = 'Straße "7" — 東京'
        cmap.save(tmp_path / "map")
        assert fw.CorridorMap.load(tmp_path / "map").name == cmap.name

    def test_no_pickle_inside(self, saved):
        for name in zipfile.ZipFile(saved).namelist():
            array = np.load(io.BytesIO(zipfile.ZipFile(saved).read(name)), allow_pickle=False)
            assert array.dtype.kind in "fiub"

    def test_no_such_folder(self, cmap, tmp_path):
        with pytest.raises(fw.BadFile, match="cannot be written"):
            cmap.save(tmp_path / "nowhere" / "map")


class TestRefused:
    def test_missing(self, tmp_path):
        assert "does not exist" in refused(tmp_path / "missing")

    def test_directory(self, tmp_path):
        refused(tmp_path)

    @pytest.mark.parametrize(
        "text", [b"", b"hello", b"{}\n", b"PK\x03\x04", b"\x93NUMPY", b"\x80\x04."]
    )
    def test_other_files(self, tmp_path, text):
        file = tmp_path / "other"
        file.write_bytes(text)
        refused(file)

    def test_a_single_array(self, tmp_path):
        np.save(tmp_path / "one.npy", np.zeros((3, 2)))
        refused(tmp_path / "one.npy")

    def test_a_pickle(self, tmp_path):
        (tmp_path / "p").write_bytes(pickle.dumps({"vertices": [1, 2]}))
        refused(tmp_path / "p")

    def test_another_zip(self, tmp_path):
        with zipfile.ZipFile(tmp_path / "z", "w") as archive:
            archive.writestr("readme.txt", "hello")
        refused(tmp_path / "z")

    @pytest.mark.parametrize("version", [1, KIND.version + 1, KIND.version + 1000, None, "1", -1])
    def test_other_versions(self, saved, version):
        rewrite(saved, lambda header, _: header.update(version=version))
        assert "build it again or update Footway" in refused(saved)

    @pytest.mark.parametrize(
        "value", [{"format": "another", "version": KIND.version}, {}, [], 7, None, "text"]
    )
    def test_other_headers(self, saved, value):
        saved.write_bytes(pack(value, unpack(saved.read_bytes())[1]))
        refused(saved)

    @pytest.mark.parametrize("raw", [b"", b"{", b"\xff\xfe", b'{"version": 1', b"[" * 10**5])
    def test_broken_headers(self, saved, raw):
        saved.write_bytes(pack(raw, unpack(saved.read_bytes())[1]))
        refused(saved)

    @pytest.mark.parametrize("field", MedialAxis._fields)
    def test_missing_arrays(self, saved, field):
        with_array(saved, field, None)
        assert f"array {field} is missing" in refused(saved)

    @pytest.mark.parametrize("field", MedialAxis._fields)
    @pytest.mark.parametrize("change", ["short", "empty", "flat", "object", "text", "complex"])
    def test_wrong_arrays(self, saved, field, change):
        value = array_of(saved, field)
        other = {
            "short": value[:-1],
            "empty": value[:0],
            "flat": np.zeros((2, 3, 4)),
            "object": np.array([{"a": 1}], dtype=object),
            "text": np.array(["a", "b"]),
            "complex": value.astype(complex),
        }[change]
        with_array(saved, field, other)
        refused(saved)

    @pytest.mark.parametrize("field", ["edges", "offsets", "piece_left", "piece_right"])
    @pytest.mark.parametrize("value", [-2, 2**31, 2**62, -(2**62)])
    def test_indices_out_of_range(self, saved, field, value):
        good = array_of(saved, field)
        for place in (0, len(good) // 2, -1):
            bad = good.copy()
            bad[place] = value
            with_array(saved, field, bad)
            refused(saved)

    @pytest.mark.parametrize(
        "field", ["vertices", "events", "clearance", "left", "right", "piece_length", "sites"]
    )
    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e9, 7.0])
    def test_any_other_number(self, saved, field, value):
        """Every number of the axis is checked against others."""
        array = array_of(saved, field)
        array.flat[1] = value
        with_array(saved, field, array)
        refused(saved)

    @pytest.mark.parametrize(
        "field", ["vertices", "events", "clearance", "left", "right", "piece_length", "sites"]
    )
    def test_a_millimetre_off(self, saved, field):
        array = array_of(saved, field)
        array.flat[np.argmax(array)] += 0.001
        with_array(saved, field, array)
        assert "the arrays do not fit together" in refused(saved)

    def test_a_length_after_the_last_event_of_an_edge(self, saved):
        lengths = array_of(saved, "piece_length")
        lengths[array_of(saved, "offsets")[1] - 1] = 1.0
        with_array(saved, "piece_length", lengths)
        assert "the arrays do not fit together" in refused(saved)

    def test_a_wall_that_does_not_end_in_points(self, saved):
        """Add a wall far outside that no piece of the axis refers to."""
        more_sites(saved, [(90.0, 90.0, 95.0, 95.0)])
        assert "the arrays do not fit together" in refused(saved)
        more_sites(saved, [(90.0, 90.0, 90.0, 90.0)])  # one end is not enough
        assert "the arrays do not fit together" in refused(saved)

    def test_a_wall_nearer_than_the_clearance(self, saved):
        """Add a short wall beside the axis, with its ends, that no piece of the axis refers to."""
        widest = np.argmax(array_of(saved, "clearance"))
        x, y = array_of(saved, "events")[widest] + 0.1
        ends = [(x, y, x, y), (x + 0.1, y, x + 0.1, y)]
        more_sites(saved, [(x, y, x + 0.1, y), *ends])
        assert "the arrays do not fit together" in refused(saved)

    def test_lengths_below_zero(self, saved):
        """Such files once made searches endless or read beyond the ends of arrays."""
        with_array(saved, "piece_length", -array_of(saved, "piece_length"))
        assert "array piece_length has the number" in refused(saved)

    def test_what_was_not_written_by_us(self, saved):
        """The value is valid, but the digest does not match."""
        header, arrays = unpack(saved.read_bytes())
        arrays["two_sided"] = ~arrays["two_sided"]
        saved.write_bytes(pack(header, arrays, seal=False))
        assert "its content was changed after it was written" in refused(saved)

    @pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.5, 0.9, 0.999])
    def test_truncated(self, saved, share):
        raw = saved.read_bytes()
        saved.write_bytes(raw[: int(share * len(raw))])
        refused(saved)

    def test_arrays_of_another_map(self, saved, tmp_path):
        """Every array is valid, but they do not belong together."""
        other = tmp_path / "other"
        fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 3, 3))).save(other)
        content = saved.read_bytes()
        for field in MedialAxis._fields:
            saved.write_bytes(content)
            with_array(saved, field, array_of(other, field))
            refused(saved)


class TestDamage:
    """The file is rejected or read as some map: no other error, no crash."""

    @examples(60)
    @given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=8))
    def test_flipped_bytes(self, content, folder, flips):
        raw = bytearray(content)
        for place, value in flips:
            raw[place % len(raw)] = value
        (folder / "bytes").write_bytes(raw)
        assert_refused_or_usable(folder / "bytes")

    @examples(40)
    @given(
        st.sampled_from(["edges", "offsets", "piece_left", "piece_right"]),
        st.integers(0, 10**6),
        st.integers(-3, 400),
    )
    def test_flipped_numbers(self, content, folder, field, place, value):
        """As above, with correct checksums of the zip file."""
        header, arrays = unpack(content)
        arrays[field].flat[place % arrays[field].size] = value
        (folder / "numbers").write_bytes(pack(header, arrays))
        assert_refused_or_usable(folder / "numbers")


def assert_refused_or_usable(file) -> None:
    try:
        cmap = fw.CorridorMap.load(file)
    except fw.BadFile:
        refused(file)
    else:
        cmap.locate([(3, 3), (12, 8)])
