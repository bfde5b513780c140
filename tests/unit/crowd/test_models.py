"""F_c against equation 3 in 64 bits, its slope by central differences, and what is clamped."""

import math
import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely
from hypothesis import assume, given
from hypothesis import strategies as st

import footway as fw
from footway._numba.jit import announce_compilation
from footway.crowd.kernels import pairs as kernels
from footway.crowd.kernels.guard import GIVE, LIMITS
from footway.crowd.kernels.layouts import Avoidance
from footway.crowd.models import MODELS, Orca, SocialForce, number_of, with_parameters
from footway.crowd.models import social_force as model_module
from footway.errors import BadQuery
from tests.effort import examples
from tests.oracle.crowd import (
    Other,
    avoidance,
    closed_form,
    deep_overlaps,
    neighbours,
    published_force,
    sees,
    semi_minor_axis,
    steepest_descent,
)
from tests.unit.crowd._open_kernels import avoid_all, gather_all, keep_apart_all
from tests.unit.crowd.maps import SHAPES, box, crowd

LOOK = float(MODELS["helbing_molnar"].look_ahead)
"""s. As printed."""

USUAL = SocialForce()
STRONGEST = USUAL.v0 / USUAL.sigma * math.exp(-USUAL.body / USUAL.sigma)
"""m/s2, of a standing character at contact."""

ANGLES = st.integers(0, 359).map(math.radians)
GAPS = st.integers(-20, 300).map(lambda n: n / 100)
RADII = st.sampled_from([0.1, 0.25, 0.3, 1.0])
SPEEDS = st.sampled_from([0.0, 0.3, 1.2, 2.5])


def unit(angle):
    return np.array([math.cos(angle), math.sin(angle)])


def avoidance_of(parameters):
    return Avoidance(
        number_of(parameters),
        parameters.to_array(0.1),
        np.zeros((0, 2), np.float32),
        np.float32(0.4),
    )


def pairs_of(x, toward, radius, others, *, own=(0.0, 0.0), look=LOOK, used=None):
    """Results of the kernels for each of the others, (n, ROWS)."""
    bodies = np.array([[*o.at, *o.velocity, o.radius] for o in others], np.float32).reshape(-1, 5)
    pairs = np.full((kernels.PAIR_ROWS, kernels.PAIRS), np.nan, np.float32)
    me, e = np.array([[*x, *own, radius]], np.float32), np.array(toward, np.float32)
    model = avoidance_of(used or SocialForce(look_ahead=look))
    avoid_all(0, e[0], e[1], model, me, bodies, np.arange(len(others)), pairs)
    padded = -len(others) // kernels.VECTOR * -kernels.VECTOR
    assert np.isfinite(pairs[: kernels.MODEL_ROWS, :padded]).all()
    assert np.isnan(pairs[:, padded:]).all()
    return pairs[:, : len(others)].T


def forces(x, toward, radius, others, **options):
    """F_c for each of the others, (n, 2) m/s2."""
    return pairs_of(x, toward, radius, others, **options)[
        :, [kernels.FORCE_X, kernels.FORCE_Y]
    ].astype(float)


def other_at(gap, bearing, radius, speed=0.0, heading=0.0, own=0.25):
    """Another character at a gap of `gap` m to one at the origin."""
    return Other((own + radius + gap) * unit(bearing), speed * unit(heading), radius)


