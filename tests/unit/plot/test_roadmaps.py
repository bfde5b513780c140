"""Pictures of roadmaps, in two and three dimensions."""

import numpy as np
import pytest
import shapely
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgba

import footway as fw
from footway import plot
from footway.plot import palette
from footway.plot.levels import levels_of, project
from footway.plot.roadmaps import MANY, pieces_of
from footway.plot.shapes import blended_pieces, free_space_of
from footway.roadmap import Editor, Roadmap
from footway.roadmap.lattice.grid import grid
from footway.roadmap.lattice.space import make_space
from footway.roadmap.voronoi.blends import blends

# Two floors with a hatch in the slab between them.
SLAB = [(0, 0, 6, 20, 5, 7), (0, 7, 6, 20, 12, 7), (0, 5, 6, 14, 7, 7), (16, 5, 6, 20, 7, 7)]


@pytest.fixture(scope="module")
def env():
    block = [(5, 3), (7, 3), (7, 5), (5, 5)]
    return fw.Environment.from_polygons(bounds=(0, 0, 12, 8), obstacles=[block], name="room")


@pytest.fixture(scope="module")
def flat(env):
    nodes = [(2, 2), (10, 2), (10, 6), (2, 6)]
    space = make_space(env, resolution=0.5, radius=0.5)
    return Roadmap.make(nodes, [(0, 1), (1, 2), (2, 3)], space, method="rrm", name="room")


@pytest.fixture(scope="module")
def volume():
    return fw.Volume.from_boxes((0, 0, 0, 20, 12, 13), SLAB, resolution=1.0, name="tower")


@pytest.fixture(scope="module")
def high(volume):
    nodes = [(3, 3, 2), (15, 6, 2), (15, 6, 10), (4, 9, 10)]
    space = make_space(volume, size=(1, 1, 1))
    return Roadmap.make(nodes, [(0, 1), (1, 2), (2, 3)], space, method="rrm_star", name="tower")


def words(figure):
    return [text.get_text() for text in figure.texts]


def colours(figure, kind):
    return [c for axes in figure.axes for c in axes.collections if isinstance(c, kind)]


def test_edges_are_coloured_by_clearance(flat, env):
    figure = plot.draw_roadmap(flat, environment=env)
    drawn = [c for c in colours(figure, LineCollection) if c.get_array() is not None]
    values = np.concatenate([c.get_array() for c in drawn])
    assert values.min() >= 0
    assert values.max() == pytest.approx(flat.samples(0.05).clearance.max(), abs=0.1)
    assert "room: RRM" in words(figure)
    assert any("4 nodes" in text for text in words(figure))


def test_a_saved_roadmap_has_its_free_space_from_the_walls(flat, env):
    found = free_space_of(flat).walkable
    assert found.symmetric_difference(env.walkable).area == pytest.approx(0.0, abs=1e-6)


def test_panels_and_discs_and_paths(flat, env, tmp_path):
    discs = (flat.nodes, flat.node_clearance)
    panels = [
        plot.RoadmapPanel("discs", flat, "4 of them", discs=discs),
        plot.RoadmapPanel(
            "path", flat, path=flat.nodes[:3], special=np.array([True, False, False, False])
        ),
    ]
    figure = plot.draw_roadmaps(panels, title="Two", details="here", environment=env, columns=2)
    assert {"Two", "here", "discs", "4 of them", "path"} <= set(words(figure))
    first, second = (axes.get_position() for axes in figure.axes[:2])
    assert first.x1 < second.x0
    plot.save_picture(figure, tmp_path / "panels.png")


@pytest.mark.parametrize("radii", [(0, 0, 0, 0), (1, 0, 0.5, 0), (1, 1, 1, 1)])
def test_discs_without_clearance_are_left_out(flat, env, radii):
    discs = (flat.nodes, np.array(radii, float))
    panels = [plot.RoadmapPanel("some", flat, discs=discs)]
    figure = plot.draw_roadmaps(panels, title="", environment=env)
    colour = pytest.approx(to_rgba(palette.CORRIDOR, 0.5))
    rims = [c for c in colours(figure, LineCollection) if c.get_colors()[0].tolist() == colour]
    drawn = [ring for collection in rims for ring in collection.get_segments()]
    kept = [radius for radius in radii if radius > 0]
    assert [np.ptp(ring, axis=0) for ring in drawn] == [
        pytest.approx((2 * radius, 2 * radius)) for radius in kept
    ]


