"""The one open document of a server, and the answer to every ask about it."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any, Final, TypeVar

from footway import __version__
from footway.crowd import Crowd
from footway.errors import BadInput, FootwayError, NoPath
from footway.studio import crowd_requests, layers, paths, replay, saving
from footway.studio.compiling import KernelPreparation, make_all, words
from footway.studio.crowd_thread import CrowdThread
from footway.studio.documents import open_built_in
from footway.studio.drawing import EditHistory
from footway.studio.free_space import ground
from footway.studio.walk_through import walk
from footway.studio.wire import Answer, answered, refused, told
from footway.studio.wire_origin import asked, facts_sent, sent

if TYPE_CHECKING:
    from collections.abc import Callable

    from footway.studio import requests
    from footway.studio.documents import Document
    from footway.studio.requests import Request
    from footway.studio.wire import Message

LANES: Final = {
    "hello": "quick",
    "ground": "quick",
    "path": "path",
    "walk": "walk",
    "layer": "layer",
    "crowd": "crowd",
    "population": "crowd",
    "character": "crowd",
    "obstacle": "crowd",
    "open": "drawing",
    "edit": "drawing",
    "replay": "replay",
    "trails": "replay",
}
"""Which thread answers each ask."""

ROADMAPS: Final = "roadmap"
"""The thread that makes roadmaps and discs, one at a time: each takes seconds."""

_MOST_LAYERS: Final = 16  # that are kept

T = TypeVar("T")

_log = logging.getLogger("footway.studio")


def lane_of(request: Request) -> str:
    """Return the thread that answers an ask."""
    slow = request.ask == "layer" and getattr(request, "name", "") in ("roadmap", "discs")
    return ROADMAPS if slow else LANES[request.ask]


class Session:
    """What lies on it is shared by all who watch.

    Args:
        document: that is open at first.
        say: tells all watchers an event; must not wait.
        show: shows all watchers a frame of the crowd; must not wait.

    """

    def __init__(
        self,
        document: Document,
        *,
        say: Callable[[Message], None] = lambda _: None,
        show: Callable[[bytes], None] = lambda _: None,
    ) -> None:
        self.document = document
        self.version = 0  # counts the changes of the document
        self._say = say
        self.preparing = KernelPreparation(say)
        self._sheet = EditHistory()
        self._roster: dict[int, requests.Population] = {}  # who was added, by index of population
        self._grounds = paths.Grounds()
        self._layers: dict[tuple[Any, ...], Answer] = {}
        self._changing = threading.Lock()  # of the document: by an ask, or by an upload
        self.live = CrowdThread(crowd_of(document), say=say, show=show, origin=document.origin)

    def answer(self, request: Request) -> Message:
        """Answer an ask; whatever goes wrong becomes a refusal."""
        document = self.document
        ask = asked(request, document.origin)
        try:
            with self.preparing.of(words(request)):
                made: Answer = getattr(self, f"_{request.ask}")(ask)
            return answered(request.n, sent(made, document.origin))
        except FootwayError as error:
            kind = "no-path" if isinstance(error, NoPath) else "bad-input"
            reasons = facts_sent(_reasons(document, ask, error), document.origin)
            return refused(request.n, str(error), kind, **reasons)
        except MemoryError:
            return refused(request.n, "out of memory; ask for less", "broken")
        except Exception as error:  # noqa: BLE001 - a page must never take the server down
            return refused(request.n, broken(error), "broken")

    def end(self) -> bool:
        """Stop the crowd; tell whether it stopped in time."""
        return self.live.end()

    # -- the document --------------------------------------------------------------------------

    def open(self, document: Document) -> dict[str, Any]:
        """Put another document on the desk, and tell everybody; what was drawn is forgotten."""
        crowd = crowd_of(document)

        def work() -> dict[str, Any]:
            self._sheet, self._roster = EditHistory(), {}
            self.live.pause()
            self.live.replace(crowd, document.origin, why="another document was opened")
            return self._lay(document)

        with self._changing:
            return self.live.do(work)

    def _lay(self, document: Document) -> dict[str, Any]:
        """Show a document to everybody; between two steps, so that the crowd is always on it."""
        self.document, self._layers = document, {}
        self.version += 1
        facts = self.facts()
        self._say(told("document", Answer(facts)))
        return facts

    def facts(self) -> dict[str, Any]:
        """What is open, as the page wants it."""
        sheet = self._sheet
        return {
            **self.document.facts(),
            "version": self.version,
            "edited": self.document.is_edited,
            "undo": len(sheet.before),
            "redo": len(sheet.after),
        }

    def _hello(self, _: Request) -> Answer:
        facts = {"document": self.facts(), "crowd": self.live.status, "version": __version__}
        return Answer({**facts, "compiling": self.preparing.what})

    def _open(self, ask: requests.Open) -> Answer:
        return Answer(self.open(open_built_in(ask.name)))

    def _ground(self, _: Request) -> Answer:
        version, made = self.version, ground(self.document)
        return Answer({**made.facts, "version": version}, made.arrays)

    def _edit(self, ask: requests.Edit) -> Answer:
        with self._changing:
            sheet = self._sheet.copy()  # the old one stays, where the crowd cannot go on
            made = sheet.edit(self.document, ask)
            made.prepare()  # here, so that the crowd stands still for a shorter time
            return self.live.do(lambda: self._go_on(made, sheet))

    def _go_on(self, document: Document, sheet: EditHistory) -> Answer:
        """Let the crowd go on with other walls, or over other ground."""
        before, live = self.document, self.live
        if document.corridors is not before.corridors or document.terrain is not before.terrain:
            crowd = live.crowd.moved_to(document.corridors, document.environment)
            live.replace(crowd, document.origin, why="the map was changed")
        self._sheet = sheet
        return Answer(self._lay(document))

    def save(self, kind: str) -> saving.File:
        """Return the document as a file, or what was recorded of the crowd ("take").

        Raises:
            BadInput: it cannot be saved as that.

        """
        if kind == "geojson":
            return saving.as_geojson(self.document)
        if kind == "recording":
            return saving.as_recording(self.document)
        if kind == "take":
            return self.live.do(lambda: saving.as_take(self.live.take))
        if kind == "scenario":
            return self.live.do(self._as_scenario)
        raise BadInput(f"cannot save as {kind[:40]!r}; use geojson, scenario, recording or take")

    def _as_scenario(self) -> saving.File:
        crowd, roster = self.live.crowd, list(self._roster.values())
        discs = crowd.obstacles.tolist()
        return saving.as_scenario(self.document, roster, seed=crowd.seed, obstacles=discs)

    # -- questions -----------------------------------------------------------------------------

    def _path(self, ask: requests.Path) -> Answer:
        return paths.path(self.document, ask, self._grounds)

    def warm(self) -> None:
        """Ask for a path, so that the first one that a page asks for comes as fast as the next."""
        with self.preparing.of("paths"):
            paths.warm(self.document)

    def warm_rest(self) -> None:
        """Make ready what a page may ask for later: crowds, and paths over terrain."""
        make_all(self.preparing, lambda: self.live.has_ended)

    def _walk(self, ask: requests.Walk) -> Answer:
        return walk(self.document, ask)

    def _layer(self, ask: requests.Layer) -> Answer:
        document, kept = self.document, self._layers
        key = (ask.name, ask.method, ask.resolution, ask.radius)

        def check(_done: int, _total: int) -> None:
            if self.document is not document:
                raise BadInput("the map was changed meanwhile; ask again")

        made = kept.get(key)
        if made is None:
            made = layers.layer(document, ask, check)
            check(0, 0)
            kept[key] = made
        if len(kept) > _MOST_LAYERS:
            kept.pop(next(iter(kept)))
        return made

    def _replay(self, ask: requests.Replay) -> Answer:
        if ask.frame is None:
            return replay.overview(self.document)
        return replay.frame(self.document, ask.frame)

    def _trails(self, ask: requests.Trails) -> Answer:
        return replay.trails(self.document, ask.first, ask.last)

    # -- the crowd -----------------------------------------------------------------------------

    def _crowd(self, ask: requests.Crowd) -> Answer:
        if ask.do == "reset":
            self._reset(ask.seed)
        else:
            self._in_crowd(lambda: self._conduct(ask), words(ask))
        return Answer(self.live.status)

    def _conduct(self, ask: requests.Crowd) -> None:
        live = self.live
        if ask.speed is not None:
            live.speed = ask.speed
        elif ask.do == "faster":
            live.speed = min(16.0, 2.0 * live.speed)
        if ask.do == "start":
            live.start()
        elif ask.do == "pause":
            live.pause()
        elif ask.do == "step":
            live.pause()
            live.step()
        elif ask.do == "record":
            self._check_live()
            live.record(saving.stem(self.document))
        elif ask.do == "stop-record":
            if live.take is None or not live.take.is_running:
                raise BadInput("nothing is being recorded")
            live.stop_recording()

    def _reset(self, seed: int | None) -> None:
        """Begin anew: the people of the scenario, and those who were added and not removed."""
        live = self.live
        with self._changing:
            crowd = crowd_of(self.document, live.crowd.seed if seed is None else seed)
            roster = {}
            for ask in self._roster.values():
                roster[len(crowd.names)] = ask
                crowd_requests.add(crowd, self.document, ask)
            live.do(lambda: self._begin_again(crowd))
            self._roster = roster

    def _begin_again(self, crowd: Crowd) -> None:
        """Take another crowd, among the same obstacles."""
        for x, y, radius in self.live.crowd.obstacles.tolist():
            crowd.add_obstacle((x, y), radius)
        self.live.pause()
        self.live.replace(crowd, self.document.origin, why="the crowd began anew")

    def _population(self, ask: requests.Population) -> Answer:
        def work() -> None:
            crowd = self.live.crowd
            if ask.do == "add":
                self._check_live()
                index = len(crowd.names)
                named = ask.model_copy(update={"name": ask.name or crowd_requests.free_name(crowd)})
                crowd_requests.add(crowd, self.document, named)
                self._roster[index] = named
            elif ask.do == "remove":
                assert ask.index is not None
                crowd_requests.remove(crowd, ask.index)
                self._roster.pop(ask.index, None)
            else:
                self._change(crowd, ask)

        self._in_crowd(work, words(ask))
        return Answer(self.live.status)

    def _change(self, crowd: Crowd, ask: requests.Population) -> None:
        """Change a population, and remember it for the next reset and for saving."""
        assert ask.index is not None
        known = self._roster.get(ask.index)
        name = crowd.names[ask.index] if ask.index < len(crowd.names) else ""
        before = [profile.radius for profile in crowd.profiles]
        home = crowd_requests.home_of(self.document, name, known)
        after = crowd_requests.change(crowd, ask, home, differ=known is None)
        if after.radius != before[ask.index]:
            self.live.stop_recording("a radius changed, and a recording has one for each character")
        if known is not None:
            given = ask.model_dump(include={*crowd_requests.HABITS, "count"}, exclude_unset=True)
            given |= {"follow": after.follow, "preferences": dict(after.preferences) or None}
            self._roster[ask.index] = known.model_copy(update=given)

    def _in_crowd(self, work: Callable[[], T], what: str) -> T:
        """Do something in the crowd's thread; the page is told of kernels that it waits for."""

        def told_of() -> T:
            with self.preparing.of(what):
                return work()

        return self.live.do(told_of)

    def _check_live(self) -> None:
        if self.document.recording is not None:
            raise BadInput("a recording is open; open a map or a scenario to add a crowd")

    def _character(self, ask: requests.Character) -> Answer:
        return self.live.do(lambda: crowd_requests.character(self.live.crowd, ask.id))

    def _obstacle(self, ask: requests.Obstacle) -> Answer:
        return self.live.do(lambda: crowd_requests.obstacle(self.live.crowd, ask))


