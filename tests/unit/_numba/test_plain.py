"""Numba's own cache, for untested versions of Numba."""

from __future__ import annotations

from numba.core import config
from numba.core.compiler import Compiler

from footway._numba import plain


class Kernel:
    """Records where Numba would put its cache."""

    def enable_caching(self):
        self.folder = config.CACHE_DIR


def test_kernels_are_kept_in_a_folder_for_these_sources(tmp_path):
    before, kernels = config.CACHE_DIR, (Kernel(), Kernel())
    for one in kernels:
        plain.add_cache(one, tmp_path / "kernels")
        assert before == config.CACHE_DIR
    (folder,) = tmp_path.iterdir()
    assert {one.folder for one in kernels} == {str(folder)}
    assert len(folder.name) == 16
    assert plain.compiler(inner=True) is plain.compiler(inner=False) is Compiler


def test_setting_is_restored_when_numba_fails(tmp_path):
    before = config.CACHE_DIR

    class Broken:
        def enable_caching(self):
            raise RuntimeError

    try:
        plain.add_cache(Broken(), tmp_path / "kernels")
    except RuntimeError:
        assert before == config.CACHE_DIR
    else:
        raise AssertionError


def test_a_folder_that_cannot_be_made_turns_it_off(tmp_path):
    (tmp_path / "file").write_text("")
    one = Kernel()
    plain.add_cache(one, tmp_path / "file" / "kernels")
    assert not hasattr(one, "folder")
