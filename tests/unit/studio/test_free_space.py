"""The arrays of a map match the map."""

from itertools import pairwise

import numpy as np

import footway as fw
from footway.studio.documents import Document, open_built_in, open_document
from footway.studio.free_space import free_space_answer
from tests.unit.crowd.maps import cmap, env


def areas(arrays, prefix=""):
    """Area of each polygon, m2: of its shell without its holes."""
    points, rings = arrays[f"{prefix}points"], arrays[f"{prefix}rings"]
    sizes = []
    for first, last in pairwise(rings):
        x, y = points[first:last].T
        sizes.append(0.5 * abs(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)))
    polygons = arrays[f"{prefix}polygons"]
    return [sizes[a] - sum(sizes[a + 1 : b]) for a, b in pairwise(polygons)]


def test_walkable_space():
    document = open_built_in("gallery:office")
    answer = free_space_answer(document)
    assert np.isclose(sum(areas(answer.arrays)), document.environment.area)
    assert len(answer.facts["areas"]) == len(areas(answer.arrays, "area_"))


def test_terrain():
    document = open_built_in("gallery:forest")
    answer = free_space_answer(document)
    parts = areas(answer.arrays, "terrain_")
    assert len(parts) == len(answer.facts["terrain"])
    assert np.isclose(sum(parts), sum(r.polygon.area for r in document.environment.terrain))
    assert {part["kind"] for part in answer.facts["terrain"]} == set(document.kinds)


def test_walls_without_thickness():
    made = fw.Environment.from_polygons(bounds=(0, 0, 9, 9), lines=[[(1, 1), (4, 4), (8, 4)]])
    answer = free_space_answer(Document("x", "map", made, fw.CorridorMap.build(made)))
    assert answer.arrays["lines"].tolist() == [[1, 1, 4, 4], [4, 4, 8, 4]]


def test_a_saved_map_has_walls_only(tmp_path):
    cmap("hall").save(tmp_path / "hall.fwmap")
    answer = free_space_answer(open_document(str(tmp_path / "hall.fwmap")))
    assert len(answer.arrays["points"]) == 0
    assert len(answer.arrays["lines"]) == len(cmap("hall").walls) == 8


def test_islands_are_polygons_of_their_own():
    answer = free_space_answer(Document("x", "map", env("rooms"), cmap("rooms")))
    assert areas(answer.arrays) == [100.0, 100.0]
