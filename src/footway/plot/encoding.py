"""Write animations: GIF, WebP, and MP4 if ffmpeg is installed."""

from __future__ import annotations

import shutil
import subprocess
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from PIL import Image

from footway.errors import BadInput
from footway.plot.arguments import checked

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from numpy.typing import NDArray

_KINDS: Final = (".gif", ".webp", ".mp4")


@checked
def check_animation_file(file: str | os.PathLike[str]) -> Path:
    """Check the name of an animation, and return its path.

    Raises:
        BadInput: the suffix is not .gif, .webp or .mp4, or it is .mp4 and there is no ffmpeg.

    """
    path = Path(file)
    kind = path.suffix.lower()
    if kind not in _KINDS:
        named = f"'{path.suffix}'" if path.suffix else "none"
        raise BadInput(f"{path}: an animation's suffix must be .gif, .webp or .mp4, not {named}")
    if kind == ".mp4" and shutil.which("ffmpeg") is None:
        raise BadInput(f"{path}: .mp4 needs ffmpeg, which is not installed; give .gif or .webp")
    return path


def encode(
    pictures: Iterator[Image.Image],
    file: Path,
    *,
    kind: str,
    pause: float,
    colours: NDArray[np.uint8],
) -> None:
    """Write pictures of one size as an endless animation, `pause` seconds each.

    GIF and WebP get only the `colours` (n, 3), at most 256: few colours and hard edges make small
    files, smaller than photographic compression does.
    """
    if kind == ".mp4":
        _encode_film(pictures, file, 1.0 / pause)
        return
    few = Image.new("P", (1, 1))
    few.putpalette(colours.tobytes())
    plain = (one.quantize(palette=few, dither=Image.Dither.NONE) for one in pictures)
    options: dict[str, Any] = {"save_all": True, "loop": 0}
    options["duration"] = max(20, round(100.0 * pause) * 10)  # GIF counts in 10 ms
    if kind == ".webp":
        options |= {
            "lossless": True,
            "quality": 0,
            "method": 0,
            "kmax": 0,
            "duration": round(1000 * pause),
        }
    first = next(plain)
    first.save(file, format=kind[1:].upper(), append_images=plain, **options)


def _encode_film(pictures: Iterator[Image.Image], file: Path, rate: float) -> None:
    """Encode as H.264 by ffmpeg, in a profile that every browser plays."""
    first = next(pictures)
    width, height = first.size
    command = (
        f"ffmpeg -y -loglevel error -f rawvideo -pix_fmt rgb24 -s {width}x{height} -r {rate:.6f} "
        "-i - -c:v libx264 -pix_fmt yuv420p -crf 20 -movflags +faststart -f mp4"
    )
    with subprocess.Popen(  # noqa: S603 - a fixed command, and a file of the caller's
        [*command.split(), str(file)], stdin=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        for picture in chain([first], pictures):
            process.stdin.write(np.asarray(picture).tobytes())
        _, words = process.communicate()
    if process.returncode:
        reason = words.decode(errors="replace").strip().splitlines()
        raise OSError(f"ffmpeg: {reason[-1] if reason else 'no reason given'}")
