"""Map and 3D, layers, scale bar, coordinates, light and dark."""

from pathlib import Path

import pytest

from tests.browser.browsing import PATIENCE
from tests.unit.studio.serving import serving

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"


def test_the_map_zooms_and_shows_the_pointer_coordinates(browsing):
    at = (10.0, 20.0)
    pixel = browsing.pixel(at)
    browsing.page.mouse.move(*pixel)
    assert browsing.part("coordinates").inner_text() == "10.00, 20.00 m"
    before = browsing.state["camera"]["metresPerPixel"]
    assert browsing.part("scale").inner_text() in {"5 m", "10 m"}
    browsing.page.mouse.wheel(0, -600)
    after = browsing.shows(lambda state: state["camera"]["metresPerPixel"] < 0.7 * before)
    assert browsing.pixel(at) == pytest.approx(pixel, abs=0.5)
    browsing.press("fit")
    browsing.shows(lambda state: state["camera"]["metresPerPixel"] == pytest.approx(before))
    assert after["view"] == "map"
    pinch(browsing, 20, 40)
    browsing.shows(
        lambda state: state["camera"]["metresPerPixel"] == pytest.approx(before / 2, rel=0.05)
    )


def test_3d_and_the_dark_theme_change_the_picture(browsing):
    light = browsing.picture()
    meshes = geometries(browsing)
    browsing.press("theme")
    browsing.shows(lambda state: state["theme"] == "dark")
    dark = browsing.picture()
    assert geometries(browsing) == meshes  # those of the light ones have been given back
    browsing.press("view-3d")
    browsing.shows(lambda state: state["view"] == "3d")
    solid = browsing.picture()
    assert len({light, dark, solid}) == 3
    assert browsing.part("area-0").is_visible()  # the names of areas stand in 3D, too
    assert browsing.page.locator("html").get_attribute("data-theme") == "dark"


def geometries(browsing):
    """How many are on the graphics card."""
    return browsing.page.evaluate(
        "window.footway.app.stage.painter.renderer.info.memory.geometries"
    )


@pytest.mark.parametrize(
    "names",
    [
        ("axis", "discs", "voronoi_prm"),
        pytest.param(("grid", "rrm", "rrm_star", "rrrm"), marks=pytest.mark.slow),
    ],
)
def test_every_layer_is_drawn_over_the_map(browsing, names):
    seen = [browsing.picture()]
    for name in names:
        browsing.press(f"layer-{name}")
        browsing.until(lambda: browsing.picture() != seen[-1])
        seen.append(browsing.picture())
    assert set(names) <= set(browsing.state["layers"])
    browsing.press(*(f"layer-{name}" for name in names))
    browsing.until(lambda: browsing.picture() == seen[0])
    assert browsing.toasts == ""


def test_terrain_has_a_legend(browsing):
    browsing.open("gallery:mckenna-road")
    legend = browsing.part("legends")
    browsing.until(lambda: "sidewalk" in legend.inner_text())
    shown = browsing.picture()
    browsing.press("layer-terrain")
    browsing.until(lambda: "sidewalk" not in legend.inner_text())
    assert browsing.picture() != shown


def pinch(browsing, before, after):
    """Put two fingers on the map, so many pixels apart, and spread them."""
    fingers = browsing.page.context.new_cdp_session(browsing.page)

    def touch(kind, *places):
        points = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(places)]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", (300 - before, 300), (300 + before, 300))
    for apart in ((before + after) / 2, after):
        touch("touchMove", (300 - apart, 300), (300 + apart, 300))
    touch("touchEnd")


def test_keys_work_after_a_click_and_3d_shows_the_same_place(browsing):
    browsing.press("view-3d")
    browsing.page.keyboard.press("1")
    browsing.shows(lambda state: state["view"] == "map")
    browsing.page.keyboard.press("?")
    browsing.part("help").wait_for()
    browsing.press("help-close")
    assert not browsing.part("help").is_visible()
    browsing.press("zoom-in", "zoom-in", "zoom-in")
    browsing.page.keyboard.press("ArrowRight")
    before = browsing.state["camera"]["metresPerPixel"]
    browsing.press("view-3d")
    state = browsing.shows(lambda state: state["view"] == "3d")
    assert state["camera"]["metresPerPixel"] == pytest.approx(before, rel=0.01)


def test_the_picture_is_redrawn_in_full_when_nothing_moves(browsing):
    shown = browsing.picture()
    browsing.page.evaluate("window.footway.app.stage.pace.level = 2")
    browsing.press("zoom-in")
    browsing.shows(lambda state: not state["fine"])
    browsing.press("fit")
    browsing.until(lambda: browsing.page.screenshot(clip=browsing.CLIP) == shown)
    assert browsing.state["fine"]


