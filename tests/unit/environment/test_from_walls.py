"""Environments from walls alone."""

import numpy as np
import shapely

from footway.environment.from_walls import environment_from_walls


def ring(x0, y0, x1, y1):
    corners = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], float)
    return np.hstack([corners, np.roll(corners, -1, axis=0)])


def test_walls_that_cross_each_other():
    """An obstacle that a designer puts over a wall: the environment is valid."""
    hall, post, added = shapely.box(0, 0, 10, 8), shapely.box(4, 3, 6, 5), shapely.box(5, 4, 8, 7)
    walls = np.concatenate([ring(*one.bounds) for one in (hall, post, added)])
    free = hall - post - added
    made = environment_from_walls(walls, lambda at: shapely.contains_xy(free, *at.T))
    assert made.walkable.is_valid
    assert made.walkable.equals(free)
