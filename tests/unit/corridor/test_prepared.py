"""Tables of turns: the same paths as by a search, from memory, files and threads."""

from __future__ import annotations

import time

import numpy as np
import pytest

import footway as fw
from footway import archive as files
from footway.corridor import turn_table
from footway.corridor.archive import PREPARED
from footway.corridor.kernels.layouts import FOUND
from footway.corridor.kernels.query import THIN
from footway.corridor.kernels.search import ALL_NODES
from footway.corridor.search import Solver
from tests.corpus import frozen
from tests.oracle.shortest import ShortestOracle

SCENES = [("obstacles", 13), ("touching", 9), ("mazes", 11), ("solid", 11), ("acute", 19)]


def prepared(cmap: fw.CorridorMap, radius: float) -> Solver:
    solver = Solver(cmap.solver.index)
    solver.prepare(radius, wait=True)
    return solver


def count_searches(
    plain: Solver, other: Solver, points: np.ndarray, radius: float
) -> tuple[int, int]:
    """Compare all paths bit by bit; return how many were searched without a table, and with it."""
    searches = [0, 0]
    for a, b in zip(points, np.roll(points, 1, axis=0), strict=True):
        before = [int(solver.workspace.count[ALL_NODES]) for solver in (plain, other)]
        one, two = plain.solve(a, b, radius), other.solve(a, b, radius)
        assert (one.status, one.length, one.clearance) == (two.status, two.length, two.clearance)
        assert one.pieces.tobytes() == two.pieces.tobytes()
        for k, solver in enumerate((plain, other)):
            searches[k] += int(solver.workspace.count[ALL_NODES]) > before[k]
    return searches[0], searches[1]


@pytest.fixture(scope="module")
def office() -> fw.CorridorMap:
    return fw.CorridorMap.build(fw.load("gallery:office"))


@pytest.mark.parametrize("radius", [0.0, 0.25])
def test_paths_in_the_office_are_the_same_and_hardly_any_is_searched(office, radius):
    points = office.random_points(300, radius=radius, seed=8)
    plain, other = Solver(office.solver.index), prepared(office, radius)
    without, having = count_searches(plain, other, points, radius)
    assert without > 200
    assert having < 0.05 * without


@pytest.mark.parametrize("radius", [0.0, 0.2, 0.5])
@pytest.mark.parametrize(("kind", "number"), SCENES)
def test_paths_in_random_scenes_are_the_same(kind, number, radius):
    cmap = frozen(kind)[number].corridor_map()
    try:
        points = cmap.random_points(60, radius=radius, seed=8)
    except fw.BadQuery:
        pytest.skip("the disc fits nowhere")
    count_searches(Solver(cmap.solver.index), prepared(cmap, radius), points, radius)


def test_paths_of_the_same_length_are_the_same():
    """Squares in rows: most queries between crossings have several shortest paths."""
    squares = [
        [(x, y), (x + 2, y), (x + 2, y + 2), (x, y + 2)] for x in (2, 6, 10) for y in (2, 6, 10)
    ]
    cmap = fw.CorridorMap.build(
        fw.Environment.from_polygons(bounds=(0, 0, 14, 14), obstacles=squares)
    )
    crossings = np.array([(x, y) for x in (1, 5, 9, 13) for y in (1, 5, 9, 13)], float)
    points = np.array([crossings[k * k % 16] for k in range(120)])
    count_searches(Solver(cmap.solver.index), prepared(cmap, 0.25), points, 0.25)


@pytest.mark.parametrize("radius", [0.25, 0.499999, 0.5])
def test_a_door_of_exactly_the_size_is_passed(radius):
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 12, 8), lines=[[(4, 0), (4, 3)], [(4, 4), (4, 8)], [(8, 0), (8, 5)]]
    )
    cmap = fw.CorridorMap.build(env)
    cmap.prepare(radius=radius)
    path = cmap.path((1, 1), (11, 2), radius=radius)
    plain = fw.CorridorMap.build(env).path((1, 1), (11, 2), radius=radius)
    assert path.pieces.tobytes() == plain.pieces.tobytes()
    assert path.crossed == ()
    assert path.corridor.narrowest >= radius


def test_posts_are_passed_on_either_side():
    """Around a post a path may have any direction."""
    cmap = fw.CorridorMap.build(
        fw.Environment.from_polygons(
            bounds=(0, 0, 10, 10), points=[(x + 0.1 * y, y) for x in (2, 4, 6) for y in (3, 5, 8)]
        )
    )
    points = cmap.random_points(80, radius=0.3, seed=2)
    count_searches(Solver(cmap.solver.index), prepared(cmap, 0.3), points, 0.3)


