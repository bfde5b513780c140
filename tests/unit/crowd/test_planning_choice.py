"""Of alternative destinations, characters take the one with the shortest path."""

import numpy as np
import pytest
import shapely

import footway as fw
from footway.environment.areas import as_polygon, contains
from tests.oracle.crowd import assert_same
from tests.unit.crowd.maps import box, cmap, crowd

WEST, EAST = box(0.5, 8, 1.5, 12), box(28.5, 8, 29.5, 12)


def chosen(it, rings):
    """Number of the area that contains each goal; -1: none."""
    found = np.full(len(it), -1)
    for k, ring in enumerate(rings):
        found[contains(as_polygon(ring), it.goals)] = k
    return found


def length(it, start, goal):
    path = it.map.path(start, goal, radius=0.25)
    return path.length


class TestChoice:
    @pytest.mark.parametrize("seed", range(3))
    def test_is_the_shortest_path(self, seed):
        """Judged by the exact path to every corner and the middle of the areas."""
        it = crowd("hall", seed=seed)
        it.add(60, destinations=[[WEST, EAST]], then="exit")
        takes = chosen(it, [WEST, EAST])
        assert set(takes.tolist()) == {0, 1}
        for at, k in zip(it.positions, takes, strict=True):
            lengths = [min(length(it, at, (x, y)) for x in (x0, x0 + 0.9) for y in (8.1, 10, 11.9))
                    for x0 in (0.55, 28.55)]  # fmt: skip
            assert lengths[k] <= min(lengths) + 1.0

    def test_is_not_the_straight_line(self):
        """Behind the wall it is 3 m away as the crow flies, and 60 m on foot."""
        it = crowd("bend")
        far, near = (2.0, 28.0), (25.0, 2.0)
        it.add(1, starts=[(2, 2)], destinations=[[(2.0, 27.0), near]], then="stay")
        np.testing.assert_array_equal(it.goals, [near])
        it.add(1, starts=[(2, 3)], destinations=[[far, (28.0, 28.0)]], then="stay")
        np.testing.assert_array_equal(it.goals[1], (28.0, 28.0))

    def test_of_an_area_what_can_be_reached_counts(self):
        """The nearest part of the first one is behind a wall without a door."""
        it = crowd("rooms")
        parts = shapely.MultiPolygon([shapely.box(11.2, 4, 12.2, 6), shapely.box(4, 4, 5, 6)])
        it.add(1, starts=[(9, 5)], destinations=[[parts, box(0.5, 4, 1.5, 6)]], then="stay")
        assert contains(as_polygon(box(4, 4, 5, 6)), it.goals).all()

    def test_of_points_and_areas(self):
        it = crowd("hall")
        places = [[(2.0, 2.0)], [(2.0, 18.0)], [(28.0, 2.0)]]  # three bare points are an area
        it.add(4, starts=[(3, 3), (3, 17), (27, 3), (27, 17)], destinations=[places])
        assert it.goals[:3].tolist() == [[2, 2], [2, 18], [28, 2]]
        ids = it.add(2, starts=[(5, 3), (25, 17)], destinations=[[(2.0, 2.0), EAST]])
        np.testing.assert_array_equal(it.goals[ids[0]], (2, 2))
        assert contains(as_polygon(EAST), it.goals[ids[1:]]).all()
        triangle = [(20.5, 1), (29, 1), (29, 9)]
        late = it.add(1, starts=[(5, 4)], destinations=[triangle])
        assert contains(as_polygon(triangle), it.goals[late]).all()

    def test_is_made_when_one_sets_out(self):
        """All walk to the east first, and take the exit that is near from there."""
        it = crowd("hall", seed=1)
        it.add(6, area=box(1, 1, 5, 19), destinations=[(26.0, 10.0), [WEST, EAST]], then="exit")
        seen = set()
        for _ in range(600):
            it.step()
            seen |= set(chosen(it, [WEST, EAST]).tolist())
        assert it.exited == 6
        assert seen == {-1, 1}

    def test_of_those_who_appear(self):
        it = crowd("hall", seed=1)
        it.add_source(
            20, area=box(22, 1, 29, 19), rate=10.0, destinations=[[WEST, EAST]], then="exit"
        )
        it.step(60)
        going = np.isfinite(it.goals[:, 0])
        assert going.any()
        assert (chosen(it, [WEST, EAST])[going] == 1).all()

    def test_passes_by_what_cannot_be_reached(self):
        it = crowd("rooms")
        it.add(1, starts=[(8, 5)], destinations=[[(12.0, 5.0), (1.0, 1.0)]])
        np.testing.assert_array_equal(it.goals, [(1, 1)])
        with pytest.raises(fw.NoPath):
            it.add(1, starts=[(5, 2)], destinations=[[(12.0, 5.0), (20.0, 5.0)]])

    def test_knows_how_wide_one_is(self):
        """A door of 0.8 m: a wheelchair of 0.9 m takes the other exit."""
        it = crowd("door")
        exits = [(12.0, 5.0), (1.0, 5.0)]
        it.add(1, radius=0.25, starts=[(9, 5)], destinations=[exits])
        it.add(1, radius=0.45, starts=[(8, 6)], destinations=[exits])
        assert it.goals.tolist() == [[12, 5], [1, 5]]

    @pytest.mark.parametrize("bad", [[[]], [["a", "b"]], [[(1, 2), 3]], [[(50.0, 50.0), WEST]]])
    def test_one_clear_line(self, bad):
        with pytest.raises(fw.BadQuery) as error:
            crowd("hall").add(1, destinations=bad)
        assert "\n" not in str(error.value)


