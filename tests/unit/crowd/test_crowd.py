"""The public Crowd: ids and their order, goals, and errors."""

import math

import numpy as np
import pytest
import shapely

import footway as fw
from footway.crowd.kernels.layouts import (
    HEADING_X,
    HEADING_Y,
    LANE,
    NOISE,
    RADIUS,
    SPEED,
    WALKING,
)
from footway.crowd.populations import ARRIVAL
from footway.environment.areas import as_polygon, contains
from tests.oracle.crowd import assert_clear, assert_same
from tests.oracle.nearest import NearestWall
from tests.unit.crowd.maps import SHAPES, box, cmap, crowd, env

FAR = [(27.0, 2.0), (27.0, 10.0), (27.0, 18.0)]


def until(it, done, steps=1500):
    """Step until something is so; the steps that it took."""
    for k in range(steps):
        if done():
            return k
        it.step()
    raise AssertionError(f"not after {steps} steps: {it}")


class TestWhoIsThere:
    def test_in_the_order_of_adding(self):
        """Sorting the memory by cells has no visible effect."""
        it = crowd("hall", seed=1)
        starts = np.array([(28, 18), (2, 2), (28, 2), (2, 18), (5, 10)], float)
        assert it.add(5, starts=starts, premovement=1e3).tolist() == [0, 1, 2, 3, 4]
        assert it.add(3, radius=0.4, premovement=1e3).tolist() == [5, 6, 7]
        np.testing.assert_array_equal(it.positions[:5], starts)
        it.step(100)
        np.testing.assert_allclose(it.positions[:5], starts, atol=0.5)
        assert it.radii.tolist() == pytest.approx([0.25] * 5 + [0.4] * 3)
        assert it.populations.tolist() == [0] * 5 + [1] * 3
        assert it.ids.tolist() == list(range(8))
        for name in ("positions", "velocities", "goals"):
            assert getattr(it, name).shape == (8, 2)
            assert getattr(it, name).dtype == np.float64

    def test_after_exits(self):
        it = crowd("hall", seed=1)
        near = it.add(3, starts=[(2, 2), (2, 5), (2, 8)], goals=[(4, 2), (4, 5), (4, 8)],
                      then="exit")  # fmt: skip
        far = it.add(2, starts=[(2, 12), (2, 18)], goals=FAR[1:], then="stay")
        until(it, lambda: it.exited == 3)
        assert it.ids.tolist() == far.tolist()
        assert len(it) == 2
        late = it.add(2)
        assert late.tolist() == [5, 6], "numbers are not used again"
        assert it.ids.tolist() == [3, 4, 5, 6]
        it.step(100)
        assert it.ids.tolist() == [3, 4, 5, 6]
        assert not set(near.tolist()) & set(it.ids.tolist())

    def test_what_one_gets_is_a_copy(self):
        it = crowd("hall")
        it.add(3)
        it.positions[:] = 0.0
        it.goals[:] = 0.0
        assert it.positions.min() > 0
        assert it.goals.min() > 0

    def test_nobody(self):
        it = crowd("hall")
        assert it.add(0).tolist() == []
        assert it.add(0, behaviour="wander").tolist() == []
        assert it.add(0, starts=[], goals=[]).tolist() == []
        it.step(50)
        assert (len(it), it.time, it.arrivals, it.stuck) == (0, pytest.approx(5.0), 0, [])
        assert it.positions.shape == (0, 2)
        recording = it.run(seconds=1.0)
        assert recording.n_frames == 11

    def test_one(self):
        it = crowd("hall")
        it.add(1, starts=[(2, 2)], goals=[(27, 18)], then="exit")
        steps = until(it, lambda: len(it) == 0)
        fastest = cmap("hall").path((2, 2), (27, 18), radius=0.25).length / 1.2
        assert 0.9 * fastest < steps * it.dt < 1.6 * fastest + 2.0

    def test_where_everybody_is_gone(self):
        it = crowd("hall")
        it.add(2, starts=[(2, 2), (2, 5)], goals=[(3, 2), (3, 5)], then="exit")
        until(it, lambda: len(it) == 0)
        it.step(70)
        it.add(2)
        it.step(5)
        assert it.ids.tolist() == [2, 3]

    def test_says_what_it_is(self):
        it = crowd("hall")
        it.add(2)
        assert "2" in repr(it)
        assert "hall" in repr(it)


