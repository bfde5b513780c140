"""Meshes: voxels and plans of small boxes, real meshes, and invalid files."""

from __future__ import annotations

import base64
import json
import re
import sys
from urllib.parse import quote

import numpy as np
import pytest
import shapely
from scipy import ndimage

import footway as fw
from footway.environment import volume
from tests.shared_data import shared
from tests.unit.formats.meshes import box, write_obj

trimesh = pytest.importorskip("trimesh")

GROUND = box((0, 0, -1), (10, 8, 0))
CRATE = box((4, 3, 0), (6, 5, 2))
TOP = box((0, 0, 3), (10, 8, 4))
EMPTY = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"


def volume_of(tmp_path, *parts, resolution=1.0, **more):
    return fw.load(write_obj(tmp_path / "a.obj", *parts), resolution=resolution, up="z", **more)


def plan_of(tmp_path, *parts, between=(0.2, 1.8), **more):
    return fw.load(write_obj(tmp_path / "a.obj", *parts), between=between, up="z", **more)


def kinds(thing) -> list[str]:
    return [repair.kind for repair in thing.repairs]


class TestVolumes:
    def test_closed_bodies_are_filled_and_faces_between_voxels_add_nothing(self, tmp_path):
        volume = volume_of(tmp_path, GROUND, CRATE, TOP)
        assert volume.bounds == (0, 0, -1, 10, 8, 4)
        assert volume.name == "a"
        expected = np.zeros((5, 8, 10), dtype=bool)
        expected[[0, 4]] = True
        expected[1:3, 3:5, 4:6] = True
        assert np.array_equal(volume.solid, expected)
        assert volume.repairs == ()

    def test_a_body_off_the_lattice_takes_all_voxels_that_it_reaches_into(self, tmp_path):
        part = box((3.9, 3, 0), (6.1, 4.5, 1.5))
        volume = volume_of(tmp_path, GROUND, part, TOP)
        assert volume.solid[1:3, 3:5, 3:7].all()
        assert volume.solid[1:4].sum() == 16

    def test_finer_voxels(self, tmp_path):
        volume = volume_of(tmp_path, GROUND, CRATE, TOP, resolution=0.25)
        assert volume.solid.shape == (20, 32, 40)
        assert volume.free_volume == 10 * 8 * 3 - 8

    def test_an_open_body_is_a_shell_on_both_sides_of_its_faces(self, tmp_path):
        volume = volume_of(tmp_path, GROUND, box((4, 2, 0), (8, 6, 3), without=(4, 5)), TOP)
        assert kinds(volume) == ["open mesh"]
        assert "1 of 3 bodies are open" in volume.repairs[0].detail
        assert volume.solid[2, 1:7, 3:9].sum() == 36 - 4
        assert not volume.solid[2, 3:5, 5:7].any()

    def test_a_room_has_faces_that_look_inward(self, tmp_path):
        room, block = box((1, 1, 0), (6, 5, 4), inward=True), box((2, 2, 0), (3, 3, 4))
        annex = box((0, 0, 0), (1, 5, 4))
        volume = volume_of(tmp_path, room, block, annex)
        expected = np.ones((4, 5, 6), dtype=bool)
        expected[:, 1:, 1:] = False
        expected[:, 2, 2] = True
        assert np.array_equal(volume.solid, expected)
        assert volume.repairs == ()

    def test_a_cavity_is_free(self, tmp_path):
        around, inside = box((0, 0, 0), (6, 5, 4)), box((1, 1, 1), (5, 4, 3), inward=True)
        assert volume_of(tmp_path, around, inside).free_volume == 4 * 3 * 2
        filled = volume_of(tmp_path, around, inside, box((2, 2, 1), (3, 3, 3)))
        assert filled.free_volume == 4 * 3 * 2 - 2

    @pytest.mark.parametrize(("thick", "free"), [(1.0, 10 * 8 * 6), (0.3, 14 * 12 * 10)])
    def test_the_cavity_of_a_body_that_does_not_quite_close_is_free(self, tmp_path, thick, free):
        around = box((0, 0, 0), (8, 7, 6))[1:]
        room = box((thick,) * 3, (8 - thick, 7 - thick, 6 - thick), inward=True)
        volume = volume_of(tmp_path, around, room, resolution=0.5)
        assert kinds(volume) == ["open mesh", "open mesh"]
        assert "1 of 2 bodies are open" in volume.repairs[0].detail
        assert "its inside is free" in volume.repairs[1].detail
        # The faces of the room are solid, on both sides where they lie between voxels.
        part, _ = ndimage.label(~volume.solid)
        assert (part == part[6, 7, 8]).sum() == free

    def test_a_crate_on_open_ground_is_no_cavity(self, tmp_path):
        ground = box((0, 0, -1), (10, 8, 9), without=(1, 2, 3, 5))
        volume = volume_of(tmp_path, ground, box((4, 3, 1), (6, 5, 3), inward=True))
        assert "orientation" in kinds(volume)
        assert volume.solid[2:4, 3:5, 4:6].all()

    def test_a_solid_that_is_turned_inside_out_is_turned_back(self, tmp_path):
        volume = volume_of(tmp_path, GROUND, box((4, 3, 0), (6, 5, 2), inward=True), TOP)
        assert kinds(volume) == ["orientation"]
        assert volume.solid[1].sum() == 4

    def test_bodies_that_run_through_each_other_are_joined(self, tmp_path):
        volume = volume_of(
            tmp_path, GROUND, box((1, 1, 0), (4, 4, 2)), box((3, 3, -0.5), (6, 6, 2)), TOP
        )
        assert "self-intersection" in kinds(volume)
        assert volume.solid[1].sum() == 9 + 9 - 1

    def test_faces_that_cross_where_both_are_cut_in_two(self, tmp_path):
        pillars = box((1, 1, 0), (2, 2, 3)), box((1.5, 1.5, 0), (2.5, 2.5, 3))
        assert "self-intersection" in kinds(volume_of(tmp_path, GROUND, *pillars, TOP))

    def test_bodies_that_touch_at_an_edge_do_not_run_through_each_other(self, tmp_path):
        beside = box((3, 2, 0.5), (5, 3, 1.5)), box((5, 5, 0.5), (8, 6, 1.5))
        assert volume_of(tmp_path, GROUND, CRATE, *beside, TOP).repairs == ()

    def test_bodies_that_touch_do_not_run_through_each_other(self, tmp_path):
        assert volume_of(tmp_path, GROUND, CRATE, box((6, 3, 0), (8, 5, 2)), TOP).repairs == ()

    def test_faces_without_area_are_left_out(self, tmp_path):
        line = np.array([[[1, 1, 1], [2, 2, 2], [3, 3, 3.0]]])
        assert kinds(volume_of(tmp_path, GROUND, line, TOP)) == ["sliver"]

    def test_scale_is_metres_per_unit(self, tmp_path):
        volume = volume_of(tmp_path, 100 * GROUND, 100 * CRATE, 100 * TOP, scale=0.01)
        assert volume.size == (10, 8, 5)

    def test_no_free_voxel(self, tmp_path):
        with pytest.raises(fw.BadGeometry, match=r"a\.obj: leaves none of the 8 voxels of 1 m"):
            volume_of(tmp_path, CRATE)

    def test_no_free_voxel_says_what_was_found(self, tmp_path):
        with pytest.raises(fw.BadGeometry, match=r"box of 2 x 2 x 2 m free; .* 1 of 1 .* open"):
            volume_of(tmp_path, CRATE[1:])

    def test_too_fine(self, tmp_path, monkeypatch):
        with pytest.raises(fw.BadInput, match=r"GiB are free: take a resolution of"):
            volume_of(tmp_path, GROUND, resolution=1e-6)
        monkeypatch.setattr(volume, "free_memory", lambda: 1000)
        with pytest.raises(fw.BadInput, match=r"400 cells"):
            volume_of(tmp_path, GROUND, CRATE, TOP)

    def test_flat_meshes(self, tmp_path):
        sheet = np.array([[[0, 0, 0], [4, 0, 0], [0, 4, 0.0]]])
        assert volume_of(tmp_path, sheet).solid.shape == (1, 4, 4)


