"""Output files: check them before long computations, and write pictures."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from footway.errors import BadFile, BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.figure import Figure


def check_writable(file: str) -> None:
    """Raise BadFile with the reason if a file certainly cannot be written."""
    path = Path(file)
    folder = path.parent
    try:
        if "\0" in file:
            raise BadFile(f"{file!r}: is not the name of a file")
        if path.is_dir():
            raise BadFile(f"{file}: is a directory; give the name of a file")
        if not folder.is_dir():
            raise BadFile(f"{file}: there is no folder {folder}; make it first")
        if not os.access(path if path.exists() else folder, os.W_OK):
            raise BadFile(f"{file}: is not writable; choose another place")
    except (OSError, ValueError) as error:
        if isinstance(error, BadFile):
            raise
        raise BadFile(f"{file}: cannot be written: {error}") from error


def check_different(files: Iterable[str]) -> None:
    """Raise BadInput if two outputs are the same file: one would overwrite the other."""
    seen = set()
    for file in files:
        place = os.path.realpath(file.replace("\0", ""))
        if place in seen:
            raise BadInput(f"{file}: two outputs have this name; give each its own")
        seen.add(place)


def check_plot(file: str | None) -> None:
    """Raise BadInput if a picture certainly cannot be written."""
    if file is None:
        return
    from footway.plot import check_picture_file

    check_picture_file(file)
    check_writable(file)


def write_plot(figure: Figure, file: str) -> None:
    """Write a picture."""
    from footway.plot import save_picture

    save_picture(figure, file)


def prepare_folder(output: str) -> Path:
    """Create a writable folder for results before a long computation."""
    folder = Path(output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".footway"
        probe.touch()
        probe.unlink()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadFile(f"{output}: cannot be written: {reason}") from error
    return folder
