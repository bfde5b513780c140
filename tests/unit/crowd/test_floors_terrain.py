"""Terrain per floor: routes lead around mud on each floor, and over links along the path."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

import footway as fw
from footway.crowd import simulation as running
from footway.crowd.kernels.layouts import FOLLOWS, ON_ROUTE
from footway.errors import BadInput, BadQuery
from tests.unit.crowd import test_lifts
from tests.unit.crowd.maps import box
from tests.unit.crowd.test_floors import Judge

MUD = {"0": shapely.box(8, 0, 14, 9), "1": shapely.box(8, 5, 14, 14)}
"""Below in the south, above in the north: on each floor the free side is elsewhere. m."""
WELL = box(26, 5, 27.4, 9)
START, END = [(1, 5), (4, 5), (4, 9), (1, 9)], [(1, 6), (4, 6), (4, 8), (1, 8)]
AROUND = {"mud": 20.0}


def build(mud=MUD, obstacles=(), elevation=3.0):
    """Two floors of 30 x 14 m above each other; the stairs are in the east, the mud in the way."""
    floors = [
        fw.Floor(name, fw.Environment.from_polygons(
            bounds=(0, 0, 30, 14), obstacles=[WELL, *obstacles],
            terrain=[("mud", mud[name])] if name in mud else []), z)
        for name, z in (("0", 0.0), ("1", elevation))
    ]  # fmt: skip
    stairs = fw.Stairs("A", ("0", (26, 5), (27.4, 5)), ("1", (26, 9), (27.4, 9)))
    return fw.CorridorMap.build(fw.Building(floors, [stairs]))


@pytest.fixture(scope="module")
def cmap():
    return build()


def climb(cmap, *, count=6, seed=1, threads=1, **wishes):
    crowd = fw.Crowd(cmap, seed=seed, threads=threads)
    wishes = {"preferences": AROUND, "radius": 0.2, "then": "stay"} | wishes
    crowd.add(count, area=(START, "0"), destinations=[(END, "1")], **wishes)
    return crowd


def steps_in_mud(crowd, steps, *, check=None):
    """Character steps in the mud of the own floor, and in that of the other in plan."""
    here = there = 0
    for _ in range(steps):
        crowd.step()
        if check is not None:
            check()
        for at, floor in zip(crowd.positions.tolist(), crowd.floors, strict=True):
            if floor in MUD:
                here += shapely.intersects_xy(MUD[floor], *at)
                there += shapely.intersects_xy(MUD["1" if floor == "0" else "0"], *at)
        if not crowd.is_walking.any():
            break
    return here, there


@pytest.mark.parametrize(("follow", "share"), [("miran", 0.05), ("irm", 0.9)])
def test_routes_lead_around_the_mud_of_each_floor(cmap, follow, share):
    """By IRM people cut the corners of their routes, whatever the terrain, as on a plan."""
    crowd = climb(cmap, follow=follow)
    judge = Judge(crowd)
    here, there = steps_in_mud(crowd, 1500, check=judge.check)
    assert crowd.floors == ["1"] * 6
    assert crowd.arrivals == 6
    corridors = climb(cmap, preferences={})
    across, _ = steps_in_mud(corridors, 1500)
    assert corridors.floors == ["1"] * 6
    assert across > 300
    assert here < share * across
    assert there > 300  # the mud that is above or below is walked through in plan


def test_on_links_and_near_them_the_path_is_followed(cmap):
    crowd = climb(cmap)
    on_route = {"0": 0, "A": 0, "1": 0}
    for _ in range(600):
        crowd.step()
        follows = crowd._simulation.characters.state.cursor[crowd._slots, FOLLOWS]
        walks = crowd.is_walking
        for floor, what, goes in zip(crowd.floors, follows.tolist(), walks, strict=True):
            on_route[floor] += goes and what == ON_ROUTE
    assert on_route["A"] <= 6  # the step in which they enter
    assert min(on_route["0"], on_route["1"]) > 300


def test_goals_are_those_behind_the_floor(cmap):
    crowd = climb(cmap)
    for _ in range(20):
        assert shapely.intersects_xy(shapely.Polygon(END), *crowd.goals.T).all()
        assert crowd.character(0).goal_floor == "1"
        assert crowd.character(0).goal == tuple(crowd.goals[0])
        crowd.step(20)


def test_who_walks_on_one_floor_follows_the_best_route_to_its_goal(cmap):
    """As long as the route that is found on the plan of this floor alone."""
    start, goal = (3.0, 7.0), (20.0, 7.0)
    for name in ("0", "1"):
        crowd = fw.Crowd(cmap, seed=1)
        crowd.add(1, starts=[(*start, name)], goals=[(*goal, name)], radius=0.2,
                  preferences=AROUND)  # fmt: skip
        route = crowd.character(0).corridor[:, :2]
        terrain = fw.Terrain.build(cmap.building.floors[["0", "1"].index(name)].environment, 0.2)
        best = fw.route(terrain, start, goal, preferences=AROUND)
        assert terrain.weighted_length(route, AROUND) < 1.05 * best.weighted_length
        length, at = 0.0, crowd.positions[0]
        for _ in range(400):
            crowd.step()
            length += np.hypot(*(crowd.positions[0] - at))
            at = crowd.positions[0]
        assert crowd.arrivals == 1
        assert length < 1.1 * best.length


def test_a_floor_without_that_terrain_is_walked_straight():
    cmap = build({"0": MUD["0"]})
    crowd = climb(cmap)
    below = above = 0
    for _ in range(700):
        crowd.step()
        for at, floor in zip(crowd.positions.tolist(), crowd.floors, strict=True):
            if floor != "A":
                is_there = shapely.intersects_xy(MUD[floor], *at)
                below, above = below + is_there * (floor == "0"), above + is_there * (floor == "1")
    assert crowd.floors == ["1"] * 6
    assert below < 20
    assert above > 200


def test_obstacles_and_closed_links_on_the_way():
    cmap = build()
    crowd = climb(cmap, count=4)
    crowd.add_obstacle((5.5, 11.5, "0"), 0.5)
    crowd.close_link("A", start=5.0, end=30.0)
    crowd.step(290)
    assert "1" not in crowd.floors
    judge = Judge(crowd)
    steps_in_mud(crowd, 1500, check=judge.check)
    assert crowd.floors == ["1"] * 4


def test_people_who_follow_routes_ride_in_lifts():
    """Routes lead to the queue; the way into the cabin and out of it is that of everybody."""
    cmap = test_lifts.build(3)
    crowd = fw.Crowd(cmap, seed=2)
    for name in "012":
        others = [other for other in "012" if other != name]
        crowd.add(4, area=name, radius=0.22, destinations=[others], then="exit", follow="miran")
    judge = test_lifts.Judge(crowd)
    for _ in range(3000):
        crowd.step()
        judge.check()
        if not len(crowd):
            break
    assert (len(crowd), crowd.exited) == (0, 12)
    assert judge.rides >= 12


class TestChanges:
    def test_preferences_that_come_on_the_way(self, cmap):
        crowd = climb(cmap, preferences={})
        crowd.step(10)
        crowd.set_profile(0, preferences=AROUND)
        here, _ = steps_in_mud(crowd, 1500)
        assert crowd.floors == ["1"] * 6
        assert here < 20

    @pytest.mark.parametrize("moment", [30, 120, 200, 320])
    def test_wider_people_keep_their_goal(self, cmap, moment):
        """Whoever walks to the foot of the stairs has its goal above."""
        crowd = climb(cmap, count=4, then="exit")  # so that nobody stands where others arrive
        crowd.step(moment)
        crowd.set_profile(0, radius=0.3)
        last = {}
        for _ in range(1500):
            places = zip(crowd.floors, crowd.positions.tolist(), strict=True)
            last |= dict(zip(crowd.ids.tolist(), places, strict=True))
            crowd.step()
            if not len(crowd):
                break
        assert (crowd.exited, crowd.arrivals) == (4, 4)
        for floor, at in last.values():
            assert floor == "1"
            assert shapely.Polygon(END).distance(shapely.Point(at)) < 1.0

    def test_the_map(self, cmap):
        crowd = climb(cmap)
        crowd.step(80)
        moved = crowd.moved_to(build(obstacles=[box(3.2, 9.5, 4.8, 10.5)], elevation=3.3))
        here, _ = steps_in_mud(moved, 1500)
        assert moved.floors == ["1"] * 6
        assert here < 20


def test_threads_do_not_change_a_bit(cmap, monkeypatch):
    monkeypatch.setattr(running, "_FEW", 1)
    found = []
    for threads in (1, 3):
        crowd = climb(cmap, threads=threads)
        crowd.step(250)
        found.append((crowd.positions.tobytes(), crowd.floors))
    assert found[0] == found[1]


@pytest.mark.parametrize("moment", [0, 60, 195, 215, 250])
def test_a_checkpoint_continues_with_the_same_bits(cmap, tmp_path, moment):
    crowd = climb(cmap)
    crowd.step(moment)
    crowd.save(tmp_path / "crowd.npz")
    again = fw.Crowd.load(tmp_path / "crowd.npz", cmap)
    for one in (crowd, again):
        one.step(250)
    assert (again.positions == crowd.positions).all()
    assert again.floors == crowd.floors


@pytest.mark.parametrize(
    ("wishes", "error", "message"),
    [
        ({"preferences": {"lava": 2.0}}, BadInput, "'lava' on any floor; there are .*mud"),
        ({"preferences": {"mud": -1.0}}, BadInput, "mud"),
        ({"behaviour": "wander", "follow": "irm"}, BadQuery, "a wanderer follows corridors"),
    ],
)
def test_one_clear_line(cmap, wishes, error, message):
    crowd = fw.Crowd(cmap)
    with pytest.raises(error, match=message):
        crowd.add(2, radius=0.2, **wishes)
    assert len(crowd) == 0
