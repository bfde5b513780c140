"""WKT: polygons and collections, invalid and damaged input, real plans."""

from __future__ import annotations

import pytest

import footway as fw
from tests.oracle.noded import assert_noded
from tests.shared_data import shared

LOWER = "POLYGON((0 0,10 0,10 4,0 4,0 0))"
UPPER = "POLYGON((0 6,10 6,10 10,0 10,0 6))"
SIDES = "((0 4,4 4,4 6,0 6,0 4)),((6 4,10 4,10 6,6 6,6 4))"


@pytest.fixture
def load(tmp_path):
    def load_text(text):
        (tmp_path / "a.wkt").write_text(text)
        return fw.load(tmp_path / "a.wkt")

    return load_text


@pytest.mark.parametrize(
    "text",
    [
        "POLYGON((0 0,10 0,10 10,0 10,0 0),(4 4,6 4,6 6,4 6,4 4))",
        "polygon ((0 0, 10 0, 10 10, 0 10, 0 0),\n (4 4, 6 4, 6 6, 4 6, 4 4))\n",
        "SRID=25832;POLYGON((0 0,10 0,10 10,0 10,0 0),(4 4,6 4,6 6,4 6,4 4))",
        "POLYGON Z((0 0 1,10 0 1,10 10 1,0 10 1,0 0 1),(4 4 1,6 4 1,6 6 1,4 6 1,4 4 1))",
        "MULTIPOLYGON(((0 0,10 0,10 10,0 10,0 0),(4 4,6 4,6 6,4 6,4 4)))",
        f"GEOMETRYCOLLECTION(GEOMETRYCOLLECTION({LOWER},{UPPER}),MULTIPOLYGON({SIDES}))",
    ],
)
def test_the_same_plan(load, text):
    env = load(text)
    assert (env.area, env.holes, env.repairs) == (96, 1, ())


def test_unclosed_ring_is_closed_and_listed(load):
    env = load("POLYGON((0 0,10 0,10 10,0 10),(4 4,6 4,6 6,4 6,4 4))")
    assert env.area == 96
    assert [(r.kind, r.at) for r in env.repairs] == [("unclosed ring", (0, 0))]


def test_lines_in_a_collection_are_left_out_and_listed(load):
    env = load("GEOMETRYCOLLECTION(POLYGON((0 0,10 0,10 10,0 0)),LINESTRING(1 2,3 4),POINT(5 6))")
    assert [(r.kind, r.at) for r in env.repairs] == [("ignored", (1, 2)), ("ignored", (5, 6))]


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("POLYGON((0 0, 1 0", fw.BadFile, "is not WKT"),
        ("POLYGON((a b, 1 0, 1 1, a b))", fw.BadFile, "is not WKT.*'a'"),
        ("hello", fw.BadFile, "is not WKT"),
        ("POINT(1 2)", fw.BadFile, "no polygon"),
        ("POLYGON EMPTY", fw.BadFile, "no polygon"),
        ("CURVEPOLYGON((0 0,10 0,10 10,0 0))", fw.BadFile, "curved"),
        ("GEOMETRYCOLLECTION(MULTISURFACE(((0 0,1 0,1 1,0 0))))", fw.BadFile, "curved"),
        ("GEOMETRYCOLLECTION(" * 100_000, fw.BadFile, "100000 levels"),
        ("GEOMETRYCOLLECTION(" * 65 + ")" * 65, fw.BadFile, "65 levels"),
        ("POLYGON((0 0,\nnan 0,1 1,0 0))", fw.BadGeometry, "line 2: coordinate 'nan'"),
        ("POLYGON((0 0,-Inf 0,1 1,0 0))", fw.BadGeometry, "coordinate '-Inf'"),
        ("POLYGON((0 0,1e999 0,1 1,0 0))", fw.BadGeometry, "polygon 0: coordinate .inf, 0."),
        ("POLYGON((0 0,1 1,0 0))", fw.BadGeometry, "nothing is walkable"),
    ],
)
def test_damaged_files(load, text, error, message):
    with pytest.raises(error, match=message):
        load(text)


def test_a_long_word_is_refused_at_once(load):
    """If it were searched from each of its letters, that would take an hour."""
    with pytest.raises(fw.BadFile, match="is not WKT"):
        load("x" * 1_000_000)


def test_binary_says_where(tmp_path):
    (tmp_path / "a.wkt").write_bytes(b"POLYGON\n((\x80\x81")
    with pytest.raises(fw.BadFile, match="line 2: is not text"):
        fw.load(tmp_path / "a.wkt")


@pytest.mark.parametrize(
    ("name", "area", "holes"),
    [("plans/arena.wkt", 262.5, 15), ("plans/juelich_tests__office_rooms.wkt", 69.6, 0)],
)
def test_plans_of_others(name, area, holes):
    env = fw.load(shared(name))
    assert env.area == pytest.approx(area, abs=0.1)
    assert env.holes == holes
    assert_noded(env)
