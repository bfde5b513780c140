"""Animate a recording: draw the ground once, and paint the characters over it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from matplotlib import font_manager
from matplotlib.colors import to_rgb
from PIL import Image, ImageDraw, ImageFont

from footway.errors import BadInput
from footway.plot import palette
from footway.plot.arguments import checked
from footway.plot.encoding import check_animation_file, encode
from footway.plot.painting import Painter
from footway.plot.people import (
    OBSTACLE_STRENGTH,
    People,
    colours_of,
    default_colouring,
    draw_key,
    new_page,
    people_colours,
    trails_of,
)
from footway.writing import whole_file

if TYPE_CHECKING:
    import os

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from footway.corridor import CorridorMap
    from footway.environment import Environment
    from footway.plot.people import Colouring, Lens, Page
    from footway.plot.sheet import Box
    from footway.recording.recording import Recording

    Pixels = NDArray[np.uint8]

__all__ = ["animate", "check_animation_file"]

_SECONDS: Final = 10.0  # default duration of an animation
_FASTEST: Final = 8.0  # greatest default speed, times real time
_MOST_FRAMES: Final = 600  # by default
_MOST_SPEED: Final = 10_000.0  # greatest allowed speed, times real time
_LIMIT: Final = 6000  # frames if the speed is given
_TRAIL: Final = 10  # points of a trail
_MOMENTS: Final = 12  # frames used to find the busiest place
_GROUND_COLOURS: Final = 96
_APART: Final = 10  # of 255: least difference between colours of the ground and exact colours


@checked
def animate(
    cmap: CorridorMap,
    recording: Recording,
    file: str | os.PathLike[str],
    *,
    speed: float | None = None,
    rate: float = 15.0,
    size: int = 900,
    trail: float = 1.0,
    title: str = "",
    colouring: Colouring | None = None,
    lens: Lens = "busiest",
    view: Box | None = None,
    environment: Environment | None = None,
) -> None:
    """Write an animation of a recording: GIF, WebP, or MP4 if ffmpeg is installed.

    It ends a second after the last character has left.

    Args:
        cmap: the map of the recording.
        recording: of a crowd.
        file: output file; its suffix selects the format. GIF is the fastest.
        speed: times real time. By default the animation lasts ten seconds, at 1 to 8 times real
            time; a run of more than five minutes is faster, so that it has at most 600 frames.
        rate: greatest number of frames per second.
        size: width, pixels.
        trail: duration of trails, s; drawn if characters are large enough.
        title: heading; by default the name of the map.
        colouring: by "population" or "heading"; by default population if there are several.
        lens: magnified part: "busiest", "none", or (xmin, ymin, xmax, ymax).
        view: shown part of the map, (xmin, ymin, xmax, ymax); by default all.
        environment: source of the ground; by default it is derived from the map's walls.

    Raises:
        BadInput: the suffix is unknown, there are no frames, or far too many.
        BadFile: the file cannot be written.

    """
    path = check_animation_file(file)
    if not recording.n_frames:
        raise BadInput("the recording has no frames; there is nothing to animate")
    plan = _planned(recording, speed, rate)
    colouring = colouring or _colouring(recording)
    page = new_page(
        cmap,
        _moments(recording, plan),
        environment=environment,
        lens=lens,
        view=view,
        title=title,
        details=_details(recording, plan),
    )
    above = environment is not None and bool(environment.terrain)
    draw_key(page.sheet, colouring, recording.names, above=above)
    film = _Film(recording, page, colouring, trail=trail, size=size)
    with whole_file(path) as part:
        encode(
            (film.frame(k) for k in plan.frames.tolist()),
            part,
            kind=path.suffix.lower(),
            pause=plan.pause,
            colours=film.colours(),
        )


class Plan(NamedTuple):
    """Which frames of a recording an animation shows, and how fast."""

    frames: NDArray[np.int64]  # (k,) numbers of frames
    pause: float  # s per frame
    speed: float  # times real time


def _planned(recording: Recording, speed: float | None, rate: float) -> Plan:
    """Choose frames from the first to shortly after the last character has left."""
    times = recording.times
    there = np.flatnonzero(np.diff(recording.offsets))
    last = float(times[there[-1] if len(there) else -1])
    lasts = last - float(times[0])
    if speed is None:
        speed = max(1.0, min(_FASTEST, lasts / _SECONDS), lasts * rate / _MOST_FRAMES)
    elif not 0.0 < speed <= _MOST_SPEED:
        raise BadInput(f"the speed is {speed:g}; give 4 for four times real time")
    end = min(last + speed, float(times[-1]))
    count = max(1, round((end - float(times[0])) / speed * rate))
    if count > _LIMIT:
        raise BadInput(
            f"{lasts:,.0f} s at {speed:g} times real time are {count:,} frames; "
            f"give a speed of {math.ceil(lasts * rate / _LIMIT) + 1} or more"
        )
    wanted = np.linspace(times[0], end, min(count, recording.n_frames))
    frames = np.unique(np.searchsorted(times, wanted - 1e-9).clip(0, recording.n_frames - 1))
    pause = (end - float(times[0])) / speed / len(frames)
    return Plan(frames, pause or 1.0 / rate, speed)


class _Film:
    """Paint frames on copies of the ground."""

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
            pixels[painter.part] = self._ground[painter.part]  # the lens is drawn over the map
            painter.paint_obstacles(pixels, self._recording.obstacles_at(k))
            painter.paint(pixels, people)
        picture = Image.fromarray(pixels)
        ImageDraw.Draw(picture).text(
            self._clock_at,
            f"after {now.time:,.1f} s  ·  {len(now.ids):,} there",
            fill=palette.INK,
            font=self._font,
            anchor="mm",
        )
        return picture

    def colours(self) -> Pixels:
        """Return colours (n, 3), at most 256: of the ground, of people, and of their rims."""
        ground = Image.fromarray(self._ground).quantize(_GROUND_COLOURS)
        flat = np.array(ground.getpalette(), np.uint8).reshape(-1, 3)[:_GROUND_COLOURS]
        page, floor, block, disc = (
            255.0 * np.array([to_rgb(colour)])
            for colour in (palette.PAGE, palette.GROUND, palette.OBSTACLE, palette.INK)
        )
        disc = floor + OBSTACLE_STRENGTH * (disc - floor)
        people = 255.0 * people_colours(self._colouring)
        rims = [floor + share * (people - floor) for share in (0.2, 0.4, 0.65)]
        exact = np.vstack([page, floor, block, disc, people, *rims]).round().astype(np.uint8)
        # Pillow's nearest colour is approximate: white must have no neighbours.
        apart = np.abs(flat[:, None].astype(int) - exact[None].astype(int)).max(axis=2)
        return np.vstack([exact, flat[apart.min(axis=1) > _APART]])

    def _people(self, k: int) -> People:
        now, characters = self._recording.frame(k), self._recording.characters
        row = np.searchsorted(characters.ids, now.ids)
        velocities = now.velocities.astype(np.float64)
        return People(
            now.positions,
            characters.radius[row],
            colours_of(len(row), velocities, characters.population[row], self._colouring),
            velocities,
            trails_of(self._recording, k, self._trail, most=_TRAIL),
        )


def _colouring(recording: Recording) -> Colouring:
    return default_colouring(np.empty((0, 2)), recording.characters.population)


def _moments(recording: Recording, plan: Plan) -> NDArray[np.float64]:
    """Return the positions (n, 2) m of characters in evenly spaced frames."""
    frames = plan.frames[np.linspace(0, len(plan.frames) - 1, _MOMENTS).astype(np.int64)]
    return np.vstack([recording.frame(k).positions for k in frames.tolist()])


def _details(recording: Recording, plan: Plan) -> str:
    count = len(recording.characters.ids)
    words = f"{count:,} character{'' if count == 1 else 's'}"
    same = abs(plan.speed - 1.0) < 0.05
    return words if same else f"{words}  ·  {plan.speed:.2g} times real time"


def _rendered(figure: Figure, width: int) -> Pixels:
    """Return a figure as pixels (rows, columns, 3); both sizes are even, as H.264 requires."""
    figure.set_dpi(width / figure.get_figwidth())
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[:, :, :3]  # type: ignore[attr-defined]
    rows, columns = pixels.shape[0] // 2 * 2, pixels.shape[1] // 2 * 2
    return np.ascontiguousarray(pixels[:rows, :columns])