class TestOneOther:
    @examples(200)
    @given(GAPS, ANGLES, SPEEDS, ANGLES)
    def test_the_closed_form_is_the_slope_of_the_potential(self, gap, bearing, speed, heading):
        gap, shift = max(gap, 0.1) * unit(bearing), speed * LOOK * unit(heading)
        assume(np.hypot(*(gap - shift)) > 0.06)
        b = 0.25 * ((np.hypot(*gap) + np.hypot(*(gap - shift))) ** 2 - shift @ shift)
        assume(b > 2 * model_module._LEAST)
        expected = steepest_descent(gap, shift)
        np.testing.assert_allclose(closed_form(gap, shift, np.zeros(2)), expected, atol=1e-6)

    @examples(300)
    @given(GAPS, ANGLES, RADII, SPEEDS, ANGLES, ANGLES)
    def test_is_the_closed_form(self, gap, bearing, radius, speed, heading, aim):
        other, toward = other_at(gap, bearing, radius, speed, heading), unit(aim)
        off_sight = abs(math.cos(bearing - aim) - math.cos(math.radians(USUAL.sight)))
        assume(off_sight > 1e-3)  # on the rim of the field of view either is right
        assume(abs(math.sin(bearing - aim)) > 1e-3)  # straight ahead it may evade to either side
        (force,) = forces(np.zeros(2), toward, 0.25, [other])
        expected = avoidance(np.zeros(2), toward, 0.25, other, LOOK)
        # exp is off by 1 % where it matters, and all is in 32 bits.
        close = 2e-3 * STRONGEST + 0.02 * math.hypot(*expected)
        assert np.abs(force - expected).max() <= close

    @examples(200)
    @given(GAPS, ANGLES, RADII, SPEEDS, ANGLES, SPEEDS, ANGLES)
    def test_helbing_molnar_is_equation_3_between_centres(
        self, gap, bearing, radius, speed, heading, own_speed, aim
    ):
        """Whatever the radii and the own velocity; by central differences of the potential."""
        other, toward = other_at(max(gap, 0.0), bearing, radius, speed, heading), unit(aim)
        apart, shift = -other.at, 2.0 * other.velocity
        assume(np.hypot(*(apart - shift)) > 0.06)
        assume(semi_minor_axis(apart, shift) > 0.06)
        assume(abs(math.cos(bearing - aim) - math.cos(math.radians(100.0))) > 1e-3)
        (found,) = pairs_of(np.zeros(2), toward, 0.25, [other], own=own_speed * toward,
                            used=MODELS["helbing_molnar"])[
            :, [kernels.FORCE_X, kernels.FORCE_Y]
        ]  # fmt: skip
        expected = published_force(apart, shift)
        if toward @ other.at < math.cos(math.radians(100.0)) * math.hypot(*other.at):
            expected = 0.5 * expected
        assert np.abs(found - expected).max() <= 2e-3 + 0.02 * math.hypot(*expected)

    @examples(100)
    @given(GAPS, ANGLES, SPEEDS, ANGLES, SPEEDS, ANGLES)
    def test_velocities_are_relative(self, gap, bearing, speed, heading, own_speed, own_heading):
        """A character that moves along counts as standing."""
        own, look = own_speed * unit(own_heading), float(MODELS["social_force"].look_ahead)
        other = other_at(gap, bearing, 0.25, speed, heading)
        seen = other._replace(velocity=other.velocity - own)
        aim = unit(bearing)
        (force,) = forces(np.zeros(2), aim, 0.25, [other], own=own, look=look)
        (expected,) = forces(np.zeros(2), aim, 0.25, [seen], look=look)
        np.testing.assert_allclose(force, expected, rtol=1e-2, atol=2e-3 * STRONGEST)

    @examples(200)
    @given(st.integers(-60, 300).map(lambda n: n / 100), ANGLES, RADII, SPEEDS, ANGLES, ANGLES)
    def test_is_bounded_whatever_happens(self, gap, bearing, radius, speed, heading, aim):
        other = other_at(max(gap, -0.25 - radius), bearing, radius, speed, heading)
        (force,) = forces(np.zeros(2), unit(aim), 0.25, [other])
        assert math.hypot(*force) <= 100.0 * STRONGEST

    @pytest.mark.parametrize("bearing", [0.0, 1.0, 2.5, 4.0])
    def test_pushes_away_and_fades(self, bearing):
        pushes = []
        for gap in (0.3, 0.6, 1.2, 2.4):
            (force,) = forces(np.zeros(2), unit(bearing), 0.25, [other_at(gap, bearing, 0.25)])
            pushes.append(-float(force @ unit(bearing)))
        assert pushes == sorted(pushes, reverse=True)
        assert pushes[0] > 10 * pushes[-1] > 0

    def test_contact_is_the_limit_not_coincidence(self):
        """The same gap between the rims gives the same force, whatever the radii."""
        found = [
            forces(np.zeros(2), unit(0.3), 0.25, [other_at(0.5, 0.3, radius)])[0]
            for radius in (0.1, 0.25, 2.0)
        ]
        np.testing.assert_allclose(found[1], found[0], rtol=1e-4)
        np.testing.assert_allclose(found[2], found[0], rtol=1e-4)

    def test_looks_ahead(self):
        """An approaching character has a greater force than one that moves away."""
        toward, away = (
            forces(np.zeros(2), unit(0), 0.25, [other_at(1.5, 0.0, 0.25, 1.2, heading)])[0]
            for heading in (math.pi, 0.0)
        )
        assert math.hypot(*toward) > 2 * math.hypot(*away)

    def test_two_who_meet_head_on_turn_to_the_same_side(self):
        sides = []
        for aim in (0.0, math.pi):
            other = other_at(1.0, aim, 0.25, 1.2, aim + math.pi)
            (force,) = forces(np.zeros(2), unit(aim), 0.25, [other])
            sides.append(float(force @ unit(aim + 0.5 * math.pi)))
        assert sides[0] == pytest.approx(sides[1], rel=1e-3)
        assert sides[0] < 0, "to the right"

    def test_one_behind_counts_less(self):
        """With the same geometry, seen and not seen: only the aim changes."""
        other = other_at(0.8, 0.0, 0.25)
        ahead, behind = unit(0.5 * math.pi), unit(math.radians(USUAL.sight + 40))
        assert sees(np.zeros(2), ahead, other)
        assert not sees(np.zeros(2), behind, other)
        seen, unseen = (forces(np.zeros(2), aim, 0.25, [other])[0] for aim in (ahead, behind))
        ratio = math.hypot(*unseen) / math.hypot(*seen)
        assert ratio == pytest.approx(USUAL.behind, rel=0.2)

    def test_in_one_place_each_goes_its_own_way(self):
        bodies = np.zeros((2, 5), np.float32)
        bodies[:, 4] = 0.25
        normals = []
        for row in (0, 1):
            pairs = np.zeros((kernels.PAIR_ROWS, kernels.PAIRS), np.float32)
            aim, model = (np.float32(1), np.float32(0)), avoidance_of(USUAL)
            avoid_all(row, *aim, model, bodies, bodies, np.array([1 - row]), pairs)
            assert np.isfinite(pairs[:, 0]).all()
            normals.append(pairs[[kernels.NORMAL_X, kernels.NORMAL_Y], 0].astype(float))
        np.testing.assert_allclose(normals[0], -normals[1])
        assert math.hypot(*normals[0]) == pytest.approx(1.0, rel=1e-5)


