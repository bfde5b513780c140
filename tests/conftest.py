"""How much hypothesis tries: `ci` is quick and the same every time, `thorough` is for slow runs.

    HYPOTHESIS_PROFILE=thorough python -m pytest tests/property

Tests give the number of their examples as a share: see `tests.effort`.
"""

from __future__ import annotations

from hypothesis import settings

from tests.effort import PROFILE

settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True, database=None)
settings.register_profile("thorough", deadline=None, print_blob=True)
settings.load_profile(PROFILE)


def pytest_collection_modifyitems(items):
    """Run the browser's tests last: by then the kernels that the server needs are compiled."""
    items.sort(key=lambda item: "browser" in item.path.parts)
