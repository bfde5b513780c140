"""Run kernels, which release the GIL, on all cores; scale progress over several phases."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from footway._numba.jit import thread_count

if TYPE_CHECKING:
    from collections.abc import Callable

    Progress = Callable[[int, int], None]

WHOLE = 1000
"""Total that progress over several phases counts to."""


def in_parts(count: int, each: int, work: Callable[[slice], object]) -> None:
    """Call `work` on threads with slices of at most `each` that together cover `count` items.

    Example:
        >>> done = []
        >>> in_parts(5, 2, done.append)
        >>> sorted(part.stop for part in done)
        [2, 4, 5]

    """
    parts = [slice(first, min(first + each, count)) for first in range(0, count, each)]
    with ThreadPoolExecutor(thread_count()) as pool:
        list(pool.map(work, parts))


def phase(progress: Progress | None, begin: float, end: float) -> Progress | None:
    """Return a progress callback that maps a phase to the share begin to end of all work.

    Example:
        >>> phase(print, 0.5, 0.9)(1, 2)
        700 1000

    """
    if progress is None:
        return None

    def report(done: int, total: int) -> None:
        share = begin + (end - begin) * done / max(1, total)
        progress(round(WHOLE * share), WHOLE)

    return report
