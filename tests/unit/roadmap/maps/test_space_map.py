"""A corridor map from a roadmap in three dimensions."""

from __future__ import annotations

import numpy as np
import pytest

import footway as fw
from footway.roadmap import Roadmap, grid, rrm, rrm_star, rrrm
from footway.roadmap.lattice.grid import grid_distances
from footway.roadmap.lattice.space import make_space, space_of_cells
from tests.oracle import lattice

SIZE = (1, 1, 1)  # m, of the box
MARGIN = 0.5  # m, that it has in every free cell of 1 m


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
    return fw.CorridorMap.from_roadmap(make(volume, size=SIZE))


@pytest.fixture(scope="module")
def middle(volume):
    """A hand-made roadmap with free space on all sides."""
    space = make_space(volume, radius=0.4)
    nodes = [(4, 5, 5), (8, 5, 7), (11, 5, 7), (13, 5, 5)]
    paths = [(0, 1), (1, 2), (2, 3)]
    return fw.CorridorMap.from_roadmap(Roadmap.make(nodes, paths, space, method="rrrm"))


def free_points(smap, count, seed):
    low, high = np.array(smap.bounds).reshape(2, 3)
    points = low + np.random.default_rng(seed).random((4 * count, 3)) * (high - low)
    return points[smap.roadmap.space.lines_are_free(points, points)][:count]


def by_brute_force(points, volume, size):
    """Distance between a box at each point and the nearest solid voxel, or the map's side."""
    low, high = np.array(volume.bounds).reshape(2, 3)
    solid = np.array(volume.origin) + np.argwhere(volume.solid)[:, ::-1] * volume.resolution
    half, found = 0.5 * np.array(size), []
    for point in points:
        below, above = solid - point - half, point - half - solid - volume.resolution
        gaps = np.maximum(np.maximum(below, above), 0.0)
        sides = np.minimum(point - half - low, high - point - half)
        found.append(min(np.linalg.norm(gaps, axis=1).min(), sides.min()))
    return np.array(found)


