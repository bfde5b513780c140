"""Models of users: a function of all pairs in the place of a kernel."""

import math

import numpy as np
import pytest

import footway as fw
from footway.crowd.models import CollisionFreeSpeed, PowerLaw, UserModel
from footway.errors import BadFile, BadQuery
from tests.oracle.local_models import Neighbour, collision_free_velocity, power_law_force
from tests.unit.crowd.maps import box, cmap, crowd


def neighbours_of(n, i):
    """Return the neighbours of character i, as the oracles take them."""
    rows = range(n.first[i], n.first[i + 1])
    distance = np.hypot(*n.offsets.T)
    return [Neighbour(-n.offsets[m], n.other_velocities[m], distance[m] - n.gaps[m]) for m in rows]


def collision_free(n):
    """Compute the collision-free speed model, one character after the other."""
    model, found = CollisionFreeSpeed(), np.zeros((len(n.ids), 2))
    for i in np.flatnonzero(n.speeds):
        found[i] = collision_free_velocity(
            n.directions[i], n.speeds[i], neighbours_of(n, i), *model.to_dict().values()
        )
    return found


def power_law(n):
    model, found = PowerLaw(), np.zeros((len(n.ids), 2))
    for i in range(len(n.ids)):
        for other in neighbours_of(n, i):
            force = power_law_force(n.velocities[i], other, model.k, model.tau0)
            size = max(1e-9, np.hypot(*force))
            approach = -(n.velocities[i] - other.velocity) @ force / size
            found[i] += force / size * min(size, model.strongest, 0.5 * approach / n.dt)
    return found


def streams(model, **options):
    """Two streams that meet, with an obstacle between them."""
    it = crowd("plain", seed=2, model=model, **options)
    it.add(8, area=box(44, 9, 47, 15), destinations=[box(60, 6, 62, 18)], then="exit")
    it.add(8, area=box(53, 9, 56, 15), destinations=[box(38, 6, 40, 18)], then="exit")
    it.add_obstacle((50, 12), 0.4, velocity=(0.1, 0.0))
    return it


@pytest.mark.parametrize(
    ("function", "gives", "model"),
    [
        (collision_free, "velocity", "collision_free_speed"),
        (power_law, "acceleration", "power_law"),
    ],
)
def test_takes_the_place_of_a_built_in_model(function, gives, model):
    """The oracle of a model, called as a model of the user, gives the same motion."""
    own, built_in = streams(UserModel(function, gives)), streams(model)
    for _ in range(8):
        own.step(2)
        built_in.step(2)
        assert np.abs(own.positions - built_in.positions).max() < 0.01


def test_the_pairs_are_those_of_the_crowd():
    seen = []

    def look(n):
        seen.append(n)
        return np.zeros((len(n.ids), 2))

    it = streams(UserModel(look))
    before, velocities = it.positions.copy(), it.velocities.copy()
    it.step()
    (n,) = seen
    order = np.argsort(n.ids)
    np.testing.assert_array_equal(n.ids[order], it.ids)
    np.testing.assert_array_equal(n.positions[order], before)
    np.testing.assert_array_equal(n.velocities[order], velocities)
    expected = set()
    for i, (x, r) in enumerate(zip(n.positions, n.radii, strict=True)):
        for j, (y, q) in enumerate(zip(n.positions, n.radii, strict=True)):
            if i != j and np.hypot(*(x - y)) <= r + q + 3.0:
                expected.add((i, j))
    are_characters = n.other >= 0
    found = zip(n.character[are_characters], n.other[are_characters], strict=True)
    assert set(found) == expected
    offsets = n.positions[n.character[are_characters]] - n.positions[n.other[are_characters]]
    np.testing.assert_allclose(n.offsets[are_characters], offsets, atol=1e-4)
    assert (n.character == np.repeat(np.arange(16), np.diff(n.first))).all()
    np.testing.assert_allclose(np.hypot(*n.normals.T), 1.0, atol=1e-5)
    at = n.positions[n.character[~are_characters]] - n.offsets[~are_characters]
    assert len(at)
    np.testing.assert_allclose(at, np.broadcast_to((50, 12), at.shape), atol=1e-3)


def test_threads_do_not_change_a_bit():
    def follow(n):
        pull = np.zeros((len(n.ids), 2))
        np.add.at(pull, n.character, n.normals * np.exp(-n.gaps / 0.3)[:, None])
        return pull

    found = []
    for threads in (1, 3):
        it = crowd("city", seed=5, model=UserModel(follow), threads=threads)
        it.add(2100, within=60)
        it.step(5)
        found.append(it.positions.tobytes())
    assert found[0] == found[1]


def test_guards_hold_whatever_the_function_returns():
    def rush(n):
        return 100.0 * n.directions

    it = crowd("door", seed=4, model=UserModel(rush, gives="velocity"))
    it.add(40, area=box(1, 1, 9.5, 9), destinations=[box(14, 1, 20, 9)])
    it.step(100)
    assert (it.map.clearance(it.positions) >= it.radii).all()
    assert (np.hypot(*it.velocities.T) <= 1.2 + 1e-5).all()


def test_a_checkpoint_needs_the_function_again(tmp_path):
    it = streams(UserModel(collision_free, gives="velocity"))
    it.step(3)
    it.save(tmp_path / "run.npz")
    with pytest.raises(BadFile, match="UserModel"):
        fw.Crowd.load(tmp_path / "run.npz", cmap("plain"))
    other = fw.Crowd.load(tmp_path / "run.npz", cmap("plain"), model=it.model)
    it.step(3)
    other.step(3)
    np.testing.assert_array_equal(it.positions, other.positions)


def test_an_inspected_character_shows_the_force():
    it = streams(UserModel(lambda n: np.tile((0.25, -0.5), (len(n.ids), 1))))
    it.step(2)
    mean = (1.0 - math.exp(-it.dt / 0.5)) * 0.5 / it.dt  # over a step of the relaxation, 0.5 s
    force = it.character(3).forces["avoidance"]
    np.testing.assert_allclose(force, (0.25 * mean, -0.5 * mean), rtol=1e-6)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (lambda n: np.zeros(2), "shape"),
        (lambda n: np.full((len(n.ids), 2), np.nan), "finite"),
        (lambda n: "left", "user's model"),
    ],
)
def test_wrong_results_are_refused(result, message):
    with pytest.raises(BadQuery, match=message):
        streams(UserModel(result)).step()


def test_a_model_is_not_a_bare_function():
    with pytest.raises(BadQuery, match="UserModel"):
        crowd("plain", model=collision_free)
    with pytest.raises(BadQuery, match="function"):
        UserModel(3)
    with pytest.raises(BadQuery, match="acceleration, velocity"):
        UserModel(collision_free, gives="position")


def test_the_model_can_be_changed_during_a_run():
    it = streams("orca")
    it.step(5)
    it.model = "power_law"
    assert isinstance(it.model, PowerLaw)
    it.model = UserModel(collision_free, gives="velocity")
    it.step()
    it.model = PowerLaw(tau0=2.0)
    it.step(5)
    assert it.model.tau0 == 2.0
