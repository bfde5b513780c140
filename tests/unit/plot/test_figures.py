import numpy as np
import pytest
import shapely
from matplotlib.collections import LineCollection
from matplotlib.patches import Circle
from PIL import Image

import footway as fw
from footway import plot
from footway.constants import ON_WALL
from footway.environment import Repair
from footway.plot.canvas import new_canvas, padded, round_length
from footway.plot.layers import MOST_NUMBERS, terrain_colours
from footway.plot.shapes import free_space_of
from tests.unit.plot.conftest import texts


@pytest.fixture(scope="module")
def ends(cmap):
    order = np.argsort(cmap.vertices @ (1.0, 1.0))
    free = order[cmap.clearance(cmap.vertices[order]) > 1.0]
    return [tuple(p) for p in cmap.vertices[free[[0, -1]]].tolist()]


def coloured_lines(figure):
    axes = figure.axes[0]
    return [
        c for c in axes.collections if isinstance(c, LineCollection) and c.get_array() is not None
    ]


def colours(file):
    with Image.open(file) as image:
        return image.size, len(image.convert("RGB").getcolors(1 << 24))


@pytest.mark.parametrize("suffix", [".png", ".PNG", ".svg", ".pdf"])
def test_saves_by_suffix(env, tmp_path, suffix):
    file = tmp_path / f"map{suffix}"
    plot.save_picture(plot.draw_map(env), file)
    start = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[suffix.lower()]
    assert file.read_bytes().startswith(start)


def test_png_is_1600_wide_and_not_empty(cmap, env, tmp_path):
    file = tmp_path / "map.png"
    plot.save_picture(plot.draw_map(cmap, environment=env), file)
    (width, height), number = colours(file)
    assert width == 1600
    assert height > 1000
    assert number > 50


def test_the_same_map_gives_the_same_bytes(env, tmp_path):
    first, second = tmp_path / "a.png", tmp_path / "b.png"
    for file in (first, second):
        plot.save_picture(plot.draw_map(env), file)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("name", ["map.jpg", "map", "map.png.exe"])
def test_unknown_suffix(name):
    with pytest.raises(fw.BadInput, match=r"must end in \.png, \.svg or \.pdf"):
        plot.check_picture_file(name)


def test_unwritable_file(env, tmp_path):
    with pytest.raises(fw.BadFile, match="cannot be written"):
        plot.save_picture(plot.draw_map(env), tmp_path / "no" / "map.png")


def test_axis_is_coloured_by_its_clearance(cmap):
    values = np.concatenate([c.get_array() for c in coloured_lines(plot.draw_map(cmap))])
    assert values.min() >= 0
    assert values.max() == pytest.approx(cmap.axis(0.5).clearance.max(), rel=0.05)


def test_dead_ends_are_thinner(cmap):
    drawn = coloured_lines(plot.draw_map(cmap))
    widths = {float(c.get_linewidth()[0]) for c in drawn}
    assert (cmap.edge_clearance < ON_WALL).any()
    assert len(widths) == 2


def test_free_space_is_found_from_walls(cmap, env):
    found = free_space_of(cmap).walkable
    assert found.area == pytest.approx(env.area)
    assert found.symmetric_difference(env.walkable).area == pytest.approx(0.0, abs=1e-6)


def test_free_space_with_lines_and_points():
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 10, 8), lines=[[(2, 2), (5, 2)]], points=[(7, 6)]
    )
    free_space = free_space_of(fw.CorridorMap.build(env))
    assert free_space.walkable.area == pytest.approx(80.0)
    assert free_space.points.tolist() == [[7.0, 6.0]]
    plot.draw_map(fw.CorridorMap.build(env))