class TestStep:
    @pytest.mark.parametrize("dt", [0.02, 0.1, 0.5])
    def test_of_any_length(self, dt):
        it = crowd("hall", seed=1, step=dt)
        it.add(40, speed=2.0)
        walls = NearestWall(env("hall"))
        for _ in range(60):
            it.step()
            assert_clear(walls, SHAPES["hall"], it)
            assert np.hypot(*it.velocities.T).max() <= 2.0 + 1e-5
        assert it.time == pytest.approx(60 * dt)

    def test_of_the_fastest(self):
        """20 m/s with steps of 1 s: further than any wall is thick."""
        it = crowd("hall", seed=1, step=1.0)
        it.add(30, speed=20.0)
        walls = NearestWall(env("hall"))
        for _ in range(100):
            it.step()
            assert_clear(walls, SHAPES["hall"], it)

    def test_same_seed_same_bits(self):
        one, other = crowd("hall", seed=9), crowd("hall", seed=9)
        for it in (one, other):
            it.add(60)
        one.step(100)
        for _ in range(100):
            other.step()
        assert_same(one, other)

    def test_other_seed_other_places(self):
        one, other = crowd("hall", seed=9), crowd("hall", seed=10)
        for it in (one, other):
            it.add(10)
        assert not np.array_equal(one.positions, other.positions)

    def test_two_who_stand_in_one_place_part(self):
        it = crowd("room")
        it.add(2, starts=[(10, 7), (10, 7)], goals=[(18, 7), (18, 7)])
        it.step(30)
        assert math.dist(*it.positions) > 0.45

    def test_nobody_disappears(self):
        it = crowd("office", seed=1)
        it.add(80)
        it.add(20, behaviour="wander")
        it.step(300)
        assert it.ids.tolist() == list(range(100))


@pytest.mark.parametrize("speed", [3.0, 5.0, 8.0])
def test_two_who_run_into_each_other_do_not_overlap(speed):
    """They are so near that both together would take more than the gap in a step."""
    it = crowd("corridor")
    starts = [(10, 2), (10.5 + 0.19 * speed, 2)]
    it.add(2, radius=0.25, lane=0.0, speed=speed, starts=starts, goals=[(50, 2), (2, 2)])
    it._simulation.characters.state.body[:2, :2] = [(speed, 0), (-speed, 0)]
    it.step()
    assert np.hypot(*(it.positions[0] - it.positions[1])) >= 0.5


@pytest.mark.parametrize(("down", "least", "most"), [(-0.25, 0.8, 1.4), (-0.9, 0.0, 0.31)])
def test_who_slides_along_a_wall_keeps_no_velocity_into_it(down, least, most):
    """Whom the wall turns by more than pi rad/s, it also slows down."""
    it = crowd("room")
    it.add(1, radius=0.25, starts=[(10, 0.26)], goals=[(18, 0.26)])
    it._simulation.characters.state.body[0, :2] = (0.9, down)
    it.step()
    assert it.positions[0, 1] == pytest.approx(0.25, abs=1e-3)
    assert it.positions[0, 0] > 10.0
    assert it.velocities[0, 1] == pytest.approx(0.0, abs=1e-5)
    assert least < it.velocities[0, 0] < most


