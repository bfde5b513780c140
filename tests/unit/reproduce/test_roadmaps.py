"""Details of `footway reproduce roadmaps`; the whole of it is a system test."""

from types import SimpleNamespace

import numpy as np
import pytest

from footway.reproduce.roadmaps import discs, figures, setup, tables
from footway.reproduce.roadmaps.setup import (
    FULL,
    METHODS,
    QUICK,
    SETTINGS,
    build_all,
    corridors_of,
    faults,
    find_path,
    path_faults,
    random_pairs,
    small_environment,
)
from footway.roadmap import Roadmap


@pytest.fixture(scope="module", params=["field", pytest.param("house", marks=pytest.mark.slow)])
def built(request):
    """All roadmaps of a small environment, in two and in three dimensions."""
    setting = SETTINGS[request.param]
    setting = setting._replace(size=setting.size and (1.0, 1.0, 1.0))
    return build_all(setting, small_environment(setting))


def test_every_method_is_built_and_sound(built):
    assert tuple(built.roadmaps) == METHODS
    assert faults(built) == []
    assert list(built.seconds.values())[1:] == sorted(list(built.seconds.values())[1:])


def test_queries_are_answered_on_every_roadmap(built):
    pairs = random_pairs(built.roadmaps["GRM"], 5)
    assert np.array_equal(pairs, random_pairs(built.roadmaps["GRM"], 5))
    for method in METHODS[1:]:
        corridors = corridors_of(built.roadmaps[method])
        assert list(path_faults(corridors, built.setting, pairs, method)) == []


def test_faults_are_found(built):
    star = built.roadmaps["RRM*"]
    torn = star.with_changes(
        edges=star.edges[:0], path_points=star.path_points[:0], path_offsets=np.zeros(1, np.int64)
    )
    wrong = faults(built._replace(roadmaps={**built.roadmaps, "RRM": torn}))
    assert len(wrong) == 1
    assert "RRM: " in wrong[0]
    pairs = [tuple(np.full((2, star.dimension), -5.0))]
    (words,) = path_faults(corridors_of(star), built.setting, pairs, "outside")
    assert words.startswith("outside, query 0")


def test_tables_have_the_published_numbers_beside_ours(built):
    times = {method: tables.QueryTimes(2.0, 0.02) for method in METHODS}
    table = tables._table(built, times, 0.25, tables.as_printed(built))
    assert "25% are answered by a straight line" in table.note
    assert [row[0] for row in table.rows] == list(METHODS)
    assert all(len(row) == len(table.columns) for row in table.rows)
    paper = tables.PUBLISHED[built.setting.name]["RRM*"]
    star = table.rows[2]
    assert (star[1], star[3], star[5]) == (paper.seconds, paper.nodes, paper.edges)
    assert star[7] == f"{paper.factor:.3f}"
    assert star[11] == pytest.approx(1000.0 * paper.queries / 2.0)
    assert table.rows[3][1] is None


def test_retraction_adds_clearance(built):
    assert tables._less(built) == []
    means = tables.mean_clearance(built, 3)
    before, after = tables._clearance_table(built, means).rows
    assert len(before) == len(tables.CLEARANCE_COLUMNS)
    assert float(after[4]) >= float(before[4])
    one = tables.mean_clearance(built, 1)
    assert one.after == tuple(tables.clearance_statistics(built.roadmaps["RRRM"]))
    assert one.after != means.after  # other seeds


def test_discs_cover_more_and_more(built):
    shares = discs._shares(built)
    assert list(shares) == list(discs.NAMES) == list(discs.PUBLISHED)
    assert discs._not_growing("here", shares) == []
    assert discs._not_growing("here", dict.fromkeys(shares, 1.0) | {"edges": 0.5}) != []


def test_environments_are_described(built):
    row = tables._environment_row(built)
    assert row[0] == built.name
    assert 0.0 < row[7] < 100.0


def test_pictures_are_written(built, tmp_path):
    drawn = figures._draw_view(built, tmp_path)
    assert (tmp_path / drawn.file).stat().st_size > 20_000


def test_the_phases_of_adding_cycles(tmp_path):
    setting = SETTINGS["field"]
    built = build_all(setting, small_environment(setting))
    phases = figures._phases(built)
    rrm, edges, nodes, printed, star = phases.values()
    assert rrm.n_cycles <= edges.n_cycles
    assert edges.n_nodes == rrm.n_nodes
    assert nodes.n_edges == rrm.n_edges + 2 * (nodes.n_nodes - rrm.n_nodes)  # algorithm 1
    assert printed.n_nodes <= nodes.n_nodes
    assert star.n_cycles > rrm.n_cycles
    fewest, most = figures._extremes(built).values()
    assert fewest.n_cycles == 0
    assert most.n_cycles >= edges.n_cycles
    pair = random_pairs(built.roadmaps["GRM"], 1)[0]
    paths = {name: find_path(corridors_of(each), setting, pair) for name, each in phases.items()}
    drawn = figures._draw(built, phases, paths, tmp_path)
    assert (tmp_path / drawn.file).exists()


def test_all_four_environments_are_measured():
    assert FULL.environments == tuple(SETTINGS)
    assert set(QUICK.environments) < set(FULL.environments)
    for published in (tables.PUBLISHED_ENVIRONMENTS, tables.PUBLISHED, tables.PUBLISHED_CLEARANCE):
        assert set(published) == {setting.name for setting in SETTINGS.values()}
    assert tuple(tables.DIFFERENCES) == FULL.environments


def test_a_roadmap_in_pieces_gets_no_verdict(built):
    times = {method: tables.QueryTimes(2.0, 0.02) for method in METHODS}
    star = built.roadmaps["RRM*"]
    assert tables._claims(built, times, star)[0].verdict != "not comparable"
    torn = Roadmap.make(star.nodes, star.edges[:1], star.space, method="rrm")
    broken = built._replace(roadmaps={**built.roadmaps, "RRM*": torn})
    (claim,) = tables._claims(broken, times, star)
    assert claim.verdict == "not comparable"
    assert f"{torn.n_components} components" in claim.why


def test_clearance_that_retraction_lost_is_found(monkeypatch):
    monkeypatch.setattr(setup, "verify", lambda _: SimpleNamespace(holds=True))
    clearances = {"RRM": [], "RRM*": [1.0, 2.0, 3.0], "RRRM": [1.0 - 1e-7, 2.0 - 5e-4, 3.5]}
    made = {
        name: SimpleNamespace(
            edge_clearance=np.array(clearance), space=SimpleNamespace(dimension=2, resolution=1.0)
        )
        for name, clearance in clearances.items()
    }
    wrong = faults(SimpleNamespace(name="hut", roadmaps=made))
    assert wrong == ["hut, RRRM: edge 1 has lost 0.0005 m of clearance"]
    made["RRM*"].space.dimension = 3  # where clearance is known to a thousandth of a cell
    assert not faults(SimpleNamespace(name="hut", roadmaps=made))


@pytest.mark.parametrize(("clearance", "is_wrong"), [(0.5 - 1e-7, False), (0.499, True)])
def test_paths_that_come_too_near_are_found(monkeypatch, clearance, is_wrong):
    ends = np.array([(0.0, 0.0), (1.0, 0.0)])
    monkeypatch.setattr(setup, "find_path", lambda *_: SimpleNamespace(points=ends))
    corridors = SimpleNamespace(clearance=lambda points: np.full(len(points), clearance))
    wrong = list(path_faults(corridors, SimpleNamespace(radius=0.5), [tuple(ends)], "here"))
    assert wrong == (["here, query 0: 0.4990 m from a wall"] if is_wrong else [])
