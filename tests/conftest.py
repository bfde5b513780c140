"""How much hypothesis tries: `ci` is quick and the same every time, `thorough` is for slow runs.

    HYPOTHESIS_PROFILE=thorough python -m pytest tests/property

`faults` tries what `ci` does, and does not simplify what it finds: see `tests.faults`.

Tests give the number of their examples as a share: see `tests.effort`.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess

import pytest
from hypothesis import Phase, settings

from tests.effort import PROFILE

settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True, database=None)
settings.register_profile(
    "faults", settings.get_profile("ci"), phases=[Phase.explicit, Phase.reuse, Phase.generate]
)
settings.register_profile("thorough", deadline=None, print_blob=True)
settings.load_profile(PROFILE)

if PROFILE == "ci":
    # Hypothesis mixes constants of the modules that happen to be loaded into its examples, even
    # when derandomised: each worker would try others, and a test alone others than in `make test`.
    # This is no public part of hypothesis: tests/unit/test_effort.py notices when it moves.
    with contextlib.suppress(ImportError):
        from hypothesis.internal.conjecture import providers

        providers.is_local_module_file = lambda _path: False


@pytest.fixture
def small_disk(tmp_path):
    """A folder with room for one megabyte; only who may mount has one."""
    folder, mount = tmp_path / "disk", shutil.which("mount")
    folder.mkdir()
    command = [mount, "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if mount is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("nobody but an administrator can make a small disk")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


CROWDS = ("crowd", "simulate", "studio", "scenario", "demo", "documents", "recording", "trajector")


def pytest_collection_modifyitems(items):
    """Put tests of crowds first and those in the browser last.

    Of two workers the first begins with the first half: so not both compile the same large kernels
    at the same time, and when the browser's turn comes all of them are compiled.
    """
    items.sort(key=_turn)


def _turn(item):
    if "browser" in item.path.parts:
        return 2
    return 0 if any(word in item.nodeid for word in CROWDS) else 1
