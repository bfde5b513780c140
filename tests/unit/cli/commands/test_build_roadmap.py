import numpy as np
import pytest

import footway as fw
from tests.unit.formats.meshes import box, write_obj


@pytest.fixture
def volume(tmp_path):
    """Two halls, one above the other: 10 x 8 x 9 voxels with a hatch, as a .3dmap."""
    solid = np.zeros((9, 8, 10), bool)
    solid[4] = True
    solid[4, 2:6, 6:10] = False
    file = tmp_path / "halls.3dmap"
    rows = [f"{x} {y} {z}" for z, y, x in np.argwhere(solid)]
    file.write_text("\n".join(["voxel 10 8 9", *rows]) + "\n")
    return file


@pytest.fixture
def saved(footway, room, tmp_path):
    """A saved roadmap of the room."""
    file = tmp_path / "room.fwmap"
    assert footway("build", room, "--method", "rrm", "--radius", "0.5", "-o", file).code == 0
    return file


def test_says_what_it_built(footway, room):
    out = footway("build", room, "--method", "rrm", "--radius", "0.5").printed
    for word in ("RRM", "nodes", "clearance", "disc of radius 0.5 m"):
        assert word in out


def test_says_which_passages_are_closed(footway, tmp_path):
    plan = tmp_path / "two.wkt"
    door = "4 1.6, 4.2 1.6, 4.2 0, 8 0, 8 4, 4.2 4, 4.2 2.5, 4 2.5"
    plan.write_text(f"POLYGON ((0 0, 4 0, {door}, 4 4, 0 4, 0 0))")
    build = ("build", plan, "--method", "rrm", "--radius", "0.2")
    said = footway(*build, "--resolution", "0.9").out
    assert "note: cells of 0.9 m close 1 passage for the object, the narrowest 0.90 m wide" in said
    assert "--resolution 0.18 opens them" in said
    assert "note" not in footway(*build, "--resolution", "0.18").out
    assert "note" not in footway(*build).out  # the default keeps the door open
    (closed,) = footway(*build, "--resolution", "0.9", "--json").json["closed_passages"]
    assert closed["width"] == pytest.approx(0.9)


def test_says_that_voxels_close_a_tunnel(footway, tmp_path):
    solid = np.zeros((8, 8, 20), bool)
    solid[:, :, 9:11] = True
    solid[4, 4, 9:11] = False
    file = tmp_path / "halls.3dmap"
    rows = [f"{x} {y} {z}" for z, y, x in np.argwhere(solid)]
    file.write_text("\n".join(["voxel 20 8 8", *rows]) + "\n")
    said = footway("build", file, "--method", "rrm", "--radius", "0.4").out
    assert "note: cells of 1 m close 1 passage for the object, such as at" in said


def test_says_that_it_is_in_parts(footway, tmp_path):
    plan = tmp_path / "two.wkt"
    plan.write_text("MULTIPOLYGON (((0 0, 4 0, 4 4, 0 4, 0 0)), ((5 0, 9 0, 9 4, 5 4, 5 0)))")
    assert "note: it is in 2 parts" in footway("build", plan, "--method", "rrm").out


def test_a_voronoi_roadmap(footway, room, tmp_path):
    file, plot = tmp_path / "room.fwmap", tmp_path / "room.png"
    options = ("--clearance", "0.8", "--samples", "40", "--usefulness", "2", "--seed", "3")
    build = ("build", room, "--method", "voronoi_prm", "--radius", "0.3", *options, "-o", file)
    answer = footway(*build, "--plot", plot, "--json").json
    assert answer["method"] == "voronoi_prm"
    assert answer["cycles"] == 1
    assert answer["clearance"]["min"] >= 0.0
    assert answer["parameters"]["clearance"] == 0.8
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert fw.Roadmap.load(file).method == "voronoi_prm"
    path = footway("path", file, "--start", "1,1", "--goal", "9,7", "--json").json
    assert path["radius"] == 0.3
    assert path["clearance"] >= 0.3 - 1e-6
    assert path["turns"] >= 1


