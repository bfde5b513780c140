"""A stamp changes with everything that a kernel is compiled from, and with nothing else."""

from __future__ import annotations

import importlib
import os
import pkgutil
import subprocess
import sys
import types

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

import footway
from footway._numba import is_supported
from footway._numba.jit import inner, kernel
from footway._numba.stamps import NotStampable, stamp, stamp_of_source

pytestmark = pytest.mark.skipif(not is_supported(), reason="Numba's own cache is used")

HELPER = """
from enum import IntEnum
from typing import NamedTuple
from footway._numba.jit import inner
import numpy as np

FACTOR = 2.0
TABLE = np.arange(4.0)
NAMES = {"left", "right", "middle"}

class Pair(NamedTuple):
    low: float
    high: float

class Side(IntEnum):
    LEFT = 1
    RIGHT = 2

@inner
def deepest(x):
    return x * FACTOR + TABLE[1] + TABLE[2:].sum()

@inner
def deeper(x, y=1.0):
    return deepest(x) + y
"""

MODULE = """
import numpy as np
from pack import helper
from pack.helper import Pair, Side, deeper
from footway._numba.jit import kernel

@kernel
def used(x):
    "Say something."
    pair = Pair(x, 1.0)
    return deeper(pair.low) + Side.LEFT + helper.deepest(x)

@kernel
def unused(x):
    return x + 1
"""


def stamps(monkeypatch, helper=HELPER, module=MODULE, file="somewhere.py"):
    """Stamps of the two kernels of a module and its helper."""
    pack = types.ModuleType("pack")
    monkeypatch.setitem(sys.modules, "pack", pack)
    for name, code in (("helper", helper), ("module", module)):
        made = types.ModuleType(f"pack.{name}")
        setattr(pack, name, made)
        monkeypatch.setitem(sys.modules, made.__name__, made)
        exec(compile(code, file, "exec"), vars(made))
    return stamp(pack.module.used), stamp(pack.module.unused)


CHANGES = [
    ("a constant", "FACTOR = 2.0", "FACTOR = 3.0"),
    ("its type", "FACTOR = 2.0", "FACTOR = 2"),
    ("an array", "np.arange(4.0)", "np.arange(4.0) + 1"),
    ("the type of an array", "np.arange(4.0)", "np.arange(4)"),
    ("a field", "    high: float", "    higher: float"),
    ("the order of fields", "    low: float\n    high: float", "    high: float\n    low: float"),
    ("a default of a tuple", "    high: float", "    high: float = 3.0"),
    ("a member", "LEFT = 1", "LEFT = 3"),
    ("a function far down", "x * FACTOR", "x / FACTOR"),
    ("a literal", "TABLE[1]", "TABLE[2]"),
    ("a slice", "TABLE[2:]", "TABLE[:2]"),
    ("a default argument", "y=1.0", "y=2.0"),
    ("an option", "@inner\ndef deepest", "@inner(inline=False)\ndef deepest"),
]


@pytest.mark.parametrize(("before", "after"), [c[1:] for c in CHANGES], ids=[c[0] for c in CHANGES])
def test_changes_with(before, after, monkeypatch):
    used, unused = stamps(monkeypatch)
    assert HELPER.count(before) == 1
    now, still = stamps(monkeypatch, helper=HELPER.replace(before, after))
    assert now != used
    assert still == unused


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (" used(x)", " used(z, x=0)"),
        ("pair.low", "pair.high"),
        ("deeper(pair.low)", "deeper(pair.low, 2.0)"),
        ("Pair(x, 1.0)", "Pair(x, -1.0)"),
    ],
)
def test_changes_with_the_kernel_itself(before, after, monkeypatch):
    used, unused = stamps(monkeypatch)
    now, still = stamps(monkeypatch, module=MODULE.replace(before, after))
    assert now != used
    assert still == unused


