"""The open document of a server, its crowd, and the answers to all requests."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any, Final, TypeVar

from footway import __version__
from footway.crowd import Crowd
from footway.crowd.obstacles import obstacles_at_start, restore_obstacles
from footway.crowd.profile import PROPERTIES
from footway.errors import BadInput, FootwayError, NoPath
from footway.studio import crowd_requests, layers, paths, replay, saving
from footway.studio.compiling import KernelPreparation, compile_all, compile_label
from footway.studio.crowd_thread import CrowdThread
from footway.studio.documents import EditHistory, open_built_in
from footway.studio.layers import free_space_answer
from footway.studio.paths import walk
from footway.studio.wire import Answer, event, facts_to_wire, refused, reply, to_map, to_wire

if TYPE_CHECKING:
    from collections.abc import Callable

    from footway.studio import requests
    from footway.studio.documents import Document
    from footway.studio.requests import Request
    from footway.studio.wire import Message

WORKERS: Final = {
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
"""Name of the worker thread for each kind of request."""

ROADMAPS: Final = "roadmap"
"""Worker for roadmaps and discs, one at a time: each takes seconds."""

_MAX_LAYERS: Final = 16  # in the cache

T = TypeVar("T")

_log = logging.getLogger("footway.studio")


def worker_of(request: Request) -> str:
    """Return the name of the worker thread for a request."""
    slow = request.ask == "layer" and getattr(request, "name", "") in ("roadmap", "discs")
    return ROADMAPS if slow else WORKERS[request.ask]


class Session:
    """The document, the crowd and the edit history, which all clients share.

    Args:
        document: document that is open at the start.
        send_event: sends an event to all clients; must not block.
        send_frame: sends a frame of the crowd to all clients; must not block.

    """

    def __init__(
        self,
        document: Document,
        *,
        send_event: Callable[[Message], None] = lambda _: None,
        send_frame: Callable[[bytes], None] = lambda _: None,
    ) -> None:
        self.document = document
        self.version = 0  # number of changes of the document
        self._send_event = send_event
        self.preparing = KernelPreparation(send_event)
        self._edit_history = EditHistory()
        self._roster: dict[int, requests.Population] = {}  # added by clients, by index
        self._terrains = paths.TerrainCache()
        self._layers: dict[tuple[Any, ...], Answer] = {}
        self._changing = threading.Lock()  # held while the document changes
        self.crowd_thread = CrowdThread(
            build_crowd(document),
            send_event=send_event,
            send_frame=send_frame,
            origin=document.origin,
        )

    def answer(self, request: Request) -> Message:
        """Answer a request; every error becomes a refusal."""
        document = self.document
        on_map = to_map(request, document.origin)
        try:
            with self.preparing.announce(compile_label(request)):
                made: Answer = getattr(self, f"_{request.ask}")(on_map)
            return reply(request.n, to_wire(made, document.origin))
        except FootwayError as error:
            kind = "no-path" if isinstance(error, NoPath) else "bad-input"
            reasons = facts_to_wire(_refusal_facts(document, on_map, error), document.origin)
            return refused(request.n, str(error), kind, **reasons)
        except MemoryError:
            return refused(request.n, "out of memory; request less", "broken")
        except Exception as error:  # noqa: BLE001 - a page must never take the server down
            return refused(request.n, fault_message(error), "broken")

    def end(self) -> bool:
        """Stop the crowd; return whether it stopped in time."""
        return self.crowd_thread.end()

    # -- the document --------------------------------------------------------------------------

    def open(self, document: Document) -> dict[str, Any]:
        """Open another document and send it to all clients; the edit history is cleared."""
        crowd = build_crowd(document)

        def work() -> dict[str, Any]:
            self._edit_history, self._roster = EditHistory(), {}
            self.crowd_thread.pause()
            self.crowd_thread.replace(crowd, document.origin, why="another document was opened")
            return self._publish(document)

        with self._changing:
            return self.crowd_thread.do(work)

    def _publish(self, document: Document) -> dict[str, Any]:
        """Send a document to all clients; called between two steps, so that the crowd is on it."""
        self.document, self._layers = document, {}
        self.version += 1
        facts = self.facts()
        self._send_event(event("document", Answer(facts)))
        return facts

    def facts(self) -> dict[str, Any]:
        """Facts about the open document, for the page."""
        return {
            **self.document.facts(),
            "version": self.version,
            "edited": self.document.is_edited,
            "undo": len(self._edit_history.before),
            "redo": len(self._edit_history.after),
        }

    def _hello(self, _: Request) -> Answer:
        facts: dict[str, Any] = {"document": self.facts(), "crowd": self.crowd_thread.status}
        facts["properties"] = crowd_requests.property_facts()
        return Answer({**facts, "version": __version__, "compiling": self.preparing.what})

    def _open(self, request: requests.Open) -> Answer:
        return Answer(self.open(open_built_in(request.name)))

    def _ground(self, _: Request) -> Answer:
        version, made = self.version, free_space_answer(self.document)
        return Answer({**made.facts, "version": version}, made.arrays)

    def _edit(self, request: requests.Edit) -> Answer:
        with self._changing:
            edit_history = self._edit_history.copy()  # the old one stays if the edit fails
            made = edit_history.edit(self.document, request)
            made.prepare()  # outside the crowd's thread, which would stand still meanwhile
            return self.crowd_thread.do(lambda: self._apply_edit(made, edit_history))

    def _apply_edit(self, document: Document, edit_history: EditHistory) -> Answer:
        """Move the crowd to the edited map if walls or terrain changed, and publish the map."""
        before, crowd_thread = self.document, self.crowd_thread
        if document.corridors is not before.corridors or document.terrain is not before.terrain:
            crowd = crowd_thread.crowd.moved_to(document.corridors, document.environment)
            crowd_thread.replace(crowd, document.origin, why="the map was changed")
        self._edit_history = edit_history
        return Answer(self._publish(document))

    def save(self, kind: str) -> saving.File:
        """Return the document, or the live recording of the crowd ("take"), as a file.

        Raises:
            BadInput: the document cannot be saved in this format.

        """
        if kind == "geojson":
            return saving.as_geojson(self.document)
        if kind == "recording":
            return saving.as_recording(self.document)
        if kind == "take":
            return self.crowd_thread.do(
                lambda: saving.as_live_recording(self.crowd_thread.live_recording)
            )
        if kind == "scenario":
            return self.crowd_thread.do(self._as_scenario)
        raise BadInput(f"cannot save as {kind[:40]!r}; use geojson, scenario, recording or take")

    def _as_scenario(self) -> saving.File:
        crowd, roster = self.crowd_thread.crowd, list(self._roster.values())
        obstacles = obstacles_at_start(crowd).values()
        return saving.as_scenario(self.document, roster, seed=crowd.seed, obstacles=obstacles)

    # -- paths, layers, replay -------------------------------------------------------------------

    def _path(self, request: requests.Path) -> Answer:
        return paths.path(self.document, request, self._terrains)

    def warm_up(self) -> None:
        """Compute a path, so that the first requested path is as fast as the following ones."""
        with self.preparing.announce("paths"):
            paths.warm_up(self.document)

    def compile_rest(self) -> None:
        """Compile the kernels of crowds and of paths over terrain."""
        compile_all(self.preparing, lambda: self.crowd_thread.has_ended)

    def _walk(self, request: requests.Walk) -> Answer:
        return walk(self.document, request)

    def _layer(self, request: requests.Layer) -> Answer:
        document, cache = self.document, self._layers
        key = (request.name, request.method, request.resolution, request.radius)

        def check(_done: int, _total: int) -> None:
            if self.document is not document:
                raise BadInput("the map was changed meanwhile; try again")

        made = cache.get(key)
        if made is None:
            made = layers.layer(document, request, check)
            check(0, 0)
            cache[key] = made
        if len(cache) > _MAX_LAYERS:
            cache.pop(next(iter(cache)))
        return made

    def _replay(self, request: requests.Replay) -> Answer:
        if request.frame is None:
            return replay.overview(self.document)
        return replay.frame(self.document, request.frame)

    def _trails(self, request: requests.Trails) -> Answer:
        return replay.trails(self.document, request.first, request.last)

    # -- the crowd -----------------------------------------------------------------------------

    def _crowd(self, request: requests.Crowd) -> Answer:
        if request.do == "reset":
            self._reset(request.seed)
        else:
            self._do_in_crowd(lambda: self._control(request), compile_label(request))
        return Answer(self.crowd_thread.status)

    def _control(self, request: requests.Crowd) -> None:
        crowd_thread = self.crowd_thread
        if request.speed is not None:
            crowd_thread.speed = request.speed
        elif request.do == "faster":
            crowd_thread.speed = min(16.0, 2.0 * crowd_thread.speed)
        if request.do == "start":
            crowd_thread.start()
        elif request.do == "pause":
            crowd_thread.pause()
        elif request.do == "step":
            crowd_thread.pause()
            crowd_thread.step()
        elif request.do == "record":
            self._check_live()
            crowd_thread.record(saving.stem(self.document))
        elif request.do == "stop-record":
            if crowd_thread.live_recording is None or not crowd_thread.live_recording.is_running:
                raise BadInput("nothing is being recorded")
            crowd_thread.stop_recording()

    def _reset(self, seed: int | None) -> None:
        """Restart with the populations of the scenario and those added by clients."""
        crowd_thread = self.crowd_thread
        with self._changing:
            crowd = build_crowd(self.document, crowd_thread.crowd.seed if seed is None else seed)
            roster = {}
            for request in self._roster.values():
                roster[len(crowd.names)] = request
                crowd_requests.add(crowd, self.document, request)
            crowd_thread.do(lambda: self._restart(crowd))
            self._roster = roster

    def _restart(self, crowd: Crowd) -> None:
        """Replace the crowd and keep the obstacles."""
        restore_obstacles(crowd, obstacles_at_start(self.crowd_thread.crowd))
        self.crowd_thread.pause()
        self.crowd_thread.replace(crowd, self.document.origin, why="the crowd was reset")

    def _population(self, request: requests.Population) -> Answer:
        def work() -> None:
            crowd = self.crowd_thread.crowd
            if request.do == "add":
                self._check_live()
                index = len(crowd.names)
                name = request.name or crowd_requests.free_name(crowd)
                named = request.model_copy(update={"name": name})
                crowd_requests.add(crowd, self.document, named)
                self._roster[index] = named
            elif request.do == "remove":
                assert request.index is not None
                crowd_requests.remove(crowd, request.index)
                self._roster.pop(request.index, None)
            else:
                self._change(crowd, request)

        self._do_in_crowd(work, compile_label(request))
        return Answer(self.crowd_thread.status)

    def _change(self, crowd: Crowd, request: requests.Population) -> None:
        """Change a population, and store the change for the next reset and for saving."""
        assert request.index is not None
        known = self._roster.get(request.index)
        name = crowd.names[request.index] if request.index < len(crowd.names) else ""
        before = [profile.radius for profile in crowd.profiles]
        home = crowd_requests.spawn_area(self.document, name, known)
        after = crowd_requests.change(crowd, request, home, differ=known is None)
        if after.radius != before[request.index]:
            self.crowd_thread.stop_recording(
                "a radius changed, and a recording has one for each character"
            )
        if known is not None:
            given = request.model_dump(include={*PROPERTIES, "count"}, exclude_unset=True)
            given |= {"follow": after.follow, "preferences": dict(after.preferences) or None}
            self._roster[request.index] = known.model_copy(update=given)

    def _do_in_crowd(self, work: Callable[[], T], what: str) -> T:
        """Run a function in the crowd's thread; announce kernels that are compiled meanwhile."""

        def announced() -> T:
            with self.preparing.announce(what):
                return work()

        return self.crowd_thread.do(announced)

    def _check_live(self) -> None:
        if self.document.recording is not None:
            raise BadInput("a recording is open; open a map or a scenario to add a crowd")

    def _character(self, request: requests.Character) -> Answer:
        return self.crowd_thread.do(
            lambda: crowd_requests.character(self.crowd_thread.crowd, request.id)
        )

    def _obstacle(self, request: requests.Obstacle) -> Answer:
        return self.crowd_thread.do(
            lambda: crowd_requests.obstacle(self.crowd_thread.crowd, request)
        )


