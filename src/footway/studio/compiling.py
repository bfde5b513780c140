"""Kernels are made when they are first needed: telling the page so, and making them early."""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from footway._numba.jit import announce_compilation
from footway.errors import FootwayError
from footway.studio.wire import Answer, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from footway.corridor import CorridorMap
    from footway.environment import Environment
    from footway.studio.requests import Request
    from footway.studio.wire import Message

METHODS: Final = {"short": "paths", "cmm": "CMM", "irm": "IRM", "miran": "MIRAN"}
"""What is prepared for a method to find paths, in words."""

_ASKS: Final = {
    "walk": "walks",
    "layer": "roadmaps",
    **dict.fromkeys(("crowd", "population", "character", "obstacle"), "the crowd"),
}
_BOX: Final = (0.0, 0.0, 12.0, 8.0)  # m, a map on which kernels are tried
_MUD: Final = ((5.0, 0.0), (7.0, 0.0), (7.0, 5.0), (5.0, 5.0))


class KernelPreparation:
    """Tells everybody what is being made, while somebody may have to wait for it.

    Args:
        say: tells an event; must not wait.

    """

    def __init__(self, say: Callable[[Message], None]) -> None:
        self.what: str | None = None  # is being made now
        self._say = say
        self._busy: dict[int, str] = {}  # what each thread is doing
        self._made: dict[object, str] = {}  # what was told and is not over, the newest last
        self._telling = threading.Lock()

    @contextmanager
    def of(self, what: str) -> Iterator[None]:
        """Tell what is made, if something has to be made inside."""
        me, key = threading.get_ident(), object()

        def tell() -> Any:
            """Tell it; False where another thread makes something for its own ask."""
            if threading.get_ident() != me and threading.get_ident() in self._busy:
                return False
            self._tell(key, what)
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
            self._tell(key, None)

    @contextmanager
    def elsewhere(self, what: str) -> Iterator[Callable[[], None]]:
        """Give a function that tells what is made, for a process that has to make something."""
        key = object()
        try:
            yield lambda: self._tell(key, what)
        finally:
            self._tell(key, None)

    def _tell(self, key: object, what: str | None) -> None:
        """Note what somebody waits for, None: no longer; tell the newest of all that are left."""
        with self._telling:
            self._made.pop(key, None)
            if what is not None:
                self._made[key] = what
            newest = next(reversed(self._made.values()), None)
            if newest != self.what:
                self.what = newest
                self._say(told("compiling", Answer({"what": newest})))


def words(request: Request) -> str:
    """What an ask needs, in words for the page."""
    method = getattr(request, "method", None) if request.ask == "path" else None
    method = getattr(request, "follow", None) if request.ask == "population" else method
    if request.ask == "population" and getattr(request, "preferences", None):
        method = method or "miran"
    return METHODS.get(method or "", _ASKS.get(request.ask, "the map"))


def make_all(preparing: KernelPreparation, is_over: Callable[[], bool]) -> None:
    """Make the kernels of crowds and of paths over terrain, one after the other.

    On a map of a few metres, so that it takes no time where they are there already. It stops
    between two of them where `is_over` says so.
    """
    for what, work, method in (
        ("the crowd", _walk_some, "cmm"),
        ("MIRAN", _walk_one, "miran"),
        ("IRM", _walk_one, "irm"),
        ("MIRAN", _walk_some, "miran"),
        ("IRM", _walk_some, "irm"),
    ):
        if is_over():
            return
        with suppress(FootwayError), preparing.of(what):
            work(method)


def _walk_one(method: str) -> None:
    """A path over terrain."""
    from footway import follow
    from footway.terrain.route import route
    from footway.terrain.terrain import Terrain

    env, cmap = _yard()
    way = route(Terrain.build(env, 0.25), (1.0, 1.0), (11.0, 1.0), preferences={"mud": 5.0})
    made = follow.irm(way, cmap) if method == "irm" else follow.miran(way)
    made.measure()


def _walk_some(method: str) -> None:
    """A few steps of a crowd, and a look at one of them."""
    from footway.crowd import Crowd

    env, cmap = _yard()
    crowd = Crowd(cmap, environment=env, threads=1)
    crowd.add(4, follow=method, radius=0.2)  # type: ignore[arg-type]
    if method == "cmm":
        crowd.add(2, behaviour="wander", radius=0.2)
        crowd.add_obstacle((9.0, 6.0), 0.3)
    crowd.step(3)
    crowd.set_profile(0, radius=0.22)
    crowd.character(0)
    crowd.step(2)


def _yard() -> tuple[Environment, CorridorMap]:
    from footway.corridor import CorridorMap
    from footway.environment import Environment

    env = Environment.from_polygons(bounds=_BOX, terrain=[("mud", _MUD)])
    return env, CorridorMap.build(env)