class TestGoals:
    def test_one_each(self):
        it = crowd("hall", seed=1)
        it.add(3, starts=[(2, 2), (2, 10), (2, 18)], goals=FAR, then="stay")
        np.testing.assert_array_equal(it.goals, FAR)
        it.step(600)
        assert it.arrivals == 3
        assert np.hypot(*(it.positions - FAR).T).max() < 1.0
        assert np.hypot(*it.velocities.T).max() < 0.1

    @pytest.mark.parametrize(("then", "left"), [("exit", 0), ("stay", 6), ("repeat", 6)])
    def test_what_then(self, then, left):
        it = crowd("hall", seed=1)
        it.add(6, destinations=[(27.0, 10.0), box(1, 1, 5, 5)], then=then)
        it.step(1200)
        assert len(it) == left
        assert it.exited == 6 - left
        if then == "repeat":
            assert it.arrivals > 12
        else:
            assert it.arrivals == 12

    def test_destinations_in_sequence(self):
        """Everybody reaches the first before the second, and the second before the third."""
        it = crowd("hall", seed=1)
        regions = [box(24, 1, 29, 6), box(24, 14, 29, 19), box(1, 14, 6, 19)]
        it.add(10, area=box(1, 1, 8, 8), destinations=regions, then="stay")
        reached = np.zeros((10, 3))
        for _ in range(1500):
            it.step()
            for k, ring in enumerate(regions):
                inside = contains(as_polygon(ring).buffer(ARRIVAL), it.positions)
                new = inside & (reached[:, k] == 0) & ((k == 0) | (reached[:, k - 1] > 0))
                reached[new, k] = it.time
        assert it.arrivals == 30
        assert (reached > 0).all()

    def test_random_ones_one_after_the_other(self):
        it = crowd("hall", seed=1)
        it.add(5)
        before = it.goals
        it.step(900)
        assert it.arrivals > 5
        assert (it.goals != before).any(axis=1).all()

    def test_set_goals(self):
        it = crowd("hall", seed=1)
        it.add(12)
        it.step(10)
        it.set_goals([3, 7, 1], FAR)
        np.testing.assert_array_equal(it.goals[[3, 7, 1]], FAR)
        it.step(2)
        np.testing.assert_array_equal(it.goals[[3, 7, 1]], FAR)
        others = [0, 2, 4, 5, 6, 8, 9, 10, 11]
        assert not {tuple(g) for g in it.goals[others]} & set(FAR)

    @pytest.mark.parametrize("then", ["exit", "stay"])
    def test_set_goals_is_no_destination(self, then):
        """After a goal of `set_goals`, a character continues with both of its destinations."""
        it = crowd("hall", seed=1)
        places = [(27.0, 2.0), (27.0, 18.0)]
        it.add(1, starts=[(3, 2)], destinations=places, then=then)
        it.step(5)
        it.set_goals([0], [(3, 18)])
        goals = []
        for _ in range(1500):
            it.step()
            goals += [tuple(goal) for goal in it.goals.tolist() if tuple(goal) not in goals[-1:]]
        assert goals == [(3, 18), *places]
        assert it.exited == (then == "exit")
        assert it.arrivals == 3

    def test_set_goals_stands_for_a_goal_of_its_own(self):
        it = crowd("hall", seed=1)
        it.add(1, starts=[(3, 2)], goals=[(27, 2)], then="stay")
        it.add(1, starts=[(3, 4)], then="stay")
        it.set_goals([0, 1], [(3, 18), (5, 18)])
        it.step(400)
        assert it.goals.tolist() == [[3, 18], [5, 18]]
        assert it.arrivals == 2

    def test_set_goals_while_they_stay(self):
        it = crowd("hall", seed=1)
        it.add(1, starts=[(2, 2)], goals=[(4, 2)], then="stay")
        it.step(100)
        it.set_goals([0], [(27, 18)])
        it.step(600)
        assert math.dist(it.positions[0], (27, 18)) < 1.0

    def test_set_goals_while_they_wait_for_a_path(self):
        it = crowd("hall", seed=1)
        it.add_source(40, area=box(0, 0, 9, 20), schedule=[(0.0, 40)])
        it.step()
        it.set_goals(it.ids, [FAR[1]] * len(it))
        it.step(20)
        np.testing.assert_array_equal(it.goals, [FAR[1]] * len(it))

    def test_arriving_while_waiting_for_a_path_counts(self):
        it = crowd("hall", seed=1)
        it.add(20, starts=[(2, 1 + 0.9 * k) for k in range(20)],
               goals=[(4, 1 + 0.9 * k) for k in range(20)], then="stay")  # fmt: skip
        for _ in range(100):
            it.step()
            walks = it._simulation.characters.mode[it._slots] == WALKING
            for number in it.ids[walks][::-1].tolist():  # as those who are lost or tired do
                it._simulation.planner.request(number, keep_goal=True)
        assert it.arrivals == 20

    @pytest.mark.parametrize(
        ("ids", "goals", "words"),
        [
            ([9], [(2, 2)], "no character 9"),
            ([-1], [(2, 2)], "no character -1"),
            ([0, 1], [(2, 2)], "2 ids and 1 goals"),
            ([0], [(15, 10)], "goal 0"),
            ([0], [(math.nan, 10)], "finite"),
        ],
    )
    def test_set_goals_that_cannot_be(self, ids, goals, words):
        it = crowd("hall")
        it.add(2)
        with pytest.raises(fw.BadQuery, match=words):
            it.set_goals(ids, goals)

    def test_one_destination_is_reached_once(self):
        it = crowd("hall")
        it.add(1, starts=[(2, 2)], destinations=[(5.0, 2.0)])
        it.step(200)
        assert it.arrivals == 1


