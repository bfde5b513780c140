"""Bad queries: one clear line that says what, where and what to do; and the edge cases that are
fine."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import footway as fw

LEFT, RIGHT, CELL = (2, 2), (15, 8), (18.5, 1.5)
"""Left room, right room, and the closed cell of the fixture's map."""

NOT_POINTS = [
    "ab",
    "a",
    b"xy",
    None,
    3,
    (),
    (1,),
    (1, 2, 3),
    ("one", "two"),
    [[1, 2]],
    {},
    print,
]
NOT_FINITE = [(math.nan, 1), (1, math.nan), (math.inf, 1), (1, -math.inf)]


def line_of(error: pytest.ExceptionInfo[Exception]) -> str:
    message = str(error.value)
    assert "\n" not in message
    assert len(message) > 20
    return message


def hall_with_a_door() -> fw.CorridorMap:
    """A hall of 20 x 4 m and a thin wall at x = 5 with a door of 1 m in it, from y = 1.5."""
    walls = [[(5, 0), (5, 1.5)], [(5, 2.5), (5, 4)]]
    return fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 20, 4), lines=walls))


class TestNearestFreePoint:
    """The place that a message names is one where the disc fits."""

    PLACE = re.compile(r"m away at \((\S+), (\S+)\)")

    @pytest.mark.parametrize("radius", [0.0, 0.25, 0.6])
    @pytest.mark.parametrize("at", [(9.97, 2), (4.2, 5.1), (30, 30), (-1, 4)])
    def test_is_accepted(self, cmap, at, radius):
        with pytest.raises(fw.BadQuery) as refusal:
            cmap.path(at, at, radius=radius)
        found = self.PLACE.search(line_of(refusal))
        place = (float(found[1]), float(found[2]))
        assert cmap.path(place, place, radius=radius).length == 0.0

    def test_none_for_a_disc_that_fits_nowhere(self, cmap):
        with pytest.raises(fw.BadQuery, match="a disc of radius 7 m fits nowhere"):
            cmap.path((30, 30), (30, 30), radius=7.0)


class TestPoints:
    @pytest.mark.parametrize("bad", [*NOT_POINTS, *NOT_FINITE], ids=str)
    @pytest.mark.parametrize("query", ["path", "corridor", "bottleneck"])
    def test_are_two_finite_numbers(self, cmap, query, bad):
        with pytest.raises(fw.BadQuery) as start:
            getattr(cmap, query)(bad, RIGHT)
        assert "start" in line_of(start)
        with pytest.raises(fw.BadQuery) as goal:
            getattr(cmap, query)(LEFT, bad)
        assert "goal" in line_of(goal)

    @pytest.mark.parametrize("good", [np.array(LEFT), list(LEFT), np.float32(LEFT), (2, 2.0)])
    def test_of_any_kind(self, cmap, good):
        assert cmap.path(good, RIGHT).length == cmap.path(LEFT, RIGHT).length

    @pytest.mark.parametrize("query", ["clearance", "nearest_obstacle", "locate", "retract"])
    @pytest.mark.parametrize(
        "bad", [(1, 2), [[1, 2, 3]], [[math.nan, 1]], [["a", "b"]], 7, "text", [[1], [2, 3]], None]
    )
    def test_in_arrays(self, cmap, query, bad):
        with pytest.raises(fw.BadQuery) as error:
            getattr(cmap, query)(bad)
        assert "point" in line_of(error)

    @pytest.mark.parametrize("query", ["clearance", "nearest_obstacle", "retract"])
    def test_none_at_all(self, cmap, query):
        assert len(getattr(cmap, query)(np.empty((0, 2)))) == 0

    def test_lists_and_strided_views_are_fine(self, cmap):
        points = np.arange(40.0).reshape(10, 4)[:, ::2] / 4
        np.testing.assert_array_equal(cmap.clearance(points), cmap.clearance(points.tolist()))


class TestRadius:
    @pytest.mark.parametrize("bad", [-1, -1e-9, math.nan, math.inf, "wide", None, [1, 2], {}])
    @pytest.mark.parametrize("query", ["path", "corridor"])
    def test_is_a_length(self, cmap, query, bad):
        with pytest.raises(fw.BadQuery) as error:
            getattr(cmap, query)(LEFT, RIGHT, radius=bad)
        assert "radius" in line_of(error)

    @pytest.mark.parametrize("bad", [-1, math.nan, "wide"])
    def test_of_batches(self, cmap, bad):
        with pytest.raises(fw.BadQuery, match="radius"):
            cmap.paths([LEFT], [RIGHT], radius=bad)

    def test_zero_is_a_point(self, cmap):
        path = cmap.path(LEFT, RIGHT, radius=0)
        assert path.length <= cmap.path(LEFT, RIGHT, radius=0.1).length

    def test_wider_than_everything(self, cmap):
        with pytest.raises(fw.NoPath) as error:
            cmap.path(LEFT, RIGHT, radius=19.9)
        assert error.value.reason == "no room"
        line_of(error)

    @pytest.mark.parametrize("radius", [20.1, 1e6, 1e300, 2**2000])
    def test_wider_than_the_map(self, cmap, radius):
        for query in (cmap.path, cmap.corridor):
            with pytest.raises(fw.BadQuery, match="the radius is") as error:
                query(LEFT, RIGHT, radius=radius)
            line_of(error)
        with pytest.raises(fw.BadQuery, match="the radius is"):
            cmap.paths([LEFT], [RIGHT], radius=radius)

    def test_too_wide_at_the_start_or_the_goal(self, cmap):
        for pair, which in ((((0.2, 3), RIGHT), "start"), ((LEFT, (0.2, 3)), "goal")):
            with pytest.raises(fw.NoPath) as error:
                cmap.path(*pair, radius=0.3)
            assert error.value.reason == "no room"
            message = line_of(error)
            assert which in message
            assert "0.200 m away" in message
            assert "0.100 m from the wall" in message


