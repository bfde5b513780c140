"""The cache of kernels: what it distinguishes, and which internals of Numba it needs."""

from __future__ import annotations

import inspect
import json
import os
import pickle
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba import types
from numba.core import caching, config
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult
from numba.core.cpu import CPUContext
from numba.core.registry import cpu_target

from footway._numba import SUPPORTED, files, internals, is_supported, jit, keys
from footway._numba.jit import inner, kernel
from footway._numba.stamps import NotStampable

REPOSITORY = Path(__file__).parents[3]

needs_internals = pytest.mark.skipif(not is_supported(), reason="Numba's own cache is used")

PROGRAM = """
import json, os, sys
import numpy as np
from pathlib import Path
from numba.core import event

class Listener(event.Listener):
    names = []
    def on_start(self, event):
        self.names.append(event.data["dispatcher"].__qualname__)
    def on_end(self, event):
        pass

event.register("numba:compile", Listener())
if "SHIPPED" in os.environ:
    from footway._numba import files
    files.shipped_directory = lambda: Path(os.environ["SHIPPED"])
from pack.kernels import outer, State
result = outer(State(np.arange(3.0), 2))
print(json.dumps([result, Listener.names]))
"""

KERNELS = """
from typing import NamedTuple
import numpy as np
from footway._numba.jit import inner, kernel
from pack.helper import middle

class State(NamedTuple):
    values: np.ndarray
    number: int

@kernel
def outer(state):
    return middle(state.values) + state.number
"""

HELPER = """
from footway._numba.jit import inner

FACTOR = 10.0

@inner
def least(x):
    return x * FACTOR

@inner
def middle(values):
    return least(values[1])
"""