class TestMaps:
    def test_a_map_in_space_is_no_ground_for_a_crowd(self):
        space = fw.Volume.from_boxes((0, 0, 0, 4, 4, 4), [], resolution=1.0)
        smap = fw.CorridorMap.from_roadmap(fw.roadmap.rrm(space, size=(1, 1, 1)))
        with pytest.raises(fw.BadQuery, match=r"not on SpaceMap.* between=\(LOW, HIGH\)"):
            fw.Crowd(smap)  # type: ignore[arg-type]


class TestNoWay:
    def test_another_part_of_the_map(self):
        it = crowd("rooms")
        with pytest.raises(fw.NoPath) as error:
            it.add(3, starts=[(2, 2), (4, 4), (16, 5)], goals=[(5, 5), (15, 5), (17, 5)])
        assert error.value.reason == "components"
        assert "character 1 at (4.00, 4.00)" in str(error.value)
        assert "(15.000, 5.000)" in str(error.value)
        assert "\n" not in str(error.value)
        assert len(it) == 0
        it.add(2, starts=[(2, 2), (4, 4)], goals=[(5, 5), (6, 5)])
        it.step(10)
        assert (len(it), it.names) == (2, [""])

    def test_a_door_too_narrow(self):
        with pytest.raises(fw.NoPath) as error:
            crowd("door").add(1, radius=0.45, starts=[(5, 5)], goals=[(16, 5)])
        assert error.value.reason == "pinch"
        assert error.value.pinch.radius == pytest.approx(0.4, abs=1e-3)

    @pytest.mark.parametrize("destination", [(16.0, 5.0), box(12, 1, 20, 9)])
    def test_to_a_destination(self, destination):
        it = crowd("rooms")
        with pytest.raises(fw.NoPath):
            it.add(2, starts=[(5, 5), (7, 7)], destinations=[destination])

    def test_to_a_later_destination(self):
        with pytest.raises(fw.NoPath):
            crowd("rooms").add(1, starts=[(5, 5)], destinations=[(7.0, 7.0), (16.0, 5.0)])


class TestPremovement:
    def test_nobody_walks_before(self):
        it = crowd("plain", seed=1)
        starts = [(8.0 * k, 12.0) for k in range(1, 12)]
        it.add(11, starts=starts, goals=[(90, 20)] * 11, premovement=(5.0, 1.0))
        begun = np.full(11, np.inf)
        for _ in range(90):
            it.step()
            new = np.isinf(begun) & (np.hypot(*it.velocities.T) > 0)
            begun[new] = it.time
        assert (begun >= 3.0).all()
        assert (begun <= 7.2).all()
        assert begun.std() > 0.3

    def test_a_crowd_that_waits_stays_where_it_is(self):
        it = crowd("plain", seed=1)
        it.add(40, area=box(40, 8, 48, 16), premovement=1e3)
        before = it.positions
        it.step(600)
        assert np.hypot(*(it.positions - before).T).max() < 1.0


