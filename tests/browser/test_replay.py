"""A recording: opened, scrubbed and played in the studio."""

import pytest

import footway as fw


@pytest.fixture(scope="module")
def recording():
    cmap = fw.CorridorMap.build(fw.load("gallery:field"))
    crowd = fw.Crowd(cmap, seed=3)
    crowd.add(25, radius=0.25, speed=1.2)
    return crowd.run(seconds=6.0)


def test_a_recording_is_scrubbed_and_played(browsing, recording, tmp_path):
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
