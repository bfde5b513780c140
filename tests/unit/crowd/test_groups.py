"""Groups: one corridor within the bounds, and no member is left behind."""

import math

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

import footway as fw
from footway.crowd.groups import _project, check_bounds
from footway.crowd.kernels.attraction import measure_corridor
from footway.crowd.kernels.layouts import AT, GROUP
from tests.effort import examples
from tests.oracle.crowd import assert_clear, union_area
from tests.oracle.nearest import NearestWall
from tests.unit.crowd.maps import SHAPES, cmap, crowd, env

GALLERY = ["game", "field", "office", "city", "mckenna"]


def corridors(name, count, radius=0.25, seed=1):
    """Random corridors of a map: balls (n, 3) x, y, R."""
    it, rng = cmap(name), np.random.default_rng(seed)
    low, high = np.array(it.bounds).reshape(2, 2)
    found = []
    while len(found) < count:
        try:
            corridor = it.corridor(*rng.uniform(low, high, (2, 2)), radius=radius)
        except (fw.NoPath, fw.BadQuery):
            continue
        found.append(np.column_stack([corridor.backbone, corridor.radii]))
    return found


def measured(balls):
    lengths, gains = np.zeros(len(balls)), np.zeros(len(balls))
    measure_corridor(balls, lengths, gains)
    return lengths, math.pi * balls[0, 2] ** 2 + np.cumsum(gains)


