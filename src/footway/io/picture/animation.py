"""A recording as an animation: the ground is drawn once, people are painted over it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib import font_manager
from matplotlib.colors import to_rgb
from PIL import Image, ImageDraw, ImageFont

from footway.errors import BadInput
from footway.io.picture import palette
from footway.io.picture.encoding import check_animation_file, encode
from footway.io.picture.painting import Painter
from footway.io.picture.people import (
    People,
    colours_of,
    default_colouring,
    draw_key,
    new_page,
    people_colours,
    trails_of,
)
from footway.io.target import whole_file

if TYPE_CHECKING:
    import os

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from footway.corridor import CorridorMap
    from footway.crowd.recording import Recording
    from footway.environment import Environment
    from footway.io.picture.people import Colouring, Lens, Page
    from footway.io.picture.sheet import Box

    Pixels = NDArray[np.uint8]

__all__ = ["animate", "check_animation_file"]

_TRAIL: Final = 10  # places in a trail
_MOMENTS: Final = 12  # frames that are looked at to find the busiest place
_GROUND_COLOURS: Final = 96
_APART: Final = 10  # of 255, between colours of the ground and those that must be exact


def animate(
    recording: Recording,
    cmap: CorridorMap,
    file: str | os.PathLike[str],
    *,
    seconds: float = 10.0,
    rate: float = 15.0,
    size: int = 900,
    trail: float = 1.0,
    colouring: Colouring | None = None,
    lens: Lens = "busiest",
    view: Box | None = None,
    environment: Environment | None = None,
) -> None:
    """Write an animation of a recording: GIF, WebP, or MP4 where there is ffmpeg.

    Args:
        recording: of a crowd.
        cmap: the map that they walked on.
        file: to write; its suffix says which kind. A GIF is made the fastest.
        seconds: that it lasts; a recording that is shorter is shown at its own pace.
        rate: most frames per second.
        size: pixels, its width.
        trail: s, how long people leave a trail where they are large enough for one.
        colouring: by "population" or by "heading"; by what there are several of, if left out.
        lens: what is shown larger: "busiest", "none", or (xmin, ymin, xmax, ymax).
        view: the part of the map that is shown, (xmin, ymin, xmax, ymax); all of it if left out.
        environment: the ground, where it is at hand; else it is found from the map's walls.

    Raises:
        BadInput: the suffix is unknown, or there are no frames.
        BadFile: the file cannot be written.

    """
    path = check_animation_file(file)
    if not recording.n_frames:
        raise BadInput("the recording has no frames; there is nothing to animate")
    lasts = min(seconds, recording.duration) if recording.duration > 0 else seconds
    count = max(1, min(recording.n_frames, round(lasts * rate)))
    frames = np.unique(np.linspace(0, recording.n_frames - 1, count).round().astype(np.int64))
    colouring = colouring or _colouring(recording)
    page = new_page(
        cmap,
        _moments(recording),
        environment=environment,
        lens=lens,
        view=view,
        details=_details(recording, lasts),
    )
    draw_key(page.sheet, colouring, recording.names)
    film = _Film(recording, page, colouring, trail=trail, size=size)
    with whole_file(path) as part:
        encode(
            (film.frame(k) for k in frames.tolist()),
            part,
            kind=path.suffix.lower(),
            pause=lasts / len(frames),
            colours=film.colours(),
        )


class _Film:
    """Paints every frame on a copy of the ground."""

    def __init__(
        self, recording: Recording, page: Page, colouring: Colouring, *, trail: float, size: int
    ) -> None:
        self._recording, self._colouring, self._trail = recording, colouring, trail
        self._ground = _rendered(page.sheet.figure, size)
        self._painters = [Painter(sheet, len(self._ground)) for sheet in page.sheets]
        low = 1.0 - 0.62 * page.sheet.axes.get_position().y0
        self._clock_at = 0.5 * self._ground.shape[1], low * self._ground.shape[0]
        self._font = ImageFont.truetype(font_manager.findfont("DejaVu Sans"), size * 0.0135)

    def frame(self, k: int) -> Image.Image:
        """Return the picture of frame k."""
        now = self._recording.frame(k)
        people = self._people(k)
        pixels = self._ground.copy()
        for painter in self._painters:
            pixels[painter.part] = self._ground[painter.part]  # the lens lies over the map
            painter.paint(pixels, people)
        picture = Image.fromarray(pixels)
        ImageDraw.Draw(picture).text(
            self._clock_at,
            f"after {now.time:,.1f} s",
            fill=palette.INK,
            font=self._font,
            anchor="mm",
        )
        return picture

    def colours(self) -> Pixels:
        """Return colours (n, 3), at most 256: of the ground, of people, and of their rims."""
        ground = Image.fromarray(self._ground).quantize(_GROUND_COLOURS)
        flat = np.array(ground.getpalette(), np.uint8).reshape(-1, 3)[:_GROUND_COLOURS]
        page, floor, block = (
            255.0 * np.array([to_rgb(colour)])
            for colour in (palette.PAGE, palette.GROUND, palette.OBSTACLE)
        )
        people = 255.0 * people_colours(self._colouring)
        rims = [floor + share * (people - floor) for share in (0.2, 0.4, 0.65)]
        exact = np.vstack([page, floor, block, people, *rims]).round().astype(np.uint8)
        # Pillow takes the nearest colour only nearly: white must have no neighbours.
        apart = np.abs(flat[:, None].astype(int) - exact[None].astype(int)).max(axis=2)
        return np.vstack([exact, flat[apart.min(axis=1) > _APART]])

    def _people(self, k: int) -> People:
        now, who = self._recording.frame(k), self._recording.characters
        row = np.searchsorted(who.ids, now.ids)
        ways = now.velocities.astype(np.float64)
        return People(
            now.positions,
            who.radius[row],
            colours_of(len(row), ways, who.population[row], self._colouring),
            ways,
            trails_of(self._recording, k, self._trail, most=_TRAIL),
        )


def _colouring(recording: Recording) -> Colouring:
    return default_colouring(np.empty((0, 2)), recording.characters.population)


def _moments(recording: Recording) -> NDArray[np.float64]:
    """Return where people are (n, 2) in some of the frames, from the first to the last."""
    frames = np.linspace(0, recording.n_frames - 1, _MOMENTS).astype(np.int64)
    return np.vstack([recording.frame(k).positions for k in frames.tolist()])


def _details(recording: Recording, lasts: float) -> str:
    words = f"{len(recording.characters.ids):,} characters"
    times = recording.duration / lasts if lasts > 0 else 1.0
    return words if times < 1.05 else f"{words}  ·  {times:.2g} times as fast"


def _rendered(figure: Figure, width: int) -> Pixels:
    """Return a figure as pixels (rows, columns, 3), both numbers even, as films want them."""
    figure.set_dpi(width / figure.get_figwidth())
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[:, :, :3]  # type: ignore[attr-defined]
    rows, columns = pixels.shape[0] // 2 * 2, pixels.shape[1] // 2 * 2
    return np.ascontiguousarray(pixels[:rows, :columns])
