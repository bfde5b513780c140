"""After `footway warmup` no command compiles anything."""

import importlib
import pkgutil

from numba.core.dispatcher import Dispatcher

import footway as fw
from footway.cli.warmup import _use_everything


def test_every_kernel_that_python_calls_is_compiled():
    _use_everything()
    called = dict(_called())
    assert len(called) > 20
    assert [name for name, kernel in called.items() if not kernel.signatures] == []


def _called():
    """Every kernel that is imported by a module of Python; kernels compile those they call."""
    for info in pkgutil.walk_packages(fw.__path__, "footway."):
        if info.name.endswith(("kernels", "__main__")):
            continue
        for name, thing in vars(importlib.import_module(info.name)).items():
            if isinstance(thing, Dispatcher):
                yield f"{info.name}: {name}", thing
