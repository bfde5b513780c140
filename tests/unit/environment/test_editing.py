"""Edits of a map change only the edited object."""

import pytest

import footway as fw
from footway.environment import editing

SQUARE = [(1, 1), (3, 1), (3, 3), (1, 3)]
BOW_TIE = [(1, 1), (3, 3), (3, 1), (1, 3)]


@pytest.fixture
def room():
    return fw.Environment.from_polygons(
        bounds=(0, 0, 10, 8),
        lines=[[(6, 1), (6, 5)]],
        areas=[("exit", [(9, 0), (10, 0), (10, 2), (9, 2)])],
        terrain=[("mud", [(4, 4), (8, 4), (8, 8), (4, 8)])],
        name="room",
    )


def test_an_obstacle_and_back(room):
    more = editing.with_obstacle(room, SQUARE)
    assert more.area == room.area - 4.0
    assert (more.name, len(more.lines.geoms), len(more.terrain)) == ("room", 1, 1)
    assert editing.without(more, (2, 2)).walkable.equals(room.walkable)


def test_a_crossed_polygon_is_healed(room):
    assert editing.with_obstacle(room, BOW_TIE).area == pytest.approx(room.area - 2.0)


def test_floor(room):
    assert editing.with_floor(room, [(10, 2), (12, 2), (12, 4), (10, 4)]).area == room.area + 4.0


def test_what_lies_on_top_goes_first(room):
    more = editing.with_area(room, "stage", [(5, 5), (7, 5), (7, 7)])
    once = editing.without(more, (6.5, 5.5))
    assert [area.name for area in once.areas] == ["exit"]
    assert not editing.without(once, (6.5, 5.5)).terrain


def test_a_thin_wall(room):
    assert not editing.without(room, (6.2, 2)).lines.geoms


def test_terrain_that_is_built_over_goes_with_it(room):
    over = editing.with_obstacle(room, [(3, 3), (9, 3), (9, 8), (3, 8)])
    assert not over.terrain


@pytest.mark.parametrize("ring", [[(1, 1), (2, 2), (3, 3)], [(1, 1), (1, 1), (1, 1)]])
def test_no_inside(room, ring):
    with pytest.raises(fw.BadGeometry, match="no interior"):
        editing.with_obstacle(room, ring)


def test_nothing_there(room):
    with pytest.raises(fw.BadInput, match="nothing here to delete"):
        editing.without(room, (1, 7))
