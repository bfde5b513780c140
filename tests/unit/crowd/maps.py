"""Small maps for tests of crowds, each built once."""

from functools import cache

import shapely

import footway as fw
from footway.environment import Environment

SHAPES = {
    "room": shapely.box(0, 0, 20, 15),
    "square": shapely.box(0, 0, 12, 12),  # nothing but short dead ends
    "cells": shapely.box(0, 3.5, 9, 4.5)
    | shapely.MultiPolygon([shapely.box(3 * k + 0.1, 0, 3 * k + 2.9, 3) for k in range(3)])
    | shapely.MultiPolygon([shapely.box(3 * k + 1, 2, 3 * k + 2, 4) for k in range(3)]),
    "hall": shapely.box(0, 0, 30, 20) - shapely.box(10, 5, 20, 15),  # around a block
    "plain": shapely.box(0, 0, 100, 24),
    "corridor": shapely.box(0, 0, 60, 4),
    "bend": shapely.box(0, 0, 30, 30)
    - shapely.box(0, 4, 26, 26),  # one corridor around two corners
    "rooms": shapely.box(0, 0, 21, 10) - shapely.box(10, 0, 11, 10),  # no passage between them
    "door": shapely.box(0, 0, 21, 10)
    - shapely.box(10, 0, 11, 4.6)
    - shapely.box(10, 5.4, 11, 10),  # 0.8 m wide
    "branch": (shapely.box(0, 0, 30, 20) - shapely.box(4, 4, 26, 16))
    | shapely.box(28, 8, 60, 12),  # a ring and a long dead end
}
"""Free space, m."""


@cache
def env(name):
    return Environment.from_polygons(SHAPES[name], name=name)


@cache
def cmap(name):
    if name in SHAPES:
        return fw.CorridorMap.build(env(name))
    return fw.CorridorMap.build(fw.load(f"gallery:{name}"))


def crowd(name, **options):
    """Return an empty crowd."""
    return fw.Crowd(cmap(name), **options)


def box(x0, y0, x1, y1):
    """Return a ring."""
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
