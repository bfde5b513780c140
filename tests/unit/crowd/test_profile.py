"""Profiles: drawn within two deviations, the same for the same seed, and checked."""

import inspect
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import footway as fw
from footway._numba.random_stream import RandomStream
from footway.crowd.profile import PROPERTIES, Properties, drawn
from footway.scenario.models import Population, ProfileTable
from footway.studio.crowd_requests import property_facts
from footway.studio.protocol import requests
from tests.effort import examples
from tests.unit.crowd.maps import box, crowd


class TestDrawn:
    def test_a_number_is_for_all(self):
        assert drawn(1.2, 4, RandomStream(0)).tolist() == [1.2] * 4

    @examples(30)
    @given(st.integers(0, 2**32 - 1), st.integers(1, 50).map(lambda n: n / 100))
    def test_within_two_deviations(self, seed, deviation):
        found = drawn((1.2, deviation), 2_000, RandomStream(seed))
        assert found.min() >= 1.2 - 2 * deviation - 1e-12
        assert found.max() <= 1.2 + 2 * deviation + 1e-12
        assert found.mean() == pytest.approx(1.2, abs=0.15 * deviation)
        assert found.std() == pytest.approx(deviation, rel=0.15)


class TestPopulations:
    def test_of_different_sizes_and_speeds_at_once(self):
        it = crowd("hall", seed=4)
        children = fw.Profile(radius=(0.15, 0.02), speed=(0.9, 0.1))
        it.add(40, profile=children, name="children")
        it.add(10, profile=fw.Profile(radius=0.6, speed=2.5), name="carts")
        assert it.names == ["children", "carts"]
        assert it.populations.tolist() == [0] * 40 + [1] * 10
        assert len(set(it.radii[:40].tolist())) > 30
        assert (np.abs(it.radii[:40] - 0.15) <= 0.04 + 1e-6).all()
        assert it.radii[40:] == pytest.approx(0.6)
        fastest = np.zeros(50)
        for _ in range(60):
            it.step()
            fastest = np.maximum(fastest, np.hypot(*it.velocities.T))
        assert fastest[:40].max() <= 1.1 + 1e-5
        assert 1.5 < fastest[40:].max() <= 2.5 + 1e-5

    @pytest.mark.parametrize(("lane", "side"), [(-0.5, -1), (0.5, 1)])
    def test_lanes(self, lane, side):
        """Negative keeps right, positive left: 0 is the middle of the corridor."""
        it = crowd("corridor")
        profile = fw.Profile(lane=lane, noise=0.0)
        it.add(1, profile=profile, starts=[(4, 2)], goals=[(56, 2)], then="stay")
        it.step(200)
        assert side * (it.positions[0, 1] - 2.0) > 0.2

    def test_noise_differs_from_one_to_the_next(self):
        it = crowd("corridor", seed=1)
        profile = fw.Profile(lane=0.0, noise=0.8)
        for x in (4, 8, 12):  # far from each other
            it.add(1, profile=profile, starts=[(x, 2)], area=box(0, 0, 1, 1), goals=[(56, 2)])
        offsets = []
        for _ in range(250):
            it.step()
            offsets.append(it.positions[:, 1] - 2.0)
        spread = np.abs(offsets).max(axis=0)
        assert (spread > 0.05).any()
        assert len(set(spread.round(6).tolist())) == 3


class TestDeclarations:
    """Whatever names the properties of characters names those of `Profile`."""

    def test_keyword_arguments(self):
        names = list(PROPERTIES)
        assert list(Properties.__annotations__) == names
        for method in (fw.Crowd.add, fw.Crowd.add_source, fw.Crowd.add_group, fw.Crowd.set_profile):
            assert list(inspect.signature(method).parameters)[-len(names) :] == names
        for name, declared in PROPERTIES.items():
            assert declared.help in " ".join(fw.Profile.__doc__.split()), name

    def test_scenarios(self):
        assert list(ProfileTable.model_fields) == list(PROPERTIES)
        stored = {name for name, declared in PROPERTIES.items() if declared.column is not None}
        assert stored < set(Population.model_fields)
        assert fw.Profile(**dict(ProfileTable())) == fw.Profile()

    def test_the_studio_and_its_page(self):
        assert set(PROPERTIES) < set(requests.Population.model_fields)
        facts = {fact.name: fact for fact in property_facts()}
        assert list(facts) == list(PROPERTIES)
        assert facts["lane"].default == -0.15
        for name, declared in PROPERTIES.items():
            if declared.slider is not None:
                low, high, step = declared.slider
                value = facts[name].default
                assert declared.low <= low <= value <= high <= declared.high
                assert 0 < step < high - low

    def test_an_unknown_keyword_is_a_type_error(self):
        with pytest.raises(
            TypeError, match="unexpected keyword argument 'raduis': did you mean 'radius'"
        ):
            crowd("hall").add(1, raduis=0.3)


class TestChecks:
    @pytest.mark.parametrize(
        "options",
        [
            {"radius": 0.0},
            {"radius": -0.25},
            {"radius": math.nan},
            {"radius": 25},
            {"radius": "wide"},
            {"radius": (0.25, 0.2)},
            {"radius": (0.25, -0.1)},
            {"radius": (0.25, 0.1, 0.1)},
            {"radius": None},
            {"speed": 0},
            {"speed": math.inf},
            {"speed": 130},
            {"speed": (1.2, 0.6)},
            {"lane": 3},
            {"lane": "left"},
            {"noise": math.nan},
        ],
        ids=str,
    )
    def test_one_clear_line(self, options):
        (name,) = options
        with pytest.raises(fw.BadQuery, match=name) as error:
            fw.Profile(**options)
        assert "\n" not in str(error.value)