def test_terrain_is_drawn_by_kind_with_a_key():
    road = fw.load("gallery:mckenna-road")
    figure = plot.draw_map(road)
    names = [t for t in texts(figure) if t in ("ground", "mud", "road", "sidewalk")]
    assert names == ["ground", "mud", "road", "sidewalk"]
    plain = plot.draw_map(fw.load("gallery:mckenna"))
    assert len(figure.axes[0].patches) == len(plain.axes[0].patches) + 10
    assert "ground" not in texts(plain)
    assert "ground" not in texts(plot.draw_map(fw.load("gallery:forest")))  # nothing is bare


def test_kinds_that_have_no_colour_of_their_own_get_one():
    room = fw.Environment.from_polygons(
        bounds=(0, 0, 10, 8),
        terrain=[(f"kind {k}", [(k, 0), (k + 1, 0), (k + 1, 8)]) for k in range(9)],
    )
    colours = terrain_colours(room)
    assert list(colours) == ["ground", *(f"kind {k}" for k in range(9))]
    assert colours["kind 0"] == colours["kind 6"] != colours["kind 1"]


def test_path_with_everything(cmap, env, ends):
    path, pinch = cmap.path(*ends, radius=0.5), cmap.bottleneck(*ends)
    corridor = cmap.corridor(*ends, radius=0.5)
    figure = plot.draw_path(cmap, path, corridor=corridor, pinch=pinch, environment=env)
    words = texts(figure)
    assert {"start", "goal"} <= set(words)
    assert any(f"{path.length:.2f} m" in word for word in words)
    lines = [line.get_xydata() for line in figure.axes[0].lines]
    assert any(line.shape == path.points.shape and (line == path.points).all() for line in lines)


def test_the_view_holds_path_and_corridor(cmap, ends):
    path, corridor = cmap.path(*ends), cmap.corridor(*ends)
    axes = plot.draw_path(cmap, path, corridor=corridor).axes[0]
    (x0, x1), (y0, y1) = axes.get_xlim(), axes.get_ylim()
    assert (path.points >= (x0, y0)).all()
    assert (path.points <= (x1, y1)).all()


def test_scale_is_equal_in_both_directions(cmap, ends):
    figure = plot.draw_path(cmap, cmap.path(*ends))
    axes = figure.axes[0]
    box = axes.get_window_extent()
    (x0, x1), (y0, y1) = axes.get_xlim(), axes.get_ylim()
    assert box.width / (x1 - x0) == pytest.approx(box.height / (y1 - y0), rel=1e-3)


def test_a_path_of_no_length(cmap, ends, tmp_path):
    figure = plot.draw_path(cmap, cmap.path(ends[0], ends[0]))
    assert any(word.startswith("0.00 m  ·  0 turns") for word in texts(figure))
    axes = figure.axes[0]
    (x0, x1), (y0, y1) = axes.get_xlim(), axes.get_ylim()
    assert x0 < ends[0][0] < x1
    assert y0 < ends[0][1] < y1
    assert 1.0 < x1 - x0 < 100.0  # m: some ground around it is seen
    plot.save_picture(figure, tmp_path / "dot.png")
    size, number = colours(tmp_path / "dot.png")
    assert min(size) > 400
    assert number > 10


def test_pinch_is_labelled_with_its_width(cmap, ends):
    pinch = fw.Pinch(3.0, (100.0, 100.0), (97.0, 100.0), (103.0, 100.0))
    figure = plot.draw_no_path(cmap, *ends, pinch=pinch)
    assert "6.00 m" in texts(figure)
    discs = [p for p in figure.axes[0].patches if isinstance(p, Circle)]
    assert [(disc.center, disc.radius) for disc in discs] == [((100.0, 100.0), 3.0)]


