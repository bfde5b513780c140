"""Forces and limits are computed for several pairs at a time: by vector instructions."""

import platform

import numba
import numpy as np
import pytest

from footway.crowd.kernels.guard import evade_pairs, keep_pairs_apart, limit_pairs
from footway.crowd.kernels.pairs import FORCE_X, GREATEST, PAIR_ROWS, PAIRS, SIDE
from footway.crowd.models import MODELS
from footway.crowd.models.power_law import power_law_forces
from footway.crowd.models.social_force import social_forces
from footway.crowd.simulation import NO_HEADWAY

LOOPS = {"social_force": social_forces, "power_law": power_law_forces}


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="there is no machine code")
@pytest.mark.skipif(platform.machine() not in {"x86_64", "AMD64"}, reason="reads x86 instructions")
@pytest.mark.parametrize("name", LOOPS)
def test_the_loop_over_pairs_is_vectorised(name):
    loop = LOOPS[name]

    @numba.njit(error_model="numpy")
    def forces(n, parameters):
        pairs = np.empty((PAIR_ROWS, PAIRS), np.float32)
        loop(n, parameters, pairs)
        return pairs[FORCE_X, 0]

    forces.compile((numba.int64, numba.typeof(MODELS[name].to_array(0.1))))
    (code,) = forces.inspect_asm().values()
    assert "sqrtps" in code


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="there is no machine code")
@pytest.mark.skipif(platform.machine() not in {"x86_64", "AMD64"}, reason="reads x86 instructions")
class TestLimits:
    def test_of_a_headway_are_vectorised(self):
        @numba.njit(error_model="numpy")
        def limits(n, dt, close, headway):
            pairs = np.empty((PAIR_ROWS, PAIRS), np.float32)
            limit_pairs(n, dt, close, headway, pairs)
            return pairs[GREATEST, 0]

        kinds = numba.int64, numba.float32, numba.float32, numba.typeof(NO_HEADWAY)
        assert "sqrtps" in code_of(limits, kinds)

    def test_without_a_headway_are_vectorised(self):
        @numba.njit(error_model="numpy")
        def limits(n, dt):
            pairs = np.empty((PAIR_ROWS, PAIRS), np.float32)
            keep_pairs_apart(n, dt, pairs)
            return pairs[GREATEST, 0]

        assert "divps" in code_of(limits, (numba.int64, numba.float32))

    def test_of_sidesteps_are_vectorised(self):
        @numba.njit(error_model="numpy")
        def sides(n):
            pairs = np.empty((PAIR_ROWS, PAIRS), np.float32)
            evade_pairs(n, pairs)
            return pairs[SIDE, 0]

        assert "divps" in code_of(sides, (numba.int64,))


def code_of(loop, kinds):
    loop.compile(kinds)
    (code,) = loop.inspect_asm().values()
    return code
