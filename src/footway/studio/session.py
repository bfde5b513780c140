"""The open document of a server, its crowd, and the answers to all requests."""

from __future__ import annotations

import logging
import threading
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from footway import __version__
from footway.crowd import Crowd
from footway.crowd.obstacles import obstacles_at_start, restore_obstacles
from footway.crowd.profile import PROPERTIES
from footway.environment.link_editing import corners_of
from footway.errors import BadInput, FootwayError, NoPath
from footway.studio import crowd_requests, layers, paths, replay, roadmaps
from footway.studio.compiling import KernelPreparation, compile_all, compile_label
from footway.studio.crowd_thread import CrowdThread
from footway.studio.documents import is_built_in, open_built_in
from footway.studio.edits import EditHistory, drawing_of, link_at
from footway.studio.files import saving
from footway.studio.files.recent import Kept, RecentDocuments
from footway.studio.protocol import replies, requests
from footway.studio.protocol.replies import Answer
from footway.studio.protocol.wire import event, refused, reply, to_map

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from footway.roadmap import Editor
    from footway.studio.documents import Document
    from footway.studio.layers import Progress
    from footway.studio.protocol.requests import Request
    from footway.studio.protocol.wire import Message

_ABOUT_CROWD: Final = ("crowd", "population", "character", "obstacle")
_MAX_LAYERS: Final = 16  # in the cache

_log = logging.getLogger("footway.studio")


class _Opened(NamedTuple):
    """The open document and what belongs to it. It is replaced as a whole, never changed."""

    document: Document
    version: int  # number of changes of the document
    first: int  # version in which it was opened
    history: EditHistory
    file: Path | None  # copy of the edited map
    layers: dict[tuple[Any, ...], Answer]  # cache
    editors: dict[tuple[Any, ...], Editor]  # of roadmaps; the last one was used last


class _Again(NamedTuple):
    """A crowd that starts again, and the populations added by clients, by their index."""

    crowd: Crowd
    roster: dict[int, requests.Population]


