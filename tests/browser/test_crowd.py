"""The live crowd: populations, controls, one character, obstacles."""

import re

import pytest

import footway as fw
from footway.scenario import parse_scenario

LATER = """
map = "gallery:field"
duration = 600

[[source]]
name = "late"
area = "start"
schedule = [[500, 12]]
destinations = ["meadow"]

[[obstacle]]
at = [23, 20]
radius = 1.0
velocity = [0.5, 0]
vanishes = 9.0
"""


def add(browsing, count):
    before = browsing.state["characters"]
    browsing.press("tab-crowd")
    browsing.part("add-count").fill(str(count))
    browsing.press("add-population")
    browsing.shows(lambda state: state["characters"] == before + count)


def status(server):
    return server.request("crowd", do="status")[0]["ok"]


def test_a_crowd_starts_steps_and_stops(browsing, server):
    add(browsing, 40)
    assert status(server)["characters"] == 40
    browsing.press("crowd-step")
    browsing.until(lambda: status(server)["time"] == pytest.approx(0.1))
    browsing.press("crowd-speed-4", "crowd-play")
    state = browsing.shows(lambda state: state["time"] > 1.0 and state["status"]["running"])
    assert state["status"]["speed"] == 4
    see_the_walls_again(browsing)
    # Space pauses although the button that was clicked has the focus.
    browsing.press("crowd-speed-2")
    browsing.page.keyboard.press("Space")
    browsing.until(lambda: not status(server)["running"])
    assert status(server)["speed"] == 2
    stopped = status(server)["time"]
    # The page's clock follows the simulation's time and ends where that ended.
    browsing.shows(lambda state: state["time"] == pytest.approx(stopped, abs=1e-3))


def see_the_walls_again(browsing):
    """Walls are redrawn only after the graphics context was lost."""
    wall, outside = (36.7, 26.2), (-2.5, 20.0)
    browsing.page.evaluate("""() => {
        const { stage } = window.footway.app;
        stage.pace.manner = () => ({ fine: false, scale: 1, smooth: true });
        stage.tick(() => true);  // never a rest in which all is drawn in full
    }""")
    browsing.shows(lambda state: not state["fine"])
    before = browsing.seen(wall, outside)
    browsing.lose_graphics()
    lost = browsing.state["pictures"]
    browsing.shows(lambda state: state["pictures"] > lost + 2)
    browsing.until(lambda: browsing.seen(wall, outside) == before)


def test_populations_are_changed_and_removed_while_it_runs(browsing, server, tmp_path):
    add(browsing, 30)
    row = browsing.part("population-0").element_handle()
    browsing.press("crowd-play", "add-behaviour-wander")
    add(browsing, 20)
    browsing.shows(lambda state: len(state["status"]["populations"]) == 2)
    assert row.is_visible()  # a dragged slider is not removed
    browsing.slide("population-speed-0", 2.5)
    browsing.until(lambda: server.request("character", id=0)[0]["ok"]["speed"] == 2.5)
    browsing.press("population-remove-1")
    browsing.shows(lambda state: state["characters"] == 30)
    assert status(server)["characters"] == 30
    browsing.until(lambda: browsing.part("population-1").count() == 0)

    # In the place of those who were there stand those of another scenario who appear later.
    (tmp_path / "later.toml").write_text(LATER)
    browsing.open_file(tmp_path / "later.toml")
    browsing.until(lambda: "late\n12 scheduled" in browsing.part("populations").inner_text())
    browsing.slide("population-speed-0", 0.7)
    browsing.until(lambda: status(server)["populations"][0]["speed"] == 0.7)
    # Its obstacle is there once after a reset, and is saved with its motion.
    browsing.press("crowd-step", "crowd-reset")
    browsing.until(lambda: status(server)["time"] == 0.0)
    browsing.shows(lambda state: state["obstacles"] == [23.0, 20.0, 1.0])
    with browsing.page.expect_download() as saved:
        browsing.press("tab-edit", "save-scenario")
    (obstacle,) = parse_scenario(saved.value.path().read_text()).obstacle
    assert (obstacle.velocity, obstacle.vanishes) == ((0.5, 0.0), 9.0)


