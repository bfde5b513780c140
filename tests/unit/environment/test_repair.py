"""Geometry repair: each kind of defect is repaired and listed with its position."""

from __future__ import annotations

import pytest
import shapely

from footway.environment import Environment, Repair
from tests.oracle.noded import assert_noded


def kinds(env: Environment) -> list[str]:
    return [r.kind for r in env.repairs]


def test_a_repair_reads_as_one_line():
    repair = Repair("gap", (1.5, -2.0), "two rooms; joined")
    assert str(repair) == "gap at (1.500, -2.000): two rooms; joined"


def test_bow_tie_keeps_both_halves_and_names_the_crossing():
    env = Environment.from_polygons([(0, 0), (10, 10), (10, 0), (0, 10)])
    assert kinds(env) == ["self-intersection", "island"]
    assert env.repairs[0].at == (5, 5)
    assert env.area == 50
    assert_noded(env)


def test_pentagram_lists_its_five_crossings():
    env = Environment.from_polygons([(0, 100), (59, -81), (-95, 31), (95, 31), (-59, -81)])
    assert kinds(env) == ["self-intersection"] * 5
    assert len({r.at for r in env.repairs}) == 5
    # The middle is walked around twice by the ring: it is floor, not a hole.
    assert env.walkable.contains(shapely.Point(0, 0))
    assert_noded(env)


def test_spike_is_cut_off():
    env = Environment.from_polygons([(0, 0), (10, 0), (10, 10), (20, 10), (10, 10), (0, 10)])
    assert env.area == 100
    assert kinds(env) == ["self-intersection"]
    assert env.repairs[0].at == (10, 10)


def test_hole_outside_its_shell_is_ignored():
    hole = [(20, 20), (21, 20), (21, 21)]
    env = Environment.from_polygons(shapely.Polygon(shapely.box(0, 0, 10, 10).exterior, [hole]))
    assert env.area == 100
    assert kinds(env) == ["overlap"]


def test_duplicate_points_exact_and_below_the_grid():
    ring = [(0, 0), (10, 0), (10, 0), (10, 10), (10.0002, 10.0001), (0, 10)]
    env = Environment.from_polygons(ring)
    assert kinds(env) == ["duplicate point"] * 2
    assert [r.at for r in env.repairs] == [(10, 0), (10, 10)]
    assert len(env.walls.segments) == 4
    assert "0.224 mm" in env.repairs[1].detail


def test_a_duplicate_point_of_a_triangle_is_listed():
    env = Environment.from_polygons([(0, 0), (10, 0), (10, 0), (0, 8)])
    assert [(r.kind, r.at) for r in env.repairs] == [("duplicate point", (10, 0))]
    assert env.area == 40


def test_a_shell_below_the_grid_takes_its_holes_with_it():
    hole = [(2, 2), (4, 2), (4, 4), (2, 4)]
    speck = shapely.Polygon([(20, 0), (20.0001, 0), (20, 0.0001)], [hole])
    env = Environment.from_polygons([shapely.box(0, 0, 1, 1), speck])
    assert kinds(env) == ["sliver"]
    assert env.area == 1


def test_overlap_is_merged_and_measured():
    env = Environment.from_polygons([shapely.box(0, 0, 6, 6), shapely.box(5, 5, 10, 10)])
    (repair,) = env.repairs
    assert repair.kind == "overlap"
    assert repair.at == (5.5, 5.5)
    assert "overlap by 1 m2" in repair.detail
    assert env.area == 60


def test_overlapping_obstacles_become_one_hole():
    env = Environment.from_polygons(
        bounds=(0, 0, 20, 20),
        obstacles=[shapely.box(2, 2, 6, 6), shapely.box(5, 5, 9, 9), shapely.box(8, 8, 12, 12)],
    )
    assert kinds(env) == ["overlap"] * 2
    assert env.holes == 1
    assert env.area == 400 - 46