class TestEachStep:
    def test_forces_in_the_order_of_ids(self):
        it = crowd("plain", seed=1)
        starts = [(20.0, 4.0), (40.0, 12.0), (60.0, 20.0)]
        it.add(3, starts=starts, premovement=1e3)
        pull = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
        seen = []

        def push(one):
            seen.append(one.steps)
            return pull

        it.each_step(push)
        it.step(50)
        assert seen == list(range(50))
        moved = it.positions - starts
        for k in range(3):
            along = float(moved[k] @ pull[k])
            assert along > 0.5
            assert np.hypot(*(moved[k] - along * pull[k])) < 0.1

    def test_several_add_up(self):
        it = crowd("plain")
        it.add(1, starts=[(50, 12)], premovement=1e3)
        it.each_step(lambda one: [[1.0, 0.0]])
        it.each_step(lambda one: [[-1.0, 0.0]])
        it.each_step(lambda one: None)
        it.step(50)
        np.testing.assert_allclose(it.positions, [[50, 12]])

    def test_any_force_keeps_off_walls(self):
        it = crowd("hall", seed=1)
        it.add(40)
        rng = np.random.default_rng(1)
        it.each_step(lambda one: rng.normal(0, 200, (len(one), 2)))
        walls = NearestWall(env("hall"))
        for _ in range(80):
            it.step()
            assert_clear(walls, SHAPES["hall"], it)

    def test_may_change_the_crowd(self):
        it = crowd("hall", seed=1)
        it.add(4)

        def function(one):
            if one.steps % 10 == 0:
                one.add(1)
            if one.steps == 15:
                one.set_goals(one.ids[:1], [(27, 18)])
                one.add_obstacle((15, 2), 0.5)

        it.each_step(function)
        it.step(40)
        assert len(it) == 8
        assert it.goals[0].tolist() == [27, 18]
        assert len(it.obstacles) == 1

    def test_forces_of_one_and_newcomers_of_another(self):
        it = crowd("hall", seed=1)
        it.add(4)
        it.each_step(lambda one: np.zeros((len(one), 2)))
        it.each_step(lambda one: one.set_goals([], []) if one.steps else (one.add(30), None)[1])
        assert len(it._call_functions().by_slot) >= it._simulation.characters.n

    @pytest.mark.parametrize(
        "answer", [[[1.0, 2.0]], [1.0, 2.0], np.full((3, 2), np.nan), np.zeros((3, 3))], ids=str
    )
    def test_what_is_no_force_says_so(self, answer):
        it = crowd("hall")
        it.add(3)
        it.each_step(lambda one: answer)
        with pytest.raises(fw.BadQuery, match=r"each_step .* \(3, 2\)"):
            it.step()

    @pytest.mark.parametrize(
        ("answer", "words"),
        [
            ([(0, 0), (math.nan, 1), (0, 0)], r"is \[nan, 1.0\] in row 1"),
            ([(0, 0), (0, 0), (1e300, 1)], r"is \[1e\+300, 1.0\] in row 2"),
            ("left", "each_step must be numbers .* not 'left'"),
            (
                [(0, 0), (0,), (0, 0)],
                r"each_step must be numbers .* not \[\(0, 0\), \(0,\)",
            ),
            ([(0, 0, 0)] * 3, r"the shape \(3, 3\)"),
        ],
    )
    def test_the_fault_is_named(self, answer, words):
        it = crowd("hall")
        it.add(3)
        it.each_step(lambda one: answer)
        with pytest.raises(fw.BadQuery, match=words):
            it.step()

    @pytest.mark.parametrize("function", [None, 3, np.zeros((3, 2))])
    def test_only_functions(self, function):
        with pytest.raises(fw.BadQuery, match="give a function of the crowd"):
            crowd("hall").each_step(function)

    def test_a_function_that_steps(self):
        for again in (lambda one: one.step(), lambda one: one.run(seconds=1)):
            it = crowd("hall")
            it.add(3)
            it.each_step(again)
            with pytest.raises(fw.BadQuery, match="must not call"):
                it.step()
            it.remove_function(again)
            it.step()

    def test_a_function_is_removed(self):
        it, calls = crowd("hall"), []
        it.each_step(calls.append)
        it.step(2)
        it.remove_function(calls.append)
        it.step(2)
        assert calls == [it, it]
        with pytest.raises(fw.BadQuery, match="is not registered"):
            it.remove_function(calls.append)


class TestHabits:
    def test_given_values_go_before_the_profile(self):
        it = crowd("hall")
        slow = fw.Profile(radius=0.3, speed=0.7, lane=0.1, noise=0.2)
        it.add(1, profile=slow)
        it.add(1, profile=slow, radius=0.2, noise=0.4)
        it.add(1, lane=(0.5, 0.0), speed=1.1)
        it.add_group(1, start=(2, 2), lane=0.3, noise=0.1)
        body = it._simulation.characters.state.body[it._simulation.characters.slots(it.ids)]
        expected = [
            (0.3, 0.7, 0.1, 0.2), (0.2, 0.7, 0.1, 0.4), (0.25, 1.1, 0.5, 0.0), (0.25, 1.2, 0.3, 0.1)
        ]  # fmt: skip
        np.testing.assert_allclose(body[:, [RADIUS, SPEED, LANE, NOISE]], expected, atol=1e-6)

    def test_of_a_source(self):
        it = crowd("hall")
        it.add_source(1, area=box(1, 1, 4, 4), rate=10.0, lane=0.3, noise=0.1)
        it.step(2)
        body = it._simulation.characters.state.body[it._simulation.characters.slots(it.ids)]
        np.testing.assert_allclose(body[:, [LANE, NOISE]], [(0.3, 0.1)], atol=1e-6)