class TestClosed:
    def test_before_they_set_out(self):
        """The short path north is closed, so the exit in the south is nearer."""
        it = crowd("branch", seed=1)
        it.add_obstacle((15, 2), 2.2)
        it.step()
        it.add(1, starts=[(5, 2)], destinations=[[(24.0, 2.0), (2.0, 18.0)]], then="exit")
        np.testing.assert_array_equal(it.goals, [(2, 18)])

    def test_on_their_way(self):
        it = crowd("branch", seed=1)
        it.add(1, starts=[(5, 2)], destinations=[[(27.0, 6.0), (2.0, 17.0)]], then="exit")
        np.testing.assert_array_equal(it.goals, [(2, 17)])
        it.step(5)
        it.add_obstacle((2, 12), 2.2)
        it.step(5)
        np.testing.assert_array_equal(it.goals, [(27, 6)])

    def test_all_of_them(self):
        """Then they wait where they would go without the obstacles."""
        it = crowd("corridor")
        it.add_obstacle((20, 2), 2.2)
        it.add_obstacle((40, 2), 2.2)
        it.step()
        it.add(1, starts=[(28, 2)], destinations=[[(2.0, 2.0), (58.0, 2.0)]])
        np.testing.assert_array_equal(it.goals, [(2, 2)])


def mixed(**options):
    it = crowd("hall", seed=4, **options)
    it.add(40, destinations=[[WEST, EAST], box(12, 1, 18, 4), [(15.0, 18.0), EAST]])
    it.add_source(30, area=box(1, 1, 8, 19), rate=4.0, destinations=[[WEST, EAST]], then="exit")
    it.add_obstacle((25, 2.5), 2.6, appears=3.0, vanishes=12.0)
    return it


class TestSameBits:
    def test_on_one_thread_and_two(self, monkeypatch):
        monkeypatch.setattr("footway.crowd.simulation._FEW", 2)
        monkeypatch.setattr("footway.crowd.planning._CHOICES", 2)
        one, two = mixed(threads=1), mixed(threads=2)
        for _ in range(20):
            one.step(10)
            two.step(10)
            assert_same(one, two)

    @pytest.mark.parametrize("after", [0, 15, 47])
    def test_after_a_checkpoint(self, after, tmp_path):
        one = mixed()
        one.step(after)
        one.save(tmp_path / "crowd.npz")
        two = fw.Crowd.load(tmp_path / "crowd.npz", cmap("hall"))
        for _ in range(15):
            one.step(10)
            two.step(10)
            assert_same(one, two)
