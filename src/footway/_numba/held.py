"""Arguments of kernels that are unpacked once, for kernels that take microseconds.

A call from Python unpacks every array of a named tuple, 40 ns each; a map and a workspace have 70.
`hold` writes the unpacked tuple to memory, and a kernel that is given its address and type reads it
with `held`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

from footway._numba.jit import config, kernel

_MOST_BYTES = 1 << 14  # of an unpacked tuple; an array takes 56 or 72


class Held(NamedTuple):
    """An unpacked tuple: the kernel is given the first two. The others must stay alive."""

    address: Any
    kind: Any
    values: Any
    memory: Any


def hold(values: tuple[Any, ...], kind: Any = None) -> Held:
    """Unpack a tuple of arrays and named tuples; `kind` is that of an earlier one like it."""
    if config.DISABLE_JIT:
        return Held(values, None, values, None)
    memory = np.empty(_MOST_BYTES, np.uint8)
    _write(values, memory)
    return Held(memory.ctypes.data, kind or numba.typeof(values), values, memory)


def _store(_context: Any, values: Any, memory: Any) -> Any:
    """Write the native form of a tuple to memory; for kernels."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        native = context.get_value_type(signature.args[0])
        if context.get_abi_sizeof(native) > _MOST_BYTES:
            raise AssertionError("a held tuple is too large")
        view = context.make_array(signature.args[1])(context, builder, arguments[1])
        builder.store(arguments[0], builder.bitcast(view.data, native.as_pointer()))
        return context.get_dummy_value()

    return types.void(values, memory), generate


def _load(_context: Any, address: Any, kind: Any) -> Any:
    """Read the tuple of a Held; for inner functions, which count no references."""
    held_type = kind.instance_type

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        native = context.get_value_type(held_type)
        return builder.load(builder.inttoptr(arguments[0], native.as_pointer()))

    return held_type(address, kind), generate


def _same(values: Any, _kind: Any) -> Any:
    return values


_stored: Any = intrinsic(_store)
held: Any = _same if config.DISABLE_JIT else intrinsic(_load)


@kernel
def _write(values: Any, memory: Any) -> None:
    _stored(values, memory)
