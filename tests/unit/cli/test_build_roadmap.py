import numpy as np
import pytest

import footway as fw


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
    result = footway("build", room, "--method", "rrm", "--radius", "0.5")
    assert result.code == 0
    for word in ("RRM", "nodes", "clearance", "disc of radius 0.5 m"):
        assert word in result.out


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
    result = footway(*query)
    assert result.code == 0
    assert "(2.00, 2.00, 7.00)" in result.out
    assert "box of 1 x 1 x 1 m" in result.out


def test_no_way_in_space_is_exit_3(footway, tmp_path):
    solid = np.zeros((9, 8, 10), bool)
    solid[4] = True
    halls = fw.Volume(solid, resolution=1.0)
    file, plot = tmp_path / "apart.fwmap", tmp_path / "why.png"
    from footway.roadmap.rrm import rrm

    rrm(halls, size=(1, 1, 1)).save(file)
    query = ("path", file, "--start", "2,2,2", "--goal", "2,2,7")
    result = footway(*query, "--plot", plot)
    assert result.code == 3
    assert len(result.err.splitlines()) == 1
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
        (("--method", "rrm-star", "--usefulness", "0"), "above 0"),
        (("--method", "rrrm", "--usefulness", "nan"), "K"),
        (("--method", "rrm", "--between", "1,2"), "is a plan"),
        (("--between", "1"), "0.2,1.8"),
    ],
)
def test_bad_wishes_are_one_line(footway, room, arguments, part):
    result = footway("build", room, *arguments)
    assert result.code == 2
    assert len(result.err.splitlines()) == 1
    assert part in result.err


def test_a_saved_map_takes_no_method(footway, saved):
    for more in (("--method", "rrm"), ("--between", "1,2")):
        result = footway("build", saved, *more)
        assert result.code == 2
        assert "saved" in result.err


@pytest.mark.parametrize(
    "command",
    [
        ("build", "gallery:house"),
        ("check", "gallery:house"),
        ("path", "gallery:house", "--start", "1,1", "--goal", "2,2"),
    ],
)
def test_a_volume_needs_a_method(footway, command):
    result = footway(*command)
    assert result.code == 2
    assert "--method" in result.err
    assert len(result.err.splitlines()) == 1


def test_a_plan_is_cut_from_a_volume(footway):
    answer = footway("build", "gallery:house", "--between", "0.2,2", "--json").json
    assert answer["bounds"] == [0.0, 0.0, 57.0, 40.0]


def test_a_mesh_needs_a_resolution(footway, tmp_path):
    file = tmp_path / "box.obj"
    file.write_text("v 0 0 0\n")
    result = footway("build", file, "--method", "rrm")
    assert result.code == 2
    assert "--resolution" in result.err


def test_points_have_the_dimensions_of_the_map(footway, saved):
    result = footway("path", saved, "--start", "1,1,1", "--goal", "9,7")
    assert result.code == 2
    assert "give X,Y" in result.err
    result = footway("path", saved, "--start", "1,1", "--goal", "1,x,2")
    assert result.code == 2
