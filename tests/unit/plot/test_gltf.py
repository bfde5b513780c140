"""Animated cameras in glTF: valid files with the positions of the motion."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import shapely

import footway as fw
from footway.plot.gltf import _rotations, save_gltf
from tests.unit.plot.gltf_reading import read

BLOCK = [(4, 3), (6, 3), (6, 5), (4, 5)]


@pytest.fixture(scope="module")
def env():
    """A room with a block, a screen without thickness, and a post."""
    return fw.Environment.from_polygons(
        bounds=(0, 0, 12, 8), obstacles=[BLOCK], lines=[[(8, 0), (8, 3)]], points=[(10, 6)]
    )


@pytest.fixture(scope="module")
def motion(env):
    path = fw.CorridorMap.build(env).path((1, 4), (11, 1), radius=0.25)
    return fw.camera.motion(path)


@pytest.fixture(scope="module")
def document(motion, env, tmp_path_factory):
    file = tmp_path_factory.mktemp("gltf") / "room.glb"
    save_gltf(motion, file, environment=env)
    return read(file)


def test_the_camera_is_where_the_motion_says(document, motion):
    random = np.random.default_rng(1)
    for time in [0.0, motion.duration, *random.uniform(0, motion.duration, 200)]:
        here = motion.at(time)
        position, look, up = document.camera_at(time)
        assert np.allclose(position, here.position, atol=2e-4)
        assert np.allclose(look, here.direction, atol=2e-3)
        assert up[2] > 0.9
        assert abs(np.cross(look, up)[2]) < 1e-6  # no roll


def test_the_last_key_is_the_end(document, motion):
    (animation,) = document.json["animations"]
    times = document.arrays[animation["samplers"][0]["input"]]
    assert times[0] == 0
    assert times[-1] == pytest.approx(motion.duration)


def test_text_and_binary_hold_the_same(document, motion, env, tmp_path):
    save_gltf(motion, tmp_path / "room.gltf", environment=env)
    text = read(tmp_path / "room.gltf")
    assert all(map(np.array_equal, text.arrays, document.arrays))
    assert text.json["nodes"] == document.json["nodes"]


def test_walls_stand_where_they_are(document, env):
    corners, triangles, normals = document.surface("walls")
    assert corners.min(axis=0).tolist() == [0, 0, 0]
    assert corners.max(axis=0).tolist() == [12, 8, 2.5]
    a, b, c = (corners[triangles[:, k]] for k in range(3))
    cross = np.cross(b - a, c - a)
    area = 0.5 * np.linalg.norm(cross, axis=1)
    is_roof = np.ptp(corners[triangles][:, :, 2], axis=1) == 0
    length = np.hypot(*(env.walls.segments[:, 2:] - env.walls.segments[:, :2]).T).sum()
    assert area[~is_roof].sum() == pytest.approx(2.5 * (length + 0.4), abs=1e-4)  # and a post
    assert area[is_roof].sum() == pytest.approx(4.0 + 0.01, abs=1e-4)
    assert np.allclose(cross / (2 * area[:, None]), normals[triangles[:, 0]], atol=1e-3)


def test_fronts_of_walls_face_the_room(document, env):
    corners, triangles, normals = document.surface("walls")
    middles = corners[triangles].mean(axis=1)
    ahead = middles[:, :2] + 0.01 * normals[triangles[:, 0], :2]
    inside = shapely.intersects_xy(env.walkable, *ahead.T)
    is_side = np.abs(normals[triangles[:, 0], 2]) < 0.5
    assert inside[is_side].all()


def test_the_line_of_the_path_lies_on_the_ground(document, motion):
    line = document.mesh("path")
    assert line["mode"] == 3
    points = document.arrays[line["attributes"]["POSITION"]]
    assert (points[:, 1] < 0.1).all()
    assert np.allclose(points[0, [0, 2]], [1, -4])
    assert np.allclose(points[-1, [0, 2]], motion.positions[-1, :2] * [1, -1])


def test_without_an_environment(motion, tmp_path):
    save_gltf(motion, tmp_path / "camera.glb")
    assert [mesh["name"] for mesh in read(tmp_path / "camera.glb").json["meshes"]] == ["path"]


def test_a_corridor_map_has_walls_too(motion, env, document, tmp_path):
    save_gltf(motion, tmp_path / "camera.glb", environment=fw.CorridorMap.build(env))
    found = read(tmp_path / "camera.glb").surface("walls")
    assert len(found[1]) == len(document.surface("walls")[1])


def test_national_coordinates_are_moved_to_the_origin(tmp_path):
    far = fw.Environment.from_polygons(bounds=(136_000, 455_000, 136_012, 455_008))
    path = fw.CorridorMap.build(far).path((136_001, 455_001), (136_011, 455_007), radius=0.25)
    motion, file = fw.camera.motion(path), tmp_path / "far.glb"
    save_gltf(motion, file, environment=far)
    document = read(file)
    origin = document.json["scenes"][0]["extras"]["origin"]
    for time in np.linspace(0, motion.duration, 50):
        position, _, _ = document.camera_at(time)
        assert np.allclose(position + origin, motion.at(time).position, atol=2e-4)
    assert np.abs(document.surface("walls")[0]).max() < 20


@pytest.mark.parametrize("kind", ["glb", "gltf"])
def test_trimesh_reads_it(motion, env, tmp_path, kind):
    """A loader that is not ours finds the walls, the ground and the camera."""
    trimesh = pytest.importorskip("trimesh")
    save_gltf(motion, tmp_path / f"room.{kind}", environment=env)
    scene = trimesh.load_scene(tmp_path / f"room.{kind}")
    assert {"walls", "ground"} <= set(scene.geometry)  # it skips lines where a package is missing
    low, high = scene.geometry["walls"].bounds
    assert low.tolist() == [0, 0, -8]
    assert high.tolist() == [12, 2.5, 0]
    assert (scene.geometry["ground"].face_normals @ [0, 1, 0] > 0.999).all()
    walls = scene.geometry["walls"]
    sides = np.abs(walls.face_normals[:, 1]) < 0.5
    round_the_room, screen, block, post = 2 * (12 + 8), 3, 8, 4 * 0.1
    assert walls.area_faces[sides].sum() == pytest.approx(
        2.5 * (round_the_room + screen + block + post), rel=1e-3
    )
    where = scene.graph["camera"][0]  # (4, 4), of the camera as the file has it at first
    x, y, z = motion.positions[0]
    dx, dy, dz = motion.directions[0]
    assert where[:3, 3] == pytest.approx([x, z, -y], abs=1e-5)
    assert -where[:3, 2] == pytest.approx([dx, dz, -dy], abs=1e-5)
    assert where[1, 1] > 0.9


def test_walls_of_a_map_need_no_matplotlib(tmp_path):
    script = """
