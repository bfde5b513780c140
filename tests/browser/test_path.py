"""A path between two marks: clicked, dragged, with every method, and a gap that is too narrow."""

import math

import pytest

ROOM = (6.0, 30.0)
HALL = (41.4, 21.4)


def test_a_path_is_what_the_server_says_and_follows_the_marks(browsing, server):
    browsing.press("tab-path")
    browsing.click((2.0, 3.0))
    browsing.click((44.0, 44.0))
    path = browsing.shows(lambda state: state["path"]["facts"])["path"]
    header, _ = server.request("path", start=path["start"], goal=path["goal"])
    assert path["facts"]["length"] == pytest.approx(header["ok"]["length"])
    assert path["points"] > 2
    assert f"{path['facts']['length']:.2f} m" in browsing.part("path-facts").inner_text()

    browsing.drag(path["goal"], (44.0, 4.0))
    moved = browsing.shows(lambda state: state["path"]["goal"][1] < 5 and state["path"]["facts"])
    browsing.shows(
        lambda state: (state["path"]["facts"] or path["facts"])["length"] != path["facts"]["length"]
    )
    assert moved["path"]["goal"] == pytest.approx((44.0, 4.0), abs=0.1)


def test_every_method_answers_with_its_own_path(browsing):
    browsing.press("tab-path")
    browsing.click((2.0, 3.0))
    browsing.click((44.0, 44.0))
    lengths = set()
    for method in ("short", "cmm", "irm", "miran"):
        browsing.press(f"path-method-{method}")
        found = browsing.shows(
            lambda state, method=method: (state["path"]["facts"] or {}).get("method") == method
        )
        lengths.add(round(found["path"]["facts"]["length"], 6))
    assert len(lengths) == 4


def test_irm_and_miran_use_the_costs_of_the_sliders(browsing):
    browsing.open("gallery:mckenna-road")
    browsing.press("tab-path", "path-method-irm")
    x0, y0, x1, y1 = browsing.state["document"]["bounds"]
    browsing.click((x0 + 0.1 * (x1 - x0), y0 + 0.5 * (y1 - y0)))
    browsing.click((x0 + 0.6 * (x1 - x0), y0 + 0.5 * (y1 - y0)))
    for kind in browsing.state["document"]["kinds"]:
        browsing.slide(f"weight-{kind}", 3)
    for method in ("irm", "miran"):
        browsing.press(f"path-method-{method}")
        browsing.shows(
            lambda state, method=method: weighs(state["path"]["facts"], method, times=3.0)
        )


def weighs(facts, method, times):
    """Whether a path by a method crosses terrain, and a metre of it counts so many times."""
    if not facts or facts["method"] != method:
        return False
    terrain = facts["length"] - facts["ground"].get("ground", 0.0)
    weighed = facts["length"] + (times - 1.0) * terrain
    return terrain > 1.0 and facts["weighted_length"] == pytest.approx(weighed, rel=1e-3)


def test_a_radius_that_does_not_fit_shows_the_pinch(browsing):
    browsing.open("gallery:office")
    browsing.press("tab-path")
    browsing.click(HALL)
    browsing.click(ROOM)
    browsing.shows(lambda state: state["path"]["facts"])
    browsing.slide("path-radius", 0.6)
    path = browsing.shows(lambda state: state["path"]["pinch"])["path"]
    assert path["facts"] is None
    assert path["pinch"]["width"] == pytest.approx(0.9)
    assert browsing.part("mark-pinch").inner_text() == "0.90 m wide"
    assert "the widest path is 0.900 m wide" in browsing.part("path-trouble").inner_text()
    browsing.slide("path-radius", 0.4)
    browsing.shows(lambda state: state["path"]["facts"] and not state["path"]["pinch"])
    browsing.press("path-clear")
    browsing.click(HALL)
    browsing.click((10.0, 40.0))  # in a wall: the nearest free position is used, and it says so
    path = browsing.shows(lambda state: state["path"]["facts"])["path"]
    assert path["trouble"] is None
    far = math.dist(path["moved"]["goal"], path["goal"])
    note = browsing.part("path-note").inner_text()
    assert "B is in or too near a wall" in note
    assert f"{far:.2f} m away" in note
    assert "start" not in path["moved"]
    shown = browsing.picture()
    browsing.drag(path["goal"], HALL)
    browsing.until(lambda: browsing.part("path-note").inner_text() == "")
    assert browsing.picture() != shown


def test_the_radius_slider_is_fine_where_radii_are_small(browsing):
    browsing.press("tab-path")
    assert browsing.state["document"]["largest_radius"] > 5
    browsing.slide("path-radius-slider", 500)
    assert 0.3 < browsing.state["radius"] < 1.0
    browsing.part("path-radius").fill("0.33")
    assert browsing.state["radius"] == 0.33


def test_a_radius_that_is_not_allowed_restores_the_one_before(browsing):
    browsing.press("tab-path")
    entry, note = browsing.part("path-radius"), browsing.part("path-radius-note")
    entry.fill("0.5")
    entry.press("Enter")
    most = float(entry.get_attribute("max"))
    for text in ("-1", "99", ""):
        entry.fill(text)
        entry.press("Enter")
        assert (entry.input_value(), browsing.state["radius"]) == ("0.5", 0.5)
        assert note.inner_text() == f"Radius must be from 0.05 to {most:g} m."
    entry.fill("0.4")
    assert note.inner_text() == ""