def test_many_paths(cmap, env, ends, tmp_path):
    paths = [cmap.path(*ends), None, cmap.path(*ends[::-1])]
    figure = plot.draw_paths(cmap, paths, environment=env)
    assert any("2 paths" in word for word in texts(figure))
    (pieces,) = coloured_lines(figure)
    drawn = [np.hypot(*np.diff(piece, axis=0).T).sum() for piece in pieces.get_segments()]
    assert sum(drawn) == pytest.approx(paths[0].length + paths[2].length, rel=1e-4)
    assert 0.0 <= pieces.get_array().min() < pieces.get_array().max() <= paths[0].length
    plot.save_picture(figure, tmp_path / "paths.png")
    assert colours(tmp_path / "paths.png")[1] > 100
    nothing = plot.draw_paths(cmap, [None])
    assert coloured_lines(nothing) == []
    assert any("0 paths" in word for word in texts(nothing))


def repaired(*kinds):
    env = fw.Environment.from_polygons([(0, 0), (10, 0), (10, 8), (0, 8)])
    places = [(k % 10 + 0.5, k // 10 + 0.5) for k in range(len(kinds))]
    repairs = tuple(Repair(kind, at, "") for kind, at in zip(kinds, places, strict=True))
    object.__setattr__(env, "repairs", repairs)
    return env


def test_repairs_carry_their_numbers():
    words = texts(plot.draw_check(repaired(*["gap"] * 70)))
    assert "1" in words
    assert str(MOST_NUMBERS) in words
    assert str(MOST_NUMBERS + 1) not in words


def test_of_many_that_change_no_shape_the_first_is_marked():
    words = texts(plot.draw_check(repaired(*["orientation"] * 70, "overlap")))
    assert "71" in words
    assert "1" in words  # stands for all of them
    assert "2" not in words


def test_no_global_state(env):
    from matplotlib import _pylab_helpers

    plot.draw_map(env)
    assert not _pylab_helpers.Gcf.get_all_fig_managers()


@pytest.mark.parametrize(
    ("metres", "bar"),
    [(1.0, 1.0), (1.9, 1.0), (2.0, 2.0), (49.0, 20.0), (99.0, 50.0), (0.07, 0.05)],
)
def test_scale_bars_are_round(metres, bar):
    assert round_length(metres) == pytest.approx(bar)


@pytest.mark.parametrize("view", [(0, 0, 1000, 1), (0, 0, 1, 1000), (0, 0, 1e-3, 1e-3)])
def test_thin_maps_have_a_canvas(view):
    canvas = new_canvas(padded(view, 0.01), title="thin", details="")
    width, height = canvas.figure.get_size_inches()
    assert width == 8.0
    assert 2.0 < height < 12.0


def test_the_name_of_an_area_does_not_stand_on_an_obstacle():
    lounge, table = [(1, 1), (9, 1), (9, 9), (1, 9)], [(3, 3), (7, 3), (7, 7), (3, 7)]
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 10, 10), obstacles=[table], areas=[("lounge", lounge)]
    )
    (name,) = plot.draw_map(env).axes[0].texts
    assert shapely.Polygon(table).distance(shapely.Point(name.get_position())) > 0.1


def test_named_areas():
    square = [(1, 1), (6, 1), (6, 6), (1, 6)]
    far = [(90, 1), (99, 1), (99, 6), (90, 6)]
    dot = [(8, 8), (8.1, 8), (8.1, 8.1), (8, 8.1)]
    areas = [("hall", square), ("far hall", far), ("dot", dot), ("", square)]
    env = fw.Environment.from_polygons(bounds=(0, 0, 100, 10), areas=areas)
    texts = {text.get_text(): text for text in plot.draw_map(env).axes[0].texts}
    assert {"hall", "far hall"} == set(texts)
    x, y = texts["hall"].get_position()
    assert 1 < x < 6
    assert 1 < y < 6
    cmap = fw.CorridorMap.build(env)
    figure = plot.draw_path(cmap, cmap.path((2, 2), (5, 5), radius=0.2), environment=env)
    assert "far hall" not in [text.get_text() for text in figure.axes[0].texts]
    assert len([p for p in figure.axes[0].patches if p.get_linestyle() == "--"]) == 4
