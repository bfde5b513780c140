"""Dynamic obstacles: seen while they are there, kept off, walked around, waited for."""

import math

import numpy as np
import pytest

import footway as fw
from footway.crowd.models import SocialForce
from footway.crowd.obstacles import list_by_cells, narrowed
from tests.oracle.crowd import assert_clear
from tests.oracle.nearest import NearestWall
from tests.unit.crowd._open_kernels import cell_of
from tests.unit.crowd.maps import SHAPES, box, crowd, env


def least_gap(it, steps):
    """Least distance of any rim to the rim of any obstacle that is there, m."""
    best = math.inf
    for _ in range(steps):
        it.step()
        for x, y, radius in it.obstacles:
            away = np.hypot(*(it.positions - (x, y)).T) - it.radii - radius
            best = min(best, float(away.min()))
    return best


class TestTimes:
    def test_appears_moves_and_vanishes(self):
        it = crowd("hall")
        it.add_obstacle((5, 2), 0.5, velocity=(1.0, 0.5), appears=1.0, vanishes=2.0)
        seen = []
        for _ in range(30):
            seen.append(it.obstacles.tolist())
            it.step()
        assert [bool(one) for one in seen] == [10 <= k < 20 for k in range(30)]
        np.testing.assert_allclose(seen[10], [[5, 2, 0.5]])
        np.testing.assert_allclose(seen[15], [[5.5, 2.25, 0.5]])

    def test_is_moved_and_removed(self):
        it = crowd("hall")
        number = it.add_obstacle((5, 2), 0.5)
        it.step(10)
        it.move_obstacle(number, (7, 3), (0.0, 1.0))
        it.step(10)
        np.testing.assert_allclose(it.obstacles, [[7, 4, 0.5]])
        it.remove_obstacle(number)
        assert it.obstacles.shape == (0, 3)
        with pytest.raises(fw.BadQuery, match="no obstacle 0"):
            it.remove_obstacle(number)
        with pytest.raises(fw.BadQuery, match="no obstacle 0"):
            it.move_obstacle(number, (1, 1))
        assert it.add_obstacle((5, 2), 0.5) != number, "numbers are not used again"

    @pytest.mark.parametrize(
        "options",
        [
            {"radius": 0.0},
            {"radius": -1.0},
            {"radius": math.nan},
            {"at": (math.inf, 0)},
            {"at": (0, 0, 0)},
            {"velocity": (math.nan, 0)},
            {"velocity": (1, 0, 0)},
            {"appears": math.nan},
            {"appears": 5.0, "vanishes": 4.0},
        ],
        ids=str,
    )
    def test_one_clear_line(self, options):
        with pytest.raises(fw.BadQuery) as error:
            crowd("hall").add_obstacle(**{"at": (5, 2), "radius": 0.5} | options)
        assert "\n" not in str(error.value)

    @pytest.mark.parametrize("options", [{"radius": "wide"}, {"velocity": ("fast", 0)}], ids=str)
    def test_one_clear_line_for_other_kinds(self, options):
        with pytest.raises(fw.BadQuery):
            crowd("hall").add_obstacle(**{"at": (5, 2), "radius": 0.5} | options)


class TestBlocks:
    @pytest.mark.parametrize("seed", range(5))
    def test_are_listed_wherever_they_can_be_felt(self, seed):
        rng = np.random.default_rng(seed)
        simulation = crowd("hall")._simulation
        discs = np.column_stack(
            [rng.uniform(-3, 33, 6), rng.uniform(-3, 23, 6), np.zeros((6, 2)),
             rng.uniform(0.1, 3, 6)]
        )  # fmt: skip
        blocks = list_by_cells(discs, simulation.box, simulation.shape)
        for x, y in rng.uniform((0, 0), (30, 20), (200, 2)):
            cell = cell_of(x, y, simulation.box, simulation.shape)
            there = set(blocks.rows[blocks.offsets[cell] : blocks.offsets[cell + 1]].tolist())
            felt = np.hypot(discs[:, 0] - x, discs[:, 1] - y) <= discs[:, 4] + 3.0 + 0.25
            assert set(np.flatnonzero(felt).tolist()) <= there


