"""Uploaded files: write to a temporary folder, load, remove."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Final

from footway.errors import BadInput, FootwayError
from footway.studio.documents import RECORDING, SCENARIO
from footway.studio.loading import Order

if TYPE_CHECKING:
    from collections.abc import Callable

    from footway.studio.documents import Document
    from footway.studio.loading import Loader

KINDS: Final = (".geojson", ".json", ".wkt", ".map", ".png", ".fwmap", SCENARIO, RECORDING)
"""Suffixes of files that may be uploaded; other formats refer to further files."""


def clean_name(name: str) -> str:
    """Return the name of an uploaded file without folders and special characters.

    Raises:
        BadInput: it has no name, or is not one of `KINDS`.

    Example:
        >>> clean_name("../plans/house.geojson")
        'house.geojson'

    """
    plain = PureWindowsPath(PurePosixPath(name).name).name
    plain = "".join(c for c in plain if c.isprintable() and c not in '<>:"|?*')[-100:]
    if Path(plain).suffix.lower() not in KINDS or not Path(plain).stem.strip(". "):
        raise BadInput(f"{plain or 'a file'}: cannot be uploaded; known are {', '.join(KINDS)}")
    return plain


def open_upload(
    name: str,
    content: bytes,
    loader: Loader,
    *,
    scale: float | None = None,
    is_wanted: Callable[[], bool] = lambda: True,
    compiling: Callable[[], object] = lambda: None,
) -> Document:
    """Open an uploaded file; for `is_wanted` and `compiling` see `Loader.load`.

    Raises:
        BadInput: what is wrong with it, on one line without folders of this machine.

    """
    plain = clean_name(name)
    with loader.folder() as folder:
        path = folder / f"upload{Path(plain).suffix.lower()}"
        path.write_bytes(content)
        order = Order(str(path), display_name=plain, scale=scale, uploaded=True)
        try:
            return loader.load(order, is_wanted=is_wanted, compiling=compiling)
        except FootwayError as error:
            message = str(error).replace(str(path), plain).replace(str(folder), "")
            raise BadInput(message) from None
