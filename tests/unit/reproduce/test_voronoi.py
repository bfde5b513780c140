"""Details of `footway reproduce voronoi`; the whole of it is a system test."""

import dataclasses

import numpy as np
import pytest
import shapely

from footway.camera import SpeedDiagram, motion
from footway.corridor import Corridor, CorridorMap
from footway.environment import Environment, gallery
from footway.reproduce.timing import Timing
from footway.reproduce.voronoi import (
    cameras,
    construction,
    corridors,
    diagram,
    queries,
    retraction,
    turns,
)
from footway.reproduce.voronoi.judge import (
    Judge,
    chords,
    judge_roadmap,
    path_clearance,
    path_faults,
    speed_faults,
)
from footway.reproduce.voronoi.setup import (
    FULL,
    QUICK,
    RADIUS,
    Scene,
    build,
    courtyard,
    diagram_lines,
    map_of,
)
from footway.roadmap.voronoi.blends import blends


@pytest.fixture(scope="module")
def court():
    """Six blocks with their roadmap: small, with every kind of turn."""
    environment = courtyard()
    roadmap, found = build(environment)
    return Scene("courtyard", environment, roadmap, found, map_of(roadmap), Judge(environment))


@pytest.fixture(scope="module")
def path(court):
    return court.cmap.path((1, 1), (23, 15), radius=RADIUS)


class TestJudge:
    def test_distances_are_those_to_the_walls(self, court):
        shapes = shapely.points([(1.0, 8.0), (4.0, 5.0), (12.0, 0.5)])
        assert court.judge.distances(shapes) == pytest.approx([1.0, -1.0, 0.5])
        assert len(court.judge.distances(shapes[:0])) == 0

    def test_lone_lines_and_points_are_walls(self):
        environment = Environment.from_polygons(
            bounds=(0, 0, 9, 9), lines=[[(3, 3), (3, 6)]], points=[(7, 7)]
        )
        away = Judge(environment).distances(shapely.points([(4, 5), (7, 6)]))
        assert away == pytest.approx([1.0, 1.0])

    def test_chords_follow_an_arc(self):
        centre, first = np.array([[1.0, 2.0]]), np.array([[4.0, 2.0]])
        (line,) = chords(centre, first, np.array([np.pi / 2]))
        points = shapely.get_coordinates(line)
        assert points[-1] == pytest.approx([1.0, 5.0])
        assert np.hypot(*(points - centre).T) == pytest.approx(3.0)
        assert line.distance(shapely.Point(1, 2)) > 3.0 - 2e-5

    def test_a_good_roadmap_has_no_faults(self, court):
        verdict = judge_roadmap("court", court.roadmap, court.blends, court.judge)
        assert verdict.wrong == []
        assert verdict.folds == 0
        assert min(verdict.edges, verdict.blends) >= RADIUS

    def test_corners_and_walls_are_found(self, court):
        found = court.blends
        bent = found._replace(sweep=1.01 * found.sweep)
        wrong = judge_roadmap("court", court.roadmap, bent, court.judge).wrong
        assert any("at an angle" in words for words in wrong)
        lies = found._replace(clearance=found.clearance + 0.1)
        (words,) = judge_roadmap("court", court.roadmap, lies, court.judge).wrong
        assert words == "court: the stored clearance of a blend is wrong"
        wider = court.roadmap.with_changes(parameters={"clearance": 2.0})
        (words,) = judge_roadmap("court", wider, found, court.judge).wrong
        assert words == "court: a blend has less clearance than desired and than its edges"
        moved = court.roadmap.with_changes(nodes=court.roadmap.nodes + 0.5)
        wrong = judge_roadmap("court", moved, blends(court.roadmap), court.judge).wrong
        assert any("an edge is" in words for words in wrong)

    def test_a_good_path_has_no_faults(self, court, path):
        assert list(path_faults(path, court.judge, "here")) == []
        assert path_clearance(path, court.judge) == pytest.approx(path.clearance, abs=2e-5)

    def test_faults_of_paths_are_found(self, court, path):
        pieces = path.pieces.copy()
        pieces[1:, [0, 2, 4]] += 0.3
        torn = dataclasses.replace(path, pieces=pieces)
        assert "apart" in next(path_faults(torn, court.judge, "here"))
        fat = dataclasses.replace(path, radius=path.clearance + 0.01)
        assert "from a wall" in "".join(path_faults(fat, court.judge, "here"))
        x, y = np.array([1.0, 12.0, 12.0]), np.array([1.0, 1.0, 2.0])
        lines = np.zeros((2, 9))
        lines[:, :4] = np.column_stack([x[:-1], y[:-1], x[1:], y[1:]])
        cornered = dataclasses.replace(path, pieces=lines, start=(1, 1), goal=(12, 2))
        assert "corner" in "".join(path_faults(cornered, court.judge, "here"))