class TestNarrowed:
    """What standing discs leave of the edges of the map."""

    def clearances(self, *discs):
        it = crowd("corridor")
        index = it.map.solver.index
        found, _ = narrowed(index, it._simulation.tracks, np.array(discs, float).reshape(-1, 5))
        return index.graph.clearance, found.graph.clearance

    @pytest.mark.parametrize(
        ("y", "radius", "room"), [(2.0, 1.0, 0.5), (0.0, 1.5, 1.25), (-0.5, 1.0, 1.75)]
    )
    def test_half_of_what_is_left_beside_a_disc(self, y, radius, room):
        """Also where the centre of the disc is outside of all balls."""
        before, after = self.clearances((30.0, y, 0.0, 0.0, radius))
        (changed,) = np.nonzero(after != before)
        assert len(changed) == 1
        assert before[changed] == pytest.approx(2.0)
        assert after[changed] == pytest.approx(room, abs=0.02)

    def test_of_several_discs_the_narrowest_place_counts(self):
        discs = [(20.0, 0.0, 0.0, 0.0, 1.0), (40.0, 0.0, 0.0, 0.0, 1.5), (50.0, 0.0, 0, 0, 0.5)]
        before, after = self.clearances(*discs)
        assert after[after != before] == pytest.approx([1.25], abs=0.02)

    def test_edges_that_no_disc_narrows_keep_their_bits(self):
        it = crowd("field")
        index, tracks = it.map.solver.index, it._simulation.tracks
        edges = len(index.axis.edges)
        balls = tracks.balls[: tracks.last[edges - 1] + 1]
        x, y, _ = balls[len(balls) // 2]
        after = narrowed(index, tracks, np.array([(x, y, 0.0, 0.0, 0.5)]))[0].graph.clearance
        near = np.hypot(balls[:, 0] - x, balls[:, 1] - y) < balls[:, 2] + 0.5
        beside = np.logical_or.reduceat(near, tracks.first[:edges])
        assert 0 < beside.sum() < edges
        assert (after == index.graph.clearance)[~beside].all()
        assert (after < index.graph.clearance)[beside].any()

    def test_moving_and_distant_discs_close_nothing(self):
        before, after = self.clearances((30.0, 2.0, 0.1, 0.0, 1.9), (30.0, 9.0, 0.0, 0.0, 4.9))
        assert after.tolist() == before.tolist()


class TestStanding:
    def test_is_walked_around(self):
        it = crowd("corridor")
        it.add_obstacle((30, 2), 0.8)
        it.add(1, starts=[(5, 2)], goals=[(55, 2)], then="stay")
        assert least_gap(it, 700) > -0.05
        assert it.arrivals == 1

    def test_on_top_of_somebody_pushes_it_out(self):
        it = crowd("room", seed=1)
        it.add(5, starts=[(10, 7), (10.6, 7), (10, 7.6), (9.4, 7), (10, 6.4)], premovement=100.0)
        it.add_obstacle((10, 7), 1.0)
        it.step(5)
        assert np.hypot(*(it.positions - (10, 7)).T).min() >= 1.25 - 0.05
        assert_clear(NearestWall(env("room")), SHAPES["room"], it)

    def test_closes_one_path_of_two(self):
        """All characters take the other path around the block, even those on this one."""
        it = crowd("hall", seed=1)
        it.add(12, starts=[(4, y) for y in np.linspace(4, 16, 12)], goals=[(26, 10)] * 12,
               then="exit")  # fmt: skip
        it.step(30)
        it.add_obstacle((15, 2.5), 2.6)
        it.step(700)
        assert it.exited == 12

    def test_closes_one_path_before_they_come(self):
        it = crowd("hall", seed=1)
        it.add_obstacle((15, 2.5), 2.6)
        it.step()
        it.add(12, starts=[(4, y) for y in np.linspace(4, 16, 12)], goals=[(26, 10)] * 12,
               then="exit")  # fmt: skip
        it.step(900)
        assert it.exited == 12

    def test_closes_the_only_path_until_it_vanishes(self):
        it = crowd("bend", seed=1)
        it.add_obstacle((28, 15), 2.5, vanishes=40.0)
        it.add(4, starts=[(3, 1), (3, 2), (3, 3), (5, 2)], goals=[(3, 28)] * 4, then="exit")
        it.step(400)
        assert it.exited == 0
        assert it.positions[:, 1].max() < 15
        it.step(900)
        assert it.exited == 4

    def test_closes_the_path_of_a_character_that_waits(self):
        it = crowd("bend", seed=1)
        it.add_obstacle((28, 15), 2.5)
        it.step()
        it.add(1, starts=[(3, 2)], goals=[(3, 28)], premovement=5.0)
        it.step(20)
        assert it.velocities.tolist() == [[0, 0]]

    def test_is_seen_after_wider_characters_came(self):
        it = crowd("corridor")
        it.add_obstacle((30, 2), 0.8)
        it.step()
        it.add(1, starts=[(5, 2)], goals=[(55, 2)])
        it.add(1, radius=0.8, starts=[(2, 2)], goals=[(2.5, 2)])
        assert least_gap(it, 400) > -0.05


class TestRepulsion:
    """F_i as published: cmm-2007, adding forces."""

    near, behind = ((21.5, 3.0), 0.3), ((18.6, 2.9), 0.2)

    def character(self, strength, dt=0.1):
        it = crowd("corridor", step=dt, model=SocialForce(repulsion=strength))
        it.add(1, starts=[(20, 2)], goals=[(57, 2)], speed=1.2, shortcut=0)
        it.step()
        for at, radius in (self.near, self.behind):
            it.add_obstacle(at, radius)
        return it.character(0), it._simulation.motion.gain

    @pytest.mark.parametrize(("strength", "dt"), [(0.5, 0.1), (2.0, 0.1), (1.0, 0.02)])
    def test_of_what_is_in_the_ball_of_the_attraction_point(self, strength, dt):
        who, gain = self.character(strength, dt)
        (at, radius), (other, its_radius) = self.near, self.behind
        assert math.dist(who.attraction, at) < 2.0
        assert math.dist(who.attraction, other) > 2.0 + its_radius + 0.2
        away = np.array(who.position) - at
        d = math.hypot(*away)
        expected = strength / (d - radius - 0.25) * away / d * 1.2 / 0.5
        np.testing.assert_allclose(who.forces["obstacles"], gain * expected, rtol=1e-4)

    def test_without_it_obstacles_repel_as_characters_do(self):
        who, _ = self.character(0.0)
        assert 0.0 < math.hypot(*who.forces["obstacles"]) < 0.2

    def test_the_same_on_a_route_over_terrain(self):
        """F_o of miran-2013 has no ball: all obstacles count."""
        model = SocialForce(repulsion=1.0)
        it = crowd("corridor", model=model, environment=env("corridor"))
        it.add(1, starts=[(20, 2)], goals=[(57, 2)], follow="miran", clearance=0.0)
        it.step()
        it.add_obstacle((18.6, 2.0), 0.2)
        push = it.character(0).forces["obstacles"]
        assert push[0] > 1.0
        assert abs(push[1]) < 0.1

    def test_it_is_avoided(self):
        it = crowd("corridor", model=SocialForce(repulsion=1.0))
        it.add(1, starts=[(3, 2)], goals=[(57, 2)], then="stay")
        it.add_obstacle((30, 1.9), 0.5)
        assert least_gap(it, 700) > 0.0
        assert it.arrivals == 1


class TestMoving:
    @pytest.mark.parametrize("velocity", [(1.0, 0.0), (-2.0, 0.3), (0.0, 3.0)])
    def test_sweeps_through_a_crowd(self, velocity):
        """No character is pushed into a wall or left inside the obstacle."""
        it = crowd("hall", seed=2)
        it.add(60)
        it.add_obstacle((15 - 10 * np.sign(velocity[0]), 2.5), 1.2, velocity=velocity)
        walls = NearestWall(env("hall"))
        for _ in range(150):
            it.step()
            assert_clear(walls, SHAPES["hall"], it)
        assert len(it) == 60

    @pytest.mark.parametrize("velocity", [(1.0, 0.0), (0.6, 0.8)])
    def test_pushes_those_who_stand_ahead_of_it(self, velocity):
        """It is slower than they can be: it never touches them."""
        it = crowd("room")
        at = np.array([8.0, 6.0])
        it.add(1, speed=1.4, starts=[at], premovement=100.0)
        it.add_obstacle(tuple(at - 3.0 * np.array(velocity)), 1.0, velocity=velocity)
        assert least_gap(it, 50) > -1e-3
        assert (it.positions[0] - at) @ velocity > 1.0

    def test_many_at_once(self):
        it = crowd("room", seed=2)
        it.add(20)
        rng = np.random.default_rng(1)
        for at in rng.uniform((2, 2), (18, 13), (40, 2)):
            it.add_obstacle(tuple(at), 0.2, velocity=tuple(rng.normal(0, 0.5, 2)))
        walls = NearestWall(env("room"))
        for _ in range(60):
            it.step()
            assert_clear(walls, SHAPES["room"], it)


class TestNobodyAppearsInside:
    DISC = (10.0, 7.0, 4.0)

    def assert_outside(self, it, first=0):
        x, y, radius = self.DISC
        away = np.hypot(*(it.positions[first:] - (x, y)).T) - it.radii[first:] - radius
        assert away.min() >= 0.0

    def test_at_random(self):
        it = crowd("room", seed=1)
        it.add_obstacle(self.DISC[:2], self.DISC[2])
        it.add(100, radius=(0.22, 0.04))
        self.assert_outside(it)

    def test_in_a_group(self):
        it = crowd("room", seed=1)
        it.add_obstacle(self.DISC[:2], self.DISC[2])
        it.add_group(20, start=(5, 7))
        self.assert_outside(it)

    def test_from_a_source(self):
        """The obstacle leaves a strip of the area; when it vanishes, all of it is free."""
        it = crowd("room", seed=1)
        it.add_obstacle(self.DISC[:2], self.DISC[2], appears=1.0, vanishes=3.0)
        it.add_source(60, area=box(6, 3, 14.5, 11), schedule=[(2.0, 60)], premovement=100.0)
        it.step(21)
        assert 0 < len(it) < 60
        self.assert_outside(it)
        it.step(20)
        assert len(it) == 60

    def test_given_starts_are_refused(self):
        it = crowd("room")
        it.add_obstacle(self.DISC[:2], self.DISC[2], appears=1.0)
        it.add(1, starts=[(10, 7)])  # it is not there yet
        it.step(10)
        with pytest.raises(fw.BadQuery, match=r"start 1 at \(9, 7\) is in an obstacle"):
            it.add(2, starts=[(2, 2), (9, 7)])

    def test_where_no_space_is_left(self):
        it = crowd("room")
        it.add_obstacle((10, 7), 20.0)
        with pytest.raises(fw.BadQuery, match="found free space"):
            it.add(1)


class TestGroups:
    """All members of a group take the open path around the block."""

    OPTIONS = {"start": (4, 10), "goal": (26, 10), "width": 1.5, "then": "exit"}  # noqa: RUF012

    @pytest.mark.parametrize("y", [2.5, 17.5])
    def test_sets_out_on_the_open_path(self, y):
        it = crowd("hall", seed=1)
        it.add_obstacle((15, y), 2.6)
        it.step()
        group = it.add_group(6, **self.OPTIONS)
        assert (np.abs(group.backbone[:, 1] - y) > 2.6).all()
        it.step(600)
        assert it.exited == 6

    def test_turns_to_the_open_path(self):
        it = crowd("hall", seed=1)
        group = it.add_group(6, **self.OPTIONS)
        y = 2.5 if group.backbone[:, 1].min() < 5 else 17.5
        it.step(20)
        it.add_obstacle((15, y), 2.6)
        it.step()
        assert (np.abs(group.backbone[:, 1] - y) > 2.6).all()
        it.step(800)
        assert it.exited == 6

    def test_waits_where_all_is_closed(self):
        it = crowd("bend", seed=1)
        it.add_obstacle((28, 15), 2.5, vanishes=30.0)
        it.step()
        it.add_group(4, start=(20, 2), goal=(20, 28), then="exit")
        it.step(250)
        assert it.positions[:, 1].max() < 15
        it.step(900)
        assert it.exited == 4
