"""Where random start points are chosen, judged by eroded polygons."""

import numpy as np
import pytest
import shapely

import footway as fw
from footway.crowd.free_space import PACKED

SMALL, LARGE = shapely.box(0, 0, 6, 8), shapely.box(6.2, 0, 16, 8)
DOOR = shapely.box(6, 3.5, 6.2, 4.5)  # 1 m wide


@pytest.fixture(scope="module")
def two_rooms():
    return fw.CorridorMap.build(fw.Environment.from_polygons([SMALL, DOOR, LARGE], name="rooms"))


def placed(cmap, count, **more):
    crowd = fw.Crowd(cmap, seed=3)
    crowd.add(count, **more)
    return crowd.start_spaces[-1]


def test_a_thin_disc_has_one_part(two_rooms):
    space = placed(two_rooms, 30, radius=0.2)
    assert [part.starts for part in space.parts] == [30]
    assert space.warning == ""
    expected = PACKED * two_rooms.environment.area / (np.pi * 0.2**2)
    assert space.capacity == pytest.approx(expected, rel=0.1)


def test_a_wide_disc_has_two_parts_and_starts_in_the_larger(two_rooms):
    space = placed(two_rooms, 20, radius=0.55, name="carts")
    assert [part.starts for part in space.parts] == [20, 0]
    for part, room in zip(space.parts, (LARGE, SMALL), strict=True):
        assert room.contains(shapely.Point(part.at))
        assert part.area == pytest.approx(room.buffer(-0.55).area, rel=0.05)
        covered = room.buffer(-0.55).buffer(0.55).area
        assert part.capacity == pytest.approx(PACKED * covered / (np.pi * 0.55**2), abs=3)
    assert space.warning == (
        "carts: with a radius of 0.55 m the map falls into 2 parts without a path between them; "
        f"the 20 start points are in 1 of them, around ({space.parts[0].at[0]:.1f}, "
        f"{space.parts[0].at[1]:.1f}), where about {space.parts[0].capacity} of {space.capacity} "
        "fit"
    )


def test_in_an_area_they_may_start_in_several_parts(two_rooms):
    space = placed(two_rooms, 12, radius=0.55, area=[(3, 0), (9, 0), (9, 8), (3, 8)])
    assert sum(part.starts for part in space.parts) == 12
    assert len(space.parts) == 2
    assert space.warning == ""  # they use all of it


def test_every_part_of_a_building_is_an_eroded_polygon():
    env = fw.load("gallery:office")
    space = placed(fw.CorridorMap.build(env), 100, radius=0.55)
    eroded = shapely.get_parts(env.walkable.buffer(-0.55))
    rooms = [room for room in eroded if room.area > 4.0]  # more than one cell of the grid
    for room in rooms:
        inside = [
            part for part in space.parts if room.buffer(1e-6).contains(shapely.Point(part.at))
        ]
        assert len(inside) == 1
    (used,) = [part for part in space.parts if part.starts]
    largest = max(rooms, key=lambda room: room.area)
    assert all(largest.buffer(1e-6).contains(shapely.points(space.starts)))
    assert used.area == pytest.approx(largest.area, rel=0.2)


def test_given_starts_and_later_ones(two_rooms):
    crowd = fw.Crowd(two_rooms)
    crowd.add(1, starts=[(2, 2)])
    assert crowd.start_spaces == []
    crowd.add_to(0, 3, area=[(0, 0), (5, 0), (5, 8), (0, 8)])
    assert len(crowd.start_spaces[0].starts) == 3
    crowd.add(0)
    assert len(crowd.start_spaces) == 1