def apart(velocity, dt, pairs):
    tight = np.empty((4, LIMITS), np.float32)
    return keep_apart_all(*velocity, 1, np.float32(dt), pairs, tight)


class TestKeptApart:
    @examples(200)
    @given(GAPS, ANGLES, SPEEDS, ANGLES, SPEEDS, ANGLES, st.sampled_from([0.02, 0.1, 0.5]))
    def test_two_never_meet(self, gap, bearing, speed, heading, own_speed, own_heading, dt):
        """They share the gap, and give way if they overlap by more than the guard allows."""
        one = Other(np.zeros(2), own_speed * unit(own_heading), 0.25)
        two = other_at(gap, bearing, 0.25, speed, heading)
        places = []
        for me, other in ((one, two), (two, one)):
            pairs = np.zeros((kernels.PAIR_ROWS, kernels.PAIRS), np.float32)
            pairs[:, :1] = pairs_of(me.at, unit(0), 0.25, [other]).T
            v = apart(me.velocity, dt, pairs)
            places.append(me.at + dt * np.array(v))
        after, allowed = math.dist(*places) - 0.5, 0.5 * GIVE + 1e-4
        if gap < 0.4 - 2 * dt * 2.5:
            assert after >= -allowed
        assert after >= min(0.0, gap) - allowed or gap > 0.4

    @examples(50)
    @given(GAPS, ANGLES, SPEEDS, ANGLES)
    def test_nobody_is_held_who_goes_away(self, gap, bearing, speed, heading):
        assume(gap >= 0 and math.cos(heading - bearing) < 0)
        pairs = np.zeros((kernels.PAIR_ROWS, kernels.PAIRS), np.float32)
        pairs[:, :1] = pairs_of(np.zeros(2), unit(0), 0.25, [other_at(gap, bearing, 0.25)]).T
        v = speed * unit(heading)
        np.testing.assert_allclose(apart(v, 0.1, pairs), v, atol=1e-3)