class TestUp:
    def test_obj_and_gltf_are_y_up_and_the_others_z_up(self, tmp_path):
        mesh = trimesh.util.concatenate(
            [trimesh.creation.box((4, 3, 2)), trimesh.creation.box(bounds=((9, 0, 0), (10, 1, 1)))]
        )
        for kind, size in (
            *(("obj", (12, 2, 3)), ("glb", (12, 2, 3))),
            *(("ply", (12, 3, 2)), ("stl", (12, 3, 2))),
        ):
            mesh.export(tmp_path / f"a.{kind}")
            assert fw.load(tmp_path / f"a.{kind}", resolution=1).size == size
        assert fw.load(tmp_path / "a.obj", resolution=1, up="z").size == (12, 3, 2)

    def test_nothing_is_mirrored(self, tmp_path):
        # A body at x 4..5, z 0..1 of a y-up mesh lies at y -1..0.
        file = write_obj(tmp_path / "a.obj", box((0, 0, 0), (8, 2, 1)), box((4, 0, 0), (5, 3, 9)))
        volume = fw.load(file, resolution=1)
        assert volume.bounds == (0, -9, 0, 8, 0, 3)
        assert volume.solid[0, 0].sum() == 1
        assert volume.solid[0, -1].sum() == 8

    def test_bad_axis(self, tmp_path):
        file = write_obj(tmp_path / "a.obj", GROUND)
        with pytest.raises(fw.BadInput, match="up is 'x'; give 'y' or 'z'"):
            fw.load(file, resolution=1, up="x")


