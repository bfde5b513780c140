"""Stamps: a hash of everything that the compiled code of a kernel depends on.

Numba notices an edit of the file of a cached function, but not of the functions that it calls in
other files, nor of the constants and named tuples that it uses (numba issue 1833). A stamp covers
the function, every function that it can reach through its global names, their options, default
arguments and constants, and the fields of named tuples. It contains no path, no line number and no
docstring, so that the same code in another folder has the same stamp.
"""

from __future__ import annotations

import enum
import hashlib
from functools import cache
from types import BuiltinFunctionType, CodeType, EllipsisType, FunctionType, ModuleType, NoneType
from typing import Any

import numpy as np

_FOOTWAY = __name__.partition(".")[0]


class NotStampable(TypeError):
    """The kernel uses a value without a reproducible description and must not be cached."""


def stamp(kernel: Any) -> str:
    """Return the stamp of a kernel: 64 hexadecimal digits.

    Args:
        kernel: a Numba dispatcher, read through its attributes `py_func` and `targetoptions`.
    """
    closure = {}
    pending = [kernel]
    while pending:
        function = pending.pop()
        if id(function) not in closure:
            closure[id(function)] = _digest((_own(function), _uses(function, pending)))
    return _digest(sorted(closure.values()))


def stamp_of_source(source: str) -> str:
    """Return a hash of the code of a module: not of its comments, docstrings and line numbers."""
    return _digest(_code(compile(source, "", "exec", dont_inherit=True, optimize=2)))


def _digest(description: Any) -> str:
    return hashlib.sha256(repr(description).encode()).hexdigest()


@cache
def _own(thing: Any) -> str:
    """Hash a function without the functions and constants that it refers to."""
    function = _function(thing)
    if function.__closure__ or "<locals>" in function.__qualname__:
        # Numba names machine code after the function: equal names could be confused.
        raise NotStampable(f"{function.__qualname__} is defined inside another function")
    return _digest(
        (
            *(function.__module__, function.__qualname__),
            _code(function.__code__, function.__doc__),
            _describe((function.__defaults__, function.__kwdefaults__), []),
            _describe(getattr(thing, "targetoptions", None), []),
        )
    )


def _function(thing: Any) -> Any:
    """Return the Python function of a dispatcher (`py_func`) or an intrinsic (`_defn`)."""
    return getattr(thing, "py_func", None) or getattr(thing, "_defn", thing)


def _code(code: CodeType, docstring: str | None = None) -> tuple[Any, ...]:
    constants = code.co_consts
    if docstring is not None and constants and constants[0] == docstring:
        constants = constants[1:]
    return (
        *(code.co_name, code.co_code, code.co_flags, code.co_exceptiontable),
        *(code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount),
        *(code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars),
        [_describe(value, []) for value in constants],
    )


def _uses(thing: Any, found: list[Any]) -> list[Any]:
    """Describe the values of the global names of a function; append functions to `found`.

    The names include those of attributes, which at worst add unused values.
    """
    function = _function(thing)
    names = sorted(_names(function.__code__))
    package = (function.__module__ or "").partition(".")[0]
    return _members(function.__globals__, names, package, found)


def _names(code: CodeType) -> set[str]:
    inside = (_names(value) for value in code.co_consts if isinstance(value, CodeType))
    return set(code.co_names).union(*inside)


def _members(space: dict[str, Any], names: list[str], package: str, found: list[Any]) -> list[Any]:
    """Describe the values of names in a module.

    Modules of the same package and of Footway are described with their members.
    """
    members: list[Any] = []
    for name in names:
        if name not in space:
            continue
        value = space[name]
        if not isinstance(value, ModuleType):
            members.append((name, _describe(value, found, package)))
            continue
        members.append((name, value.__name__))
        if value.__name__.partition(".")[0] in (package, _FOOTWAY) and vars(value) is not space:
            rest = [other for other in names if other != name]
            members.append(_members(vars(value), rest, package, found))
    return members


def _describe(value: Any, found: list[Any], package: str = "") -> Any:
    """Return nested tuples and strings whose repr is the same in every process.

    Functions that are compiled with the kernel are described without the values that they use, and
    appended to `found`.
    """
    if hasattr(value, "py_func") or hasattr(value, "_defn"):
        found.append(value)
        return _own(value)
    if isinstance(value, type):
        return _describe_class(value, package)
    kind = type(value).__name__
    if isinstance(value, np.ndarray):
        return (kind, value.dtype.str, value.shape, value.strides, value.tobytes())
    if isinstance(value, np.generic):
        return (kind, value.dtype.str, value.tobytes())
    if isinstance(value, enum.Enum):
        return (_describe_class(type(value), package), value.name)
    if isinstance(value, (NoneType, EllipsisType, bool, int, float, complex, str, bytes)):
        return (kind, repr(value))
    if isinstance(value, CodeType):
        return _code(value)
    if isinstance(value, (tuple, list)):
        return (_describe_class(type(value), package), *(_describe(v, found) for v in value))
    if isinstance(value, slice):  # a constant of code since Python 3.14
        return (kind, *(_describe(v, found) for v in (value.start, value.stop, value.step)))
    if isinstance(value, (set, frozenset)):
        return (kind, *sorted((_describe(v, found) for v in value), key=repr))
    if isinstance(value, dict):
        items = [(_describe(k, found), _describe(v, found)) for k, v in value.items()]
        return (kind, *sorted(items, key=repr))
    if isinstance(value, FunctionType) and value.__module__.partition(".")[0] == package:
        found.append(value)
        return _own(value)
    if isinstance(value, (FunctionType, BuiltinFunctionType, np.ufunc)):
        return (kind, getattr(value, "__module__", None), value.__name__)
    raise NotStampable(f"{value!r} has no reproducible description")


def _describe_class(kind: type, package: str) -> tuple[Any, ...]:
    name = (kind.__module__, kind.__qualname__)
    if issubclass(kind, enum.Enum):
        return (*name, [(member.name, _describe(member.value, [])) for member in kind])
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return (*name, kind._fields, _describe(getattr(kind, "_field_defaults", None), []))
    if package and kind.__module__.partition(".")[0] == package:
        raise NotStampable(f"the class {kind.__qualname__} may change without notice")
    return name