@pytest.mark.parametrize("step", [0.0, 0.0009, -1.0, 1.1])
def test_steps_that_are_too_short_or_long(step):
    with pytest.raises(fw.BadQuery, match=r"must be 0.001 s or more|must be 1 s or less"):
        crowd("hall", step=step)


class TestWander:
    def test_goes_on_for_ever(self):
        it = crowd("branch", seed=1)
        it.add(15, behaviour="wander")
        assert np.isnan(it.goals).all()
        walls, moved = NearestWall(env("branch")), np.zeros(15)
        for _ in range(40):
            before = it.positions
            it.step(30)
            assert_clear(walls, SHAPES["branch"], it)
            moved += np.hypot(*(it.positions - before).T)
        assert it.arrivals == 0
        assert moved.min() > 25.0
        assert it.stuck == []

    def test_to_the_end_of_a_long_dead_end_and_back(self):
        it = crowd("branch", seed=1)
        it.add(1, behaviour="wander", starts=[(40, 10)])
        furthest, came_back = 40.0, False
        for _ in range(1200):
            it.step()
            furthest = max(furthest, it.positions[0, 0])
            came_back |= furthest > 56 and it.positions[0, 0] < 45
        assert furthest > 56
        assert came_back

    def test_by_preference(self):
        """Characters walk around the ring only, not into the dead end."""
        index = cmap("branch").solver.index
        middle = index.axis.vertices[index.graph.edges].mean(axis=1)
        weights = np.where(middle[:, 0] > 30, 0.0, 1.0)
        it = crowd("branch", seed=1)
        it.add(12, behaviour="wander", area=box(0, 0, 30, 4), preference=weights)
        furthest = 0.0
        for _ in range(120):
            it.step(10)
            furthest = max(furthest, it.positions[:, 0].max())
        assert furthest < 36
        assert it.stuck == []

    def test_does_not_turn_on_the_way(self):
        """In a ring without branches one goes round and round, in one direction."""
        it = crowd("hall", seed=1)
        it.add(1, behaviour="wander", profile=fw.Profile(lane=0.0, noise=0.0))
        angles = []
        for _ in range(900):
            it.step()
            angles.append(math.atan2(*(it.positions[0] - (15, 10))[::-1]))
        turned = np.unwrap(angles)
        assert abs(turned[-1] - turned[0]) > 2 * math.pi


BAD = {
    "count": [{"count": -1}, {"count": 1.5}, {"count": True}, {"count": "many"}],
    "starts": [{"starts": [(1, 1), (2, 2)]}],
    "start 0": [{"starts": [(15, 10)]}, {"starts": [(-5, -5)]}, {"starts": [(0.1, 5)]}],
    "goal 0": [{"goals": [(15, 10)]}, {"goals": [(40, 40)]}],
    "goals": [{"goals": [(1, 1), (2, 2)]}, {"goals": [(1, 1)], "destinations": [(2, 2)]}],
    "points": [{"starts": "here"}, {"goals": [(1, 2, 3)]}],
    "finite": [{"starts": [(1, math.nan)]}, {"goals": [(math.inf, 1)]}],
    "radius": [{"radius": 0}, {"radius": "wide"}, {"radius": (0.2, 0.2)}, {"radius": 1e3}],
    "speed": [{"speed": -1}, {"speed": math.nan}],
    "behaviour": [{"behaviour": "swim"}],
    "then": [{"then": "vanish"}],
    "premovement": [{"premovement": -1}, {"premovement": "soon"}, {"premovement": (1, -1)}],
    "within": [{"within": 0}, {"within": math.nan}, {"within": "near"}],
    "preference": [{"behaviour": "wander", "preference": [1.0]}],
    "destination": [{"destinations": [(15, 10)]}],
    "area": [
        {"area": [(0, 0), (1, 1)]},
        {"area": "here"},
        {"area": shapely.Point(1, 1)},
        {"area": shapely.box(11, 6, 19, 14)},
        {"destinations": [shapely.box(50, 50, 60, 60)]},
        {"destinations": [3]},
    ],
}