def test_passages_may_be_missed(footway, room):
    build = ("build", room, "--method", "voronoi_prm", "--samples", "1")
    assert footway(*build, "--json").json["cycles"] == 1
    assert footway(*build, "--no-every-passage", "--json").json["cycles"] == 0


def test_grid_in_json(footway, room):
    answer = footway("build", room, "--method", "grid", "--resolution", "1", "--json").json
    assert answer["method"] == "grid"
    assert answer["dimension"] == 2
    assert answer["parameters"]["resolution"] == 1.0
    assert answer["edges"] > answer["nodes"] > 30
    assert answer["clearance"]["min"] <= answer["clearance"]["mean"] <= answer["clearance"]["max"]
    assert answer["times_ms"]["build"] > 0


def test_a_saved_roadmap_is_a_map(footway, saved, tmp_path):
    assert fw.Roadmap.load(saved).method == "rrm"
    answer = footway("build", saved, "--plot", tmp_path / "room.svg", "--json").json
    assert answer["method"] == "rrm"
    assert (tmp_path / "room.svg").read_text().startswith("<?xml")


def test_path_on_a_saved_roadmap(footway, saved, tmp_path):
    query = ("path", saved, "--start", "1,1", "--goal", "9,7", "--radius", "0.5")
    answer = footway(*query, "--plot", tmp_path / "path.png", "--json").json
    assert answer["points"][0] == [1.0, 1.0]
    assert answer["points"][-1] == [9.0, 7.0]
    assert answer["clearance"] >= 0.5 - 1e-6
    assert footway(*query, "--follow", "cmm", "--json").json["clearance"] >= 0.5 - 1e-6


def test_build_and_path_in_space(footway, volume, tmp_path):
    file, plot = tmp_path / "halls.fwmap", tmp_path / "halls.png"
    build = ("build", volume, "--method", "rrm", "--size", "1,1,1", "-o", file, "--plot", plot)
    assert footway(*build, "--json").json["dimension"] == 3
    assert plot.read_bytes().startswith(b"\x89PNG")
    query = ("path", file, "--start", "2,2,2", "--goal", "2,2,7")
    answer = footway(*query, "--plot", tmp_path / "path.png", "--json").json
    assert answer["points"][-1] == [2.0, 2.0, 7.0]
    assert answer["bottleneck"] is None
    out = footway(*query).printed
    assert "(2.00, 2.00, 7.00)" in out
    assert "box of 1 x 1 x 1 m" in out


