"""Read glTF without a library, and check all requirements of the specification."""

import base64
import json
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

_PARTS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}
_TYPES = {5126: "<f4", 5125: "<u4"}


class Document(NamedTuple):
    """A glTF document, and the arrays of its accessors."""

    json: dict[str, Any]
    arrays: list[np.ndarray]

    def mesh(self, name):
        """Return the primitive of the mesh of this name."""
        (mesh,) = (mesh for mesh in self.json["meshes"] if mesh["name"] == name)
        (primitive,) = mesh["primitives"]
        return primitive

    def surface(self, name):
        """Return corners (n, 3) of triangles (k, 3) and normals (n, 3), in Footway's axes."""
        primitive = self.mesh(name)
        corners, normals = (
            z_up(self.arrays[primitive["attributes"][kind]]) for kind in ("POSITION", "NORMAL")
        )
        return corners, self.arrays[primitive["indices"]].reshape(-1, 3), normals

    def camera_at(self, time):
        """Play the animation: position (3,), view direction (3,) and up (3,) in Footway's axes."""
        (animation,) = self.json["animations"]
        found = {}
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            assert sampler["interpolation"] == "LINEAR"
            assert self.json["nodes"][channel["target"]["node"]]["camera"] == 0
            times, values = (self.arrays[sampler[end]] for end in ("input", "output"))
            k = int(np.clip(np.searchsorted(times, time) - 1, 0, len(times) - 2))
            share = np.clip((time - times[k]) / (times[k + 1] - times[k]), 0, 1)
            mixed = (1 - share) * values[k].astype(float) + share * values[k + 1]
            found[channel["target"]["path"]] = mixed
        turn = found["rotation"] / np.linalg.norm(found["rotation"])
        look, up = (turned(turn, axis) for axis in ((0, 0, -1), (0, 1, 0)))
        return (z_up(np.array([axis]))[0] for axis in (found["translation"], look, up))


def z_up(points):
    """From glTF's axes to Footway's."""
    return np.column_stack([points[:, 0], -points[:, 2], points[:, 1]]).astype(float)


def turned(quaternion, vector):
    """A vector (3,), turned by a quaternion x, y, z, w."""
    axis, w = quaternion[:3], quaternion[3]
    return vector + 2 * np.cross(axis, np.cross(axis, vector) + w * np.array(vector))


def read(file):
    """Read a .glb or .gltf file, and check it."""
    data = Path(file).read_bytes()
    if Path(file).suffix == ".glb":
        content, numbers = _chunks(data)
        assert "uri" not in content["buffers"][0]
    else:
        content = json.loads(data)
        head, body = content["buffers"][0]["uri"].split(",")
        assert head == "data:application/octet-stream;base64"
        numbers = base64.b64decode(body)
    (buffer,) = content["buffers"]
    assert 0 <= len(numbers) - buffer["byteLength"] < 4
    assert content["asset"]["version"] == "2.0"
    document = Document(content, [_array(content, a, numbers) for a in content["accessors"]])
    _check_animation(document)
    _check_meshes(document)
    return document


def _chunks(data):
    magic, version, length = struct.unpack_from("<4sII", data)
    assert (magic, version, length) == (b"glTF", 2, len(data))
    found, at = [], 12
    for expected in (b"JSON", b"BIN\0"):
        size, kind = struct.unpack_from("<I4s", data, at)
        assert kind == expected
        assert size % 4 == 0
        found.append(data[at + 8 : at + 8 + size])
        at += 8 + size
    assert at == length
    return json.loads(found[0]), found[1]


def _array(content, accessor, numbers):
    """Return the numbers of an accessor; they are aligned and inside of their view."""
    view = content["bufferViews"][accessor["bufferView"]]
    assert view["byteOffset"] % 4 == 0
    assert view["byteOffset"] + view["byteLength"] <= content["buffers"][0]["byteLength"]
    count, parts = accessor["count"], _PARTS[accessor["type"]]
    assert 0 < 4 * count * parts == view["byteLength"]
    kind = _TYPES[accessor["componentType"]]
    found = np.frombuffer(numbers, kind, count * parts, view["byteOffset"]).reshape(count, parts)
    assert np.isfinite(found).all()
    if "min" in accessor:
        assert accessor["min"] == found.min(axis=0).tolist()
        assert accessor["max"] == found.max(axis=0).tolist()
    return found[:, 0] if parts == 1 else found


def _check_animation(document):
    (animation,) = document.json["animations"]
    for sampler in animation["samplers"]:
        times = document.arrays[sampler["input"]]
        assert {"min", "max"} <= set(document.json["accessors"][sampler["input"]])
        assert times[0] >= 0
        assert (np.diff(times) > 0).all()
        assert len(document.arrays[sampler["output"]]) == len(times)
    turns = document.arrays[animation["samplers"][1]["output"]]
    assert np.allclose(np.linalg.norm(turns, axis=1), 1, atol=1e-6)
    assert ((turns[1:] * turns[:-1]).sum(axis=1) > 0).all()  # the short way round
    (lens,) = (camera["perspective"] for camera in document.json["cameras"])
    assert 0 < lens["yfov"] < np.pi
    assert 0 < lens["znear"] < lens["zfar"]


def _check_meshes(document):
    for mesh in document.json.get("meshes", []):
        (primitive,) = mesh["primitives"]
        position = primitive["attributes"]["POSITION"]
        assert {"min", "max"} <= set(document.json["accessors"][position])
        assert primitive["material"] < len(document.json["materials"])
        if "indices" not in primitive:
            continue
        assert document.arrays[primitive["indices"]].max() < len(document.arrays[position])
        normals = document.arrays[primitive["attributes"]["NORMAL"]]
        assert np.allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-6)