class Session:
    """The document, the crowd and the edit history, which all clients share.

    Args:
        document: document that is open at the start.
        send_event: sends an event to all clients; must not block.
        send_frame: sends a frame of the crowd to all clients; must not block.
        recent: documents that were open before.
        load: loads the file of such a document.
    """

    def __init__(
        self,
        document: Document,
        *,
        send_event: Callable[[Message], None] = lambda _: None,
        send_frame: Callable[[bytes], None] = lambda _: None,
        recent: RecentDocuments | None = None,
        load: Callable[[Path], Document] | None = None,
    ) -> None:
        self._opened = _Opened(document, 0, 0, EditHistory(), None, {}, {})
        self._recent = recent or RecentDocuments()
        self._load = load
        self._server = token_hex(8)
        self._send_event = send_event
        self.preparing = KernelPreparation(send_event)
        self._roster: dict[int, requests.Population] = {}  # added by clients, by index
        self._terrains = paths.TerrainCache()
        self._changing = threading.RLock()  # held while the document changes
        self.crowd_thread = CrowdThread(
            build_crowd(document),
            send_event=send_event,
            send_frame=send_frame,
            origin=document.origin,
        )

    @property
    def document(self) -> Document:
        """The open document."""
        return self._opened.document

    def answer(self, request: Request, progress: Progress = lambda _done, _total: None) -> Message:
        """Answer a request; every error becomes a refusal.

        A layer calls `progress` with the work that is done and its total; it may raise to cancel.

        Requests about the crowd are answered in its thread, where no other request can change the
        crowd or the document meanwhile. Requests that change the document are answered one at a
        time.
        """
        is_reset = isinstance(request, requests.Crowd) and request.do == "reset"
        try:
            if is_reset or request.type == "edit":
                with self._changing:
                    return self._reply(request, progress)
            if request.type in _ABOUT_CROWD:
                return self.crowd_thread.between_steps(lambda: self._reply(request, progress))
            return self._reply(request, progress)
        except MemoryError:
            return refused(request.n, "out of memory; request a smaller result", "broken")
        except Exception as error:  # noqa: BLE001 - a page must never take the server down
            return refused(request.n, fault_message(error), "broken")

    def _reply(self, request: Request, progress: Progress) -> Message:
        """Answer a request on one document, so that the request and its reply have one origin."""
        opened = self._opened
        document, origin = opened.document, opened.document.origin
        on_map = to_map(request, origin)
        try:
            with self.preparing.announce(compile_label(request)):
                if isinstance(on_map, requests.Layer):
                    made = self._layer(opened, on_map, progress)
                else:
                    made = getattr(self, f"_{request.type}")(opened, on_map)
            return reply(request.n, made, version=opened.version, origin=origin)
        except FootwayError as error:
            facts = replies.RefusalFacts()
            if isinstance(on_map, requests.Path):
                facts = paths.refusal_facts(document, on_map, error)
            elif isinstance(error, NoPath) and error.pinch is not None:
                facts = replies.RefusalFacts(
                    reason=error.reason, pinch=paths.pinch_facts(error.pinch)
                )
            kind = "no-path" if isinstance(error, NoPath) else "bad-input"
            return refused(request.n, str(error), kind, facts, origin=origin)

    def warm_up(self) -> None:
        """Compile kernels ahead of use: first of paths, then of crowds and routes over terrain."""
        with self.preparing.announce("paths"):
            paths.warm_up(self.document)
        compile_all(self.preparing, lambda: self.crowd_thread.has_ended)

    def end(self) -> bool:
        """Stop the crowd; return whether it stopped in time."""
        return self.crowd_thread.end()

    # -- the document --------------------------------------------------------------------------

    def open(self, document: Document) -> replies.Document:
        """Open another document and send it to all clients; the one before is kept."""
        return self._open_with(document, None)

    def _open_with(self, document: Document, file: Path | None) -> replies.Document:
        """Open a document whose edits are written to a file; None for a new one."""
        crowd = build_crowd(document)
        return self._restore(Kept(document, EditHistory(), crowd, {}, file, {}, is_touched=False))

    def _restore(self, kept: Kept) -> replies.Document:
        """Open a document with its edits and its crowd."""

        def work() -> replies.Document:
            self._keep()
            self._roster = dict(kept.roster)
            self.crowd_thread.pause()
            origin = kept.document.origin
            self.crowd_thread.replace(kept.crowd, origin, why="another document was opened")
            self.crowd_thread.is_touched = kept.is_touched
            facts = self._publish(kept.document, kept.history, kept.file, is_other=True)
            self._opened.editors.update(kept.editors)
            return facts

        with self._changing:
            return self.crowd_thread.between_steps(work)

    def _keep(self) -> None:
        """Keep the open document if something in it would be lost."""
        document, history, file = self._opened.document, self._opened.history, self._opened.file
        thread, is_file = self.crowd_thread, not is_built_in(document.name)
        editors = {key: one for key, one in self._opened.editors.items() if one.n_edits}
        if is_file or history.before or thread.is_touched or editors:
            roster, is_touched = self._roster, thread.is_touched
            self._recent.keep(
                Kept(document, history, thread.crowd, roster, file, editors, is_touched)
            )

    def _publish(
        self, document: Document, history: EditHistory, file: Path | None, *, is_other: bool = False
    ) -> replies.Document:
        """Send a document to all clients; called between two steps, so that the crowd is on it.

        The status comes first: a page must not ask whether to leave a map with the people of
        another one.
        """
        version = self.crowd_thread.version = self._opened.version + 1
        self.crowd_thread.send_status()
        first = version if is_other else self._opened.first
        self._opened = _Opened(document, version, first, history, file, {}, {})
        facts = self._facts(self._opened)
        self._send_event(event("document", Answer(facts), version=self._opened.version))
        return facts

    def _facts(self, opened: _Opened) -> replies.Document:
        """Return facts about the open document, for the page."""
        return opened.document.facts(
            opened.version,
            opened.first,
            opened.history,
            self._recent.facts(besides=opened.file),
        )

    def _hello(self, opened: _Opened, _: Request) -> Answer:
        self.crowd_thread.send_again()
        return Answer(
            replies.Hello(
                document=self._facts(opened),
                crowd=self.crowd_thread.status,
                properties=crowd_requests.property_facts(),
                models=crowd_requests.model_facts(),
                version=__version__,
                server=self._server,
                compiling=self.preparing.what,
            )
        )

    def _open(self, _: _Opened, request: requests.Open) -> Answer:
        if not request.name.startswith("recent:"):
            return Answer(self.open(open_built_in(request.name)))
        kept = self._recent.take(request.name)
        if isinstance(kept, Kept):
            return Answer(self._restore(kept))
        if self._load is None:
            raise BadInput("this server opens no files")
        return Answer(self._open_with(self._load(kept), kept))

    def _edit(self, opened: _Opened, request: requests.Edit) -> Answer:
        history = opened.history.copy()  # the old one stays if the edit fails
        made = history.edit(opened.document, request)
        made.prepare()  # outside the crowd's thread, which would stand still meanwhile
        file = opened.file or (self._recent.new_file(made) if made.is_edited else None)
        answer = self.crowd_thread.between_steps(lambda: self._apply_edit(made, history, file))
        if file is not None:
            self._recent.save(made, file)
        return answer

    def _apply_edit(self, document: Document, history: EditHistory, file: Path | None) -> Answer:
        """Move the crowd to the edited map if its walls, links or terrain changed, and publish it.

        In a building, links are closed and opened.
        """
        before, thread = self.document, self.crowd_thread
        if not _is_same_space(before, document):
            crowd = thread.crowd.moved_to(document.corridors, document.environment)
            thread.replace(crowd, document.origin, why="the map was changed")
        for name in sorted(document.closed - before.closed):
            thread.crowd.close_link(name)
        for name in sorted(before.closed - document.closed):
            if name in thread.crowd.closed_links:  # else it was deleted or renamed
                thread.crowd.open_link(name)
        return Answer(self._publish(document, history, file))

    def save(self, kind: str) -> saving.File:
        """Return the document, or the live recording of the crowd ("live-recording"), as a file.

        Raises:
            BadInput: the document cannot be saved in this format.
        """
        if kind == "geojson":
            return saving.as_geojson(self.document)
        if kind == "recording":
            return saving.as_recording(self.document)
        if kind == "live-recording":
            return self.crowd_thread.between_steps(
                lambda: saving.as_live_recording(self.crowd_thread.live_recording)
            )
        if kind == "scenario":
            return self.crowd_thread.between_steps(self._as_scenario)
        if kind == "roadmap":
            newest = next(reversed(self._opened.editors.values()), None)
            return roadmaps.as_file(self.document, newest)
        raise BadInput(
            f"cannot save as {kind[:40]!r}; use geojson, scenario, recording, "
            "live-recording or roadmap"
        )

    def _as_scenario(self) -> saving.File:
        crowd, roster = self.crowd_thread.crowd, list(self._roster.values())
        obstacles = obstacles_at_start(crowd).values()
        return saving.as_scenario(
            self.document, roster, seed=crowd.seed, model=crowd.model, obstacles=obstacles
        )

    # -- paths, layers, replay -------------------------------------------------------------------

    def _path(self, opened: _Opened, request: requests.Path) -> Answer:
        return paths.path(opened.document, request, self._terrains)

    def _walk(self, opened: _Opened, request: requests.Walk) -> Answer:
        return paths.walk(opened.document, request)

    def _ground(self, opened: _Opened, _: Request) -> Answer:
        return layers.ground(opened.document)

    def _item(self, opened: _Opened, request: requests.Item) -> Answer:
        document = opened.document
        if document.locked is not None:
            raise BadInput(f"{document.name}: cannot be edited: {document.locked}")
        link = link_at(document, request.floor, request.at)
        if link is not None:
            corners = np.array(corners_of(link), float).reshape(-1, 2)
            return Answer(replies.ItemFacts(kind="link", name=link.name), {"corners": corners})
        found = drawing_of(document, request.floor).item_at(request.at)
        facts = replies.ItemFacts(kind=found.kind, name=found.name)
        return Answer(facts, {"corners": np.array(found.corners, float).reshape(-1, 2)})

    def _layer(self, opened: _Opened, request: requests.Layer, progress: Progress) -> Answer:
        key = (request.name, request.method, request.resolution, request.radius)
        cache = opened.layers

        def check(done: int, total: int) -> None:
            progress(done, total)
            if self._opened is not opened or self.crowd_thread.has_ended:
                raise BadInput("the map was changed meanwhile; try again")

        if request.name == "roadmap":
            return roadmaps.answer(self._editor(opened, request, check))
        if key not in cache:
            cache[key] = layers.layer(opened.document, request, check)
        if len(cache) > _MAX_LAYERS:
            cache.pop(next(iter(cache)))
        check(0, 0)
        return cache[key]

    def _editor(
        self, opened: _Opened, request: requests.Layer | requests.Roadmap, progress: Progress
    ) -> Editor:
        """Return the editor of a roadmap, which is built at the first request."""
        key = (request.method, request.resolution, request.radius)
        editor = opened.editors.pop(key, None)
        if editor is None:
            if isinstance(request, requests.Roadmap):
                raise BadInput("this roadmap is not shown any more; turn its layer on again")
            editor = roadmaps.build(opened.document, request, progress)
            progress(0, 0)
        opened.editors[key] = editor
        unedited = [key for key, one in opened.editors.items() if not one.n_edits]
        if len(opened.editors) > _MAX_LAYERS and unedited:
            opened.editors.pop(unedited[0])
        return editor

    def _roadmap(self, opened: _Opened, request: requests.Roadmap) -> Answer:
        editor = self._editor(opened, request, lambda _done, _total: None)
        roadmaps.edit(editor, request)
        facts = replies.RoadmapEdited(method=request.method, state=editor.n_edits)
        self._send_event(event("roadmap", Answer(facts), version=opened.version))
        return roadmaps.answer(editor)

    def _replay(self, opened: _Opened, request: requests.Replay) -> Answer:
        if request.frame is None:
            return replay.overview(opened.document)
        return replay.frame(opened.document, request.frame)

    def _trails(self, opened: _Opened, request: requests.Trails) -> Answer:
        return replay.trails(opened.document, request.first, request.last)

    # -- the crowd, in its thread --------------------------------------------------------------

    def _crowd(self, opened: _Opened, request: requests.Crowd) -> Answer:
        crowd_thread, recording = self.crowd_thread, self.crowd_thread.live_recording
        if request.do == "reset":  # in a worker thread, because building a crowd may take long
            self._reset(request.seed)
            return Answer(crowd_thread.status)
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
        elif request.do == "model":
            crowd_thread.crowd.model = request.model
            crowd_thread.is_touched = True
        elif request.do == "record":
            _check_live(opened.document)
            crowd_thread.record(saving.stem(opened.document))
        elif request.do == "stop-record":
            if recording is None or not recording.is_running:
                raise BadInput("nothing is being recorded")
            crowd_thread.stop_recording()
        return Answer(crowd_thread.update_status())

    def _reset(self, seed: int | None) -> None:
        """Restart with the populations of the scenario and those added by clients."""
        with self._changing:
            again = self._build_again(self.document, seed)
            self.crowd_thread.between_steps(lambda: self._restart(again.crowd))
            self._roster = again.roster

    def _build_again(self, document: Document, seed: int | None = None) -> _Again:
        """Return the crowd at its beginning, with the populations added by clients."""
        before = self.crowd_thread.crowd
        crowd = build_crowd(document, before.seed if seed is None else seed)
        crowd.model = before.model
        roster = {}
        for request in self._roster.values():
            roster[len(crowd.names)] = request
            crowd_requests.add(crowd, document, request)
        return _Again(crowd, roster)

    def _restart(self, crowd: Crowd) -> None:
        """Replace the crowd and keep the obstacles."""
        restore_obstacles(crowd, obstacles_at_start(self.crowd_thread.crowd))
        self.crowd_thread.pause()
        self.crowd_thread.replace(crowd, self.document.origin, why="the crowd was reset")

    def _population(self, opened: _Opened, request: requests.Population) -> Answer:
        crowd, document = self.crowd_thread.crowd, opened.document
        if request.do == "add":
            _check_live(document)
            index = len(crowd.names)
            name = request.name or crowd_requests.free_name(crowd)
            named = request.model_copy(update={"name": name})
            crowd_requests.add(crowd, document, named)
            self._roster[index] = named
        else:
            assert request.index is not None
            crowd_requests.check_index(crowd, request.index)
            if request.do == "remove":
                crowd.remove_population(request.index)
                self._roster.pop(request.index, None)
            else:
                self._change(crowd, document, request.index, request)
        self.crowd_thread.is_touched = True
        return Answer(self.crowd_thread.update_status())

    def _change(
        self, crowd: Crowd, document: Document, index: int, request: requests.Population
    ) -> None:
        """Change a population, and store the change for the next reset and for saving."""
        known, before = self._roster.get(index), crowd.profiles[index]
        home = crowd_requests.spawn_area(document, crowd.names[index], known)
        after = crowd_requests.change(crowd, index, request, home, differ=known is None)
        if after.radius != before.radius:
            self.crowd_thread.stop_recording(
                "a radius changed, and a recording has only one radius for each character"
            )
        if known is not None:
            given = request.model_dump(include={*PROPERTIES, "count"}, exclude_unset=True)
            given |= {"follow": after.follow, "preferences": dict(after.preferences) or None}
            self._roster[index] = known.model_copy(update=given)

    def _character(self, _: _Opened, request: requests.Character) -> Answer:
        return crowd_requests.character(self.crowd_thread.crowd, request.id)

    def _obstacle(self, _: _Opened, request: requests.Obstacle) -> Answer:
        self.crowd_thread.is_touched = True
        return crowd_requests.obstacle(self.crowd_thread.crowd, request)


