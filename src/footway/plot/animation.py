"""Animate a recording: draw the map once, and paint the characters over it as pixels."""

from __future__ import annotations

import math
import shutil
import subprocess
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from matplotlib import font_manager
from matplotlib.colors import to_rgb
from PIL import Image, ImageDraw, ImageFont

from footway.errors import BadInput
from footway.plot import palette
from footway.plot.arguments import checked, refuse_building
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
from footway.recording.trajectories import check_plane
from footway.validation import named
from footway.writing import whole_file

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from footway.arrays import Bools, Floats, Ints
    from footway.corridor import CorridorMap
    from footway.environment import Environment
    from footway.plot.canvas import Box, Canvas
    from footway.plot.people import Colouring, Lens
    from footway.recording.recording import Recording

    Pixels = NDArray[np.uint8]

_SECONDS: Final = 10.0  # default duration of an animation
_FASTEST: Final = 8.0  # greatest default speed, times real time
_MOST_FRAMES: Final = 600  # by default
_MOST_SPEED: Final = 10_000.0  # greatest allowed speed, times real time
_LIMIT: Final = 6000  # frames if the speed is given
_TRAIL: Final = 10  # points of a trail
_MOMENTS: Final = 12  # frames used to find the busiest place
_MAP_COLOURS: Final = 96
_APART: Final = 10  # of 255: least difference between colours of the map and exact colours
_SMALL: Final = 1.5  # pixels: up to this radius a character is a block of 2 x 2 pixels


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
        environment: source of terrain and areas; by default only the walls of the map are drawn.

    Raises:
        BadInput: the suffix is unknown, there are no frames, or far too many.
        BadFile: the file cannot be written.
    """
    path = check_animation_file(file)
    check_plane(recording)
    refuse_building(cmap)
    if not recording.n_frames:
        raise BadInput("the recording has no frames; there is nothing to animate")
    plan = _planned(recording, speed, rate)
    colouring = colouring or default_colouring(np.empty((0, 2)), recording.characters.population)
    some = plan.frames[np.linspace(0, len(plan.frames) - 1, _MOMENTS).astype(np.int64)]
    positions = np.vstack([recording.frame(k).positions for k in some.tolist()])
    count = len(recording.characters.ids)
    details = f"{count:,} character{'' if count == 1 else 's'}"
    if abs(plan.speed - 1.0) >= 0.05:
        details = f"{details}  ·  {plan.speed:.2g} times real time"
    canvases = new_page(
        cmap, positions, environment=environment, lens=lens, view=view, title=title, details=details
    )
    above = environment is not None and bool(environment.terrain)
    draw_key(canvases[0], colouring, recording.names, above=above)
    film = _Film(recording, canvases, colouring, trail=trail, size=size)
    pictures = (film.frame(k) for k in plan.frames.tolist())
    kind = path.suffix.lower()
    with whole_file(path) as part:
        encode(pictures, part, kind=kind, pause=plan.pause, colours=film.colours())


class Plan(NamedTuple):
    """Which frames of a recording an animation shows, and how fast."""

    frames: Ints  # (k,) numbers of frames
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
    """Paint frames on copies of the picture of the map."""

    def __init__(
        self,
        recording: Recording,
        canvases: list[Canvas],
        colouring: Colouring,
        *,
        trail: float,
        size: int,
    ) -> None:
        self._recording, self._colouring, self._trail = recording, colouring, trail
        figure: Any = canvases[0].figure
        figure.set_dpi(size / figure.get_figwidth())
        figure.canvas.draw()
        pixels = np.asarray(figure.canvas.buffer_rgba())[:, :, :3]
        rows, columns = (n // 2 * 2 for n in pixels.shape[:2])  # even, as H.264 requires
        self._map: Pixels = np.ascontiguousarray(pixels[:rows, :columns])
        self._painters = [Painter(canvas, rows) for canvas in canvases]
        low = 1.0 - 0.62 * canvases[0].axes.get_position().y0
        self._clock_at = 0.5 * columns, low * rows
        self._font = ImageFont.truetype(font_manager.findfont("DejaVu Sans"), size * 0.0135)

    def frame(self, k: int) -> Image.Image:
        """Return the picture of frame k."""
        now, characters = self._recording.frame(k), self._recording.characters
        row = np.searchsorted(characters.ids, now.ids)
        velocities = now.velocities.astype(np.float64)
        people = People(
            now.positions,
            characters.radius[row],
            colours_of(len(row), velocities, characters.population[row], self._colouring),
            velocities,
            trails_of(self._recording, k, self._trail, most=_TRAIL),
        )
        pixels = self._map.copy()
        for painter in self._painters:
            pixels[painter.part] = self._map[painter.part]  # the lens is drawn over the map
            painter.paint_obstacles(pixels, self._recording.obstacles_at(k))
            painter.paint(pixels, people)
        picture = Image.fromarray(pixels)
        words = f"after {now.time:,.1f} s  ·  {len(now.ids):,} there"
        ImageDraw.Draw(picture).text(
            self._clock_at, words, fill=palette.INK, font=self._font, anchor="mm"
        )
        return picture

    def colours(self) -> Pixels:
        """Return colours (n, 3), at most 256: of the map, of people, and of their rims."""
        colours = Image.fromarray(self._map).quantize(_MAP_COLOURS)
        flat = np.array(colours.getpalette(), np.uint8).reshape(-1, 3)[:_MAP_COLOURS]
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


@checked
def check_animation_file(file: str | os.PathLike[str]) -> Path:
    """Check the name of an animation, and return its path.

    Raises:
        BadInput: the suffix is not .gif, .webp or .mp4, or it is .mp4 and there is no ffmpeg.
    """
    path = named(file, "an animation", ".gif", ".webp", ".mp4")
    if path.suffix.lower() == ".mp4" and shutil.which("ffmpeg") is None:
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
        options |= {"lossless": True, "quality": 0, "method": 0, "kmax": 0}
        options["duration"] = round(1000 * pause)
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


class Painter:
    """Paint characters on the part of a picture that a canvas's map covers.

    Args:
        canvas: a map, on a figure with the resolution of the picture.
        height: pixels, of the whole picture.
    """

    def __init__(self, canvas: Canvas, height: int) -> None:
        box = canvas.axes.get_window_extent()
        x0, _, x1, y1 = canvas.view
        self._scale = box.width / (x1 - x0)  # pixels per metre
        self._corner = np.array([box.x0 - x0 * self._scale, height - box.y1 + y1 * self._scale])
        self._left, self._right = math.ceil(box.x0), math.floor(box.x1)
        self._top, self._bottom = math.ceil(height - box.y1), math.floor(height - box.y0)

    @property
    def part(self) -> tuple[slice, slice]:
        """Rows and columns of the picture that the map and its frame cover."""
        return slice(self._top - 2, self._bottom + 2), slice(self._left - 2, self._right + 2)

    def paint(self, pixels: Pixels, people: People) -> None:
        """Paint characters at their size, or at the smallest visible size."""
        at = self._places(people.positions)
        radius = self._scale * people.radii
        near = self._inside(*at.T, beyond=radius)
        if not near.any():
            return
        at, radius, colours = at[near], radius[near], 255.0 * people.colours[near]
        if radius.mean() < _SMALL:
            # 2 x 2 pixels per character: without soft rims a frame has a third of the size.
            corner = np.round(at).astype(np.int64)
            paint = colours.round().astype(np.uint8)
            for dx, dy in ((-1, -1), (-1, 0), (0, -1), (0, 0)):
                x, y = corner[:, 0] + dx, corner[:, 1] + dy
                inside = self._inside(x, y)
                pixels[y[inside], x[inside]] = paint[inside]
            return
        if people.trails is not None and len(people.trails):
            self._put_trails(pixels, people.trails[:, near], at, colours)
        white = np.full_like(colours, 255.0)
        self._put_discs(pixels, at, radius + 0.7, white, strength=0.8)
        self._put_discs(pixels, at, radius, colours)
        if people.velocities is not None:
            velocities = people.velocities[near] * (1.0, -1.0)
            ahead = velocities / np.maximum(np.hypot(*velocities.T), 0.1)[:, None]
            self._put_discs(pixels, at + 0.55 * radius[:, None] * ahead, 0.3 * radius, white)

    def paint_obstacles(self, pixels: Pixels, discs: Floats) -> None:
        """Paint dynamic obstacles, x, y, radius (m, 3) in m."""
        ink = 255.0 * np.array(to_rgb(palette.INK))
        for (x, y), radius in zip(
            self._places(discs[:, :2]), self._scale * discs[:, 2], strict=True
        ):
            reach = radius + 1.0
            columns = np.arange(
                max(self._left, int(x - reach)), min(self._right, int(x + reach) + 1)
            )
            rows = np.arange(max(self._top, int(y - reach)), min(self._bottom, int(y + reach) + 1))
            away = np.hypot(columns + 0.5 - x, rows[:, None] + 0.5 - y)
            share = OBSTACLE_STRENGTH * np.clip(radius + 0.5 - away, 0.0, 1.0)[:, :, None]
            here = np.ix_(rows, columns)
            old = pixels[here].astype(np.float64)
            pixels[here] = np.round(old + share * (ink - old)).astype(np.uint8)

    def _places(self, positions: Floats) -> Floats:
        """Return columns and rows (n, 2) of positions in metres."""
        return self._corner + positions * (self._scale, -self._scale)

    def _inside(
        self, x: NDArray[np.number], y: NDArray[np.number], *, beyond: Floats | float = 0.0
    ) -> Bools:
        inside: Bools = (
            (x >= self._left - beyond)
            & (x < self._right + beyond)
            & (y >= self._top - beyond)
            & (y < self._bottom + beyond)
        )
        return inside

    def _put_trails(self, pixels: Pixels, places: Floats, at: Floats, colours: Floats) -> None:
        """Paint lines from previous positions (k, n, 2) m to the current ones, fading backward."""
        trails = np.concatenate([self._places(places), at[None]])[::-1]  # the newest first
        along = np.diff(trails, axis=0)
        longest = float(np.nanmax(np.hypot(*np.moveaxis(along, -1, 0)), initial=0.0))
        share = np.linspace(0.0, 1.0, math.ceil(longest) + 1)[:, None, None, None]
        points = np.moveaxis(trails[:-1] + share * along, 0, 1)  # (k, points, n, 2)
        piece, _, owner = np.nonzero(~np.isnan(points[..., 0]))
        spots = points[~np.isnan(points[..., 0])]
        strength = 0.6 * (1.0 - np.arange(len(places)) / max(1, len(places)))[piece]
        self._put_dots(pixels, spots, colours[owner], strength)

    def _put_dots(self, pixels: Pixels, at: Floats, colours: Floats, strength: Floats) -> None:
        """Paint 2 x 2 pixels for each position; on each pixel the first one counts."""
        beside = np.array([(0, 0), (0, 1), (1, 0), (1, 1)])
        x, y = np.moveaxis(np.floor(at - 0.5).astype(np.int64)[:, None] + beside, -1, 0)
        inside = self._inside(x, y)
        who = np.nonzero(inside)[0]
        spots, first = np.unique(y[inside] * pixels.shape[1] + x[inside], return_index=True)
        rows, columns = np.divmod(spots, pixels.shape[1])
        old, chosen = pixels[rows, columns].astype(np.float64), who[first]
        new = old + strength[chosen, None] * (colours[chosen] - old)
        pixels[rows, columns] = np.round(new).astype(np.uint8)

    def _put_discs(
        self, pixels: Pixels, at: Floats, radius: Floats, colours: Floats, *, strength: float = 1.0
    ) -> None:
        """Paint discs; a pixel at a rim is blended by the share that is inside."""
        reach = math.ceil(float(radius.max(initial=0.0)))
        beside = np.arange(-reach, reach + 1)
        corner = np.floor(at).astype(np.int64)
        x, y = np.broadcast_arrays(
            corner[:, 0, None, None] + beside, corner[:, 1, None, None] + beside[:, None]
        )  # (n, rows, columns)
        away = np.hypot(x + 0.5 - at[:, 0, None, None], y + 0.5 - at[:, 1, None, None])
        share = strength * np.clip(radius[:, None, None] + 0.5 - away, 0.0, 1.0)
        hit = (share > 0.02) & self._inside(x, y)
        rows, columns = y[hit], x[hit]
        old = pixels[rows, columns].astype(np.float64)
        new = old + share[hit, None] * (colours[np.nonzero(hit)[0]] - old)
        pixels[rows, columns] = np.round(new).astype(np.uint8)
