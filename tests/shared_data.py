"""Where the real data of others lies, beside the clone; tests skip where it is absent."""

from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def shared(name: str) -> Path:
    """Return the path of a file of shared data, or skip the test."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"no shared data {name}")
    return path
