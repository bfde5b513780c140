"""User actions on the page, and the state that the page reports."""

import io
import os
import re
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import ClassVar

from PIL import Image

from footway.studio.web.access import Access

PATIENCE = 240.0  # s; software rendering on a busy machine is slow

# The last event of the pointer; listeners are added at the first call.
POINTER = """() => {
    if (window.pointer === undefined) {
        window.pointer = null;
        for (const kind of ["pointermove", "pointerdown", "pointerup", "pointercancel"]) {
            addEventListener(kind, (event) => {
                window.pointer = [event.type, event.clientX, event.clientY];
            }, true);
        }
    }
    return window.pointer;
}"""

# Whether the page is connected and a point of the map is not covered.
IS_FREE = """([x, y]) => {
    const { stage, store } = window.footway.app;
    const pixel = stage.pixelAt(x, y);
    const top = pixel && document.elementFromPoint(...pixel);
    return store.online.value && top !== null && top.closest("main") !== null;
}"""


@contextmanager
def studio_process(state, port=0):
    """A server on a port, 0 for a free one, with a folder for its edited maps: access, process."""
    command = [sys.executable, "-m", "footway", "studio", "gallery:field", "--no-browser"]
    process = subprocess.Popen(
        [*command, "--port", str(port)], env=os.environ | {"XDG_STATE_HOME": str(state)},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert found, line + process.stdout.read()
        yield Access("127.0.0.1", int(found[1]), None), process
    finally:
        process.kill()
        process.communicate(timeout=60)


class Browsing:
    """One page of the studio in the browser."""

    CLIP: ClassVar = {"x": 20, "y": 80, "width": 430, "height": 400}  # of the scene, in pixels

    def __init__(self, page, access):
        self.page = page
        self.errors = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on(
            "console", lambda word: self.errors.append(word.text) if word.type == "error" else None
        )
        page.set_default_timeout(1000 * PATIENCE)
        page.goto(f"http://127.0.0.1:{access.port}/")
        self.until(lambda: page.evaluate("Boolean(window.footway && window.footway.ready)"))

    @property
    def state(self):
        return self.page.evaluate("window.footway.state()")

    @property
    def address(self):
        return self.page.evaluate("location.href")

    def until(self, is_so):
        """Wait until a function returns something true, and return it."""
        end = time.monotonic() + PATIENCE
        while not (found := is_so()):
            assert time.monotonic() < end, f"it did not come: {self.trouble()}"
            time.sleep(0.05)
        return found

    def trouble(self):
        """What the page says, for the message of a failure."""
        where = self.page.evaluate("window.pointer")
        online = self.page.evaluate("window.footway?.app.store.online.value")
        return f"{self.toasts!r}, online: {online}, pointer: {where}, errors: {self.errors}"

    def shows(self, is_it):
        """Wait until the page's state fulfils a condition, and return it."""

        def shown():
            state = self.state
            return state if is_it(state) else None

        return self.until(shown)

    @property
    def toasts(self):
        return self.part("toasts").inner_text()

    def part(self, name):
        return self.page.get_by_test_id(name)

    def press(self, *names):
        for name in names:
            self.part(name).click()

    def slide(self, name, value):
        self.part(name).fill(str(value))

    def open(self, name):
        self.part("open").select_option(name)
        self.agree(lambda: self.state["document"]["name"] == name)
        self.draws(name)

    def draws(self, name):
        """Wait until a map is drawn, and return the page's state; before, pixels are of another."""
        return self.shows(
            lambda state: (
                state["document"]["name"] == name and state["drawn"] == state["document"]["version"]
            )
        )

    def agree(self, done):
        """Agree to leave the map, if the page asks."""
        self.until(lambda: done() or self.part("question-yes").is_visible())
        if self.part("question-yes").is_visible():
            self.press("question-yes")

    def open_file(self, file):
        """Open a file, also if the map has edits or people."""
        self.part("open-file").set_input_files(file)
        self.agree(lambda: f"Opening {file.name}" in self.toasts)

    def lose_graphics(self):
        """Lose and restore the graphics context, as a driver restart does."""
        self.page.evaluate("""async () => {
            const { canvas, painter } = window.footway.app.stage;
            const card = painter.renderer.getContext().getExtension("WEBGL_lose_context");
            const after = (event, work) => new Promise((done) => {
                canvas.addEventListener(event, () => setTimeout(done), { once: true });
                work();
            });
            await after("webglcontextlost", () => card.loseContext());
            await after("webglcontextrestored", () => card.restoreContext());
        }""")

    # -- the pointer ---------------------------------------------------------------------------

    def pixel(self, at):
        return self.page.evaluate("([x, y]) => window.footway.app.stage.pixelAt(x, y)", list(at))

    def click(self, at):
        """Click a point of the map."""
        self.point(at, is_free=True)
        self.hold()
        self.release()

    def drag(self, start, end):
        """Drag from one point of the map to another."""
        self.point(start, is_free=True)
        self.hold()
        self.point(end, steps=6)
        self.release()

    def point(self, at, *, steps=1, is_free=False):
        """Move the pointer to a point of the map, which nothing may cover if it `is_free`."""
        if is_free:
            self.until(lambda: self.page.evaluate(IS_FREE, list(at)))
            self.until(lambda: self.is_still(at))
        x, y = self.pixel(at)
        if self.page.evaluate(POINTER) is None:
            self.page.mouse.move(x + 5, y)  # to move there is an event even if it is there already
        self.page.mouse.move(x, y, steps=steps)
        self.until(lambda: self._is_at(x, y))

    def is_still(self, at):
        """Whether the view does not move a point of the map."""
        before = self.pixel(at)
        time.sleep(0.05)
        return self.pixel(at) == before

    def hold(self):
        """Press the button, and wait until the page knows it."""
        self.page.mouse.down()
        self.until(lambda: self.page.evaluate(POINTER)[0] == "pointerdown")

    def release(self):
        """Release the button, and wait until the page knows it."""
        self.page.mouse.up()
        self.until(lambda: self.page.evaluate(POINTER)[0] == "pointerup")

    def _is_at(self, x, y):
        """Whether the page knows that the pointer is at a pixel."""
        seen = self.page.evaluate(POINTER)
        return seen is not None and max(abs(seen[1] - x), abs(seen[2] - y)) <= 1

    def picture(self):
        """The pixels of the scene, drawn in full, for telling whether something was drawn."""
        before = self.state["pictures"]
        self.page.evaluate("window.footway.app.stage.pace.forget()")
        self.page.evaluate("window.footway.app.stage.pace.level = 0")
        self.page.evaluate("window.footway.app.stage.invalidate()")
        self.shows(lambda state: state["pictures"] > before and state["fine"])
        return self.page.screenshot(clip=self.CLIP)

    def people(self, *, shown=False):
        """The people of the crowd, or those that are drawn: place, height and sheet of each."""
        return self.page.evaluate("(shown) => window.footway.app.crowd.everybody(shown)", shown)

    def colours(self, *places):
        """The colours of points of the map, as they are drawn when nothing moves."""
        self.picture()
        return self.seen(*places)

    def seen(self, *places):
        """The colours of points of the map, as they are on the screen now."""
        shot = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        return [shot.getpixel(tuple(round(x) for x in self.pixel(at))) for at in places]
