"""MovingAI voxel maps, and plans cut from volumes."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

import footway as fw
from footway.environment import Volume, volume
from footway.formats.grid_tracing import cut_plan
from tests.shared_data import shared

SMALL = "voxel 4 3 2\n0 0 0\n3 2 1\n"


@pytest.fixture
def small(tmp_path):
    (tmp_path / "a.3dmap").write_text(SMALL)
    return tmp_path / "a.3dmap"


def test_voxels(small):
    volume = fw.load(small)
    assert volume.size == (4, 3, 2)
    assert volume.name == "a"
    assert np.argwhere(volume.solid).tolist() == [[0, 0, 0], [1, 2, 3]]
    assert fw.load(small, scale=0.5).size == (2, 1.5, 1)
    assert fw.load(small, resolution=1).resolution == 1


def test_plan(small):
    assert fw.load(small, between=(0, 1)).area == 11
    assert fw.load(small, between=(0.5, 1.5)).area == 10
    assert fw.load(small, scale=0.5, between=(0, 0.5)).area == 11 / 4


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("voxel 4 3\n", "line 1: .* is not a size"),
        ("voxels 4 3 2\n", "line 1: .* is not a size"),
        ("voxel 4 0 2\n", "line 1: .* is not a size"),
        ("voxel 4 -3 2\n", "line 1: .* is not a size"),
        ("voxel 9999999 1 1\n", "line 1: .* is not a size"),
        (SMALL + "1 1\n", "line 4: '1 1' is not a voxel"),
        (SMALL + "1 1 x\n", "line 4: '1 1 x' is not a voxel"),
        (SMALL + "\n1 1 -1\n", "line 5: '1 1 -1' is not a voxel"),
        (SMALL + "1 1 2\n", "line 4: voxel '1 1 2' lies outside the size 4 3 2"),
        (SMALL + "1 1 99999999999999999999\n", "is not a voxel"),
    ],
)
def test_bad_files(tmp_path, content, message):
    (tmp_path / "a.3dmap").write_text(content)
    with pytest.raises(fw.BadFile, match=message):
        fw.load(tmp_path / "a.3dmap")


def test_too_large(small, monkeypatch):
    monkeypatch.setattr(volume, "free_memory", lambda: 100)
    with pytest.raises(fw.BadInput, match="24 cells"):
        fw.load(small)


def test_bad_options(small):
    for other in (0.5, 2):
        with pytest.raises(fw.BadInput, match="has voxels of 1 m; leave out resolution="):
            fw.load(small, resolution=other)
    with pytest.raises(fw.BadInput, match="needs neither"):
        fw.load(small, up="y")
    with pytest.raises(fw.BadInput, match=r"outside the volume, which reaches from 0 to 2 m"):
        fw.load(small, between=(0, 3))


def test_a_plan_needs_a_free_column():
    with pytest.raises(fw.BadGeometry, match="nothing is walkable"):
        cut_plan(Volume(np.ones((2, 2, 2), bool), resolution=1), (0, 1))


def test_a_plan_lies_where_the_volume_lies():
    volume = Volume(np.zeros((2, 3, 4), bool), resolution=0.5, origin=(10, 20, 30), name="here")
    env = cut_plan(volume, (30.1, 30.6))
    assert env.bounds == (10, 20, 12, 21.5)
    assert env.name == "here"


def test_a_plan_is_not_mirrored():
    solid = np.zeros((1, 3, 4), bool)
    solid[0, 0, 1] = True
    env = cut_plan(Volume(solid, resolution=1), (0, 1))
    assert env.area == 11
    assert not shapely.intersects_xy(env.walkable, 1.5, 0.5)


def test_movingai_map():
    volume = fw.load(shared("grids3d/Simple.3dmap"))
    assert volume.size == (105, 132, 105)
    assert volume.solid.sum() == 512
    queries = np.loadtxt(shared("grids3d/Simple.3dmap.3dscen"), skiprows=2)[:, :6].astype(int)
    for x, y, z in (queries[:, :3].T, queries[:, 3:].T):
        assert not volume.solid[z, y, x].any()
