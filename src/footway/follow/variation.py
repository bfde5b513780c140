"""Varied walks in one corridor, and a measure of their diversity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footway.follow.cmm import cmm
from footway.validation import MOST_SEED, whole
from footway.validation import seed as checked_seed

if TYPE_CHECKING:
    from footway.arrays import Floats
    from footway.corridor import Corridor
    from footway.follow.walk import Walk


MOST_WALKS = 100_000  # per call
_BAND = (5.0, 95.0)  # percentiles of the band that contains the middle 90 % of the walks
_LEAST = 0.05  # m, usable width below which a station is ignored


class Variations(NamedTuple):
    """Walks in one corridor, and how much of its width they use."""

    walks: list[Walk]
    diversity: float
    """Mean width, along the backbone, of the band that contains the middle 90 % of the walks,
    relative to the usable width 2 (R - r): 0 for identical walks, 0.9 for evenly spread ones."""


def variations(
    corridor: Corridor, count: int, *, noise: float = 0.5, seed: int = 0, **options: Any
) -> Variations:
    """Return `count` walks with coherent noise, each with its own seed.

    See cmm-crowds-2008, section 3, figure 3a.

    Args:
        corridor: the corridor of all walks.
        count: number of walks, 1 to 100,000.
        noise: weight of the noise.
        seed: of the first walk; walk k uses seed + k.
        options: other keyword arguments of `cmm`.

    Example:
        >>> import footway as fw
        >>> cmap = fw.CorridorMap.build(fw.load("gallery:field"))
        >>> bundle = fw.follow.variations(cmap.corridor((2, 2), (17, 11), radius=0.25), 20)
        >>> 0.0 < bundle.diversity < 1.0
        True
    """
    whole(count, "count", low=1, high=MOST_WALKS)
    first = checked_seed(seed, high=MOST_SEED - count)
    walks = [cmm(corridor, noise=noise, seed=first + k, **options) for k in range(count)]
    return Variations(walks, diversity(corridor, walks))


def diversity(corridor: Corridor, walks: list[Walk]) -> float:
    """Return the share of the corridor's usable width that walks use: see `Variations`."""
    stations, sideways, widths = _stations(corridor, walks[0].radius)
    if len(stations) == 0:
        return 0.0
    offsets = np.array([_offsets(walk.points, stations, sideways) for walk in walks])
    low, high = np.percentile(offsets, _BAND, axis=0)
    return float(np.mean(np.minimum(1.0, (high - low) / widths)))


def _stations(corridor: Corridor, radius: float) -> tuple[Floats, Floats, Floats]:
    """Return wide enough points of the backbone, horizontal normals there, and usable widths."""
    backbone, widths = corridor.backbone, 2.0 * (corridor.radii - radius)
    along = np.gradient(backbone, axis=0)
    sideways = np.zeros_like(backbone)
    sideways[:, 0], sideways[:, 1] = -along[:, 1], along[:, 0]
    size = np.linalg.norm(sideways, axis=1)
    wide = (widths > _LEAST) & (size > 0.0)
    return backbone[wide], sideways[wide] / size[wide, None], widths[wide]


def _offsets(points: Floats, stations: Floats, sideways: Floats) -> Floats:
    """Return the signed distance of the nearest sample to each station, (n,) m."""
    from scipy.spatial import cKDTree

    nearest = points[cKDTree(points).query(stations)[1]]
    offsets: Floats = ((nearest - stations) * sideways).sum(axis=1)
    return offsets
