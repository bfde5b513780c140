"""`import footway` is light: what is heavy is loaded when it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = [
    *("numba", "shapely", "matplotlib", "scipy", "pyvoronoi", "numpy", "typer", "rich", "yaml"),
    *("pyarrow", "pydantic"),
]


def loaded(code: str) -> set[str]:
    """Top-level modules in a new interpreter after the code has run."""
    report = "\nimport sys; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", code + report], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.fixture(scope="module")
def after_import() -> set[str]:
    return loaded("import footway")


def test_the_probe_can_see(after_import):
    assert "footway" in after_import
    assert "shapely" in loaded("import footway; footway.Environment")


@pytest.mark.parametrize("module", HEAVY)
def test_import_loads_nothing_heavy(after_import, module):
    assert module not in after_import


def test_errors_load_nothing_heavy():
    assert not loaded("import footway; footway.NoPath, footway.BadQuery") & set(HEAVY)


def test_maps_load_no_pictures():
    modules = loaded("import footway; footway.CorridorMap, footway.load")
    assert "numba" in modules
    assert "matplotlib" not in modules


def test_crowds_load_neither_pictures_nor_files():
    modules = loaded("import footway; footway.Crowd, footway.Profile, footway.Recording")
    assert "numba" in modules
    assert not modules & {"matplotlib", "pyarrow", "pydantic", "shapely"}
