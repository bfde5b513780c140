from tests.unit.corridor.conftest import cmap, env

__all__ = ["cmap", "env"]  # the rooms of the corridor tests
