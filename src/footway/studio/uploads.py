"""Files that a browser sends: written to a temporary folder, loaded, and removed."""

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
"""Suffixes of files that may be sent; others name further files, which stay where they are."""


def clean_name(name: str) -> str:
    """Return the plain name of a file that may be sent.

    Raises:
        BadInput: it has no name, or is of another kind.

    Example:
        >>> clean_name("../plans/house.geojson")
        'house.geojson'

    """
    plain = PureWindowsPath(PurePosixPath(name).name).name
    plain = "".join(c for c in plain if c.isprintable() and c not in '<>:"|?*')[-100:]
    if Path(plain).suffix.lower() not in KINDS or not Path(plain).stem.strip(". "):
        raise BadInput(f"{plain or 'a file'}: is of a kind that cannot be sent; {_known()}")
    return plain


def _known() -> str:
    return f"known are {', '.join(KINDS)}"


def opened(
    name: str,
    content: bytes,
    loader: Loader,
    *,
    scale: float | None = None,
    is_wanted: Callable[[], bool] = lambda: True,
    compiling: Callable[[], object] = lambda: None,
) -> Document:
    """Open a file that was sent; `is_wanted` and `compiling` as `Loader.load` has them.

    Raises:
        BadInput: what is wrong with it, on one line that names no folder of this machine.

    """
    plain = clean_name(name)
    with loader.folder() as folder:
        path = folder / f"upload{Path(plain).suffix.lower()}"
        path.write_bytes(content)
        order = Order(str(path), called=plain, scale=scale, sent=True)
        try:
            return loader.load(order, is_wanted=is_wanted, compiling=compiling)
        except FootwayError as error:
            words = str(error).replace(str(path), plain).replace(str(folder), "")
            raise BadInput(words) from None
