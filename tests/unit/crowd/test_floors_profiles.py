"""Another profile for a population of a building while it walks, climbs and rides."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

import footway as fw
from footway.crowd import simulation as running
from footway.crowd.lift_passengers import ABOARD
from footway.errors import BadInput, BadQuery
from tests.unit.crowd import test_floors, test_lifts
from tests.unit.crowd.test_floors import BACK, ENDS, build

SHAFT_FLOORS = 4


@pytest.fixture(scope="module")
def cmap():
    return build(fw.Stairs("A", *ENDS))


@pytest.fixture(scope="module")
def lift():
    return test_lifts.build()


def assert_clear(crowd):
    """Everybody is on its sheet and off its walls, by Shapely."""
    for at, sheet, radius in zip(crowd.positions, crowd.sheets, crowd.radii, strict=True):
        one, point = crowd.map.building.sheets[sheet], shapely.Point(at)
        walls = shapely.multilinestrings(one.walls.segments.reshape(-1, 2, 2))
        assert one.polygon.distance(point) < 1e-6
        assert walls.distance(point) > radius - 1e-6


@pytest.mark.parametrize("behaviour", ["goals", "wander"])
def test_wider_and_narrower(cmap, behaviour):
    crowd = fw.Crowd(cmap, seed=3)
    crowd.add(12, radius=0.15, behaviour=behaviour)
    crowd.step(60)
    for radius in (0.35, 0.2, (0.25, 0.04), 0.45, 0.1):
        before = dict(zip(crowd.ids.tolist(), crowd.floors, strict=True))
        crowd.set_profile(0, radius=radius)
        assert dict(zip(crowd.ids.tolist(), crowd.floors, strict=True)) == before
        for _ in range(25):
            crowd.step(4)
            assert_clear(crowd)
    assert crowd.is_walking.all()


def test_who_does_not_fit_moves_on_its_floor_and_not_to_that_below(cmap):
    """In plan the nearest free place of the stairwell is beside it on the other floor."""
    starts = [(5.8, 5.0, "0"), (5.8, 5.0, "1"), (6.3, 5.0, "A"), (0.3, 4.0, "1")]
    crowd = fw.Crowd(cmap)
    crowd.add(4, radius=0.15, starts=starts, goals=[(2, 2, "0")] * 4)
    crowd.set_profile(0, radius=0.5)
    assert crowd.floors == ["0", "1", "A", "1"]
    expected = [(5.5, 5.0), (5.5, 5.0), (6.5, 5.0), (0.5, 4.0)]
    np.testing.assert_allclose(crowd.positions, expected, atol=1e-4)
    assert_clear(crowd)


def test_who_is_too_wide_for_the_stairs_is_put_onto_the_floor_that_is_nearest(cmap):
    starts = [(6.6, 3.6, "A"), (6.6, 6.6, "A")]
    crowd = fw.Crowd(cmap)
    crowd.add(2, radius=0.2, starts=starts, goals=[(9, 1, "1"), (9, 1, "0")], then="stay")
    crowd.step(2)
    crowd.set_profile(0, radius=0.7)  # the stairs are 1.2 m wide
    assert sorted(crowd.floors) == ["0", "1"]
    assert crowd.floors == ["0", "1"]
    assert_clear(crowd)
    crowd.step(300)
    assert crowd.floors == ["0", "1"]
    assert {stuck.cause for stuck in crowd.stuck} == {"unreachable"}


def test_another_stairwell_is_used_by_those_who_are_too_wide_for_one():
    upper = (("0", (1, 7), (1.8, 7)), ("1", (1, 3), (1.8, 3)))
    floor = fw.Environment.from_polygons(
        bounds=(0, 0, 10, 8),
        obstacles=[test_floors.HOLE, [(1, 3), (1.8, 3), (1.8, 7), (1, 7)]],
    )
    stairs = [fw.Stairs("A", *ENDS), fw.Stairs("B", *upper)]
    cmap = fw.CorridorMap.build(
        fw.Building([fw.Floor("0", floor), fw.Floor("1", floor, 3.0)], stairs)
    )
    crowd = fw.Crowd(cmap)
    crowd.add(1, radius=0.2, starts=[(2.8, 7.4, "0")], goals=[(3, 2, "1")])
    crowd.set_profile(0, radius=0.45)  # B is 0.8 m wide
    used = set()
    for _ in range(500):
        crowd.step()
        used |= set(crowd.floors)
    assert used == {"0", "A", "1"}


def test_goals_and_sources_that_are_too_tight_move_on_their_floor(cmap):
    crowd = fw.Crowd(cmap, seed=1)
    crowd.add(1, radius=0.15, starts=[(9, 1, "0")], goals=[(5.8, 5.0, "1")])
    edge = [(5.6, 4), (6, 4), (6, 6), (5.6, 6)]
    crowd.add_source(5, area=(edge, "1"), rate=1.0, radius=0.15, start=1.0,
                     destinations=[([(7.2, 4), (7.6, 4), (7.6, 6), (7.2, 6)], "1")],
                     then="stay")  # fmt: skip
    crowd.set_profile(0, radius=0.45)
    crowd.set_profile(1, radius=0.45)
    np.testing.assert_allclose(crowd.goals, [(5.55, 5.0)], atol=1e-4)
    assert crowd.character(0).goal_floor == "1"
    appeared = {}
    for _ in range(800):
        crowd.step()
        for number, floor in zip(crowd.ids.tolist(), crowd.floors, strict=True):
            appeared.setdefault(number, floor)
        assert_clear(crowd)
    assert appeared == {0: "0", **dict.fromkeys(range(1, 6), "1")}
    assert crowd.arrivals == 6


class TestLifts:
    @pytest.mark.parametrize("moment", [40, 90, 140, 190])
    def test_everybody_still_gets_where_it_goes(self, lift, moment):
        crowd = test_lifts.traffic(lift, seed=2, count=4, radius=0.2)
        crowd.step(moment)
        for number in range(len(crowd.names)):
            crowd.set_profile(number, radius=0.27, speed=1.0)
        judge = test_lifts.Judge(crowd)
        for _ in range(4000):
            crowd.step()
            judge.check(pairs=False)
            if not len(crowd):
                break
        assert (len(crowd), crowd.exited) == (0, 4 * SHAFT_FLOORS)
        assert judge.rides > 10

    def test_goals_behind_the_lift_move_too(self, lift):
        """Who waits, and who rides."""
        crowd = fw.Crowd(lift)
        top = lift.building.floors[-1]
        x0, y0 = top.environment.bounds[:2]
        crowd.add(4, area="0", radius=0.2, goals=[(x0 + 0.25, y0 + 0.25 + k, top.name)
                  for k in range(4)])  # fmt: skip
        inside = 0
        for _ in range(2000):
            crowd.step()
            lifts = crowd._simulation.lifts
            inside = sum(p.stage == ABOARD for p in lifts.passengers.values())
            if inside:
                break
        assert inside
        crowd.set_profile(0, radius=0.3)
        crowd.step(1500)
        assert crowd.floors == [top.name] * 4
        goals = [(x0 + 0.3, max(y0 + 0.3, y0 + 0.25 + k)) for k in range(4)]
        assert np.hypot(*(crowd.goals - goals).T).max() < 1e-4

    def test_who_would_not_fit_into_its_lift_is_refused(self, lift):
        crowd = fw.Crowd(lift)
        crowd.add(1, area="0", radius=0.2, destinations=[lift.building.floors[-1].name])
        links = {link.name for link in lift.building.links}
        while not set(crowd.floors) & links:
            crowd.step()
        crowd.step(20)
        before = crowd.positions
        with pytest.raises(BadQuery, match="does not fit into the lift"):
            crowd.set_profile(0, radius=1.5)
        assert crowd.radii[0] == pytest.approx(0.2)
        assert (crowd.positions == before).all()


class TestSameBits:
    def run(self, cmap, *, threads=1):
        crowd = test_floors.two_ways(cmap, threads=threads)
        crowd.step(60)
        crowd.set_profile(0, radius=(0.25, 0.03), speed=1.0)
        return crowd

    def test_on_any_number_of_threads(self, cmap, monkeypatch):
        monkeypatch.setattr(running, "_FEW", 1)
        found = []
        for threads in (1, 3):
            crowd = self.run(cmap, threads=threads)
            crowd.step(60)
            found.append((crowd.positions.tobytes(), crowd.floors))
        assert found[0] == found[1]

    def test_after_a_checkpoint(self, cmap, tmp_path):
        crowd = self.run(cmap)
        crowd.save(tmp_path / "crowd.npz")
        again = fw.Crowd.load(tmp_path / "crowd.npz", cmap)
        for one in (crowd, again):
            one.step(60)
        assert (again.positions == crowd.positions).all()
        assert again.floors == crowd.floors

    def test_after_a_checkpoint_with_passengers(self, lift, tmp_path):
        crowd = test_lifts.traffic(lift, seed=2, count=4, radius=0.2)
        crowd.step(120)
        crowd.set_profile(0, radius=0.25)
        crowd.set_profile(0, radius=0.22)
        crowd.save(tmp_path / "crowd.npz")
        again = fw.Crowd.load(tmp_path / "crowd.npz", lift)
        for one in (crowd, again):
            one.step(300)
        assert (again.positions == crowd.positions).all()


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"radius": 5.0}, "fits nowhere"),
        ({"preferences": {"mud": 2.0}}, "no terrain of kind"),
    ],
)
def test_what_cannot_be_changes_nothing(wishes, message):
    crowd = fw.Crowd(build(fw.Stairs("A", *ENDS), fw.Stairs("S", *BACK)))
    crowd.add(3, radius=0.2)
    with pytest.raises(BadInput, match=message):
        crowd.set_profile(0, **wishes)
    assert crowd.profiles[0].radius == 0.2
