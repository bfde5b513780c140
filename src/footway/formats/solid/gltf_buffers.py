"""Embed the external buffers of a .gltf file in the document.

The URI of a buffer is a data URI or a relative path (glTF 2.0, section 3.6.1). Only files in the
folder of the .gltf or below it are read, so that an untrusted map cannot open others.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from footway.constants import MAX_MAP_BYTES
from footway.errors import BadFile
from footway.formats.source import read_bytes
from footway.validation import shown

if TYPE_CHECKING:
    from pathlib import Path

_ADVICE = "put the file there, or save the model as .glb, which is one file"
_APPEARANCE = ("images", "textures", "samplers", "materials")  # may refer to files too


def with_buffers(content: bytes, folder: Path) -> bytes:
    """Return a glTF document with all buffers embedded, and without materials and images.

    Raises:
        BadFile: a buffer is missing, too large, too short or outside the folder.
        ValueError: the document is not glTF (includes `json.JSONDecodeError`).

    """
    document = json.loads(content)
    left = MAX_MAP_BYTES
    for buffer in document.get("buffers", ()):
        uri = buffer.get("uri")
        if isinstance(uri, str) and not uri.startswith("data:"):
            raw = _read(uri, folder, limit=left)
            if len(raw) < int(buffer.get("byteLength", 0)):
                raise BadFile(
                    f"its buffer {shown(uri)} has {len(raw)} bytes instead of "
                    f"{buffer['byteLength']}; save the model again"
                )
            left -= len(raw)
            text = base64.b64encode(raw).decode("ascii")
            buffer["uri"] = f"data:application/octet-stream;base64,{text}"
    return json.dumps(_plain(document)).encode()


def _read(uri: str, folder: Path, *, limit: int) -> bytes:
    """Return the bytes of a file beside the document."""
    parts = urlsplit(uri)
    if parts.scheme or parts.netloc:
        raise BadFile(f"its buffer {shown(uri)} is not in a file; save the model as .glb")
    root = folder.resolve()
    file = (root / unquote(parts.path)).resolve()
    if not file.is_relative_to(root):
        raise BadFile(f"its buffer {shown(uri)} lies outside the folder of the model; {_ADVICE}")
    try:
        return read_bytes(file, limit=limit)
    except BadFile as error:
        raise BadFile(f"its buffer {shown(uri)}, beside it, {error}; {_ADVICE}") from error


def _plain(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document without materials and images."""
    for mesh in document.get("meshes", ()):
        for primitive in mesh.get("primitives", ()):
            primitive.pop("material", None)
    return {name: value for name, value in document.items() if name not in _APPEARANCE}
