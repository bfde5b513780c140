"""Edits of a level designer, and edits that are refused."""

from __future__ import annotations

import numpy as np
import pytest

import footway as fw
from footway.roadmap import Editor, Roadmap
from footway.roadmap.lattice.space import make_space, space_of_cells


@pytest.fixture
def roadmap() -> Roadmap:
    """A roadmap around an obstacle of 2 m x 4 m in a hall of 12 m x 8 m."""
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 12, 8), obstacles=[[(5, 2), (7, 2), (7, 6), (5, 6)]]
    )
    space = make_space(env, resolution=0.5, radius=0.25)
    nodes = [(1, 1), (11, 1), (11, 7), (1, 7)]
    return Roadmap.make(nodes, [(0, 1), (1, 2), (2, 3), (3, 0)], space, method="rrm")


@pytest.fixture
def editor(roadmap: Roadmap) -> Editor:
    return Editor(roadmap)


class TestNodes:
    def test_add(self, editor: Editor):
        node = editor.add_node((3, 4), connect=[0, 3])
        assert node == 4
        assert editor.roadmap.edges.tolist()[-2:] == [[4, 0], [4, 3]]
        assert editor.roadmap.path_of(4).tolist() == [[3, 4], [1, 1]]

    def test_move(self, editor: Editor):
        editor.move_node(0, (2, 1.5))
        now = editor.roadmap
        assert now.path_of(0).tolist() == [[2, 1.5], [11, 1]]
        assert now.path_of(3).tolist() == [[1, 7], [2, 1.5]]
        assert now.path_of(1).tolist() == [[11, 1], [11, 7]]

    def test_remove(self, editor: Editor):
        editor.remove_node(1)
        assert editor.roadmap.edges.tolist() == [[1, 2], [2, 0]]
        assert editor.roadmap.nodes.tolist() == [[1, 1], [11, 7], [1, 7]]
        assert editor.roadmap.n_components == 1

    def test_removing_a_node_drops_the_number_of_rrm_nodes(self, roadmap: Roadmap):
        editor = Editor(roadmap.with_changes(parameters={"rrm_nodes": 3}))
        editor.add_node((3, 4))
        assert editor.roadmap.parameters == {"rrm_nodes": 3, "edited": True}
        editor.remove_node(3)
        assert editor.roadmap.parameters == {"edited": True}

    def test_only_present_obstacles_close_edges(self, editor: Editor):
        """Obstacles that were removed, replaced or undone close nothing."""
        here, there = (3, 4), (9, 4)
        editor.add_fake_obstacle(disc=(here, 0.5))
        with pytest.raises(fw.BadQuery, match="inside an obstacle"):
            editor.add_node(here)
        editor.remove_fake_obstacle(0)
        editor.add_node(here)
        editor.add_fake_obstacle(disc=(there, 0.5))
        with pytest.raises(fw.BadQuery, match="inside an obstacle"):
            editor.add_node(there)
        editor.undo()
        editor.add_node(there)

    @pytest.mark.parametrize("at", [(6, 4), (0.1, 4), (-3, 1)])
    def test_in_an_obstacle(self, editor: Editor, at):
        with pytest.raises(fw.BadQuery, match="inside an obstacle or too near"):
            editor.add_node(at)

    @pytest.mark.parametrize("at", [(1, 2, 3), (np.nan, 1), "here", None])
    def test_no_place(self, editor: Editor, at):
        with pytest.raises(fw.BadQuery, match="the place of a node"):
            editor.add_node(at)

    def test_a_list_of_nodes_is_joined(self, editor: Editor):
        with pytest.raises(fw.BadQuery, match=r"connect is 3: give a list of nodes"):
            editor.add_node((3, 4), connect=3)  # type: ignore[arg-type]

    def test_true_is_no_node(self, editor: Editor):
        with pytest.raises(fw.BadQuery, match="no node True"):
            editor.remove_node(True)

    def test_only_roadmaps_are_edited(self, roadmap: Roadmap):
        with pytest.raises(fw.BadInput, match="needs a Roadmap, not CorridorMap"):
            Editor(fw.CorridorMap.from_roadmap(roadmap))  # type: ignore[arg-type]

    def test_no_such_node(self, editor: Editor):
        with pytest.raises(fw.BadQuery, match="no node 9: they are numbered 0 to 3"):
            editor.remove_node(9)

    def test_a_refused_edit_changes_nothing(self, editor: Editor, roadmap: Roadmap):
        with pytest.raises(fw.BadQuery):
            editor.move_node(0, (8.5, 4))
        with pytest.raises(fw.BadQuery):
            editor.add_node((3, 4), connect=[0, 99])
        with pytest.raises(fw.BadQuery):
            editor.add_node((8.5, 4), connect=[0])
        assert editor.roadmap is roadmap


