"""Compile, cache and load kernels: the only module that uses Numba's internals.

It was tested with certain versions of Numba: see `SUPPORTED`.
"""

from __future__ import annotations

import gc
import pickle
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from llvmlite.binding import (
    Linkage,
    address_of_symbol,
    create_new_module_pass_manager,
    parse_bitcode,
)
from numba.core import caching
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, compile_result
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature
from numba.core.types import int32, int64, unliteral

from footway._numba import files, keys
from footway._numba.stamps import NotStampable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def compiler(*, inner: bool) -> type[Compiler]:
    """Return the compiler class for kernels or for inner functions."""
    return InnerCompiler if inner else KernelCompiler


def add_cache(kernel: Any, directory: Path) -> None:
    """Attach a cache folder to a kernel that is not compiled yet."""
    kernel._cache = KernelCache(kernel, directory)


def ignore_constants(function: Any) -> None:
    """Compile a function once for all constant arguments, and for 32-bit and 64-bit integers.

    Numba compiles a function again for each constant that is passed to it, and for numbers from an
    array of 32-bit integers. LLVM inserts constants anyway when it inlines the function, and
    arithmetic is on 64 bits anyway, so this only takes time.
    """
    template = function.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        return template([_general(a) for a in args], {k: _general(a) for k, a in kws.items()})

    function.get_call_template = get_call_template


def _general(kind: Any) -> Any:
    """Return the type of the argument that is compiled for one of this type."""
    kind = unliteral(kind)
    return int64 if kind == int32 else kind


class KernelCompiler(Compiler):
    """Numba's compiler, with the garbage collector paused: it takes a tenth of the time."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a Python function."""
        self.state.library = self._make_library(self.state.targetctx.codegen(), func.__qualname__)
        with _no_garbage_collection():
            compiled = super().compile_extra(func)
        if not isinstance(self.state.library, InnerLibrary):
            for env in compiled._find_referenced_environments():  # those of inner functions too
                compiled.codegen.set_env(env.env_name, env)
        return compiled

    def _make_library(self, codegen: Any, name: str) -> JITCodeLibrary:
        return KernelLibrary(codegen, name)


