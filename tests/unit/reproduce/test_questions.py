import numpy as np
import pytest
import shapely

import footway as fw
from footway.reproduce.questions import MARGIN, random_questions

TWO_ROOMS = [[(0, 0), (9, 0), (9, 8), (0, 8)], [(11, 0), (20, 0), (20, 8), (11, 8)]]


@pytest.fixture(scope="module")
def cmap():
    return fw.CorridorMap.build(fw.Environment.from_polygons(TWO_ROOMS))


def test_questions_are_the_same_in_every_run(cmap):
    first = random_questions(cmap, 20, radius=0.25, seed=1)
    assert first == random_questions(cmap, 20, radius=0.25, seed=1)
    assert first != random_questions(cmap, 20, radius=0.25, seed=2)
    assert len(first) == 20


def test_questions_have_space_and_an_answer(cmap):
    questions = random_questions(cmap, 20, radius=1.0, seed=1)
    ends = np.array([end for question in questions for end in question])
    assert (cmap.clearance(ends) >= 1.0 + MARGIN).all()
    for start, goal in questions:
        assert cmap.path(start, goal, radius=1.0).clearance >= 1.0 - 1e-6


@pytest.mark.parametrize(("radius", "passes"), [(0.34, True), (0.36, False)])
def test_the_narrowest_place_has_space_too(radius, passes):
    """A door of 0.8 m: a disc of 0.36 m fits through it, but with less to spare than asked for."""
    rooms = shapely.box(0, 0, 21, 10) - shapely.box(10, 0, 11, 4.6) - shapely.box(10, 5.4, 11, 10)
    door = fw.CorridorMap.build(fw.Environment.from_polygons(rooms))
    questions = random_questions(door, 40, radius=radius, seed=1)
    assert any((a[0] < 10) != (b[0] < 10) for a, b in questions) == passes
