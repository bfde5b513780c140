"""Tests of RiMEA 3.0 and IMO MSC.1/Circ.1238 that need stairs or several floors.

The guidelines state no thresholds for these: that the time on stairs is right within 5 %, the flow
on stairs less than in the corridor, and the total time not longer for faster people, is what
others check.
"""

from __future__ import annotations

import numpy as np
import pytest

import footway as fw

SEEDS = range(10)
RUN, RISE, SLOPE = 8.0, 6.0, 10.0  # m, of the stairs of RiMEA 2 and 3, and along them
FREE = 1.34  # m/s, of somebody whose speeds on stairs are those of the link


def straight_stairs(**speeds):
    """Stairs of 2 m, 10 m along the slope, between two landings."""
    low = fw.Environment.from_polygons(bounds=(0, -4, 2, 0))
    high = fw.Environment.from_polygons(bounds=(0, RUN, 2, RUN + 4))
    link = fw.Stairs("A", ("0", (0, 0), (2, 0)), ("1", (0, RUN), (2, RUN)), **speeds)
    floors = [fw.Floor("0", low), fw.Floor("1", high, RISE)]
    return fw.CorridorMap.build(fw.Building(floors, [link]))


def seconds_on_stairs(cmap, speed, seed, *, up):
    ends = (1, -3, "0"), (1, RUN + 3, "1")
    start, goal = ends if up else ends[::-1]
    crowd = fw.Crowd(cmap, seed=seed)
    crowd.add(1, starts=[start], goals=[goal], radius=0.2, speed=speed)
    on = 0
    while not crowd.arrivals:
        crowd.step()
        on += crowd.floors == ["A"]
        assert crowd.time < 60
    return on * 0.1


@pytest.mark.parametrize(("up", "in_plan"), [(True, 0.610), (False, 0.694)])
def test_rimea_2_and_3_time_on_stairs(up, in_plan):
    """Weidmann's speeds are those in plan."""
    cmap, along = straight_stairs(), in_plan * SLOPE / RUN
    for seed in SEEDS:
        taken = seconds_on_stairs(cmap, FREE, seed, up=up)
        assert taken == pytest.approx(SLOPE / along, rel=0.05)


@pytest.mark.parametrize("up", [True, False])
def test_imo_2_and_3_one_metre_per_second_on_stairs(up):
    share = FREE * RUN / SLOPE  # so that everybody is as fast along the slope as on the level
    cmap = straight_stairs(speed_up=share, speed_down=share)
    for seed in SEEDS:
        assert seconds_on_stairs(cmap, 1.0, seed, up=up) == pytest.approx(10.0, rel=0.05)


def time_to_leave(cmap, starts, speed, seed=0):
    """Total time of RiMEA 8, s, if everybody has the same speed."""
    ground = cmap.building.floors[0].environment
    (way_out,) = (area.polygon for area in ground.areas if area.name == "exit")
    crowd = fw.Crowd(cmap, seed=seed)
    crowd.add(len(starts), starts=starts, radius=0.2, speed=speed,
              destinations=[(way_out, "0")], then="exit")  # fmt: skip
    while len(crowd):
        crowd.step(10)
        assert crowd.time < 1500
    assert crowd.exited == len(starts)
    return crowd.time


def rimea_8(per_room):
    """Map of the three storeys, and places of people in all rooms."""
    cmap = fw.CorridorMap.build(fw.load("gallery:rimea8"))
    places = [(0.5, 0.8), (0.5, 2.2), (1.5, 0.8), (1.5, 2.2)][:per_room]
    starts = []
    for floor in cmap.building.floors:
        for area in floor.environment.areas:
            if area.name.startswith("room"):
                x, y = area.polygon.bounds[:2]
                starts += [(x + dx, y + dy, floor.name) for dx, dy in places]
    return cmap, starts


def test_rimea_8_the_total_time_falls_with_the_speed():
    """With one person per room, not four: see the next test."""
    cmap, starts = rimea_8(1)
    assert len(starts) == 112
    times = [time_to_leave(cmap, starts, speed) for speed in (0.5, 0.75, 1.0)]
    assert times == sorted(times, reverse=True)


@pytest.mark.slow
def test_rimea_8_with_four_in_each_room():
    """With 0.5 m/s and other places in the rooms, three people blocked each other for ever."""
    cmap, starts = rimea_8(4)
    assert len(starts) == 448
    times = [time_to_leave(cmap, starts, speed) for speed in (0.5, 0.75, 1.0)]
    assert times == sorted(times, reverse=True)


def test_rimea_13_the_queue_at_the_foot_of_the_stairs_grows():
    """A room of 5 m x 8 m with 150 people, a corridor of 12 m x 2 m, 3 m of stairs up (3.0)."""
    room = [(0, 0), (5, 0), (5, 3), (17, 3), (17, 5), (5, 5), (5, 8), (0, 8)]
    low = fw.Environment.from_polygons([room])
    high = fw.Environment.from_polygons(bounds=(20, 3, 23, 5))
    link = fw.Stairs("A", ("0", (17, 3), (17, 5)), ("1", (20, 3), (20, 5)))
    floors = [fw.Floor("0", low), fw.Floor("1", high, 1.5)]
    crowd = fw.Crowd(fw.CorridorMap.build(fw.Building(floors, [link])), seed=1)
    starts = [(0.3 + 0.48 * i, 0.3 + 0.52 * j, "0") for i in range(10) for j in range(15)]
    goal = [(22, 3), (23, 3), (23, 5), (22, 5)]
    crowd.add(150, starts=starts, radius=0.2, speed=(1.34, 0.26),
              destinations=[(goal, "1")], then="exit")  # fmt: skip
    lines = 11.0, 20.0  # m, in the middle of the corridor, and at the top of the stairs
    passed: list[dict[int, float]] = [{}, {}]
    at_foot = []
    while len(crowd):
        crowd.step()
        x = crowd.positions[:, 0]
        for line, times in zip(lines, passed, strict=True):
            for number in crowd.ids[x > line].tolist():
                times.setdefault(number, crowd.time)
        if crowd.time < 45 and round(10 * crowd.time) % 100 == 0:
            at_foot.append(int(((x > 11) & (x < 17)).sum()))
        assert crowd.time < 300
    corridor, stairs = (np.sort(list(times.values())) for times in passed)
    assert len(at_foot) == 4
    assert (np.diff(at_foot) > 0).all()
    flow = [100 / (times[114] - times[14]) for times in (corridor, stairs)]  # 1/s
    assert flow[1] < 0.9 * flow[0]
