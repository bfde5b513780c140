"""Crowds in buildings: floors, stairs, neighbours through portals and never through a ceiling."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
import shapely

import footway as fw
from footway import plot
from footway._numba.jit import kernel
from footway.crowd import simulation as running
from footway.crowd.kernels.guard import slide_along_wall
from footway.crowd.kernels.pairs import NEARBY, PAIR_ROWS, PAIRS, RANGE
from footway.crowd.kernels.step import pair_up
from footway.errors import BadInput, BadQuery, NoPath
from footway.measure import classic_density
from footway.recording.pedpy import save_pedpy
from footway.recording.recording import InMemory

HOLE = [(6, 3), (7.2, 3), (7.2, 7), (6, 7)]
ENDS = (("0", (6, 3), (7.2, 3)), ("1", (6, 7), (7.2, 7)))
PORTALS = {(0, 2): [(6, 3), (7.2, 3)], (1, 2): [(6, 7), (7.2, 7)]}  # by the sheets that they join
BACK = (("0", (1, 7), (2.2, 7)), ("1", (1, 3), (2.2, 3)))


def build(*links):
    """Two floors above each other, 10 x 8 m, with two stairwells."""
    second = [(1, 3), (2.2, 3), (2.2, 7), (1, 7)]
    obstacles = [HOLE, second] if len(links) == 2 else [HOLE]
    floor = fw.Environment.from_polygons(bounds=(0, 0, 10, 8), obstacles=obstacles)
    return fw.CorridorMap.build(
        fw.Building([fw.Floor("0", floor), fw.Floor("1", floor, 3.0)], links)
    )


@pytest.fixture(scope="module")
def cmap():
    return build(fw.Stairs("A", *ENDS))


@kernel
def _neighbours(row, cell, cells, grid, near, pairs):
    return pair_up(row, cell, np.float32(1.0), np.float32(0.0), cells, grid, near, 0, pairs)


@kernel
def _end_of_step(x, y, to_x, to_y, r, layer, grid):
    return slide_along_wall(x, y, to_x, to_y, r, layer, grid)


def two_ways(cmap, count=24, threads=1, seed=0, step=0.1):
    crowd = fw.Crowd(cmap, seed=seed, threads=threads, step=step)
    crowd.add(count, area=([(5, 0), (8, 0), (8, 2.7), (5, 2.7)], "0"), radius=0.2,
              destinations=[([(8, 4), (10, 4), (10, 8), (8, 8)], "1")], then="stay")  # fmt: skip
    crowd.add(count // 4, area="1", radius=0.2, destinations=[(1, 1, "0")], then="exit")
    return crowd


class Judge:
    """What must hold of a crowd after every step, by Shapely from floors and portals alone."""

    def __init__(self, crowd):
        self.crowd, self.building = crowd, crowd.map.building
        self.walls = [
            shapely.multilinestrings(sheet.walls.segments.reshape(-1, 2, 2))
            for sheet in self.building.sheets
        ]
        self.seams = [(frozenset((s.left, s.right)), shapely.LineString(
            [s.ends[:2], s.ends[2:]])) for s in self.building.seams]  # fmt: skip
        self.before, self.changes = self.places(), 0

    def places(self):
        sheets = self.crowd._simulation.sheets_of(self.crowd._slots)
        return dict(zip(self.crowd.ids.tolist(),
                        zip(self.crowd.positions, sheets, self.crowd.radii, strict=True),
                        strict=True))  # fmt: skip

    def check(self):
        now = self.places()
        for number, (at, sheet, radius) in now.items():
            point = shapely.Point(at)
            assert self.building.sheets[sheet].polygon.distance(point) < 1e-6
            assert self.walls[sheet].distance(point) > radius - 1e-6
            was, old, _ = self.before.get(number, (at, sheet, radius))
            if old != sheet:
                step = shapely.LineString([was, at])
                through = [line for pair, line in self.seams if pair == {old, sheet}]
                assert min(line.distance(step) for line in through) < 1e-9
                self.changes += 1
        for (p, one, r), (q, two, s) in itertools.combinations(now.values(), 2):
            if np.hypot(*(p - q)) < 0.97 * (r + s):
                assert one != two
                between = shapely.LineString([p, q])
                assert not any(
                    pair == {one, two} and line.intersects(between) for pair, line in self.seams
                )
        self.before = now


@pytest.mark.parametrize("seed", range(8))
def test_long_steps_keep_to_the_walls_behind_portals_and_off_others(cmap, seed):
    """Two may meet in a portal who are not in sight of each other: one beside it, one on it."""
    crowd = two_ways(cmap, step=1.0, seed=seed)
    judge = Judge(crowd)
    for _ in range(60):
        crowd.step()
        judge.check()
    assert judge.changes > 20


def test_a_step_through_a_portal_ends_before_the_wall_behind_it(cmap):
    """The wall is further behind the portal than half its width: the stairs do not know it."""
    grid = cmap.solver.index.grid
    x, y, _, nx, ny = _end_of_step(6.6, 6.9, 6.6, 7.7, 0.45, 2, grid)
    assert (x, y) == pytest.approx((6.6, 7.55), abs=1e-3)
    assert (nx, ny) == pytest.approx((0.0, -1.0))


def test_everybody_climbs_and_descends(cmap):
    crowd = two_ways(cmap, count=16)
    judge = Judge(crowd)
    for _ in range(900):
        crowd.step()
        judge.check()
        if crowd.exited == 4 and not crowd.is_walking.any():
            break
    assert judge.changes >= 2 * 16
    assert crowd.exited == 4
    assert crowd.floors.count("1") == len(crowd) == 16
    assert crowd.heights.tolist() == [3.0] * 16


def way_around(a, b, portal):
    """Length of the shortest way around an end of a portal."""
    return min(np.hypot(*(end - a)) + np.hypot(*(b - end)) for end in np.array(portal))


@pytest.mark.parametrize("seed", [0, 1, 5])
def test_who_stays_and_is_pushed_away_comes_back(cmap, seed):
    """The room is so full that people are pushed back onto the stairs again and again."""
    crowd = two_ways(cmap, seed=seed)
    crowd.step(1800)
    assert crowd.arrivals == 24 + 6
    off, longest = dict.fromkeys(range(24), 0), 0
    for _ in range(1100):
        crowd.step()
        for number, floor in zip(crowd.ids.tolist(), crowd.floors, strict=True):
            off[number] = off[number] + 1 if floor != "1" else 0
            longest = max(longest, off[number])
    assert 10 < longest < 600  # before, they stood against the wall of the stairs for ever
    assert crowd.arrivals == 24 + 6


def test_neighbours_are_those_straight_through_portals_or_close_around_their_ends(cmap):
    crowd = fw.Crowd(cmap, seed=1)
    rng = np.random.default_rng(2)
    starts = []
    for floor, low, high in (("0", (5, 1), (8, 2.9)), ("A", (6.2, 3.1), (7, 6.9)),
                             ("1", (5, 7.1), (8, 7.9)), ("0", (5, 7.1), (8, 7.9)),
                             ("1", (5, 1), (8, 2.9))):  # fmt: skip
        starts += [(*at, floor) for at in rng.uniform(low, high, (12, 2)).tolist()]
    crowd.add(len(starts), starts=starts, radius=0.05)
    simulation = crowd._simulation
    cells = simulation.sort_by_cells()
    slots = cells.slots
    at, sheets = simulation.characters.position[slots], simulation.sheets_of(slots)
    close = float(simulation.avoidance.close)
    near, pairs = np.empty(NEARBY + 1, np.int64), np.empty((PAIR_ROWS, PAIRS), np.float32)
    across = 0
    for row in range(len(slots)):
        cell = int(np.searchsorted(cells.offsets, row, side="right")) - 1
        count = _neighbours(row, cell, cells, simulation.index.grid, near, pairs)
        expected = set()
        for other in range(len(slots)):
            both = tuple(sorted((int(sheets[row]), int(sheets[other]))))
            line = shapely.LineString([at[row], at[other]])
            sees = both[0] == both[1] or (
                both in PORTALS
                and (
                    line.intersects(shapely.LineString(PORTALS[both]))
                    or way_around(at[row], at[other], PORTALS[both]) < 0.1 + close
                )
            )
            if other != row and sees and line.length <= RANGE + 0.1:
                expected.add(other)
        assert set(near[:count].tolist()) == expected
        across += sum(sheets[other] != sheets[row] for other in expected)
    assert across > 50


def test_who_is_above_has_no_effect(cmap):
    """Two who walk on the same line in plan, on two floors."""
    alone = fw.Crowd(cmap, seed=1)
    alone.add(1, starts=[(8, 1, "0")], goals=[(8, 7, "0")])
    both = fw.Crowd(cmap, seed=1)
    both.add(1, starts=[(8, 1, "0")], goals=[(8, 7, "0")])
    both.add(1, starts=[(8, 7, "1")], goals=[(8, 1, "1")])
    for _ in range(60):
        alone.step()
        both.step()
        assert (alone.positions[0] == both.positions[0]).all()


@pytest.mark.parametrize(("up", "speed"), [(True, 0.610), (False, 0.694)])
def test_speed_on_stairs_is_that_of_weidmann(cmap, up, speed):
    below, above = (6.6, 1, "0"), (6.6, 7.6, "1")
    crowd = fw.Crowd(cmap, seed=1)
    crowd.add(1, starts=[below if up else above], goals=[above if up else below], speed=1.34,
              noise=0.0)  # fmt: skip
    paces = []
    for _ in range(200):
        crowd.step()
        if crowd.floors == ["A"] and 4.2 < crowd.positions[0, 1] < 5.8:
            paces.append(np.hypot(*crowd.velocities[0]))
    assert np.median(paces) == pytest.approx(speed, rel=0.01)


def test_a_goal_above_is_not_reached_below(cmap):
    crowd = fw.Crowd(cmap, seed=1)
    crowd.add(1, starts=[(9, 1.5, "0")], goals=[(9, 1, "1")])
    crowd.step(40)
    assert crowd.arrivals == 0
    crowd.step(200)
    assert (crowd.arrivals, crowd.floors) == (1, ["1"])


def test_the_attraction_point_waits_for_who_is_pushed_past_the_stairs(cmap):
    """Beside the stairwell the balls on the stairs come nearer, behind a wall."""
    crowd = fw.Crowd(cmap, seed=1)
    crowd.add(1, starts=[(6.6, 2.8, "0")], goals=[(6.6, 7.5, "1")])
    crowd.step(1)
    simulation, slots = crowd._simulation, crowd._slots
    for _ in range(20):
        simulation.characters.move_to(slots, np.array([[7.5, 4.8]]))
        crowd.step()
        assert crowd.floors == ["0"]
        sample = simulation.characters.sample[slots[0]]
        is_on_floor = simulation.tracks.sheets[sample] == 1  # a new path, around the stairwell
        ball = simulation.tracks.balls[sample]
        assert is_on_floor or ball[1] < 4.0
    assert is_on_floor


@pytest.mark.parametrize("direction", ["up", "down"])
def test_escalators_carry_one_way(direction):
    """Each goes by the stairs in the direction in which the escalator does not run."""
    cmap = build(fw.Escalator("E", *ENDS, direction=direction), fw.Stairs("S", *BACK))
    crowd = fw.Crowd(cmap, seed=1)
    crowd.add(1, starts=[(6.6, 1.5, "0")], goals=[(6.6, 7.5, "1")])
    crowd.add(1, starts=[(6.6, 7.5, "1")], goals=[(6.6, 1.5, "0")])
    used = [set(), set()]
    for _ in range(400):
        crowd.step()
        for names, floor in zip(used, crowd.floors, strict=True):
            names.add(floor)
    first, second = ("E", "S") if direction == "up" else ("S", "E")
    assert used == [{"0", "1", first}, {"0", "1", second}]
    assert crowd.floors == ["1", "0"]


class TestWanderers:
    def test_they_climb_stairs_and_come_back(self, cmap):
        crowd = fw.Crowd(cmap, seed=1)
        crowd.add(16, behaviour="wander", radius=0.2)
        judge = Judge(crowd)
        up = down = 0
        for _ in range(1500):
            before = crowd.floors
            crowd.step()
            judge.check()
            steps = list(zip(before, crowd.floors, strict=True))
            up, down = up + steps.count(("A", "1")), down + steps.count(("A", "0"))
        assert min(up, down) > 10
        assert (crowd.stuck, len(crowd), crowd.is_walking.all()) == ([], 16, True)

    @pytest.mark.parametrize("directions", [("up", "down"), ("down", "up")])
    def test_they_never_walk_against_an_escalator(self, directions):
        cmap = build(
            fw.Escalator("E", *ENDS, direction=directions[0]),
            fw.Escalator("S", *BACK, direction=directions[1]),
        )
        crowd = fw.Crowd(cmap, seed=1)
        crowd.add(12, behaviour="wander", radius=0.2)
        ways = set()
        for _ in range(1500):
            before = crowd.floors
            crowd.step()
            ways |= {step for step in zip(before, crowd.floors, strict=True) if len(set(step)) == 2}
        up, down = ("E", "S") if directions[0] == "up" else ("S", "E")
        assert ways == {("0", up), (up, "1"), ("1", down), (down, "0")}

    def test_they_stay_out_of_lifts(self):
        crowd = fw.Crowd(fw.CorridorMap.build(fw.load("gallery:tower")), seed=1)
        crowd.add(40, behaviour="wander")
        seen = set()
        for _ in range(80):
            crowd.step(10)
            seen |= set(crowd.floors)
        assert not seen & {"L1", "L2"}
        assert len(seen) > 20

    def test_a_checkpoint_continues_with_the_same_bits(self, cmap, tmp_path):
        crowd = fw.Crowd(cmap, seed=1)
        crowd.add(8, behaviour="wander", radius=0.2)
        crowd.step(200)
        crowd.save(tmp_path / "crowd.npz")
        again = fw.Crowd.load(tmp_path / "crowd.npz", cmap)
        for one in (crowd, again):
            one.step(200)
        assert (again.positions == crowd.positions).all()
        assert again.floors == crowd.floors


class TestClosedLinks:
    @pytest.fixture(scope="module")
    @staticmethod
    def two_stairs():
        return build(fw.Stairs("A", *ENDS), fw.Stairs("S", *BACK))

    def run(self, crowd, seconds):
        """Links that were used, and the time at which each was entered last."""
        entered, before = {}, crowd.floors
        for _ in range(10 * seconds):
            crowd.step()
            for old, new in zip(before, crowd.floors, strict=True):
                if old != new and not new.isdigit():
                    entered[new] = crowd.time
            before = crowd.floors
        return entered

    def test_others_are_used_from_then_on(self, two_stairs):
        crowd = fw.Crowd(two_stairs, seed=1)
        crowd.add(20, area="0", radius=0.2, destinations=[([(7.5, 1), (10, 1), (10, 7), (7.5, 7)],
                  "1")], then="stay")  # fmt: skip
        crowd.close_link("A", start=8)
        entered = self.run(crowd, 80)
        assert entered["A"] < 8.1 < entered["S"]
        assert crowd.floors == ["1"] * 20

    def test_others_are_used_if_it_is_closed_from_the_start(self, two_stairs, tmp_path):
        """Also by those who ask for a path later, and after a checkpoint."""
        crowd = fw.Crowd(two_stairs, seed=1)
        crowd.close_link("A")
        goal = ([(7.5, 1), (10, 1), (10, 7), (7.5, 7)], "1")
        crowd.add(8, area="0", radius=0.2, destinations=[goal], then="stay")
        crowd.step()
        crowd.save(tmp_path / "crowd.npz")
        again = fw.Crowd.load(tmp_path / "crowd.npz", two_stairs)
        for one in (crowd, again):
            one.add(8, area="0", radius=0.2, destinations=[goal], then="stay")
            assert set(self.run(one, 80)) == {"S"}
            assert one.floors == ["1"] * 16
        assert (again.positions == crowd.positions).all()

    def test_without_another_path_they_wait_until_it_opens(self, cmap):
        crowd = fw.Crowd(cmap, seed=1)
        crowd.close_link("A", end=30)
        crowd.add(4, area="0", radius=0.2, destinations=["1"], then="stay")
        assert self.run(crowd, 29) == {}
        assert set(self.run(crowd, 40)) == {"A"}
        assert crowd.floors == ["1"] * 4

    def test_a_checkpoint_has_them(self, two_stairs, tmp_path):
        crowd = fw.Crowd(two_stairs, seed=1)
        crowd.add(20, area="0", radius=0.2, destinations=["1"], then="stay")
        crowd.close_link("A", start=5, end=20)
        crowd.step(80)
        crowd.save(tmp_path / "crowd.npz")
        again = fw.Crowd.load(tmp_path / "crowd.npz", two_stairs)
        for one in (crowd, again):
            one.step(200)
        assert (again.positions == crowd.positions).all()

    def test_unknown_links_are_refused(self, cmap):
        with pytest.raises(BadQuery, match="there is no link 'B'"):
            fw.Crowd(cmap).close_link("B")
        with pytest.raises(BadQuery, match="before it closes"):
            fw.Crowd(cmap).close_link("A", start=5, end=3)
        with pytest.raises(BadQuery, match="link 'A' is not closed at 0 s"):
            fw.Crowd(cmap).open_link("A")

    def test_a_link_is_opened_before_its_closure_ends(self, cmap):
        crowd = fw.Crowd(cmap, seed=1)
        crowd.close_link("A")
        crowd.close_link("A", start=500)
        crowd.add(4, area="0", radius=0.2, destinations=["1"], then="stay")
        assert (self.run(crowd, 29), crowd.closed_links) == ({}, ["A"])
        crowd.open_link("A")
        assert crowd.closed_links == []
        assert set(self.run(crowd, 40)) == {"A"}
        assert crowd.floors == ["1"] * 4
        assert [one.start for one in crowd._simulation.floors.closures] == [0.0, 500.0]


def test_threads_do_not_change_a_bit(cmap, monkeypatch):
    monkeypatch.setattr(running, "_FEW", 1)
    found = []
    for threads in (1, 2, 3):
        crowd = two_ways(cmap, threads=threads)
        crowd.step(100)
        found.append((crowd.positions.tobytes(), crowd.floors))
    assert found[0] == found[1] == found[2]
    assert {"0", "A", "1"} == set(found[0][1])


def test_who_changes_its_mind_on_an_escalator_is_carried_to_its_end():
    cmap = build(fw.Escalator("E", *ENDS), fw.Stairs("S", *BACK))
    crowd = fw.Crowd(cmap, seed=1)
    ids = crowd.add(1, starts=[(6.6, 1.5, "0")], goals=[(6.6, 7.5, "1")])
    while crowd.floors != ["E"]:
        crowd.step()
    crowd.step(15)
    crowd.set_goals(ids, [(6.6, 1.5, "0")])
    heights, floors = [crowd.heights[0]], []
    for _ in range(300):
        crowd.step()
        floors += crowd.floors
        if crowd.floors == ["E"]:
            heights.append(crowd.heights[0])
    assert (np.diff(heights) >= 0.0).all()
    assert heights[-1] > 2.9
    assert set(floors) == {"E", "1", "S", "0"}
    assert crowd.floors == ["0"]


def test_nobody_enters_an_escalator_at_its_end():
    cmap = build(fw.Escalator("E", *ENDS), fw.Stairs("S", *BACK))
    crowd = fw.Crowd(cmap, seed=1)
    crowd.add(1, starts=[(6.6, 7.4, "1")], goals=[(6.6, 7.5, "1")])
    crowd.each_step(lambda crowd: np.array([[0.0, -20.0]]))
    for _ in range(50):
        crowd.step()
        assert crowd.floors == ["1"]
    assert crowd.positions[0, 1] == pytest.approx(7.0, abs=0.15)


def test_a_checkpoint_continues_with_the_same_bits(cmap, tmp_path):
    crowd = two_ways(cmap)
    crowd.step(80)
    crowd.save(tmp_path / "crowd.npz")
    again = fw.Crowd.load(tmp_path / "crowd.npz", cmap)
    assert again.floors == crowd.floors
    for one in (crowd, again):
        one.step(80)
    assert (again.positions == crowd.positions).all()
    assert again.floors == crowd.floors


def test_the_destination_that_is_reached_soonest_is_chosen(cmap):
    """In plan the other one is nearer."""
    crowd = fw.Crowd(cmap, seed=1)
    crowd.add(1, starts=[(9, 1, "0")], destinations=[[(8.5, 1, "1"), (4, 1, "0")]], then="stay")
    crowd.step(80)
    assert crowd.floors == ["0"]
    assert np.hypot(*(crowd.positions[0] - (4, 1))) < 0.5


def test_goals_can_be_changed_to_another_floor(cmap):
    crowd = fw.Crowd(cmap, seed=1)
    ids = crowd.add(1, starts=[(6.6, 2, "0")], goals=[(9, 1, "0")])
    crowd.set_goals(ids, [(6.6, 7.5, "1")])
    crowd.step(150)
    assert crowd.floors == ["1"]


def test_random_starts_and_goals_are_on_all_floors(cmap):
    crowd = fw.Crowd(cmap, seed=1)
    crowd.add(40, radius=0.2)
    assert set(crowd.floors) == {"0", "1"}
    goals = crowd._simulation.characters.goal_sheet[crowd._slots]
    assert set(goals.tolist()) == {1, 2}


def test_sources_spawn_on_a_floor(cmap, tmp_path):
    crowd = fw.Crowd(cmap, seed=1)
    crowd.add(5, area="0", radius=0.2, goals=[(1 + k, 1, "0") for k in range(5)])
    corner = [(0, 0), (3, 0), (3, 3), (0, 3)]
    crowd.add_source(20, area=(corner, "1"), rate=1.0, radius=0.2, destinations=[(9, 7, "0")],
                     then="exit")  # fmt: skip
    judge, seen = Judge(crowd), set()
    for step in range(600):
        before = set(crowd.ids.tolist())
        crowd.step()
        judge.check()
        new = set(crowd.ids.tolist()) - before
        seen |= new
        floors = dict(zip(crowd.ids.tolist(), crowd.floors, strict=True))
        assert {floors[number] for number in new} <= {"1"}
        if step == 100:
            crowd.save(tmp_path / "crowd.npz")
    assert len(seen) == crowd.exited == 20
    again = fw.Crowd.load(tmp_path / "crowd.npz", cmap)
    again.step(499)
    assert (again.positions == crowd.positions).all()


def test_areas_by_name_are_on_their_floor():
    desks, walls = shapely.box(1, 1, 4, 3), shapely.box(0, 0, 10, 8)
    ground = fw.Environment.from_polygons(walls, areas=[("desks", desks), ("both", desks)])
    upper = fw.Environment.from_polygons(walls, areas=[("both", desks)])
    floors = [fw.Floor("0", ground), fw.Floor("1", upper, 3.0)]
    crowd = fw.Crowd(fw.CorridorMap.build(fw.Building(floors, [])))
    crowd.add(3, area="desks", destinations=["0"])
    assert crowd.floors == ["0"] * 3
    assert shapely.intersects_xy(desks, *crowd.positions[:, :2].T).all()
    with pytest.raises(BadQuery, match="no floor or area 'desk'; did you mean 'desks'"):
        crowd.add(1, area="desk")
    with pytest.raises(BadQuery, match=r"'both' is on several floors \(0, 1\): give"):
        crowd.add(1, area="both")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c: c.add(1, starts=[(1, 1)]), "must be \\(x, y, floor\\)"),
        (lambda c: c.add(1, starts=[(6.6, 5, "0")]), "on floor '0' is in an obstacle"),
        (lambda c: c.add(1, goals=[(1, 1, "7")]), "there is no floor '7'"),
        (lambda c: c.add(1, area=[(0, 0), (1, 0), (1, 1)]), "an area in a building is"),
        (lambda c: c.add(500, area="0"), "characters of radius .* found free space"),
        (lambda c: c.add_obstacle((1, 1), 0.5), "obstacle's place must be \\(x, y, floor\\)"),
    ],
)  # fmt: skip
def test_what_a_building_has_not_is_refused(cmap, call, message):
    with pytest.raises(BadQuery, match=message):
        call(fw.Crowd(cmap))


def test_a_goal_that_cannot_be_reached_is_refused():
    cmap = build()
    with pytest.raises(NoPath, match=r"character 0 .* cannot reach its goal on floor '1'"):
        fw.Crowd(cmap).add(1, starts=[(1, 1, "0")], goals=[(1, 1, "1")])


def test_floors_are_of_buildings_only(cmap):
    plane = fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 4, 4)))
    with pytest.raises(BadQuery, match="this map is a plane"):
        _ = fw.Crowd(plane).floors


def test_a_character_says_where_it_goes(cmap):
    crowd = two_ways(cmap)
    crowd.step(60)
    layers = cmap.building.layers
    names = [layers[k].link for k in crowd.sheets.tolist()]
    assert [name == "A" for name in crowd.floors] == [link == 0 for link in names]
    for number in crowd.ids[crowd.is_walking][:10].tolist():
        seen = crowd.character(number)
        assert (seen.floor, seen.goal_floor) == (crowd.floors[number], "1" if number < 24 else "0")
        heights = cmap.building.heights(seen.sheets, seen.corridor[:, :2])
        assert np.abs(np.diff(heights)).max(initial=0.0) < 0.5  # never from floor to floor
        assert layers[seen.sheets[-1]].name == f"floor {seen.goal_floor!r}"


@pytest.fixture(scope="module")
def run(cmap, tmp_path_factory):
    file = tmp_path_factory.mktemp("run") / "run.parquet"
    crowd = two_ways(cmap)
    return crowd.run(seconds=20, every=5, to=file), crowd, file


class TestRecording:
    def test_has_floors_and_heights(self, run):
        recording, crowd, _ = run
        floors, heights = recording.floors_at(-1)
        assert floors == crowd.floors
        assert heights.tolist() == pytest.approx(crowd.heights.tolist(), abs=1e-5)
        assert recording.floor_names == ("0", "1", "A")
        assert set(recording.floors.tolist()) == {0, 1, 2}

    def test_is_the_same_in_memory_and_after_loading(self, run, cmap, tmp_path):
        recording, _, file = run
        memory = two_ways(cmap).run(seconds=20, every=5)
        memory.save(tmp_path / "again.parquet")
        for other in (
            fw.Recording.load(file),
            memory,
            fw.Recording.load(tmp_path / "again.parquet"),
        ):
            assert other.replay_hash() == recording.replay_hash()
            assert (other.heights == recording.heights).all()
        assert fw.Recording.load(file).building.area == cmap.building.area
        assert recording.environment is None

    def test_the_hash_covers_floors(self, run):
        recording, _, _ = run
        rows = recording._rows
        other = replace(recording, source=InMemory(rows._replace(floors=rows.floors * 0)))
        assert other.replay_hash() != recording.replay_hash()

    def test_a_run_continues_in_its_file(self, cmap, tmp_path):
        whole = two_ways(cmap).run(seconds=6)
        crowd = two_ways(cmap)
        crowd.run(seconds=3, to=tmp_path / "run.parquet")
        crowd.save(tmp_path / "crowd.npz")
        again = fw.Crowd.load(tmp_path / "crowd.npz", cmap)
        found = again.run(seconds=3, to=tmp_path / "run.parquet")
        assert found.replay_hash() == whole.replay_hash()

    def test_one_floor_is_a_recording_in_the_plane(self, run):
        recording, crowd, _ = run
        upper = recording.on_floor("1")
        frame, where = upper.frame(-1), np.array(crowd.floors)
        assert frame.ids.tolist() == crowd.ids[where == "1"].tolist()
        assert (frame.positions == crowd.positions[where == "1"]).all()
        assert upper.n_frames == recording.n_frames
        assert upper.environment.area == crowd.map.building.floors[1].environment.area
        assert upper.floor_names == ()
        assert sum(int(recording.on_floor(name).offsets[-1]) for name in ("0", "A", "1")) == int(
            recording.offsets[-1]
        )
        with pytest.raises(BadQuery, match="there is no floor '7' in the recording; it has '0'"):
            recording.on_floor("7")

    def test_exports_are_per_floor(self, run, cmap, tmp_path):
        recording, _, _ = run
        for use in (
            lambda: save_pedpy(recording, tmp_path / "all.txt"),
            lambda: fw.camera.follow(recording, 0),
            lambda: plot.draw_moment(cmap, recording),
            lambda: plot.animate(cmap, recording, tmp_path / "all.gif"),
            lambda: plot.draw_density(recording.on_floor("0").environment, recording),
            lambda: classic_density(recording, [(0, 0), (1, 0), (1, 1)]),
        ):
            with pytest.raises(BadInput, match="the recording is of a building"):
                use()
        ground = recording.on_floor("0")
        for use in (
            lambda: plot.draw_moment(cmap, ground),
            lambda: plot.draw_density(cmap, ground),
            lambda: plot.draw_crowd(cmap, [(1, 1)]),
            lambda: plot.animate(cmap, ground, tmp_path / "all.gif"),
        ):
            with pytest.raises(BadInput, match=r"take it with one = recording.on_floor\('1'\)"):
                use()
        plot.draw_moment(ground.environment, ground)
        save_pedpy(ground, tmp_path / "ground.txt")
        assert (tmp_path / "ground.txt").read_text().count("\n") > 100


@pytest.mark.slow
def test_ten_thousand_leave_the_tower_or_queue():
    """600 s. Nobody leaves the floors, touches a wall, or changes floors but through a portal."""
    cmap = fw.CorridorMap.build(fw.load("gallery:tower"))
    building = cmap.building
    crowd = fw.Crowd(cmap, seed=1)
    crowd.close_link("L1")
    crowd.close_link("L2")
    exits = [([(0.5, 0.5), (6, 0.5), (6, 6), (0.5, 6)], "0"),
             ([(30, 0.5), (35.5, 0.5), (35.5, 6), (30, 6)], "0")]  # fmt: skip
    crowd.add(10_000, radius=0.2, destinations=[exits], then="exit", congestion=1.0)
    walls = [shapely.multilinestrings(sheet.walls.segments.reshape(-1, 2, 2))
             for sheet in building.sheets]  # fmt: skip
    seams = {}
    for seam in building.seams:
        line = shapely.LineString([seam.ends[:2], seam.ends[2:]])
        for pair in ((seam.left, seam.right), (seam.right, seam.left)):
            seams.setdefault(pair, []).append(line)
    before, on = np.zeros((10_000, 2)), np.full(10_000, -1)
    changes = 0
    for step in range(6000):
        ids, at = crowd.ids, crowd.positions
        sheets = crowd._simulation.sheets_of(crowd._slots)
        for k in np.flatnonzero((on[ids] >= 0) & (on[ids] != sheets)).tolist():
            walked = shapely.LineString([before[ids[k]], at[k]])
            through = seams[int(on[ids[k]]), int(sheets[k])]
            assert min(line.distance(walked) for line in through) < 1e-9
            changes += 1
        before[ids], on[ids] = at, sheets
        if step % 10 == 0:
            points, radii = shapely.points(at), crowd.radii
            for sheet in np.unique(sheets).tolist():
                there = sheets == sheet
                polygon = building.sheets[sheet].polygon
                shapely.prepare(polygon)
                assert shapely.dwithin(polygon, points[there], 1e-6).all()
                assert (walls[sheet].distance(points[there]) > radii[there] - 1e-6).all()
        crowd.step()
    assert crowd.exited + len(crowd) == 10_000
    assert crowd.exited > 1500
    assert changes > 20_000
    assert crowd.is_walking.all()
    assert {stuck.cause for stuck in crowd.stuck} <= {"crowd"}
