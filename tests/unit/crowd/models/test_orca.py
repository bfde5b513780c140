"""ORCA: half-planes against the definition of velocity obstacles, programs against brute force."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from footway.crowd.kernels.pairs import Own
from footway.crowd.models import Orca
from tests.effort import examples
from tests.oracle.local_models import (
    Neighbour,
    is_in_velocity_obstacle,
    least_violation,
    nearest_permitted,
    violation,
)
from tests.unit.crowd.models.neighbours import (
    ANGLES,
    RADIUS,
    SEEDS,
    SPEEDS,
    mirrored,
    own_of,
    random_neighbours,
    single,
    unit,
    velocity,
)

MODEL = Orca()
FAST = 50.0  # m/s: a greatest speed that never limits


def half_plane(own_velocity, other, share=0.5, horizon=MODEL.time_horizon):
    """Return point and normal of the half-plane of one neighbour, by the definition (section 4).

    u leads from the relative velocity to the nearest point of the boundary of the velocity
    obstacle, found by bisection in many directions and refined around the best.
    """
    v = own_velocity - other.velocity
    inside = is_in_velocity_obstacle(v, other.at, other.contact, horizon)

    def distance(angle):
        low, high, e = 0.0, 8.0, unit(angle)
        step = 0.05
        while step < high:  # the first change along the ray
            if is_in_velocity_obstacle(v + step * e, other.at, other.contact, horizon) != inside:
                low, high = step - 0.05, step
                break
            step += 0.05
        else:
            return math.inf
        for _ in range(40):
            middle = 0.5 * (low + high)
            here = is_in_velocity_obstacle(v + middle * e, other.at, other.contact, horizon)
            low, high = (middle, high) if here == inside else (low, middle)
        return low

    angles = np.linspace(0.0, 2.0 * math.pi, 120, endpoint=False)
    best = min(angles, key=distance)
    for width in (0.06, 0.003, 2e-4):
        best = min(np.linspace(best - width, best + width, 41), key=distance)
    u = distance(best) * unit(best)
    normal = unit(best) if inside else -unit(best)
    return own_velocity + share * u, normal


@examples(16)
@given(SEEDS, SPEEDS, ANGLES, st.booleans())
def test_the_half_plane_is_that_of_the_definition(seed, speed, heading, is_obstacle):
    """With one neighbour and a preferred velocity inside, the result is its projection."""
    (other,) = random_neighbours(seed, 1, least=0.2)
    own = single(speed * unit(heading))
    point, normal = half_plane(own, other, share=1.0 if is_obstacle else 0.5)
    assume(math.dist(point, own) < 5.0)
    wanted = point - 0.7 * normal + 0.3 * np.array([normal[1], -normal[0]])
    pace = math.hypot(*wanted)
    me = Own(*(wanted / pace), pace, *own, FAST, RADIUS, 0.1, 0.5)
    others, obstacles = ([], [other]) if is_obstacle else ([other], [])
    found = velocity(MODEL, me, others, obstacles)
    expected = wanted - float((wanted - point) @ normal) * normal
    np.testing.assert_allclose(found, expected, atol=5e-3)


def planes_of(own, others, model=MODEL):
    """Return the half-planes, each from calls with one neighbour and velocities beyond it."""
    planes = []
    for other in others:
        found = []
        for angle in np.linspace(0.0, 2.0 * math.pi, 24, endpoint=False):
            preferred = 40.0 * unit(angle)
            me = Own(*unit(angle), 40.0, own.vx, own.vy, FAST, RADIUS, own.dt, 0.5)
            v = velocity(model, me, [other])
            if math.dist(v, preferred) > 1e-3:
                found.append(v)
        first, last = found[0], max(found, key=lambda v: math.dist(v, found[0]))
        e = (last - first) / math.dist(first, last)
        normal = np.array([-e[1], e[0]])
        worst = velocity(
            model, Own(*-normal, 40.0, own.vx, own.vy, FAST, RADIUS, own.dt, 0.5), [other]
        )
        if math.dist(worst, -40.0 * normal) < 1e-3:  # that side is permitted
            normal = -normal
        planes.append((first, normal))
    return planes


@examples(40)
@given(SEEDS, SPEEDS, ANGLES, st.integers(1, 8))
def test_is_the_permitted_velocity_nearest_to_the_preferred_one(seed, speed, heading, count):
    others = random_neighbours(seed, count)
    own = own_of(heading, velocity=speed * unit(heading))
    planes = planes_of(own, others)
    wanted = own.speed * unit(heading)
    expected = nearest_permitted(wanted, planes, own.greatest)
    found = velocity(MODEL, own, others)
    assert math.hypot(*found) <= own.greatest + 1e-6  # normals have 32 bits
    if expected is None:
        least = least_violation(planes, own.greatest)
        assume(least > 1e-3)
        assert violation(found, planes) == pytest.approx(least, abs=2e-3)
    else:
        assert violation(found, planes) <= 1e-3
        assert math.dist(found, wanted) <= math.dist(expected, wanted) + 2e-3


@examples(16)
@given(SEEDS, ANGLES, st.integers(8, 30))
def test_in_a_dense_crowd_the_greatest_violation_is_least(seed, heading, count):
    others = random_neighbours(seed, count, least=0.0, most=0.4)
    own = own_of(heading, velocity=unit(heading))
    model = Orca(neighbours=48)
    planes = planes_of(own, others, model)
    assume(nearest_permitted(np.zeros(2), planes, own.greatest) is None)
    found = violation(velocity(model, own, others), planes)
    assert found == pytest.approx(least_violation(planes, own.greatest), abs=5e-3)


@pytest.mark.parametrize("count", [2, 5])
def test_only_the_nearest_count(count):
    others = sorted(random_neighbours(3, 12), key=lambda o: math.hypot(*o.at) - o.contact)
    few = velocity(Orca(neighbours=count), own_of(), others[::-1])
    np.testing.assert_array_equal(few, velocity(MODEL, own_of(), others[:count]))


def test_alone_it_is_the_preferred_velocity():
    np.testing.assert_allclose(velocity(MODEL, own_of(0.3), []), 1.2 * unit(0.3))


def test_two_that_do_the_same_do_not_collide():
    """Section 4.2: both choose a velocity of their half-plane, and stay apart for the horizon."""
    other = Neighbour(np.array([2.0, 0.1]), np.array([-1.2, 0.0]), 2 * RADIUS)
    mine = velocity(MODEL, own_of(0.0, velocity=(1.2, 0.0)), [other])
    me = Neighbour(-other.at, np.array([1.2, 0.0]), 2 * RADIUS)
    theirs = velocity(MODEL, own_of(math.pi, velocity=(-1.2, 0.0)), [me])
    for t in np.linspace(0.0, MODEL.time_horizon, 50):
        assert math.hypot(*(t * (mine - theirs) - other.at)) >= 2 * RADIUS - 1e-4


@examples(50)
@given(SEEDS, ANGLES, st.integers(1, 10))
def test_a_mirrored_scene_has_a_mirrored_velocity(seed, heading, count):
    others = random_neighbours(seed, count)
    v = 0.8 * unit(heading)
    found = velocity(MODEL, own_of(heading, velocity=v), others)
    other_side = velocity(
        MODEL, own_of(-heading, velocity=v * (1, -1)), [mirrored(o) for o in others]
    )
    np.testing.assert_allclose(other_side, found * (1, -1), atol=1e-6)
