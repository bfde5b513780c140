"""A corridor map from a roadmap in three dimensions."""

from __future__ import annotations

import numpy as np
import pytest

import footway as fw
from footway.roadmap import Roadmap, grid, rrm, rrm_star, rrrm
from footway.roadmap.space import make_space, space_of_cells


@pytest.fixture(scope="module")
def volume() -> fw.Volume:
    """Two rooms, joined by a window of 4 x 4 m at the top, and a closed one."""
    return fw.Volume.from_boxes(
        bounds=(0, 0, 0, 20, 10, 10),
        boxes=[(9, 0, 0, 10, 10, 5), (9, 0, 5, 10, 3, 10), (9, 7, 5, 10, 10, 10),
               (15, 0, 0, 16, 10, 10)],
        resolution=1.0,
    )  # fmt: skip


@pytest.fixture(scope="module", params=[grid, rrm, rrm_star, rrrm])
def smap(request, volume):
    make = request.param
    return fw.CorridorMap.from_roadmap(make(volume, size=(1, 1, 1)))


@pytest.fixture(scope="module")
def middle(volume):
    """A hand-made roadmap with room on all sides."""
    space = make_space(volume, radius=0.4)
    nodes = [(4, 5, 5), (8, 5, 7), (11, 5, 7), (13, 5, 5)]
    paths = [(0, 1), (1, 2), (2, 3)]
    return fw.CorridorMap.from_roadmap(Roadmap.make(nodes, paths, space, method="rrrm"))


def free_points(smap, count, seed):
    low, high = np.array(smap.bounds).reshape(2, 3)
    points = low + np.random.default_rng(seed).random((4 * count, 3)) * (high - low)
    return points[smap.clearance(points) > 0][:count]


class TestPaths:
    def test_every_point_that_is_free_is_served(self, smap):
        space = smap.roadmap.space
        starts, goals = free_points(smap, 80, 1), free_points(smap, 80, 2)
        found = smap.paths(starts, goals)
        apart = (starts[:, 0] > 15) != (goals[:, 0] > 15)
        for a, b, path, other in zip(starts, goals, found, apart, strict=True):
            assert (path is None) == other
            if path is None:
                continue
            assert space.lines_are_free(path.points[:-1], path.points[1:]).all()
            assert np.array_equal(path.points[[0, -1]], [a, b])
            step = np.linalg.norm(np.diff(path.points, axis=0), axis=1)
            assert path.length == pytest.approx(step.sum())

    def test_clearance_is_what_it_says(self, smap):
        path = smap.path((2, 2, 2), (13, 8, 2))
        share = np.linspace(0, 1, 50)[:, None]
        dense = np.concatenate(
            [a + share * (b - a) for a, b in zip(path.points[:-1], path.points[1:], strict=True)]
        )
        assert path.clearance <= smap.clearance(dense).min() + 2e-3

    def test_a_radius_of_more(self, middle):
        path = middle.path((4, 5, 5), (13, 5, 5), radius=1.0)
        assert path.clearance >= 1.0 - 1e-9
        with pytest.raises(fw.NoPath) as error:
            middle.path((4, 5, 5), (13, 5, 5), radius=2.5)
        assert error.value.reason in {"pinch", "no room"}

    def test_on_the_corners(self, smap):
        nodes = smap.roadmap.nodes
        path = smap.path(nodes[0], nodes[0])
        assert path.length == 0


class TestRefusals:
    @pytest.mark.parametrize("point", [(9.5, 1, 1), (-1, 5, 5), (5, 5, 99), (0.1, 5, 5)])
    def test_in_an_obstacle(self, smap, point):
        with pytest.raises(fw.BadQuery, match="inside an obstacle"):
            smap.path((2, 2, 2), point)

    def test_components(self, smap):
        with pytest.raises(fw.NoPath, match="no way between them") as error:
            smap.path((2, 2, 2), (18, 5, 5))
        assert error.value.reason == "components"

    @pytest.mark.parametrize("point", [(1, 2), "abc", (1, 2, np.nan), None, 3])
    def test_no_point(self, smap, point):
        with pytest.raises(fw.BadQuery):
            smap.path(point, (2, 2, 2))

    @pytest.mark.parametrize("radius", [-1, np.nan, np.inf, "wide"])
    def test_no_radius(self, smap, radius):
        with pytest.raises(fw.BadQuery, match="radius"):
            smap.path((2, 2, 2), (3, 3, 3), radius=radius)

    def test_no_nodes(self):
        space = space_of_cells(np.ones((3, 3, 3), bool))
        none = Roadmap.make(np.empty((0, 3)), np.empty((0, 2), int), space, method="rrm")
        with pytest.raises(fw.BadInput, match="no nodes"):
            fw.CorridorMap.from_roadmap(none)


class TestCorridors:
    def test_balls_are_free(self, middle):
        corridor = middle.corridor((3, 3, 3), (13, 6, 4))
        assert corridor.dimension == 3
        assert (corridor.radii <= middle.clearance(corridor.backbone) + 1e-9).all()
        assert corridor.start == (3, 3, 3)
        assert corridor.goal == (13, 6, 4)

    def test_a_walk(self, middle):
        corridor = middle.corridor((3, 3, 3), (13, 6, 4))
        walk = fw.follow.cmm(corridor, speed=1.4)
        assert walk.points.shape[1] == 3
        assert (middle.clearance(walk.points) >= middle.radius - 1e-6).all()
        assert np.linalg.norm(walk.points[-1] - (13, 6, 4)) < 0.5

    def test_for_a_box(self, smap):
        corridor = smap.corridor((4, 5, 5), (6, 5, 5))
        assert corridor.radius == 0
        assert corridor.narrowest > 0


def test_saved_and_loaded(middle, tmp_path):
    middle.save(tmp_path / "rooms.fwmap")
    again = fw.CorridorMap.load(tmp_path / "rooms.fwmap")
    assert repr(again) == repr(middle)
    assert again.path((3, 3, 3), (13, 6, 4)).length == middle.path((3, 3, 3), (13, 6, 4)).length


@pytest.mark.parametrize(
    ("starts", "threads", "words"),
    [
        ([(1, 1)], 1, "shape"),
        ("here", 1, "numbers"),
        ([(1, 1, 1)], 0, "threads is 0"),
        ([(1, 1, 1)], -1, "threads is -1"),
        ([(1, 1, 1)] * 2, 1, "2 starts and 1 goals"),
    ],
)
def test_bad_batches(middle, starts, threads, words):
    with pytest.raises(fw.BadQuery, match=words):
        middle.paths(starts, [(13, 5, 5)], threads=threads)


def test_an_empty_batch(middle):
    assert middle.paths([], []) == []