def test_a_profile_is_changed_while_it_runs(browsing, server):
    browsing.press("tab-crowd", "add-profile")
    browsing.slide("add-lane", 0.5)
    browsing.slide("add-noise", 0.25)
    add(browsing, 30)
    browsing.press("crowd-play", "population-profile-0")
    first = status(server)["populations"][0]
    assert (first["lane"], first["noise"]) == pytest.approx((0.5, 0.25))
    wanted = {"radius": 0.35, "lane": -0.25, "noise": 0.5, "speed": 2.0}
    for name, value in wanted.items():
        browsing.slide(f"population-{name}-0", value)

    def changed():
        there = status(server)["populations"][0]
        return all(there[name] == pytest.approx(value) for name, value in wanted.items())

    browsing.until(changed)
    # A radius is not sent while it is dragged; later changes are.
    browsing.part("population-radius-0").evaluate(
        "(input) => { input.value = 0.9; input.dispatchEvent(new Event('input')); }"
    )
    browsing.slide("population-speed-0", 1.5)
    browsing.until(lambda: status(server)["populations"][0]["speed"] == 1.5)
    assert status(server)["populations"][0]["radius"] == pytest.approx(0.35)
    browsing.part("population-count-0").fill("45")
    browsing.part("population-count-0").press("Enter")
    browsing.shows(lambda state: state["characters"] == 45)
    # A reloaded page shows the paused crowd.
    browsing.press("crowd-pause")
    browsing.page.reload()
    browsing.shows(lambda state: state["characters"] == 45)


def test_the_crowd_is_recorded_and_saved(browsing, tmp_path):
    word = browsing.part("preparing")
    browsing.page.evaluate("window.footway.app.store.compiling.set('MIRAN')")
    assert word.inner_text() == "Preparing MIRAN: first time only, some seconds"
    browsing.page.evaluate("window.footway.app.store.compiling.set(undefined)")
    assert not word.is_visible()

    add(browsing, 12)
    browsing.press("record", "crowd-speed-4", "crowd-play")
    browsing.shows(lambda state: (state["status"]["recording"] or {}).get("seconds", 0) > 1)
    assert browsing.part("record-word").inner_text().startswith("Recording: ")
    assert not browsing.part("record-save").is_visible()
    browsing.press("record-stop", "crowd-pause")
    with browsing.page.expect_download() as saved:
        browsing.press("record-save")
    saved.value.save_as(tmp_path / "run.parquet")
    recording = fw.Recording.load(tmp_path / "run.parquet")
    assert recording.n_frames > 5
    # It may be replaced without a question, but the next one was not saved.
    browsing.press("record", "crowd-step", "crowd-step", "record-stop", "record")
    assert "was not saved" in browsing.part("question").inner_text()
    browsing.press("question-no")
    assert not browsing.part("record-stop").is_visible()


def test_a_character_is_inspected_and_followed(browsing, server):
    add(browsing, 25)
    browsing.press("crowd-step")
    browsing.until(lambda: status(server)["time"] > 0)
    at = server.request("character", id=7)[0]["ok"]["position"]
    browsing.click(at)
    browsing.shows(lambda state: state["selected"] == 7)
    facts = browsing.part("character-facts")
    goal = server.request("character", id=7)[0]["ok"]["goal"]
    browsing.until(lambda: f"{goal[0]:.1f}, {goal[1]:.1f}" in facts.inner_text())
    assert browsing.part("mark-character-goal").is_visible()
    assert re.fullmatch(r"steering\s+\d+\.\d\d m/s²", browsing.part("force-steering").inner_text())
    # The halo is where the character is drawn, also between two answers of the server.
    browsing.press("crowd-play")
    apart = """async () => {
        const { app, state } = window.footway;
        let most = 0;
        for (let i = 0; i < 20; i++) {
            await new Promise(requestAnimationFrame);
            const { at } = app.crowd.find(7);
            const [x, y] = state().halo;
            most = Math.max(most, Math.hypot(at[0] - x, at[1] - y));
        }
        return most;
    }"""
    assert browsing.page.evaluate(apart) < 0.02
    browsing.press("crowd-pause")
    browsing.until(lambda: not status(server)["running"])
    at = server.request("character", id=7)[0]["ok"]["position"]
    # In 3D, a click on the torso selects, too.
    browsing.press("character-close", "view-3d")
    browsing.shows(lambda state: state["view"] == "3d" and state["selected"] == -1)
    browsing.page.evaluate("([x, y]) => window.footway.app.stage.centreOn(x, y)", at)
    for _ in range(6):
        browsing.press("zoom-in")
    torso = browsing.page.evaluate("([x, y]) => window.footway.app.stage.pixelAt(x, y, 1.3)", at)
    browsing.page.mouse.click(*torso)
    browsing.shows(lambda state: state["selected"] == 7)
    browsing.press("view-map")
    browsing.press("character-follow")
    browsing.shows(
        lambda state: state["camera"]["at"][:2] == pytest.approx(at, abs=0.2) and state["following"]
    )
    browsing.press("character-close")
    browsing.shows(lambda state: state["selected"] == -1)


