"""How many random examples a property test tries, by the environment's HYPOTHESIS_PROFILE."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")
"""`ci` (quick, deterministic) or `thorough` (new examples at each run, many more of them)."""

QUICK = 0.6
"""Share of the examples in the ci profile: `make test` has ten minutes."""

THOROUGH = 25
"""Times as many examples in the thorough profile."""


def examples(count: int) -> settings:
    """Return settings for `count` examples, and many more in the thorough profile.

    Scenes are large to draw and some draws are discarded: no health check says more than the time.
    """
    times = THOROUGH if PROFILE == "thorough" else QUICK
    return settings(
        max_examples=max(1, int(count * times)),
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
