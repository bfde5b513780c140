"""Envelopes: round trip, alignment, and values that JSON cannot represent."""

import json
import struct

import numpy as np
import pytest

from footway.studio.wire import Answer, event, packed, refused, reply, unpacked

ARRAYS = {
    "f4": np.arange(6, dtype=np.float32).reshape(3, 2),
    "i4": np.array([1, -2, 3], np.int32),
    "u4": np.array([2**32 - 1], np.uint32),
    "u2": np.array([65535, 1, 2], np.uint16),
    "i2": np.array([[-32768, 5]], np.int16),
    "u1": np.array([255], np.uint8),
    "empty": np.empty((0, 2), np.float32),
}


def test_arrays_round_trip():
    header, arrays = unpacked(packed({"n": 1}, ARRAYS))
    assert header["n"] == 1
    assert arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(arrays[name], array)


def test_everything_is_aligned():
    message = packed({"n": 1, "ok": {"a": "é"}}, ARRAYS)
    (length,) = struct.unpack_from("<I", message)
    assert (4 + length) % 8 == 0
    for row in json.loads(message[4 : 4 + length])["arrays"]:
        assert row["at"] % 8 == 0


def test_doubles_and_long_integers_become_short():
    _, arrays = unpacked(
        packed({}, {"a": np.array([1.5]), "b": np.array([7]), "c": np.ones(2, bool)})
    )
    assert [arrays[name].dtype.str[1:] for name in "abc"] == ["f4", "i4", "u1"]


def test_an_array_that_cannot_be_sent():
    with pytest.raises(AssertionError, match="no array of"):
        packed({}, {"a": np.array(["x"])})


def test_without_arrays_it_is_text():
    assert reply(4, Answer({"x": np.float64(2.0), "y": (1, np.inf)})) == (
        '{"n":4,"ok":{"x":2.0,"y":[1,null]}}'
    )
    assert event("status", Answer({"a": float("nan")})) == '{"event":"status","facts":{"a":null}}'


def test_a_refusal_is_one_line():
    assert json.loads(refused(None, "a\n  b", "busy", reason="x")) == {
        "n": None, "error": "a b", "kind": "busy", "reason": "x",
    }  # fmt: skip
