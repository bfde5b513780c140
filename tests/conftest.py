"""How much hypothesis tries: `ci` is quick and the same every time; others search at random.

    HYPOTHESIS_PROFILE=thorough python -m pytest tests/property

`faults` tries what `ci` does, and does not simplify what it finds: see `tests.faults`.

Tests give the number of their examples as a share: see `tests.effort`.
"""

from __future__ import annotations

import contextlib
import gc
import os
import shutil
import signal
import subprocess
from itertools import chain, zip_longest

import pytest
from hypothesis import Phase, settings

from tests.effort import PROFILE

# A shell lets its background jobs ignore Ctrl-C, and the commands that tests start inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A thread of a parallel kernel that has nothing to do spins, and takes the time of other workers.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

# Collecting the tests makes no garbage, but a million objects: see `pytest_collection_finish`.
gc.disable()

settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True, database=None)
settings.register_profile("random", deadline=None, print_blob=True)
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


WAITING = ("browser", "system")
"""Folders of tests that often wait for another process."""

SLOW_FIRST = ("misuse", "golden", "property", "reference")
"""Of the other folders, those whose files take longest: they begin first, for even workers."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give each file to one worker, which makes its fixtures once; all of the browser to another.

    Two browsers at a time would slow each other down.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            file = nodeid.partition("::")[0]
            return "browser" if file.startswith("tests/browser/") else file

    return ByFile(config, log)


def pytest_collection_modifyitems(items):
    """Begin with the files that take longest; those that wait and those that compute take turns.

    Workers that all wait for other processes at the same time would leave cores idle.
    """
    files = {item.path for item in items}
    waiting = [path for path in files if _turn(path, WAITING) < len(WAITING)]
    computing = sorted(files - set(waiting), key=lambda path: (_turn(path, SLOW_FIRST), path))
    waiting.sort(key=lambda path: (_turn(path, WAITING), path))
    pairs = zip_longest(waiting, computing)
    order = {path: place for place, path in enumerate(chain.from_iterable(pairs))}
    items.sort(key=lambda item: order[item.path])


def pytest_collection_finish():
    """Collect garbage again, of what the tests make."""
    gc.freeze()
    gc.enable()


def _turn(path, folders):
    """Return the number of the first of these folders that contains the file, or how many."""
    turns = (turn for turn, folder in enumerate(folders) if folder in path.parts)
    return next(turns, len(folders))
