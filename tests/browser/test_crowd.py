"""The live crowd: who is there, how it runs, one character, obstacles."""

import pytest


def add(browsing, count):
    before = browsing.state["characters"]
    browsing.press("tab-crowd")
    browsing.part("add-count").fill(str(count))
    browsing.press("add-population")
    browsing.shows(lambda state: state["characters"] == before + count)


def status(server):
    return server.ask("crowd", do="status")[0]["ok"]


def test_a_crowd_starts_steps_and_stops(browsing, server):
    add(browsing, 40)
    assert status(server)["characters"] == 40
    browsing.press("crowd-step")
    browsing.until(lambda: status(server)["time"] == pytest.approx(0.1))
    browsing.press("crowd-speed-4", "crowd-play")
    told = browsing.shows(lambda state: state["time"] > 1.0 and state["status"]["running"])
    assert told["status"]["speed"] == 4
    browsing.press("crowd-pause")
    browsing.until(lambda: not status(server)["running"])
    stopped = status(server)["time"]
    # The page's clock follows the simulation's time and ends where that ended.
    browsing.shows(lambda state: state["time"] == pytest.approx(stopped, abs=1e-3))


def test_populations_are_changed_and_removed_while_it_runs(browsing, server):
    add(browsing, 30)
    browsing.press("crowd-play", "add-behaviour-wander")
    add(browsing, 20)
    browsing.shows(lambda state: len(state["status"]["populations"]) == 2)
    browsing.slide("population-speed-0", 2.5)
    person = browsing.until(lambda: server.ask("character", id=0)[0]["ok"]["speed"] == 2.5)
    browsing.press("population-remove-1")
    browsing.shows(lambda state: state["characters"] == 30)
    assert person
    assert status(server)["characters"] == 30


def test_a_character_tells_its_goal_and_is_followed(browsing, server):
    add(browsing, 25)
    browsing.press("crowd-step")
    browsing.until(lambda: status(server)["time"] > 0)
    at = server.ask("character", id=7)[0]["ok"]["position"]
    browsing.click(at)
    browsing.shows(lambda state: state["selected"] == 7)
    facts = browsing.part("character-facts")
    goal = server.ask("character", id=7)[0]["ok"]["goal"]
    browsing.until(lambda: f"{goal[0]:.1f}, {goal[1]:.1f}" in facts.inner_text())
    assert browsing.part("mark-aim").is_visible()
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
    browsing.shows(lambda state: state["obstacles"][1] == pytest.approx(26.0, abs=0.1))
    header, _ = server.ask("obstacle", do="add", at=(5.0, 5.0), radius=0.5)
    assert header["ok"]["id"] > 0
    browsing.shows(lambda state: len(state["obstacles"]) == 6)
    assert browsing.state["obstacles"][1] == pytest.approx(26.0, abs=0.1)
    browsing.press("obstacle-remove")
    browsing.shows(lambda state: state["obstacles"] == [])


def test_density_and_trajectories_come_from_the_frames(browsing):
    add(browsing, 60)
    browsing.press("crowd-speed-4", "crowd-play", "tab-layers", "layer-density", "layer-trails")
    browsing.shows(lambda state: state["density"] > 0 and state["trails"] > 60)


@pytest.mark.slow
def test_ten_thousand_characters(browsing, gate, record_property):
    browsing.open("gallery:city")
    add(browsing, 10_000)
    browsing.press("crowd-play")
    begin = browsing.shows(lambda state: state["time"] > 1.0)
    browsing.page.wait_for_timeout(5000)
    end = browsing.state
    assert end["characters"] == 10_000
    assert end["pictures"] > begin["pictures"]
    record_property("pictures_per_second", (end["pictures"] - begin["pictures"]) / 5)


def test_a_population_prefers_its_ground(browsing, server):
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
    # The page that saves the scenario says what the server was told.
    with browsing.page.expect_download() as saved:
        browsing.press("tab-edit", "save-scenario")
    told = saved.value.path().read_text()
    assert "miran" in told
    assert "road = 9" in told
    assert 'then = "exit"' in told
    assert status(server)["characters"] + status(server)["exited"] == 8


def test_a_refusal_is_shown_and_not_saved_as_a_file(browsing):
    browsing.press("tab-edit", "save-scenario")
    browsing.until(lambda: "nobody is in the crowd" in browsing.toasts)
    browsing.errors.clear()  # the browser notes the refusal by itself


def test_a_slider_stays_in_the_hand_while_people_leave(browsing):
    add(browsing, 30)
    row = browsing.part("population-0").element_handle()
    browsing.press("crowd-play", "add-behaviour-wander")
    add(browsing, 10)
    assert row.is_visible()
    browsing.shows(lambda state: state["status"]["populations"][0]["speed"] == 1.2)
    browsing.press("population-remove-0")
    browsing.until(lambda: browsing.part("population-0").count() == 0)
