"""The walk-through: a click on the small map, a tour, and a free look."""

import math

import pytest

from tests.browser.test_views import findings


def click_minimap(browsing, at, **options):
    place = browsing.page.evaluate("(at) => window.footway.minimap(at)", list(at))
    browsing.part("minimap").click(position={"x": place[0], "y": place[1]}, **options)


def test_a_click_on_the_small_map_walks_there(browsing):
    browsing.press("view-walk")
    begin = browsing.shows(lambda state: state["view"] == "walk")["walk"]
    box = browsing.part("minimap").bounding_box()
    assert box["x"] < 40
    assert box["y"] < 120
    browsing.slide("walk-speed", 6)
    goal = (begin["at"][0] + 3, begin["at"][1])
    click_minimap(browsing, goal)
    browsing.shows(lambda state: state["walk"]["duration"] > 1)  # it may have ended by now
    end = browsing.shows(lambda state: not state["walk"]["moving"])["walk"]
    assert math.dist(end["at"], goal) < 1.0


def test_stops_make_a_tour_and_a_drag_looks_aside(browsing):
    browsing.press("view-walk")
    at = browsing.shows(lambda state: state["view"] == "walk")["walk"]["at"]
    for stop in ((at[0] + 3, at[1]), (at[0], at[1] + 3)):
        click_minimap(browsing, stop, modifiers=["Shift"])
    browsing.shows(lambda state: len(state["walk"]["stops"]) == 2)
    assert findings(browsing) == []
    browsing.press("theme")
    assert findings(browsing, ".panel") == []
    before = browsing.state["walk"]["heading"]
    browsing.page.mouse.move(500, 500)
    browsing.page.mouse.down()
    browsing.page.mouse.move(600, 500, steps=4)
    browsing.page.mouse.up()
    after = browsing.shows(lambda state: abs(state["walk"]["heading"] - before) > 0.1)["walk"]
    assert after["heading"] - before == pytest.approx(0.45, abs=0.1)
    browsing.press("walk-tour")
    browsing.shows(lambda state: state["walk"]["duration"] > 0)
    browsing.press("view-map")
    browsing.shows(lambda state: state["view"] == "map")
