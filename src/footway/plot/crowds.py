"""Draw crowds: the characters at one time, and the mean density."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely
from matplotlib.patches import PathPatch
from scipy.ndimage import gaussian_filter

from footway.errors import BadQuery
from footway.plot import palette
from footway.plot.arguments import checked, refuse_building
from footway.plot.canvas import add_colour_key
from footway.plot.layers import outline
from footway.plot.people import (
    People,
    colours_of,
    default_colouring,
    draw_key,
    draw_obstacles,
    draw_people,
    new_page,
    trails_of,
)
from footway.plot.shapes import free_space_of
from footway.recording.trajectories import check_plane

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from footway.arrays import Floats
    from footway.corridor import CorridorMap
    from footway.environment import Environment
    from footway.plot.canvas import Box
    from footway.plot.people import Colouring, Lens
    from footway.recording.recording import Recording


@checked
def draw_crowd(
    cmap: CorridorMap,
    positions: ArrayLike,
    *,
    velocities: ArrayLike | None = None,
    radii: ArrayLike = 0.25,
    populations: ArrayLike | None = None,
    names: Sequence[str] = (),
    trails: ArrayLike | None = None,
    colouring: Colouring | None = None,
    lens: Lens = "busiest",
    view: Box | None = None,
    environment: Environment | None = None,
    obstacles: ArrayLike | None = None,
    title: str = "",
    details: str = "",
) -> Figure:
    """Return a picture of a crowd at one time, with a lens on the busiest place.

    Args:
        cmap: the map of the crowd.
        positions: (n, 2) m.
        velocities: (n, 2) m/s, to draw headings.
        radii: (n,) m, or one for all. Characters that would be too small to see are enlarged.
        populations: (n,) index of each character's population.
        names: of populations, for the key.
        trails: (k, n, 2) m, previous positions, oldest first; NaN if not present.
        colouring: by "population" or "heading"; by default population if there are several.
        lens: magnified part: "busiest", "none", or (xmin, ymin, xmax, ymax). A small map has
            none.
        view: shown part of the map, (xmin, ymin, xmax, ymax); by default all.
        environment: source of terrain and areas; by default only the walls of the map are drawn.
        obstacles: (m, 3) x, y, radius of dynamic obstacles, m.
        title: heading; by default the name of the map.
        details: further text of the heading.
    """
    refuse_building(cmap)
    at = np.asarray(positions, float).reshape(-1, 2)
    velocity = None if velocities is None else np.asarray(velocities, float)
    kinds = None if populations is None else np.asarray(populations, np.int64)
    sizes = np.asarray(radii, float)
    past = None if trails is None else np.asarray(trails, float)
    n = len(at)
    for name, array, shapes in (
        ("velocities", velocity, ((n, 2),)),
        ("populations", kinds, ((n,),)),
        ("radii", sizes, ((), (n,))),
        ("trails", past, ((0 if past is None else len(past), n, 2),)),
    ):
        if array is not None and array.shape not in shapes:
            raise BadQuery(
                f"{name} have the shape {array.shape}, and there are {n} positions: give "
                f"{shapes[-1]}"
            )
    colouring = colouring or default_colouring(velocity, kinds)
    people = People(
        at,
        np.broadcast_to(sizes, len(at)),
        colours_of(len(at), velocity, kinds, colouring),
        velocity,
        past,
    )
    count = f"{len(at):,} character{'' if len(at) == 1 else 's'}"
    words = "  ·  ".join(part for part in (count, details) if part)
    canvases = new_page(
        cmap, at, environment=environment, lens=lens, view=view, title=title, details=words
    )
    discs = np.asarray(() if obstacles is None else obstacles, float).reshape(-1, 3)
    for canvas in canvases:
        draw_obstacles(canvas, discs)
        draw_people(canvas, people)
    above = environment is not None and bool(environment.terrain)
    draw_key(canvases[0], colouring, names, above=above)
    return canvases[0].figure


@checked
def draw_moment(
    cmap: CorridorMap,
    recording: Recording,
    frame: int = -1,
    *,
    trail: float = 2.0,
    colouring: Colouring | None = None,
    lens: Lens = "busiest",
    view: Box | None = None,
    title: str = "",
    environment: Environment | None = None,
) -> Figure:
    """Return a picture of one frame of a recording, with trails of the last `trail` seconds.

    The other arguments are those of `draw_crowd`.
    """
    check_plane(recording)
    now = recording.frame(frame)
    who = np.searchsorted(recording.characters.ids, now.ids)
    return draw_crowd(
        cmap, now.positions, velocities=now.velocities, radii=recording.characters.radius[who],
        populations=recording.characters.population[who], names=recording.names,
        trails=trails_of(recording, frame % recording.n_frames, trail), colouring=colouring,
        lens=lens, view=view, title=title, environment=environment,
        obstacles=recording.obstacles_at(frame), details=f"after {now.time:,.1f} s",
    )  # fmt: skip


@checked
def representative_frame(recording: Recording) -> int:
    """Return the last frame, or an earlier one if most characters have left by then."""
    there = np.diff(recording.offsets)
    busy = np.flatnonzero(2 * there >= there.max(initial=0)).tolist()
    last = recording.n_frames - 1
    return last if not busy or busy[-1] == last else busy[len(busy) // 2]


@checked
def draw_density(
    cmap: CorridorMap,
    recording: Recording,
    *,
    cell: float | None = None,
    top: float | None = None,
    environment: Environment | None = None,
) -> Figure:
    """Return a picture of the mean density over a recording, persons per m2.

    Args:
        cmap: the map of the recording.
        recording: of a crowd.
        cell: cell size of the grid, m; by default a 400th of the map, at least 0.5 m.
        top: persons per m2 of the last colour; by default exceeded in 1 of 500 cells.
        environment: source of terrain and areas; by default only the walls of the map are drawn.
    """
    check_plane(recording)
    refuse_building(cmap)
    count, seconds = len(recording.characters.ids), recording.duration
    details = f"{count:,} characters  ·  mean over {seconds:,.1f} s"
    (canvas,) = new_page(
        cmap, np.empty((0, 2)), environment=environment, kinds=False, details=details
    )
    x0, y0, x1, y1 = cmap.bounds
    side = cell or max(0.5, max(x1 - x0, y1 - y0) / 400.0)
    density = mean_density(cmap, recording, side)
    some = density[density > 0]
    full = top or (float(np.quantile(some, 0.998)) if len(some) else 1.0)
    free_space = free_space_of(environment if environment is not None else cmap)
    image = canvas.axes.imshow(
        density.T, extent=(x0, x0 + density.shape[0] * side, y0, y0 + density.shape[1] * side),
        origin="lower", cmap=palette.density_colours(), vmin=0.0, vmax=full,
        interpolation="bilinear", zorder=1.15, aspect="auto",
    )  # fmt: skip
    canvas.axes.set(xlim=(canvas.view[0], canvas.view[2]), ylim=(canvas.view[1], canvas.view[3]))
    clip = PathPatch(
        outline(shapely.get_parts(free_space.walkable)), transform=canvas.axes.transData
    )
    image.set_clip_path(clip)
    above = bool(density.max(initial=0.0) > full)
    add_colour_key(canvas, image, label="persons per m²", above=above)
    return canvas.figure


def mean_density(cmap: CorridorMap, recording: Recording, cell: float) -> Floats:
    """Return the mean density on a grid (nx, ny) over the map, persons per m2 of free space.

    It is smoothed over about two cells; only free space counts.
    """
    x0, y0, x1, y1 = cmap.bounds
    shape = [int(np.ceil((x1 - x0) / cell)), int(np.ceil((y1 - y0) / cell))]
    x, y = (low + (np.arange(n) + 0.5) * cell for low, n in zip((x0, y0), shape, strict=True))
    centres = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    free = (cmap.clearance(centres) > 0).reshape(shape).astype(float)
    counts = np.zeros(shape)
    for k in range(recording.n_frames):
        i, j = ((recording.frame(k).positions - (x0, y0)) / cell).astype(np.int64).T
        np.add.at(counts, (i.clip(0, shape[0] - 1), j.clip(0, shape[1] - 1)), 1.0)
    share = gaussian_filter(free, 1.0, mode="constant")
    smooth = gaussian_filter(counts, 1.0, mode="constant") / np.maximum(share, 0.2)
    density: Floats = smooth / (max(1, recording.n_frames) * cell * cell)
    return density
