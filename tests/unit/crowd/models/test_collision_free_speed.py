"""The collision-free speed model against its printed equations."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footway.crowd.models import CollisionFreeSpeed
from tests.effort import examples
from tests.oracle.local_models import Neighbour, collision_free_velocity
from tests.unit.crowd.models.neighbours import (
    ANGLES,
    RADIUS,
    SEEDS,
    mirrored,
    own_of,
    random_neighbours,
    unit,
    velocity,
)

MODEL = CollisionFreeSpeed()


@examples(200)
@given(SEEDS, ANGLES, st.integers(0, 12), st.sampled_from([0.5, 1.0]))
def test_is_the_printed_model(seed, heading, count, time_gap):
    others = random_neighbours(seed, count)
    model = CollisionFreeSpeed(time_gap=time_gap)
    found = velocity(model, own_of(heading), others)
    args = (time_gap, MODEL.strength, MODEL.distance)
    nudged = [heading + nudge for nudge in (-1e-5, 0.0, 1e-5)]  # on the rim of the way either holds
    expected = [collision_free_velocity(unit(h), 1.2, others, *args) for h in nudged]
    assert min(math.dist(found, e) for e in expected) <= 1e-3


@pytest.mark.parametrize("gap", [0.0, 0.3, 0.9, 2.0])
def test_keeps_the_time_gap(gap):
    ahead = Neighbour(np.array([gap + 2 * RADIUS, 0.0]), np.zeros(2), 2 * RADIUS)
    found = velocity(CollisionFreeSpeed(strength=0.0), own_of(), [ahead])
    np.testing.assert_allclose(found, [min(1.2, gap), 0.0], atol=1e-5)


@examples(50)
@given(SEEDS, ANGLES, st.integers(1, 12))
def test_a_mirrored_scene_has_a_mirrored_velocity(seed, heading, count):
    others = random_neighbours(seed, count)
    found = velocity(MODEL, own_of(heading), others)
    other_side = velocity(MODEL, own_of(-heading), [mirrored(o) for o in others])
    np.testing.assert_allclose(other_side, found * (1, -1), atol=1e-6)


def test_standing_characters_stay():
    others = random_neighbours(1, 5, least=0.0, most=0.1)
    assert not velocity(MODEL, own_of(speed=0.0), others).any()