def test_no_path_in_space_is_exit_3(footway, tmp_path):
    solid = np.zeros((9, 8, 10), bool)
    solid[4] = True
    halls = fw.Volume(solid, resolution=1.0)
    file, plot = tmp_path / "apart.fwmap", tmp_path / "why.png"
    from footway.roadmap.lattice.rrm import rrm

    rrm(halls, size=(1, 1, 1)).save(file)
    query = ("path", file, "--start", "2,2,2", "--goal", "2,2,7")
    footway(*query, "--plot", plot).refuses(code=3, out=f"Wrote {plot}\n")
    assert plot.exists()
    assert footway(*query, "--json").json["reason"] == "components"


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("--method", "nope"), "nope"),
        (("--radius", "0.3"), "--method"),
        (("--seed", "3"), "--method"),
        (("--method", "grid", "--seed", "3"), "--seed"),
        (("--method", "rrm", "--usefulness", "2"), "--usefulness"),
        (("--method", "rrm", "--radius", "1", "--size", "1,1,1"), "give one"),
        (("--method", "rrm", "--size", "1,1,1"), "disc"),
        (("--method", "rrm", "--size", "1,1"), "3,3,3"),
        (("--method", "rrm", "--radius", "-1"), "radius"),
        (("--method", "rrm", "--radius", "nan"), "radius"),
        (("--method", "rrm", "--radius", "thin"), "'thin'"),
        (("--method", "rrm", "--resolution", "0"), "resolution"),
        (("--method", "rrm", "--resolution", "1e-6"), "GiB"),
        (("--method", "grid", "--radius", "4"), "fits in no cell"),
        (("--method", "rrm_star", "--usefulness", "0"), "more than 0"),
        (("--method", "rrrm", "--usefulness", "nan"), "K"),
        (("--method", "rrrm", "--clearance", "1"), "--clearance"),
        (("--method", "rrrm", "--samples", "10"), "--samples"),
        (("--method", "rrm", "--no-every-passage"), "--every-passage"),
        (("--every-passage",), "--every-passage"),
        (("--method", "voronoi_prm", "--size", "1,1,1"), "--size"),
        (("--method", "voronoi_prm", "--radius", "0"), "radius"),
        (("--method", "voronoi_prm", "--radius", "0.5", "--clearance", "0.2"), "clearance"),
        (("--method", "voronoi_prm", "--clearance", "nan"), "clearance"),
        (("--method", "voronoi_prm", "--samples", "-1"), "samples"),
        (("--method", "voronoi_prm", "--samples", "some"), "--samples"),
        (("--method", "voronoi_prm", "--usefulness", "0.5"), "0.5"),
        (("--method", "voronoi_prm", "--radius", "4"), "widest place"),
        (("--method", "rrm", "--between", "1,2"), "is a plan"),
        (("--between", "1"), "0.2,1.8"),
    ],
)
def test_bad_options_are_one_line(footway, room, arguments, part):
    footway("build", room, *arguments).refuses(part)


def test_a_saved_map_takes_no_method(footway, saved):
    for more in (("--method", "rrm"), ("--between", "1,2")):
        footway("build", saved, *more).refuses("saved")


@pytest.mark.parametrize(
    "command",
    [
        ("build", "gallery:house"),
        ("check", "gallery:house"),
        ("path", "gallery:house", "--start", "1,1", "--goal", "2,2"),
    ],
)
def test_a_volume_needs_a_method(footway, command):
    footway(*command).refuses("--method")


def test_a_plan_is_cut_from_a_volume(footway):
    answer = footway("build", "gallery:house", "--between", "0.2,2", "--json").json
    assert answer["bounds"] == [0.0, 0.0, 57.0, 40.0]


def test_a_mesh_needs_a_resolution(footway, tmp_path):
    file = tmp_path / "box.obj"
    file.write_text("v 0 0 0\n")
    footway("build", file, "--method", "rrm").refuses("--resolution")


@pytest.fixture
def mesh(tmp_path):
    """A hall of 10 x 8 x 4 m in a block, as an OBJ with z up."""
    block, hall = box((-1, -1, -1), (11, 9, 5)), box((0, 0, 0), (10, 8, 4), inward=True)
    return write_obj(tmp_path / "hall.obj", block, hall)


def test_a_mesh_stands_as_up_says(footway, mesh):
    pytest.importorskip("trimesh")
    build = ("build", mesh, "--method", "rrm", "--resolution", "1", "--radius", "0.4", "--json")
    assert footway(*build, "--up", "z").json["bounds"] == [-1, -1, -1, 11, 9, 5]
    assert footway(*build).json["bounds"] == [-1, -5, -1, 11, 1, 9]
    plan = ("build", mesh, "--between", "1,2", "--json")
    assert footway(*plan, "--up", "z").json["bounds"] == [0, 0, 10, 8]
    assert footway(*plan, "--up", "x").code == 2


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ((), ("--method rrrm --resolution", "--between LOW,HIGH")),
        (("--between", "70,80"), ("or --up if",)),
        (("--method", "rrm", "--resolution", "100"), ("give --scale",)),
        (("--method", "rrm", "--resolution", "1e-9"), ("give --scale",)),
    ],
)
def test_meshes_are_refused_in_words_of_the_command_line(footway, mesh, options, parts):
    pytest.importorskip("trimesh")
    result = footway("build", mesh, *options)
    result.refuses()
    assert all(part in result.err for part in parts)
    assert "=" not in result.err