def broken(error: Exception) -> str:
    """One line about what should not have happened; the log has the rest."""
    _log.debug("an ask failed", exc_info=error)
    return f"this is a fault in Footway: {type(error).__name__}: {error}"[:300]


def crowd_of(document: Document, seed: int | None = None) -> Crowd:
    """The crowd of a scenario at its beginning; nobody on a map."""
    scenario = document.scenario
    if scenario is None:
        return Crowd(document.corridors, seed=seed or 0, environment=document.environment)
    from footway.scenario.crowd_building import ScenarioMap, stage

    changes: dict[str, Any] = {} if seed is None else {"seed": seed}
    if document.environment is not None:
        changes["area"] = {}  # they are areas of the map here, so that one can draw on them
    scenario = scenario.model_copy(update=changes)
    return stage(scenario, ScenarioMap(document.corridors, document.environment)).crowd


def _reasons(document: Document, request: Request, error: FootwayError) -> dict[str, Any]:
    """What a page wants to know about a refusal, beside the line."""
    from footway.studio.requests import Path

    if isinstance(request, Path):
        return paths.why_not(document, request, error)
    if isinstance(error, NoPath) and error.pinch is not None:
        return {"reason": error.reason, "pinch": paths.pinch_facts(error.pinch)}
    return {}