class TestInWalls:
    @pytest.mark.parametrize(
        ("query", "words"),
        [
            ("path", "for a radius of 0.25 m is 0.551 m away at (3.749, 5.000)"),
            ("corridor", "for a radius of 0.25 m is 0.551 m away at (3.749, 5.000)"),
            ("bottleneck", "nearest free point is 0.301 m away at (3.999, 5.000)"),
        ],
    )
    def test_says_how_far_the_nearest_free_point_is(self, cmap, query, words):
        with pytest.raises(fw.BadQuery) as error:
            getattr(cmap, query)((4.3, 5), RIGHT)
        message = line_of(error)
        assert "start (4.300, 5.000)" in message
        assert words in message

    def test_outside_the_map(self, cmap):
        with pytest.raises(fw.BadQuery) as error:
            cmap.path(LEFT, (23, 14))
        assert "goal" in line_of(error)
        assert "m away at (19.749, 9.749)" in line_of(error)

    @pytest.mark.parametrize("far", [1e7, 1e300, -1e18])
    def test_far_outside_the_map(self, cmap, far):
        with pytest.raises(fw.BadQuery) as error:
            cmap.path((far, far), RIGHT)
        line_of(error)
        assert cmap.clearance([(far, far)])[0] == 0

    def test_no_none_for_what_is_no_question(self, cmap):
        """In a batch a bad query gives None, and the others are answered."""
        answers = cmap.paths([(5, 5), LEFT], [RIGHT, RIGHT])
        assert answers[0] is None
        assert answers[1] is not None


class TestStartIsGoal:
    @pytest.mark.parametrize("radius", [0, 0.25, 1.0])
    def test_is_a_path_of_no_length(self, cmap, radius):
        path = cmap.path(LEFT, LEFT, radius=radius)
        assert path.length == 0
        assert path.turns == 0
        assert path.clearance == pytest.approx(2)
        np.testing.assert_array_equal(path.points, [LEFT, LEFT])
        assert np.isfinite(path.headings).all()
        np.testing.assert_array_equal(path.arc_lengths, [0, 0])
        assert path.to_dict()["length"] == 0

    def test_has_a_corridor_and_a_bottleneck(self, cmap):
        assert cmap.corridor(LEFT, LEFT, radius=0.25).narrowest >= 0.25
        assert cmap.bottleneck(LEFT, LEFT).radius == pytest.approx(2)

    @pytest.mark.parametrize("step", [1e-12, 1e-9, 1e-6, 1e-3])
    def test_almost(self, cmap, step):
        path = cmap.path(LEFT, (2, 2 + step))
        assert path.length == pytest.approx(step, rel=1e-6, abs=1e-9)

    def test_in_a_wall_is_still_wrong(self, cmap):
        with pytest.raises(fw.BadQuery):
            cmap.path((5, 5), (5, 5))


