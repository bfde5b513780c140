"""Compiled kernels: what they are made from, where they are kept, and how Numba loads them."""

from __future__ import annotations

import numba

SUPPORTED = ((0, 68), (0, 68))
"""First and last version of Numba whose internals are as `internals` expects them."""


def is_supported() -> bool:
    """Whether the installed Numba is one of them. With any other, `plain` is used instead."""
    first, last = SUPPORTED
    return bool(first <= numba.version_info.short <= last)
