"""Frozen scenes: in `make test` the property tests draw from these instead of making new ones.

So a worker builds the map and the oracles of a scene once for all tests that judge it. In the other
profiles (`tests.effort`) the tests draw new scenes.

    python -m tests.corpus    # draws and writes the scenes anew
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import shapely
from hypothesis import Phase, given, settings

from tests import strategies
from tests.strategies import Scene

FILE = Path(__file__).with_suffix(".json")

SIZES = {"obstacles": 14, "touching": 10, "mazes": 12, "solid": 12, "acute": 20}
"""Scenes of each kind."""

CANDIDATES = 12
"""Scenes drawn for one that is kept: the first draws of hypothesis are nearly empty."""


@cache
def frozen(kind: str) -> tuple[Scene, ...]:
    """Return the scenes of a kind."""
    return tuple(
        Scene(shapely.from_wkt(area), _parts(lines), _parts(points))
        for area, lines, points in json.loads(FILE.read_text())[kind]
    )


def _parts(wkt: str) -> tuple[shapely.Geometry, ...]:
    return tuple(shapely.get_parts(shapely.from_wkt(wkt)))


def _drawn(kind: str) -> list[list[str]]:
    """Draw scenes and keep every CANDIDATES-th of them, ordered by their number of corners."""
    found: dict[str, Scene] = {}
    count = SIZES[kind] * CANDIDATES

    @settings(max_examples=count, derandomize=True, database=None, phases=[Phase.generate])
    @given(strategies.NEW[kind]())
    def draw(scene: Scene) -> None:
        found.setdefault(repr(scene), scene)

    draw()
    ordered = sorted(found.values(), key=lambda scene: len(_coordinates(scene)))
    chosen = ordered[:: max(1, len(ordered) // SIZES[kind])][-SIZES[kind] :]
    return [
        [
            scene.polygon.wkt,
            shapely.MultiLineString(scene.lines).wkt,
            shapely.MultiPoint(scene.points).wkt,
        ]
        for scene in chosen
    ]


def _coordinates(scene: Scene) -> list[object]:
    shapes = [scene.polygon, *scene.lines, *scene.points]
    return list(shapely.get_coordinates(shapes))


if __name__ == "__main__":
    FILE.write_text(json.dumps({kind: _drawn(kind) for kind in SIZES}, indent=0) + "\n")
