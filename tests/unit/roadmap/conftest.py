import pytest
import shapely

from tests.unit.corridor.conftest import cmap, env

__all__ = ["cmap", "env"]  # the rooms of the corridor tests


@pytest.fixture(scope="module")
def walls(env):
    return shapely.union_all([env.walkable.boundary, env.lines, env.points])
