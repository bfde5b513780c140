"""Recordings of buildings: which building fits, and on which sheet each row is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footway.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footway.arrays import Floats, Ints
    from footway.environment import Building
    from footway.recording.recording import Recording, Rows

_OUTSIDE = 1.0  # m of height that a row outside a part of a link counts more


def check_building(recording: Recording, building: Building, name: str) -> None:
    """Raise BadInput if a building called `name` has not the floors and links of a recording."""
    floors = [one.name for one in building.floors]
    recorded, count = recording.floor_names, len(floors)
    links = [one.name for one in building.links]
    if {*recorded[:count]} != {*floors} or {*recorded[count:]} != {*links}:
        raise BadInput(
            f"{name}: is not the building of the recording, which has "
            f"{', '.join(recorded)[:200]}; give the map of the recording"
        )


def rows_of(recording: Recording, k: int) -> Rows:
    """Return the rows of frame k, with floors and heights."""
    first, last = recording.offsets[k : k + 2].tolist()
    return recording.source.read(first, last)


def sheets_of(recording: Recording, building: Building, rows: Rows) -> Ints:
    """Return the sheet of each row (n,): of a link with several parts the one at its height.

    The building must have the floors and links of the recording: see `check_building`.
    """
    if not len(rows.ids):
        return np.empty(0, np.int64)
    assert rows.floors is not None
    assert rows.heights is not None
    sheets = np.zeros(len(rows.ids), np.int64)
    for number, parts in enumerate(_parts(recording, building)):
        there = np.flatnonzero(rows.floors == number)
        if not len(there):
            continue
        at, height = rows.positions[there], rows.heights[there].astype(np.float64)
        away = [_misfit(building, part, at, height) for part in parts]
        sheets[there] = np.array(parts)[np.argmin(away, axis=0)]
    return sheets


def sheets_at(building: Building, names: Sequence[str], places: Floats) -> Ints:
    """Return the sheets (n,) of places (n, 2) on floors or links, given by their names (n)."""
    found = []
    for name, at in zip(names, places, strict=True):
        parts = [k for k in range(len(building.layers)) if building.name_of(k) == name]
        here = [k for k in parts if building.contains(k, at[None])[0]]
        found.append((here or parts)[0])
    return np.array(found, np.int64)


def _parts(recording: Recording, building: Building) -> list[list[int]]:
    """Return the sheets of each recorded name: one of a floor, one or more of a link."""
    floors = {one.name: k for k, one in enumerate(building.floors)}
    links = {one.name: k for k, one in enumerate(building.links)}
    of_link: list[list[int]] = [[] for _ in links]
    of_floor: list[list[int]] = [[] for _ in floors]
    for sheet, layer in enumerate(building.layers):
        (of_floor[layer.floor] if layer.floor >= 0 else of_link[layer.link]).append(sheet)
    names = recording.floor_names
    return [of_floor[floors[name]] for name in names[: len(floors)]] + [
        of_link[links[name]] for name in names[len(floors) :]
    ]


def _misfit(building: Building, part: int, at: Floats, height: Floats) -> Floats:
    """Return how far points (n, 2) at a height are from a part of a link, (n,) m."""
    away: Floats = np.abs(building.layers[part].heights(at) - height)
    return away + np.where(building.contains(part, at), 0.0, _OUTSIDE)
