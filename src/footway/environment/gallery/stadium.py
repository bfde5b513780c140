"""A stadium: a ground floor and an upper ring around a pitch, joined by ramps."""

from __future__ import annotations

import shapely
from shapely import affinity

from footway.environment.building import Building, Floor
from footway.environment.environment import Area, Environment
from footway.environment.links import Ramp, Stairs

_HEIGHT = 5.0  # m, of the upper ring


def stadium() -> Building:
    """Return the stadium: 160 x 120 m, four ramps outside and four stairs inside the ring."""
    pitch = shapely.box(-52, -34, 52, 34)
    corner = shapely.box(34, 50.5, 84, 54.5)  # a ramp of 50 m, ten per cent
    ramps = [affinity.scale(corner, sx, sy, origin=(0, 0)) for sx in (1, -1) for sy in (1, -1)]
    stair = shapely.box(-2, 38, 2, 46)
    stairs = [stair, affinity.scale(stair, 1, -1, origin=(0, 0))]
    ground = Environment.from_polygons(
        bounds=(-100, -80, 100, 80), obstacles=[pitch, *ramps, *stairs, *_kiosks()],
        areas=[Area("gate", shapely.box(-100, -10, -98, 10))],
    )  # fmt: skip
    upper = Environment.from_polygons(
        bounds=(-84, -60, 84, 60), obstacles=[shapely.box(-60, -42, 60, 42), *_upper_holes(ramps)]
    )
    links: list[Ramp | Stairs] = []
    for sx in (1, -1):
        for sy in (1, -1):
            name = f"{'east' if sx > 0 else 'west'}-{'north' if sy > 0 else 'south'}"
            low = [(84 * sx, 50.5 * sy), (84 * sx, 54.5 * sy)]
            high = [(34 * sx, 50.5 * sy), (34 * sx, 54.5 * sy)]
            links.append(
                Ramp(name, ("ground", *low), ("upper", *high), speed_up=1.05, speed_down=1.2)
            )
    for sy, name in ((1, "north"), (-1, "south")):
        links.append(
            Stairs(
                name,
                ("ground", (-2, 38 * sy), (2, 38 * sy)),
                ("upper", (-2, 46 * sy), (2, 46 * sy)),
            )
        )
    floors = [Floor("ground", ground, 0.0), Floor("upper", upper, _HEIGHT)]
    return Building(floors, links, name="gallery:stadium")


def _upper_holes(ramps: list[shapely.Polygon]) -> list[shapely.Polygon]:
    """Openings of the upper ring over the ramps and stairs."""
    return [*ramps, shapely.box(-2, 42, 2, 46), shapely.box(-2, -46, 2, -42)]


def _kiosks() -> list[shapely.Polygon]:
    return [shapely.box(x - 3, y - 3, x + 3, y + 3) for x in (-92, 92) for y in (-40, 0, 40)]
