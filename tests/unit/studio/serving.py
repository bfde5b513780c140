"""A real server on loopback for tests, and a small client for its protocol."""

import json
import tempfile
import threading
import time
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from websockets.sync.client import connect

from footway.studio.documents import open_built_in
from footway.studio.files import handover, loading_process
from footway.studio.files.loading import Loader
from footway.studio.protocol.wire import unpacked
from footway.studio.web.access import Access
from footway.studio.web.server import Studio, bind, build_server


@contextmanager
def serving(document=None, *, token=None, loader=None):
    """Serve a document in a thread; yield the studio."""
    loader = loader or Loader(ahead=False)  # most tests send no file
    document = open_built_in("gallery:field") if document is None else document
    with bind("127.0.0.1", 0, exact=True) as listening:
        studio = Studio(document, Access("127.0.0.1", listening.getsockname()[1], token), loader)
        server = build_server(studio)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        wait_until(lambda: server.started)
        try:
            yield studio
        finally:
            server.should_exit = True
            thread.join(timeout=300)
            assert not thread.is_alive()


class InThisProcess:
    """Loads files in this process, which is faster."""

    def prepare(self):
        pass

    def close(self):
        pass

    @contextmanager
    def folder(self):
        with tempfile.TemporaryDirectory() as made:
            yield Path(made)

    def load(self, order, **_):
        with tempfile.TemporaryDirectory() as folder:
            loading_process.load({**asdict(order), "folder": folder})
            return handover.unpack(Path(folder), file=order.file)


def wait_until(is_so, seconds=300.0):
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.01)


PATIENT = {"open_timeout": 300.0, "ping_interval": None}
"""Options of a client that does not give up on a busy server."""


class Page:
    """A client that behaves like the page in a browser."""

    def __init__(self, access, **options):
        host = f"127.0.0.1:{access.port}"
        query = f"?token={access.token}" if access.token else ""
        options = {"origin": f"http://{host}", "max_size": None, "proxy": None} | PATIENT | options
        self._opened = connect(f"ws://{host}/ws{query}", **options)
        self.socket = self._opened.__enter__()
        self.events = []
        self._n = 0

    def send(self, kind, /, **facts):
        self._n += 1
        self.socket.send(json.dumps({"n": self._n, "type": kind, **facts}))
        return self._n

    def request(self, kind, /, **facts):
        """Return header and arrays of the answer."""
        return self.answer(self.send(kind, **facts))

    def answer(self, n):
        return self.until(lambda header: header.get("n") == n)

    def event(self, name):
        """Return the next event with a name."""
        return self.until(lambda header: header.get("event") == name)

    def until(self, is_it, seconds=300.0):
        end = time.monotonic() + seconds
        while True:
            header, arrays = unpacked(self.socket.recv(timeout=end - time.monotonic()))
            if is_it(header):
                return header, arrays
            self.events.append((header, arrays))

    def __enter__(self):
        return self

    def close(self):
        self._opened.__exit__(None, None, None)

    def __exit__(self, *_):
        self.close()
