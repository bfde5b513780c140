"""Optional packages: which extra of Footway installs them.

`pip install footway` is enough for maps, paths, crowds, scenarios and recordings; pictures, the
studio, image maps and meshes need an extra.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from footway.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator

EXTRAS: Final = {
    "matplotlib": ("pictures need Matplotlib", "plot"),
    "PIL": ("images need Pillow", "images"),
    "yaml": ("ROS maps need PyYAML", "images"),
    "trimesh": ("meshes need trimesh", "mesh"),
    "starlette": ("the studio needs Starlette", "studio"),
    "uvicorn": ("the studio needs Uvicorn", "studio"),
    "websockets": ("the studio needs websockets", "studio"),
    "distributed": ("studies on a cluster need Dask", "dask"),
}
"""By package: what needs it, and the extra that installs it."""


def explain_missing(error: ModuleNotFoundError) -> BadInput | None:
    """Return an error that names the extra to install; None if no extra has the module."""
    found = EXTRAS.get((error.name or "").partition(".")[0])
    return found and BadInput(f'{found[0]}: pip install "footway[{found[1]}]"')


@contextmanager
def optional_imports() -> Iterator[None]:
    """Raise BadInput with the command to run where a package of an extra is not installed.

    Example:
        >>> with optional_imports():
        ...     import matplotlib
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise explain_missing(error) or error from None
