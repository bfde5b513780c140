from __future__ import annotations

import pytest

import footway as fw
from footway.environment import Environment


@pytest.fixture(scope="package")
def env() -> Environment:
    """Two rooms, a door of 1 m at (10, 5), a pillar, a line wall, a post, a closed cell."""
    return Environment.from_polygons(
        bounds=(0, 0, 20, 10),
        obstacles=[
            [(9.9, 0), (10.1, 0), (10.1, 4.5), (9.9, 4.5)],
            [(9.9, 5.5), (10.1, 5.5), (10.1, 10), (9.9, 10)],
            [(4, 4), (6, 4), (6, 6), (4, 6)],
        ],
        lines=[[(13, 2), (13, 6)], [(17, 0), (17, 3), (20, 3)]],
        points=[(7.5, 8)],
        name="rooms",
    )


@pytest.fixture(scope="package")
def cmap(env: Environment) -> fw.CorridorMap:
    return fw.CorridorMap.build(env)
