"""Announce the compilation of kernels to the page, and compile kernels ahead of use."""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from footway._numba.jit import announce_compilation
from footway.errors import FootwayError
from footway.studio.protocol.replies import Answer, Compiling
from footway.studio.protocol.wire import event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from footway.corridor import CorridorMap
    from footway.environment import Environment
    from footway.studio.protocol.requests import Request
    from footway.studio.protocol.wire import Message

METHODS: Final = {"short": "paths", "cmm": "CMM", "irm": "IRM", "miran": "MIRAN"}
"""Label of the kernels that each path method needs."""

_LABELS: Final = {
    "walk": "walks",
    "layer": "roadmaps",
    **dict.fromkeys(("crowd", "population", "character", "obstacle"), "the crowd"),
}
_BOX: Final = (0.0, 0.0, 12.0, 8.0)  # m, bounds of a small map on which kernels are compiled
_MUD: Final = ((5.0, 0.0), (7.0, 0.0), (7.0, 5.0), (5.0, 5.0))


class KernelPreparation:
    """Informs all clients which kernels are being compiled while a request waits for them.

    Args:
        send_event: sends an event to all clients; must not block.
    """

    def __init__(self, send_event: Callable[[Message], None]) -> None:
        self.what: str | None = None  # label of what is being compiled now
        self._send_event = send_event
        self._busy: dict[int, str] = {}  # label of each thread's current request
        self._announced: dict[object, str] = {}  # announced compilations, the newest last
        self._telling = threading.Lock()

    @contextmanager
    def announce(self, what: str) -> Iterator[None]:
        """Announce `what` if kernels are compiled in the body of the `with` statement."""
        me, key = threading.get_ident(), object()

        def tell() -> Any:
            """Announce it; return False if another thread compiles for its own request."""
            if threading.get_ident() != me and threading.get_ident() in self._busy:
                return False
            self._set(key, what)
            return None

        before = self._busy.get(me)
        self._busy[me] = what
        try:
            with announce_compilation(tell):
                yield
        finally:
            if before is None:
                del self._busy[me]
            else:
                self._busy[me] = before
            self._set(key, None)

    @contextmanager
    def announce_process(self, what: str) -> Iterator[Callable[[], None]]:
        """Yield a function that announces `what`, for kernels compiled in another process."""
        key = object()
        try:
            yield lambda: self._set(key, what)
        finally:
            self._set(key, None)

    def _set(self, key: object, what: str | None) -> None:
        """Set or clear (None) an announcement, and send the newest of those that remain."""
        with self._telling:
            self._announced.pop(key, None)
            if what is not None:
                self._announced[key] = what
            newest = next(reversed(self._announced.values()), None)
            if newest != self.what:
                self.what = newest
                self._send_event(event("compiling", Answer(Compiling(what=newest))))


def compile_label(request: Request) -> str:
    """Return the label of the kernels that a request needs, for the page."""
    method = getattr(request, "method", None) if request.type == "path" else None
    method = getattr(request, "follow", None) if request.type == "population" else method
    if request.type == "population" and getattr(request, "preferences", None):
        method = method or "miran"
    return METHODS.get(method or "", _LABELS.get(request.type, "the map"))


def compile_all(preparing: KernelPreparation, is_over: Callable[[], bool]) -> None:
    """Compile the kernels of crowds and of paths over terrain, one after the other.

    They run on a map of a few metres, which takes no time if they are compiled already. Stops
    between two of them when `is_over` returns True.
    """
    for what, work, method in (
        ("the crowd", _compile_crowd, "cmm"),
        ("MIRAN", _compile_route, "miran"),
        ("IRM", _compile_route, "irm"),
        ("MIRAN", _compile_crowd, "miran"),
        ("IRM", _compile_crowd, "irm"),
    ):
        if is_over():
            return
        with suppress(FootwayError), preparing.announce(what):
            work(method)


def _compile_route(method: str) -> None:
    """Follow an indicative route over terrain."""
    from footway import follow
    from footway.terrain.route import route
    from footway.terrain.terrain import Terrain

    env, cmap = _small_map()
    indicative_route = route(
        Terrain.build(env, 0.25), (1.0, 1.0), (11.0, 1.0), preferences={"mud": 5.0}
    )
    made = follow.irm(indicative_route, cmap) if method == "irm" else follow.miran(indicative_route)
    made.measure()


def _compile_crowd(method: str) -> None:
    """Simulate a few steps of a crowd, and inspect one character."""
    from footway.crowd import Crowd

    env, cmap = _small_map()
    crowd = Crowd(cmap, environment=env, threads=1)
    crowd.add(4, follow=method, radius=0.2)  # type: ignore[arg-type]
    if method == "cmm":
        crowd.add(2, behaviour="wander", radius=0.2)
        crowd.add_obstacle((9.0, 6.0), 0.3)
    crowd.step(3)
    crowd.set_profile(0, radius=0.22)
    crowd.character(0)
    crowd.step(2)


def _small_map() -> tuple[Environment, CorridorMap]:
    from footway.corridor import CorridorMap
    from footway.environment import Environment

    env = Environment.from_polygons(bounds=_BOX, terrain=[("mud", _MUD)])
    return env, CorridorMap.build(env)