def test_fake_obstacles_are_reported(footway, saved, tmp_path):
    editor = fw.roadmap.Editor(fw.Roadmap.load(saved))
    editor.add_fake_obstacle(box=((4, 5), (6, 8)))
    editor.roadmap.save(saved)
    out = footway("build", saved, "--plot", tmp_path / "room.png").printed
    assert "by 1 fake obstacle" in out
    assert "(0.00, 0.00) to (10.00, 8.00)" in out


def test_there_is_one_mean_clearance(footway, saved):
    answer = footway("build", saved, "--json").json["clearance"]
    found = fw.roadmap.clearance_statistics(fw.Roadmap.load(saved))
    assert list(answer.values()) == pytest.approx(list(found))


@pytest.fixture
def halls(footway, volume, tmp_path):
    """Saved roadmaps in the two halls: of a box and of a ball."""
    files = tmp_path / "box.fwmap", tmp_path / "ball.fwmap"
    for file, thing in zip(files, (("--size", "1,1,1"), ("--radius", "0.5")), strict=True):
        assert footway("build", volume, "--method", "rrm", *thing, "-o", file).code == 0
    return files


def test_clearance_in_space_is_of_the_box_or_of_the_centre(footway, halls):
    ends = ("--start", "2,2,2", "--goal", "5,3,2")
    for file, thing, whose in zip(halls, ("box of 1", "ball of"), ("box", "centre"), strict=True):
        result = footway("path", file, *ends)
        assert f"m, of the {whose}" in result.out
        walk = footway("path", file, *ends, "--follow", "cmm")
        for text in (result.out, walk.out):
            certificate = next(line for line in text.splitlines() if "Certified" in line)
            assert thing in certificate
            assert ("its centre" in certificate) == (whose == "centre")


def test_a_radius_is_that_of_a_ball(footway, halls):
    ends = ("--start", "2,2,2", "--goal", "5,3,2", "--radius", "0.7")
    box_map, ball_map = halls
    for more in ((), ("--follow", "cmm")):
        footway("path", box_map, *ends, *more).refuses(
            "--radius is for a ball, and here a box of 1 x 1 x 1 m moves"
        )
    assert "a ball of radius 0.7 m" in footway("path", ball_map, *ends).out


def test_where_a_point_in_space_is(footway, halls):
    box_map, _ = halls
    editor = fw.roadmap.Editor(fw.Roadmap.load(box_map))
    editor.add_fake_obstacle(box=((7, 1, 1), (9, 3, 3)))
    editor.roadmap.save(box_map)
    for start, words in (
        (
            "2,2,90",
            "is outside the map, which reaches from (0.00, 0.00, 0.00) to (10.00, 8.00, 9.0",
        ),
        ("2,2,4.5", "is in an obstacle, or too near to it for a box of 1 x 1 x 1 m; the nearest "),
        ("8,2,2", "is in a fake obstacle, or too near"),
    ):
        for more in ((), ("--follow", "cmm")):
            footway("path", box_map, "--start", start, "--goal", "2,2,2", *more).refuses(
                "--start", words
            )


def test_nodes_near_a_point_in_space(footway, halls):
    found = footway("edit", halls[0], "--near", "2,2,2", "--json").json["near"]
    nodes = fw.Roadmap.load(halls[0]).nodes
    away = np.linalg.norm(nodes - (2, 2, 2), axis=1)
    assert [near["node"] for near in found] == np.argsort(away, kind="stable")[
        : len(found)
    ].tolist()


def test_points_in_space_need_a_roadmap(footway):
    footway("path", "gallery:house", "--start", "8,6,5", "--goal", "48,30,15").refuses(
        "build a roadmap"
    )


def test_points_have_the_dimensions_of_the_map(footway, saved):
    footway("path", saved, "--start", "1,1,1", "--goal", "9,7").refuses("give X,Y")
    result = footway("path", saved, "--start", "1,1", "--goal", "1,x,2")
    assert result.code == 2
