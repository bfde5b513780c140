import numpy as np
import pytest
from scipy.spatial.distance import pdist

from footway.validate import scenes


@pytest.mark.parametrize("density", [0.3, 1.0, 2.0, 3.0, 4.0])
def test_people_are_placed_with_the_density_and_without_overlaps(density):
    points = scenes.scatter(0.0, 0.0, 40.0, 3.0, density, seed=2)
    assert len(points) == pytest.approx(density * 120.0, rel=0.05)
    assert pdist(points).min() > 2.0 * scenes.RADIUS
    assert (
        (points >= scenes.RADIUS) & (points <= (40.0 - scenes.RADIUS, 3.0 - scenes.RADIUS))
    ).all()
    again = scenes.scatter(0.0, 0.0, 40.0, 3.0, density, seed=2)
    assert np.array_equal(points, again)
    assert not np.array_equal(points, scenes.scatter(0.0, 0.0, 40.0, 3.0, density, seed=3))


def test_the_length_along_the_oval_is_that_of_its_points():
    along = np.linspace(0.0, scenes.OVAL, 200, endpoint=False)
    points = scenes.on_oval(along)
    assert scenes.along_oval(points) == pytest.approx(along, abs=1e-9)
    for aside in (-0.3, 0.3):
        assert scenes.along_oval(scenes.on_oval(along, aside)) == pytest.approx(along, abs=1e-9)
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    assert steps == pytest.approx(scenes.OVAL / 200, rel=1e-3)


def test_everybody_starts_in_the_walkable_space():
    for scene in (scenes.one_way(4.0, 1), scenes.bottleneck(0.5, 1), scenes.single_file(60)):
        walls = scene.environment.walkable.buffer(-scenes.RADIUS)
        for stream in scene.streams:
            from shapely import contains_xy

            assert contains_xy(walls.buffer(1e-9), *stream.starts.T).all()
    assert sum(len(stream.starts) for stream in scenes.bottleneck(1.2, 0).streams) == 150
