"""Guards, connectors and pruning, one by one and together."""

from __future__ import annotations

import numpy as np
import pytest

import footway as fw
from footway.environment import Environment, Volume, gallery
from footway.roadmap.lattice.rrm import (
    Reach,
    add_connectors,
    find_guards,
    medial_corners,
    prune,
    rrm,
    rrm_of_space,
    spanning_forest,
)
from footway.roadmap.lattice.space import Space, make_space, space_of_cells
from footway.roadmap.measures import verify

CROSS = np.zeros((9, 9), bool)
CROSS[3:6, :] = CROSS[:, 3:6] = True

GALLERY = {
    "field": {"resolution": 0.5, "radius": 0.5},
    "office": {"resolution": 0.5, "radius": 0.5},
    "house": {"size": (3, 3, 3)},
}

PUBLISHED = {"field": 29, "office": 154, "house": 34}
"""Nodes of the RRM in table II."""


def reach_of(corners: list[tuple[int, int]], space: Space) -> Reach:
    """Nodes at corners of the plane."""
    everything = space.corners
    wanted = np.array([(*corner, 0) for corner in corners])
    nodes = np.array([np.flatnonzero((everything == c).all(axis=1))[0] for c in wanted])
    return Reach(nodes, np.packbits(space.sees(wanted, everything), axis=1))


class TestGuards:
    def test_an_empty_room_needs_one(self):
        space = space_of_cells(np.ones((6, 6), bool))
        guards = find_guards(space, space.corners, seed=0)
        assert space.corners[guards.nodes].tolist() == [[3, 3, 0]]

    def test_they_see_everything(self):
        space = space_of_cells(CROSS)
        assert covers(find_guards(space, space.corners, seed=0), space)

    def test_they_stand_on_the_medial_axis_where_that_will_do(self):
        space = space_of_cells(np.kron(CROSS, np.ones((3, 3), bool)))
        guards = find_guards(space, space.corners, seed=0)
        medial = set(map(tuple, medial_corners(space).tolist()))
        assert set(map(tuple, space.corners[guards.nodes].tolist())) <= medial

    def test_passages_without_an_axis(self):
        space = space_of_cells([[True, True, True], [True, False, False]])
        guards = find_guards(space, space.corners, seed=0)
        assert covers(guards, space)
        assert len(guards.nodes) <= 2


class TestConnectors:
    def test_where_regions_overlap(self):
        """Figure 1: two nodes that cover, and one in the corner that joins them."""
        free = np.zeros((9, 9), bool)
        free[:3, :] = free[:, :3] = True
        space = space_of_cells(free)
        ends = reach_of([(8, 1), (1, 8)], space)
        joined = add_connectors(space, space.corners, ends)
        assert len(joined.nodes) == 3
        i, j, _ = space.corners[joined.nodes[2]]
        assert 1 <= i <= 2
        assert 1 <= j <= 2

    def test_none_where_guards_see_each_other(self):
        space = space_of_cells(np.ones((4, 4), bool))
        seen = reach_of([(0, 0), (4, 4)], space)
        assert len(add_connectors(space, space.corners, seen).nodes) == 2

    def test_neighbours_where_no_regions_overlap(self):
        """Two guards see all corners, none is seen by both: neighbours must bridge the gap."""
        space, guards = apart_but_covering()
        joined = add_connectors(space, space.corners, guards)
        assert len(joined.nodes) == 4
        p, q = space.corners[joined.nodes[2:]]
        assert abs(p - q).max() == 1
        edges = spanning_forest(space.corners[joined.nodes], joined.seen_by(joined.nodes))
        assert len(edges) == 3


def covers(reach: Reach, space: Space) -> bool:
    """Whether the nodes together see every free corner."""
    seen = np.unpackbits(reach.seen, axis=1, count=len(space.corners))
    return bool(seen.any(axis=0).all())


def apart_but_covering() -> tuple[Space, Reach]:
    """Regions cut short by hand, so that neighbours in an open room are seen from one side each."""
    space = space_of_cells(np.ones((1, 6), bool))
    reach = reach_of([(0, 0), (6, 1)], space)
    left = space.corners[:, 0] < 3
    return space, Reach(reach.nodes, np.packbits([left, ~left], axis=1))


class TestPrune:
    def test_redundant_nodes_are_removed(self):
        space = space_of_cells(np.ones((4, 4), bool))
        kept = prune(reach_of([(0, 0), (2, 2), (4, 4)], space))
        assert len(kept.nodes) == 1

    def test_a_node_that_joins_others_is_kept(self):
        """Of five corners, the nodes at the ends see all between them, but not each other."""
        seen = np.array([[1, 1, 1, 0, 0], [0, 0, 1, 1, 1], [1, 0, 1, 0, 1]], bool)
        assert prune(Reach(np.array([0, 4, 2]), np.packbits(seen, axis=1))).nodes.tolist() == [
            0,
            4,
            2,
        ]