class TestNoWay:
    def test_between_components(self, cmap):
        for query in (cmap.path, cmap.corridor, cmap.bottleneck):
            with pytest.raises(fw.NoPath) as error:
                query(LEFT, CELL)
            assert error.value.reason == "components"
            assert error.value.pinch is None
            line_of(error)
        assert cmap.paths([LEFT], [CELL]) == [None]

    def test_between_components_for_a_point(self, cmap):
        with pytest.raises(fw.NoPath) as error:
            cmap.path(LEFT, CELL, radius=0)
        assert error.value.reason == "components"

    def test_a_pinch_is_shown(self, cmap):
        for query in (cmap.path, cmap.corridor):
            with pytest.raises(fw.NoPath) as error:
                query(LEFT, RIGHT, radius=0.6)
            assert error.value.reason == "pinch"
            pinch = error.value.pinch
            assert pinch == cmap.bottleneck(LEFT, RIGHT)
            message = line_of(error)
            assert "1.000 m wide" in message
            assert f"({pinch.at[0]:.3f}, 5.000)" in message
            assert "radius up to 0.500 m" in message

    def test_bottleneck_is_the_door(self, cmap):
        pinch = cmap.bottleneck(LEFT, RIGHT)
        assert pinch.radius == pytest.approx(0.5)
        assert pinch.width == pytest.approx(1)
        assert pinch.at[1] == pytest.approx(5)
        assert 9.9 <= pinch.at[0] <= 10.1
        assert sorted([pinch.left[1], pinch.right[1]]) == pytest.approx([4.5, 5.5])

    def test_bottleneck_is_at_the_start_when_it_is_the_tightest(self, cmap):
        pinch = cmap.bottleneck((0.1, 3), LEFT)
        assert pinch.radius == pytest.approx(0.1)
        assert pinch.at == (0.1, 3)

    def test_bottleneck_of_two_places_between_doors_is_no_door(self):
        """Both ends are on one edge of the axis, with a door before and behind them."""
        doors = [[(x, y), (x, y + 1.5)] for x in (5, 15) for y in (0, 2.5)]
        hall = fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 20, 4), lines=doors))
        for a, b in (((6.5, 2), (13.5, 2)), ((13.5, 2), (6.5, 2))):
            assert hall.bottleneck(a, b).radius == pytest.approx(np.hypot(1.5, 0.5))
        assert hall.bottleneck((4, 2), (13.5, 2)).radius == pytest.approx(0.5)

    @pytest.mark.parametrize("radius", [0.5 + 1e-4, 0.51, 0.54])
    @pytest.mark.parametrize(("a", "b"), [((1, 2), (15, 2)), ((4.5, 2), (5.5, 2))])
    def test_a_door_that_is_hardly_too_narrow_is_a_pinch(self, radius, a, b):
        hall = hall_with_a_door()
        for query in (hall.path, hall.corridor):
            with pytest.raises(fw.NoPath) as error:
                query(a, b, radius=radius)
            assert error.value.reason == "pinch"
            assert "the widest path is 1.000 m wide at (5.000, 2.000)" in line_of(error)
        assert hall.paths([a], [b], radius=radius) == [None]
        assert hall.path(a, b, radius=0.5).length == pytest.approx(b[0] - a[0])

    def test_passages_are_listed_from_the_narrowest(self):
        widths = {4: 1.0, 8: 0.6, 12: 1.4, 16: 0.8}
        walls = [[(x, 0), (x, 4 - width)] for x, width in widths.items()]
        hall = fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 20, 4), lines=walls))
        found = hall.passages(10)
        assert [pinch.width for pinch in found] == pytest.approx([0.6, 0.8, 1.0, 1.4])
        assert [pinch.at[0] for pinch in found] == pytest.approx([8, 16, 4, 12])
        assert hall.passages(2) == found[:2]

    def test_just_fits(self, cmap):
        assert cmap.path(LEFT, RIGHT, radius=0.5).clearance == pytest.approx(0.5)


class TestBatches:
    def test_as_many_starts_as_goals(self, cmap):
        with pytest.raises(fw.BadQuery) as error:
            cmap.paths([LEFT, LEFT], [RIGHT])
        assert "2 starts and 1 goals" in line_of(error)

    @pytest.mark.parametrize("threads", [0, -1])
    def test_at_least_one_thread(self, cmap, threads):
        with pytest.raises(fw.BadQuery, match="threads"):
            cmap.paths([LEFT], [RIGHT], threads=threads)

    def test_empty(self, cmap):
        assert cmap.paths(np.empty((0, 2)), np.empty((0, 2))) == []

    def test_more_threads_than_queries(self, cmap):
        (path,) = cmap.paths([LEFT], [RIGHT], threads=16)
        assert path is not None
        assert path.length == cmap.path(LEFT, RIGHT).length


class TestClearanceWish:
    """The preferred distance from walls, where the corridor is wide enough."""

    @pytest.mark.parametrize("bad", [-0.1, math.nan, "far"])
    def test_is_a_length(self, cmap, bad):
        with pytest.raises(fw.BadQuery):
            cmap.path(LEFT, RIGHT, clearance=bad)

    def test_is_kept_where_the_corridor_is_wide_enough(self, cmap):
        """A clearance of 0.8 m is possible around the pillar, but not through the door of 1 m."""
        start, goal = (5, 3), (5, 7)
        assert cmap.path(start, goal, radius=0.25).clearance == pytest.approx(0.25)
        wide = cmap.path(start, goal, radius=0.25, clearance=0.8)
        assert wide.clearance >= 0.8 - 1e-6
        assert wide.radius == 0.25

    def test_does_not_close_a_door(self, cmap):
        path = cmap.path(LEFT, RIGHT, radius=0.25, clearance=2.0)
        assert path.clearance >= 0.25 - 1e-6

    def test_less_than_the_radius_is_a_contradiction(self, cmap):
        with pytest.raises(fw.BadQuery, match="below the radius"):
            cmap.path(LEFT, RIGHT, radius=0.25, clearance=0.1)
