"""Measures of a run, on motion that is known."""

import numpy as np
import pytest
import shapely

import footway as fw
from footway.runs.observer import Observer

AREA = shapely.box(4, 0, 6, 4)


@pytest.fixture(scope="module")
def corridor():
    return fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 20, 4)))


def observe(crowd, steps, lines=None, areas=None):
    observer = Observer(crowd, lines or {}, areas or {}, 0.5)
    observer.note()
    for _ in range(steps):
        crowd.step()
        observer.note()
    return observer.measures()


def test_egress_times_and_percentiles(corridor):
    crowd = fw.Crowd(corridor)
    for x, name in ((17.0, "near"), (11.0, "middle"), (5.0, "far")):
        crowd.add(1, starts=[(x, 2)], goals=[(19, 2)], speed=1.0, then="exit", name=name)
    found = observe(crowd, 200)
    near, middle, far = (found[f"egress_time {name}"] for name in ("near", "middle", "far"))
    assert 1.0 < near < 4.0 < middle < 10.0 < far < 16.0
    assert found["egress_time"] == far
    assert found["egress_50"] == middle  # two of three are the first that are half
    assert found["egress_95"] == far
    assert found["egress_mean"] == pytest.approx((near + middle + far) / 3)
    assert (found["exited"], found["present"]) == (3, 0)


def test_nobody_has_left(corridor):
    crowd = fw.Crowd(corridor)
    crowd.add(2, starts=[(2, 2), (3, 2)], goals=[(19, 1), (19, 3)], then="exit")
    found = observe(crowd, 5)
    assert found["egress_time"] is None
    assert found["egress_50"] is None
    assert found["present"] == 2


def test_a_source_that_is_not_finished_has_no_last_exit(corridor):
    crowd = fw.Crowd(corridor)
    crowd.add(1, starts=[(17, 2)], goals=[(19, 2)], then="exit")
    box = [(1, 1), (3, 1), (3, 3), (1, 3)]
    crowd.add_source(5, area=box, destinations=[(19, 2)], then="exit", rate=0.01)
    found = observe(crowd, 60)
    assert found["exited"] == 1
    assert found["egress_time"] is None
    assert found["egress_50"] is None


def test_flow_through_a_line(corridor):
    crowd = fw.Crowd(corridor)
    starts = [(2, 1), (5, 2), (8, 3)]
    crowd.add(3, starts=starts, goals=[(18, 1), (18, 2), (18, 3)], speed=1.0)
    crowd.add(1, starts=[(14, 0.5)], goals=[(2, 0.5)], speed=1.0)
    upward, outside = ((10, 0), (10, 4)), ((10, 5), (10, 9))
    found = observe(crowd, 120, {"middle": upward, "outside": outside})
    assert found["passed middle"] == 4
    assert found["net middle"] == -2  # three to the right of the line, one to its left
    assert found["flow middle"] == pytest.approx(3 / 6, rel=0.3)
    assert (found["passed outside"], found["flow outside"]) == (0, None)


def test_density_and_level_of_service(corridor):
    crowd = fw.Crowd(corridor)
    starts = [(4.5, 0.5), (5, 1.5), (5.5, 2.5), (4.6, 3.4), (12, 2)]
    crowd.add(5, starts=starts, premovement=60.0)
    found = observe(crowd, 10, areas={"box": AREA})
    assert found["density box"] == pytest.approx(4 / 8)
    assert found["greatest_density box"] == pytest.approx(4 / 8)
    levels = {level: found[f"level_{level} box"] for level in "ABCDEF"}
    assert levels == {"A": 0, "B": 0, "C": 1, "D": 0, "E": 0, "F": 0}


def test_queue_counts_those_who_cannot_walk():
    door = fw.Environment.from_polygons(
        shapely.box(0, 0, 21, 10) - shapely.box(10, 0, 11, 4.6) - shapely.box(10, 5.4, 11, 10)
    )
    crowd = fw.Crowd(fw.CorridorMap.build(door), seed=2)
    hall = [(1, 1), (9, 1), (9, 9), (1, 9)]
    crowd.add(60, area=hall, destinations=[(20, 5)], then="exit", radius=0.2)
    crowd.add(10, area=hall, premovement=600.0, radius=0.2, name="waiting")
    found = observe(crowd, 100)
    assert 10 <= found["longest_queue"] <= 60
    speed = np.sqrt((crowd.velocities**2).sum(axis=1))
    assert not crowd.is_walking[-10:].any()
    assert speed[-10:].max() < 0.5
