"""Recognise longitude and latitude, and project them to metres.

GeoJSON prescribes longitude and latitude, but plans in local metres are as common. The rule:

1. If the file has a `crs` (or `meta.crs`): one that names WGS 84 means longitude and latitude; any
   other, or the word metres, means metres.
2. Otherwise coordinates are longitude and latitude if all are within +-180 and +-90, the map spans
   less than 1 unit in both directions, and some coordinate has more than three decimals. One
   degree is 111 km and covers any pedestrian map, one metre covers none; three decimals of a
   degree resolve only 100 m, so coordinates on a millimetre grid must be metres.

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
    from footway.arrays import Floats

_SEMI_MAJOR: Final = 6_378_137.0  # m, WGS 84
_ECCENTRICITY_2: Final = 0.006_694_379_990_14  # square of the first eccentricity, WGS 84

_DEGREES: Final = re.compile(r"CRS:?84|EPSG:+4326|WGS ?84$|longitude|lon.?lat", re.IGNORECASE)
_METRES: Final = re.compile(r"met(re|er)", re.IGNORECASE)


def is_lonlat(xy: Floats, document: dict[str, Any]) -> bool:
    """Return whether (n, 2) coordinates of a GeoJSON document are longitude and latitude.

    Raises:
        BadGeometry: the document declares them, but the coordinates are out of range.
    """
    if not len(xy):
        return False
    in_range = bool((np.abs(xy) <= (180.0, 90.0)).all())
    extent = np.ptp(xy, axis=0)
    declared = _declared_crs(document)
    if declared:
        if _METRES.search(declared) or not _DEGREES.search(declared):
            return False
        if in_range and extent.max() < 1.0:
            return True
        raise BadGeometry(
            f"crs declares longitude and latitude, but the map spans {extent[0]:g} x {extent[1]:g} "
            "degrees; if these are metres, remove crs, else cut out less than one degree"
        )
    on_grid = np.abs(xy - np.rint(xy / GRID) * GRID).max() < 1e-9
    return in_range and bool(extent.max() < 1.0) and not on_grid


def _declared_crs(document: dict[str, Any]) -> str:
    """Return the name of the coordinate system that a GeoJSON document declares, or ""."""
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


def project(lonlat: Floats) -> tuple[Floats, Repair]:
    """Return (n, 2) metres east and north of the centre, and a note about the projection.

    Azimuthal equidistant about the centre of the bounding box: distances and directions from
    the centre are exact; over 100 km, other distances are off by less than 1 in 50,000.
    """
    middle = (lonlat.min(axis=0) + lonlat.max(axis=0)) / 2
    xyz = _geocentric(lonlat) - _geocentric(middle[None])
    lon, lat = np.radians(middle)
    east = np.array([-sin(lon), cos(lon), 0.0])
    north = np.array([-sin(lat) * cos(lon), -sin(lat) * sin(lon), cos(lat)])
    flat = np.stack([(xyz * east).sum(axis=1), (xyz * north).sum(axis=1)], axis=1)
    # The orthographic projection shortens an arc of angle c to sin c; restore its length.
    # The radius is the Gaussian radius of curvature.
    up = sin(float(lat))
    radius = _SEMI_MAJOR * math.sqrt(1 - _ECCENTRICITY_2) / (1 - _ECCENTRICITY_2 * up * up)
    sine = np.minimum(hypot(*flat.T) / radius, 1.0)
    angle = atan2(sine, np.sqrt((1.0 - sine) * (1.0 + sine)))
    stretch = np.where(sine > 1e-9, angle / np.maximum(sine, 1e-9), 1)
    note = Repair(
        "projection",
        (0.0, 0.0),
        f"longitude and latitude projected to metres around lon {middle[0]:.6f} "
        f"lat {middle[1]:.6f} (azimuthal equidistant)",
    )
    return flat * stretch[:, None], note


def _geocentric(lonlat: Floats) -> Floats:
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