def _check_live(document: Document) -> None:
    if document.recording is not None:
        raise BadInput("a recording is open; open a map or a scenario to add a crowd")


def _is_same_space(before: Document, after: Document) -> bool:
    """Return whether two versions of a map have the same walls, links and terrain."""
    if before.building_map is not None and after.building_map is not None:
        return before.building_map.solver is after.building_map.solver
    return before.corridors is after.corridors and before.terrain is after.terrain


def fault_message(error: Exception) -> str:
    """Return an internal error as one line, and log the traceback."""
    _log.debug("a request failed", exc_info=error)
    return f"this is a fault in Footway: {type(error).__name__}: {error}"[:300]


def build_crowd(document: Document, seed: int | None = None) -> Crowd:
    """Build the initial crowd of a scenario, or an empty crowd for a map; links stay closed."""
    crowd = _initial_crowd(document, seed)
    for name in sorted(document.closed):
        crowd.close_link(name, start=0.0)
    return crowd


def _initial_crowd(document: Document, seed: int | None) -> Crowd:
    scenario = document.scenario
    if scenario is None:
        return Crowd(document.corridors, seed=seed or 0, environment=document.environment)
    from footway.scenario.building import ScenarioMap, prepare_crowd

    changes: dict[str, Any] = {} if seed is None else {"seed": seed}
    if document.environment is not None:
        changes["area"] = {}  # `documents` has added them to the map
    scenario = scenario.model_copy(update=changes)
    return prepare_crowd(scenario, ScenarioMap(document.corridors, document.environment)).crowd
