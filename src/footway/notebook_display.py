"""Base class of values that notebooks display as pictures.

`footway.plot.notebook` draws the pictures. It is imported by name when a notebook requests the
first one: one of the two upward imports of the package (see ARCHITECTURE.md).
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from footway.errors import BadInput


class NotebookDisplay:
    """A value that a notebook displays as a picture with a line of facts below it."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        """Return HTML with the picture; None, so that the repr is shown, if it cannot be drawn."""
        html: str | None = _drawn("html", self)
        return html

    def _repr_png_(self) -> bytes | None:
        """Return the picture alone, for printed notebooks."""
        png: bytes | None = _drawn("png", self)
        return png


def _drawn(form: str, value: NotebookDisplay) -> Any:
    try:
        notebook = import_module("footway.plot.notebook")
    except (BadInput, ModuleNotFoundError):  # Matplotlib is not installed
        return None
    return getattr(notebook, form)(value)
