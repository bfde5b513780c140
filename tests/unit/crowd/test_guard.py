"""How a crowd moves, judged by positions after each step: see `tests.oracle.crowd_motion`."""

from functools import cache

import numpy as np
import pytest
import shapely

import footway as fw
from footway.crowd.models import MODELS
from tests.oracle.crowd_motion import (
    corridor_experiment,
    crowd_in,
    density_and_speed,
    detours,
    door,
    flow_at,
    forward_speed,
    jam_centroid,
    run,
    shares_across,
    single_file,
    street,
)

cached_door = cache(door)


class TestTimeStep:
    def test_a_file_walks_as_fast_in_longer_steps(self):
        """A headway of two steps would make 0.5 m/s of these 1.2."""
        short, usual, long = (single_file(0.8, dt=dt) for dt in (0.05, 0.1, 0.2))
        assert short == pytest.approx(usual, rel=0.03)
        assert long == pytest.approx(usual, rel=0.06)

    @pytest.mark.parametrize("dt", [0.02, 0.05, 0.2])
    def test_a_dense_file_along_walls_does_too(self, dt):
        """Somebody who touched a wall stopped, in the more steps, the shorter they were."""
        usual = single_file(1.1, width=0.42)
        assert single_file(1.1, width=0.42, dt=dt) == pytest.approx(usual, rel=0.03)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("dt", "within"),
        [
            (0.02, 0.04),
            pytest.param(0.2, 0.06, marks=pytest.mark.xfail(
                strict=True, reason="it takes about 10 % longer, where 6 % are allowed"
            )),
        ],
    )  # fmt: skip
    def test_a_room_is_empty_after_the_same_time(self, dt, within):
        """Mean of many seeds: single runs differ by 6 %."""
        one, other = (
            np.mean([door(1.2, dt=step, seed=seed).seconds for seed in range(12)])
            for step in (0.1, dt)
        )
        assert other == pytest.approx(one, rel=within)


class TestSides:
    def test_people_wait_in_front_of_a_door_not_beside_it(self):
        film = cached_door(1.2, n=80, lane=0.0)
        time = film.seconds
        assert abs(jam_centroid(film, 9.8, 0.2 * time, 0.6 * time)) < 0.25
        assert np.quantile(detours(film), 0.9) < 1.53, "they queue, and do not mill"

    def test_one_way_people_use_the_whole_width(self):
        film, _ = street(2.0, two_way=False)
        assert shares_across(film, 5.0, 15.0, 25.0, after=4.0).min() > 0.1

    def test_one_way_flow_is_faster_than_two_way_flow_which_does_not_jam(self):
        one, nobody = street(2.0, two_way=False)
        two, west = street(2.0, two_way=True)
        fast = forward_speed(one, nobody, 15.0, 25.0, after=4.0)
        assert fast > forward_speed(two, west, 15.0, 25.0, after=4.0) > 0.4


class TestNarrowCorridors:
    @pytest.mark.parametrize(
        ("width", "radius"),
        [
            (0.405, 0.2), (0.41, 0.2), (0.45, 0.2), (0.499, 0.2), (0.5, 0.2), (0.501, 0.2),
            (0.6, 0.2), (0.22, 0.1), (0.25, 0.1), (0.3, 0.1), (0.55, 0.25), (2.0, 0.2),
        ],
    )  # fmt: skip
    def test_a_disc_that_fits_walks_at_its_speed(self, width, radius):
        crowd = crowd_in(shapely.box(0, 0, 12, width))
        start, goal = (0.5, width / 2), (11.5, width / 2)
        crowd.add(1, starts=[start], goals=[goal], radius=radius, speed=1.34, then="exit")
        assert run(crowd, 20.0, radius).seconds < 11.0 / 1.34 + 0.7


