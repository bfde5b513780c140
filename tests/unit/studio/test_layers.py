"""Layers of the page, and the arrays of a map."""

from itertools import pairwise

import numpy as np
import pytest
import shapely

import footway as fw
from footway.studio.documents import Document, open_built_in, open_document
from footway.studio.layers import ground, layer
from footway.studio.protocol.requests import Layer
from tests.unit.crowd.maps import cmap, env
from tests.unit.studio.serving import Page, serving

FIELD = open_built_in("gallery:field")


def request(name, **options):
    return Layer(n=1, type="layer", name=name, **options)


def nothing(_done, _total):
    pass


def test_the_axis_has_the_clearance_of_the_map():
    arrays = layer(FIELD, request("axis"), nothing).arrays
    walls = shapely.boundary(FIELD.environment.walkable)
    distance = shapely.distance(walls, shapely.points(arrays["points"]))
    np.testing.assert_allclose(distance, arrays["clearance"], atol=1e-6)
    assert arrays["offsets"][-1] == len(arrays["points"])


def test_discs_lie_in_the_free_space():
    discs = layer(FIELD, request("discs"), nothing).arrays["discs"]
    walls = shapely.boundary(FIELD.environment.walkable)
    assert (shapely.distance(walls, shapely.points(discs[:, :2])) >= discs[:, 2] - 1e-6).all()


@pytest.mark.parametrize("method", ["grid", "rrm", "rrm_star", "rrrm", "voronoi_prm"])
def test_roadmaps_of_every_method(method):
    answer = layer(FIELD, request("roadmap", method=method, resolution=1.0, radius=0.5), nothing)
    assert answer.facts.resolution == (None if method == "voronoi_prm" else 1.0)
    vertices, edges = answer.arrays["vertices"], answer.arrays["edges"]
    assert answer.facts.nodes == len(vertices)
    assert edges.max() < len(vertices)
    walls = shapely.boundary(FIELD.environment.walkable)
    assert (shapely.distance(walls, shapely.points(vertices)) >= 0.5 - 1e-6).all()
    if method in ("rrrm", "voronoi_prm"):
        offsets = answer.arrays["offsets"]
        assert offsets[-1] == len(answer.arrays["points"])
        assert (np.diff(offsets) >= 2).all()


def test_impossible_layers_are_refused():
    with pytest.raises(fw.BadInput, match="method"):
        layer(FIELD, request("roadmap"), nothing)
    city = open_built_in("gallery:city")
    with pytest.raises(fw.BadInput, match="coarser"):
        layer(city, request("roadmap", method="grid", resolution=0.05), nothing)
    with pytest.raises(fw.BadInput, match="map itself"):
        layer(Document("x", "map", None, cmap("hall")), request("roadmap", method="grid"), nothing)


def test_a_roadmap_can_be_ended():
    def stop(_done, _total):
        raise fw.BadInput("enough")

    with pytest.raises(fw.BadInput, match="enough"):
        layer(FIELD, request("roadmap", method="rrm"), stop)


def test_discs_of_a_large_map_are_refused():
    made = fw.Environment.from_polygons(bounds=(0, 0, 5000, 5000))
    with pytest.raises(fw.BadInput, match="3000 m"):
        layer(Document("x", "map", made, fw.CorridorMap.build(made)), request("discs"), nothing)


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
    answer = ground(document)
    assert np.isclose(sum(areas(answer.arrays)), document.environment.area)
    assert len(answer.facts.areas) == len(areas(answer.arrays, "area_"))


def test_terrain():
    document = open_built_in("gallery:forest")
    answer = ground(document)
    parts = areas(answer.arrays, "terrain_")
    assert len(parts) == len(answer.facts.terrain)
    assert np.isclose(sum(parts), sum(r.polygon.area for r in document.environment.terrain))
    assert {part.kind for part in answer.facts.terrain} == set(document.kinds)


def test_walls_without_thickness():
    made = fw.Environment.from_polygons(bounds=(0, 0, 9, 9), lines=[[(1, 1), (4, 4), (8, 4)]])
    answer = ground(Document("x", "map", made, fw.CorridorMap.build(made)))
    assert answer.arrays["lines"].tolist() == [[1, 1, 4, 4], [4, 4, 8, 4]]


def test_a_saved_map_has_walls_only(tmp_path):
    cmap("hall").save(tmp_path / "hall.fwmap")
    answer = ground(open_document(str(tmp_path / "hall.fwmap")))
    assert len(answer.arrays["points"]) == 0
    assert len(answer.arrays["lines"]) == len(cmap("hall").walls) == 8


def test_islands_are_polygons_of_their_own():
    answer = ground(Document("x", "map", env("rooms"), cmap("rooms")))
    assert areas(answer.arrays) == [100.0, 100.0]


def test_a_layer_is_cancelled_and_its_progress_is_sent():
    with serving() as studio, Page(studio.access) as page:
        n = page.send("layer", name="roadmap", method="rrm_star", resolution=0.09)
        facts = page.event("progress")[0]["facts"]
        assert facts["of"] == n
        assert 0 <= facts["done"] <= facts["total"]
        page.request("cancel", of=n)
        header, _ = page.answer(n)
        assert header["error"] == "cancelled"
        # The queue of slow layers is free again.
        assert "ok" in page.request("layer", name="discs")[0]
