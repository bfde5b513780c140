"""Measure durations in rounds, and describe the machine."""

from __future__ import annotations

import gc
import os
import platform
import re
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footway.formats.registry import no_garbage_collection

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping
    from typing import TypeVar

    Name = TypeVar("Name", bound=Hashable)


class Timing(NamedTuple):
    """Duration of a call, s.

    `median` and `minimum` are over all rounds; the minimum is least affected by other processes.
    `cpu` is the median of the CPU time, which does not depend on the load of the machine.
    """

    median: float
    minimum: float
    cpu: float


@contextmanager
def undisturbed() -> Iterator[None]:
    """Disable the garbage collector during a measurement."""
    gc.collect()
    with no_garbage_collection():
        yield


def in_turn(calls: Mapping[Name, Callable[[], object]], *, rounds: int) -> dict[Name, Timing]:
    """Time each call in each round, after a warm-up round.

    A round makes all calls one after the other, so that other load of the machine affects all of
    them and ratios stay fair. The order changes from round to round, because a call after a long
    one starts with cold caches.
    """
    random = np.random.default_rng(0)
    names = list(calls)
    wall: dict[Name, list[float]] = {name: [] for name in calls}
    cpu: dict[Name, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    with undisturbed():
        for _ in range(rounds):
            for name in (names[k] for k in random.permutation(len(names))):
                begin, begin_cpu = time.perf_counter(), time.process_time()
                calls[name]()
                cpu[name].append(time.process_time() - begin_cpu)
                wall[name].append(time.perf_counter() - begin)
    return {name: Timing(median(wall[name]), min(wall[name]), median(cpu[name])) for name in calls}


def machine() -> dict[str, str]:
    """Return date (UTC), processor, cores, system and versions."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        **{name: metadata.version(name) for name in ("footway", "numpy", "numba")},
    }


def processor() -> str:
    """Return the model name of the processor."""
    info = Path("/proc/cpuinfo")
    text = info.read_text(encoding="utf-8") if info.exists() else ""
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found[1].strip() if found else platform.processor() or platform.machine()
