"""Are walls noded, on the grid, with free space on the right side? Every pair, one by one."""

import numpy as np
import shapely

from footway.environment import Environment


def assert_noded(env: Environment) -> None:
    """Check everything that `Walls` promises, by brute force, on whole grid steps."""
    walls = env.walls
    steps = np.rint(walls.segments / env.grid)
    assert np.abs(steps * env.grid - walls.segments).max() < 1e-9, "a wall is off the grid"
    lines = shapely.linestrings(steps.reshape(-1, 2, 2))
    assert (shapely.length(lines) > 0).all(), "a wall of length zero"
    _assert_endpoints_only(lines)
    _assert_sides(env, steps)
    spots = shapely.points(np.rint(walls.points / env.grid))
    assert (shapely.distance(spots[:, None], lines[None, :]) > 0).all(), "a point on a wall"


def _assert_endpoints_only(lines: np.ndarray) -> None:
    i, j = np.triu_indices(len(lines), 1)
    meet = shapely.intersects(lines[i], lines[j])
    i, j = i[meet], j[meet]
    # DE-9IM: no interior point of either lies on the other; only ends may coincide.
    good = shapely.relate_pattern(lines[i], lines[j], "FF*F*****")
    assert good.all(), f"{lines[i[~good][0]]} meets {lines[j[~good][0]]} between its ends"


def _assert_sides(env: Environment, steps: np.ndarray) -> None:
    space = shapely.transform(env.walkable, lambda xy: np.rint(xy / env.grid))
    assert space.is_valid, shapely.is_valid_reason(space)
    assert env.walkable.is_valid, shapely.is_valid_reason(env.walkable)
    middle = (steps[:, :2] + steps[:, 2:]) / 2
    along = steps[:, 2:] - steps[:, :2]
    left = np.stack([-along[:, 1], along[:, 0]], axis=1) / np.hypot(*along.T)[:, None]
    shapely.prepare(space)
    free_left = shapely.contains(space, shapely.points(middle + 1e-4 * left))
    free_right = shapely.contains(space, shapely.points(middle - 1e-4 * left))
    assert free_left.all(), "no free space on the left of a wall"
    assert (free_right == env.walls.two_sided).all(), "free space on the wrong side of a wall"