class TestSpeed:
    def test_a_good_diagram_has_no_faults(self):
        assert list(speed_faults(SpeedDiagram([0, 4, 5, 9], [1.4, 0.4, 1.4]))) == []

    def test_faults_are_found(self):
        diagram = SpeedDiagram([0, 4, 5, 9], [1.4, 0.4, 1.4])
        diagram.limits = np.array([1.4, 0.3, 1.4])
        assert "are allowed" in "".join(speed_faults(diagram))
        diagram.limits = np.array([1.4, 0.5, 1.4])
        assert "faster" in "".join(speed_faults(diagram))
        diagram.acceleration = diagram.deceleration = 0.4
        words = "".join(speed_faults(diagram))
        assert "speeds up" in words
        assert "slows down" in words

    def test_looking_ahead_has_no_jumps(self, path):
        rates = cameras.rates_of(motion(path))
        along, ahead = rates.jumps
        assert cameras.faults(rates) == []
        assert ahead < 0.1 * along
        assert len(cameras.faults(rates._replace(along=rates.ahead, ahead=rates.along))) == 2


def test_every_obstacle_has_a_cell():
    environment = courtyard()
    obstacles = diagram.obstacles_of(environment)
    lines = diagram_lines(CorridorMap.build(environment), 0.1)
    cells = diagram.cells_of(environment, lines, obstacles)
    assert diagram.faults(cells, len(obstacles), 0.0) == []
    assert shapely.area(cells.shapes).sum() == pytest.approx(environment.area)
    tints = diagram._tints(cells.shapes)
    touching = shapely.distance(cells.shapes[:, None], cells.shapes[None]) < 1e-3
    assert all(tints[a] != tints[b] for a, b in np.argwhere(touching) if a != b)
    fewer = diagram.Cells(cells.shapes[1:], cells.owners[1:])
    assert len(diagram.faults(fewer, len(obstacles), 1.0)) == 2


def test_retraction_adds_clearance(court):
    stages = retraction.make_stages(court.environment)
    before, after = (retraction._clearances(lines, court.judge) for lines in stages[2:4])
    assert (before < retraction.CLEARANCE).sum() >= 4
    assert after.min() >= retraction.CLEARANCE - 1e-6
    assert stages.full.n_cycles >= court.environment.holes
    wrong = retraction.faults({"(a)": before, "(b)": before, "(c)": after, "(d)": after}, 1.0)
    assert len(wrong) == 2


def test_blends_of_the_figure():
    two, three, reduced = (turns.roadmap_of(part)[1] for part in turns.PARTS.values())
    assert len(blends(two).vertex) == 1
    assert len(blends(three).vertex) == 3
    exact, halved = blends(reduced), blends(reduced, method="halved")
    full = turns.largest(reduced)
    assert halved.radius < exact.radius < full.radius
    sizes = turns.compare("here", reduced, exact)
    assert sizes.wrong == ""
    assert sizes.gain > 1.0
    assert (
        "smaller" in turns.compare("here", reduced, exact._replace(radius=exact.radius / 3)).wrong
    )


def test_cycles_are_compared_with_holes(court):
    verdict = judge_roadmap("court", court.roadmap, court.blends, court.judge)
    row = construction.Row(court, Timing(1.0, 0.9, 1.1), verdict, court.environment.holes)
    assert construction.faults(row) == []
    assert construction.faults(row._replace(holes=99)) == ["courtyard: 7 cycles for 99 holes"]
    assert len(construction._cells(row)) == len(construction.COLUMNS)
    assert construction.holes_for(court.environment, 0.25) == 6
    assert construction.holes_for(court.environment, 5.0) == 0


def test_attraction_point_is_the_furthest_circle_that_holds_a_place():
    corridor = Corridor.from_balls([(x, 0.0) for x in range(9)], [2.0] * 9)
    assert corridors.attraction_point(corridor, np.array([2.0, 0.0]), 2) == 4
    assert corridors.attraction_point(corridor, np.array([2.0, 1.9]), 2) == 2
    assert corridors.attraction_point(corridor, np.array([8.0, 0.0]), 8) == 8


def test_a_roadmap_gives_a_wider_corridor():
    field = gallery.make("field")
    pair, judge = corridors.find_path_pair(field), Judge(field)
    assert corridors.faults(pair, judge) == []
    assert pair.around_far.narrowest > corridors.CLEARANCE
    swapped = pair._replace(around_near=pair.around_far, around_far=pair.around_near)
    assert len(corridors.faults(swapped, judge)) == 1


def test_the_large_roadmap_has_the_size_of_the_paper():
    roadmap = queries.large_roadmap()
    assert (roadmap.n_nodes, roadmap.n_edges) == (queries.VERTICES, queries.EDGES)
    assert roadmap.n_components == 1


def test_all_plans_of_the_gallery_are_built():
    plans = set(gallery.names()) - {"house", "quake"}
    assert set(FULL.environments) == plans
    assert set(QUICK.environments) < plans
