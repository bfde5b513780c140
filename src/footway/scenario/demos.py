"""Built-in scenarios: TOML files to run and to use as templates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from footway.errors import BadInput
from footway.scenario.problems import did_you_mean

if TYPE_CHECKING:
    import os

PREFIX: Final = "demo:"
_FOLDER: Final = Path(__file__).parent / "gallery"


def names() -> tuple[str, ...]:
    """Return the names of the built-in scenarios, in alphabetical order."""
    return tuple(sorted(file.stem for file in _FOLDER.glob("*.toml")))


def is_demo(name: str | os.PathLike[str]) -> bool:
    """Return whether this is `demo:NAME` and not a file."""
    return isinstance(name, str) and name.startswith(PREFIX)


def demo_file(name: str) -> Path:
    """Return the file of `demo:NAME`.

    Raises:
        BadInput: there is no such scenario; the message lists those that exist.

    """
    short = name.removeprefix(PREFIX)
    if short not in names():
        raise BadInput(f"no built-in scenario {short!r}; {did_you_mean(short, names())}")
    return _FOLDER / f"{short}.toml"