class TestGroupArea:
    @pytest.mark.parametrize("name", GALLERY)
    def test_is_the_union_of_the_balls(self, name):
        for balls in corridors(name, 8):
            _, area = measured(balls)
            for k in (len(balls) // 3, len(balls) - 1):
                assert area[k] == pytest.approx(union_area(balls[: k + 1]), rel=2e-3)

    @pytest.mark.parametrize("name", GALLERY)
    def test_is_never_too_small_in_a_narrowed_corridor(self, name):
        """Narrowed balls are not maximal: at bends they overlap more than their neighbours do."""
        for balls in corridors(name, 8):
            narrow = np.column_stack([balls[:, :2], np.minimum(balls[:, 2], 2.0)])
            _, area = measured(narrow)
            true = union_area(narrow)
            assert 0.999 * true <= area[-1] <= 1.08 * true

    def test_of_a_straight_corridor_by_hand(self):
        x = np.arange(0.0, 20.0, 0.1)
        balls = np.column_stack([x, 0 * x, 0 * x + 2.0])
        lengths, area = measured(balls)
        np.testing.assert_allclose(lengths, x, atol=1e-9)
        assert area[-1] == pytest.approx(4.0 * x[-1] + 4.0 * math.pi, rel=1e-3)


class TestBounds:
    def test_of_either_paper(self):
        radii = np.full(4, 0.25)
        assert check_bounds(3.0, None, None, None, radii) == (3.0, math.inf, math.inf)
        assert check_bounds(None, 60.0, 5.0, 12.0, radii) == (2.5, 60.0, 12.0)
        assert check_bounds(2.0, None, 5.0, None, radii).width == 2.0

    def test_bodies_fill_six_tenths_of_the_group_area_at_most(self):
        radii = np.array([0.25, 0.25, 0.3])
        needed = math.pi * (radii**2).sum() / 0.6
        assert check_bounds(None, 1.001 * needed, None, None, radii).area == 1.001 * needed
        with pytest.raises(fw.BadQuery, match=f"need {needed:.1f} m2 or more"):
            check_bounds(None, 0.999 * needed, None, None, radii)

    @pytest.mark.parametrize(
        ("options", "word"),
        [
            ({"width": 0.0}, "width"),
            ({"width": math.nan}, "width"),
            ({"width": 0.3}, "width"),
            ({"lateral": 0.6}, "width"),
            ({"group_area": -1.0}, "area"),
            ({"group_area": 1.0}, "area"),
            ({"longitudinal": 0.0}, "longitudinal"),
            ({"radius": 0.0}, "radius"),
            ({"speed": -1.0}, "speed"),
            ({"start": (15.0, 10.0)}, "start"),
            ({"goal": (15.0, 10.0)}, "goal"),
            ({"start": (1.0,)}, "the start must be two numbers"),
        ],
        ids=str,
    )
    def test_one_clear_line(self, options, word):
        it = crowd("hall")
        with pytest.raises(fw.BadQuery, match=word) as error:
            it.add_group(10, **{"start": (2.0, 2.0), "goal": (25.0, 10.0)} | options)
        assert "\n" not in str(error.value)
        assert len(it) == 0
        it.step()

    @pytest.mark.parametrize("count", [0, -1, 2.5])
    def test_somebody_has_to_be_there(self, count):
        with pytest.raises(fw.BadQuery, match="count"):
            crowd("hall").add_group(count, start=(2.0, 2.0))

    def test_no_path(self):
        it = crowd("rooms")
        with pytest.raises(fw.NoPath) as error:
            it.add_group(3, start=(5.0, 5.0), goal=(16.0, 5.0))
        assert error.value.reason == "components"

    @pytest.mark.parametrize("options", [{"then": "vanish"}, {"width": "wide"}], ids=str)
    def test_one_clear_line_for_others(self, options):
        with pytest.raises(fw.BadQuery):
            crowd("hall").add_group(3, start=(2.0, 2.0), goal=(25.0, 2.0), **options)


class TestTogether:
    @pytest.mark.parametrize("seed", range(3))
    def test_all_arrive_by_one_path(self, seed):
        """Around the block: all of them on the same side of it, and clear of its walls."""
        it = crowd("hall", seed=seed)
        group = it.add_group(20, start=(3, 10), goal=(27, 10), width=2.0, then="stay")
        walls, sides = NearestWall(env("hall")), set()
        for _ in range(200):
            it.step(5)
            assert_clear(walls, SHAPES["hall"], it)
            beside = (it.positions[:, 0] > 10) & (it.positions[:, 0] < 20)
            sides |= set((it.positions[beside, 1] > 10).tolist())
        assert len(sides) == 1
        assert group.arrived == 1
        assert it.stuck == []

    def test_narrower_corridor_narrower_group(self):
        """Figure 5 of cmm-crowds-2008: lateral dispersion by g_w."""
        wide, narrow = (mean_dispersion({"width": width}) for width in (8.0, 1.0))
        assert narrow.lateral < 0.8 * wide.lateral
        assert narrow.longitudinal > wide.longitudinal

    def test_smaller_area_shorter_group(self):
        """Figure 5 of cmm-crowds-2008: longitudinal dispersion by g_A."""
        loose, tight = (mean_dispersion({"width": 1.5, "group_area": g}) for g in (400.0, 25.0))
        assert tight.longitudinal < 0.8 * loose.longitudinal

    def test_longitudinal_bound(self):
        """voronoi-roadmaps-2004, section 3.3: along the backbone, in metres."""
        loose, tight = (mean_dispersion({"lateral": 3.0, "longitudinal": g}) for g in (40.0, 6.0))
        assert tight.longitudinal < 0.8 * loose.longitudinal
        assert tight.longitudinal < 6.0 + 2 * 1.5

    @pytest.mark.parametrize("bounds", [{"longitudinal": 6.0}, {"group_area": 30.0}], ids=str)
    def test_the_first_may_go_as_far_as_the_bound_allows(self, bounds):
        """Not a sample beyond it, and not a sample less, wherever the group is."""
        it = crowd("bend", seed=2)
        group = it.add_group(12, start=(4, 2), goal=(4, 28), width=1.5, **bounds)
        length, area = measured(group.backbone)
        for _ in range(60):
            it.step(5)
            it._simulation.groups.limit_fronts()  # as the next step does
            characters = it._simulation.characters
            least = int(characters.sample[characters.slots(group.ids)].min()) - group.first_sample
            allowed = int(it._simulation.groups.front_limits[0]) - group.first_sample
            along = length[least:] - length[least]
            ground = area[least:] - area[least] + math.pi * group.backbone[least, 2] ** 2
            most = {"longitudinal": math.inf, "group_area": math.inf} | bounds
            fits = (along <= most["longitudinal"]) & (ground <= most["group_area"])
            assert allowed == least + np.flatnonzero(fits)[-1]
        assert least > 0

    def test_balls_take_no_more_than_half_of_the_group_area(self):
        it = crowd("plain")
        group = it.add_group(5, start=(8, 12), goal=(92, 12), group_area=40.0)
        assert math.pi * group.backbone[:, 2].max() ** 2 == pytest.approx(20.0)

    def test_a_member_that_was_pushed_away_is_found_by_the_rims_of_the_balls(self):
        it = crowd("hall", seed=1)
        group = it.add_group(5, start=(3, 10), goal=(27, 10))
        characters, balls = it._simulation.characters, group.backbone
        assert np.ptp(balls[:, 2]) > 0.5
        slot = characters.slots(group.ids[0])
        for at in np.random.default_rng(1).uniform((0, 0), (30, 20), (50, 2)):
            characters.position[slot] = at
            it._simulation.groups.move_to_closest_ball(group, slot)
            found = int(characters.sample[slot]) - group.first_sample
            out = np.hypot(*(balls[:, :2] - at).T) - balls[:, 2]
            assert out[found] == out.min()

    def test_balls_are_no_wider_than_requested(self):
        """The paper prints max, and means min: see papers/README.md."""
        it = crowd("hall")
        group = it.add_group(5, start=(3, 10), goal=(27, 10), width=1.25)
        corridor = it.map.corridor(group.backbone[0, :2], (27, 10), radius=0.25)
        np.testing.assert_allclose(group.backbone[:, :2], corridor.backbone)
        np.testing.assert_allclose(group.backbone[:, 2], np.minimum(corridor.radii, 1.25))

    def test_nobody_is_beyond_what_the_last_allows(self):
        """Between the least and the most advanced that still walk there is no more than g_A."""
        it = crowd("corridor", seed=2)
        group = it.add_group(20, start=(4, 2), goal=(56, 2), width=1.5, group_area=25.0)
        backbone = group.backbone
        for _ in range(100):
            it.step(3)
            it._simulation.groups.limit_fronts()  # as the next step does
            at = (
                it._simulation.characters.state.cursor[
                    it._simulation.characters.slots(group.ids), AT
                ]
                - group.first_sample
            )
            allowed = it._simulation.groups.front_limits[0] - group.first_sample
            assert union_area(backbone[at.min() : allowed + 1]) <= 25.0 * 1.01
            ahead = np.flatnonzero(at > allowed)
            # Those beyond it stand in the ball of alpha_max, or are on their way into it.
            away = np.hypot(*(it.positions[ahead] - backbone[allowed, :2]).T)
            assert (away < backbone[allowed, 2] + 1.5).all()

    @pytest.mark.parametrize("then", ["exit", "stay", "repeat"])
    def test_what_then(self, then):
        it = crowd("hall", seed=1)
        group = it.add_group(6, start=(3, 10), goal=(8, 3), then=then)
        it.step(300)
        assert group.arrived == 1
        assert len(it) == (0 if then == "exit" else 6)
        assert it.exited == (6 if then == "exit" else 0)
        assert it.stuck == []
        it.step(10)
        assert np.isfinite(group.dispersion).all()

    def test_goes_on_to_random_goals(self):
        it = crowd("hall", seed=1)
        group = it.add_group(8, start=(3, 10), width=2.0)
        it.step(1500)
        assert group.arrived >= 2
        assert it.stuck == []

    def test_several_at_once(self):
        it = crowd("city", seed=1)
        rng = np.random.default_rng(1)
        starts = it.map.vertices[rng.permutation(it.map.n_vertices)]
        starts = starts[it.map.clearance(starts) > 4.0][:8]
        groups = [it.add_group(10, start=at, width=3.0, group_area=80.0) for at in starts]
        it.add(50)
        assert it.groups == groups
        numbers = it._simulation.characters.state.cursor[
            it._simulation.characters.slots(it.ids), GROUP
        ]
        assert numbers.tolist() == [k for k in range(8) for _ in range(10)] + [-1] * 50
        before = [it.positions[g.ids].mean(axis=0) for g in groups]
        it.step(200)
        for at, group in zip(before, groups, strict=True):
            assert np.hypot(*(it.positions[group.ids].mean(axis=0) - at)) > 3.0

    def test_begins_on_one_side_of_a_wall(self):
        it = crowd("rooms", seed=1)
        it.add_group(30, start=(9.5, 5), goal=(2, 2))
        assert it.positions[:, 0].max() < 10.0


def mean_dispersion(bounds):
    """In the middle of a long path."""
    it = crowd("plain", seed=3)
    group = it.add_group(24, start=(8, 12), goal=(92, 12), **bounds)
    found = []
    for _ in range(50):
        it.step(10)
        found.append(group.dispersion)
    return fw.crowd.Dispersion(*np.median(found[20:], axis=0))


class TestDispersion:
    @examples(40)
    @given(st.integers(0, 2**32 - 1))
    def test_is_measured_beside_the_backbone(self, seed):
        rng = np.random.default_rng(seed)
        line = np.cumsum(rng.uniform(-1, 2, (12, 2)), axis=0)
        points = rng.uniform(-3, 15, (20, 2))
        along, across = _project(points, line, np.full(len(points), -1), np.full(len(line), -1))
        string = shapely.LineString(line)
        spots = shapely.points(points)
        np.testing.assert_allclose(np.abs(across), shapely.distance(string, spots), atol=1e-9)
        on_line = shapely.line_interpolate_point(string, along)
        np.testing.assert_allclose(shapely.distance(on_line, spots), np.abs(across), atol=1e-9)

    def test_of_known_places(self):
        it = crowd("corridor")
        group = it.add_group(2, start=(10, 2), goal=(50, 2))
        slots = it._simulation.characters.slots(group.ids)
        it._simulation.characters.state.place[slots, :2] = [(12, 1.5), (20, 3.0)]
        assert group.dispersion.lateral == pytest.approx(1.5, abs=1e-6)
        assert group.dispersion.longitudinal == pytest.approx(8.0, abs=1e-6)

    @pytest.mark.parametrize("last", [0, 7])
    def test_area_is_that_of_the_balls_from_the_last_to_the_first(self, last):
        """Up to the least advanced ball that holds the first one (section 6)."""
        it = crowd("corridor")
        group = it.add_group(2, start=(10, 2), goal=(50, 2), radius=0.25)
        characters, balls = it._simulation.characters, group.backbone
        slots = characters.slots(group.ids)
        characters.position[slots] = [balls[last, :2], (30.0, 3.0)]
        first = int(np.abs(balls[:, 0] - 31.0).argmin())
        characters.sample[slots] = np.array([last, first]) + group.first_sample
        holds = np.hypot(*(balls[:, :2] - (30.0, 3.0)).T) < balls[:, 2] - 0.25
        end = int(np.flatnonzero(holds)[0])
        assert last < end < first
        lengths, area = measured(balls)
        own = math.pi * balls[last, 2] ** 2 + area[end] - area[last]
        assert group.dispersion.area == pytest.approx(own)
        assert own == pytest.approx(union_area(balls[last : end + 1]), rel=2e-3)
        assert own > 4.0 * (lengths[end] - lengths[last]) > 60.0


def test_more_members_than_the_map_has_space_for_are_refused_before_they_are_placed():
    it = crowd("hall")
    with pytest.raises(
        fw.BadQuery, match=r"4,000 characters of radius 0.6 m do not fit on the map"
    ):
        it.add_group(4000, start=(5, 5), radius=0.6)
    assert len(it) == 0