class InnerCompiler(KernelCompiler):
    """Compiles a function that only kernels call to LLVM code, not to machine code."""

    def _make_library(self, codegen: Any, name: str) -> JITCodeLibrary:
        library = InnerLibrary(codegen, name)
        library.is_inlined = bool(self.state.flags.forceinline)
        return library


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class KernelLibrary(JITCodeLibrary):
    """The code of a kernel, with the inner functions that it calls.

    Numba links functions for several users. Here nobody else calls them, so LLVM may change them:
    it leaves out arguments that are not used. A map and a workspace are more than 700 arguments of
    a function that is not inlined. They are private rather than internal because the loader of
    machine code takes an internal function for one of the same name in another kernel.
    """

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.enable_object_caching()
        self._bitcode = b""

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            is_linked = function.linkage == Linkage.linkonce_odr and not function.is_declaration
            if is_linked and not function.name.startswith("NRT_"):  # Numba finds these by name
                function.linkage = Linkage.private
        super()._optimize_final_module()

    def restore(self, code: tuple[bytes, bytes]) -> None:
        """Load machine code; the LLVM code is read only if another kernel links it."""
        machine_code, self._bitcode = code
        self._set_compiled_object(machine_code)
        self._finalize_final_module()

    def _get_module_for_linking(self) -> Any:
        if self._bitcode:
            self._shared_module, self._bitcode = parse_bitcode(self._bitcode), b""
        return super()._get_module_for_linking()

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of a function, which Numba denies if it has not seen the LLVM code."""
        self._ensure_finalized()
        return int(self._codegen._engine.get_function_address(name))


class InnerLibrary(JITCodeLibrary):
    """The code of an inner function, which is only linked into kernels.

    A kernel is optimised as a whole after linking. So here only the functions that the inner
    function calls are inlined, and the result is cleaned up; no machine code is generated.

    Attributes:
        is_inlined: whether the function is inlined into its callers; else it is in none.
    """

    is_inlined = True

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        passes = create_new_module_pass_manager()
        passes.add_always_inliner_pass()
        passes.add_sroa_pass()
        passes.add_instruction_combine_pass()
        passes.add_simplify_cfg_pass()
        passes.add_global_dead_code_eliminate_pass()
        passes.run(self._final_module, self._codegen._pass_builder())
        for function in self._final_module.functions:
            is_own = function.linkage == Linkage.external and not function.is_declaration
            if is_own and not self.is_inlined:
                function.add_function_attribute("noinline")

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def restore(self, code: bytes) -> None:
        """Load LLVM code."""
        self._final_module = parse_bitcode(code)
        self._finalize_final_module()

    def get_pointer_to_function(self, name: str) -> int:  # noqa: ARG002 - Numba names it
        """Return 0: there is no machine code."""
        return 0

    @property
    def codegen(self) -> Any:
        """Return this library: Numba calls `codegen.set_env`."""
        return self

    def set_env(self, env_name: str, env: Any) -> None:
        """Do nothing: kernels set the environments of all functions that they contain."""

    def serialize_using_object_code(self) -> Any:
        """Return the data to pickle."""
        return self.serialize_using_bitcode()


def _rebuild(target_context: Any, libdata: Any, *rest: Any) -> Any:
    """Return a compiled kernel or inner function from pickled data."""
    name, kind, code = libdata
    fndesc, env, signature, objectmode, lifted, typeann, reload_init, referenced_envs = rest
    for function in reload_init:
        function()
    library_class = InnerLibrary if kind == "bitcode" else KernelLibrary
    library = library_class(target_context.codegen(), name)
    library.restore(code)
    compiled = compile_result(
        target_context=target_context,
        typing_context=target_context.typing_context,
        library=library,
        environment=env,
        entry_point=target_context.get_executable(library, fndesc, env),
        fndesc=fndesc,
        type_annotation=typeann,
        signature=signature,
        objectmode=objectmode,
        lifted=lifted,
        reload_init=reload_init,
        referenced_envs=referenced_envs,
    )
    for env in referenced_envs:
        library.codegen.set_env(env.env_name, env)
    return compiled


class KernelCache(caching._Cache):
    """The cache of a dispatcher, which it queries before it compiles, and saves to after it.

    Attributes:
        directory: folder of the files.
    """

    def __init__(self, kernel: Any, directory: Path) -> None:
        self.directory = directory
        self._kernel = kernel
        self._names: dict[Any, str] = {}  # by signature: taken before it is compiled

    @property
    def cache_path(self) -> str:
        return str(self.directory)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled kernel for a signature; None if there is none."""
        rtsys.initialize(target_context)
        self._names.pop(sig, None)
        target = target_context.codegen().magic_tuple()
        portable = keys.portable_target(target)
        try:
            if shipped := files.shipped_directory() if portable else None:
                compiled = self._load(shipped, self._name(sig, portable), target_context)
                if compiled is not None:
                    return compiled
            name = self._names[sig] = self._name(sig, target)
        except NotStampable:
            return None
        return self._load(self.directory, name, target_context)

    def _name(self, sig: Any, target: Any) -> str:
        arguments, result = normalize_signature(sig)
        return keys.file_name(self._kernel, arguments, result, target)

    def _load(self, directory: Path, name: str, target_context: Any) -> Any:
        data = files.load(directory, name)
        if data is None:
            return None
        try:
            externals, *parts = pickle.loads(data)  # noqa: S301 - ours
            if any(address_of_symbol(external) is None for external in externals):
                target_context.refresh()
            return _rebuild(target_context, *parts)
        except Exception:  # noqa: BLE001 - whatever is wrong with a file, it is compiled again
            files.report_damage(directory)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save a compiled kernel for a signature."""
        name = self._names.pop(sig, None)
        if name is None or data.library.has_dynamic_globals or data.lifted:
            return  # it contains addresses of this process
        files.save(self.directory, name, dumps(_reduced(data)))

    def enable(self) -> None:
        pass

    def disable(self) -> None:
        pass

    def flush(self) -> None:
        pass


def _reduced(compiled: Any) -> tuple[Any, ...]:
    """Return the data of a compiled kernel to pickle: the C functions that it calls, and its parts.

    `target_context.refresh` imports all of Numba and parts of SciPy, which takes longer than
    loading ten kernels. Compiled code needs it only for C functions that are not registered
    otherwise.
    """
    functions = compiled.library._final_module.functions
    names = (function.name for function in functions if function.is_declaration)
    externals = [name for name in names if not name.startswith("llvm.")]
    libdata, fndesc, env, signature, objectmode, lifted, _, *rest = compiled._reduce()
    source = ""  # annotated with types; it names a path
    return (externals, libdata, fndesc, env, signature, objectmode, lifted, source, *rest)