def test_a_grid_is_drawn_in_whole_lines(env):
    roadmap = grid(env, resolution=0.1, radius=0.5)
    assert roadmap.n_edges > MANY
    pieces, clearance = pieces_of(roadmap, 0.01)
    assert len(pieces) == len(clearance) == roadmap.n_edges
    plot.draw_roadmap(roadmap, environment=env)


def test_levels_are_parted_by_slabs(volume):
    low, high = levels_of(volume)
    assert (low.bottom, low.top) == (0.0, 6.0)
    assert (high.bottom, high.top) == (6.0, 13.0)


def test_a_volume_without_a_slab_is_one_level():
    (level,) = levels_of(fw.Volume.from_boxes((0, 0, 0, 8, 6, 5), [(3, 2, 0, 5, 4, 5)]))
    assert (level.bottom, level.top) == (0.0, 5.0)


def test_the_floor_below_and_what_hides():
    wall = [(0, 4, 0, 20, 5, 8)]
    (level,) = levels_of(fw.Volume.from_boxes((0, 0, 0, 20, 12, 8), wall))
    behind, before, above = points = np.array([(9, 5.5, 0.5), (9, 3.5, 0.5), (9, 10.5, 6.5)])
    assert level.hides(points).tolist() == [True, False, False]
    assert level.floor_below(points[1:]).tolist() == [0.0, 0.0]
    assert project(np.array([above]))[0, 1] > project(np.array([behind]))[0, 1]
    assert before[1] < behind[1]


def test_there_is_no_floor_below_a_hatch(volume):
    _, upper = levels_of(volume)
    floor = upper.floor_below(np.array([(15.0, 6.0, 10.0), (3.0, 3.0, 10.0)]))
    assert np.isnan(floor[0])
    assert floor[1] == 7.0


def test_each_level_is_drawn_with_its_part_of_the_roadmap(high, volume, tmp_path):
    figure = plot.draw_roadmap(high, environment=volume)
    assert {"0 to 6 m", "6 to 13 m", "tower: RRM*"} <= set(words(figure))
    assert len(colours(figure, PolyCollection)) == 2
    plot.save_picture(figure, tmp_path / "tower.svg")
    assert (tmp_path / "tower.svg").stat().st_size < 3_000_000  # voxels are pixels in it


def test_a_path_in_space(high, volume):
    route = high.nodes[:3]
    figure = plot.draw_roadmap(high, environment=volume, path=route)
    assert any("m  ·" in text for text in words(figure))
    ends = [line for axes in figure.axes for line in axes.lines if line.get_marker() == "o"]
    assert len(ends) == 2


def test_a_saved_roadmap_in_space_is_drawn_among_its_cells(high):
    figure = plot.draw_roadmaps(
        [plot.RoadmapPanel("a", high), plot.RoadmapPanel("b", high)], title="Twice"
    )
    assert len(colours(figure, PolyCollection)) == 4


def test_levels_do_not_depend_on_whether_the_volume_is_at_hand(high, volume):
    figures = [plot.draw_roadmap(high, environment=env) for env in (volume, None)]
    first, second = ([text for text in words(figure) if " to " in text] for figure in figures)
    assert first == second == ["0 to 6 m", "6 to 13 m"] or first == second == [
        "6 to 13 m",
        "0 to 6 m",
    ]


@pytest.mark.parametrize("thing", [{"size": (3, 3, 3)}, {"radius": 1.5}])
def test_what_the_object_never_reaches_is_drawn(volume, thing):
    roadmap = grid(volume, **thing)
    for level, real in zip(levels_of(roadmap), levels_of(volume), strict=True):
        assert level.solid.shape == real.solid.shape
        # All that is solid, and little more: nooks, and the hatch of 2 m.
        assert level.solid[real.solid].all()
        assert level.solid.sum() <= 1.4 * real.solid.sum()


def test_a_thin_layer_at_the_bottom_is_no_level():
    floor = [(0, 0, 2, 20, 9, 3)]
    (level,) = levels_of(fw.Volume.from_boxes((0, 0, 0, 20, 12, 20), floor))
    assert (level.bottom, level.top) == (0.0, 20.0)


def test_corners_have_coordinates(high, volume):
    figure = plot.draw_roadmap(high, environment=volume)
    for axes in figure.axes[:2]:
        assert {text.get_text() for text in axes.texts} == {"(0, 0)", "(20, 0)", "(0, 12)"}


