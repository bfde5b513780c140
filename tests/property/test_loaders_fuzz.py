"""Whatever is in a file, `load` gives an environment or a `FootwayError`: nothing else, ever.

And whatever polygons it is made from, an environment's walls are noded.
"""

from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

import footway as fw
from tests.effort import examples
from tests.oracle.noded import assert_noded
from tests.unit.formats.files import SQUARE, box, collection, feature

GEOJSON = collection(
    feature([SQUARE, box(4, 4, 6, 6)[0][::-1]]),
    feature(box(1, 1, 2, 2), "building"),
    feature([[1, 5], [5, 5]], "wall", "LineString"),
    feature([8, 8], "obstacle", "Point"),
    feature([box(0, 8, 1, 9), box(2, 8, 3, 9)], "grass", "MultiPolygon"),
    crs={"type": "name", "properties": {"name": "EPSG:25832"}},
)


def _picture(form: str) -> bytes:
    buffer = io.BytesIO()
    pixels = np.random.default_rng(1).integers(0, 2, (8, 9), dtype=np.uint8) * 254
    Image.fromarray(pixels).save(buffer, form)
    return buffer.getvalue()


PNG = _picture("PNG")
PGM = _picture("PPM")
VALID = {
    "a.geojson": GEOJSON.encode(),
    "a.wkt": b"GEOMETRYCOLLECTION (POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (4 4, 6 4, 6 6, 4 4)))",
    "a.map": b"type octile\nheight 3\nwidth 4\nmap\n..@.\n.S.T\nW..G\n",
    "a.yaml": b"image: p.pgm\nresolution: 0.05\norigin: [-1.0, 2.0, 0.1]\nnegate: 0\n"
    b"occupied_thresh: 0.65\nfree_thresh: 0.196\n",
    "a.png": PNG,
    "p.pgm": PGM,
}