def test_same_polygon_twice():
    env = Environment.from_polygons([shapely.box(0, 0, 6, 6)] * 2)
    assert kinds(env) == ["overlap"]
    assert env.area == 36


@pytest.mark.parametrize(("left", "right"), [(10.0001, 10.0003), (10.0004, 10.0006)])
def test_gap_below_the_grid_is_closed_wherever_it_falls(left, right):
    env = Environment.from_polygons([shapely.box(0, 0, left, 8), shapely.box(right, 2, 20, 6)])
    assert kinds(env) == ["gap"]
    assert env.repairs[0].at[0] == pytest.approx(10, abs=0.001)
    assert "0.2 mm" in env.repairs[0].detail
    assert len(shapely.get_parts(env.walkable)) == 1
    assert_noded(env)


def test_gap_above_the_grid_stays():
    env = Environment.from_polygons([shapely.box(0, 0, 10, 8), shapely.box(10.003, 0, 20, 8)])
    assert kinds(env) == ["island"]


def test_sliver_polygon_is_dropped():
    env = Environment.from_polygons([shapely.box(0, 0, 9, 9), shapely.box(20, 0, 20.0003, 5)])
    assert kinds(env) == ["sliver"]
    assert env.repairs[0].at[0] == 20
    assert env.bounds == (0, 0, 9, 9)


def test_a_part_wider_than_the_grid_is_no_sliver():
    env = Environment.from_polygons([shapely.box(0, 0, 9, 9), shapely.box(20, 0, 20.002, 5)])
    assert kinds(env) == ["island"]
    assert env.area == pytest.approx(81.01)


def test_sliver_left_by_an_obstacle_is_dropped():
    env = Environment.from_polygons(
        [shapely.box(0, 0, 9, 9)], obstacles=[shapely.box(5, -1, 8.999, 10)]
    )
    assert kinds(env) == ["sliver"]
    assert env.bounds == (0, 0, 5, 9)


def test_waist_narrower_than_the_grid_closes_up():
    waist = [(0, 0), (5, 4.9998), (10, 0), (10, 10), (5, 5.0001), (0, 10)]
    env = Environment.from_polygons(waist)
    assert kinds(env) == ["sliver", "island"]
    assert env.repairs[0].at == (5, 5)
    assert_noded(env)


def test_islands_are_kept_and_listed():
    env = Environment.from_polygons([shapely.box(0, 0, 9, 9), shapely.box(20, 0, 21, 5)])
    assert kinds(env) == ["island"]
    assert env.area == 86
    assert 20 < env.repairs[0].at[0] < 21
    assert "5 m2" in env.repairs[0].detail


def test_islands_are_all_parts_but_the_largest_whatever_their_order():
    small, large = shapely.box(0, 0, 1, 5), shapely.box(20, 0, 29, 9)
    for parts in ([small, large], [large, small]):
        (repair,) = Environment.from_polygons(parts).repairs
        assert 0 < repair.at[0] < 1
        assert "5 m2 is not connected to the largest part of 81 m2" in repair.detail


def test_obstacle_outside_is_listed_with_its_number():
    env = Environment.from_polygons(
        shapely.box(0, 0, 9, 9), obstacles=[shapely.box(1, 1, 2, 2), shapely.box(50, 50, 60, 60)]
    )
    (repair,) = env.repairs
    assert repair.kind == "outside"
    assert repair.detail.startswith("obstacle 1")


def test_either_orientation_gives_walls_with_free_space_on_the_left():
    outer = shapely.box(0, 0, 10, 10)
    inner = shapely.box(4, 4, 6, 6)
    for shell in (outer.exterior.coords, outer.exterior.coords[::-1]):
        for hole in (inner.exterior.coords, inner.exterior.coords[::-1]):
            env = Environment.from_polygons(shapely.Polygon(shell, [hole]))
            assert env.area == 96
            assert_noded(env)