def test_fake_obstacles_are_hatched_and_what_they_close_is_dotted(flat, env):
    editor = Editor(flat)
    editor.add_fake_obstacle([(9, 3), (11, 3), (11, 5), (9, 5)])
    figure = plot.draw_roadmap(editor.roadmap, environment=env)
    (hatched,) = colours(figure, PolyCollection)
    assert hatched.get_hatch()
    (dotted,) = [c for c in colours(figure, LineCollection) if len(c.get_segments()) == 1]
    assert dotted.get_segments()[0].tolist() == flat.path_of(1).tolist()
    assert any("1 fake obstacle" in text for text in words(figure))


def test_fake_obstacles_are_hatched_around_a_path(flat, env):
    editor = Editor(flat)
    editor.add_fake_obstacle([(9, 3), (11, 3), (11, 5), (9, 5)])
    cmap = fw.CorridorMap.from_roadmap(editor.roadmap)
    path = cmap.path((2, 2), (9, 2), radius=0.5)
    for figure in (
        plot.draw_path(cmap, path, environment=env),
        plot.draw_no_path(cmap, (2, 2), (10, 6), environment=env),
    ):
        assert [c for c in colours(figure, PolyCollection) if c.get_hatch()]
    whole = fw.CorridorMap.from_roadmap(flat)
    figure = plot.draw_path(whole, path, environment=env)
    assert not [c for c in colours(figure, PolyCollection) if c.get_hatch()]


def test_fake_boxes_are_hatched_in_their_level(high, volume):
    editor = Editor(high)
    editor.add_fake_obstacle(box=((8, 3, 8), (10, 6, 11)))
    figure = plot.draw_roadmap(editor.roadmap, environment=volume)
    hatched = [c for c in colours(figure, PolyCollection) if c.get_hatch()]
    assert [len(c.get_paths()) for c in hatched] == [3]


def test_a_grid_in_space_is_drawn_by_one_layer():
    roadmap = grid(fw.Volume.from_boxes((0, 0, 0, 14, 14, 14)), size=(1, 1, 1))
    assert roadmap.n_edges > 20_000
    figure = plot.draw_roadmap(roadmap)
    pieces = sum(len(c.get_segments()) for c in colours(figure, LineCollection))
    assert 0 < pieces < roadmap.n_edges


def test_a_roadmap_without_edges(env):
    space = make_space(env, resolution=0.5, radius=0.5)
    lone = Roadmap.make([(2, 2)], np.empty((0, 2), np.int64), space, method="rrm")
    plot.draw_roadmap(lone)
    assert shapely.get_num_geometries(free_space_of(lone).walkable) == 1


def test_a_voronoi_roadmap_is_drawn_in_lines_and_arcs(env, tmp_path):
    nodes = [(2, 1.5), (10, 1.5), (10, 6.5), (2, 6.5)]
    space = make_space(env, resolution=0.5, radius=0.5)
    edges = [(0, 1), (1, 2), (2, 3)]
    roadmap = Roadmap.make(nodes, edges, space, method="voronoi_prm", name="room")
    pieces, clearance = blended_pieces(roadmap, 0.1)
    turns = blends(roadmap)
    steps = np.hypot(*(pieces[:, 1] - pieces[:, 0]).T)
    cut, arcs = 2 * turns.tangent.sum(), (turns.radius * np.abs(turns.sweep)).sum()
    assert steps.max() <= 0.1 + 1e-9
    assert steps.sum() == pytest.approx(21.0 - cut + arcs, abs=0.01)
    assert clearance.shape == (len(pieces),)
    # Each piece ends where another begins, in the same direction: no corners, and two loose ends.
    ends = pieces.reshape(-1, 2).round(6)
    _, times = np.unique(ends, axis=0, return_counts=True)
    assert sorted(np.unique(times).tolist()) == [1, 2]
    assert (times == 1).sum() == 2
    figure = plot.draw_roadmap(roadmap, environment=env, path=roadmap.nodes[:3])
    assert "room: Voronoi-PRM" in words(figure)
    plot.save_picture(figure, tmp_path / "prm.png")


def test_an_edge_begins_at_the_nearest_of_its_arcs(env):
    nodes = [(2, 1.5), (6, 1.5), (10, 1.5), (6, 0.8)]
    space = make_space(env, resolution=0.5, radius=0.3)
    roadmap = Roadmap.make(nodes, [(0, 1), (1, 2), (1, 3)], space, method="voronoi_prm")
    pieces, _ = blended_pieces(roadmap, 10.0)
    through = pieces[(pieces[:, :, 1] == 1.5).all(axis=1)]
    assert np.abs(np.diff(through[:, :, 0])).sum() == pytest.approx(8.0)  # straight on: no gap
