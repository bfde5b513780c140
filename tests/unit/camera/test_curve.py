"""Curves: exactly the curve of a path; corners of polylines rounded within the clearance."""

from __future__ import annotations

import math

import numpy as np
import pytest

import footway as fw
from footway.camera.curve import (
    SHARP,
    SMALLEST,
    Curve,
    angles_between,
    blended,
    tangent_lengths,
    with_halts,
)

CORNER = np.array([(0.0, 0.0), (4.0, 0.0), (4.0, 3.0)])
STAIRS = np.array([(0, 0, 0), (4, 0, 0), (4, 3, 1), (8, 3, 1), (8, 3, 5)], float)


@pytest.fixture(scope="module")
def path() -> fw.Path:
    cmap = fw.CorridorMap.build(fw.load("gallery:mckenna"))
    return cmap.path((5, 5), (190, 180), radius=1.0)


def arcs_at(curve, deviation, reach=math.inf):
    """Curve with arcs that leave its corners by a deviation at most."""
    count = len(curve.breaks)
    return blended(curve, tangent_lengths(curve, np.full(count, deviation), np.full(count, reach)))


@pytest.mark.parametrize(("angle", "found"), [(1e-5, 1e-5), (2e-7, 2e-7), (1e-8, 0.0)])
def test_a_corner_below_a_ten_millionth_is_rounding(angle, found):
    points = np.array([(0, 0), (1, 0), (1 + math.cos(angle), math.sin(angle))])
    assert Curve.from_points(points).corners[1] == pytest.approx(found, abs=1e-12)


class TestCourseOfAPath:
    def test_is_the_path(self, path):
        curve = Curve.from_pieces(path.pieces)
        assert curve.length == pytest.approx(path.length, abs=1e-9)
        assert (curve.curvatures > 0).sum() == path.turns
        assert curve.position(curve.length).tolist() == list(path.goal)
        assert curve.position(0.0).tolist() == list(path.start)
        assert not curve.corners.any()

    def test_is_c1(self, path):
        curve = Curve.from_pieces(path.pieces)
        at = curve.breaks[1:-1]
        assert np.abs(curve.position(at - 1e-9) - curve.position(at + 1e-9)).max() < 1e-8
        assert np.abs(curve.tangent(at - 1e-9) - curve.tangent(at + 1e-9)).max() < 1e-6

    def test_tangent_is_the_slope(self, path):
        curve = Curve.from_pieces(path.pieces)
        s = np.linspace(0.01, curve.length - 0.01, 2000)
        slope = (curve.position(s + 1e-6) - curve.position(s - 1e-6)) / 2e-6
        assert np.abs(slope - curve.tangent(s)).max() < 1e-5

    def test_arcs_turn_as_their_curvature_says(self, path):
        curve = Curve.from_pieces(path.pieces)
        (arcs,) = np.nonzero(curve.curvatures)
        assert curve.curvatures[arcs] == pytest.approx(1.0)  # of a disc of 1 m
        first, last = curve.breaks[arcs], curve.breaks[arcs + 1]
        turned = angles_between(curve.tangent(first), curve.tangent(last - 1e-9))
        assert turned == pytest.approx(last - first, abs=1e-6)


