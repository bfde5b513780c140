"""Documents that were open before: kept in memory with their crowd, and edited maps also on disk.

Opening another document loses nothing: the one before is kept with its edits and its crowd. Edited
maps are also written to a folder of the user, so that they survive the end of the server.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from footway.errors import BadInput, FootwayError
from footway.studio.files.saving import as_geojson, stem
from footway.studio.protocol.replies import RecentFacts

if TYPE_CHECKING:
    from footway.crowd import Crowd
    from footway.roadmap import Editor
    from footway.studio.documents import Document
    from footway.studio.edits import EditHistory

_MAX_KEPT: Final = 5  # documents in memory
_MAX_FILES: Final = 10  # edited maps on disk
_SUFFIX: Final = ".geojson"


def autosave_folder() -> Path:
    """Return the folder of edited maps: ~/.local/state/footway/studio, or below XDG_STATE_HOME."""
    home = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(home).expanduser() / "footway" / "studio"


class Kept(NamedTuple):
    """A document that was left, and what belongs to it."""

    document: Document
    history: EditHistory
    crowd: Crowd
    roster: dict[int, Any]
    file: Path | None  # its copy on disk
    editors: dict[Any, Editor]  # of its roadmaps
    is_touched: bool  # its crowd, by clients


class RecentDocuments:
    """Documents in memory and edited maps on disk, the newest first.

    Args:
        folder: folder of the edited maps; None writes none.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._kept: dict[int, Kept] = {}
        self._number = 0
        self._writing = threading.Lock()
        self._newest: tuple[Document, Path] | None = None

    def keep(self, kept: Kept) -> None:
        """Keep a document that is left."""
        self._number += 1
        self._kept[self._number] = kept
        while len(self._kept) > _MAX_KEPT:
            self._kept.pop(next(iter(self._kept)))

    def take(self, key: str) -> Kept | Path:
        """Return a document that was kept, and forget it; or the file of one on disk."""
        number = key.removeprefix("recent:")
        if number.isdigit() and int(number) in self._kept:
            return self._kept.pop(int(number))
        for file in self._files():
            if file.stem == number:
                return file
        raise BadInput("this document is no longer kept; open its file again")

    def facts(self, besides: Path | None = None) -> list[RecentFacts]:
        """Return name and state of each document, the newest first; not of the open one's file."""
        listed = [
            RecentFacts(key=f"recent:{k}", name=kept.document.name, about=about(kept))
            for k, kept in reversed(self._kept.items())
        ]
        taken = {besides, *(kept.file for kept in self._kept.values())}
        for file in self._files():
            if file not in taken:
                name, _, when = file.stem.rpartition("@")
                day = time.strftime("%d %b %H:%M", time.strptime(when, "%Y%m%d-%H%M%S"))
                facts = RecentFacts(
                    key=f"recent:{file.stem}", name=f"{name}{_SUFFIX}", about=f"saved {day}"
                )
                listed.append(facts)
        return listed

    # -- edited maps on disk -----------------------------------------------------------------------

    def new_file(self, document: Document) -> Path | None:
        """Return the file for the edits of a document; None if none are written."""
        if self._folder is None:
            return None
        now = time.strftime("%Y%m%d-%H%M%S")
        return self._folder / f"{stem(document)}@{now}{_SUFFIX}"

    def save(self, document: Document, file: Path) -> None:
        """Write an edited map in another thread; of several that wait, only the newest."""
        self._newest = (document, file)
        threading.Thread(target=self._write, name="studio-autosave", daemon=True).start()

    def _write(self) -> None:
        with self._writing:
            newest = self._newest
            if newest is None:
                return
            document, file = newest
            with suppress(OSError, FootwayError):  # a full disk must not stop the work
                file.parent.mkdir(parents=True, exist_ok=True)
                part = file.with_suffix(".part")
                part.write_bytes(bytes(as_geojson(document).content))  # type: ignore[arg-type]
                part.replace(file)
                for old in self._files()[_MAX_FILES:]:
                    old.unlink(missing_ok=True)

    def _files(self) -> list[Path]:
        if self._folder is None:
            return []
        with suppress(OSError):
            found = [file for file in self._folder.glob(f"*@*{_SUFFIX}") if _has_time(file)]
            return sorted(found, key=lambda file: file.stem.rpartition("@")[2], reverse=True)
        return []


def _has_time(file: Path) -> bool:
    try:
        time.strptime(file.stem.rpartition("@")[2], "%Y%m%d-%H%M%S")
    except ValueError:
        return False
    return True


def about(kept: Kept) -> str:
    """Return what a document has that its file has not, such as "2 edits, 40 people"."""
    edits = len(kept.history.before) + sum(editor.n_edits for editor in kept.editors.values())
    counts = {
        ("edit", "edits"): edits,
        ("person", "people"): len(kept.crowd),
        ("obstacle", "obstacles"): len(kept.crowd.obstacle_ids),
    }
    parts = [f"{n:,} {one if n == 1 else many}" for (one, many), n in counts.items() if n]
    return ", ".join(parts)
