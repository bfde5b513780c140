"""The studio: pictures per second of a page with ten thousand characters, and bytes on the wire.

A real `footway studio` with the city and a crowd that walks at real time, in a headless Chromium
without a graphics card: SwiftShader draws in software, on the same processors as the simulation,
so that these rates are a floor. The first row is a page with nothing but an empty canvas of that
size: what such a browser can show at all. `drawn` counts the page's own pictures over ten seconds
of wall time; `page` is what its thread works for one of them, all else included: 60 per second need
less than 16.7 ms; `picture` is what one of them takes until its pixels can be read, least and
median, without the browser's own work of showing it; `frames` are the simulation's, as they reach
the page; bytes are those of the WebSocket's messages. The page draws nothing while nothing moves.
"""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.checks import WrongAnswer
from benchmarks.report import Outcome, Table, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.effort import Effort

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run")
VIEWS = ("map", "3d")
COUNT, SECONDS, PATIENCE = 10_000, 10.0, 120.0  # characters, s measured, s waited at most
WIDTH, HEIGHT = 1280, 800  # pixels
PICTURES = 20  # that are waited for
SETTLED = 20.0  # s until the server has loaded all kernels
EMPTY = """<body style="margin:0"><canvas width=%d height=%d></canvas><script>
  const gl = document.querySelector("canvas").getContext("webgl2");
  window.pictures = 0;
  const draw = () => {
    gl.clearColor(Math.random(), 0, 0, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    window.pictures += 1;
    requestAnimationFrame(draw);
  };
  draw();
</script>"""
MOST_BYTES = 40.0  # of a character and frame


class Seen(NamedTuple):
    """Measurements of one view."""

    view: str
    drawn: float  # pictures per second
    work: float  # ms of the page's own thread for each of them
    least: float | None = None  # ms that a picture takes
    median: float | None = None  # ms
    frames: float | None = None  # per second
    size: float | None = None  # bytes of a character and frame
    simulated: float | None = None  # s per s


def run(effort: Effort) -> Outcome:
    """Open the page, add the crowd and measure both views; or report why that is impossible."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        return Outcome([], "nothing: there is no Chromium on this machine.")
    count = min(COUNT, max(effort.crowds))
    with _page(browser) as (page, told):
        empty = _watch_nothing(page.context.browser)
        _fill(page, count)
        seen = [_watch(page, told, view, count) for view in VIEWS]
    if any(one.frames == 0 for one in seen):
        raise WrongAnswer("no frame reached the page")
    columns = (
        "view", "drawn, 1/s", "page, ms", "picture, ms (least)", "picture, ms (median)",
        "frames, 1/s", "bytes per character and frame", "simulated, s/s",
    )  # fmt: skip
    title = f"{count:,} characters in the city, {WIDTH} x {HEIGHT} pixels"
    largest = max(one.size or 0.0 for one in seen)
    targets = [Target("bytes per character and frame", MOST_BYTES, "bytes", largest, largest)]
    return Outcome(
        [Table(title, columns, [empty, *seen])], f"{count:,} characters were drawn.", targets
    )


@contextmanager
def _page(browser: str) -> Iterator[tuple[Any, list[tuple[float, int]]]]:
    """Open a page of the city; record time and size of each frame that it receives."""
    from playwright.sync_api import sync_playwright

    told: list[tuple[float, int]] = []
    with _server() as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=list(FLAGS))
        page = chromium.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.on("websocket", lambda socket: socket.on("framereceived", lambda m: _note(told, m)))
        page.goto(address)
        _wait(page, "Boolean(window.footway?.ready)")
        page.wait_for_timeout(1000 * SETTLED)
        yield page, told
        chromium.close()


@contextmanager
def _server() -> Iterator[str]:
    """Start a studio on a free port."""
    words = ["-m", "footway", "studio", "gallery:city", "--no-browser", "--port", "0"]
    process = subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, *words], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        if found is None:
            raise WrongAnswer("footway studio told no address")
        yield found[0]
    finally:
        process.kill()
        process.communicate()


def _note(told: list[tuple[float, int]], message: bytes | str) -> None:
    """Record time and size of a message if it is a frame."""
    if isinstance(message, str):
        return
    (length,) = struct.unpack_from("<I", message)
    if b'"frame"' in message[4 : 4 + length]:
        told.append((time.perf_counter(), len(message)))


def _fill(page: Any, count: int) -> None:
    """Add a crowd and start it."""
    page.get_by_test_id("tab-crowd").click()
    page.get_by_test_id("add-count").fill(str(count))
    page.get_by_test_id("add-population").click()
    _wait(page, f"window.footway.state().characters === {count}")
    page.get_by_test_id("crowd-play").click()
    _wait(page, "window.footway.state().time > 2")


def _watch_nothing(browser: Any) -> Seen:
    """Count the pictures of an empty canvas."""
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    page.set_content(EMPTY % (WIDTH, HEIGHT))
    page.wait_for_timeout(2000)
    drawn, work = _count(page, "window.pictures")
    page.close()
    return Seen("empty canvas", drawn, work)


def _count(page: Any, pictures: str) -> tuple[float, float]:
    """Return pictures per second, and ms of the page's thread for each, over some seconds."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def look() -> tuple[float, int, float]:
        told = session.send("Performance.getMetrics")["metrics"]
        work = next(one["value"] for one in told if one["name"] == "TaskDuration")
        return time.perf_counter(), page.evaluate(pictures), work

    begin, first, before = look()
    page.wait_for_timeout(1000 * SECONDS)
    end, last, after = look()
    session.detach()
    drawn = last - first
    return drawn / (end - begin), 1000.0 * (after - before) / max(1, drawn)


def _watch(page: Any, told: list[tuple[float, int]], view: str, count: int) -> Seen:
    """Switch to a view, let it settle, and count for some seconds."""
    page.get_by_test_id(f"view-{view}").click()
    page.wait_for_timeout(3000)
    told.clear()
    begin, first = time.perf_counter(), _state(page)
    drawn, work = _count(page, "window.footway.state().pictures")
    passed, last = time.perf_counter() - begin, _state(page)
    if last["characters"] != count:
        raise WrongAnswer(f"{last['characters']} characters are drawn, not {count}")
    frames = [size for at, size in told if at > begin]
    size = sum(frames) / max(1, len(frames)) / count
    simulated = (last["time"] - first["time"]) / passed
    return Seen(view, drawn, work, *_cost(page), len(frames) / passed, size, simulated)


def _cost(page: Any) -> tuple[float, float]:
    """Return the least and the median time of a picture, ms."""
    script = "(n) => Array.from({length: n}, () => window.footway.app.stage.measure())"
    times = sorted(page.evaluate(script, PICTURES))
    return times[0], times[len(times) // 2]


def _state(page: Any) -> dict[str, Any]:
    return dict(page.evaluate("window.footway.state()"))


def _wait(page: Any, is_so: str) -> None:
    """Poll the page for a condition; its security policy forbids waiting for a script."""
    end = time.perf_counter() + PATIENCE
    while not page.evaluate(is_so):
        if time.perf_counter() > end:
            raise WrongAnswer(f"the page never came to {is_so}")
        page.wait_for_timeout(100)
