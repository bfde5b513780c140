"""Drawing, deleting, undoing."""

import pytest

import footway as fw
from footway.studio.documents import Document
from footway.studio.drawing import EditHistory
from footway.studio.requests import Edit
from tests.unit.crowd.maps import cmap, env


@pytest.fixture
def hall():
    return Document("hall", "map", env("hall"), cmap("hall"))


def box(x0, y0, x1, y1):
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def add(what, corners, **more):
    return Edit(n=1, ask="edit", do="add", what=what, polygon=box(*corners), **more)


def delete(x, y):
    return Edit(n=1, ask="edit", do="delete", at=(x, y))


UNDO = Edit(n=1, ask="edit", do="undo")
REDO = Edit(n=1, ask="edit", do="redo")


def test_an_obstacle_takes_walkable_space(hall):
    made = EditHistory().edit(hall, add("obstacle", (2.0, 2.0, 4.0, 4.0)))
    assert made.environment.area == pytest.approx(496.0)
    assert made.environment.holes == 2
    assert made.corridors.n_cycles == 2
    assert made.is_edited
    assert not hall.is_edited


def test_walkable_space_grows(hall):
    made = EditHistory().edit(hall, add("walkable", (29.0, 5.0, 40.0, 9.0)))
    assert made.environment.area == pytest.approx(540.0)
    assert made.environment.bounds == (0.0, 0.0, 40.0, 20.0)


def test_deleting_an_obstacle_fills_its_hole(hall):
    made = EditHistory().edit(hall, delete(15.0, 10.0))
    assert (made.environment.area, made.environment.holes) == (600.0, 0)


def test_terrain_and_areas_leave_the_corridors_alone(hall):
    edit_history = EditHistory()
    muddy = edit_history.edit(hall, add("terrain", (0.0, 0.0, 8.0, 4.0), kind="mud"))
    assert muddy.kinds == ["mud"]
    assert muddy.corridors is hall.corridors
    named = edit_history.edit(muddy, add("area", (0.0, 0.0, 3.0, 3.0), role="spawn"))
    assert named.corridors is hall.corridors
    assert [area.name for area in named.environment.areas] == ["spawn 1"]
    assert named.environment.areas[0].properties["role"] == "spawn"


def test_the_topmost_is_deleted_first(hall):
    edit_history, one = EditHistory(), hall
    one = edit_history.edit(one, add("terrain", (0.0, 0.0, 8.0, 4.0), kind="mud"))
    one = edit_history.edit(one, add("area", (0.0, 0.0, 3.0, 3.0), name="here"))
    one = edit_history.edit(one, delete(1.0, 1.0))
    assert (len(one.environment.areas), len(one.environment.terrain)) == (0, 1)
    one = edit_history.edit(one, delete(1.0, 1.0))
    assert len(one.environment.terrain) == 0
    with pytest.raises(fw.BadInput, match="nothing here"):
        edit_history.edit(one, delete(1.0, 1.0))


def test_walls_without_thickness_can_be_deleted():
    made = fw.Environment.from_polygons(
        bounds=(0, 0, 9, 9), lines=[[(1, 1), (4, 4)], [(6, 1), (6, 5)]]
    )
    one = Document("x", "map", made, fw.CorridorMap.build(made))
    one = EditHistory().edit(one, delete(2.1, 2.0))
    assert len(one.environment.lines.geoms) == 1


def test_undo_and_redo(hall):
    edit_history = EditHistory()
    first = edit_history.edit(hall, add("obstacle", (2.0, 2.0, 4.0, 4.0)))
    second = edit_history.edit(first, add("obstacle", (25.0, 2.0, 27.0, 4.0)))
    assert edit_history.edit(second, UNDO) is first
    assert edit_history.edit(first, UNDO) is hall
    with pytest.raises(fw.BadInput, match="nothing to undo"):
        edit_history.edit(hall, UNDO)
    assert edit_history.edit(hall, REDO) is first
    other = edit_history.edit(first, delete(15.0, 10.0))
    with pytest.raises(fw.BadInput, match="nothing to redo"):
        edit_history.edit(other, REDO)
    assert edit_history.edit(other, UNDO) is first


@pytest.mark.parametrize(
    "ask",
    [
        add("obstacle", (-1.0, -1.0, 40.0, 30.0)),  # nothing is left
        Edit(n=1, ask="edit", do="add", polygon=[(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]),  # a line
        add("terrain", (0.0, 0.0, 3.0, 3.0), kind="walkable"),
        add("terrain", (500.0, 0.0, 503.0, 3.0), kind="mud"),  # outside
        delete(500.0, 500.0),
    ],
)
def test_what_cannot_be_done_changes_nothing(hall, ask):
    edit_history = EditHistory()
    with pytest.raises(fw.BadInput):
        edit_history.edit(hall, ask)
    assert (edit_history.before, edit_history.after) == ([], [])


def test_names_of_areas_are_unique(hall):
    edit_history = EditHistory()
    one = edit_history.edit(hall, add("area", (0.0, 0.0, 3.0, 3.0), name="door"))
    with pytest.raises(fw.BadInput, match="already"):
        edit_history.edit(one, add("area", (5.0, 0.0, 8.0, 3.0), name="door"))


def test_a_bow_tie_becomes_two_triangles(hall):
    bow = [(2.0, 1.0), (4.0, 3.0), (4.0, 1.0), (2.0, 3.0)]
    made = EditHistory().edit(hall, Edit(n=1, ask="edit", do="add", polygon=bow))
    assert made.environment.area == pytest.approx(498.0)


def test_terrain_that_is_built_over_is_gone(hall):
    edit_history = EditHistory()
    one = edit_history.edit(hall, add("terrain", (2.0, 2.0, 3.0, 3.0), kind="mud"))
    one = edit_history.edit(one, add("obstacle", (1.0, 1.0, 4.0, 4.0)))
    assert one.kinds == []


def test_a_recording_cannot_be_drawn_on(hall):
    from dataclasses import replace

    from tests.unit.recording.recordings import random_recording

    with pytest.raises(fw.BadInput, match="cannot be edited"):
        EditHistory().edit(replace(hall, recording=random_recording()), delete(15.0, 10.0))
