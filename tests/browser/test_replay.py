"""A recording: opened, scrubbed and played in the studio."""

import re

import numpy as np
import pytest

import footway as fw
from footway.recording.recording import Recorder
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
