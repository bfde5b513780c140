"""Grids: tracing of cells, MovingAI maps, ROS maps, images."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from PIL import Image
from scipy import ndimage

import footway as fw
from footway.formats import png
from footway.formats.grid_tracing import from_grid, trace
from tests.oracle.noded import assert_noded
from tests.shared_data import shared
from tests.unit.formats.files import write_ros

HEADER = "type octile\nheight 2\nwidth 3\nmap\n"
COUNTS = {
    "8room_000": 206642, "Berlin_0_256": 48147, "Paris_1_256": 47240, "arena": 2054,
    "battleground": 92268, "den312d": 2445, "lt_house": 864,
}  # fmt: skip


@pytest.mark.parametrize("seed", range(60))
def test_traced_polygons_are_the_union_of_the_cells(seed):
    rng = np.random.default_rng(seed)
    height, width = rng.integers(1, 14, 2)
    free = rng.random((height, width)) < rng.random()
    polygons = trace(free)
    cells = [shapely.box(c, height - 1 - r, c + 1, height - r) for r, c in np.argwhere(free)]
    assert shapely.is_valid(polygons).all()
    assert len(polygons) == ndimage.label(free)[1]
    assert shapely.equals(shapely.multipolygons(polygons), shapely.union_all(cells))
    corners = shapely.get_coordinates(polygons)
    assert len(corners) <= len(shapely.get_coordinates(shapely.simplify(polygons, 0)))


def test_cells_that_touch_at_a_corner_are_not_connected():
    free = np.array([[1, 0], [0, 1]], dtype=bool)
    assert len(trace(free)) == 2
    # One part that touches itself at a corner: a hole that touches its shell, or another hole.
    ring = np.array([[1, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 1]], dtype=bool)
    (polygon,) = trace(ring)
    assert polygon.is_valid
    assert len(polygon.interiors) == 2
    corner = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 1]], dtype=bool)
    (polygon,) = trace(corner)
    assert polygon.is_valid
    assert polygon.area == 7


def test_a_random_grid_of_512_is_traced():
    free = np.random.default_rng(3).random((512, 512)) < 0.6
    polygons = trace(free)
    assert shapely.area(polygons).sum() == free.sum()


def test_movingai_has_row_0_on_top_and_swamp_as_terrain(tmp_path):
    path = tmp_path / "a.map"
    path.write_text(HEADER + ".GT\nS@W\n")
    env = fw.load(path)
    assert env.area == 3
    assert env.walkable.contains(shapely.Point(1.5, 1.5))
    assert not env.walkable.contains(shapely.Point(1.5, 0.5))
    (swamp,) = env.terrain
    assert swamp.kind == "swamp"
    assert swamp.polygon.bounds == (0, 0, 1, 1)
    assert_noded(env)


def test_movingai_scale_is_metres_per_cell_of_ground_and_terrain(tmp_path):
    path = tmp_path / "a.map"
    path.write_text(HEADER + "...\n.S.\n")
    env = fw.load(path, scale=2)
    assert env.bounds == (0, 0, 6, 4)
    assert env.terrain[0].polygon.bounds == (2, 0, 4, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEADER + "...\n", "1 rows of cells, but the header says height 2"),
        (HEADER + "...\n..\n", "line 6: has 2 cells"),
        (HEADER + "...\n.x.\n", "line 6, column 2: 'x'"),
        (HEADER.replace("2", "two") + "...\n", "line 2: 'height two'"),
        (HEADER.replace(" 3", "") + "...\n", "line 3: 'width'"),
        (HEADER.replace("2", "-2") + "...\n", "no positive"),
        (HEADER.replace("2", "9" * 9).replace("3", "9" * 9), "100,000,000 cells"),
        ("type octile\nheight 2\nwidth 3\n...\n...\n", "no line 'map'"),
        ("\x00" * 500, "no line 'map'"),
    ],
)
def test_damaged_movingai(tmp_path, text, message):
    (tmp_path / "a.map").write_text(text)
    with pytest.raises(fw.BadFile, match=message):
        fw.load(tmp_path / "a.map")


def test_nothing_free(tmp_path):
    (tmp_path / "a.map").write_text(HEADER + "@@@\nTTT\n")
    with pytest.raises(fw.BadGeometry, match="no cell is free"):
        fw.load(tmp_path / "a.map")


@pytest.mark.parametrize("name", COUNTS)
def test_real_movingai(name):
    path = shared(f"grids/{name}.map")
    env = fw.load(path)
    assert env.area == COUNTS[name]
    assert env.walkable.is_valid
    if len(env.walls.segments) < 3000:
        assert_noded(env)


def test_ros_thresholds_unknown_and_origin(tmp_path):
    path = write_ros(tmp_path, [[254, 205], [0, 254]], origin=[10, 20, 0])
    env = fw.load(path)
    assert env.area == 0.5
    assert env.bounds == (10, 20, 11, 21)
    assert env.walkable.contains(shapely.Point(10.25, 20.75))
    env = fw.load(write_ros(tmp_path, [[254, 205], [0, 254]], free_thresh=0.3))
    assert env.area == 0.75
    env = fw.load(write_ros(tmp_path, [[254, 205], [0, 254]], negate=1))
    assert env.area == 0.25


def test_ros_a_pixel_at_the_threshold_is_not_free(tmp_path):
    at_once = {"free_thresh": 1, "occupied_thresh": 1}
    env = fw.load(write_ros(tmp_path, [[255, 1, 0]], **at_once))  # black has an occupancy of 1
    assert env.bounds == (0, 0, 1, 0.5)


def test_ros_yaw_turns_about_the_origin(tmp_path):
    path = write_ros(tmp_path, [[254, 254, 254]], origin=[10, 20, math.pi / 2])
    assert fw.load(path).bounds == (9.5, 20, 10, 21.5)
    path = write_ros(tmp_path, np.eye(6) * 255, origin=[1, 2, 0.3], resolution=0.01)
    env = fw.load(path)
    assert env.area == pytest.approx(6e-4, rel=0.1)
    assert_noded(env)


@pytest.mark.parametrize("seed", range(12))
def test_turned_cells_as_small_as_the_grid_are_repaired(seed):
    rng = np.random.default_rng(seed)
    free = rng.random((9, 9)) < 0.7
    env = from_grid(free, scale=0.001, origin=(0.1, 0.2, rng.uniform(0.2, 1.3)), name="tiny")
    assert_noded(env)


def test_ros_with_png(tmp_path):
    Image.fromarray(np.array([[255, 0]], dtype=np.uint8)).save(tmp_path / "map.png")
    assert fw.load(write_ros(tmp_path, [[0]], image="map.png")).area == 0.25


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"image": "none.pgm"}, "image 'none.pgm': does not exist"),
        ({"image": 5}, "key 'image' is 5"),
        ({"image": "map.yaml"}, "image 'map.yaml': is damaged or not a PGM or PNG"),
        ({"resolution": "wide"}, "key 'resolution' is 'wide'"),
        ({"resolution": 0}, "key 'resolution' is 0"),
        ({"resolution": None}, "key 'resolution' is None"),
        ({"origin": [0]}, "key 'origin'"),
        ({"origin": [0, "x", 0]}, "key 'origin' is 'x'"),
        ({"mode": "raw"}, "key 'mode'"),
        ({"mode": ["raw"]}, "key 'mode'"),
        ({"free_thresh": 0.7}, "free below occupied"),
        ({"negate": "maybe"}, "key 'negate'"),
    ],
)
def test_damaged_ros(tmp_path, keys, message):
    with pytest.raises(fw.BadFile, match=message):
        fw.load(write_ros(tmp_path, [[254]], **keys))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("image: [1\n", "line 2: is not YAML"),
        ("- a\n", "expected keys"),
        ('!!python/object/apply:os.system ["ls"]\n', "line 1: is not YAML"),
        ("[" * 5000, "nested too deeply"),
        ("a: 2001-99-99\n", "is not YAML"),
        ("#" * 200_000, "too long"),
        ("image: \x01\n", "is not YAML"),
    ],
)
def test_damaged_yaml(tmp_path, text, message):
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(fw.BadFile, match=message):
        fw.load(tmp_path / "a.yaml")


def test_ros_brings_its_scale(tmp_path):
    with pytest.raises(fw.BadInput, match="leave scale out"):
        fw.load(write_ros(tmp_path, [[254]]), scale=2)


@pytest.mark.parametrize(("name", "area"), [("map", 7939), ("tb3_sandbox", 7903)])
def test_real_ros(name, area):
    env = fw.load(shared(f"rosmaps/{name}.yaml"))
    assert env.area == pytest.approx(area * 0.05**2)
    assert -10 < env.bounds[0] < env.bounds[2] < 10
    assert_noded(env)


@pytest.mark.parametrize("mode", ["1", "L", "RGB", "P", "I;16"])
def test_png_white_is_walkable(tmp_path, mode):
    pixels = np.array([[255, 255, 0], [0, 127, 128]], dtype=np.uint8)
    if mode == "I;16":
        Image.fromarray(pixels.astype(np.uint16) * 257).save(tmp_path / "a.png")
    else:
        Image.fromarray(pixels).convert(mode, dither=Image.Dither.NONE).save(tmp_path / "a.png")
    env = fw.load(tmp_path / "a.png", scale=2)
    assert env.area == 12
    assert env.walkable.contains(shapely.Point(1, 3))
    assert env.walkable.contains(shapely.Point(5, 1))


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
def test_brightness_is_from_black_to_white_whatever_the_depth(tmp_path, kind):
    most = np.iinfo(kind).max
    Image.fromarray(np.array([[0, most // 5, most]], dtype=kind)).save(tmp_path / "a.png")
    light = png.brightness(tmp_path / "a.png", formats=("PNG",))
    assert light.tolist() == [[0, np.float32(0.2), 1]]


def test_png_transparent_is_paper(tmp_path):
    pixels = np.array([[[0, 0, 0, 0], [0, 0, 0, 255]]], dtype=np.uint8)
    Image.fromarray(pixels).save(tmp_path / "a.png")
    assert fw.load(tmp_path / "a.png", scale=1).bounds == (0, 0, 1, 1)


def test_png_needs_a_scale(tmp_path):
    Image.new("L", (2, 2), 255).save(tmp_path / "a.png")
    with pytest.raises(fw.BadFile, match="give scale="):
        fw.load(tmp_path / "a.png")


def test_png_cut_off_or_no_png(tmp_path):
    path = tmp_path / "a.png"
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (90, 90), dtype=np.uint8)).save(path)
    content = path.read_bytes()
    for broken in (content[:2000], content[:20], b"GIF89a", b"\x89PNG\r\n\x1a\n"):
        path.write_bytes(broken)
        with pytest.raises(fw.BadFile, match="damaged or not a PNG"):
            fw.load(path, scale=1)


def test_picture_that_unpacks_to_too_much(tmp_path, monkeypatch):
    path = tmp_path / "a.png"
    Image.new("1", (3000, 3000)).save(path)
    monkeypatch.setattr(png, "MAX_GRID_CELLS", 1_000_000)
    with pytest.raises(fw.BadFile, match="3,000 x 3,000 pixels"):
        fw.load(path, scale=1)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1_000_000)
    with pytest.raises(fw.BadFile, match="more than 1,000,000 pixels"):
        fw.load(path, scale=1)
