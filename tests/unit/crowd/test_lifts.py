"""Lifts carry people: judged by Shapely, by arithmetic, and by what a cabin may hold."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import shapely

import footway as fw
from footway.crowd import simulation as running
from footway.crowd.lift_control import MOVING
from footway.crowd.lift_control import OPEN as DOORS_OPEN
from footway.errors import BadQuery

SHAFT = [(4, 4), (6, 4), (6, 6.2), (4, 6.2)]
HEIGHT = 3.0
STAIRS = [(8, 3), (9.2, 3), (9.2, 7), (8, 7)]


def build(floors=4, *, shaft=SHAFT, stairs=False, back=(), **lift):
    """Floors of 12 x 10 m above each other, with a lift in the middle."""
    plan = fw.Environment.from_polygons(
        bounds=(0, 0, 12, 10), obstacles=[shaft, STAIRS] if stairs else [shaft]
    )
    front, rear = ((4.4, 4), (5.6, 4)), ((4.4, 6.2), (5.6, 6.2))
    doors = [(str(k), *(rear if k in back else front)) for k in range(floors)]
    links = [fw.Lift("L", shaft, doors, **lift)]
    if stairs:
        links += [
            fw.Stairs(f"S{k}", (str(k), (8, 3), (9.2, 3)), (str(k + 1), (8, 7), (9.2, 7)))
            for k in range(floors - 1)
        ]
    every = [fw.Floor(str(k), plan, HEIGHT * k) for k in range(floors)]
    return fw.CorridorMap.build(fw.Building(every, links))


@pytest.fixture(scope="module")
def cmap():
    return build()


def traffic(cmap, *, seed=0, step=0.1, threads=1, count=6, radius=0.22):
    """People on every floor who go to the other floors, one after the other, and leave."""
    crowd = fw.Crowd(cmap, seed=seed, step=step, threads=threads)
    names = [floor.name for floor in cmap.building.floors]
    for k, name in enumerate(names):
        others = [other for other in names if other != name]
        stages = others[: 1 + k % len(others)]
        crowd.add(count, area=name, radius=radius, destinations=[[one] for one in stages],
                  then="exit")  # fmt: skip
    return crowd


class Judge:
    """What must hold after every step, from floors, portals and cabins alone."""

    def __init__(self, crowd):
        self.crowd, self.building = crowd, crowd.map.building
        self.walls = [
            shapely.multilinestrings(sheet.walls.segments.reshape(-1, 2, 2))
            for sheet in self.building.sheets
        ]
        self.seams = {}
        for seam in self.building.seams:
            line = shapely.LineString([seam.ends[:2], seam.ends[2:]])
            self.seams[frozenset((seam.left, seam.right))] = line
        self.cabins = {
            sheet: link for link, ride in enumerate(self.building.rides) for sheet in ride
        }
        for sheet in self.building.sheets:
            shapely.prepare(sheet.polygon)
        self.before, self.rides, self.doors, self.most = self.places(), 0, 0, 0

    def places(self):
        rows = zip(self.crowd.positions, self.crowd.sheets.tolist(), self.crowd.radii, strict=True)
        return dict(zip(self.crowd.ids.tolist(), rows, strict=True))

    def check(self, *, pairs=True):
        now = self.places()
        at, sheets = self.crowd.positions, self.crowd.sheets
        points, radii = shapely.points(at), self.crowd.radii
        for sheet in np.unique(sheets).tolist():
            here = sheets == sheet
            assert shapely.dwithin(self.building.sheets[sheet].polygon, points[here], 1e-6).all()
            assert (self.walls[sheet].distance(points[here]) > radii[here] - 1e-6).all()
        for number, (place, sheet, _) in now.items():
            was, old, _ = self.before.get(number, (place, sheet, 0.0))
            if old != sheet:
                self.check_change(shapely.LineString([was, place]), old, sheet)
        self.check_cabins(now)
        if pairs:
            self.check_pairs(now)
        self.before = now

    def check_change(self, step, old, new):
        """A cabin joins floors only where it stops: else people pass portals."""
        if old in self.cabins and self.cabins.get(new) == self.cabins[old]:
            self.rides += 1
            line = [line for pair, line in self.seams.items() if old in pair]
            assert line[0].distance(step) > 0.0  # nobody was in the door
            return
        assert self.seams[frozenset((old, new))].distance(step) < 1e-9
        self.doors += old in self.cabins or new in self.cabins

    def check_cabins(self, now):
        inside = {}
        for _, sheet, _ in now.values():
            if sheet in self.cabins:
                inside.setdefault(self.cabins[sheet], []).append(sheet)
        for link, sheets in inside.items():
            assert len(set(sheets)) == 1  # a cabin is at one stop
            assert len(sheets) <= self.building.links[link].capacity
            self.most = max(self.most, len(sheets))

    def check_pairs(self, now):
        for (p, one, r), (q, two, s) in itertools.combinations(now.values(), 2):
            if np.hypot(*(p - q)) < 0.97 * (r + s):
                assert one != two
                seam = self.seams.get(frozenset((one, two)))
                assert seam is None or not seam.intersects(shapely.LineString([p, q]))


def service(crowd, lift=0):
    return crowd._simulation.lifts.services[lift]


@pytest.mark.parametrize("seed", range(4))
def test_everybody_gets_where_it_goes(cmap, seed):
    crowd = traffic(cmap, seed=seed)
    judge = Judge(crowd)
    while len(crowd) and crowd.time < 900:
        crowd.step()
        judge.check()
    assert (len(crowd), crowd.stuck) == (0, [])
    assert crowd.exited == 24
    assert judge.rides >= 24
    needed = 2 * (6 + 12 + 18 + 6)
    assert needed <= judge.doors < 1.2 * needed  # some step out to let others out
    assert not crowd._simulation.lifts.passengers
    assert 4 < judge.most <= 8


def test_a_crowded_lift_with_doors_on_two_sides(cmap):
    crowd = traffic(build(4, back=(1,), capacity=4), count=10, seed=3)
    judge = Judge(crowd)
    while len(crowd) and crowd.time < 1500:
        crowd.step()
        judge.check(pairs=crowd.steps % 10 == 0)
    assert len(crowd) == 0
    assert judge.most == 4


def test_people_too_wide_for_the_capacity_ride_in_smaller_loads(cmap):
    crowd = traffic(cmap, count=4, radius=0.35)
    judge = Judge(crowd)
    while len(crowd) and crowd.time < 1500:
        crowd.step()
        judge.check()
    assert len(crowd) == 0
    assert judge.most in (3, 4)


def events_of_one(cmap, step):
    """Times at which one person waits, gets in and out, and the doors shut."""
    crowd = fw.Crowd(cmap, seed=1, step=step)
    crowd.add(1, starts=[(5, 3, "2")], goals=[(5, 1, "0")], speed=1.34, noise=0.0)
    lift, times, heights = service(crowd).control, {}, []
    while not crowd.arrivals:
        crowd.step()
        key = (lift.phase, lift.stop, crowd.floors[0])
        times.setdefault(key, lift.since)
        if lift.phase == MOVING and crowd.floors == ["L"]:
            heights.append((crowd.time - times[(MOVING, 2, "L")], crowd.heights[0]))
        assert crowd.time < 60
    return times, heights, crowd.time


@pytest.mark.parametrize("step", [0.05, 0.1])
def test_times_of_a_ride_are_those_of_the_lift(step):
    speed, doors = 1.5, 2.5
    times, heights, _ = events_of_one(build(speed=speed, door_time=doors), step)
    called = times[MOVING, 0, "2"]
    assert called < 0.5  # it is at the door
    opens = called + 2 * HEIGHT / speed + doors
    assert times[DOORS_OPEN, 2, "2"] == pytest.approx(opens)
    leaves = times[MOVING, 2, "L"]
    assert opens + doors + 1.0 < leaves < opens + doors + 6.0  # it walks in
    assert times[DOORS_OPEN, 0, "L"] == pytest.approx(leaves + 2 * HEIGHT / speed + doors)
    for after, height in heights:
        assert height == pytest.approx(max(0.0, 2 * HEIGHT - speed * after), abs=1e-9) or (
            height == pytest.approx(HEIGHT, abs=speed * step)
        )
    assert len(heights) > 0.9 * 2 * HEIGHT / speed / step


def test_shorter_steps_give_similar_times(cmap):
    ends = [events_of_one(cmap, step)[2] for step in (0.1, 0.05, 0.025)]
    assert max(ends) - min(ends) < 0.06 * min(ends)
    last = []
    for step in (0.1, 0.05):
        crowd = traffic(cmap, step=step)
        while len(crowd) and crowd.time < 900:
            crowd.step()
        last.append(crowd.time)
    assert last[1] == pytest.approx(last[0], rel=0.2)


def test_threads_do_not_change_a_bit(cmap, monkeypatch):
    monkeypatch.setattr(running, "_FEW", 1)
    found = []
    for threads in (1, 3):
        crowd = traffic(cmap, threads=threads)
        crowd.step(700)
        found.append((crowd.positions.tobytes(), crowd.heights.tobytes(), crowd.floors))
    assert found[0] == found[1]
    assert "L" in found[0][2]


def test_a_checkpoint_at_any_moment_continues_with_the_same_bits(cmap, tmp_path):
    crowd = traffic(build(3, capacity=4, stairs=True, wait=0.0), count=8, seed=2)
    cmap = crowd.map
    saved, states = [], set()
    for k in range(24):
        crowd.step(37)
        states.add(service(crowd).control.phase)
        crowd.save(tmp_path / f"{k}.npz")
        saved.append((crowd.ids.tobytes(), crowd.positions.tobytes(), crowd.heights.tobytes()))
    assert len(states) >= 4
    for k in range(23):
        again = fw.Crowd.load(tmp_path / f"{k}.npz", cmap)
        again.step(37)
        now = (again.ids.tobytes(), again.positions.tobytes(), again.heights.tobytes())
        assert now == saved[k + 1]


def test_a_damaged_checkpoint_is_refused(cmap, tmp_path):
    crowd = traffic(cmap)
    crowd.step(200)
    crowd.save(tmp_path / "crowd.npz")
    plane = fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 4, 4)))
    with pytest.raises(fw.FootwayError):
        fw.Crowd.load(tmp_path / "crowd.npz", plane)


def test_crowds_divide_between_lift_and_stairs():
    """As many wait for the lift as it pays for; nobody waits longer than walking would take."""
    cmap = build(6, stairs=True, capacity=6)
    crowd = fw.Crowd(cmap, seed=1)
    crowd.add(60, area="5", radius=0.2, destinations=[([(0, 0), (10, 0), (10, 2), (0, 2)], "0")],
              then="exit")  # fmt: skip
    judge, by = Judge(crowd), {"L": set(), "S0": set()}
    while len(crowd) and crowd.time < 900:
        crowd.step()
        judge.check(pairs=False)
        for number, floor in zip(crowd.ids.tolist(), crowd.floors, strict=True):
            by.get(floor, set()).add(number)
    assert len(crowd) == 0
    assert len(by["L"]) >= 6
    assert len(by["S0"]) >= 20
    assert not by["L"] & by["S0"]
    only = fw.Crowd(cmap, seed=1)
    only.close_link("L")
    only.add(60, area="5", radius=0.2, destinations=[([(0, 0), (10, 0), (10, 2), (0, 2)], "0")],
             then="exit")  # fmt: skip
    while len(only) and only.time < 900:
        only.step()
    assert crowd.time < only.time


def test_who_waits_long_is_explained(cmap):
    crowd = traffic(cmap, count=8)
    crowd.step(700)
    waiting = [one for one in crowd.stuck if one.cause == "lift"]
    assert waiting
    queued = set(itertools.chain(*service(crowd).queues))
    assert {one.id for one in waiting} <= queued
    assert all(one.since <= crowd.time - 30 for one in waiting)
    under_way = dict(zip(crowd.ids.tolist(), crowd.is_walking.tolist(), strict=True))
    assert all(under_way[one.id] for one in waiting)


class TestClosedLifts:
    def test_people_inside_get_out_at_the_next_floor(self):
        cmap = build(stairs=True)
        crowd = fw.Crowd(cmap, seed=1)
        crowd.add(4, area="0", radius=0.2, destinations=[([(0, 8), (3, 8), (3, 10), (0, 10)], "3")],
                  then="stay")  # fmt: skip
        lift, judge = service(crowd), Judge(crowd)
        while not (lift.aboard and lift.control.phase == MOVING):
            crowd.step()
            judge.check()
            assert crowd.time < 60
        crowd.close_link("L")
        out = set()
        while crowd.is_walking.any() and crowd.time < 300:
            before = crowd.floors
            crowd.step()
            judge.check()
            out |= {new for old, new in zip(before, crowd.floors, strict=True) if old == "L"}
        assert out == {"L", "1"}
        assert crowd.floors == ["3"] * 4
        assert not lift.aboard

    def test_nobody_enters_until_it_opens(self, cmap):
        crowd = fw.Crowd(cmap, seed=1)
        crowd.close_link("L", end=30)
        crowd.add(3, area="0", radius=0.2, destinations=["2"], then="stay")
        crowd.step(290)
        assert crowd.floors == ["0"] * 3
        crowd.step(600)
        assert crowd.floors == ["2"] * 3

    def test_who_waits_takes_the_stairs(self):
        cmap = build(stairs=True, capacity=1)
        crowd = fw.Crowd(cmap, seed=1)
        crowd.add(2, area="3", radius=0.2, destinations=[(1, 1, "0")], then="exit")
        while not any(service(crowd).queues):
            crowd.step()
            assert crowd.time < 60
        crowd.close_link("L")
        while len(crowd) and crowd.time < 300:
            crowd.step()
            assert "L" not in crowd.floors
        assert crowd.exited == 2


def test_goals_change_while_people_wait_and_ride(cmap):
    crowd = fw.Crowd(cmap, seed=1)
    ids = crowd.add(3, starts=[(5, 3, "3"), (4, 2, "3"), (6, 2, "3")],
                    goals=[(1, 1, "0"), (2, 1, "0"), (3, 1, "0")], radius=0.2)  # fmt: skip
    lift = service(crowd)
    while len(lift.aboard) < 3 or lift.control.phase != MOVING:
        crowd.step()
        assert crowd.time < 60
    crowd.set_goals(ids[:1], [(1, 9, "2")])
    judge = Judge(crowd)
    for _ in range(700):
        crowd.step()
        judge.check()
    assert crowd.floors == ["2", "0", "0"]
    crowd.remove(ids[1:2])
    crowd.set_goals(ids[2:], [(1, 1, "3")])
    crowd.step(100)
    crowd.set_goals(ids[2:], [(1, 1, "0")])
    crowd.step(300)
    assert crowd.floors == ["2", "0"]
    assert not crowd._simulation.lifts.passengers


def test_recordings_have_the_height_of_the_cabin(cmap, tmp_path):
    crowd = traffic(cmap)
    recording = crowd.run(seconds=60, every=2, to=tmp_path / "run.parquet")
    rides = []
    for k in range(recording.n_frames):
        floors, heights = recording.floors_at(k)
        for floor, height in zip(floors, heights.tolist(), strict=True):
            if floor == "L":
                rides.append(height)
            else:
                assert height % HEIGHT == 0.0
    between = np.array(rides)[np.mod(rides, HEIGHT) > 1e-6]
    assert len(between) > 100


def test_nobody_starts_or_stays_in_a_lift_or_its_door(cmap):
    crowd = fw.Crowd(cmap)
    with pytest.raises(BadQuery, match=r"start 0 at \(5, 5\) is in lift 'L', where nobody starts"):
        crowd.add(1, starts=[(5, 5, "L")])
    with pytest.raises(BadQuery, match=r"goal 0 at \(5, 5\) is in lift 'L'"):
        crowd.add(1, starts=[(1, 1, "0")], goals=[(5, 5, "L")])
    with pytest.raises(BadQuery, match=r"start 0 at \(5, 3.9\) on floor '0'"):
        crowd.add(1, starts=[(5, 3.9, "0")], radius=0.2)


@pytest.mark.slow
def test_a_thousand_leave_the_tower_by_stairs_and_lifts():
    cmap = fw.CorridorMap.build(fw.load("gallery:tower"))
    crowd = fw.Crowd(cmap, seed=1)
    exits = [([(0.5, 0.5), (6, 0.5), (6, 6), (0.5, 6)], "0"),
             ([(30, 0.5), (35.5, 0.5), (35.5, 6), (30, 6)], "0")]  # fmt: skip
    crowd.add(1000, radius=0.2, destinations=[exits], then="exit", congestion=1.0)
    judge, used = Judge(crowd), {}
    while len(crowd) and crowd.time < 900:
        crowd.step()
        judge.check(pairs=False)
        for number, floor in zip(crowd.ids.tolist(), crowd.floors, strict=True):
            used.setdefault(floor[0], set()).add(number)
    assert len(crowd) == 0
    assert crowd.time < 600
    assert judge.most == 11  # the cabin has room for 11 of a radius of 0.25 m; its capacity is 12
    assert len(used["L"]) > 100
    assert len(used["A"]) > 100
    assert len(used["B"]) > 100