def test_changes_with_what_is_found_through_a_module(monkeypatch):
    """`helper.deepest(x)`, although `deepest` is no global name of the kernel."""
    module = MODULE.replace("deeper(pair.low) + Side.LEFT + ", "")
    before, _ = stamps(monkeypatch, module=module)
    edited = HELPER.replace("x * FACTOR", "x / FACTOR")
    assert stamps(monkeypatch, helper=edited, module=module)[0] != before


@pytest.mark.parametrize("use", ["helper.deepest(x)", "helper.FACTOR * x"])
def test_changes_with_what_another_package_finds_through_a_module_of_footway(use):
    """Kernels of tests and users call `forces.attraction(...)` and must not become stale."""
    seen = set()
    for factor in ("2.0", "3.0"):
        helper, user = types.ModuleType("footway.made_up_kernels"), types.ModuleType("elsewhere")
        exec(HELPER.replace("FACTOR = 2.0", f"FACTOR = {factor}"), vars(helper))
        user.helper = helper
        code = f"from footway._numba.jit import kernel\n@kernel\ndef used(x):\n    return {use}\n"
        exec(code, vars(user))
        seen.add(stamp(user.used))
    assert len(seen) == 2


def test_stays_the_same_elsewhere(monkeypatch):
    """In another folder, on other lines, with another docstring and another function beside it."""
    before = stamps(monkeypatch)
    module = MODULE.replace("Say something.", "Say more.").replace(
        "@kernel\ndef unused", "# A comment.\nOTHER = 1\n\n@kernel\ndef unused"
    )
    after = stamps(monkeypatch, helper="\n\n\n" + HELPER, module=module, file="/else/where.py")
    assert after == before


def test_constant_sets_have_no_order():
    """The order of a set depends on the hash seed of the process."""
    code = (
        "from footway._numba.jit import kernel\n"
        "from footway._numba.stamps import stamp\n"
        "@kernel\n"
        "def is_known(x):\n    return x in {'one', 'two', 'three', 'four'}\n"
        "print(stamp(is_known))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in "1234"
    }
    assert len(seen) == 1


def test_a_function_inside_another_has_none():
    offset = np.pi

    @kernel
    def local(x):
        return x + offset

    with pytest.raises(NotStampable, match="inside another"):
        stamp(local)


def test_an_unknown_object_has_none(monkeypatch):
    monkeypatch.setitem(globals(), "CONSTANT", object())
    with pytest.raises(NotStampable, match="reproducible"):
        stamp(uses_constant)


CONSTANT = 1


@inner
def uses_constant(x):
    return x + CONSTANT


def test_functions_that_call_each_other():
    code = (
        "from footway._numba.jit import inner\n"
        "@inner\ndef one(x):\n    return two(x)\n"
        "@inner\ndef two(x):\n    return one(x - 1) if x > 0 else 5\n"
    )
    seen = set()
    for number in (5, 6):
        space = types.ModuleType("space")
        exec(code.replace("5", str(number)), vars(space))
        seen |= {stamp(space.one), stamp(space.two)}  # the same: each reaches both
    assert len(seen) >= 2, "both have another stamp when one of them is edited"


def test_every_kernel_has_its_own():
    found = {}
    for info in pkgutil.walk_packages(footway.__path__, "footway."):
        if ".kernels." in info.name or info.name in ("footway._numba.heap", "footway._numba.math"):
            for thing in vars(importlib.import_module(info.name)).values():
                if isinstance(thing, Dispatcher):
                    found[thing] = stamp(thing)
    assert len(found) > 500
    assert len(set(found.values())) == len(found)


def test_a_module_without_its_comments():
    """Kernels depend on the code of the modules that compile them, not on its description."""
    code = '"""Module."""\n\ndef f(x):\n    """Double."""\n    return 2 * x\n'
    same = code.replace("Module", "Other").replace("Double", "Twice").replace("):", "):  # why")
    assert stamp_of_source(code) == stamp_of_source(same)
    assert stamp_of_source(code) != stamp_of_source(code.replace("2 *", "3 *"))
