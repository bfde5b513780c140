"""A station: street, concourse, two platforms, with stairs and escalators."""

from __future__ import annotations

import shapely

from footway.environment.building import Building, Floor
from footway.environment.environment import Area, Environment
from footway.environment.links import Escalator, Lift, Stairs


def station() -> Building:
    """Return the station: a street over a concourse over two platforms of 120 x 8 m."""
    street = Environment.from_polygons(
        bounds=(0, 0, 60, 30),
        obstacles=[shapely.box(25, 10, 35, 22), shapely.box(40, 12, 42.2, 14.4)],
        areas=[Area("street", shapely.box(0, 0, 60, 2))],
    )  # fmt: skip
    concourse = Environment.from_polygons(
        bounds=(-30, 0, 90, 44),
        obstacles=[
            shapely.box(25, 10, 35, 22), shapely.box(40, 12, 42.2, 14.4),
            shapely.box(0, 32, 14, 38), shapely.box(46, 32, 60, 38),
            shapely.box(0, 3, 14, 7), shapely.box(46, 3, 60, 7),
        ],
    )  # fmt: skip
    platforms = {
        "platform 1": Environment.from_polygons(
            bounds=(-30, 30, 90, 40),
            obstacles=[shapely.box(0, 32, 14, 38), shapely.box(46, 32, 60, 38)],
            areas=[Area("train 1", shapely.box(-30, 39.2, 90, 40))],
        ),
        "platform 2": Environment.from_polygons(
            bounds=(-30, 0, 90, 10),
            obstacles=[shapely.box(0, 3, 14, 7), shapely.box(46, 3, 60, 7)],
            areas=[Area("train 2", shapely.box(-30, 0, 90, 0.8))],
        ),
    }  # fmt: skip
    floors = [
        Floor("street", street, 0.0),
        Floor("concourse", concourse, -5.0),
        *(Floor(name, plan, -10.0) for name, plan in platforms.items()),
    ]
    links: list[Stairs | Escalator | Lift] = [
        Stairs("entrance", ("concourse", (28, 10), (32, 10)), ("street", (28, 22), (32, 22))),
        Escalator(
            "entrance up", ("concourse", (25, 10), (26.2, 10)), ("street", (25, 22), (26.2, 22))
        ),
        Escalator(
            "entrance down", ("concourse", (33.8, 10), (35, 10)), ("street", (33.8, 22), (35, 22)),
            direction="down",
        ),
        Lift(
            "lift", shapely.box(40, 12, 42.2, 14.4),
            [("street", (40.5, 12), (41.7, 12)), ("concourse", (40.5, 12), (41.7, 12))],
        ),
    ]  # fmt: skip
    for n, (name, y, width) in enumerate((("platform 1", 32, 6), ("platform 2", 3, 4)), start=1):
        for side, low, high in (("west", 0, 14), ("east", 60, 46)):
            links.append(
                Stairs(
                    f"{side} {n}",
                    (name, (low, y), (low, y + width - 1.6)),
                    ("concourse", (high, y), (high, y + width - 1.6)),
                )
            )
            links.append(
                Escalator(
                    f"{side} {n} up",
                    (name, (low, y + width - 1.2), (low, y + width)),
                    ("concourse", (high, y + width - 1.2), (high, y + width)),
                )
            )
    return Building(floors, links, name="gallery:station")
