"""Paint characters as pixels: thousands in every frame of an animation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.colors import to_rgb

from footway.plot import palette
from footway.plot.people import OBSTACLE_STRENGTH

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.plot.people import People
    from footway.plot.sheet import Sheet

    Floats = NDArray[np.float64]
    Pixels = NDArray[np.uint8]

_SMALL: Final = 1.5  # pixels: up to this radius a character is a block of 2 x 2 pixels


class Painter:
    """Paint characters on the part of a picture that a sheet's map covers.

    Args:
        sheet: a map, on a figure with the resolution of the picture.
        height: pixels, of the whole picture.

    """

    def __init__(self, sheet: Sheet, height: int) -> None:
        box = sheet.axes.get_window_extent()
        x0, _, x1, y1 = sheet.view
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
            self._put_blocks(pixels, at, colours)
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
        places: Floats = self._corner + positions * (self._scale, -self._scale)
        return places

    def _inside(
        self, x: NDArray[np.number], y: NDArray[np.number], *, beyond: Floats | float = 0.0
    ) -> NDArray[np.bool_]:
        inside: NDArray[np.bool_] = (
            (x >= self._left - beyond)
            & (x < self._right + beyond)
            & (y >= self._top - beyond)
            & (y < self._bottom + beyond)
        )
        return inside

    def _put_blocks(self, pixels: Pixels, at: Floats, colours: Floats) -> None:
        """Paint 2 x 2 pixels per character: without soft rims a frame has a third of the size."""
        corner = np.round(at).astype(np.int64)
        paint = colours.round().astype(np.uint8)
        for dx, dy in ((-1, -1), (-1, 0), (0, -1), (0, 0)):
            x, y = corner[:, 0] + dx, corner[:, 1] + dy
            inside = self._inside(x, y)
            pixels[y[inside], x[inside]] = paint[inside]

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
        self,
        pixels: Pixels,
        at: Floats,
        radius: Floats,
        colours: Floats,
        *,
        strength: float = 1.0,
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