def survives(files: dict[str, bytes], main: str) -> None:
    """Load a file and look at the walls; the test fails on anything but a FootwayError."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        try:
            env = fw.load(Path(folder) / main, scale=0.1 if main.endswith("png") else None)
        except fw.FootwayError as error:
            assert main in str(error)  # noqa: PT017
            assert "\n" not in str(error)  # noqa: PT017
            return
    assert env.area > 0
    assert env.walkable.is_valid
    assert len(env.walls.segments) >= 3


@st.composite
def mutated(draw: Any, content: bytes) -> bytes:
    """Cut, double, overwrite or insert pieces of a valid file."""
    data = bytearray(content)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        piece = draw(
            st.one_of(
                st.binary(max_size=4),
                st.sampled_from(
                    [b"-", b"9", b"e9", b"null", b'"x"', b"[", b"]", b"(", b"NaN", b","]
                ),
            )
        )
        match draw(st.sampled_from(["cut", "overwrite", "insert", "end", "double"])):
            case "cut":
                del data[at : at + draw(st.integers(1, 9))]
            case "overwrite":
                data[at : at + len(piece)] = piece
            case "insert":
                data[at:at] = piece
            case "end":
                del data[at:]
            case "double":
                data[at:at] = data[at : at + 20]
    return bytes(data)


@pytest.mark.parametrize("name", VALID)
def test_valid_files_are_valid(name):
    with tempfile.TemporaryDirectory() as folder:
        for file, content in VALID.items():
            (Path(folder) / file).write_bytes(content)
        if name != "p.pgm":
            assert fw.load(Path(folder) / name, scale=1 if name == "a.png" else None).area > 0


@pytest.mark.parametrize("name", VALID)
@examples(100)
@given(data=st.data())
def test_mutated_files(name, data):
    content = data.draw(mutated(VALID[name]))
    survives(VALID | {name: content}, "a.yaml" if name == "p.pgm" else name)


@pytest.mark.parametrize("name", ["a.geojson", "a.wkt", "a.map", "a.yaml", "a.png", "a.bin"])
@examples(100)
@given(content=st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)))
def test_random_bytes(name, content):
    survives({name: content}, name)


WILD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=True, allow_infinity=True)
    | st.sampled_from(["walkable", "obstacle", "bounds", "area", "Polygon", "", "x"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["type", "kind", "name", "coordinates", "geometries", "properties"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
NUMBER = st.one_of(st.floats(-50, 50), st.integers(-50, 50), st.floats(), st.none())
POSITION = st.lists(st.floats(-50, 50), min_size=2, max_size=3) | st.lists(NUMBER, max_size=3)
RING = st.lists(POSITION, max_size=6)
COORDINATES = st.one_of(WILD, POSITION, RING, st.lists(RING, max_size=3), st.lists(st.lists(RING)))
FEATURE = st.fixed_dictionaries(
    {
        "type": st.just("Feature"),
        "properties": st.one_of(
            WILD,
            st.fixed_dictionaries(
                {"kind": st.sampled_from(["walkable", "wall", "bounds", "area", "mud", None])}
            ),
        ),
        "geometry": st.one_of(
            WILD,
            st.fixed_dictionaries(
                {
                    "type": st.sampled_from(
                        ["Polygon", "MultiPolygon", "LineString", "MultiLineString", "Point"]
                    ),
                    "coordinates": COORDINATES,
                }
            ),
        ),
    }
)


@examples(100)
@given(features=st.lists(FEATURE | WILD, max_size=4), crs=WILD, meta=WILD)
def test_random_geojson(features, crs, meta):
    document = {"type": "FeatureCollection", "features": features, "crs": crs, "meta": meta}
    survives({"a.geojson": json.dumps(document).encode()}, "a.geojson")


@examples(100)
@given(value=WILD, key=st.sampled_from(["image", "resolution", "origin", "negate", "free_thresh"]))
def test_random_values_in_yaml(value, key):
    keys = {"image": "p.pgm", "resolution": 0.05, "origin": [0, 0, 0]} | {key: value}
    survives({"p.pgm": PGM, "a.yaml": json.dumps(keys).encode()}, "a.yaml")


def _coordinate(size: float) -> st.SearchStrategy[float]:
    """Return multiples of the grid, of half of it, and anything: what makes near misses."""
    return st.one_of(
        st.integers(0, 8).map(lambda k: k * size / 8),
        st.integers(0, int(2000 * size)).map(lambda k: k / 2000),
        st.floats(0, size, allow_subnormal=False),
    )


@st.composite
def dirty(draw: Any) -> dict[str, Any]:
    """Return arguments of `from_polygons`: any points in any order."""
    coordinate = _coordinate(draw(st.sampled_from([0.01, 0.1, 10.0])))
    point = st.tuples(coordinate, coordinate)
    ring = st.lists(point, min_size=3, max_size=8)
    line = st.lists(point, min_size=2, max_size=4)
    arguments = {
        "obstacles": draw(st.lists(ring, max_size=4)),
        "lines": draw(st.lists(line, max_size=3)),
        "points": draw(st.lists(point, max_size=3)),
    }
    if draw(st.booleans()):
        arguments["walkable"] = draw(st.lists(ring, min_size=1, max_size=4))
    else:
        arguments["bounds"] = draw(ring)
    return arguments


@examples(250)
@given(arguments=dirty())
@example({"walkable": [[(0, 0), (10, 0), (10, 10)]], "lines": [[(0, 0), (10, 10)]]})
@example({"walkable": [[(0, 0), (7, 3), (5, 9)]], "lines": [[(1, 0), (1, 9)], [(0, 1), (9, 1)]]})
def test_dirty_polygons_give_noded_walls(arguments):
    try:
        env = fw.Environment.from_polygons(**arguments)
    except fw.BadGeometry:
        return
    assert_noded(env)
    for repair in env.repairs:
        assert np.isfinite(repair.at).all()
        assert "\n" not in str(repair)
