"""Compile, cache and load kernels; the mathematics that kernels share."""

from __future__ import annotations

import numba

SUPPORTED = ((0, 68), (0, 68))
"""First and last version of Numba whose internals `internals` was tested with."""


def is_supported() -> bool:
    """Return whether the installed Numba is supported; otherwise `plain` replaces `internals`."""
    first, last = SUPPORTED
    return bool(first <= numba.version_info.short <= last)
