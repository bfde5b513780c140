# ruff: noqa: INP001 - a script, not a package
"""Make the picture of the studio again: `python docs/make_studio_picture.py` (needs Chromium).

docs/studio.png  the city in three dimensions, with a crowd on its way to two squares
"""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCS: Final = Path(__file__).resolve().parent
FLAGS: Final = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
GOALS: Final = {"market": 1800, "station square": 1800, "": 2400}  # area: characters; "": anywhere
TIME: Final = 45.0  # s that the crowd has walked
LOOK: Final = "{ const s = footway.app.stage; s.centreOn(255, 265); s.zoom(0.62, 0, 0); }"
PATIENCE: Final = 300_000  # ms; software rendering is slow


def main() -> None:
    """Write the picture."""
    command = [sys.executable, "-m", "footway", "studio", "gallery:city", "--no-browser"]
    process = subprocess.Popen(  # noqa: S603 - our own command
        [*command, "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None, "footway studio told no address"
        write(shoot(found[0]))
    finally:
        process.kill()
        process.communicate()


def shoot(address: str) -> bytes:
    """Fill the city, let the crowd walk, and look at it from above."""
    from playwright.sync_api import sync_playwright

    browser = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), None)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=list(FLAGS))
        page = chromium.new_page(viewport={"width": 1280, "height": 800}, color_scheme="light")
        page.set_default_timeout(PATIENCE)
        page.goto(address)
        wait(page, "Boolean(window.footway?.ready)")
        page.get_by_test_id("tab-crowd").click()
        for _ in fill(page):
            pass
        for name in ("crowd-speed-8", "crowd-play"):
            page.get_by_test_id(name).click()
        wait(page, f"window.footway.state().time > {TIME}")
        page.get_by_test_id("crowd-pause").click()
        page.get_by_test_id("view-3d").click()
        page.evaluate(LOOK)
        page.wait_for_timeout(4000)
        return page.screenshot()


def fill(page: Any) -> Iterator[int]:
    """Add the populations; characters that are there."""
    total = 0
    for goal, count in GOALS.items():
        page.get_by_test_id("add-goal").select_option(goal)
        page.get_by_test_id("add-count").fill(str(count))
        page.get_by_test_id("add-population").click()
        total += count
        wait(page, f"window.footway.state().characters === {total}")
        yield total


def wait(page: Any, is_so: str) -> None:
    """Ask the page until something is so: its own policy lets no script be waited for."""
    while not page.evaluate(is_so):
        page.wait_for_timeout(200)


def write(shot: bytes) -> None:
    """Save it with 256 colours: a third of the bytes, and no difference to the eye."""
    picture = Image.open(io.BytesIO(shot)).convert("RGB")
    picture.quantize(256).save(DOCS / "studio.png", optimize=True)


if __name__ == "__main__":
    main()