class TestMany:
    @examples(50)
    @given(st.integers(0, 2**32 - 1), st.integers(0, 40))
    def test_each_of_many_as_if_alone(self, seed, count):
        """The force of a pair does not depend on the other pairs of its batch."""
        rng = np.random.default_rng(seed)
        others = [
            other_at(*rng.uniform([-0.1, 0, 0.1, 0, 0], [3, 6, 0.5, 2, 6])) for _ in range(count)
        ]
        aim = unit(rng.uniform(0, 6))
        together = forces(np.zeros(2), aim, 0.25, others)
        for other, force in zip(others, together, strict=True):
            (alone,) = forces(np.zeros(2), aim, 0.25, [other])
            np.testing.assert_allclose(force, alone, rtol=1e-4, atol=1e-5)

    @examples(50)
    @given(st.integers(0, 2**32 - 1), st.integers(1, 60))
    def test_those_in_range_are_gathered(self, seed, count):
        rng = np.random.default_rng(seed)
        bodies = np.zeros((count, 5), np.float32)
        bodies[:, :2] = rng.uniform(-4, 4, (count, 2))
        bodies[:, 4] = rng.uniform(0.1, 0.6, count)
        rows = bodies.astype(float)
        expected = neighbours(rows[:, :2], rows[:, 4], kernels.RANGE)
        near = np.empty(count + 1, np.int64)
        for row in range(count):
            n = gather_all(*bodies[row, [0, 1, 4]], row, 0, count, bodies, near)
            assert near[:n].tolist() == [j for j in range(count) if (row, j) in expected]


@pytest.mark.parametrize("name", MODELS)
def test_every_model_keeps_characters_apart(name):
    """Two streams that meet: everybody passes, and nobody overlaps another or a wall."""
    it = crowd("plain", seed=2, model=name)
    it.add(12, area=box(40, 6, 44, 18), destinations=[box(58, 6, 62, 18)], then="exit")
    it.add(12, area=box(56, 6, 60, 18), destinations=[box(38, 6, 42, 18)], then="exit")
    for _ in range(30):
        it.step(10)
        assert deep_overlaps(it.positions, it.radii, 0.02) == 0
        assert (it.map.clearance(it.positions) >= it.radii).all()
    assert it.exited == 24


@pytest.mark.parametrize(
    "wrong",
    [{"sigma": 0.0}, {"v0": -1.0}, {"own_share": 2.0}, {"sight": 200.0}, {"look_ahead": np.nan}],
)
def test_parameters_have_limits(wrong):
    with pytest.raises(BadQuery, match=next(iter(wrong))):
        SocialForce(**wrong)


@pytest.mark.parametrize("name", MODELS)
def test_threads_do_not_change_a_bit(name):
    found = []
    for threads in (1, 2, 7):
        it = crowd("city", seed=5, model=name, threads=threads)
        it.add(2100, within=60)
        it.step(12)
        found.append(it.positions.tobytes() + it.velocities.tobytes())
    assert len(set(found)) == 1