def fault_message(error: Exception) -> str:
    """Return an internal error as one line, and log the traceback."""
    _log.debug("a request failed", exc_info=error)
    return f"this is a fault in Footway: {type(error).__name__}: {error}"[:300]


def build_crowd(document: Document, seed: int | None = None) -> Crowd:
    """Build the initial crowd of a scenario, or an empty crowd for a map."""
    scenario = document.scenario
    if scenario is None:
        return Crowd(document.corridors, seed=seed or 0, environment=document.environment)
    from footway.scenario.crowd_building import ScenarioMap, stage

    changes: dict[str, Any] = {} if seed is None else {"seed": seed}
    if document.environment is not None:
        changes["area"] = {}  # `documents` has added them to the map
    scenario = scenario.model_copy(update=changes)
    return stage(scenario, ScenarioMap(document.corridors, document.environment)).crowd


def _refusal_facts(document: Document, request: Request, error: FootwayError) -> dict[str, Any]:
    """Return facts about a refusal that the page shows besides the message."""
    from footway.studio.requests import Path

    if isinstance(request, Path):
        return paths.refusal_facts(document, request, error)
    if isinstance(error, NoPath) and error.pinch is not None:
        return {"reason": error.reason, "pinch": paths.pinch_facts(error.pinch)}
    return {}
