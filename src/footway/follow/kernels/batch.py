"""Compute corridors and walks of a batch of queries without returning to Python."""

from __future__ import annotations

from footway._numba.jit import inner, kernel
from footway.corridor.kernels.backbone import extract_balls
from footway.corridor.kernels.search import FOUND, FULL
from footway.follow.kernels.corridor import BLOCK
from footway.follow.kernels.walk import ARRIVED, STOOD, stand_at, walk
from footway.follow.settings import Settings

NOWHERE, DONE, LATER = -1, 0, 1  # no corridor; done; memory or step limit exceeded


@inner
def _with_seed(s, seed):
    return Settings(
        s.radius, s.speed, s.step, s.turn_rate, s.shortcut, s.noise, s.wavelength, seed, s.lane,
        s.corner, s.repulsion,
    )  # fmt: skip


@kernel
def walk_many(
    ends, seeds, s, spacing, balls, places, shares, blocks, lengths, state, statuses, offsets,
    stood, points, velocities, directions, no_discs, index, ladder,
):  # fmt: skip
    """Compute walks of queries (n, 4); walk k has the samples offsets[k] to offsets[k + 1] - 1."""
    row = 0
    for k in range(len(ends)):
        offsets[k] = row
        found, n, _, _ = extract_balls(
            ends[k, 0], ends[k, 1], ends[k, 2], ends[k, 3], s.radius, spacing,
            balls, places, shares, index, ladder,
        )  # fmt: skip
        statuses[k] = LATER if found in (FOUND, FULL) else NOWHERE
        room = len(points) - row - 2
        if found != FOUND or room < 64:
            continue
        stand_at(balls[0, 0], balls[0, 1], 0.0, state)
        status, count = walk(
            state, room, _with_seed(s, seeds[k]), balls[:n], blocks[: (n + BLOCK - 1) // BLOCK],
            lengths, no_discs, (0.0, 0.0, 0.0), points[row:], velocities[row:], directions[row:],
        )  # fmt: skip
        if status == ARRIVED:
            statuses[k], stood[k] = DONE, state[STOOD] > 0.0
            row += count
    offsets[len(ends)] = row
