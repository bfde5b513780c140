"""Nothing is lost without a question: other maps, other tabs, reload, Back, a server that ends."""

import json

import pytest

from tests.browser.browsing import Browsing, studio_process
from tests.browser.test_crowd import add
from tests.browser.test_views import findings

PLAN = {
    "type": "FeatureCollection",
    "meta": {"crs": "local metres"},
    "features": [
        {
            "type": "Feature",
            "properties": {"kind": kind, **({"name": name} if name else {})},
            "geometry": {"type": "Polygon", "coordinates": [[*ring, ring[0]]]},
        }
        for kind, name, ring in (
            ("walkable", "", [[0, 0], [20, 0], [20, 12], [0, 12]]),
            ("obstacle", "shelf", [[0, 4], [6, 4], [6, 5], [0, 5]]),
            ("obstacle", "counter", [[6, 4.5], [9, 4.5], [9, 6], [6, 6]]),
        )
    ],
}


def choose(browsing, name):
    """Choose a map in the list."""
    browsing.part("open").select_option(name)


def test_another_map_is_opened_after_a_question_and_the_work_comes_back(browsing, server):
    add(browsing, 30)
    browsing.press("tab-edit", "edit-how-rectangle")
    holes = browsing.state["document"]["holes"]
    browsing.drag((22.0, 21.0), (25.0, 24.0))
    browsing.shows(lambda state: state["document"]["holes"] == holes + 1)
    choose(browsing, "gallery:office")
    assert "1 edit and 30 people" in browsing.part("question").inner_text()
    assert findings(browsing) == []
    browsing.press("question-no")
    browsing.until(lambda: browsing.part("open").input_value() == "gallery:field")
    assert server.request("hello")[0]["ok"]["document"]["name"] == "gallery:field"
    choose(browsing, "gallery:office")
    browsing.press("question-yes")
    state = browsing.shows(lambda state: state["document"]["name"] == "gallery:office")
    assert state["document"]["recent"][0]["about"] == "1 edit, 30 people"
    browsing.until(lambda: browsing.part("open").input_value() == "gallery:office")
    choose(browsing, state["document"]["recent"][0]["key"])
    browsing.shows(
        lambda state: (
            state["document"]["name"] == "gallery:field"
            and state["document"]["holes"] == holes + 1
            and state["characters"] == 30
        )
    )


def test_another_tab_gets_a_notice_when_the_map_changes(browsing, access, server):
    add(browsing, 12)
    other = Browsing(browsing.page.context.new_page(), access)
    other.open("gallery:office")
    browsing.until(lambda: "Another tab opened gallery:office" in browsing.toasts)
    assert "gallery:field is in the list of maps, under Recent" in browsing.toasts
    assert "Another tab" not in other.toasts
    browsing.press("toast-close")  # it stays until then
    assert "Another tab" not in browsing.toasts
    key = browsing.state["document"]["recent"][0]["key"]
    choose(browsing, key)
    browsing.shows(lambda state: state["characters"] == 12)
    # Also of a map with the same name.
    server.request("open", name="gallery:field")
    browsing.until(lambda: "Another tab opened gallery:field again" in browsing.toasts)
    browsing.shows(lambda state: state["characters"] == 0)


HOLD = """() => {
    const { app } = window.footway;
    const send = app.source.request.bind(app.source);
    window.held = [];
    app.source.request = (name, ...rest) => {
        const reply = send(name, ...rest);
        if (!["path", "edit"].includes(name)) return reply;
        return new Promise((show) => held.push(async () => show(await reply)));
    };
}"""
SHOW = """async () => {
    await window.held.shift()();
    await new Promise((later) => setTimeout(later, 50));
}"""


def test_late_answers_are_not_shown(browsing, server):
    """Neither after Clear, nor after another map was opened, nor those of an older version."""
    browsing.page.evaluate(HOLD)

    def ask():
        browsing.press("tab-path")
        browsing.click((2.0, 3.0))
        browsing.click((44.0, 44.0))
        browsing.until(lambda: browsing.page.evaluate("held.length"))

    ask()
    browsing.press("path-clear")
    browsing.page.evaluate(SHOW)
    assert browsing.state["path"]["points"] == 0
    ask()
    browsing.open("gallery:office")
    browsing.page.evaluate(SHOW)
    assert browsing.state["path"]["points"] == 0

    browsing.press("tab-edit", "edit-how-rectangle")
    browsing.drag((41.0, 20.0), (42.0, 21.0))
    browsing.shows(lambda state: state["document"]["undo"] == 1)
    server.request("edit", do="undo")
    after = browsing.shows(lambda state: state["document"]["undo"] == 0)
    browsing.page.evaluate(SHOW)  # the answer to the edit, which was undone since
    assert browsing.state["document"] == after["document"]
    shown = browsing.state["status"]
    browsing.page.evaluate("""(ok) => {
        const { app } = window.footway;
        app.showStatus({ ok: { ...ok, characters: 99 }, version: app.drawn - 1 });
    }""", shown)  # fmt: skip
    assert browsing.state["status"] == shown


