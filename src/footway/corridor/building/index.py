"""Search structures of a building: those of `index` over all sheets, and a grid for each sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway.corridor.index import (
    NO_LAYERS,
    _cell_boundaries,
    _corner_sequence,
    make_graph,
    make_grid,
)
from footway.corridor.kernels.layouts import Grid, Index, Layers
from footway.medial.charts import doors_by_sheet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footway.environment.surface import Seam
    from footway.medial.charts import Chart
    from footway.medial.joining import Surface


def build_surface_index(surface: Surface, seams: Sequence[Seam]) -> Index:
    """Derive all structures from the axis of a surface."""
    layers = _stack([_grid(surface, chart) for chart in surface.charts], seams)
    axis, boundaries = surface.axis, _cell_boundaries(surface.axis)
    everything = sheet_grid(layers, 0)._replace(site=layers.site, ends=layers.ends)
    corners = _corner_sequence(axis, everything, boundaries, surface.sites.sheet)
    return Index(axis, sheet_grid(layers, 0), boundaries, make_graph(axis), corners)


def _grid(surface: Surface, chart: Chart) -> Grid:
    """Grid of the walls of a chart; those behind seams only as far as they belong to it."""
    walls, single = chart.walls, chart.points
    begin, step = walls.line[:, :2], walls.line[:, 2:] - walls.line[:, :2]
    first, last = begin + walls.span[:, :1] * step, begin + walls.span[:, 1:] * step
    first = np.where(walls.span[:, :1] == 0.0, begin, first)
    last = np.where(walls.span[:, 1:] == 1.0, walls.line[:, 2:], last)
    lines = np.concatenate([np.hstack([first, last]), surface.sites.sites[single]])
    ends = np.concatenate([walls.ends, np.column_stack([single, single])])
    return make_grid(np.ascontiguousarray(lines), np.concatenate([walls.site, single]), ends)


def _stack(grids: list[Grid], seams: Sequence[Seam]) -> Layers:
    """Put the grids of all sheets into arrays, with the portals of each."""
    doors = doors_by_sheet(seams, len(grids))
    sizes = np.array(
        [
            (len(grid.offsets), len(grid.candidates), len(grid.walls), len(own))
            for grid, own in zip(grids, doors, strict=True)
        ]
    )
    every = [door for own in doors for door in own]
    portals = [np.concatenate([door.a, door.b]) for door in every]
    return Layers(
        np.stack([grid.box for grid in grids]),
        np.stack([grid.shape for grid in grids]),
        np.concatenate([np.zeros((1, 4), np.int64), np.cumsum(sizes, axis=0)]),
        np.concatenate([grid.offsets for grid in grids]),
        np.concatenate([grid.candidates for grid in grids]),
        np.concatenate([grid.walls for grid in grids]),
        np.concatenate([grid.site for grid in grids]),
        np.concatenate([grid.ends for grid in grids]),
        np.array(portals).reshape(-1, 4),
        np.array([door.other for door in every], np.int64),
        NO_LAYERS.start,
        NO_LAYERS.goal,
    )


def sheet_grid(layers: Layers, layer: int) -> Grid:
    """Return the grid of one sheet."""
    (o0, c0, w0, _), (o1, c1, w1, _) = layers.first[layer : layer + 2].tolist()
    return Grid(
        layers.boxes[layer], layers.shapes[layer], layers.offsets[o0:o1],
        layers.candidates[c0:c1], layers.walls[w0:w1], layers.site[w0:w1], layers.ends[w0:w1],
        layers,
    )  # fmt: skip


def between(index: Index, start: int, goal: int) -> Index:
    """Return the index for a query from one sheet to another."""
    layers = index.grid.layers._replace(start=start, goal=goal)
    return index._replace(grid=index.grid._replace(layers=layers))
