"""The power law against the gradient of its energy, and what is limited."""

import math

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from footway.crowd.models import PowerLaw
from tests.effort import examples
from tests.oracle.local_models import Neighbour, power_law_force, time_to_collision
from tests.unit.crowd.models.neighbours import (
    ANGLES,
    RADIUS,
    SEEDS,
    SPEEDS,
    forces,
    mirrored,
    random_neighbours,
    single,
    unit,
)

MODEL = PowerLaw()


@examples(300)
@given(SEEDS, SPEEDS, ANGLES, st.sampled_from([0.5, 1.5]), st.sampled_from([1.0, 3.0]))
def test_is_the_gradient_of_the_energy(seed, speed, heading, k, tau0):
    (other,) = random_neighbours(seed, 1, least=0.1)
    own = single(speed * unit(heading))
    x, v = -other.at, own - other.velocity
    grazing = (x @ v) ** 2 - (v @ v) * (x @ x - other.contact**2)
    assume(abs(grazing) > 1e-2)  # on the rim the gradient has no bound
    (force,) = forces(PowerLaw(k=k, tau0=tau0), own, [other], dt=1e-4)
    expected = power_law_force(own, other, k, tau0)
    size = math.hypot(*expected)
    if size > MODEL.strongest:
        expected *= MODEL.strongest / size
    assert np.abs(force - expected).max() <= 1e-3 + 0.02 * size


@examples(100)
@given(SEEDS, SPEEDS, ANGLES)
def test_acts_only_before_a_collision(seed, speed, heading):
    (other,) = random_neighbours(seed, 1)
    own = single(speed * unit(heading))
    x, v = -other.at, own - other.velocity
    grazing = (x @ v) ** 2 - (v @ v) * (x @ x - other.contact**2)
    assume(abs(grazing) > 1e-4)
    (force,) = forces(MODEL, own, [other])
    assert force.any() == math.isfinite(time_to_collision(x, v, other.contact))


@examples(200)
@given(SEEDS, SPEEDS, ANGLES, st.sampled_from([0.02, 0.1, 0.5]))
def test_two_end_their_approach_in_a_step_at_most(seed, speed, heading, dt):
    """An explicit step does not throw them back, however stiff the force is."""
    (other,) = random_neighbours(seed, 1, least=0.01, most=0.3)
    own = single(speed * unit(heading))
    x, v = -other.at, own - other.velocity
    tau = time_to_collision(x, v, other.contact)
    assume(math.isfinite(tau))
    (force,) = forces(PowerLaw(k=100.0, strongest=1000.0), own, [other], dt=dt)
    normal = (x + tau * v) / other.contact
    after = float((v + 2.0 * dt * force) @ normal)
    assert after <= 1e-2 + 1e-2 * math.hypot(*v)


@examples(200)
@given(SEEDS, SPEEDS, ANGLES, st.integers(-60, 5).map(lambda n: n / 100))
def test_is_bounded_even_if_discs_overlap(seed, speed, heading, gap):
    (other,) = random_neighbours(seed, 1)
    at = other.at / math.hypot(*other.at) * max(1e-4, other.contact + gap)
    (force,) = forces(MODEL, speed * unit(heading), [other._replace(at=at)])
    assert math.hypot(*force) <= 1.001 * MODEL.strongest


def test_pushes_apart_two_that_overlap_and_approach():
    other = Neighbour(np.array([0.3, 0.0]), np.array([-1.0, 0.0]), 2 * RADIUS)
    (force,) = forces(MODEL, (1.0, 0.0), [other])
    assert force[0] < -1.0


@examples(50)
@given(SEEDS, SPEEDS, ANGLES)
def test_a_mirrored_scene_has_mirrored_forces(seed, speed, heading):
    others = random_neighbours(seed, 9)
    own = speed * unit(heading)
    found = forces(MODEL, own, others)
    other_side = forces(MODEL, own * (1, -1), [mirrored(o) for o in others])
    np.testing.assert_array_equal(other_side, found * (1, -1))