class TestWhole:
    @pytest.mark.parametrize("name", sorted(GALLERY))
    def test_gallery(self, name: str):
        """Verified exhaustively, and as small as the published roadmaps of similar environments."""
        roadmap = rrm(gallery.make(name), **GALLERY[name])
        assert verify(roadmap).holds
        assert roadmap.n_cycles == 0
        assert roadmap.name == f"gallery:{name}"
        assert roadmap.n_nodes < 1.5 * PUBLISHED[name]

    @pytest.mark.slow
    def test_quake(self):
        """Verified exhaustively, as the other maps of the gallery."""
        roadmap = rrm(gallery.make("quake"), size=(1, 1, 1))
        found = verify(roadmap)
        assert found.covered
        assert found.connected
        assert found.holds

    def test_the_same_seed_gives_the_same_roadmap(self):
        field = gallery.make("field")
        one, same, other = (rrm(field, resolution=0.5, seed=seed) for seed in (3, 3, 4))
        np.testing.assert_array_equal(one.nodes, same.nodes)
        np.testing.assert_array_equal(one.edges, same.edges)
        assert verify(other).holds

    def test_threads_do_not_matter(self, monkeypatch):
        field = gallery.make("field")
        many = rrm(field, resolution=1.0)
        monkeypatch.setattr("footway._numba.parallel.thread_count", lambda: 1)
        one = rrm(field, resolution=1.0)
        np.testing.assert_array_equal(many.nodes, one.nodes)
        np.testing.assert_array_equal(many.edges, one.edges)

    def test_progress_ends_with_all_corners(self):
        calls: list[tuple[int, int]] = []
        space = space_of_cells(CROSS)
        rrm_of_space(space, progress=lambda *call: calls.append(call))
        assert calls[-1] == (len(space.corners), len(space.corners))

    def test_rooms_without_a_door_get_a_node_each(self):
        room = Environment.from_polygons(bounds=(0, 0, 9, 4), lines=[[(4.5, 0), (4.5, 4)]])
        roadmap = rrm(room, resolution=0.5, radius=0.25)
        assert (roadmap.n_nodes, roadmap.n_edges, roadmap.n_components) == (2, 0, 2)

    def test_a_volume(self):
        volume = Volume.from_boxes(
            bounds=(0, 0, 0, 16, 9, 10),
            boxes=[(5, 0, 0, 6, 9, 5), (10, 0, 5, 11, 9, 10)],
            resolution=1,
        )
        roadmap = rrm(volume, size=(1, 1, 1))
        assert roadmap.dimension == 3
        assert roadmap.n_components == 1
        assert verify(roadmap).holds

    def test_no_room(self):
        with pytest.raises(fw.BadInput, match="fits in no cell"):
            rrm(Environment.from_polygons(bounds=(0, 0, 3, 3)), resolution=0.5, radius=2)


def test_the_middle_of_a_corridor():
    middle = medial_corners(space_of_cells(np.ones((4, 20), bool)))
    inner = middle[(middle[:, 0] > 2) & (middle[:, 0] < 18)]
    assert sorted(set(inner[:, 1].tolist())) == [2]
    assert len(inner) == 15


def test_both_sides_of_a_middle_between_corners():
    middle = medial_corners(space_of_cells(np.ones((5, 20), bool)))
    inner = middle[(middle[:, 0] > 3) & (middle[:, 0] < 17)]
    assert sorted(set(inner[:, 1].tolist())) == [2, 3]


def test_the_middle_plane_of_a_flat_volume():
    middle = medial_corners(space_of_cells(np.ones((4, 16, 16), bool)))
    away = middle[((middle[:, :2] > 3) & (middle[:, :2] < 13)).all(axis=1)]
    assert set(away[:, 2].tolist()) == {2}
    assert len(away) == 81


def test_a_long_wall_leaves_no_branches():
    """One large room with a round obstacle: an axis of corners, not a field of them."""
    angle = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    pillar = np.column_stack([10 + 3 * np.cos(angle), 10 + 3 * np.sin(angle)])
    room = Environment.from_polygons(bounds=(0, 0, 20, 20), obstacles=[pillar])
    space = make_space(room, resolution=0.25, radius=0.25)
    middle = medial_corners(space)
    assert 100 < len(middle) < 700
    from_centre = np.linalg.norm(space.positions(middle) - 10, axis=1)
    assert from_centre.min() > 6.0


def test_a_passage_of_one_cell_has_none():
    assert len(medial_corners(space_of_cells([[True] * 5]))) == 0


def test_a_passage_of_a_volume_that_is_narrower_than_the_ball_is_wide():
    """Four cells for the middle of a ball of 3 m radius: the axis is in the middle of them."""
    volume = Volume.from_boxes((0, 0, 0, 30, 10, 10), [], resolution=1.0)
    middle = medial_corners(make_space(volume, resolution=None, radius=3.0, size=None))
    inner = middle[(middle[:, 0] > 8) & (middle[:, 0] < 22)]
    assert len(inner) > 0
    assert {tuple(row) for row in inner[:, 1:].tolist()} >= {(5, 5)}
