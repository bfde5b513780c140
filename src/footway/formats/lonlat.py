"""Longitude and latitude: recognise them, and lay them flat in metres.

GeoJSON prescribes longitude and latitude, but plans in local metres are as common. The rule:

1. The file says so: a `crs` (or `meta.crs`) that names WGS 84 means longitude and latitude, one
   that names anything else, or the word metres, means metres.
2. It does not say: the coordinates are longitude and latitude when all are within +-180 and +-90,
   the whole map is narrower and lower than 1 unit, and some coordinate has more than three
   decimals. One degree is 111 km and holds any map to walk in, while one metre holds none; and
   degrees with three decimals are no better than 100 m, so a doll's house on a millimetre grid
   stays a doll's house.

A 10 x 10 m room is therefore never taken for degrees, nor is a building in UTM.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from footway._numba.portable_math import atan2, cos, hypot, sin
from footway.constants import GRID
from footway.environment import Repair
from footway.errors import BadGeometry

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SEMI_MAJOR: Final = 6_378_137.0
"""m, WGS 84."""

_ECCENTRICITY_2: Final = 0.006_694_379_990_14
"""Square of the first eccentricity, WGS 84."""

_DEGREES: Final = re.compile(r"CRS:?84|EPSG:+4326|WGS ?84$|longitude|lon.?lat", re.IGNORECASE)
_METRES: Final = re.compile(r"met(re|er)", re.IGNORECASE)


def is_lonlat(xy: NDArray[np.float64], document: dict[str, Any]) -> bool:
    """Return whether (n, 2) coordinates of a GeoJSON document are longitude and latitude.

    Raises:
        BadGeometry: the document says so, but they cannot be.

    """
    if not len(xy):
        return False
    in_range = bool((np.abs(xy) <= (180.0, 90.0)).all())
    extent = np.ptp(xy, axis=0)
    said = _said_crs(document)
    if said:
        if _METRES.search(said) or not _DEGREES.search(said):
            return False
        if in_range and extent.max() < 1.0:
            return True
        raise BadGeometry(
            f"crs says longitude and latitude, but the map spans {extent[0]:g} x {extent[1]:g} "
            "degrees; if these are metres, remove crs, else cut out less than one degree"
        )
    on_grid = np.abs(xy - np.rint(xy / GRID) * GRID).max() < 1e-9
    return in_range and bool(extent.max() < 1.0) and not on_grid


def _said_crs(document: dict[str, Any]) -> str:
    """Return the name of the coordinate system that a GeoJSON document claims, or nothing."""
    meta = document.get("meta")
    for claim in (document.get("crs"), meta.get("crs") if isinstance(meta, dict) else None):
        if isinstance(claim, str):
            return claim
        if isinstance(claim, dict):
            properties = claim.get("properties")
            name = properties.get("name") if isinstance(properties, dict) else None
            if isinstance(name, str):
                return name
    return ""


def project(lonlat: NDArray[np.float64]) -> tuple[NDArray[np.float64], Repair]:
    """Return (n, 2) metres east and north of the middle, and a note about it.

    Azimuthal equidistant about the middle of the box: distances and directions from the middle
    are true. Across 100 km other distances are off by less than 1 in 50,000.
    """
    middle = (lonlat.min(axis=0) + lonlat.max(axis=0)) / 2
    xyz = _geocentric(lonlat) - _geocentric(middle[None])
    lon, lat = np.radians(middle)
    east = np.array([-sin(lon), cos(lon), 0.0])
    north = np.array([-sin(lat) * cos(lon), -sin(lat) * sin(lon), cos(lat)])
    flat = np.stack([(xyz * east).sum(axis=1), (xyz * north).sum(axis=1)], axis=1)
    # Seen along the vertical an arc of angle c looks like sin c; stretch it to its length.
    sine = hypot(*flat.T) / _mean_radius(float(lat))
    sine = np.minimum(sine, 1.0)
    angle = atan2(sine, np.sqrt((1.0 - sine) * (1.0 + sine)))
    stretch = np.where(sine > 1e-9, angle / np.maximum(sine, 1e-9), 1)
    note = Repair(
        "projection",
        (0.0, 0.0),
        f"longitude and latitude laid flat, in metres about lon {middle[0]:.6f} "
        f"lat {middle[1]:.6f} (azimuthal equidistant)",
    )
    return flat * stretch[:, None], note


def _geocentric(lonlat: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (n, 3) metres from the Earth's centre, on the WGS 84 ellipsoid."""
    lon, lat = np.radians(lonlat.T)
    normal = _SEMI_MAJOR / np.sqrt(1 - _ECCENTRICITY_2 * np.square(sin(lat)))
    return np.stack(
        [
            normal * cos(lat) * cos(lon),
            normal * cos(lat) * sin(lon),
            normal * (1 - _ECCENTRICITY_2) * sin(lat),
        ],
        axis=1,
    )


def _mean_radius(lat: float) -> float:
    """Return the Gaussian radius of curvature, metres, at a latitude in radians."""
    sine = sin(lat)
    return _SEMI_MAJOR * math.sqrt(1 - _ECCENTRICITY_2) / (1 - _ECCENTRICITY_2 * sine * sine)
