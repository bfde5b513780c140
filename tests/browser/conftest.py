"""A real `footway studio`, a real Chromium, and one page, which each test loads anew.

Where there is no Chromium, or the page has not been built, these tests are skipped; with
FOOTWAY_BROWSER=needed they fail instead.
"""

import os
import shutil

import pytest

from footway.studio import STATIC
from tests.browser.browsing import PATIENCE, Browsing, studio_process
from tests.unit.studio.serving import Page

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-gpu-compositing",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


SIZE = {"width": 840, "height": 570}  # small, because pixels cost time

# Twenty pictures a second while something moves: they are drawn by the processor.
FEW_PICTURES = """{
    const request = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (draw) => setTimeout(() => request(draw), 40);
}"""


def do_without(reason):
    if os.environ.get("FOOTWAY_BROWSER") == "needed":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def chromium():
    """One browser for all tests."""
    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if found is None:
        do_without("no Chromium on this machine: install Debian's chromium to test the page")
    if not (STATIC / "index.html").is_file():
        do_without("the studio's page has not been built: pip install -e . builds it")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found, args=list(FLAGS), timeout=1000 * PATIENCE
        )
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def access(chromium, tmp_path_factory):
    """A server in a process of its own, on a free port."""
    with studio_process(tmp_path_factory.mktemp("state")) as (access, _):
        yield access


class Server:
    """A second client of the server, to check what the page made it do.

    Each request has a connection of its own: a client that does not read its frames is closed.
    """

    def __init__(self, access):
        self._access = access

    def request(self, kind, /, **facts):
        with Page(self._access) as client:
            return client.request(kind, **facts)

    def obstacles(self):
        """The obstacles of the crowd: x, y and radius of each."""
        with Page(self._access) as client:
            client.send("hello")
            return client.event("obstacles")[1]["discs"]


@pytest.fixture
def server(access):
    return Server(access)


@pytest.fixture(scope="session")
def context(chromium):
    """One for all tests, so that the compiled script is kept."""
    made = chromium.new_context(viewport=SIZE, color_scheme="light")
    made.set_default_timeout(1000 * PATIENCE)
    made.add_init_script(FEW_PICTURES)
    yield made
    made.close()


@pytest.fixture
def browsing(context, access, server):
    """A page with the empty field open; fails if the page reported an error."""
    server.request("open", name="gallery:field")
    page = Browsing(context.pages[0] if context.pages else context.new_page(), access)
    try:
        yield page
        assert page.errors == []
    finally:
        context.set_offline(False)
        page.page.set_viewport_size(SIZE)
        if page.page.url.startswith("http"):
            page.page.evaluate("localStorage.clear()")  # the theme
        for other in context.pages[1:]:
            other.close()
        page.page.goto("about:blank")
