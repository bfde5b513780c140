"""Saved roadmaps come back to the last bit; damaged ones are refused in one line."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import footway as fw
from footway.roadmap import Editor, Roadmap
from footway.roadmap.archive import KIND, is_roadmap
from footway.roadmap.lattice.space import make_space, space_of_cells
from tests.archives import pack, rewrite, unpack


@pytest.fixture(scope="module")
def flat() -> Roadmap:
    env = fw.Environment.from_polygons(bounds=(0, 0, 8, 6), obstacles=[[(3, 2), (5, 2), (4, 4)]])
    space = make_space(env, resolution=0.5, radius=0.25)
    paths = [[(1, 1), (4, 0.7), (7, 1)], [(7, 1), (7, 5)]]
    return Roadmap.make(
        [(1, 1), (7, 1), (7, 5)], [(0, 1), (1, 2)], space, method="rrrm", paths=paths,
        weights=[1, 2.5], name="hut", parameters={"seed": 3}, seconds={"guards": 0.5},
    )  # fmt: skip


@pytest.fixture(scope="module")
def solid() -> Roadmap:
    space = space_of_cells(np.ones((4, 5, 6), bool), 0.5)
    return Roadmap.make([(1, 1, 1), (2, 1, 1)], [(0, 1)], space, method="grid", name="box")


@pytest.mark.parametrize("which", ["flat", "solid"])
def test_comes_back(which, request, tmp_path):
    roadmap, file = request.getfixturevalue(which), tmp_path / "map.fwmap"
    roadmap.save(file)
    again = Roadmap.load(file)
    for name in ("nodes", "edges", "path_points", "path_offsets", "weights"):
        assert np.array_equal(getattr(again, name), getattr(roadmap, name)), name
    for name in ("method", "name", "parameters", "seconds", "fake_obstacles"):
        assert getattr(again, name) == getattr(roadmap, name), name
    for mine, theirs in zip(again.space, roadmap.space, strict=True):
        assert np.array_equal(mine, theirs)
    assert is_roadmap(file)


def test_fake_obstacles_come_back(flat, tmp_path):
    editor = Editor(flat)
    editor.add_fake_obstacle([(1, 3), (2, 3), (2, 4)])
    editor.roadmap.save(tmp_path / "map.fwmap")
    again = Roadmap.load(tmp_path / "map.fwmap")
    assert again.fake_obstacles == editor.roadmap.fake_obstacles


def test_a_corridor_map_loads_it(flat, tmp_path):
    file = tmp_path / "map.fwmap"
    flat.save(file)
    cmap = fw.CorridorMap.load(file)
    assert cmap.path((1, 1), (7, 5), radius=0.25).clearance >= 0.25
    cmap.save(file)
    assert is_roadmap(file)


def test_a_corridor_map_is_none(flat, tmp_path):
    file = tmp_path / "map.fwmap"
    fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 4, 4))).save(file)
    assert not is_roadmap(file)
    with pytest.raises(fw.BadFile, match="another kind of file"):
        Roadmap.load(file)


def test_an_infinite_parameter_is_written_as_json(flat, tmp_path):
    def refuse(word: str) -> None:
        pytest.fail(f"{word} is no JSON")

    file = tmp_path / "endless.fwmap"
    flat.with_changes(parameters={"usefulness": math.inf, "seed": 3}).save(file)
    with np.load(file) as archive:
        json.loads(bytes(archive["header"]), parse_constant=refuse)
    assert Roadmap.load(file).parameters == {"usefulness": math.inf, "seed": 3}


class TestDamaged:
    @pytest.fixture
    def file(self, flat, tmp_path):
        flat.save(tmp_path / "map.fwmap")
        return tmp_path / "map.fwmap"

    def refused(self, file) -> str:
        with pytest.raises(fw.BadFile) as error:
            Roadmap.load(file)
        message = str(error.value)
        assert "\n" not in message
        assert str(file) in message
        return message

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("nodes", np.ones((3, 3))),
            ("nodes", np.full((3, 2), np.nan)),
            ("edges", np.array([[0, 1], [1, 7]])),
            ("edges", np.array([[0, 1.0], [1, 2]])),
            ("path_offsets", np.array([0, 9, 5])),
            ("weights", np.array([1.0, -1])),
            ("free", np.ones((1, 2, 2), bool)),
            ("clearance", np.full((1, 13, 17), -1.0)),
            ("walls", np.ones((2, 3))),
        ],
    )
    def test_arrays(self, file, name, value):
        rewrite(file, lambda _, arrays: arrays.update({name: value}))
        self.refused(file)

    @pytest.mark.parametrize(
        "change",
        [
            {"resolution": 1e-9}, {"resolution": 2.0}, {"resolution": True}, {"origin": [0, 0]},
            {"origin": [1, 0, 0]}, {"radius": 0.5}, {"radius": -1}, {"dimension": 3},
            {"dimension": 2.0}, {"method": "x"}, {"fake_obstacles": [1]}, {"name": 3},
            {"fake_obstacles": [{"kind": "box", "points": [[1, 1, 1], [2, 2, 2]]}]},
            {"parameters": {"seed": {}}}, {"seconds": {"grid": "x"}}, {"more": 1},
        ],
    )  # fmt: skip
    def test_facts(self, file, change):
        rewrite(file, lambda header, _: header["facts"].update(change))
        self.refused(file)

    @pytest.mark.parametrize("version", [1, 99, None])
    def test_another_version(self, file, version):
        rewrite(file, lambda header, _: header.update(version=version))
        assert "build it again or update Footway" in self.refused(file)

    def test_missing_cut_and_other(self, file, tmp_path):
        assert "does not exist" in self.refused(tmp_path / "none.fwmap")
        content = file.read_bytes()
        for keep in (0, 10, len(content) // 2):
            file.write_bytes(content[:keep])
            self.refused(file)
            assert not is_roadmap(file)

    @pytest.mark.parametrize("load", [Roadmap.load, fw.CorridorMap.load])
    def test_no_message_suggests_to_allow_pickles(self, file, load):
        file.write_text('{"type": "FeatureCollection"}')
        with pytest.raises(fw.BadFile, match=r"damaged \(it is not an archive of arrays\)"):
            load(file)
        file.write_bytes(pack({}, {"header": np.array([{}], object)}))
        with pytest.raises(fw.BadFile, match="is not an array of plain numbers"):
            load(file)

    def test_cannot_be_written(self, flat, tmp_path):
        with pytest.raises(fw.BadFile, match="cannot be written"):
            flat.save(tmp_path / "no" / "map.fwmap")

    def test_a_parameter_that_is_no_number(self, flat, tmp_path):
        odd = flat.with_changes(parameters={"usefulness": math.nan})
        with pytest.raises(fw.BadInput, match="the parameters of the roadmap cannot be written"):
            odd.save(tmp_path / "odd.fwmap")
        assert not (tmp_path / "odd.fwmap").exists()

    def test_says_what_it_is(self, file):
        header, _ = unpack(file.read_bytes())
        assert (header["format"], header["facts"]["kind"]) == (KIND.format, "roadmap")


@pytest.mark.parametrize("at", [(4, -0.1), (4, 6.1), (-0.1, 1), (8.1, 1)])
def test_paths_outside_of_the_cells_are_refused(flat, tmp_path, at):
    """Only the middle of a path is moved: its ends are where its nodes are."""
    file = tmp_path / "map.fwmap"
    flat.save(file)

    def move(_header, arrays):
        arrays["path_points"][1] = at

    rewrite(file, move)
    with pytest.raises(fw.BadFile, match="array path_points has points outside the cells"):
        Roadmap.load(file)
