"""Validation of user input: numbers, points, counts, files, and radii larger than the map."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import footway as fw
from footway import validation
from tests.effort import examples
from tests.misuse import calls

HOLE = [(3, 3), (6, 3), (6, 6), (3, 6)]
OUTSIDE = [(0, 0), (9, 0), (9, 9), (0, 9)]

EVERYWHERE = {
    "path": lambda r: calls.cmap().path(calls.A, calls.B, radius=r),
    "paths": lambda r: calls.cmap().paths([calls.A], [calls.B], radius=r),
    "corridor": lambda r: calls.cmap().corridor(calls.A, calls.B, radius=r),
    "path in space": lambda r: calls.space_map().path((1, 1, 1), (7, 5, 3), radius=r),
    "terrain": lambda r: fw.Terrain.build(calls.env(), r),
    "route": lambda r: fw.route(calls.env(), calls.A, calls.B, radius=r),
    "grid": lambda r: fw.roadmap.grid(calls.env(), radius=r),
    "roadmap": lambda r: fw.roadmap.rrm(calls.env(), radius=r),
    "roadmap in space": lambda r: fw.roadmap.rrm(calls.volume(), radius=r),
    "box in space": lambda r: fw.roadmap.rrm(calls.volume(), size=(r, 1, 1)),
    "Voronoi-PRM": lambda r: fw.roadmap.voronoi_prm(calls.env(), radius=r),
    "clearance of a Voronoi-PRM": lambda r: fw.roadmap.voronoi_prm(calls.env(), clearance=r),
    "blends": lambda r: fw.roadmap.blends(calls.prm(), clearance=r),
    "crowd": lambda r: calls.crowd().add(1, radius=r),
    "group": lambda r: calls.crowd().add_group(2, start=(5, 3), radius=r),
    "obstacle": lambda r: calls.crowd().add_obstacle((6, 6), r),
    "tour": lambda r: fw.camera.tour(calls.cmap(), [calls.A, calls.B], radius=r),
    "camera": lambda r: fw.camera.follow(calls.recording(), 0, radius=r, cmap=calls.cmap()),
    "walks": lambda r: fw.follow.cmm_batch(calls.cmap(), [calls.A], [calls.B], radius=r),
}


@pytest.mark.parametrize("where", EVERYWHERE)
@pytest.mark.parametrize("radius", [20.5, 1e6, 1e300, 2**2000])
def test_a_radius_beyond_the_map_is_refused(where, radius):
    with pytest.raises(fw.BadInput) as caught:
        EVERYWHERE[where](radius)
    assert "\n" not in str(caught.value)


def test_a_radius_that_is_only_too_wide_is_no_path():
    with pytest.raises(fw.NoPath):
        calls.cmap().path(calls.A, calls.B, radius=19.0)
    assert calls.cmap().paths([calls.A], [calls.B], radius=19.0) == [None]


@pytest.mark.parametrize(
    "misuse",
    [
        lambda: fw.Environment.from_polygons([[OUTSIDE, HOLE]]),
        lambda: fw.Environment.from_polygons([[*OUTSIDE, (1, 2, 3)]]),
        lambda: fw.Environment.from_polygons([(0, 0), (1,), (2, 0)]),
        lambda: calls.crowd().add_obstacle((), 1.0),
        lambda: calls.crowd().add(1, radius="0.2"),
        lambda: calls.crowd().remove(None),
        lambda: fw.Crowd(calls.cmap(), threads=10**9),
        lambda: fw.Recording.load(None),
        lambda: fw.roadmap.rrm(calls.env(), resolution=1e-300),
        lambda: calls.cmap().axis(1e-12),
        lambda: calls.crowd().step(2**31),
        lambda: calls.crowd().run(seconds=1e12),
        lambda: fw.follow.variations(calls.corridor(), 10**9),
        lambda: fw.Volume.from_boxes((0, 0, 0, 1, 1, 1), [(0, 0, 0, 1e300, 1, 1)]),
    ],
)
def test_misuse_is_one_line(misuse):
    with pytest.raises(fw.BadInput) as caught:
        misuse()
    assert "\n" not in str(caught.value)


def test_a_polygon_with_holes_says_what_to_do():
    with pytest.raises(fw.BadGeometry, match=r"shapely.Polygon\(exterior, holes\)"):
        fw.Environment.from_polygons([[OUTSIDE, HOLE]])


class TestNumbers:
    @pytest.mark.parametrize(
        "value", [2, 2.0, np.float32(2), np.int8(2), np.array(2.0), Decimal(2), Fraction(2)]
    )
    def test_of_all_kinds(self, value):
        found = validation.number(value, "speed")
        assert type(found) is float
        assert found == 2.0

    @pytest.mark.parametrize("value", ["2", b"2", True, np.True_, None, 2j, np.array([2.0]), [2]])
    def test_that_are_none(self, value):
        with pytest.raises(fw.BadQuery, match=r"the speed is .*: it must be a number"):
            validation.number(value, "speed")

    @given(st.one_of(st.floats(), st.integers(-(2**1100), 2**1100)))
    @examples(300)
    def test_between_limits_or_refused(self, value):
        """Checked against comparison in Python, which is exact for integers of any size."""
        inside = not (isinstance(value, float) and math.isnan(value)) and -1 < value <= 1e6
        if inside:
            assert validation.number(value, "speed", above=-1.0, high=1e6) == value
        else:
            with pytest.raises(fw.BadQuery, match=r"^.{,200}$"):
                validation.number(value, "speed", above=-1.0, high=1e6)

    def test_whole(self):
        assert validation.whole(np.uint8(3), "count") == 3
        for value in (3.0, True, "3", None, -1, 10**5000):
            with pytest.raises(fw.BadQuery):
                validation.whole(value, "count", high=100)

    def test_index(self):
        assert [validation.index(k, "row", 3) for k in range(3)] == [0, 1, 2]
        for value in (3, -1, 1.0):
            with pytest.raises(fw.BadQuery, match="the row is"):
                validation.index(value, "row", 3)

    def test_limits_that_may_be_reached_and_that_may_not(self):
        assert validation.number(1, "share", low=1, high=1) == 1
        with pytest.raises(fw.BadQuery, match="more than 1 m"):
            validation.number(1, "length", "m", above=1)
        assert validation.radius(2.0, 2.0) == 2.0
        with pytest.raises(fw.BadQuery, match="the map only 2 m wide"):
            validation.radius(2.0001, 2.0)
        with pytest.raises(fw.BadQuery, match="more than 0 m"):
            validation.radius(0, above=0.0)

    def test_extent_is_the_longest_side(self):
        assert validation.extent_of((0, 10, 3, 40)) == 30
        assert validation.extent_of((0, 10, 5, 3, 12, 55)) == 50

    def test_samples_are_counted_before_they_are_made(self):
        most = validation.MOST_SAMPLES
        validation.number_of_samples(most, "the path", "take a longer step")
        for count in (most + 1, math.nan, math.inf):
            with pytest.raises(fw.BadQuery, match=r"the path would have .*: take a longer step"):
                validation.number_of_samples(count, "the path", "take a longer step")

    def test_whole_numbers_beyond_64_bits_with_a_sign(self):
        good = validation.whole_numbers(np.array([2**63 - 1], np.uint64), "ids", "(n,)")
        assert good.tolist() == [2**63 - 1]
        with pytest.raises(fw.BadQuery, match="whole numbers of the shape"):
            validation.whole_numbers(np.array([0, 2**63], np.uint64), "ids", "(n,)")

    def test_index_of_nothing(self):
        with pytest.raises(fw.BadQuery, match="there is no population 0: there are none"):
            validation.index(0, "population", 0)


class TestPoints:
    @pytest.mark.parametrize("value", [(1, 2), [1, 2], np.array([1, 2]), (Decimal(1), 2.0)])
    def test_of_all_kinds(self, value):
        assert validation.point(value, "start").tolist() == [1.0, 2.0]

    @pytest.mark.parametrize(
        "value", [(1,), (1, 2, 3), "12", ("1", "2"), {1, 2}, {1: 2, 3: 4}, 5, None, (1, math.nan)]
    )
    def test_that_are_none(self, value):
        with pytest.raises(fw.BadQuery, match="the start"):
            validation.point(value, "start")

    def test_mixed_numbers_in_an_array(self):
        values = [(Fraction(1, 2), 1), (2**70, 3.0)]
        assert validation.points(values, farthest=math.inf).tolist() == [[0.5, 1.0], [2.0**70, 3.0]]

    @pytest.mark.parametrize("values", [[(1, 2), (3,)], [("a", "b")], [(1, 2j)], 3, [[[1, 2]]]])
    def test_arrays_that_are_none(self, values):
        with pytest.raises(fw.BadQuery, match="points must"):
            validation.points(values)

    @pytest.mark.parametrize(
        ("bad", "message"),
        [
            ((0, -2e9), r"row 2 of the points is \[0.0, -2000000000.0\].*1e\+09 m at most"),
            ((2e9, 0), "row 2 of the points is .*m at most"),
            ((0, math.nan), "row 2 of the points is .*must be finite"),
        ],
    )
    def test_the_first_bad_row_is_named(self, bad, message):
        with pytest.raises(fw.BadQuery, match=message):
            validation.points([(1, 2), (3, 4), bad, (5, 6), bad])

    def test_as_many_goals_as_starts(self):
        one, two = np.zeros((1, 2)), np.zeros((2, 2))
        validation.as_many(two, two)
        for starts, goals in ((one, two), (two, one)):
            with pytest.raises(fw.BadQuery, match="give the same number of each"):
                validation.as_many(starts, goals)


class TestFiles:
    def test_the_longest_name(self):
        assert len(str(validation.file("x" * validation.LONGEST_NAME))) == 4096
        with pytest.raises(fw.BadFile):
            validation.file("x" * (validation.LONGEST_NAME + 1))

    def test_names(self):
        assert validation.file("a.wkt") == validation.file(Path("a.wkt")) == Path("a.wkt")

    @pytest.mark.parametrize("value", [None, "", 3, b"a.wkt", "a\0b", "\ud800", "x" * 5000, ["a"]])
    def test_that_are_none(self, value):
        with pytest.raises(fw.BadFile, match="give its name as a text or a Path"):
            validation.file(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([10**5000], "[a whole number of 5001 digits]"),
        (list(range(100)), "[0, 1, 2, 3, 4, 5, ...]"),
    ],
)
def test_values_in_messages_are_short_and_on_one_line(value, text):
    assert validation.shown(value) == text


def test_an_array_in_a_message_is_short_and_on_one_line():
    text = validation.shown(np.zeros((100, 100)))
    assert len(text) <= 60
    assert "\n" not in text
