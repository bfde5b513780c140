"""Violations that `verify` finds in a roadmap."""

from __future__ import annotations

import numpy as np
import pytest

from footway.environment import Environment
from footway.roadmap import Roadmap
from footway.roadmap.lattice.space import Space, make_space, space_of_cells
from footway.roadmap.measures import verify

U_TURN = np.array([[1, 1, 1, 1, 1], [1, 0, 0, 0, 1], [1, 0, 0, 0, 1]], bool)
"""A bar above with a leg down on either side; rows go up."""

NODES = [(0.5, 0.5), (4.5, 0.5)]
JOINED = [[0, 1]]


@pytest.fixture(scope="module")
def u_turn() -> Space:
    return space_of_cells(U_TURN)


def roadmap(nodes: list, edges: list, space: Space) -> Roadmap:
    places = np.array(nodes, float).reshape(-1, 2)
    return Roadmap.make(places, np.array(edges, int).reshape(-1, 2), space, method="rrm")


def test_all_is_well(u_turn: Space):
    found = verify(roadmap(NODES, JOINED, u_turn))
    assert found.holds
    assert str(found) == "covers and connects all 20 corners"


def test_a_leg_that_no_node_sees(u_turn: Space):
    found = verify(roadmap(NODES[:1], [], u_turn))
    assert not found.covered
    assert found.connected
    assert found.uncovered.tolist() == [[4, 2, 0], [5, 2, 0], [4, 3, 0], [5, 3, 0]]


def test_a_join_that_is_missing(u_turn: Space):
    found = verify(roadmap(NODES, [], u_turn))
    assert found.covered
    assert found.apart.tolist() == [[0, 1]]
    assert str(found) == (
        "0 of 20 corners uncovered, 1 joins missing, 0 edges collide, 0 nodes outside"
    )


def test_an_edge_through_a_wall_joins_nothing(u_turn: Space):
    found = verify(roadmap([(0.5, 2.5), (4.5, 2.5)], JOINED, u_turn))
    assert found.colliding.tolist() == [0]
    assert found.apart.tolist() == [[0, 1]]


def test_a_node_in_a_wall(u_turn: Space):
    found = verify(roadmap([*NODES, (2.5, 2.5)], JOINED, u_turn))
    assert found.outside.tolist() == [2]
    assert not found.holds


def test_no_nodes_at_all(u_turn: Space):
    assert len(verify(roadmap([], [], u_turn)).uncovered) == 20


def test_nodes_in_rooms_without_a_path_between_them_need_no_edge():
    space = space_of_cells([[True, False, True]])
    assert verify(roadmap([(0, 0), (3, 0)], [], space)).holds


def test_a_thin_wall_between_the_planes_of_the_grid():
    """Both ends of the part in its cell are 0.25 m away from it: more than the radius."""
    room = Environment.from_polygons(bounds=(0, 0, 10, 10), lines=[[(5.25, 0), (5.25, 10)]])
    space = make_space(room, resolution=0.5, radius=0.2)
    made = roadmap([(2, 5), (8, 5)], JOINED, space)
    assert verify(made).colliding.tolist() == [0]
    assert made.edge_clearance.tolist() == [0.0]