class TestEdges:
    def test_through_a_wall_with_the_place(self, editor: Editor):
        a, b = editor.add_node((3, 4)), editor.add_node((9, 4))
        with pytest.raises(fw.BadQuery, match=r"leaves the free space at \(4\.500, 4\.000\)"):
            editor.add_edge(a, b)

    def test_add_weigh_remove(self, editor: Editor):
        a, b = editor.add_node((2, 1.5)), editor.add_node((10, 1.5))
        edge = editor.add_edge(a, b, weight=2)
        assert editor.roadmap.weights[edge] == 2
        editor.set_weight(edge, 0.5)
        assert editor.roadmap.weights[edge] == 0.5
        editor.remove_edge(0)
        assert editor.roadmap.edges.tolist()[-1] == [a, b]
        assert editor.roadmap.weights[-1] == 0.5

    def test_refused(self, editor: Editor):
        with pytest.raises(fw.BadQuery, match="to itself"):
            editor.add_edge(1, 1)
        with pytest.raises(fw.BadQuery, match="already"):
            editor.add_edge(1, 0)
        for weight in (0, -1, np.nan, np.inf, "much"):
            with pytest.raises(fw.BadQuery, match="weight"):
                editor.set_weight(0, weight)

    def test_weights_turn_paths(self, editor: Editor):
        def goes_over(cmap) -> bool:
            return bool(cmap.path((1, 4), (11, 4.1), radius=0.25).points[:, 1].max() > 6)

        before = goes_over(fw.CorridorMap.from_roadmap(editor.roadmap))
        editor.set_weight(2 if before else 0, 10)
        assert goes_over(fw.CorridorMap.from_roadmap(editor.roadmap)) != before

    @pytest.mark.parametrize("ends", [((3, 1), (11, 4.5)), ((11, 4.5), (3, 1))])
    def test_weights_count_on_the_first_and_the_last_edge_too(self, editor: Editor, ends):
        """The lower side is shortest; with weight 3 the path around the other side is."""

        def goes_over(cmap) -> bool:
            return bool(cmap.path(*ends, radius=0.25).points[:, 1].max() > 6)

        assert not goes_over(fw.CorridorMap.from_roadmap(editor.roadmap))
        editor.set_weight(0, 10)
        assert goes_over(fw.CorridorMap.from_roadmap(editor.roadmap))

    def test_each_node_is_joined_once(self, editor: Editor):
        with pytest.raises(fw.BadQuery, match="node 0 is listed twice"):
            editor.add_node((3, 4), connect=[0, 3, 0])


