"""Whatever is in a mesh or a voxel map, `load` gives a volume, a plan or a `FootwayError`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import footway as fw
from tests.effort import examples
from tests.property.test_loaders_fuzz import mutated

trimesh = pytest.importorskip("trimesh")


def _files() -> dict[str, bytes]:
    small, large = (trimesh.creation.box((4, 3, 2)), trimesh.creation.icosphere(1))
    mesh = trimesh.util.concatenate([small, large.apply_translation((6, 0, 0))])
    made = {f"a.{kind}": mesh.export(file_type=kind) for kind in ("obj", "ply", "stl", "glb")}
    made["b.stl"] = mesh.export(file_type="stl_ascii")
    made["b.ply"] = mesh.export(file_type="ply", encoding="ascii")
    made["a.3dmap"] = "voxel 4 3 2\n0 0 0\n3 2 1\n"
    return {name: data.encode() if isinstance(data, str) else data for name, data in made.items()}


VALID = _files()
LITTLE = patch("footway.environment.volume.free_memory", lambda: 2**24)
"""A vertex that is thrown far away makes many voxels: allowed, but slow."""
OPTIONS = ({"resolution": 0.5}, {"between": (-0.5, 0.5)})


def survives(name: str, content: bytes, options: dict) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_bytes(content)
        try:
            with LITTLE:
                made = fw.load(file, **options)
        except fw.FootwayError as error:
            assert name in str(error)  # noqa: PT017
            assert "\n" not in str(error)  # noqa: PT017
            return
    if isinstance(made, fw.Volume):
        assert not made.solid.all()
    else:
        assert made.area > 0


@pytest.mark.parametrize("name", VALID)
def test_valid_files_are_valid(tmp_path, name):
    (tmp_path / name).write_bytes(VALID[name])
    options = {} if name == "a.3dmap" else OPTIONS[0]
    assert fw.load(tmp_path / name, **options).free_volume > 0


@pytest.mark.parametrize("name", VALID)
@examples(40)
@given(data=st.data())
def test_mutated_files(name, data):
    options = {} if name == "a.3dmap" else data.draw(st.sampled_from(OPTIONS))
    survives(name, data.draw(mutated(VALID[name])), options)


@pytest.mark.parametrize("name", ["a.obj", "a.ply", "a.stl", "a.glb", "a.gltf", "a.3dmap"])
@examples(40)
@given(content=st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)))
def test_random_bytes(name, content):
    survives(name, content, {} if name == "a.3dmap" else OPTIONS[0])
