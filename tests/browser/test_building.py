"""A building: its floors, a path from one to another, 3D, and the address."""

import pytest

from tests.browser.test_views import findings
from tests.browser.test_walk import click_minimap


def test_a_path_from_floor_to_floor(browsing, server):
    browsing.open("gallery:rimea8")
    assert browsing.state["floor"] == "0"
    browsing.press("tab-path")
    browsing.click((5.0, 6.6))
    ground = browsing.picture()
    browsing.press("floor-1")
    assert browsing.part("mark-start").get_attribute("aria-label") == "Start, on floor 0"
    assert browsing.picture() != ground  # the stairs down are seen
    browsing.page.keyboard.press("ArrowUp")  # in the list
    browsing.shows(lambda state: state["floor"] == "2")
    names = browsing.page.locator(".mark.link").all_inner_texts()
    assert names == ["Stairs A1 ↓ 1"]
    browsing.click((5.0, 10.4))
    path = browsing.shows(lambda state: state["path"]["facts"])["path"]
    assert path["floors"] == {"start": "0", "goal": "2"}
    header, _ = server.request("path", start=path["start"], goal=path["goal"], floors=["0", "2"])
    assert path["facts"]["length"] == pytest.approx(header["ok"]["length"])
    facts = browsing.part("path-facts").inner_text()
    for words in (f"{path['facts']['length']:.2f} m", "0 → 1 → 2", "Stairs A0, Stairs A1"):
        assert words in facts

    browsing.page.locator("canvas.stage").press("PageDown")
    browsing.shows(lambda state: state["floor"] == "1")
    browsing.drag(path["goal"], (10.0, 3.6))  # what is dragged comes to the floor that is shown
    moved = browsing.shows(
        lambda state: state["path"]["floors"]["goal"] == "1" and state["path"]["facts"]
    )
    browsing.until(lambda: "0 → 1\n" in browsing.part("path-facts").inner_text())
    browsing.until(lambda: "floors=0,1" in browsing.address)
    browsing.page.reload()
    again = browsing.shows(lambda state: state["path"]["facts"])
    assert (again["floor"], again["path"]["floors"]) == ("1", moved["path"]["floors"])


def test_a_mark_on_stairs_is_on_both_floors_that_they_join(browsing):
    browsing.open("gallery:rimea8")
    browsing.press("tab-path")
    browsing.click((18.8, 7.0))  # the lower flight
    browsing.click((16.4, 7.0))
    path = browsing.shows(lambda state: state["path"]["facts"])["path"]
    assert path["floors"] == {"start": "A0", "goal": "0"}
    assert path["moved"] == {}
    assert "elsewhere" not in browsing.part("mark-start").get_attribute("class")
    plain = browsing.picture()
    browsing.press("tab-layers", "layer-axis")
    browsing.until(lambda: browsing.picture() != plain)
    assert browsing.toasts == ""
    browsing.press("floor-2")  # which this flight does not lead to
    assert browsing.part("mark-start").get_attribute("aria-label") == "Start, on floor A0"


def test_what_is_for_plans_is_switched_off_in_one_line(browsing):
    browsing.press("layer-discs")
    browsing.open("gallery:rimea8")
    reason = "Roadmaps and discs are for maps of one floor."
    assert browsing.part("layers-none").inner_text() == reason
    assert browsing.page.locator("[data-testid=layer-grid]").evaluate(
        "(e) => e.closest('[inert]') !== null"
    )
    assert browsing.state["layers"] == ["walls", "terrain", "areas"]  # without the discs
    assert browsing.toasts == ""
    assert findings(browsing) == []
    browsing.open("gallery:field")
    assert not browsing.part("floors").is_visible()
    assert browsing.state["floor"] is None


def test_a_floor_is_drawn_on_and_stairs_are_closed(browsing):
    browsing.open("gallery:rimea8")
    browsing.press("floor-1", "tab-edit", "edit-how-rectangle")
    assert "on the floor that is shown" in browsing.part("edit-floors").inner_text()
    assert not browsing.part("edit-what-terrain").is_visible()
    plain = browsing.colours((15.0, 6.2))
    browsing.drag((14.5, 5.6), (15.4, 8.4))
    browsing.shows(lambda state: state["document"]["undo"] == 1)
    browsing.draws("gallery:rimea8")
    assert browsing.colours((15.0, 6.2)) != plain
    assert browsing.state["floor"] == "1"
    browsing.press("edit-how-select")
    browsing.click((15.0, 6.2))
    browsing.until(lambda: browsing.part("item-kind").inner_text() == "Obstacle")
    browsing.press("floor-0")
    assert not browsing.part("item").is_visible()  # it is not on this floor
    browsing.click((18.8, 7.0))
    browsing.until(lambda: browsing.part("item-kind").inner_text() == "Link")
    assert browsing.part("item-name").input_value() == "A0"
    assert browsing.part("links").locator("label").count() == 1
    browsing.press("link-open-A0")
    browsing.shows(lambda state: state["document"]["links"][0]["closed"])
    browsing.until(lambda: "Stairs A0 ↑ 1, closed" in browsing.part("link-0").inner_text())
    assert findings(browsing) == []
    browsing.press("tab-path")
    browsing.click((5.0, 6.6))
    browsing.press("floor-2")
    browsing.click((5.0, 10.4))
    browsing.until(lambda: "Closed links: A0." in browsing.part("path-trouble").inner_text())
    browsing.press("tab-edit", "undo")
    browsing.shows(lambda state: state["path"]["facts"])
    browsing.press("undo")
    browsing.shows(lambda state: state["document"]["undo"] == 0)
    browsing.draws("gallery:rimea8")
    browsing.press("floor-1")
    assert browsing.colours((15.0, 6.2)) == plain


