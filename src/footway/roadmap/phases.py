"""Scale progress over several phases."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Progress = Callable[[int, int], None]

WHOLE = 1000
"""Total that progress over several phases counts to."""


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
