"""The forces of pairs are computed for several pairs at a time: by vector instructions."""

import platform

import numba
import numpy as np
import pytest

from footway.crowd.kernels.pairs import FORCE_X, PAIR_ROWS, PAIRS
from footway.crowd.models import MODELS
from footway.crowd.models.power_law import power_law_forces
from footway.crowd.models.social_force import social_forces

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