class TestBodies:
    @pytest.mark.parametrize("width", [0.5, 1.2])
    def test_nobody_walks_into_another_one_at_a_door(self, width):
        film = cached_door(width, n=80, lane=0.0, seconds=150.0)
        assert film.least_distance() > 1.95 * film.radius
        assert len(film.ids[-1]) == 0, "everybody gets through"

    def test_one_of_two_at_a_narrow_door_waits_for_the_other(self):
        """Both pressed into it, touched between its posts and stood there: 0.8 per second."""
        assert flow_at(cached_door(0.5, n=80, lane=0.0, seconds=150.0), 10.5) > 0.9

    def test_pressed_discs_do_not_creep_into_each_other(self):
        """Overlaps of 1 % of the distance are allowed, however long people press along a wall."""
        film = door(0.5, n=60, seconds=50.0, model="power_law")
        assert film.least_distance() > 1.975 * film.radius

    @pytest.mark.slow
    @pytest.mark.parametrize("dt", [0.05, 0.1, 0.2])
    @pytest.mark.parametrize("seed", range(3))
    def test_a_narrow_door_is_never_blocked_for_ever(self, dt, seed):
        assert len(door(0.5, dt=dt, seed=seed, seconds=350.0).ids[-1]) == 0

    @pytest.mark.parametrize("density", [2.0, 4.0])
    def test_nobody_walks_into_another_one_in_a_street(self, density):
        film, _ = street(density, two_way=True, length=16.0, seconds=8.0)
        assert film.overlaps(deeper=0.05, every=2) < 0.001

    @pytest.mark.parametrize("width", [0.5, 0.6, 0.7])
    def test_two_who_cannot_pass_wait(self, width):
        crowd = crowd_in(shapely.box(0, 0, 12, width))
        ends = [(2.0, width / 2), (10.0, width / 2)]
        crowd.add(2, starts=ends, goals=ends[::-1], radius=0.2, speed=1.34)
        film = run(crowd, 60.0)
        assert film.least_distance() > 1.95 * film.radius
        assert film.points[-1][0, 0] < film.points[-1][1, 0]
        assert [one.cause for one in crowd.stuck] == ["crowd", "crowd"]

    def test_who_stands_is_not_pushed_away(self):
        crowd = crowd_in(shapely.box(0, 0, 12, 0.7))
        crowd.add(1, starts=[(6, 0.35)], goals=[(6, 0.35)], radius=0.2)
        crowd.add(1, starts=[(2, 0.35)], goals=[(10, 0.35)], radius=0.2)
        film = run(crowd, 40.0)
        assert np.hypot(*(film.points[-1][0] - (6, 0.35))) < 0.5
        assert film.least_distance() > 1.95 * film.radius


class TestTurning:
    def test_a_crowd_turns_no_faster_than_a_single_walk(self):
        for density in (1.0, 4.0):
            film, _ = street(density, two_way=True, length=20.0)
            assert film.turn_rates(above=0.35).max() < np.pi + 0.01

    def test_nor_does_it_at_a_door(self):
        film = cached_door(1.2, n=80, lane=0.0)
        assert film.turn_rates(above=0.35).max() < np.pi + 0.01

    @pytest.mark.parametrize("model", MODELS)
    def test_nor_does_any_other_model(self, model):
        film, _ = street(2.0, two_way=True, length=12.0, seconds=8.0, model=model)
        assert film.turn_rates(above=0.35).max() < np.pi + 0.01


class TestWidth:
    def test_corners_are_taken_tight(self):
        """The shortest path for each radius is known exactly."""
        free = shapely.box(0, 0, 12, 2) | shapely.box(10, 0, 12, 12)
        crowd = crowd_in(free)
        who = {"radius": 0.2, "lane": 0.0, "corner": 0.0, "then": "exit"}
        crowd.add(1, starts=[(1, 1)], goals=[(11, 11)], **who)
        film = run(crowd, 30.0)
        points = np.concatenate(film.points)
        walked = np.hypot(*np.diff(points, axis=0).T).sum()
        shortest = fw.CorridorMap.build(fw.Environment.from_polygons(free)).path(
            (1, 1), points[-1], radius=0.2
        )
        assert walked + np.hypot(*(points[0] - (1, 1))) < 1.03 * shortest.length
        assert 0.3 < np.hypot(*(points - (10, 2)).T).min() < 0.55

    def test_lanes_are_places_across_a_corridor(self):
        ends = {}
        for lane in (-1.0, 0.0, 1.0):
            crowd = crowd_in(shapely.box(0, -2, 60, 2))
            crowd.add(1, starts=[(1, 0)], goals=[(59, 0)], radius=0.2, lane=lane)
            ends[lane] = run(crowd, 25.0).points[-1][0, 1]
        assert -1.8 <= ends[-1.0] < -1.0
        assert abs(ends[0.0]) < 0.1
        assert ends[1.0] == pytest.approx(-ends[-1.0], abs=0.1)


@pytest.mark.slow
class TestMeasurements:
    """Bounds around experiments (r = 0.2 m): see docs/crowds.md for the values."""

    @pytest.mark.parametrize("width", [1.0, 1.2, 1.8, 2.4])
    def test_flow_through_doors(self, width):
        assert 1.5 < flow_at(door(width), 10.2) / width < 2.3

    @pytest.mark.parametrize(
        ("per_metre", "least", "most"), [(0.5, 0.71, 1.39), (1.1, 0.32, 0.84), (2.1, 0.035, 0.27)]
    )
    def test_single_file(self, per_metre, least, most):
        assert least < single_file(per_metre) < most

    def test_the_corridor_of_an_experiment(self):
        density, speed = density_and_speed(corridor_experiment(1.8, 1.8, 220), 0, 2, 1.8)
        assert 1.4 < density < 2.2
        assert 0.65 < speed < 1.1
