"""What asks do to the crowd: populations, obstacles, and a look at one character."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from footway.errors import BadQuery
from footway.studio.wire import Answer

if TYPE_CHECKING:
    from footway.crowd import Crowd
    from footway.environment import Area
    from footway.studio import requests
    from footway.studio.documents import Document

MOST = 200_000
"""Characters of a studio's crowd: more than a page can show."""

MOST_POPULATIONS = 250
"""Populations, those that were removed among them: a frame has one byte for each number."""

MOST_OBSTACLES = 500
"""Discs in the way: each of them costs time in every step."""


def add(crowd: Crowd, document: Document, ask: requests.Population) -> None:
    """Add a population.

    Raises:
        BadInput: no room, an area that is not there.
        NoPath: its goal cannot be reached.

    """
    if len(crowd) + ask.count > MOST:
        raise BadQuery(f"{len(crowd) + ask.count:,} characters are too many: at most {MOST:,}")
    if len(crowd.names) >= MOST_POPULATIONS:
        raise BadQuery(f"there were {MOST_POPULATIONS} populations; reset the crowd to add others")
    own = {"radius", "speed", "lane", "noise", "follow", "preferences"}
    wishes = ask.model_dump(include=own, exclude_none=True)
    if ask.behaviour == "goals":
        wishes |= {"destinations": _destinations(document, ask), "then": ask.then}
    elif ask.goal is not None:
        raise BadQuery("those who wander have no goal; leave it out")
    if ask.name in crowd.names:
        raise BadQuery(f"there is a population {ask.name!r} already; give another name"[:300])
    area = None if ask.area is None else area_of(document, ask.area)
    crowd.add(ask.count, behaviour=ask.behaviour, name=ask.name or "", area=area, **wishes)


def free_name(crowd: Crowd) -> str:
    """Return a name that no population has."""
    taken = set(crowd.names)
    return next(f"population {k}" for k in count(len(taken) + 1) if f"population {k}" not in taken)


def _destinations(document: Document, ask: requests.Population) -> list[Any]:
    if ask.goal is None:
        return []
    return [area_of(document, ask.goal) if isinstance(ask.goal, str) else ask.goal]


def area_of(document: Document, name: str) -> Area:
    """Return the area of a name, or one clear line."""
    areas = () if document.environment is None else document.environment.areas
    for area in areas:
        if area.name == name:
            return area
    known = ", ".join(area.name for area in areas) or "none"
    raise BadQuery(f"there is no area {name!r} on this map; there are {known}"[:300])


def change(crowd: Crowd, ask: requests.Population) -> None:
    """Remove a population, or change its speed."""
    assert ask.index is not None
    if ask.index >= len(crowd.names):
        raise BadQuery(f"there is no population {ask.index}; there are {len(crowd.names)}")
    if ask.do == "remove":
        crowd.remove_population(ask.index)
    elif ask.speed is not None:
        crowd.set_speed(crowd.ids[crowd.populations == ask.index], ask.speed)


def obstacle(crowd: Crowd, ask: requests.Obstacle) -> Answer:
    """Put a disc in the way, move it, or take it away."""
    number = ask.id
    if ask.do == "add":
        assert ask.at is not None
        if len(crowd.obstacle_ids) >= MOST_OBSTACLES:
            raise BadQuery(f"there are {MOST_OBSTACLES} obstacles already; remove one")
        number = crowd.add_obstacle(ask.at, ask.radius, velocity=ask.velocity)
    elif ask.do == "move":
        assert ask.at is not None
        assert number is not None
        crowd.move_obstacle(number, ask.at, ask.velocity)
    else:
        assert number is not None
        crowd.remove_obstacle(number)
    return Answer({"id": number})


def character(crowd: Crowd, number: int) -> Answer:
    """Return all about a character: its way, and the forces on it by name."""
    seen = crowd.character(number)
    facts = {
        "id": seen.id,
        "position": seen.position,
        "velocity": seen.velocity,
        "goal": seen.goal,
        "radius": seen.radius,
        "speed": seen.speed,
        "population": seen.population,
        "mode": seen.mode,
        "forces": list(seen.forces),
        "time": crowd.time,
    }
    arrays = {
        "points": seen.corridor[:, :2],
        "radii": seen.corridor[:, 2],
        "attraction": np.array(seen.attraction or ()).reshape(-1, 2),
        "forces": np.array(list(seen.forces.values())).reshape(-1, 2),
    }
    return Answer(facts, arrays)
