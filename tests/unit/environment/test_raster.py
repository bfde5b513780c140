"""Rasters: expected cells of small maps, and input that is rejected."""

from __future__ import annotations

import numpy as np
import pytest

import footway as fw
from footway.environment import Environment, Volume, gallery, rasterise, volume
from footway.environment.raster import distance_to


def square(side: float, **more) -> Environment:
    return Environment.from_polygons(bounds=(0, 0, side, side), **more)


def room(shape=(5, 5, 5), **more) -> Volume:
    return Volume(np.zeros(shape, dtype=bool), resolution=1, **more)


def test_cells_of_an_empty_square():
    raster = rasterise(square(4), resolution=0.5, radius=0.5)
    assert raster.dimension == 2
    assert raster.free.shape == (1, 8, 8)
    assert raster.clearance.shape == (1, 9, 9)
    assert raster.free[0, 1:-1, 1:-1].all()  # a disc that touches the wall fits
    assert raster.free.sum() == 36
    assert raster.clearance[0, 4, 4] == 1.5
    assert raster.clearance[0, 4, :4].tolist() == [0, 0, 0.5, 1]
    assert raster.radius == 0.5
    assert raster.size.tolist() == [1, 1, 0]
    assert raster.walls.shape == (4, 4)


def test_the_lattice_begins_at_the_lower_left():
    env = Environment.from_polygons(bounds=(10, 20, 13, 22.2))
    raster = rasterise(env, resolution=0.5, radius=0.1)
    assert raster.origin.tolist() == [10, 20, 0]
    assert raster.free.shape == (1, 5, 6)
    # The topmost row reaches beyond the map.
    assert not raster.free[0, 4].any()
    assert raster.clearance[0, 1, 1] == pytest.approx(0.4)


def test_walls_without_thickness_and_points_count():
    env = square(6, lines=[[(3, 2), (3, 4)]], points=[(1, 1)])
    raster = rasterise(env, resolution=1, radius=0.25)
    assert not raster.free[0, 1:5, 2:4].any()
    assert not raster.free[0, 1, 1]
    assert raster.free.sum() == 16 - 8 - 1
    assert raster.clearance[0, 1, 1] == 0
    assert raster.clearance[0, 3, 2] == 0.75
    assert (raster.walls == (1, 1, 1, 1)).all(axis=1).sum() == 1


@pytest.mark.parametrize(
    ("name", "step"), [("field", 0.5), ("office", 0.5), ("mckenna", 1), ("city", 2.5)]
)
def test_the_default_resolution_is_a_round_number(name, step):
    assert rasterise(gallery.make(name)).resolution == step


def test_field_has_the_grid_of_the_paper():
    raster = rasterise(gallery.make("field"), resolution=0.5, radius=0.5)
    assert raster.free.shape == (1, 94, 94)
    assert 7000 < raster.free.sum() < 8836


def test_a_box_of_one_voxel_needs_one_more_to_all_sides():
    raster = rasterise(room(), size=(1, 1, 1))
    assert raster.dimension == 3
    assert raster.free[1:-1, 1:-1, 1:-1].all()
    assert raster.free.sum() == 27
    assert raster.clearance.shape == (6, 6, 6)
    assert raster.clearance.max() == 1
    assert raster.walls.shape == (0, 4)
    assert (raster.radius, raster.size.tolist()) == (0, [1, 1, 1])


def test_a_box_may_touch():
    # Two metres: half a box is one voxel; over the middle cell it sweeps three voxels.
    assert rasterise(room((3, 3, 3)), size=(2, 2, 2)).free.sum() == 1
    with pytest.raises(fw.BadInput, match=r"a box of 2.1 x 2 x 2 m fits in no cell of 1 m"):
        rasterise(room((3, 3, 3)), size=(2.1, 2, 2))


def test_the_sides_of_a_box_are_x_y_z():
    raster = rasterise(room((3, 5, 7)), size=(6, 4, 2))
    assert np.argwhere(raster.free).tolist() == [[1, 2, 3]]


def test_a_ball_is_round():
    solid = np.zeros((25, 25, 25), dtype=bool)
    solid[12, 12, 12] = True
    volume = Volume(solid, resolution=0.5, origin=(1, 2, 3))
    ball = rasterise(volume, radius=1.5)
    box = rasterise(volume, size=(3, 3, 3))
    assert ball.free.sum() > box.free.sum()
    assert ball.size.tolist() == [3, 3, 3]
    assert ball.radius == 1.5
    assert ball.free[12, 12, 12 + 4]  # three cells between: 1.5 m
    assert not ball.free[12, 12, 12 + 3]
    assert ball.free[12 + 3, 12 + 3, 12 + 3]  # two, two and two: 1.7 m
    assert not box.free[12 + 3, 12 + 3, 12 + 3]
    assert not ball.free[12, 12 + 3, 12 + 3]  # two and two: 1.4 m