def test_people_walk_over_floors_and_are_followed(browsing, server):
    browsing.open("gallery:rimea8")
    browsing.press("tab-crowd", "floor-1")
    before = browsing.pixel((10, 10))
    browsing.part("add-count").fill("1")
    browsing.part("add-area").select_option(label="room 7, floor 1")
    browsing.part("add-goal").select_option(label="exit, floor 0")
    browsing.press("add-population")
    browsing.shows(lambda state: state["people"] == {"1": 1} and state["floor"] == "1")
    empty = browsing.part("floor-0").inner_text()
    browsing.until(lambda: browsing.part("floor-1").inner_text().endswith("1"))  # is counted
    assert browsing.pixel((10, 10)) == before  # nobody clicks beside whom they aim at
    (person,) = browsing.people(shown=True)
    browsing.click(person["at"])
    browsing.shows(lambda state: state["selected"] >= 0)
    browsing.until(lambda: ", floor 0" in browsing.part("character-facts").inner_text())
    browsing.press("character-follow", "crowd-speed-16", "crowd-play")
    browsing.shows(lambda state: state["floor"] == "0")  # it has come down the stairs
    browsing.until(lambda: browsing.part("floor-0").inner_text() != empty)
    browsing.press("crowd-pause")
    (person,) = browsing.people()
    height = person["height"]
    browsing.press("character-follow", "floor-2")
    assert browsing.people(shown=True) == []  # on the map of another floor
    browsing.press("view-3d")
    (seen,) = browsing.people(shown=True)
    assert seen["height"] == pytest.approx(height)
    assert findings(browsing) == []
    server.request("crowd", do="faster", speed=1.0)


def test_obstacles_stand_on_their_floor(browsing, server):
    browsing.open("gallery:rimea8")
    browsing.press("tab-crowd", "floor-1", "obstacle-drop")
    empty = browsing.colours((15.0, 7.0))
    browsing.click((15.0, 7.0))
    browsing.shows(lambda state: state["obstacles"])
    assert browsing.colours((15.0, 7.0)) != empty
    browsing.press("floor-0")
    assert browsing.colours((15.0, 7.0)) == empty
    browsing.press("floor-1")
    browsing.drag((15.0, 7.0), (13.0, 7.0))
    browsing.until(lambda: server.obstacles()[0, 0] == pytest.approx(13.0, abs=0.1))
    browsing.press("view-3d")
    assert findings(browsing) == []
    browsing.press("tab-crowd", "obstacle-remove")
    browsing.shows(lambda state: state["obstacles"] == [])


def test_a_scenario_in_a_building_runs(browsing, tmp_path):
    (tmp_path / "down.toml").write_text(
        'map = "gallery:rimea8"\nduration = 60\n[[population]]\ncount = 5\narea = "room 7 up"\n'
        'destinations = ["0"]\nthen = "exit"\n[area]\n"room 7 up" = [9.1, 7.7, 10.9, 9.9]\n'
        '[floor]\n"room 7 up" = "2"\n'
    )
    browsing.open_file(tmp_path / "down.toml")
    browsing.draws("down.toml")
    browsing.shows(lambda state: state["people"] == {"2": 5})
    browsing.press("tab-crowd", "crowd-speed-16", "crowd-play", "floor-1")
    browsing.until(lambda: browsing.people(shown=True))  # they come by on the stairs
    browsing.press("crowd-pause")
    assert "5" in browsing.part("population-0").inner_text()


