"""How many random examples a property test tries, by the environment's HYPOTHESIS_PROFILE."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")
"""`ci` (quick, the same examples every time, scenes of `tests.corpus`), `random` (new examples and
new scenes at each run; `make test-all`) or `thorough` (many more of them)."""

TIMES = {"ci": 0.45, "random": 2.0, "thorough": 25.0}
"""Times as many examples as a test asks for, by profile: `make test` has five minutes."""


def examples(count: int) -> settings:
    """Return settings for `count` examples, more or fewer by the profile.

    Scenes are large to draw and some draws are discarded: no health check says more than the time.
    """
    return settings(
        max_examples=max(1, int(count * TIMES[PROFILE])),
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
