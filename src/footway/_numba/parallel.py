"""Run kernels, which release the GIL, on all cores."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from footway._numba.jit import thread_count

if TYPE_CHECKING:
    from collections.abc import Callable


def in_parts(count: int, each: int, work: Callable[[slice], object]) -> None:
    """Call `work` on threads with slices of at most `each` that together cover `count` items.

    A single slice needs no other thread.

    Example:
        >>> done = []
        >>> in_parts(5, 2, done.append)
        >>> sorted(part.stop for part in done)
        [2, 4, 5]
    """
    parts = [slice(first, min(first + each, count)) for first in range(0, count, each)]
    if len(parts) == 1:
        work(parts[0])
    else:
        with ThreadPoolExecutor(thread_count()) as pool:
            list(pool.map(work, parts))