class TestPlans:
    def test_what_stands_between_the_heights_is_an_obstacle(self, tmp_path):
        env = plan_of(tmp_path, GROUND, CRATE, TOP)
        assert env.bounds == (0, 0, 10, 8)
        assert env.area == 80 - 4
        assert env.holes == 1
        assert env.repairs == ()

    def test_what_is_lower_or_higher_is_not(self, tmp_path):
        parts = (GROUND, CRATE, box((1, 1, 0), (2, 2, 0.2)), box((7, 1, 1.8), (8, 2, 3)))
        assert plan_of(tmp_path, *parts).area == 80 - 4

    def test_slopes_are_cut_at_the_heights(self, tmp_path):
        env = plan_of(tmp_path, GROUND, ramp_triangles(), between=(1, 2))
        assert env.area == pytest.approx(80 - 3 * 2)  # the ramp is higher than 1 m for 3 m
        above = plan_of(tmp_path, GROUND, ramp_triangles(), between=(3, 9))
        assert above.area == pytest.approx(80 - 1 * 2)

    def test_walls_without_thickness_are_lines(self, tmp_path):
        wall = np.array([[[2, 2, 0], [8, 2, 0], [8, 2, 3]], [[2, 2, 0], [8, 2, 3], [2, 2, 3.0]]])
        env = plan_of(tmp_path, GROUND, wall)
        assert env.area == 80
        assert env.lines.length == pytest.approx(6)
        assert kinds(env) == ["open mesh"]

    def test_a_building_without_roof_and_floor_has_an_inside(self, tmp_path):
        env = plan_of(tmp_path, GROUND, box((4, 3, 0), (6, 5, 3), without=(4, 5)))
        assert env.area == 76
        assert env.repairs == ()

    def test_a_building_with_a_court_has_an_outside_inside(self, tmp_path):
        court = box((5, 4, 0), (7, 6, 3), without=(4, 5), inward=True)
        env = plan_of(tmp_path, GROUND, box((3, 2, 0), (9, 7, 3), without=(4, 5)), court)
        assert env.area == 80 - 30 + 4
        assert kinds(env) == ["island"]

    def test_a_fence_that_looks_inward_encloses_nothing_solid(self, tmp_path):
        fence = box((3, 2, 0), (9, 7, 3), without=(4, 5), inward=True)
        env = plan_of(tmp_path, GROUND, fence)
        assert env.area == 80
        assert env.lines.length == pytest.approx(22)

    def test_a_room_is_walkable_and_what_is_outside_is_not(self, tmp_path):
        room, block = box((1, 1, 0), (6, 5, 4), inward=True), box((2, 2, 0), (3, 3, 4))
        env = plan_of(tmp_path, room, block, box((0, 0, 0), (1, 0.5, 4)))
        assert env.area == 19
        assert env.bounds == (1, 1, 6, 5)

    def test_heights(self, tmp_path):
        with pytest.raises(fw.BadInput, match=r"nothing stands between 7 and 9 m: .* -1 to 4 m"):
            plan_of(tmp_path, GROUND, TOP, between=(7, 9))
        for bad in ((2, 1), (1, 1), (0, float("nan")), (0, 1, 2), 3, "low"):
            with pytest.raises(fw.BadInput, match="the lower one first"):
                plan_of(tmp_path, GROUND, TOP, between=bad)

    def test_nothing_is_walkable(self, tmp_path):
        with pytest.raises(fw.BadGeometry, match=r"a\.obj: nothing is walkable"):
            plan_of(tmp_path, GROUND, between=(-0.9, -0.1))


def ramp_triangles() -> np.ndarray:
    """A ramp that rises from (6, 0) to (2, 4), as x and z, between y = 2 and 4."""
    low = [(2, 2, 0), (6, 2, 0), (2, 2, 4)]
    high = [(x, 4, z) for x, _, z in low]
    (a, b, c), (d, e, f) = low, high
    sides = [(a, b, c), (d, f, e), (a, d, b), (b, d, e), (a, c, d), (c, f, d), (b, e, c), (c, e, f)]
    return np.array(sides, dtype=float)


