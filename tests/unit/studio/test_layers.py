"""Layers over the map."""

import numpy as np
import pytest
import shapely

import footway as fw
from footway.studio.documents import Document, open_built_in
from footway.studio.layers import layer
from footway.studio.requests import Layer
from tests.unit.crowd.maps import cmap

FIELD = open_built_in("gallery:field")


def ask(name, **options):
    return Layer(n=1, ask="layer", name=name, **options)


def nothing(_done, _total):
    pass


def test_the_axis_has_the_clearance_of_the_map():
    arrays = layer(FIELD, ask("axis"), nothing).arrays
    walls = shapely.boundary(FIELD.environment.walkable)
    distance = shapely.distance(walls, shapely.points(arrays["points"]))
    np.testing.assert_allclose(distance, arrays["clearance"], atol=1e-6)
    assert arrays["offsets"][-1] == len(arrays["points"])


def test_discs_lie_in_the_free_space():
    discs = layer(FIELD, ask("discs"), nothing).arrays["discs"]
    walls = shapely.boundary(FIELD.environment.walkable)
    assert (shapely.distance(walls, shapely.points(discs[:, :2])) >= discs[:, 2] - 1e-6).all()


@pytest.mark.parametrize("method", ["grm", "rrm", "rrm_star", "rrrm", "prm"])
def test_roadmaps_of_every_method(method):
    answer = layer(FIELD, ask("roadmap", method=method, resolution=1.0, radius=0.5), nothing)
    assert answer.facts["resolution"] == (None if method == "prm" else 1.0)
    vertices, edges = answer.arrays["vertices"], answer.arrays["edges"]
    assert answer.facts["nodes"] == len(vertices)
    assert edges.max() < len(vertices)
    walls = shapely.boundary(FIELD.environment.walkable)
    assert (shapely.distance(walls, shapely.points(vertices)) >= 0.5 - 1e-6).all()
    if method in ("rrrm", "prm"):
        offsets = answer.arrays["offsets"]
        assert offsets[-1] == len(answer.arrays["points"])
        assert (np.diff(offsets) >= 2).all()


def test_impossible_layers_are_refused():
    with pytest.raises(fw.BadInput, match="method"):
        layer(FIELD, ask("roadmap"), nothing)
    city = open_built_in("gallery:city")
    with pytest.raises(fw.BadInput, match="coarser"):
        layer(city, ask("roadmap", method="grm", resolution=0.05), nothing)
    with pytest.raises(fw.BadInput, match="map itself"):
        layer(Document("x", "map", None, cmap("hall")), ask("roadmap", method="grm"), nothing)


def test_a_roadmap_can_be_ended():
    def stop(_done, _total):
        raise fw.BadInput("enough")

    with pytest.raises(fw.BadInput, match="enough"):
        layer(FIELD, ask("roadmap", method="rrm"), stop)


def test_discs_of_a_large_map_are_refused():
    made = fw.Environment.from_polygons(bounds=(0, 0, 5000, 5000))
    with pytest.raises(fw.BadInput, match="3000 m"):
        layer(Document("x", "map", made, fw.CorridorMap.build(made)), ask("discs"), nothing)