class TestFakeObstacles:
    def test_close_the_graph_too(self, editor: Editor):
        before = editor.roadmap.shortest_path(0, 1)
        assert before is not None
        assert before.length == pytest.approx(10)
        editor.add_fake_obstacle(disc=((6, 1), 0.5))
        after = editor.roadmap.shortest_path(0, 1)
        assert after is not None
        assert after.length == pytest.approx(22)
        assert editor.roadmap.distances([0])[0, 1] == pytest.approx(22)
        editor.add_fake_obstacle(box=((5, 6), (7, 8)))
        assert editor.roadmap.n_components == 2
        assert editor.roadmap.shortest_path(0, 1) is None

    def test_closed_edges_make_no_cycles(self, editor: Editor):
        assert editor.roadmap.n_cycles == 1
        editor.add_fake_obstacle(disc=((6, 1), 0.5))
        assert (editor.roadmap.n_cycles, editor.roadmap.n_components) == (0, 1)
        editor.add_fake_obstacle(box=((5, 6), (7, 8)))
        assert (editor.roadmap.n_cycles, editor.roadmap.n_components) == (0, 2)

    @pytest.mark.parametrize("disc", [5, ((1, 1), "x"), ((1, 1), -1), ((1, 1), 1, 1), ("a", 1)])
    def test_no_disc(self, editor: Editor, disc):
        with pytest.raises(fw.BadInput, match=r"fake obstacle|disc"):
            editor.add_fake_obstacle(disc=disc)

    def test_close_and_open(self, editor: Editor):
        number = editor.add_fake_obstacle([(5, 0), (7, 0), (7, 2), (5, 2)])
        now = editor.roadmap
        assert (now.n_edges, now.in_effect.n_edges) == (4, 3)
        cmap = fw.CorridorMap.from_roadmap(now)
        path = cmap.path((2, 1), (10, 1), radius=0.25)
        assert path.points[:, 1].max() > 6
        assert cmap.clearance([(6, 1)])[0] == 0
        editor.remove_fake_obstacle(number)
        assert editor.roadmap.in_effect.n_edges == 4

    def test_no_edge_through_a_fake_obstacle(self, editor: Editor):
        editor.add_fake_obstacle(disc=((3, 4), 0.5))
        with pytest.raises(fw.BadQuery, match="inside an obstacle"):
            editor.add_node((3, 4.2))
        a, b = editor.add_node((1, 4)), editor.add_node((4.25, 4))
        with pytest.raises(fw.BadQuery, match="leaves the free space"):
            editor.add_edge(a, b)

    def test_nodes_in_a_fake_obstacle_are_not_in_effect(self, editor: Editor):
        editor.add_fake_obstacle(box=((0, 0), (2, 2)))
        assert editor.roadmap.in_effect.n_nodes == 3
        assert editor.roadmap.in_effect.edges.tolist() == [[0, 1], [1, 2]]

    def test_in_three_dimensions(self):
        space = space_of_cells(np.ones((4, 4, 9), bool))
        line = Roadmap.make([(1, 2, 2), (8, 2, 2)], [(0, 1)], space, method="rrm")
        editor = Editor(line)
        editor.add_fake_obstacle(box=((4, 1, 1), (5, 3, 3)))
        assert editor.roadmap.in_effect.n_edges == 0
        assert not editor.roadmap.in_effect.space.free[1:3, 1:3, 4].any()
        with pytest.raises(fw.BadQuery, match="x, y, z"):
            editor.add_fake_obstacle(disc=((1, 1), 1))

    def test_refused(self, editor: Editor):
        with pytest.raises(fw.BadInput, match="no area"):
            editor.add_fake_obstacle([(0, 0), (1, 1), (2, 2)])
        with pytest.raises(fw.BadQuery, match="give one of"):
            editor.add_fake_obstacle()
        with pytest.raises(fw.BadInput, match="finite"):
            editor.add_fake_obstacle([(0, 0), (1, np.nan), (2, 2)])
        with pytest.raises(fw.BadQuery, match="no fake obstacle 0"):
            editor.remove_fake_obstacle(0)


class TestUndo:
    def test_there_and_back(self, editor: Editor, roadmap: Roadmap):
        editor.add_node((3, 4))
        editor.remove_edge(0)
        edited = editor.roadmap
        assert editor.undo()
        assert editor.undo()
        assert not editor.undo()
        assert editor.roadmap is roadmap
        assert editor.redo()
        assert editor.redo()
        assert not editor.redo()
        assert editor.roadmap is edited

    def test_an_edit_after_undo_cannot_be_redone(self, editor: Editor):
        editor.remove_edge(0)
        editor.undo()
        editor.remove_edge(1)
        assert not editor.redo()
        assert editor.roadmap.n_edges == 3