class Pack:
    """A package with kernels, and a cache."""

    def __init__(self, folder: Path) -> None:
        self.cache = folder / "cache"
        self.root = folder / "here"
        (self.root / "pack").mkdir(parents=True)
        (self.root / "pack" / "__init__.py").touch()
        self.write()

    def write(self, kernels: str = KERNELS, helper: str = HELPER) -> None:
        (self.root / "pack" / "kernels.py").write_text(kernels)
        (self.root / "pack" / "helper.py").write_text(helper)

    def run(self, **variables: str) -> tuple[float, list[str], str]:
        """Return the result of the kernel, what was compiled, and the messages."""
        path = os.pathsep.join([str(self.root), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            capture_output=True,
            text=True,
            check=False,
            env={
                **os.environ,
                "PYTHONPATH": path,
                "PYTHONDONTWRITEBYTECODE": "1",
                "FOOTWAY_JIT_CACHE": str(self.cache),
                **variables,
            },
        )
        assert done.returncode == 0, done.stderr
        result, compiled = json.loads(done.stdout)
        return result, compiled, done.stderr

    def files(self) -> list[Path]:
        return sorted(self.cache.glob("kernels/*.kernel"))


@pytest.fixture
def pack(tmp_path):
    if not is_supported():
        pytest.skip("Numba's own cache is used")
    return Pack(tmp_path)


@pytest.fixture(scope="module")
def kernels_of_pack(tmp_path_factory):
    """The files that the first run in an empty cache leaves."""
    if not is_supported():
        pytest.skip("Numba's own cache is used")
    pack = Pack(tmp_path_factory.mktemp("first"))
    assert pack.run() == (12.0, ["outer", "middle", "least"], "")
    assert not any(str(pack.root).encode() in file.read_bytes() for file in pack.files())
    return pack.files()


@pytest.fixture
def compiled(pack, kernels_of_pack):
    """A package that ran before, in another folder."""
    (pack.cache / "kernels").mkdir(parents=True)
    for file in kernels_of_pack:
        shutil.copy(file, pack.cache / "kernels")
    return pack


def test_a_second_process_in_another_folder_compiles_nothing(compiled):
    compiled.write(helper="# A comment.\n\n" + HELPER)
    assert compiled.run() == (12.0, [], "")


def test_an_edit_compiles_what_depends_on_it(compiled):
    pack = compiled
    pack.write(helper=HELPER.replace("10.0", "20.0"))
    assert pack.run()[:2] == (22.0, ["outer", "middle", "least"])
    pack.write(kernels=KERNELS.replace("+ state.number", "- state.number"))
    assert pack.run()[:2] == (8.0, ["outer"])


def test_a_change_of_fields_is_compiled_again(compiled):
    """Numba's name of a type of named tuple does not contain its fields."""
    swapped = KERNELS.replace("    values: np.ndarray\n    number: int", "    FIELDS")
    swapped = swapped.replace("FIELDS", "values: np.ndarray\n    count: int")
    compiled.write(kernels=swapped.replace("state.number", "state.count"))
    assert compiled.run()[:2] == (12.0, ["outer"])


def test_settings_have_files_of_their_own(compiled):
    """A kernel that checks indices, or is compiled for another CPU, has a file of its own."""
    pack = compiled
    for settings in (
        {"NUMBA_BOUNDSCHECK": "1"},
        {"NUMBA_CPU_NAME": "x86-64-v2", "NUMBA_CPU_FEATURES": ""},
    ):
        assert pack.run(**settings)[:2] == (12.0, ["outer", "middle", "least"])
    assert len(pack.files()) == 9
    assert pack.run(NUMBA_BOUNDSCHECK="1")[:2] == (12.0, [])
    assert pack.run()[:2] == (12.0, [])


@pytest.mark.parametrize("name", ["BOUNDSCHECK", "OPT", "DEBUGINFO_DEFAULT", "SLP_VECTORIZE"])
def test_settings_are_in_the_name(name, monkeypatch):
    made = kernel(_add)
    target = cpu_target.target_context.codegen().magic_tuple()
    before = keys.file_name(made, (types.int64, types.int64), None, target)
    monkeypatch.setattr(config, name, 7)
    assert keys.file_name(made, (types.int64, types.int64), None, target) != before


def test_python_instead_of_kernels(compiled):
    assert compiled.run(NUMBA_DISABLE_JIT="1") == (12.0, [], "")


def test_damaged_files_are_compiled_again(compiled):
    pack = compiled
    damages = [lambda content: content[:100], lambda _: b"", lambda content: content[:-1] + b"?"]
    for file, damage in zip(pack.files(), damages, strict=True):
        file.write_bytes(damage(file.read_bytes()))
    result, compiled, message = pack.run()
    assert (result, compiled) == (12.0, ["outer", "middle", "least"])
    assert message == f"footway: damaged kernels in {pack.cache / 'kernels'} are compiled again\n"
    assert pack.run() == (12.0, [], "")


def test_a_cache_that_cannot_be_written_to(pack, tmp_path):
    """One line is printed; no file is left elsewhere."""
    pack.cache.write_text("a file")
    (tmp_path / "temporary").mkdir()
    result, compiled, message = pack.run(TMPDIR=str(tmp_path / "temporary"))
    assert (result, len(compiled)) == (12.0, 3)
    assert message.count("\n") == 1
    assert "cannot be kept" in message
    assert list((tmp_path / "temporary").iterdir()) == []


class TestInner:
    """Inner functions are linked into kernels as LLVM code, and have no machine code."""

    @needs_internals
    def test_no_machine_code(self, monkeypatch, tmp_path):
        monkeypatch.setattr(jit, "_CACHE", tmp_path)
        twice = inner(_twice)
        monkeypatch.setitem(globals(), "_twice", twice)
        assert kernel(_four_times)(3.0) == 12.0
        (library,) = (compiled.library for compiled in twice.overloads.values())
        assert library.get_pointer_to_function(library.name) == 0
        (file,) = tmp_path.glob("*_twice-*.kernel")
        _, libdata, *_ = pickle.loads(files.load(tmp_path, file.stem))
        assert libdata[1] == "bitcode"
        again = inner(twice.py_func)  # is loaded, and linked into another kernel
        monkeypatch.setitem(globals(), "_twice", again)
        assert kernel(_four_times_more)(3.0) == 13.0
        assert sum(again.stats.cache_hits.values()) == 1

    @needs_internals
    def test_one_signature_for_constants_and_both_sizes_of_integers(self, monkeypatch):
        monkeypatch.setattr(jit, "_CACHE", None)
        increased = inner(_increased)
        monkeypatch.setitem(globals(), "_increased", increased)
        short = np.array([2, 2**31 - 1], np.int32)
        assert kernel(_increases_all)(short, 2**40) == 2**31 + 2**40 + 7
        assert len(increased.overloads) == 1

    def test_errors_come_through(self, pack):
        helper = HELPER.replace(
            "    return x * FACTOR",
            "    if x < 5.0:\n        raise ValueError('too small')\n    return x * FACTOR",
        )
        pack.write(helper=helper)
        for _ in range(2):
            with pytest.raises(AssertionError, match="ValueError: too small"):
                pack.run()

    def test_off(self, pack):
        assert pack.run(FOOTWAY_JIT_CACHE="0") == (12.0, ["outer", "middle", "least"], "")
        assert pack.files() == []


def _least(values, unused):
    least = values[0]
    for k in range(1, len(values)):
        least = min(least, values[k])
    return least


def _calls_least(values, unused):
    return _least(values, unused) + _least(values[1:], unused)


def _calls_kernel(values):
    return _calls_least(values, values) + 1.0


@needs_internals
class TestKernel:
    """Inner functions are private to the kernel, which may change them."""

    def test_a_function_that_is_not_inlined_loses_unused_arguments(self, monkeypatch):
        monkeypatch.setattr(jit, "_CACHE", None)
        monkeypatch.setitem(globals(), "_least", inner(_least, inline=False))
        values = np.arange(5.0)
        made = kernel(_calls_least)
        assert made(values, values) == 1.0
        (code,) = made.inspect_llvm().values()
        (head,) = (
            line for line in code.splitlines() if line.startswith("define") and "_least" in line
            and "_calls_least" not in line
        )  # fmt: skip
        assert head.startswith("define private ")
        assert head.count("arg.values") > 0
        assert "arg.unused" not in head

    def test_a_kernel_that_was_loaded_is_linked_into_another(self, monkeypatch, tmp_path):
        monkeypatch.setattr(jit, "_CACHE", tmp_path)
        monkeypatch.setitem(globals(), "_least", inner(_least, inline=False))
        values = np.arange(5.0)
        assert kernel(_calls_least)(values, values) == 1.0
        again = kernel(_calls_least)
        assert again(values, values) == 1.0
        assert sum(again.stats.cache_hits.values()) == 1
        monkeypatch.setitem(globals(), "_calls_least", again)
        assert kernel(_calls_kernel)(values) == 2.0


LARGE = np.arange(200_000.0)  # Numba compiles the address of an array above 1 MB into a kernel


def _last_of_large():
    return LARGE[-1]


def _calls_last_of_large():
    return _inner_last_of_large()


_inner_last_of_large = inner(_last_of_large)


@needs_internals
class TestAddresses:
    """A kernel that contains an address of this process is useless in another one."""

    @pytest.mark.parametrize("function", [_last_of_large, _calls_last_of_large])
    def test_are_not_kept(self, function, monkeypatch, tmp_path):
        monkeypatch.setattr(jit, "_CACHE", tmp_path)
        monkeypatch.setitem(globals(), "_inner_last_of_large", inner(_last_of_large))
        assert kernel(function)() == LARGE[-1]
        assert list(tmp_path.iterdir()) == []

    def test_kernels_with_a_small_array_are(self, monkeypatch, tmp_path):
        monkeypatch.setattr(jit, "_CACHE", tmp_path)
        monkeypatch.setitem(globals(), "LARGE", np.arange(3.0))
        assert kernel(_last_of_large)() == 2.0
        assert len(list(tmp_path.iterdir())) == 1


HOST = cpu_target.target_context.codegen().magic_tuple()


class TestShipped:
    """Kernels that are compiled for any CPU with AVX2, in an installed package."""

    @pytest.mark.skipif(keys.portable_target(HOST) is None, reason="this CPU cannot run them")
    def test_are_used_first(self, pack, tmp_path):
        cpu, features = keys.PORTABLE
        pack.run(NUMBA_CPU_NAME=cpu, NUMBA_CPU_FEATURES=features)
        shipped = (pack.cache / "kernels").rename(tmp_path / "shipped")
        assert pack.run(SHIPPED=str(shipped)) == (12.0, [], "")
        assert pack.files() == [], "nothing to keep"
        pack.write(helper=HELPER.replace("10.0", "20.0"))
        assert pack.run(SHIPPED=str(shipped))[0] == 22.0, "not those of another version"
        for file in shipped.glob("*outer*"):
            file.write_bytes(b"x" + file.read_bytes())
        pack.write()
        result, compiled, message = pack.run(SHIPPED=str(shipped))
        assert (result, compiled[0]) == (12.0, "outer")
        assert message == f"footway: damaged kernels in {shipped} are compiled again\n"

    def test_only_on_a_cpu_that_can_run_them(self):
        v3 = ",".join(sorted(keys._V3))
        portable = ("x86_64-unknown-linux-gnu", *keys.PORTABLE)
        assert keys.portable_target(("x86_64-unknown-linux-gnu", "znver4", v3)) == portable
        for feature in sorted(keys._V3):
            less = v3.replace(feature, feature.replace("+", "-"))
            assert keys.portable_target(("x86_64-unknown-linux-gnu", "some", less)) is None
        assert keys.portable_target(("aarch64-apple-darwin", "apple-m1", "+neon")) is None
        assert keys.portable_target(portable) == portable

    @pytest.mark.parametrize("name", ["CPU_NAME", "CPU_FEATURES"])
    def test_not_where_the_user_has_chosen_a_cpu(self, name, monkeypatch):
        monkeypatch.setattr(config, name, "something")
        v3 = ",".join(sorted(keys._V3))
        assert keys.portable_target(("x86_64-unknown-linux-gnu", "znver4", v3)) is None

    def test_the_wheel_can_be_installed(self, tmp_path):
        kernel = tmp_path / f"footway.some-0123{files.SUFFIX}"
        files.save(tmp_path, kernel.stem, b"machine code")
        build = runpy.run_path(str(REPOSITORY / "kernels" / "build.py"))
        wheel = build["_write_wheel"](tmp_path / "dist", [kernel])
        place = tmp_path / "site"
        install = ("install", "-q", "--no-deps", "--no-index", "--target")
        subprocess.run([sys.executable, "-m", "pip", *install, place, wheel], check=True)
        assert files.load(place / "footway_kernels", kernel.stem) == b"machine code"


def _increased(x):
    return x + 1


def _increases_all(short, long):
    return _increased(short[0]) + _increased(short[1]) + _increased(long) + _increased(2)


def _twice(x):
    return 2.0 * x


def _four_times(x):
    return _twice(_twice(x))


def _four_times_more(x):
    return _twice(_twice(x)) + 1.0


def test_types_without_a_reproducible_name():
    for kind in (types.ListType(types.float64), types.Dispatcher(kernel(_add))):
        with pytest.raises(NotStampable):
            keys._describe_type(kind)


def test_fields_are_in_the_description_of_a_type():
    one, other = (
        NamedTuple("Same", [(field, float) for field in fields]) for fields in ("ab", "ba")
    )
    described = [
        repr(keys._describe_type(numba.typeof((0, kind(1, 2.0))))) for kind in (one, other)
    ]
    assert described[0] != described[1]


class TestOtherVersions:
    """With an untested Numba, its own cache is used, in a folder named by all sources."""

    PROGRAM = (
        "import footway._numba\n"
        "footway._numba.SUPPORTED = ((0, 1), (0, 2))\n"
        "import numpy as np\n"
        "from footway.medial.kernels.graph import incidence\n"
        "print(incidence(np.array([[0, 1], [1, 2]]), 3)[0].tolist())\n"
        "print(sum(incidence.stats.cache_hits.values()))\n"
    )

    def test_plain_cache(self, tmp_path):
        for hits in "01":
            done = subprocess.run(
                [sys.executable, "-c", self.PROGRAM],
                capture_output=True,
                text=True,
                check=True,
                env={**os.environ, "FOOTWAY_JIT_CACHE": str(tmp_path)},
            )
            assert done.stdout.splitlines() == ["[0, 1, 3, 4]", hits]
        assert list(tmp_path.glob("*/*/*.nbi"))
        assert not list(tmp_path.rglob("*.kernel"))

    def test_internals_are_not_even_imported(self):
        code = self.PROGRAM + "import sys; print('footway._numba.internals' in sys.modules)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        assert done.stdout.endswith(b"False\n")


class TestInternals:
    """Fails if the internals of a new version of Numba differ from those that we use."""

    def test_version(self):
        assert numba.version_info.short <= SUPPORTED[1], (
            "read Numba's caching.py, compiler.py and codegen.py again, then widen SUPPORTED"
        )

    def test_the_methods_of_a_cache(self):
        assert caching._Cache.__abstractmethods__ == {
            *("cache_path", "load_overload", "save_overload", "enable", "disable", "flush")
        }
        assert list(inspect.signature(caching._Cache.load_overload).parameters) == [
            *("self", "sig", "target_context")
        ]

    def test_what_a_compiled_kernel_is_pickled_as(self):
        names = list(inspect.signature(CompileResult._rebuild).parameters)
        assert names == [
            *("target_context", "libdata", "fndesc", "env", "signature", "objectmode", "lifted"),
            *("typeann", "reload_init", "referenced_envs"),
        ]

    @needs_internals
    def test_a_kernel_queries_its_cache(self):
        made = kernel(_add)
        assert isinstance(made._cache, internals.KernelCache)
        assert made(1, 2) == 3

    @pytest.mark.parametrize("library", [internals.InnerLibrary, internals.KernelLibrary])
    def test_what_a_library_does(self, library):
        """The methods that our libraries replace exist and take the same arguments."""
        for name, mine in vars(library).items():
            if inspect.isfunction(mine) and name not in {"set_env", "restore"}:
                theirs = getattr(JITCodeLibrary, name)
                assert inspect.signature(mine).parameters.keys() == (
                    inspect.signature(theirs).parameters.keys()
                )
        assert "set_env" in inspect.getsource(CPUContext.get_executable)

    def test_the_target_is_described(self):
        triple, name, features = cpu_target.target_context.codegen().magic_tuple()
        assert triple
        assert name
        assert isinstance(features, str)

    def test_settings(self):
        """Every setting that is left out of the name of a file exists."""
        assert {name for name in keys.HARMLESS if not hasattr(config, name)} == set()
        assert {"BOUNDSCHECK", "OPT", "DEBUGINFO_DEFAULT"} <= {n for n, _ in keys._settings()}

    def test_options_are_those_we_request(self):
        made = kernel(_add)
        assert not made.targetoptions["fastmath"]
        assert made.targetoptions["nogil"]


def _add(a, b):
    return np.int64(a + b)
