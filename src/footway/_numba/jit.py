"""The decorators `kernel` and `inner`, and the parts of Numba that kernels and callers need.

Compiled kernels are kept in a cache (`files`, `keys`). `FOOTWAY_JIT_CACHE=0` turns it off; a path
moves it there.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils as _cgutils
from numba.core import config as _config
from numba.core import event
from numba.extending import intrinsic

from footway._numba import is_supported
from footway._numba.files import choose_directory

if is_supported():
    from footway._numba.internals import add_cache, compiler, ignore_constants
else:
    from footway._numba.plain import add_cache, compiler, ignore_constants

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = [
    "announce_compilation",
    "cache_directory",
    "entry",
    "inner",
    "kernel",
    "kernel_names",
    "prefetch",
    "thread_count",
]

F = TypeVar("F", bound="Callable[..., Any]")

config: Any = _config  # a module that is filled at run time
cgutils: Any = _cgutils  # untyped

_CACHE = choose_directory()


def cache_directory() -> Path | None:
    """Folder of the compiled kernels; None when caching is off."""
    return _CACHE


def kernel(function: F) -> Any:
    """Compile a function of arrays and scalars that Python calls, at its first call."""
    return _compile(function)


def inner(function: F | None = None, *, inline: bool = True) -> Any:
    """Compile a function that only kernels call, and that makes no arrays.

    It has no wrapper for Python, which takes most of the time to compile a small function with many
    array arguments. It counts no references: its caller holds the arrays, and counting them
    atomically at every call made the search several times slower. It is inlined into its caller
    unless `inline` is off, which keeps the compilation of long or rarely called functions short.
    """
    if function is None:
        return partial(inner, inline=inline)
    return _compile(function, no_cpython_wrapper=True, _nrt=False, forceinline=inline)


def _compile(function: F, **options: bool) -> Any:
    """Compile with strict IEEE arithmetic, so that results do not depend on the CPU.

    Of fast arithmetic, "contract" fuses multiply and add in the vector body of a loop but not in
    its remainder, "arcp" turns 1 / sqrt into an estimate that differs between CPUs, "reassoc"
    changes the order of sums, and "nsz" may lose the sign of a zero but gains nothing.
    """
    njit: Any = numba.njit  # its stubs leave out the options that we need
    made = njit(
        function,
        fastmath=False,
        error_model="numpy",
        nogil=True,
        no_cfunc_wrapper=True,
        pipeline_class=compiler(inner="forceinline" in options),
        **options,
    )
    if config.DISABLE_JIT:
        return made
    ignore_constants(made)
    if _CACHE is not None:
        add_cache(made, _CACHE)
    if "forceinline" not in options:
        _KERNELS.append(made)
    return made


def entry(kernel: Any, *arguments: Any) -> Any:
    """Return the compiled code of a kernel for arguments of these types, to be called directly.

    A call of the kernel itself looks up the types of all arrays, also of those in named tuples: 7
    us for the index and the workspace of a map. The caller must pass exactly these types.
    """
    if config.DISABLE_JIT:
        return kernel
    typeof: Any = numba.typeof  # untyped
    return kernel.compile(tuple(typeof(argument) for argument in arguments))


_KERNELS: list[Any] = []
"""All kernels of the modules that were imported."""


def kernel_names() -> tuple[set[str], set[str]]:
    """Names of the kernels of all imported modules, and of those that are ready to run."""
    names = {f"{kernel.__module__}.{kernel.__qualname__}": kernel for kernel in _KERNELS}
    return set(names), {name for name, kernel in names.items() if kernel.overloads}


def _prefetch(_context: Any, array: Any, row: Any) -> Any:
    """Load a row of an array that will be read soon into the cache of the CPU; for kernels."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        number = context.cast(builder, arguments[1], signature.args[1], types.intp)
        stride = cgutils.unpack_tuple(builder, view.strides, signature.args[0].ndim)[0]
        word, byte = ir.IntType(32), ir.IntType(8).as_pointer()
        address = builder.ptrtoint(view.data, number.type)
        address = builder.add(address, builder.mul(number, stride))
        target = builder.inttoptr(address, byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        load = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        to_read, to_keep, data = (ir.Constant(word, value) for value in (0, 3, 1))
        builder.call(load, [target, to_read, to_keep, data])
        return context.get_dummy_value()

    return types.void(array, row), generate


prefetch: Any = intrinsic(_prefetch)


def thread_count() -> int:
    """Default number of threads: NUMBA_NUM_THREADS, or one for each core; Numba starts none."""
    return int(config.NUMBA_NUM_THREADS)


class _Listener(event.Listener):
    """Calls a function when a compilation begins, until it returns anything except False."""

    def __init__(self, callback: Callable[[], object]) -> None:
        self._callback = callback
        self._done = False

    def on_start(self, event: Any) -> None:  # noqa: ARG002  # Numba names it
        if not self._done:
            self._done = self._callback() is not False

    def on_end(self, event: Any) -> None:
        pass


@contextmanager
def announce_compilation(callback: Callable[[], object]) -> Iterator[None]:
    """Call a function if a kernel has to be compiled (not when it comes from the cache).

    It is called once; if it returns False, it is called again for the next kernel.
    """
    with event.install_listener("numba:compile", _Listener(callback)):
        yield
