"""The page that `footway export` writes, opened from the disk."""

import subprocess
import sys

import pytest

import footway as fw


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    file = tmp_path_factory.mktemp("run") / "run.parquet"
    crowd = fw.Crowd(fw.CorridorMap.build(fw.load("gallery:field")), seed=5)
    crowd.add(20, radius=0.25, speed=1.2)
    crowd.run(seconds=4.0).save(file)
    return file


def footway(*words):
    command = [sys.executable, "-m", "footway", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_the_command_writes_one_file_that_replays_from_the_disk(browsing, recording):
    page = recording.with_suffix(".html")
    done = footway("export", recording, "-o", page, "--map", "gallery:field")
    assert done.returncode == 0, done.stderr
    requested = []
    browsing.page.context.set_offline(True)
    browsing.page.on("request", lambda request: requested.append(request.url))
    browsing.page.goto(page.as_uri())
    browsing.until(
        lambda: browsing.page.evaluate("Boolean(window.footway && window.footway.ready)")
    )
    browsing.slide("replay-time", 2)
    browsing.shows(lambda state: state["replay"]["time"] == 2)
    browsing.press("view-3d", "replay-speed-4", "replay-play")
    state = browsing.shows(lambda state: state["replay"]["time"] == pytest.approx(4.0))
    assert state["characters"] == 20
    assert all(url.startswith(("file:", "blob:", "data:")) for url in requested)
