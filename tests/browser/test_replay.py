"""A recording: opened, scrubbed and played in the studio, and in a page of its own."""

import pytest

import footway as fw
from footway.studio.sharing import write_page


@pytest.fixture(scope="module")
def run():
    cmap = fw.CorridorMap.build(fw.load("gallery:field"))
    crowd = fw.Crowd(cmap, seed=3)
    crowd.add(25, radius=0.25, speed=1.2)
    return crowd.run(seconds=6.0), cmap


def test_a_recording_is_scrubbed_and_played(browsing, run, tmp_path):
    recording, _ = run
    recording.save(tmp_path / "run.parquet")
    browsing.part("open-file").set_input_files(tmp_path / "run.parquet")
    told = browsing.shows(lambda state: state["replay"]["frames"] == recording.n_frames)
    assert told["document"]["what"] == "recording"
    browsing.slide("replay-time", 3)
    browsing.shows(lambda state: state["replay"]["time"] == 3 and state["characters"] == 25)
    browsing.press("replay-speed-4", "replay-play")
    browsing.shows(lambda state: state["replay"]["time"] == pytest.approx(6.0))
    browsing.part("plot-speed").click(position={"x": 2, "y": 20})
    browsing.shows(lambda state: state["replay"]["time"] < 1)
    for name in ("flow", "density", "speed"):
        assert browsing.part(f"plot-{name}").is_visible()


def test_a_page_of_its_own_replays_without_a_server(browsing, run, tmp_path):
    recording, cmap = run
    write_page(recording, tmp_path / "run.html", cmap=cmap)
    browsing.page.context.set_offline(True)
    browsing.page.goto((tmp_path / "run.html").as_uri())
    browsing.until(
        lambda: browsing.page.evaluate("Boolean(window.footway && window.footway.ready)")
    )
    browsing.shows(lambda state: state["characters"] == 25)
    browsing.slide("replay-time", 3)
    browsing.shows(lambda state: state["replay"]["time"] == 3)
    browsing.press("view-3d", "replay-play")
    browsing.shows(lambda state: state["replay"]["time"] > 3.2)