import sys
import footway as fw
from footway.plot.gltf import save_gltf
cmap = fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 4, 4)))
save_gltf(fw.camera.motion([(1, 1), (3, 3)]), sys.argv[1], environment=cmap)
assert "matplotlib" not in sys.modules
"""
    file = tmp_path / "room.glb"
    subprocess.run([sys.executable, "-c", script, file], check=True)
    assert file.exists()


def test_a_camera_that_looks_straight_down_keeps_its_heading(tmp_path):
    looks = np.array([(0, 1, 0), (0, 0.1, -1), (0, 0, -1), (0, 0, -1), (-1, 0, 0.0)])
    turns = _rotations(looks / np.linalg.norm(looks, axis=1, keepdims=True))
    assert np.isfinite(turns).all()
    assert np.allclose(turns[2], turns[3])
    assert ((turns[1:] * turns[:-1]).sum(axis=1) > 0).all()


@pytest.mark.parametrize(
    ("name", "more", "words"),
    [
        ("room.obj", {}, ".glb or .gltf"),
        ("room.glb", {"wall_height": 0}, "wall height"),
        ("room.glb", {"wall_height": float("nan")}, "wall height"),
        ("room.glb", {"wall_height": 1e300}, "wall height"),
        ("room.glb", {"wall_height": "x"}, "wall height is 'x': it must be a number"),
        ("room.glb", {"wall_height": None}, "wall height"),
        ("room.glb", {"field_of_view": 180}, "field of view"),
        ("room.glb", {"field_of_view": 0}, "field of view"),
        ("room.glb", {"field_of_view": "wide"}, "field of view"),
        ("no/room.glb", {}, "cannot be written"),
    ],
)
def test_bad_input_is_one_line(motion, tmp_path, name, more, words):
    with pytest.raises(fw.BadInput, match=words) as error:
        save_gltf(motion, tmp_path / name, **more)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_neighbouring_rotations_never_differ_in_sign(side):
    """Two full turns: otherwise players turn the long way round beyond half a turn."""
    angle = side * np.linspace(0.0, 4.0 * np.pi, 100)
    turns = _rotations(np.column_stack([np.cos(angle), np.sin(angle), 0.0 * angle]))
    assert (turns[1:] * turns[:-1]).sum(axis=1).min() > 0.99


def test_times_that_32_bits_cannot_tell_apart_are_one_key(tmp_path):
    times = np.array([0.0, 4096.0, 4096.0001, 4097.0, 4097.0001])
    positions = np.column_stack([np.arange(5.0), np.zeros((5, 2))])
    directions = np.tile([1.0, 0.0, 0.0], (5, 1))
    motion = SimpleNamespace(times=times, positions=positions, directions=directions)
    save_gltf(motion, tmp_path / "slow.glb")
    document = read(tmp_path / "slow.glb")
    samplers = document.json["animations"][0]["samplers"]
    assert document.arrays[samplers[0]["input"]].tolist() == [0.0, 4096.0, 4097.0]
    assert document.arrays[samplers[0]["output"]][:, 0].tolist() == [0.0, 2.0, 4.0]


def test_a_building_has_its_floors_and_stairs(tmp_path):
    hall = fw.Environment.from_polygons(bounds=(0, 0, 10, 8))
    upper = fw.Environment.from_polygons(bounds=(0, 12, 10, 16))
    stairs = fw.Stairs("A", ("0", (4, 8), (6, 8)), ("1", (4, 12), (6, 12)))
    building = fw.Building([fw.Floor("0", hall), fw.Floor("1", upper, 3.0)], [stairs])
    path = fw.CorridorMap.build(building).path((5, 1, "0"), (5, 15, "1"), radius=0.25)
    save_gltf(fw.camera.motion(path), tmp_path / "b.glb", environment=building)
    document = read(tmp_path / "b.glb")
    corners, triangles, normals = document.surface("links")
    assert {tuple(row) for row in corners.round(3).tolist()} == {
        (4, 8, 0), (6, 8, 0), (4, 12, 3), (6, 12, 3)}  # fmt: skip
    assert normals == pytest.approx(np.tile([0, -0.6, 0.8], (len(normals), 1)), abs=1e-6)
    sides = corners[triangles]
    ahead = np.cross(sides[:, 1] - sides[:, 0], sides[:, 2] - sides[:, 0])
    assert (ahead @ [0, -0.6, 0.8] > 0).all()
    assert set(document.surface("ground")[0][:, 2].tolist()) == {0.0, 3.0}
    walls, _, _ = document.surface("walls")
    assert (walls[:, 2].min(), walls[:, 2].max()) == (0.0, 5.5)
