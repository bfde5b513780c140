"""Volumes: properties, conversion of boxes to voxels, and rejected input."""

from __future__ import annotations

import numpy as np
import pytest

import footway as fw
from footway.environment import Volume


def test_sizes_are_in_metres_and_z_is_up():
    solid = np.zeros((2, 3, 4), dtype=bool)
    solid[1, 2, 3] = True
    volume = Volume(solid, resolution=0.5, origin=(1, 2, 3), name="a")
    assert volume.bounds == (1.0, 2.0, 3.0, 3.0, 3.5, 4.0)
    assert volume.size == (2.0, 1.5, 1.0)
    assert volume.free_volume == 23 / 8
    assert repr(volume) == ("<Volume 'a': 2 x 1.5 x 1 m, voxels of 0.5 m, 2.9 m3 free, 0 repairs>")


def test_voxels_are_a_copy_that_nobody_changes():
    given = np.zeros((2, 2, 2), dtype=bool)
    volume = Volume(given, resolution=1)
    given[:] = True
    assert not volume.solid.any()
    with pytest.raises(ValueError, match="read-only"):
        volume.solid[0, 0, 0] = True


def test_boxes_fill_every_voxel_that_they_reach_into():
    volume = Volume.from_boxes((0, 0, 0, 4, 3, 2), [(0.9, 1, 0, 2, 2.1, 1)])
    expected = np.zeros((2, 3, 4), dtype=bool)
    expected[0, 1:, :2] = True
    assert np.array_equal(volume.solid, expected)


def test_boxes_may_reach_outside():
    volume = Volume.from_boxes((0, 0, 0, 4, 3, 2), [(-5, -5, -5, 1, 1, 1), (9, 9, 9, 10, 10, 10)])
    assert volume.solid.sum() == 1
    assert volume.solid[0, 0, 0]


def test_what_reaches_beyond_the_bounds_is_solid():
    volume = Volume.from_boxes((0, 0, 0, 2.5, 2, 0.3), resolution=0.1)
    assert volume.solid.shape == (3, 20, 25)
    assert not volume.solid.any()
    coarse = Volume.from_boxes((0, 0, 0, 2.5, 2, 2))
    assert coarse.solid.shape == (2, 2, 3)
    assert coarse.solid[:, :, 2].all()
    assert coarse.free_volume == 8


@pytest.mark.parametrize(
    "solid", [np.zeros((2, 2), bool), np.zeros((0, 2, 2), bool), np.zeros((2, 2, 2)), "walls"]
)
def test_no_voxels(solid):
    with pytest.raises(fw.BadGeometry, match=r"\(nz, ny, nx\) array of booleans"):
        Volume(solid, resolution=1)


@pytest.mark.parametrize("resolution", [0, -1, float("nan"), float("inf"), "fine", None])
def test_bad_resolution(resolution):
    with pytest.raises(fw.BadInput, match=r"the resolution is .* must be"):
        Volume(np.zeros((1, 1, 1), bool), resolution=resolution)
    with pytest.raises(fw.BadInput, match=r"the resolution is .* must be"):
        Volume.from_boxes((0, 0, 0, 1, 1, 1), resolution=resolution)


@pytest.mark.parametrize("origin", [(0, 0), (0, 0, float("nan")), "here", None])
def test_bad_origin(origin):
    with pytest.raises(fw.BadGeometry, match="the origin"):
        Volume(np.zeros((1, 1, 1), bool), 1.0, origin)


@pytest.mark.parametrize("box", [(0, 0, 0, 1, 1), (0, 0, 0, 1, 0, 1), (0, 0, 0, 1, 1, "a"), 3])
def test_bad_boxes(box):
    with pytest.raises(fw.BadGeometry, match=r"the bounds.* box|the bounds must be numbers"):
        Volume.from_boxes(box)
    with pytest.raises(fw.BadGeometry, match=r"box 1.* is not a box|box 1 must be numbers"):
        Volume.from_boxes((0, 0, 0, 9, 9, 9), [(1, 1, 1, 2, 2, 2), box])


def test_too_fine_is_refused_before_it_is_made():
    with pytest.raises(fw.BadInput, match=r"GiB are free: take a resolution of \S+ m or more"):
        Volume.from_boxes((0, 0, 0, 1000, 1000, 1000), resolution=1e-4)


@pytest.mark.parametrize("name", ["walkable", "walls", "area", "holes", "lines", "terrain"])
def test_a_volume_is_no_plan_and_says_what_to_do(name):
    with pytest.raises(fw.BadInput, match=r"^gallery:house is three-dimensional: build a roadmap"):
        getattr(fw.load("gallery:house"), name)


def test_corridor_maps_need_a_plan():
    with pytest.raises(fw.BadInput, match="cut a plan with between=LOW,HIGH"):
        fw.CorridorMap.build(fw.load("gallery:quake"))


def test_other_attributes_are_not_there():
    with pytest.raises(AttributeError, match="nonsense"):
        _ = fw.load("gallery:house").nonsense