class TestArcs:
    @pytest.mark.parametrize("points", [CORNER, STAIRS])
    def test_make_it_c1(self, points):
        curve, _ = arcs_at(Curve.from_points(points), 0.2)
        assert not curve.corners.any()
        s = np.linspace(0, curve.length, 4001)
        step = np.linalg.norm(np.diff(curve.tangent(s), axis=0), axis=1)
        assert step.max() < 1.01 * curve.curvatures.max() * curve.length / 4000
        assert curve.position(curve.length).tolist() == points[-1].tolist()

    @pytest.mark.parametrize("deviation", [0.05, 0.3])
    def test_leave_a_corner_by_no_more_than_allowed(self, deviation):
        curve, breaks = arcs_at(Curve.from_points(CORNER), deviation)
        away = np.linalg.norm(curve.position(breaks[1]) - CORNER[1])
        assert away == pytest.approx(deviation)

    def test_take_half_of_a_line_with_two_corners(self):
        points = np.array([(0, 0), (5, 0), (5, 1), (0, 1)], float)
        curve, _ = arcs_at(Curve.from_points(points), 9.0)
        assert 1.0 / curve.curvatures.max() == pytest.approx(0.5)
        assert curve.length == pytest.approx(4.5 + math.pi / 2 + 4.5)

    def test_take_no_more_than_their_reach(self):
        curve, _ = arcs_at(Curve.from_points(CORNER), 9.0, reach=1.0)
        assert curve.breaks[1] == pytest.approx(3.0)

    def test_are_left_out_where_they_would_be_tiny(self):
        curve, breaks = arcs_at(Curve.from_points(CORNER), 0.4 * SMALLEST)
        assert len(curve.starts) == 2
        assert breaks.tolist() == [0, 4, 7]

    def test_of_a_path_back_are_a_halt(self):
        curve, _ = arcs_at(Curve.from_points(np.array([(0, 0), (4, 0), (1, 0)], float)), 1.0)
        assert curve.corners.tolist() == pytest.approx([0, math.pi, 0])
        assert with_halts(curve).halts.tolist() == [False, True, False]

    def test_small_corners_are_passed(self):
        bend = 0.9 * SHARP
        points = np.array([(0, 0), (4, 0), (4 + math.cos(bend), math.sin(bend))], float)
        assert not with_halts(Curve.from_points(points)).halts.any()

    def test_small_corners_in_one_place_are_a_halt(self):
        angles = np.cumsum([0.0, 0.3, 0.3, 0.3])
        steps = np.array([3.0, 1e-6, 1e-3, 3.0])
        legs = steps[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
        curve = Curve.from_points(np.vstack([[0.0, 0.0], np.cumsum(legs, axis=0)]))
        assert with_halts(curve).halts.tolist() == [False, True, True, True, False]

    def test_small_corners_along_a_curve_are_passed(self):
        angles = np.linspace(0, math.pi, 300)
        circle = 0.25 * np.column_stack([np.cos(angles), np.sin(angles)])
        assert not with_halts(Curve.from_points(circle)).halts.any()

    def test_keep_halts_where_a_line_is_used_up(self):
        curve = Curve.from_points(np.array([(0, 0), (4, 0), (5, 0), (5, 4)], float))
        curve.halts[1] = True
        curve, breaks = arcs_at(curve, 9.0)
        assert curve.breaks[curve.halts].tolist() == [breaks[1]] == [4.0]


def test_points_that_are_the_same_are_one():
    curve = Curve.from_points(CORNER[[0, 0, 1, 1, 1, 2, 2]])
    assert curve.lengths.tolist() == [4, 3]


class TestClearance:
    """A lower bound, also between the places where it is measured."""

    def test_of_an_arc_with_a_wall_outside(self):
        """Chords of an arc lie inside: their distance to that wall is too large."""
        first, last, radius = -0.3, 0.3007, 2.0
        out, along = (
            np.array([np.cos(first), np.sin(first)]),
            np.array([-np.sin(first), np.cos(first)]),
        )
        end = radius * np.array([np.cos(last), np.sin(last)])
        curve = Curve(
            starts=(5 + radius * out)[None],
            tangents=along[None],
            normals=-out[None],
            curvatures=np.array([1 / radius]),
            lengths=np.array([radius * (last - first)]),
            goal=5 + end,
            halts=np.zeros(2, bool),
        )
        cmap = fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 10, 10)))
        clearance = curve.clearance(cmap)
        assert clearance <= 3.0
        assert clearance == pytest.approx(3.0, abs=2e-6)

    def test_of_a_line_in_space_between_two_samples(self):
        class Post:
            """A point 3 mm beside the line, half-way between two samples."""

            def clearance(self, places):
                return np.linalg.norm(places - (0.505, 0.003, 0.0), axis=1)

        curve = Curve.from_points(np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)]))
        assert 0.0 < curve.clearance(Post()) <= 0.003