class TestBadFiles:
    def test_neither_resolution_nor_heights(self, tmp_path):
        file = write_obj(tmp_path / "a.obj", GROUND)
        with pytest.raises(fw.BadInput, match=r"a\.obj: is a mesh: give resolution= .*between="):
            fw.load(file)
        with pytest.raises(fw.BadInput, match="give one of them"):
            fw.load(file, resolution=1, between=(0, 1))

    @pytest.mark.parametrize("resolution", [0, -1, float("nan"), "fine"])
    def test_bad_resolution(self, tmp_path, resolution):
        with pytest.raises(fw.BadInput, match=r"the resolution is .* must be"):
            fw.load(write_obj(tmp_path / "a.obj", GROUND), resolution=resolution)

    def test_without_trimesh(self, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "trimesh", None)
        with pytest.raises(fw.BadInput, match=r'needs trimesh: pip install "footway\[mesh\]"'):
            volume_of(tmp_path, GROUND)

    @pytest.mark.parametrize("name", ["a.obj", "a.ply", "a.stl", "a.glb", "a.gltf"])
    @pytest.mark.parametrize("content", [b"nonsense\n", b"\x00\x01\x02\xff" * 40, b"{}"])
    def test_no_mesh(self, tmp_path, name, content):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(fw.BadFile) as caught:
            fw.load(tmp_path / name, resolution=1)
        assert str(tmp_path / name) in str(caught.value)
        assert "\n" not in str(caught.value)

    def test_no_faces(self, tmp_path):
        (tmp_path / "a.obj").write_text(EMPTY)
        with pytest.raises(fw.BadFile, match=r"without faces|damaged"):
            fw.load(tmp_path / "a.obj", resolution=1)

    def test_wrong_units(self, tmp_path):
        with pytest.raises(
            fw.BadGeometry, match=r"from x = 0 to 10,000,000 m, .* middle is 5,000,000, .*scale="
        ):
            volume_of(tmp_path, 1e6 * GROUND)
        with pytest.raises(fw.BadFile, match=r"no face wider than 1 mm; give scale="):
            volume_of(tmp_path, 1e-5 * GROUND)

    def test_sizes_that_can_hardly_be_metres(self, tmp_path):
        with pytest.raises(fw.BadGeometry, match=r"is 0.1 x 0.08 x 0.01 m, .* give scale="):
            volume_of(tmp_path, 0.01 * GROUND, resolution=0.5)
        with pytest.raises(fw.BadInput, match=r"mesh is 100,000 x 80,000 x 10,000 m: .* scale="):
            volume_of(tmp_path, 1e4 * GROUND, resolution=0.5)

    def test_what_the_reader_says_about_its_arrays_is_left_out(self, tmp_path):
        for name, content in (("a.obj", "# nothing\n"), ("a.stl", "hello world\n")):
            (tmp_path / name).write_text(content)
            with pytest.raises(fw.BadFile, match=r"empty or not a (OBJ|STL) mesh") as caught:
                fw.load(tmp_path / name, resolution=1)
            assert "array" not in str(caught.value)

    def test_numbers_that_are_none(self, tmp_path):
        (tmp_path / "a.obj").write_text("v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        with pytest.raises(fw.BadInput, match=r"not finite, first face 1 of 1|damaged"):
            fw.load(tmp_path / "a.obj", resolution=1)

    def test_missing(self, tmp_path):
        with pytest.raises(fw.BadFile, match="does not exist"):
            fw.load(tmp_path / "a.glb", resolution=1)


class TestRealMeshes:
    def test_recast_level(self):
        file = shared("meshes/nav_test.obj")
        volume = fw.load(file, resolution=1)
        assert volume.size == (92, 78, 22)
        assert kinds(volume) == ["self-intersection"]
        env = fw.load(file, between=(1, 2))
        assert env.holes == 17
        judge_plan(env, volume, between=(1, 2))

    def test_three_js_level(self):
        file = shared("meshes/collision-world.glb")
        volume = fw.load(file, resolution=0.5)
        assert kinds(volume) == ["open mesh", "self-intersection"]
        env = fw.load(file, between=(0.2, 1.5))
        assert kinds(env) == ["self-intersection", "open mesh", "island"]
        # Of open bodies the voxels have the shell only, the plan has the inside too.
        judge_plan(env, volume, between=(0.2, 1.5), share=0.95)

    def test_plans_can_be_walked(self):
        env = fw.load(shared("meshes/nav_test.obj"), between=(1, 2))
        path = fw.CorridorMap.build(env).path((-20, 30), (50, -20), radius=0.5)
        assert path.clearance >= 0.5 - 1e-9


def judge_plan(env, volume, *, between, share=1.0) -> None:
    """Columns of voxels that are free between the heights are walkable in the exact plan."""
    step, (x0, y0, z0) = volume.resolution, volume.origin
    first, last = (int(np.floor((height - z0) / step)) for height in between)
    free = ~volume.solid[first : last + 1].any(axis=0)
    j, i = np.nonzero(free)
    middle = (x0 + (i + 0.5) * step, y0 + (j + 0.5) * step)
    x1, y1 = env.walkable.bounds[2:]
    inside = (middle[0] < x1) & (middle[1] < y1)
    walkable = shapely.contains_xy(env.walkable, *middle)
    assert inside.sum() > 500
    assert walkable[inside].mean() >= share


class TestBuffersOfGltf:
    """A .gltf stores its buffers in data URIs or in files beside it."""

    @pytest.fixture
    def write(self, tmp_path):
        floor, crate = trimesh.creation.box((4, 1, 6)), trimesh.creation.box((1, 1, 1))
        crate.apply_translation((0, 1, 0))
        mesh = trimesh.util.concatenate([floor, crate])

        def run(change=lambda document, raw: None, name="model.gltf", buffer="my model.bin"):
            found = trimesh.Scene(mesh).export(file_type="gltf")
            document = json.loads(found.pop("model.gltf"))
            raws = [found[one["uri"]] for one in document["buffers"]]
            for k, raw in enumerate(raws):
                file = tmp_path / f"{k} {buffer}"
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(raw)
                document["buffers"][k]["uri"] = quote(f"{k} {buffer}")
            change(document, raws)
            (tmp_path / name).write_text(json.dumps(document))
            return tmp_path / name

        return run

    def size(self, file):
        return fw.load(file, resolution=1).size

    def test_files_beside_it(self, write):
        assert self.size(write()) == (4.0, 6.0, 2.0)

    def test_files_in_a_folder_beside_it(self, write):
        assert self.size(write(buffer="parts/model.bin")) == (4.0, 6.0, 2.0)

    def test_data_uris(self, write):
        def inline(document, raws):
            for one, raw in zip(document["buffers"], raws, strict=True):
                text = base64.b64encode(raw).decode()
                one["uri"] = f"data:application/octet-stream;base64,{text}"

        assert self.size(write(inline)) == (4.0, 6.0, 2.0)

    def test_pictures_are_not_needed(self, write):
        def look(document, raws):
            document["images"] = [{"uri": "missing.png"}]
            document["textures"] = [{"source": 0}]
            colour = {"baseColorTexture": {"index": 0}}
            document["materials"] = [{"pbrMetallicRoughness": colour}]
            document["meshes"][0]["primitives"][0]["material"] = 0

        assert self.size(write(look)) == (4.0, 6.0, 2.0)

    @pytest.mark.parametrize(
        ("uri", "words"),
        [
            ("missing.bin", "its buffer 'missing.bin', beside it, does not exist"),
            ("../outside.bin", "outside the folder of the model; put the file there"),
            ("%2e%2e/outside.bin", "outside the folder of the model"),
            ("/etc/hostname", "outside the folder of the model"),
            ("file:///etc/hostname", "is not in a file; save the model as .glb"),
            ("https://example.org/a.bin", "is not in a file"),
            ("link.bin", "outside the folder of the model"),
            ("", "is a directory"),
        ],
    )
    def test_other_files_are_not_read(self, write, tmp_path, uri, words):
        (tmp_path.parent / "outside.bin").write_bytes(bytes(1000))
        (tmp_path / "link.bin").symlink_to(tmp_path.parent / "outside.bin")
        file = write(lambda document, raws: document["buffers"][0].update(uri=uri))
        with pytest.raises(fw.BadFile, match=re.escape(words)) as caught:
            fw.load(file, resolution=1)
        assert len(str(caught.value).splitlines()) == 1

    def test_a_buffer_that_is_cut_off(self, write, tmp_path):
        file = write()
        first = next(tmp_path.glob("0*"))
        first.write_bytes(first.read_bytes()[:10])
        with pytest.raises(fw.BadFile, match=r"has 10 bytes instead of \d+; save the model again"):
            fw.load(file, resolution=1)

    @pytest.mark.parametrize("buffers", [3, [3], [{"uri": 3}], [{"uri": "a", "byteLength": "x"}]])
    def test_documents_that_are_damaged(self, write, buffers):
        file = write(lambda document, raws: document.update(buffers=buffers))
        with pytest.raises(fw.BadFile):
            fw.load(file, resolution=1)