def test_an_obstacle_is_dropped_and_dragged(browsing, server):
    add(browsing, 5)
    browsing.press("obstacle-drop")
    browsing.click((23.5, 20.0))
    first = browsing.shows(lambda state: len(state["obstacles"]) == 3)["obstacles"]
    assert first == pytest.approx([23.5, 20.0, 0.8], abs=0.1)
    browsing.drag((23.5, 20.0), (23.5, 26.0))
    # The page draws a drag before the server knows of it, and a reload drops what was not sent.
    browsing.until(lambda: server.obstacles().ravel()[1] == pytest.approx(26.0, abs=0.1))
    browsing.page.reload()
    browsing.shows(lambda state: len(state["obstacles"]) == 3)
    header, _ = server.request("obstacle", do="add", at=(5.0, 5.0), radius=0.5)
    assert header["ok"]["id"] > 0
    browsing.shows(lambda state: len(state["obstacles"]) == 6)
    assert browsing.state["obstacles"][1] == pytest.approx(26.0, abs=0.1)
    browsing.press("obstacle-remove")
    browsing.shows(lambda state: state["obstacles"] == [])


def test_colours_of_speed_are_those_of_the_legend(browsing, server):
    add(browsing, 1)
    browsing.press("tab-layers", "tint-speed", "tab-crowd")
    at = server.request("character", id=0)[0]["ok"]["position"]
    browsing.page.evaluate("([x, y]) => window.footway.app.stage.centreOn(x, y)", at)
    for _ in range(14):
        browsing.press("zoom-in")
    side = (at[0] + 0.11, at[1])
    browsing.until(lambda: near(browsing.colours(side)[0], (0xC7, 0x2E, 0x29)))


def near(colour, wanted):
    return all(abs(a - b) <= 3 for a, b in zip(colour, wanted, strict=True))


def test_density_and_trajectories_come_from_the_frames(browsing):
    add(browsing, 60)
    browsing.press("crowd-speed-4", "crowd-play", "tab-layers", "layer-density", "layer-trails")
    browsing.shows(lambda state: state["density"] > 0 and state["trails"] > 60)


@pytest.mark.slow
def test_ten_thousand_characters(browsing, access, record_property):
    browsing.open("gallery:city")
    add(browsing, 10_000)
    browsing.press("crowd-play")
    begin = browsing.shows(lambda state: state["time"] > 1.0)
    browsing.page.wait_for_timeout(5000)
    end = browsing.state
    assert end["characters"] == 10_000
    assert end["pictures"] > begin["pictures"]
    record_property("pictures_per_second", (end["pictures"] - begin["pictures"]) / 5)


def test_a_population_has_terrain_preferences(browsing, server):
    """Cost of the road is set in the form: those who are added keep off it and walk by MIRAN."""
    browsing.open("gallery:mckenna-road")
    browsing.press("tab-crowd")
    assert set(browsing.state["document"]["kinds"]) == {"mud", "road", "sidewalk"}
    browsing.slide("add-weight-road", 9)
    browsing.part("add-area").select_option("west road")
    browsing.part("add-goal").select_option("green")
    browsing.press("add-then-exit")
    add(browsing, 8)
    browsing.press("crowd-speed-16", "crowd-play")
    browsing.shows(lambda state: state["time"] > 20.0)
    browsing.press("crowd-pause")
    # The page that saves the scenario has what was sent to the server.
    with browsing.page.expect_download() as saved:
        browsing.press("tab-edit", "save-scenario")
    state = saved.value.path().read_text()
    assert "miran" in state
    assert "road = 9" in state
    assert 'then = "exit"' in state
    assert status(server)["characters"] + status(server)["exited"] == 8

    # The same is changed while they walk.
    browsing.press("tab-crowd", "population-profile-0", "population-follow-0-irm")
    browsing.until(lambda: status(server)["populations"][0]["follow"] == "irm")
    browsing.slide("population-weight-0-road", 3)
    browsing.until(lambda: status(server)["populations"][0]["preferences"].get("road") == 3)
    browsing.press("population-follow-0-cmm")
    browsing.until(lambda: status(server)["populations"][0]["preferences"] == {})


def test_the_local_model_is_chosen(browsing, server):
    add(browsing, 10)
    assert status(server)["model"] == "social_force"
    browsing.part("crowd-model").select_option("orca")
    browsing.until(lambda: status(server)["model"] == "orca")
    browsing.press("crowd-step")
    browsing.until(lambda: status(server)["time"] == pytest.approx(0.1))
    browsing.press("crowd-reset")
    browsing.until(lambda: status(server)["time"] == 0.0)
    assert status(server)["model"] == "orca"
    assert browsing.part("crowd-model").input_value() == "orca"