def test_a_corridor_is_no_darker_where_it_overlaps_itself(browsing):
    """A strip that goes to the right and comes back half the way."""
    browsing.page.evaluate("""() => {
        const { stage } = window.footway.app;
        let strip;
        stage.scene.traverse((part) => { if (part.material?.stencilWrite) strip ??= part; });
        strip.draw([14, 6, 20, 6, 17, 6], [14, 4, 20, 4, 17, 4]);
        stage.refresh();
    }""")
    once, twice, beside = browsing.colours((15.5, 5.0), (18.5, 5.0), (18.5, 7.5))
    assert once == twice != beside


def test_a_slow_layer_has_a_name_a_cell_size_and_can_be_cancelled(browsing, server):
    browsing.open("gallery:office")
    browsing.part("cell-size").fill("0.15")
    browsing.press("layer-rrm_star")
    browsing.part("waiting-rrm_star").wait_for()
    assert (
        browsing.part("waiting-rrm_star").inner_text().startswith("With cycles (RRM*): computing")
    )
    browsing.press("cancel-rrm_star")
    browsing.shows(lambda state: state["waiting"] == 0 and "rrm_star" not in state["layers"])
    browsing.part("cell-size").fill("1")
    browsing.part("cell-size").press("Enter")
    browsing.press("layer-grid")  # not before the server has stopped the other one
    browsing.until(lambda: "nodes" in browsing.part("legends").inner_text())
    nodes = server.request("layer", name="roadmap", method="grid", resolution=1.0)[0]["ok"]["nodes"]
    assert f"{nodes:,} nodes" in browsing.part("legends").inner_text()


def findings(browsing, part="html"):
    """What axe-core calls serious or critical on the page as it is now, or on a part of it."""
    if not browsing.page.evaluate("Boolean(window.axe)"):
        browsing.page.evaluate(AXE.read_text())  # no script of the page: its policy forbids others
    return browsing.page.evaluate(
        """async (part) => {
        const { violations } = await axe.run(part, { resultTypes: ["violations"] });
        return violations.filter(({ impact }) => ["serious", "critical"].includes(impact))
            .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
    }""",
        part,
    )


def test_no_serious_finding_of_axe(browsing):
    """Panels with what they show of a path, a crowd, a character and an obstacle."""
    browsing.press("layer-axis", "layer-density", "tab-path")
    browsing.click((2.0, 3.0))
    browsing.click((44.0, 44.0))
    browsing.press("tab-crowd", "add-population", "crowd-step", "population-profile-0")
    browsing.shows(lambda state: state["path"]["facts"] and state["characters"])
    browsing.page.evaluate("window.footway.app.store.selected.set(3)")
    browsing.part("force-steering").wait_for()
    browsing.press("tab-edit", "edit-how-select")
    browsing.click((37.0, 26.0))
    browsing.part("item").wait_for()
    for theme in ("light", "dark"):
        for panel in ("layers", "path", "crowd", "edit", "replay"):
            browsing.press(f"tab-{panel}")
            assert findings(browsing, ".panel") == [], (theme, panel)
        assert findings(browsing) == [], theme
        browsing.press("help-button")
        assert findings(browsing) == [], (theme, "help")
        browsing.press("help-close", "theme")
    # Landmarks, and a name for what is drawn.
    for role, name in (
        ("main", None), ("banner", None), ("contentinfo", None), ("complementary", "Controls"),
        ("navigation", "Panels"), ("application", "Map: arrows move it"),
    ):  # fmt: skip
        assert browsing.page.get_by_role(role, **({"name": name} if name else {})).count() == 1, (
            role
        )
    # One tab stop for each group, and arrows inside it.
    stops = browsing.page.locator("[role=tab][tabindex='0']")
    assert stops.count() == 1
    stops.press("ArrowDown")
    browsing.shows(lambda state: state["panel"] == "layers")


def test_the_page_is_not_blank_while_its_script_loads(context, access):
    page = context.new_page()
    page.route("**/assets/*.js", lambda _: None)  # never answered
    page.goto(f"http://127.0.0.1:{access.port}/", wait_until="commit")
    page.get_by_text("Loading Footway studio").wait_for()
    page.close()


def test_a_missing_token_is_reported(chromium):
    with serving(token="right") as studio:
        page = chromium.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        try:
            page.goto(f"http://127.0.0.1:{studio.access.port}/?token=right#panel=path")
            page.get_by_test_id("path-hint").wait_for()
            assert "token" not in page.url
            assert "panel=path" in page.url
            page.evaluate("sessionStorage.clear()")
            page.goto(f"http://127.0.0.1:{studio.access.port}/?token=wrong")
            page.get_by_text("This address needs its token").wait_for()
        finally:
            page.close()