class TestBadInput:
    @pytest.mark.parametrize(
        ("word", "options"),
        [(word, options) for word, some in BAD.items() for options in some],
        ids=str,
    )
    def test_one_clear_line(self, word, options):
        it = crowd("hall")
        with pytest.raises(fw.BadQuery, match=word) as error:
            it.add(**{"count": 1} | options)
        assert "\n" not in str(error.value)
        assert len(it) == 0
        assert it.add(1).tolist() == [0], "and nothing has happened"

    def test_weights_that_make_no_sense(self):
        it = crowd("hall")
        edges = len(it.map.edges)
        for weights in (np.zeros(edges), -np.ones(edges), np.full(edges, np.nan)):
            with pytest.raises(fw.BadQuery, match="preference"):
                it.add(1, behaviour="wander", preference=weights)

    @pytest.mark.parametrize(
        ("options", "word"),
        [
            ({"seed": -1}, "seed"),
            ({"seed": 1.5}, "seed"),
            ({"step": 0}, "step"),
            ({"step": 2.0}, "step"),
            ({"step": "short"}, "step"),
            ({"threads": 0}, "threads"),
            ({"threads": "all"}, "threads"),
        ],
        ids=str,
    )
    def test_of_the_crowd_itself(self, options, word):
        with pytest.raises(fw.BadQuery, match=word):
            crowd("hall", **options)

    @pytest.mark.parametrize(
        "options", [{"seconds": -1}, {"seconds": math.nan}, {"seconds": 1, "every": 0}], ids=str
    )
    def test_of_a_run(self, options):
        with pytest.raises(fw.BadQuery):
            crowd("hall").run(**options)

    @pytest.mark.parametrize("count", [-1, 0.5, "x"])
    def test_of_steps(self, count):
        with pytest.raises(fw.BadQuery, match="count"):
            crowd("hall").step(count)

    @pytest.mark.parametrize(
        "options",
        [
            {"destinations": shapely.box(1, 1, 3, 3)},
            {"destinations": 5},
            {"premovement": (1, 2, 3)},
            {"behaviour": "wander", "preference": "shops"},
            {"profile": 3},
            {"area": shapely.Polygon()},
        ],
        ids=str,
    )
    def test_other_kinds(self, options):
        with pytest.raises(fw.BadInput):
            crowd("hall").add(1, **options)

    def test_a_seed_that_is_too_large(self):
        with pytest.raises(fw.BadQuery, match="seed"):
            crowd("hall", seed=2**63)

    def test_what_is_no_map(self):
        with pytest.raises(fw.BadInput):
            fw.Crowd(3)

    def test_too_many_for_the_area(self):
        it = crowd("hall")
        with pytest.raises(fw.BadQuery, match=r"500 characters .* about \d+ do"):
            it.add(500, area=box(1, 1, 4, 4))
        assert len(it) == 0


class TestRun:
    def test_records_what_happens(self):
        one, other = crowd("hall", seed=3), crowd("hall", seed=3)
        for it in (one, other):
            it.add(10, name="left")
            it.add_source(5, area=box(1, 1, 5, 5), rate=2.0, name="right")
            it.add(3, starts=[(2, 12), (2, 14), (2, 16)], goals=[(4, 12), (4, 14), (4, 16)],
                   then="exit")  # fmt: skip
        done = []
        recording = one.run(seconds=6.0, every=7, progress=lambda a, b: done.append((a, b)))
        assert done[-1] == (60, 60)
        assert recording.steps.tolist() == [0, 7, 14, 21, 28, 35, 42, 49, 56, 60]
        for k, step in enumerate(recording.steps.tolist()):
            other.step(step - other.steps)
            frame = recording.frame(k)
            np.testing.assert_array_equal(frame.ids, other.ids)
            np.testing.assert_array_equal(frame.positions, other.positions)
            np.testing.assert_array_equal(frame.velocities, other.velocities.astype(np.float32))
        assert set(recording.characters.ids.tolist()) >= set(other.ids.tolist())
        assert recording.names == ("left", "right", "")

    def test_goes_on(self):
        it = crowd("hall", seed=3)
        it.add(10)
        first, second = it.run(seconds=1.0), it.run(seconds=1.0)
        assert (first.steps[-1], second.steps[0], second.steps[-1]) == (10, 10, 20)
        np.testing.assert_array_equal(first.frame(10).positions, second.frame(0).positions)
        assert second.characters.ids.tolist() == list(range(10))


