"""Edits of a map change only the edited item."""

from dataclasses import replace

import pytest
import shapely

import footway as fw
from footway.environment.editing import Drawing
from footway.environment.plan import Item, Plan

SQUARE = [(1, 1), (3, 1), (3, 3), (1, 3)]
BOW_TIE = [(1, 1), (3, 3), (3, 1), (1, 3)]
AT_THE_WALL = [(0, 5), (2, 5), (2, 7), (0, 7)]


@pytest.fixture
def room():
    return Drawing.of(
        fw.Environment.from_polygons(
            bounds=(0, 0, 10, 8),
            lines=[[(6, 1), (6, 5)]],
            areas=[("exit", [(9, 0), (10, 0), (10, 2), (9, 2)])],
            terrain=[("mud", [(4, 4), (8, 4), (8, 8), (4, 8)])],
            name="room",
        )
    )


def test_an_obstacle_and_back(room):
    more = room.with_obstacle(SQUARE).environment
    assert more.area == room.environment.area - 4.0
    assert (more.name, len(more.lines.geoms), len(more.terrain)) == ("room", 1, 1)
    back = room.with_obstacle(SQUARE).without((2, 2)).environment
    assert back.walkable.equals(room.environment.walkable)


def test_an_obstacle_at_the_outer_wall_stays_an_item(room):
    more = room.with_obstacle(AT_THE_WALL, "shelf").with_obstacle([(1, 6), (3, 6), (3, 8), (1, 8)])
    assert more.environment.holes == 0
    assert more.item_at((0.5, 5.5)).name == "shelf"
    assert more.item_at((1.5, 6.5)).name == ""  # the later one is above
    once = more.without((1.5, 6.5))
    assert once.environment.area == room.environment.area - 4.0
    assert once.without((1.5, 6.5)).environment.walkable.equals(room.environment.walkable)


def test_items_are_moved_changed_and_named(room):
    more = room.with_obstacle(AT_THE_WALL)
    far = more.moved((1, 6), by=(3, -4))
    assert far.environment.holes == 1
    wide = far.changed((4, 2), [(3, 1), (6, 1), (6, 3), (3, 3)], "counter")
    assert wide.environment.area == room.environment.area - 6.0
    assert wide.item_at((5, 2)).name == "counter"
    assert set(wide.item_at((5, 2)).corners) == {(3, 1), (6, 1), (6, 3), (3, 3)}
    with pytest.raises(fw.BadInput, match="must not cross"):
        wide.changed((5, 2), BOW_TIE)
    area = room.moved((9.5, 1), by=(-5, 0)).environment.areas[0]
    assert (area.name, area.polygon.bounds) == ("exit", (4, 0, 5, 2))
    assert room.moved((5, 6), by=(-2, 0)).environment.terrain[0].polygon.bounds == (2, 4, 6, 8)
    wall = room.changed((6, 2), [(6, 1), (7, 3), (6, 5)]).environment.lines
    assert wall.length == pytest.approx(2 * 5**0.5)


def test_the_smallest_of_several_items_is_selected_and_the_nearest_wall():
    env = fw.Environment.from_polygons(bounds=(0, 0, 20, 20))
    drawing = (
        Drawing.of(env)
        .with_obstacle([(4, 4), (6, 4), (6, 6), (4, 6)], "desk")
        .with_terrain("carpet", [(1, 1), (12, 1), (12, 12), (1, 12)])
        .with_area("office", [(0, 0), (15, 0), (15, 15), (0, 15)])
        .with_area("lamp", [(4.5, 4.5), (5, 4.5), (5, 5), (4.5, 5)])
    )
    walls = [Item("wall", shapely.LineString([(x, 1), (x, 11)]), f"at {x}") for x in (9.0, 9.4)]
    plan = drawing.plan.with_item(walls[0]).with_item(walls[1])
    drawing = Drawing(plan.applied_to(drawing.environment), plan)
    names = {
        (5.5, 5.5): "desk", (4.7, 4.7): "lamp", (2, 2): "carpet", (14, 14): "office",
        (9.1, 5): "at 9.0", (9.3, 5): "at 9.4", (8.7, 5): "carpet",
    }  # fmt: skip
    assert {at: drawing.item_at(at).name for at in names} == names
    bare = replace(drawing, environment=replace(drawing.environment, areas=(), terrain=()))
    assert bare.item_at((8.7, 5)).name == "at 9.0"
    assert bare.item_at((18, 18)).kind == "floor"


def test_floor(room):
    more = room.with_floor([(10, 2), (12, 2), (12, 4), (10, 4)])
    assert more.environment.area == room.environment.area + 4.0
    assert more.item_at((11, 3)).kind == "floor"
    over = room.with_obstacle(SQUARE).with_floor([(1, 1), (2, 1), (2, 3), (1, 3)])
    assert over.environment.area == room.environment.area - 2.0
    assert over.without((2.5, 2)).environment.area == room.environment.area


def test_islands_in_holes():
    ring = shapely.box(0, 0, 10, 10) - shapely.box(2, 2, 8, 8)
    island = shapely.box(4, 4, 6, 6) - shapely.box(4.5, 4.5, 5, 5)
    env = fw.Environment.from_polygons([ring, island])
    assert Plan.of(env).walkable.equals(env.walkable)


def test_a_crossed_polygon_is_repaired(room):
    env = room.with_obstacle(BOW_TIE).environment
    assert env.area == pytest.approx(room.environment.area - 2.0)


def test_what_lies_on_top_goes_first(room):
    more = room.with_area("stage", [(5, 5), (7, 5), (7, 7)])
    once = more.without((6.5, 5.5))
    assert [area.name for area in once.environment.areas] == ["exit"]
    assert not once.without((6.5, 5.5)).environment.terrain


def test_a_thin_wall(room):
    assert not room.without((6.2, 2)).environment.lines.geoms


def test_terrain_below_an_obstacle_is_removed(room):
    over = room.with_obstacle([(3, 3), (9, 3), (9, 8), (3, 8)])
    assert not over.environment.terrain


@pytest.mark.parametrize("ring", [[(1, 1), (2, 2), (3, 3)], [(1, 1), (1, 1), (1, 1)]])
def test_no_inside(room, ring):
    with pytest.raises(fw.BadGeometry, match="no interior"):
        room.with_obstacle(ring)


@pytest.mark.parametrize("at", [(1, 7), (20, 20)])
def test_nothing_there(room, at):
    with pytest.raises(fw.BadInput, match="there is nothing here"):
        room.without(at)


def test_a_plan_as_text():
    plan = Plan(
        (
            Item("floor", shapely.box(0, 0, 2, 2)),
            Item("wall", shapely.LineString([(0, 1), (2, 1)]), "rail"),
        )
    )
    same = Plan.from_text(plan.to_text())
    assert [(item.kind, item.name) for item in same.items] == [("floor", ""), ("wall", "rail")]
    assert same.walkable.equals(plan.walkable)
    with pytest.raises(ValueError, match="unknown kind"):
        Plan.from_text('[["fish", "", "0101000000000000000000F03F0000000000000040"]]')


def test_a_plan_that_is_not_the_map_is_refused(room):
    env = room.environment
    assert Plan.matching([Item("floor", shapely.box(0, 0, 10, 8))], env) is not None
    assert Plan.matching([Item("floor", shapely.box(0, 0, 10, 7))], env) is None
