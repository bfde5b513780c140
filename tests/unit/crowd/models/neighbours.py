"""One character and its neighbours, as local models see them."""

import math

import numpy as np
from hypothesis import strategies as st

from footway.crowd.kernels import pairs as rows
from footway.crowd.kernels.layouts import Avoidance
from footway.crowd.kernels.pairs import Own
from footway.crowd.models import SCRATCH, number_of
from tests.oracle.local_models import Neighbour
from tests.unit.crowd._open_kernels import avoid_all, chosen_velocity

RADIUS = 0.25
DT = 0.1
SPEEDS = st.sampled_from([0.0, 0.4, 1.2, 2.0])
ANGLES = st.integers(0, 359).map(math.radians)
SEEDS = st.integers(0, 2**32 - 1)


def unit(angle):
    return np.array([math.cos(angle), math.sin(angle)])


def single(values):
    """Round to 32 bits, as the kernels read them."""
    return np.asarray(values, np.float32).astype(float)


def random_neighbours(seed, count, least=0.02, most=3.0):
    """Return neighbours at gaps of `least` to `most` m, rounded to 32 bits."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        radius = float(np.float32(rng.uniform(0.1, 0.5)))
        gap, bearing = rng.uniform(least, most), rng.uniform(0.0, 2.0 * math.pi)
        at = single((gap + radius + RADIUS) * unit(bearing))
        velocity = single(rng.uniform(0.0, 1.5) * unit(rng.uniform(0.0, 2.0 * math.pi)))
        found.append(Neighbour(at, velocity, radius + RADIUS))
    return found


def _arrays(own_velocity, others):
    me = np.array([[0.0, 0.0, *own_velocity, RADIUS]], np.float32)
    bodies = [[*o.at, *o.velocity, o.contact - RADIUS] for o in others]
    pairs = np.zeros((rows.PAIR_ROWS, rows.PAIRS), np.float32)
    near = np.arange(len(others), dtype=np.int64)
    return me, np.array(bodies, np.float32).reshape(-1, 5), near, pairs


def forces(model, own_velocity, others, dt=DT):
    """Return the force of each neighbour, (n, 2) m/s2."""
    me, bodies, near, pairs = _arrays(own_velocity, others)
    x = np.float32(1), np.float32(0)
    avoidance = Avoidance(
        number_of(model), model.to_array(dt), np.zeros((0, 2), np.float32), np.float32(0.4)
    )
    avoid_all(0, *x, avoidance, me, bodies, near, pairs)
    return pairs[[rows.FORCE_X, rows.FORCE_Y], : len(others)].T.astype(float)


def velocity(model, own, others, obstacles=()):
    """Return the velocity that a model chooses, (2,) m/s."""
    everybody = [*others, *obstacles]
    me, bodies, near, pairs = _arrays((own.vx, own.vy), everybody)
    avoidance = Avoidance(
        number_of(model), model.to_array(DT), np.zeros((0, 2), np.float32), np.float32(0.4)
    )
    scratch = np.full(SCRATCH, np.nan)
    return np.array(chosen_velocity(own, len(others), avoidance, me, bodies, near, pairs, scratch))


def own_of(heading=0.0, speed=1.2, velocity=(0.0, 0.0), greatest=1.4, dt=0.1):
    vx, vy = (float(np.float32(v)) for v in velocity)
    return Own(math.cos(heading), math.sin(heading), speed, vx, vy, greatest, RADIUS, dt, 0.5)


def mirrored(neighbour):
    """Return a neighbour on the other side of the x axis."""
    flip = np.array([1.0, -1.0])
    return neighbour._replace(at=neighbour.at * flip, velocity=neighbour.velocity * flip)
