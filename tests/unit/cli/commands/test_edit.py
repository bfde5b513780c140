"""`footway edit`: edits, their file, and undo."""

from __future__ import annotations

import pytest

import footway as fw


@pytest.fixture
def saved(footway, room, tmp_path):
    """A saved roadmap of the room."""
    file = tmp_path / "room.fwmap"
    assert (
        footway("build", room, "--method", "rrm_star", "--resolution", "0.5", "-o", file).code == 0
    )
    return file


def test_edits_are_those_of_the_editor(footway, saved, tmp_path):
    edited, plot = tmp_path / "edited.fwmap", tmp_path / "edited.png"
    edits = ("set-weight 0 3", "close disc 1,1 0.4", "add-node 1,6", "remove-edge 1")
    answer = footway("edit", saved, *edits, "-o", edited, "--plot", plot, "--json").json
    editor = fw.roadmap.Editor(fw.Roadmap.load(saved))
    editor.set_weight(0, 3)
    editor.add_fake_obstacle(disc=((1, 1), 0.4))
    editor.add_node((1, 6))
    editor.remove_edge(1)
    found, want = fw.Roadmap.load(edited), editor.roadmap
    assert (found.nodes == want.nodes).all()
    assert (found.edges == want.edges).all()
    assert (found.weights == want.weights).all()
    assert found.fake_obstacles == want.fake_obstacles
    assert (answer["nodes"], answer["edges"]) == (want.n_nodes, want.n_edges)
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert fw.Roadmap.load(saved).n_nodes == want.n_nodes - 1  # the original does not change


def test_a_file_of_edits_is_the_history(footway, saved, tmp_path):
    history = tmp_path / "room.edits"
    edit = ("edit", saved, "--edits", history)
    assert footway(*edit, "set-weight 0 3", "add-node 1,6").code == 0
    history.write_text("# by hand\n" + history.read_text() + "set-weight 0 2  # less\n")
    answer = footway(*edit, "--json").json
    assert [each["done"] for each in answer["edits"]][::2] == [
        "edge 0 has weight 3", "edge 0 has weight 2",
    ]  # fmt: skip
    assert footway(*edit, "undo", "undo").code == 0
    assert history.read_text() == "set-weight 0 3\n"
    assert "no edit to undo" in footway(*edit, "undo", "undo").err


def test_a_refused_edit_changes_no_file(footway, saved, tmp_path):
    history = tmp_path / "room.edits"
    footway("edit", saved, "set-weight 0 3", "add-node 99,99", "--edits", history).refuses(
        "(99.000, 99.000)"
    )
    assert not history.exists()


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ("fly", "write it as one of add-node"),
        ("", "write it as one of"),
        ("add-node here", "not a number"),
        ("add-node 1,6 to x", "not the number of a node"),
        ("remove-edge 0-0", "not joined"),
        ("remove-edge 9999", "no edge 9999"),
        ("set-weight 0 -1", "weight"),
        ("close disc 1,1 nan", "radius"),
        ("open 3", "no fake obstacle 3"),
    ],
)
def test_nonsense(footway, saved, edit, words):
    result = footway("edit", saved, edit)
    assert (result.code, result.out) == (2, "")
    assert words in result.err
    assert result.err.count("\n") == 1


def test_nodes_near_a_point(footway, saved):
    (first, *_) = footway("edit", saved, "--near", "1,1", "--json").json["near"]
    made = fw.Roadmap.load(saved)
    assert first["at"] == made.nodes[first["node"]].tolist()
    assert first["away"] == min(((made.nodes - 1.0) ** 2).sum(axis=1)) ** 0.5
    assert "--near needs 2" in footway("edit", saved, "--near", "1,1,1").err


def test_the_original_is_not_replaced(footway, saved):
    assert "another name" in footway("edit", saved, "-o", saved).err