def test_a_server_that_was_killed_and_started_again(context, tmp_path):
    """The page says what is gone; edits are under Recent."""
    with studio_process(tmp_path) as (access, process):
        browsing = Browsing(context.new_page(), access)
        add(browsing, 20)
        browsing.press("tab-edit", "edit-how-rectangle")
        holes = browsing.state["document"]["holes"]
        browsing.drag((22.0, 21.0), (25.0, 24.0))
        browsing.shows(lambda state: state["document"]["holes"] == holes + 1)
        browsing.until(lambda: list(tmp_path.glob("**/*.geojson")))
        process.kill()
        browsing.shows(lambda state: not state["online"])
        assert browsing.part("offline").is_visible()
        browsing.until(lambda: process.poll() is not None)
        with studio_process(tmp_path, access.port):
            browsing.until(lambda: "started again, without 20 people" in browsing.toasts)
            assert "the edited map is in the list of maps, under Recent" in browsing.toasts
            state = browsing.shows(
                lambda state: state["document"]["undo"] == 0 and state["characters"] == 0
            )
            (saved,) = state["document"]["recent"]
            choose(browsing, saved["key"])
            browsing.shows(lambda state: state["document"]["holes"] == holes + 1)
        browsing.page.close()


def test_the_address_holds_the_view_and_back_returns_to_the_one_before(browsing):
    browsing.press("tab-path")
    browsing.click((2.0, 3.0))
    browsing.click((44.0, 44.0))
    browsing.part("path-radius").fill("0.4")
    browsing.press("path-method-cmm", "zoom-in", "zoom-in")
    browsing.shows(lambda state: (state["path"]["facts"] or {}).get("method") == "cmm")
    before = browsing.state
    zoom = f",{before['camera']['metresPerPixel']:.7g}"
    browsing.until(lambda: "method=cmm" in browsing.address and zoom in browsing.address)
    browsing.page.reload()
    browsing.until(lambda: browsing.page.evaluate("Boolean(window.footway?.ready)"))
    after = browsing.shows(lambda state: state["path"]["facts"])
    assert (after["panel"], after["radius"], after["path"]["facts"]["method"]) == (
        "path", 0.4, "cmm",
    )  # fmt: skip
    assert after["path"]["start"] == pytest.approx(before["path"]["start"], abs=0.01)
    assert after["camera"]["metresPerPixel"] == pytest.approx(
        before["camera"]["metresPerPixel"], rel=1e-4
    )
    assert after["camera"]["at"][:2] == pytest.approx(before["camera"]["at"][:2], abs=0.01)
    browsing.press("tab-crowd")
    browsing.until(lambda: "panel=crowd" in browsing.address)
    browsing.page.go_back()
    browsing.shows(lambda state: state["panel"] == "path" and state["path"]["facts"])


def test_walls_of_a_plan_are_moved_changed_named_deleted_and_saved_apart(
    browsing, server, tmp_path
):
    (tmp_path / "shop.geojson").write_text(json.dumps(PLAN))
    browsing.open_file(tmp_path / "shop.geojson")
    area = browsing.draws("shop.geojson")["document"]["area"]
    browsing.press("tab-edit", "edit-how-select")
    browsing.click((3.0, 4.5))  # the shelf, which touches the outer wall and the counter
    browsing.until(lambda: browsing.part("item-kind").inner_text() == "Obstacle")
    assert browsing.part("item-name").input_value() == "shelf"
    browsing.drag((3.0, 4.5), (3.0, 7.5))
    browsing.shows(lambda state: state["document"]["undo"] == 1)
    browsing.click((8.0, 5.5))
    browsing.until(lambda: browsing.part("item-name").input_value() == "counter")
    browsing.drag((9.0, 6.0), (10.0, 7.0))  # a corner
    browsing.shows(lambda state: state["document"]["undo"] == 2)
    # It stays selected, and what is typed stays when another tab changes the map.
    browsing.part("item-name").fill("till")
    server.request("edit", do="add", polygon=((15, 8), (16, 8), (16, 9)), what="obstacle")
    browsing.shows(lambda state: state["document"]["undo"] == 3)
    browsing.until(lambda: browsing.page.evaluate("window.footway.app.source.waits()") == 0)
    assert browsing.part("item-name").input_value() == "till"
    browsing.part("item-name").press("Enter")
    browsing.shows(lambda state: state["document"]["undo"] == 4)
    with browsing.page.expect_download() as saving:
        browsing.press("save-geojson")
    saved = json.loads(saving.value.path().read_text())["features"]
    names = {one["properties"].get("name"): one["geometry"]["coordinates"][0] for one in saved}
    assert names.keys() == {None, "shelf", "till"}, names.keys()
    assert sorted(round(y) for _, y in names["shelf"][:4]) == [7, 7, 8, 8]
    assert any((round(x), round(y)) == (10, 7) for x, y in names["till"])
    browsing.press("edit-how-delete")
    browsing.click((3.0, 7.5))
    state = browsing.shows(lambda state: state["document"]["undo"] == 5)
    assert state["document"]["area"] > area


def test_keys_in_the_name_field_do_not_edit_the_polygon(browsing):
    browsing.press("tab-edit", "edit-what-area")
    for corner in ((20.0, 20.0), (26.0, 20.0), (26.0, 26.0)):
        browsing.click(corner)
    browsing.part("edit-name").fill("gate")
    browsing.part("edit-name").press("Backspace")
    browsing.part("edit-name").press("Enter")
    assert browsing.part("edit-name").input_value() == "gat"
    assert len(browsing.state["draft"]) == 3
