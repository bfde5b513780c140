"""Wall guard: discs stay in free space, whatever the forces are.

Each character has a distance budget `room`: the gap to the nearest wall when it was last measured,
minus the distance walked since. While it is positive, no wall can be near and no query is needed.
It is measured in 64 bits at the stored position.
"""

from __future__ import annotations

import math

from footway._numba.jit import inner
from footway.corridor.kernels.wall_grid import line_clearance, nearest_wall

SKIN = 1e-4  # m between a wall and a character that slides along it
SURE = 1e-6  # m, greater than all rounding errors of `room` in 32 bits


@inner(inline=False)
def beside_wall(x, y, to_x, to_y, r, grid):
    """Return the end of a step that may hit a wall: (x, y, room, normal of that wall).

    The step is changed to slide along the wall; if that fails, the character stays.
    """
    length = math.sqrt((to_x - x) * (to_x - x) + (to_y - y) * (to_y - y))
    wall, distance, share = nearest_wall(to_x, to_y, grid)
    whole = length < 1.9 * r or line_clearance(x, y, to_x, to_y, r, grid)[0] >= r
    if distance >= r and whole:
        return to_x, to_y, distance - r - SURE, 0.0, 0.0
    if not whole or distance < 1e-9:
        return x, y, -SURE, 0.0, 0.0
    ox = grid.walls[wall, 0] + share * (grid.walls[wall, 2] - grid.walls[wall, 0])
    oy = grid.walls[wall, 1] + share * (grid.walls[wall, 3] - grid.walls[wall, 1])
    nx, ny = (to_x - ox) / distance, (to_y - oy) / distance
    if nx * (x - ox) + ny * (y - oy) < 0.0:  # the centre has crossed the wall
        return x, y, -SURE, 0.0, 0.0
    to_x, to_y = ox + nx * (r + SKIN), oy + ny * (r + SKIN)
    _, distance, _ = nearest_wall(to_x, to_y, grid)
    slid = math.sqrt((to_x - x) * (to_x - x) + (to_y - y) * (to_y - y))
    if distance < r or slid >= 1.9 * r:
        return x, y, -SURE, nx, ny
    return to_x, to_y, distance - r - SURE, nx, ny
