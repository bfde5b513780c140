"""The house and the quake level: sizes of the paper, and all parts are reachable."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from scipy import ndimage

from footway.environment import Volume, gallery, rasterise
from footway.environment.gallery.volumes import HOUSE, QUAKE, STAIRWELL

SIZES = {"house": (57.0, 40.0, 20.0), "quake": (130.0, 80.0, 25.0)}
OBJECTS = {"house": HOUSE.object, "quake": QUAKE.object}
DIGESTS = {"house": "0543d6b825c4e494", "quake": "4c0c59daad3acd9c"}


@pytest.fixture(scope="module")
def volumes() -> dict[str, Volume]:
    return {name: gallery.make(name) for name in SIZES}


@pytest.fixture(scope="module")
def rasters(volumes):
    return {name: rasterise(volumes[name], size=OBJECTS[name]) for name in SIZES}


def corners(free: np.ndarray) -> int:
    """Number of corners of the free cells."""
    around = np.pad(free, 1)
    for axis in range(3):
        along = np.moveaxis(around, axis, 0)
        around = np.moveaxis(along[1:] | along[:-1], 0, axis)
    return int(around.sum())


@pytest.mark.parametrize("name", SIZES)
def test_sizes_are_those_of_the_paper(volumes, name):
    volume = volumes[name]
    assert volume.name == f"gallery:{name}"
    assert volume.bounds == (0, 0, 0, *SIZES[name])
    assert volume.resolution == 1
    assert volume.repairs == ()


@pytest.mark.parametrize("name", SIZES)
def test_volumes_are_the_same_everywhere(volumes, name):
    # Published numbers refer to these volumes: change one only on purpose.
    bits = np.packbits(volumes[name].solid).tobytes()
    assert hashlib.sha256(bits).hexdigest()[:16] == DIGESTS[name]


@pytest.mark.parametrize("name", SIZES)
def test_free_space_is_one_piece_for_the_object(rasters, name):
    assert ndimage.label(rasters[name].free)[1] == 1


def test_quake_has_the_free_volume_of_the_paper(rasters):
    # Table II: 134,492 nodes; table III: clearance up to 9.75.
    assert 110_000 < corners(rasters["quake"].free) < 140_000
    assert 9 < rasters["quake"].clearance.max() < 10.5


def test_quake_has_floors_above_each_other(volumes):
    solid = volumes["quake"].solid
    floors = (solid[:-1] & ~solid[1:]).sum(axis=0)
    assert (floors >= 2).mean() > 0.3


def test_quake_areas_are_joined_by_many_passages(volumes):
    """The level stays connected if any one passage is closed."""
    solid = volumes["quake"].solid
    assert len(QUAKE.areas) == 12
    passages = [block for block in QUAKE.openings if block[2] < 11 or block[5] > 13]
    assert len(passages) > 30
    for x0, y0, z0, x1, y1, z1 in passages:
        closed = solid.copy()
        closed[z0:z1, y0:y1, x0:x1] = True
        free = rasterise(Volume(closed, resolution=1), size=QUAKE.object).free
        sizes = np.bincount(ndimage.label(free)[0].ravel())[1:]
        assert sizes.max() > 0.995 * sizes.sum()


def test_house_has_twelve_rooms_that_share_nothing():
    assert len(HOUSE.areas) == 12
    taken = np.zeros((20, 40, 57), dtype=int)
    for x0, y0, z0, x1, y1, z1 in HOUSE.areas.values():
        taken[z0:z1, y0:y1, x0:x1] += 1
    assert taken.max() == 1


def test_house_has_two_routes_around():
    # A tree of twelve rooms has eleven doors.
    assert len(HOUSE.openings) == 13


def test_every_door_of_the_house_is_passed(rasters):
    free = rasters["house"].free
    for x0, y0, z0, x1, y1, z1 in HOUSE.openings:
        assert free[z0:z1, y0:y1, x0:x1].any()


def test_closing_the_stairs_leaves_the_balcony(volumes):
    solid = volumes["house"].solid.copy()
    x0, y0, z0, x1, y1, z1 = STAIRWELL
    solid[z0:z1, y0:y1, x0:x1] = True
    free = rasterise(Volume(solid, resolution=1), size=HOUSE.object).free
    assert ndimage.label(free)[1] == 1


def test_closing_two_doors_of_the_upper_floor_cuts_it_off(volumes):
    solid = volumes["house"].solid.copy()
    for x0, y0, z0, x1, y1, z1 in (STAIRWELL, HOUSE.openings[7]):
        solid[z0:z1, y0:y1, x0:x1] = True
    free = rasterise(Volume(solid, resolution=1), size=HOUSE.object).free
    assert ndimage.label(free)[1] == 2