class TestLanes:
    def test_who_walks_keeps_right_before_long(self):
        """The lane is a place across the corridor some way ahead, not a turn on the spot."""
        crowd = fw.Crowd(cmap("corridor"), threads=1)
        keeps_right = fw.Profile(0.25, 1.2, lane=-1.0, noise=0.0)
        crowd.add(1, starts=[(3, 2)], goals=[(57, 2)], profile=keeps_right)
        crowd.step()
        assert abs(crowd.velocities[0, 1]) < 0.15 * crowd.velocities[0, 0]
        crowd.step(100)
        assert crowd.positions[0, 1] < 1.3

    @pytest.mark.parametrize("k", [-0.7, 0.0, 0.4])
    def test_without_looking_ahead_it_is_the_force_of_the_paper(self, k):
        """Definition 5 of cmm-2007, and F_a + F_perp of cmm-crowds-2008, sections 3 and 5.1."""
        crowd = fw.Crowd(cmap("corridor"), threads=1)
        r, speed = 0.25, 1.2
        crowd.add(1, starts=[(3, 2)], goals=[(57, 2)], radius=r, speed=speed, lane=k, shortcut=0)
        crowd.step(20)
        for _ in range(20):
            x, v = crowd.positions[0], crowd.velocities[0]
            crowd.step()
            alpha, body = crowd.character(0).attraction, crowd._simulation.characters.state.body[0]
            assert alpha[1] == pytest.approx(2.0, abs=1e-6)  # on the backbone
            R, d = float(crowd.map.clearance([alpha])[0]), math.dist(alpha, x)
            assert 0.5 * (R - r) < d < R - r
            e = (np.array(alpha) - x) / d
            calm = min(1.0, float(v @ v) / speed**2)
            F = e + calm * k * (R - 2 * r) / d * np.array([-e[1], e[0]])
            found = body[[HEADING_X, HEADING_Y]]
            np.testing.assert_allclose(found, F / math.hypot(*F), atol=1e-6)


class TestStraightToTheGoal:
    def test_where_one_ball_holds_both(self):
        """Characters do not follow the backbone past a visible goal."""
        crowd = fw.Crowd(cmap("plain"), threads=1)
        start, goal = np.array([40.0, 5.0]), np.array([52.0, 19.0])
        crowd.add(1, starts=[start], goals=[goal], then="stay")
        gone = 0.0
        while not crowd.arrivals:
            before = crowd.positions[0]
            crowd.step()
            gone += np.hypot(*(crowd.positions[0] - before))
            assert crowd.time < 60
        assert gone + np.hypot(*(crowd.positions[0] - goal)) < 1.1 * np.hypot(*(goal - start))


def test_nobody_steps_over_the_point_that_it_walks_to_and_back_for_ever():
    """The point is at a door post."""
    walls = [[(0, 3), (0.5, 3)], [(1.5, 3), (2, 3)], [(2, 0), (2, 3)], [(2, 3), (6, 3)]]
    cmap = fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 6, 4), lines=walls))
    for start in ((1.57, 0.37), (1.56, 1.93)):
        crowd = fw.Crowd(cmap, seed=1)
        crowd.add(1, starts=[start], goals=[(3, 3.5)], radius=0.2, speed=0.3, corner=1, noise=0.0)
        crowd.step(250)
        assert crowd.arrivals == 1


def test_two_who_meet_at_a_wall_agree_on_the_side_to_which_they_evade():
    """Each with a side of its own, both pressed against the wall for ever, beside 3 m of space."""
    walls = shapely.MultiPolygon([shapely.box(0, 6 * k, 24, 6 * k + 4) for k in range(40)])
    cmap = fw.CorridorMap.build(fw.Environment.from_polygons(walls))
    rng = np.random.default_rng(0)
    ends = np.array([[(9.5, 6 * k + 0.26), (12.5, 6 * k + 0.26)] for k in range(40)]).reshape(-1, 2)
    ends[:, 1] += rng.uniform(0, 0.1, 80)
    goals = np.column_stack([np.tile([23.0, 1.0], 40), ends[:, 1]])
    crowd = fw.Crowd(cmap, seed=0)
    crowd.add(80, starts=ends, goals=goals, radius=0.25, speed=(1.2, 0.1))
    crowd.step(100)
    east = crowd.positions[::2, 0] > 14
    west = crowd.positions[1::2, 0] < 8
    assert east.all()
    assert west.all()