def test_distances_between_turns_are_those_of_the_oracle():
    """Over the labels of two turns, from places a little before and behind them."""
    scene = frozen("obstacles")[13]
    cmap = scene.corridor_map()
    solver, oracle = prepared(cmap, 0.2), scene.oracle(ShortestOracle, 0.2)
    points = cmap.random_points(40, radius=0.2, seed=5)
    for a, b in zip(points, np.roll(points, 1, axis=0), strict=True):
        found = solver.solve(a, b, 0.2)
        if found.status == FOUND:
            assert found.length == pytest.approx(oracle.length(tuple(a), tuple(b)), rel=1e-9)


def test_a_saved_table_is_the_same(office, tmp_path):
    cmap = fw.CorridorMap(office.solver.index, name="office")
    cmap.prepare(radius=0.25)
    cmap.prepare(radius=0.0)
    cmap.save(tmp_path / "map.fwmap")
    again = fw.CorridorMap.load(tmp_path / "map.fwmap")
    assert again.prepared == cmap.prepared
    assert set(again.prepared) == {0.0, 0.25}
    for disc in (0.25, THIN):
        for one, two in zip(cmap.solver.tables[disc], again.solver.tables[disc], strict=True):
            assert one.dtype == two.dtype
            assert one.tobytes() == two.tobytes()


def test_a_file_with_labels_that_lead_nowhere_is_refused(office, tmp_path):
    cmap = fw.CorridorMap(office.solver.index)
    cmap.prepare(radius=0.25)
    table = cmap.solver.tables[0.25]
    for change in (
        {"nexts": np.roll(table.nexts, 1)},
        {"distances": table.distances + 0.01},
        {"hubs": table.hubs[::-1].copy()},
        {"radius": np.array([0.3])},
    ):
        bad = {name: np.ascontiguousarray(value) for name, value in change.items()}
        arrays = office.solver.index.axis._asdict() | turn_table.joined([table._replace(**bad)])
        files.write(tmp_path / "bad.fwmap", PREPARED, {"name": ""}, arrays)
        with pytest.raises(fw.BadFile, match="do not fit together"):
            fw.CorridorMap.load(tmp_path / "bad.fwmap")


def test_a_thread_makes_the_table(cmap):
    cmap = fw.CorridorMap(cmap.solver.index)  # the map itself is shared with other tests
    before = cmap.path((2.0, 5.0), (15.0, 5.0), radius=0.25)
    cmap.prepare(radius=0.25, wait=False)
    until = time.monotonic() + 60.0
    while 0.25 not in cmap.prepared and time.monotonic() < until:
        time.sleep(0.01)
    after = cmap.path((2.0, 5.0), (15.0, 5.0), radius=0.25)
    assert after.pieces.tobytes() == before.pieces.tobytes()
    (many,) = cmap.paths([(2.0, 5.0)], [(15.0, 5.0)], radius=0.25)
    assert many.pieces.tobytes() == before.pieces.tobytes()


def test_a_table_that_would_be_too_large_is_refused(office, monkeypatch):
    monkeypatch.setattr(turn_table, "MOST_LABELS", 1000)
    with pytest.raises(fw.BadQuery, match="more than"):
        fw.CorridorMap(office.solver.index).prepare(radius=0.25)
    roads = fw.CorridorMap.from_roadmap(
        fw.roadmap.rrm(fw.load("gallery:field"), resolution=0.5, radius=0.5)
    )
    with pytest.raises(fw.BadQuery, match="roadmap"):
        roads.prepare(radius=0.25)


def test_a_map_without_corners_needs_no_table():
    cmap = fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 4, 3)))
    cmap.prepare(radius=0.5)
    assert cmap.path((1, 1), (3, 2), radius=0.5).length == pytest.approx(np.sqrt(5))


def test_paths_of_points_in_line_with_two_corners_are_the_same():
    """A thin disc that passes both corners misses the nearer one by less than a line may."""
    obstacle = [(10, 0), (12, 0), (12, 12), (10, 10)]
    cmap = fw.CorridorMap.build(
        fw.Environment.from_polygons(bounds=(0, 0, 60, 60), obstacles=[obstacle])
    )
    points = np.array([(c, c) if k % 2 else (5, 2 + k / 8) for k in range(32) for c in [14 + k]])
    count_searches(Solver(cmap.solver.index), prepared(cmap, 0.0), points, 0.0)
