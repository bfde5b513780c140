"""Drawing on the map, deleting, undo and redo, saving; the crowd goes on."""

import json

import footway as fw
from tests.browser.test_crowd import add


def document(server):
    return server.request("hello")[0]["ok"]["document"]


def test_an_obstacle_is_drawn_undone_and_redone_while_the_crowd_goes_on(browsing, server):
    add(browsing, 30)
    browsing.press("crowd-play", "tab-edit", "edit-how-rectangle")
    holes = document(server)["holes"]
    browsing.drag((22.0, 21.0), (25.0, 24.0))
    browsing.shows(lambda state: state["document"]["holes"] == holes + 1)
    assert document(server)["holes"] == holes + 1
    browsing.page.keyboard.press("Control+z")
    browsing.shows(lambda state: state["document"]["holes"] == holes)
    browsing.page.keyboard.press("Shift+Control+z")
    browsing.shows(lambda state: state["document"]["holes"] == holes + 1)
    state = server.request("crowd", do="status")[0]["ok"]
    assert state["characters"] == 30
    assert state["running"]


def test_a_roadmap_is_edited_and_saved(browsing, server, tmp_path):
    browsing.part("cell-size").fill("1")
    browsing.part("cell-size").press("Enter")
    browsing.press("layer-rrm")
    browsing.until(lambda: "nodes" in browsing.part("legends").inner_text())
    fields = {"method": "rrm", "resolution": 1.0}
    nodes = server.request("layer", name="roadmap", **fields)[0]["ok"]["nodes"]
    browsing.press("tab-edit")
    browsing.part("roadmap-which").select_option("rrm")
    browsing.click((23.5, 20.0))
    browsing.click((23.5, 22.0))  # joined to the one before

    def state():
        return server.request("layer", name="roadmap", **fields)

    browsing.shows(lambda state: state["roadmap"]["nodes"] == nodes + 2)
    _, arrays = state()
    assert sorted(arrays["edges"][-1].tolist()) == [nodes, nodes + 1]
    browsing.drag((23.5, 22.0), (25.5, 22.0))
    browsing.until(lambda: abs(state()[1]["vertices"][nodes + 1, 0] - 25.5) < 0.1)
    browsing.press("roadmap-how-close")
    browsing.drag((24.0, 19.0), (26.0, 23.0))
    browsing.until(lambda: len(state()[0]["ok"]["closed"]) == 1)
    assert not state()[1]["open"].all()
    browsing.press("roadmap-undo")
    browsing.until(lambda: state()[0]["ok"]["closed"] == [])
    with browsing.page.expect_download() as saving:
        browsing.press("save-roadmap")
    saving.value.save_as(tmp_path / "field.fwmap")
    assert fw.roadmap.Roadmap.load(tmp_path / "field.fwmap").n_nodes == nodes + 2
    browsing.part("roadmap-which").select_option("")
    browsing.press("edit-how-rectangle")
    browsing.drag((22.0, 26.0), (23.0, 27.0))
    assert "loses 3 edits of roadmaps" in browsing.part("question").inner_text()
    browsing.press("question-no")
    assert document(server)["undo"] == 0


def test_terrain_and_areas_are_drawn_deleted_and_saved(browsing, server):
    browsing.press("tab-edit", "save-scenario")
    browsing.until(lambda: "the crowd is empty" in browsing.toasts)  # and no file is saved
    browsing.errors.clear()  # the browser notes the refusal by itself
    browsing.press("edit-what-terrain")
    browsing.part("edit-kind").fill("sand")
    for corner in ((20.0, 20.0), (26.0, 20.0), (26.0, 26.0)):
        browsing.click(corner)
    browsing.shows(lambda state: len(state["draft"]) == 3)
    browsing.page.keyboard.press("Enter")
    browsing.shows(lambda state: state["document"]["kinds"] == ["sand"])
    browsing.press("edit-what-area", "edit-role-exit", "edit-how-rectangle")
    browsing.part("edit-name").fill("door")
    browsing.drag((2.0, 2.0), (4.0, 4.0))
    browsing.shows(lambda state: "door" in [a["name"] for a in state["document"]["areas"]])
    with browsing.page.expect_download() as saving:
        browsing.press("save-geojson")
    saved = json.loads(saving.value.path().read_text())
    kinds = [feature["properties"].get("kind") for feature in saved["features"]]
    assert "sand" in kinds
    browsing.press("edit-how-delete")
    browsing.click((24.0, 22.0))
    browsing.shows(lambda state: state["document"]["kinds"] == [])
    assert document(server)["kinds"] == []
