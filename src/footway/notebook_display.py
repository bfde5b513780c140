"""Values that show themselves as a picture in a notebook.

The one place where something low in the tree asks something above it: pictures are drawn by
`footway.plot.notebook`, which is loaded when a notebook asks for the first one.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast


class NotebookDisplay:
    """A value that a notebook shows as a picture with a line of facts below it."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        """HTML with the picture inside; None, so the plain words, where none can be drawn."""
        return cast("str | None", import_module("footway.plot.notebook").html(self))

    def _repr_png_(self) -> bytes | None:
        """The picture alone, for notebooks that are turned into paper."""
        return cast("bytes | None", import_module("footway.plot.notebook").png(self))