class TestPaths:
    def test_they_turn_only_at_obstacles(self, smap, volume):
        """No part of a path can be replaced by a shorter straight line, up to half a cell."""
        space = smap.roadmap.space
        best = shortest = 0.0
        for a, b in zip(free_points(smap, 30, 5), free_points(smap, 30, 6), strict=True):
            try:
                path = smap.path(a, b)
            except fw.NoPath:
                continue
            ends = space.corners_of(path.points[[0, -1]])
            i, j, k = ends.T
            if not space.is_node[k, j, i].all():
                continue
            length = grid_distances(space, ends[:1], ends[1:])[0, 0]
            assert path.length <= 1.5 * length + 3.0 * space.resolution
            best, shortest = best + path.length, shortest + length
            for first, last in zip(path.points[:-2], path.points[2:], strict=True):
                assert not space.lines_are_free(first[None], last[None])[0]
        assert best < 1.05 * shortest

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
        path, free = smap.path((2, 2, 2), (13, 8, 2)), smap.roadmap.space.free
        share = np.linspace(0, 1, 8000)[:, None]  # a path may touch a corner between two samples
        dense = np.concatenate(
            [a + share * (b - a) for a, b in zip(path.points[:-1], path.points[1:], strict=True)]
        )
        assert path.clearance == pytest.approx(smap.clearance(dense).min(), abs=2e-3)
        least = dense[np.argmin(smap.clearance(dense))]
        some = [least, *dense[::100]]
        by_hand = [MARGIN + lattice.clearance(point, free, plane=False) for point in some]
        assert path.clearance == pytest.approx(min(by_hand), abs=5e-3)

    def test_clearance_is_that_to_the_nearest_cell_and_the_margin(self, smap, volume):
        points, free = free_points(smap, 200, 3), smap.roadmap.space.free
        by_hand = [MARGIN + lattice.clearance(point, free, plane=False) for point in points]
        assert smap.clearance(points) == pytest.approx(by_hand, abs=1e-9)
        assert (smap.clearance(points) <= by_brute_force(points, volume, SIZE) + 1e-9).all()

    def test_places_beyond_the_free_cells_where_the_box_fits(self, smap, volume):
        low, high = np.array(smap.bounds).reshape(2, 3)
        points = low + np.random.default_rng(7).random((1500, 3)) * (high - low)
        out = ~smap.roadmap.space.lines_are_free(points, points) & (smap.clearance(points) > 0)
        beyond = points[out & (points[:, 0] < 15)][:40]
        room = smap.clearance(beyond)
        assert len(beyond) == 40
        assert (room < MARGIN).all()
        assert (room <= by_brute_force(beyond, volume, SIZE) + 1e-9).all()
        for point, own in zip(beyond, room, strict=True):
            path = smap.path(point, (2, 2, 2))
            assert path.clearance <= own + 1e-9
            assert path.points[0].tolist() == point.tolist()
            with pytest.raises(fw.NoPath, match="does not get from the start") as error:
                smap.path(point, (2, 2, 2), radius=own + 0.01)
            assert error.value.reason == "no room"

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
    @pytest.mark.parametrize("point", [(9.5, 1, 1), (0.1, 5, 5)])
    def test_in_an_obstacle(self, smap, point):
        words = r"inside an obstacle, or too near to one for a box of 1 x 1 x 1 m: the nearest free"
        with pytest.raises(fw.BadQuery, match=words):
            smap.path((2, 2, 2), point)

    @pytest.mark.parametrize(
        ("point", "nearest"), [((-1, 5, 5), "1.000, 5"), ((5, 5, 99), "9.000")]
    )
    def test_outside(self, smap, point, nearest):
        words = rf"is outside the map, .* to \(20.000, 10.000, 10.000\): the nearest .*{nearest}"
        with pytest.raises(fw.BadQuery, match=words):
            smap.path(point, (2, 2, 2))

    def test_in_a_fake_obstacle(self, smap):
        editor = fw.roadmap.Editor(smap.roadmap)
        editor.add_fake_obstacle(box=((3, 3, 3), (6, 7, 7)))
        closed = fw.CorridorMap.from_roadmap(editor.roadmap)
        with pytest.raises(fw.BadQuery, match=r"the goal .* is inside a fake obstacle"):
            closed.path((2, 2, 1), (4, 5, 5))
        free = free_points(closed, 100, 5)
        assert closed.clearance(free) == pytest.approx(
            closed.roadmap.in_effect.space.clearance(free)[0]
        )

    def test_a_box_that_needs_more_clearance(self, smap):
        with pytest.raises(fw.NoPath, match="a box of 1 x 1 x 1 m with 6 m around it does not get"):
            smap.path((2, 2, 2), (13, 8, 2), radius=6)

    def test_components(self, smap):
        with pytest.raises(fw.NoPath, match="no path between them") as error:
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

    def test_a_box_walks_on_every_roadmap(self, smap, volume):
        starts, goals = free_points(smap, 12, 11), free_points(smap, 12, 12)
        for start, goal in zip(starts, goals, strict=True):
            if (start[0] > 15) != (goal[0] > 15):
                continue
            walk = fw.follow.cmm(smap.corridor(start, goal))
            assert (smap.clearance(walk.points) > 0).all()
            assert (by_brute_force(walk.points[::5], volume, SIZE) > 0).all()
            assert smap.path(walk.points[len(walk.points) // 2], goal).length > 0

    def test_a_box_without_a_margin_is_pushed_off_the_walls_that_it_touches(self, volume):
        smap = fw.CorridorMap.from_roadmap(rrm(volume, size=(2, 2, 2)))
        low, high = np.array(smap.bounds).reshape(2, 3)
        points = low + np.random.default_rng(3).random((400, 3)) * (high - low)
        free = points[smap.roadmap.space.lines_are_free(points, points) & (points[:, 0] < 15)]
        for start, goal in zip(free[:12], free[12:24], strict=True):
            walk = fw.follow.cmm(smap.corridor(start, goal))
            assert (by_brute_force(walk.points[::5], volume, (2, 2, 2)) >= 0).all()

    def test_for_a_box(self, smap):
        corridor = smap.corridor((4, 5, 5), (6, 5, 5))
        assert corridor.radius == 0
        assert corridor.narrowest > 0


class TestBottleneck:
    def test_the_widest_ball_gets_through_and_no_wider(self, smap):
        for start, goal in (((2, 2, 2), (13, 8, 2)), ((1, 1, 1), (2, 8, 3))):
            pinch = smap.bottleneck(start, goal)
            path = smap.path(start, goal, radius=pinch.radius)
            # Clearances are measured to a thousandth of a cell, and the path is not on the roads.
            assert pinch.radius - 1e-6 <= path.clearance <= pinch.radius + 1e-3
            with pytest.raises(fw.NoPath):
                smap.path(start, goal, radius=pinch.radius + 1e-3)

    def test_it_says_where(self, middle):
        pinch = middle.bottleneck((4, 5, 5), (13, 5, 5))
        room = middle.clearance([pinch.at])[0]
        assert room == pytest.approx(pinch.radius, abs=0.05)
        assert np.linalg.norm(np.subtract(pinch.at, pinch.obstacle)) <= room + 1e-9

    def test_no_path_at_any_radius(self, smap):
        with pytest.raises(fw.NoPath) as error:
            smap.bottleneck((2, 2, 2), (18, 5, 5))
        assert error.value.reason == "components"


def test_its_name_is_public(middle):
    assert isinstance(middle, fw.roadmap.SpaceMap)


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
