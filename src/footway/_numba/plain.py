"""Replacement of `internals` for untested versions of Numba: Numba's own cache.

That cache does not notice edits of functions in other files that a cached function calls, so its
folder is named by a hash of all sources of Footway.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from numba.core import config as _config
from numba.core.compiler import Compiler

config: Any = _config  # a module that is filled at run time


def compiler(*, inner: bool) -> type[Compiler]:  # noqa: ARG001 - like `internals.compiler`
    """Return Numba's compiler class."""
    return Compiler


def add_cache(kernel: Any, directory: Path) -> None:
    """Enable Numba's cache for a kernel that is not compiled yet, in a sibling of `directory`."""
    folder = directory.parent / _hash_of_sources()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        kernel.enable_caching()
    finally:
        config.CACHE_DIR = before


def ignore_constants(function: Any) -> None:
    """Do nothing: functions are compiled again for each constant argument."""


@cache
def _hash_of_sources() -> str:
    sources = sorted(Path(__file__).parents[1].rglob("*.py"))
    contents = (hashlib.sha256(source.read_bytes()).digest() for source in sources)
    return hashlib.sha256(b"".join(contents)).hexdigest()[:16]
