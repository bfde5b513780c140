"""Write pictures, and check their file names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from footway.errors import BadInput
from footway.plot.arguments import checked
from footway.writing import whole_file

if TYPE_CHECKING:
    import os

    from matplotlib.figure import Figure

_KINDS: Final = (".png", ".svg", ".pdf")
_DPI: Final = 200


@checked
def check_picture_file(file: str | os.PathLike[str]) -> Path:
    """Check the name of a picture, and return its path.

    Raises:
        BadInput: the suffix is not .png, .svg or .pdf.

    """
    path = Path(file)
    if path.suffix.lower() not in _KINDS:
        named = f"'{path.suffix}'" if path.suffix else "none"
        raise BadInput(f"{path}: a picture's suffix must be .png, .svg or .pdf, not {named}")
    return path


@checked
def save_picture(figure: Figure, file: str | os.PathLike[str]) -> None:
    """Write a figure as PNG (200 dpi), SVG or PDF, depending on the suffix of the file.

    Raises:
        BadInput: the suffix is unknown.
        BadFile: the file cannot be written.

    """
    path = check_picture_file(file)
    with whole_file(path) as part:
        figure.savefig(part, dpi=_DPI, metadata=_timeless(path))


def _timeless(path: Path) -> dict[str, str | None]:
    """Return metadata without a date, so that the same map gives the same bytes."""
    kind = path.suffix.lower()
    if kind == ".png":
        return {"Software": "Footway"}
    return {"Date": None} if kind == ".svg" else {"CreationDate": None}
