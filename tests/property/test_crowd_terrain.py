"""Crowds on random terrain: discs stay in free space, and bits do not depend on threads."""

from __future__ import annotations

import tempfile
from unittest import mock

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import footway as fw
from tests.effort import examples
from tests.oracle.crowd import assert_clear, assert_same
from tests.oracle.nearest import NearestWall
from tests.property.test_terrain_mesh import heterogeneous

RADII = st.sampled_from([0.05, 0.25, 0.5, (0.25, 0.06), (0.4, 0.19)])
WEIGHTS = st.sampled_from([0.1, 0.5, 1.0, 3.0, 30.0])
NUMBERS = st.sampled_from([(30.0, 3.0, 1.0), (5.0, 5.0, 0.1), (1e4, 0.5, 5.0)])


@st.composite
def plans(draw):
    """An environment of several kinds of terrain, and profiles that follow routes over it."""
    env, _ = draw(heterogeneous())
    kinds = ["ground", *sorted({region.kind for region in env.terrain} - {"ground"})]
    profiles = []
    for follow in draw(st.lists(st.sampled_from(["miran", "irm"]), min_size=1, max_size=3)):
        sigma, spacing, look = draw(NUMBERS)
        weights = {kind: draw(WEIGHTS) for kind in kinds}
        profiles.append(
            fw.Profile(
                radius=draw(RADII), speed=draw(st.sampled_from([0.5, 1.3, 6.0])), follow=follow,
                preferences=weights, sigma=sigma, spacing=spacing, look=look,
            )
        )  # fmt: skip
    return env, profiles, draw(st.integers(0, 1000)), draw(st.sampled_from([1, 5, 25]))


def filled(plan, cmap, threads=1):
    """The crowd of a plan; who finds no free space or terrain is left out."""
    env, profiles, seed, count = plan
    it = fw.Crowd(cmap, seed=seed, threads=threads, environment=env)
    for profile in profiles:
        try:
            it.add(count, profile=profile)
        except fw.BadInput:
            continue
    it.add_obstacle(tuple(np.mean(np.reshape(cmap.bounds, (2, 2)), axis=0)), 0.3)
    return it


@examples(12)
@given(plans())
def test_nobody_walks_through_walls_and_threads_make_no_difference(plan):
    env = plan[0]
    cmap = fw.CorridorMap.build(env)
    one = filled(plan, cmap)
    assume(len(one))
    walls = NearestWall(env)
    with (
        mock.patch("footway.crowd.terrain_following._FEW", 1),
        mock.patch("footway.crowd.simulation._FEW", 1),
    ):
        other = filled(plan, cmap, threads=2)
        for _ in range(6):
            one.step(12)
            other.step(12)
            assert_clear(walls, env.walkable, one)
            assert_same(one, other)


@examples(6)
@given(plans(), st.integers(0, 60))
def test_a_run_that_goes_on_is_the_same(plan, after):
    env = plan[0]
    cmap = fw.CorridorMap.build(env)
    one = filled(plan, cmap)
    assume(len(one))
    one.step(after)
    with tempfile.TemporaryDirectory() as folder:
        one.save(f"{folder}/a.npz")
        other = fw.Crowd.load(f"{folder}/a.npz", cmap, environment=env)
    one.step(40)
    other.step(40)
    assert_same(one, other)