@pytest.mark.parametrize("model", [m for name, m in MODELS.items() if name != "helbing_molnar"])
def test_other_parameters_compile_nothing(model):
    """Parameters are arguments of kernels: calibration does not wait for the compiler."""
    it = crowd("corridor", seed=2)
    it.add(5)
    it.step()  # compiles or loads everything
    changed = {
        name: 0.5 * (value + (declared.low if math.isfinite(declared.low) else declared.above))
        for (name, value), declared in zip(
            model.to_dict().items(), model.declarations().values(), strict=True
        )
    }
    other = type(model)(**changed)
    assert other != model
    compiled = []
    with announce_compilation(lambda: compiled.append(1) or False):
        it = crowd("corridor", seed=2, model=other)
        it.add(5)
        it.step(3)
    assert compiled == []


@pytest.mark.parametrize("name", MODELS)
def test_every_parameter_is_declared_with_limits_and_source(name):
    model = MODELS[name]
    assert model.name in MODELS
    assert model.declarations().keys() == model.to_dict().keys()
    for key, declared in model.declarations().items():
        assert declared.help.endswith(".")
        assert declared.source
        assert math.isfinite(max(declared.low, declared.above))
        assert math.isfinite(declared.high)
        with pytest.raises(BadQuery, match=key):
            replace(model, **{key: 2 * declared.high})


def test_a_name_or_a_model_is_needed():
    with pytest.raises(BadQuery, match="it must be one of social_force, "):
        crowd("plain", model="flocking")
    with pytest.raises(BadQuery, match="has no parameter 'tau'"):
        with_parameters("orca", {"tau": 2.0})
    assert with_parameters("orca", {"time_horizon": 3}) == Orca(time_horizon=3.0)


def deepest_in_walls(it, polygon):
    """Return by how much the disc that is deepest in a wall exceeds the free space, m."""
    points = shapely.points(it.positions)
    assert shapely.contains(polygon, points).all()
    return float((it.radii - shapely.distance(polygon.boundary, points)).max())


@pytest.mark.parametrize("name", MODELS)
def test_nobody_is_in_a_wall(name):
    """Judged by Shapely, in a crowd that is pressed through doors."""
    it = crowd("door", seed=4, model=name)
    it.add(80, area=box(1, 1, 9.5, 9), destinations=[box(14, 1, 20, 9)], radius=(0.2, 0.03))
    for _ in range(10):
        it.step(15)
        assert deepest_in_walls(it, SHAPES["door"]) <= 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_nobody_of_a_great_crowd_is_in_a_wall(name):
    it = crowd("city", seed=4, model=name)
    it.add(10_000)
    walkable = fw.load("gallery:city").walkable
    shapely.prepare(walkable)
    for _ in range(20):
        it.step(30)
        assert deepest_in_walls(it, walkable) <= 1e-9


@pytest.mark.parametrize("name", MODELS)
def test_a_mirrored_scene_gives_a_mirrored_result(name):
    """Without lanes and the side that breaks ties, no model prefers left or right.

    Rounding errors grow by up to three times per step where people graze each other, and more if
    somebody walks at exactly the speed below which turns are not limited.
    """
    model = replace(MODELS[name], side=0.0) if "side" in MODELS[name].to_dict() else MODELS[name]
    rng = np.random.default_rng(4)
    starts = np.column_stack([rng.permutation(np.linspace(20, 32, 24)), rng.uniform(0.4, 3.6, 24)])
    goals = np.where(np.arange(24)[:, None] % 2, (5.0, 2.0), (50.0, 2.0))
    found = []
    for flip in (False, True):
        places = starts * (1, -1) + (0, 4) if flip else starts
        it = crowd("corridor", seed=1, model=model)
        it.add(24, starts=places, goals=goals, lane=0.0, radius=0.2)
        it.step(8)
        found.append(it.positions * (1, -1) + (0, 4) if flip else it.positions)
    assert np.hypot(*(found[0] - starts).T).mean() > 0.2
    assert np.abs(found[0] - found[1]).max() < 1e-3


def test_the_tables_of_the_documentation_are_those_of_the_registry():
    docs = Path(__file__).parents[3] / "docs"
    script = runpy.run_path(str(docs / "make_models.py"))
    document = (docs / "crowds.md").read_text(encoding="utf-8")
    assert script["with_models"](document) == document, "run python docs/make_models.py"
