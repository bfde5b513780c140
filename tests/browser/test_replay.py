"""A recording: opened, scrubbed and played in the studio."""

import re

import numpy as np
import pytest

import footway as fw
from footway.recording.recording import Recorder
from footway.studio import replay
from tests.browser.test_views import findings


@pytest.fixture(scope="module")
def recording():
    cmap = fw.CorridorMap.build(fw.load("gallery:field"))
    crowd = fw.Crowd(cmap, seed=3)
    crowd.add(25, radius=0.25, speed=1.2)
    return crowd.run(seconds=6.0)


def test_a_recording_is_scrubbed_and_played(browsing, recording, tmp_path):
    recording.save(tmp_path / "run.parquet")
    browsing.open_file(tmp_path / "run.parquet")
    state = browsing.shows(lambda state: state["replay"]["frames"] == recording.n_frames)
    assert state["document"]["what"] == "recording"
    browsing.slide("replay-time", 3)
    browsing.shows(lambda state: state["replay"]["time"] == 3 and state["characters"] == 25)
    browsing.press("replay-speed-4", "replay-play")
    browsing.shows(lambda state: state["replay"]["time"] == pytest.approx(6.0))
    browsing.part("plot-speed").click(position={"x": 40, "y": 20})
    browsing.shows(lambda state: state["replay"]["time"] < 1)
    for name, unit in (("flow", "1/(m s)"), ("density", "1/m²"), ("speed", "m/s")):
        plot = browsing.part(f"plot-{name}")
        assert re.search(
            rf"over time, at most [\d.]+ {re.escape(unit)}\.",
            label := plot.get_attribute("aria-label"),
        ), label
        assert browsing.part("plots").get_by_text(unit).count() >= 1
    browsing.press("tab-replay")
    assert "density times mean speed" in browsing.part("plot-definitions").inner_text()
    assert findings(browsing) == []
    browsing.press("tab-crowd")
    assert browsing.part("crowd-none").is_visible()
    assert not browsing.part("crowd-play").is_visible()
    # On a phone, timeline and panel are above each other.
    browsing.page.set_viewport_size({"width": 390, "height": 844})
    line, panel = (browsing.part(name).bounding_box() for name in ("timeline", "panel"))
    assert line["y"] + line["height"] <= panel["y"]


def test_a_damaged_file_is_refused_and_the_map_stays(browsing, recording, tmp_path):
    recording.save(tmp_path / "run.parquet")
    content = (tmp_path / "run.parquet").read_bytes()
    (tmp_path / "damaged.parquet").write_bytes(content[:4] + bytes(2000) + content[2004:])
    browsing.open_file(tmp_path / "damaged.parquet")
    browsing.until(lambda: "damaged.parquet: a recording that is damaged" in browsing.toasts)
    assert browsing.state["document"]["name"] == "gallery:field"
    assert all("400" in error for error in browsing.errors)
    browsing.errors.clear()


def test_the_timeline_starts_at_the_first_frame(browsing, tmp_path):
    recorder = Recorder(step=0.1, seed=0, map_name="hall", names=["all"])
    recorder.add_characters([0], [0.2], [0])
    for k in range(1200):  # more than the plots have
        at = np.array([[0.01 * k, 3.0]])
        recorder.add_frame(960 + k, 96.0 + 0.1 * k, [0], at, np.zeros((1, 2)))
    recorder.close().save(tmp_path / "late.parquet")
    browsing.open_file(tmp_path / "late.parquet")
    state = browsing.shows(lambda state: state["replay"]["frames"] == 1200)["replay"]
    assert (state["time"], state["first"]) == (96.0, 96.0)
    assert state["last"] == pytest.approx(215.9)
    assert browsing.part("replay-time").get_attribute("min") == "96"
    browsing.part("plot-present").click(position={"x": 42, "y": 20})
    assert 96.0 < browsing.state["replay"]["time"] < 105.0
    assert "not given: add --map" in browsing.part("document-facts").inner_text()


@pytest.fixture(scope="module")
def on_floors():
    """People who come down the stairs of a building of three floors."""
    crowd = fw.Crowd(fw.CorridorMap.build(fw.load("gallery:rimea8")), seed=1)
    crowd.add(12, area="2", destinations=["0"], then="stay")
    return crowd.run(seconds=40, every=10)


def climbed(browsing, recording, k):
    """Whether the page shows the people at their heights in a frame; those of a page are in cm."""
    seen = sorted(person["height"] for person in browsing.people())
    heights = np.sort(recording.floors_at(k)[1])
    return len(seen) == len(heights) and np.abs(seen - heights).max() < 0.006


def test_a_building_is_replayed_on_its_floors(browsing, on_floors, tmp_path):
    on_floors.save(tmp_path / "down.parquet")
    browsing.open_file(tmp_path / "down.parquet")
    browsing.shows(lambda state: state["replay"]["frames"] == on_floors.n_frames)
    browsing.shows(lambda state: state["people"] == {"2": 12})
    assert browsing.people(shown=True) == []  # the ground floor is shown
    browsing.press("floor-2")
    assert len(browsing.people(shown=True)) == 12
    browsing.slide("replay-time", 40)
    last = on_floors.n_frames - 1
    browsing.until(lambda: climbed(browsing, on_floors, last))
    assert {p["sheet"] for p in browsing.people(shown=True)} < {
        p["sheet"] for p in browsing.people()
    }
    browsing.press("view-3d")
    assert len(browsing.people(shown=True)) == 12
    assert findings(browsing) == []


def test_a_page_of_a_building_replays_without_a_server(browsing, on_floors, tmp_path):
    cmap = fw.CorridorMap.build(on_floors.building)
    replay.write_page(on_floors, tmp_path / "down.html", cmap=cmap)
    browsing.page.goto((tmp_path / "down.html").as_uri())
    browsing.until(
        lambda: browsing.page.evaluate("Boolean(window.footway && window.footway.ready)")
    )
    browsing.press("floor-2")
    browsing.until(lambda: len(browsing.people(shown=True)) == 12)
    browsing.slide("replay-time", 30)
    browsing.until(lambda: climbed(browsing, on_floors, 30))
    assert len(browsing.people(shown=True)) < 12
    browsing.press("view-3d")
    assert len(browsing.people(shown=True)) == 12