def test_in_3d_floors_are_pulled_apart_cut_and_faint(browsing):
    browsing.open("gallery:rimea8")
    browsing.press("tab-path", "panel-hide", "view-3d", "floor-2", "fit")
    whole = browsing.picture()
    assert findings(browsing) == []
    browsing.press("floors-faint")
    assert browsing.picture() != whole
    _, high = browsing.state["heights"]
    browsing.slide("floors-apart", 3)
    browsing.shows(lambda state: state["heights"][1] - high == pytest.approx(12.0))
    browsing.click((17.1, 7.0))  # a click is on the floor that is chosen, at its height
    path = browsing.shows(lambda state: state["path"]["start"])["path"]
    assert path["start"] == pytest.approx((17.1, 7.0), abs=0.1)
    browsing.press("floor-0")
    browsing.slide("floors-cut", 2)
    browsing.shows(lambda state: state["heights"][1] < 7)
    browsing.click((17.1, 7.0))
    path = browsing.shows(lambda state: state["path"]["facts"])["path"]
    assert path["goal"] == pytest.approx((17.1, 7.0), abs=0.1)
    assert path["facts"]["floors"] == ["2", "1", "0"]
    mark = browsing.part("mark-start").bounding_box()
    assert mark["y"] < browsing.part("mark-goal").bounding_box()["y"] - 100


def test_the_walk_climbs_the_stairs(browsing):
    browsing.open("gallery:rimea8")
    browsing.press("view-walk")
    begin = browsing.shows(lambda state: state["view"] == "walk")["walk"]
    assert (begin["height"], begin["floor"]) == (1.7, "0")
    browsing.press("floor-1")
    click_minimap(browsing, (17.1, 7.0))
    walk = browsing.shows(lambda state: state["walk"]["moving"])["walk"]

    def at(time):
        """The walk at a moment, at which it stands still: a busy machine would show later ones."""
        browsing.page.evaluate(
            "(time) => Object.assign(window.footway.walker, { time, speed: 0 })", time
        )
        drawn = browsing.state["pictures"]
        return browsing.shows(lambda state: state["pictures"] > drawn)["walk"]

    places = [at(walk["duration"] * k / 12) for k in range(6, 12)]
    assert {"A0", "1"} <= {place["floor"] for place in places}
    heights = [place["height"] for place in places]
    assert heights == sorted(heights)
    at(walk["duration"])
    end = browsing.shows(lambda state: not state["walk"]["moving"])
    assert (end["walk"]["floor"], end["floor"]) == ("1", "1")
    assert end["walk"]["height"] == pytest.approx(4.7, abs=0.01)
    assert end["walk"]["at"] == pytest.approx((17.1, 7.0), abs=0.2)
    assert "floor 1" in browsing.part("walk-facts").inner_text()
    browsing.page.set_viewport_size({"width": 390, "height": 700})
    browsing.press("floor-0")
    box = browsing.part("minimap").bounding_box()
    assert box["width"] == pytest.approx(170, abs=3)  # as the page reckons with it
    x0, y0, x1, y1 = browsing.state["document"]["bounds"]
    aspect = (box["width"] - 16) / (box["height"] - 16)
    assert aspect == pytest.approx((x1 - x0) / (y1 - y0), rel=0.05)


def test_a_lift_is_drawn_moved_renamed_and_deleted(browsing):
    browsing.open("gallery:rimea8")
    browsing.press("tab-edit", "edit-how-rectangle", "edit-what-link")
    assert "box from where people step on" in browsing.part("edit-hint").inner_text()
    browsing.part("edit-link-kind").select_option(label="Lift")
    assert browsing.part("edit-link-to").input_value() == "1"
    browsing.part("edit-link-to").select_option(label="2")
    browsing.part("edit-name").fill("glass")
    start, end = (2.2, 6.9), (3.8, 8.6)
    browsing.drag(start, end)
    browsing.shows(lambda state: state["document"]["undo"] == 1)
    browsing.draws("gallery:rimea8")

    def lift():
        links = browsing.state["document"]["links"]
        return next((one for one in links if one["kind"] == "lift"), None)

    assert lift()["floors"] == ["0", "1", "2"]
    browsing.until(lambda: "Lift glass" in browsing.part("links").inner_text())
    assert findings(browsing) == []
    browsing.press("edit-how-select")
    browsing.click((3.0, 7.8))
    browsing.until(lambda: browsing.part("item-kind").inner_text() == "Link")
    browsing.drag((3.0, 7.8), (3.3, 7.7))
    browsing.shows(lambda state: state["document"]["undo"] == 2)
    browsing.part("item-name").fill("north")
    browsing.part("item-name").press("Enter")
    browsing.shows(lambda state: state["document"]["undo"] == 3)
    assert lift()["name"] == "north"
    browsing.press("item-delete")
    browsing.shows(lambda state: state["document"]["undo"] == 4)
    assert lift() is None
    browsing.press("undo")
    browsing.shows(lambda state: state["document"]["undo"] == 3)
    assert lift()["name"] == "north"
    assert browsing.toasts == ""