def test_a_tiny_ball_still_keeps_off_the_walls():
    assert rasterise(room(), radius=1e-12).free.sum() == 27


def test_arrays_are_contiguous_and_of_one_kind():
    for raster in (rasterise(square(4)), rasterise(room()), rasterise(room(), size=(1, 1, 1))):
        assert raster.free.flags.c_contiguous
        assert raster.clearance.flags.c_contiguous
        assert raster.free.dtype == bool
        for array in (raster.clearance, raster.origin, raster.walls, raster.size):
            assert array.dtype == np.float64


@pytest.mark.parametrize("length", [0, -1, float("nan"), float("inf"), "wide", None, (1, 2)])
def test_lengths_that_are_none(length):
    for environment in (square(4), room()):
        with pytest.raises(fw.BadInput, match=r"the radius is .* must be"):
            rasterise(environment, radius=length)
        if length is not None:
            with pytest.raises(fw.BadInput, match=r"the resolution is .* must be"):
                rasterise(environment, resolution=length)
    with pytest.raises(fw.BadInput, match=r"size|side of the box"):
        rasterise(room(), size=(1, length, 1))


def test_arguments_that_contradict_each_other():
    with pytest.raises(fw.BadInput, match="a disc: give its radius, not a size"):
        rasterise(square(4), size=(1, 1, 1))
    with pytest.raises(fw.BadInput, match="three numbers x, y, z"):
        rasterise(room(), size=(1, 1))
    with pytest.raises(fw.BadInput, match=r"are 1 m wide, not 0.5; leave out the resolution"):
        rasterise(room(), resolution=0.5)
    with pytest.raises(fw.BadInput, match="a str is not a map"):
        rasterise("gallery:field")
    assert rasterise(room(), resolution=1).resolution == 1


def test_no_room():
    with pytest.raises(fw.BadInput, match=r"a disc of radius 3 m fits in no cell of 0.5 m"):
        rasterise(square(4), radius=3)
    with pytest.raises(fw.BadInput, match="here: a ball of radius 3 m fits in no cell of 1 m"):
        rasterise(room(name="here"), radius=3)


def test_the_message_for_an_object_that_does_not_fit_gives_the_size_of_the_map():
    with pytest.raises(fw.BadInput, match=r"the map only 0.01 m wide: .* another scale"):
        rasterise(square(0.01), radius=0.25)
    with pytest.raises(fw.BadInput, match=r"or another scale if the map is not 0.5 x 0.5 m large"):
        rasterise(square(0.5), radius=0.25)
    low = fw.Volume.from_boxes((0, 0, 0, 4, 3, 2), [], resolution=1.0)
    with pytest.raises(fw.BadInput, match="if the map is not 4 x 3 x 2 m large"):
        rasterise(low, radius=3)


@pytest.mark.parametrize("dimension", [2, 3])
def test_distance_of_corners_to_cells(dimension):
    cells = np.random.default_rng(dimension).random((4, 5, 6)[3 - dimension :]) < 0.1
    cells = cells.reshape((-1, 5, 6))
    found = distance_to(cells, dimension)
    pad = np.pad(cells, [(int(dimension == 3),) * 2, (1, 1), (1, 1)], constant_values=True)
    low = np.argwhere(pad) - (int(dimension == 3), 1, 1)
    for corner in np.ndindex(found.shape):
        gaps = np.maximum(np.maximum(low - corner, corner - low - 1), 0.0)
        assert found[corner] == pytest.approx(np.linalg.norm(gaps, axis=1).min())


def test_memory_is_checked_before_it_is_allocated(monkeypatch):
    with pytest.raises(fw.BadInput, match=r"1e-07 m gives 1.6e15 cells, which need [\d,.]+ GiB"):
        rasterise(square(4), resolution=1e-7)
    with pytest.raises(fw.BadInput, match=r"need 9.5e29 GiB; [\d,.]+ GiB are free"):
        rasterise(square(4), resolution=1e-18)
    with pytest.raises(fw.BadInput, match=r"more cells than .* a coarser one, such as 0.02 m"):
        rasterise(square(4), resolution=1e-300)
    monkeypatch.setattr(volume, "free_memory", lambda: 64 * 64)
    rasterise(square(4), resolution=0.5)
    with pytest.raises(fw.BadInput, match=r"256 cells.*take a resolution of 0.5 m or more"):
        rasterise(square(4), resolution=0.25)
    with pytest.raises(fw.BadInput, match="125 cells"):
        rasterise(room())


def test_a_system_that_does_not_report_its_memory_is_trusted(monkeypatch):
    monkeypatch.setattr(volume, "free_memory", lambda: None)
    volume.check_memory(10**15, resolution=1, dimension=3)


def test_free_memory_is_a_number():
    assert volume.free_memory() > 2**20
