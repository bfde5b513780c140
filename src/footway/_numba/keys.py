"""Names of kernel files: a hash of everything that the machine code of a kernel depends on."""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from importlib import resources
from typing import Any

import llvmlite
import numba
import numpy as np
from numba import types
from numba.core import config

from footway._numba.stamps import NotStampable, stamp, stamp_of_source

HARMLESS = {
    *("CACHE_DIR", "CACHE_LOCATOR_CLASSES", "CHROME_TRACE", "COLOR_SCHEME", "DEBUG_CACHE"),
    *("DISABLE_PERFORMANCE_WARNINGS", "GDB_BINARY", "HIGHLIGHT_DUMPS", "HTML", "SHOW_HELP"),
    *("NUMBA_DEFAULT_NUM_THREADS", "NUMBA_NUM_THREADS", "THREADING_LAYER"),
    *("THREADING_LAYER_PRIORITY", "USE_LLVMLITE_MEMORY_MANAGER"),
    *("CPU_NAME", "CPU_FEATURES", "ENABLE_AVX"),
}
"""Settings of Numba that do not change the code of kernels; those in the last line change the
target, which is part of the key."""

PORTABLE = ("x86-64-v3", "")
"""CPU and features that shipped kernels are compiled for: any x86 with AVX2 (since about 2013)."""

_V3 = {
    *("+cx16", "+sahf", "+popcnt", "+sse3", "+ssse3", "+sse4.1", "+sse4.2"),
    *("+avx", "+avx2", "+bmi", "+bmi2", "+f16c", "+fma", "+lzcnt", "+movbe", "+xsave"),
}
"""CPU features that shipped kernels need."""

_SOURCES = ("_numba/jit.py", "_numba/internals.py")
"""Modules that decide how a kernel is compiled."""

_PLAIN = (types.Array, types.Number, types.Boolean, types.Literal, types.NoneType, types.Omitted)
"""Types that their name describes completely."""

Target = tuple[str, str, str]
"""System, CPU, and features of the CPU."""


def portable_target(target: Target) -> Target | None:
    """Return the target of shipped kernels; None if they must not be used.

    They are not used on other CPUs, or if the user has requested a certain CPU.
    """
    system, *cpu = target
    portable = (system, *PORTABLE)
    if target == portable:
        return portable
    chosen = config.CPU_NAME is not None or config.CPU_FEATURES is not None
    return portable if not chosen and set(cpu[1].split(",")) >= _V3 else None


def file_name(kernel: Any, arguments: tuple[Any, ...], result: Any, target: Target) -> str:
    """Return the name of a kernel's file.

    Args:
        kernel: a dispatcher.
        arguments: Numba types of its arguments.
        result: Numba type of the result, if the caller demands one, or None.
        target: system and CPU that it is compiled for.

    Raises:
        NotStampable: when something has no reproducible description.
    """
    parts = (
        *(_environment(), _settings(), target, stamp(kernel)),
        [_describe_type(one) for one in arguments],
        result if result is None else _describe_type(result),
    )
    digest = hashlib.sha256(repr(parts).encode()).hexdigest()[:32]
    return f"{kernel.__module__}.{kernel.__qualname__}-{digest}"


@cache
def _environment() -> tuple[Any, ...]:
    """Return versions, and stamps of the modules that decide how kernels are compiled."""
    sources = [resources.files("footway") / name for name in _SOURCES]
    return (
        *(numba.__version__, llvmlite.__version__, np.__version__.split(".")[:2]),
        *(sys.implementation.cache_tag, getattr(sys, "abiflags", ""), sys.platform, sys.maxsize),
        [stamp_of_source(source.read_text("utf-8")) for source in sources],
    )


def _settings() -> list[tuple[str, str]]:
    """Return Numba's settings that may change the code of kernels, such as NUMBA_BOUNDSCHECK.

    Private names of its module are not settings: one depends on whether PyYAML is installed.
    """
    return sorted(
        (name, repr(value))
        for name, value in vars(config).items()
        if name.isupper() and name not in HARMLESS and not name.startswith(("_", "CUDA_"))
    )


def _describe_type(kind: Any) -> Any:
    """Describe a Numba type; named tuples with their fields, which their name does not contain."""
    if isinstance(kind, types.BaseTuple):
        inside = [_describe_type(one) for one in kind.types]
        named = getattr(kind, "instance_class", tuple)
        fields = getattr(named, "_fields", ())
        return (type(kind).__name__, named.__module__, named.__qualname__, fields, inside)
    if isinstance(kind, types.TypeRef):  # a type as an argument: see `held`
        return ("type", _describe_type(kind.instance_type))
    if isinstance(kind, _PLAIN) and " at 0x" not in str(kind):
        return str(kind)
    raise NotStampable(f"{kind} has no reproducible description")
