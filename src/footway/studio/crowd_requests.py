"""What asks do to the crowd: populations, obstacles, and a look at one character."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from footway.errors import BadQuery, FootwayError
from footway.studio.wire import Answer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.crowd import Crowd, Profile
    from footway.crowd.profile import Spread
    from footway.environment import Area
    from footway.studio import requests
    from footway.studio.documents import Document

    Ints = NDArray[np.int64]

MOST = 200_000
"""Characters of a studio's crowd: more than a page can show."""

MOST_POPULATIONS = 250
"""Populations, those that were removed among them: a frame has one byte for each number."""

MOST_OBSTACLES = 500
"""Discs in the way: each of them costs time in every step."""


HABITS: Final = ("radius", "speed", "lane", "noise", "follow", "preferences")
"""What an ask may say of the profile of a population."""

SPREAD: Final = frozenset({"radius", "speed", "lane"})
"""Those of them in which people may differ."""


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
    wishes = ask.model_dump(include=set(HABITS), exclude_none=True)
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


def home_of(document: Document, name: str, ask: requests.Population | None) -> Area | None:
    """Area where the characters of a population began, as far as that is known."""
    if ask is not None:
        return None if ask.area is None else area_of(document, ask.area)
    scenario, env = document.scenario, document.environment
    given = () if scenario is None else (*scenario.population, *scenario.source)
    named = {one.area for one in given if one.name == name and isinstance(one.area, str)}
    areas = () if env is None else env.areas
    return next((area for area in areas if area.name in named), None)


def remove(crowd: Crowd, index: int) -> None:
    """Take a population away."""
    _check_index(crowd, index)
    crowd.remove_population(index)


def change(crowd: Crowd, ask: requests.Population, area: Any, *, differ: bool) -> Profile:
    """Change body, habits or number of a population; the profile that it has then.

    More of them appear in `area`, anywhere where it is None; of fewer, the newest go. Where they
    `differ`, people differ from each other as before; else all of them have the same numbers.

    Raises:
        BadInput: a number that makes no sense, no room: nothing has changed.

    """
    assert ask.index is not None
    _check_index(crowd, ask.index)
    before = crowd.profiles[ask.index]
    after = _changed(before, ask, differ=differ)
    there = crowd.ids[crowd.populations == ask.index]
    count = ask.count if "count" in ask.model_fields_set else len(there)
    if count != len(there):
        _check_no_group(crowd, ask.index)
    new = _more(crowd, ask.index, count - len(there), area) if count > len(there) else there[:0]
    try:
        if after != before:
            crowd.set_profile(ask.index, after)
    except FootwayError:
        crowd.remove(new)
        raise
    crowd.remove(there[count:])
    return after


def _check_index(crowd: Crowd, index: int) -> None:
    if index >= len(crowd.names):
        raise BadQuery(f"there is no population {index}; there are {len(crowd.names)}")


def _changed(profile: Profile, ask: requests.Population, *, differ: bool) -> Profile:
    """A profile with what is asked for."""
    wishes: dict[str, Any] = ask.model_dump(include=set(HABITS), exclude_none=True)
    for name in SPREAD & set(wishes) if differ else ():
        wishes[name] = _around(wishes[name], getattr(profile, name), of_mean=name != "lane")
    if wishes.get("preferences") and wishes.get("follow", profile.follow) == "cmm":
        wishes.setdefault("follow", None)
    elif wishes.get("follow") == "cmm":
        wishes.setdefault("preferences", {})
    return replace(profile, **wishes)


def _around(value: float, before: Spread, *, of_mean: bool) -> Spread:
    """A number in the place of another; its deviation stays, or stays a share of it."""
    mean, deviation = before if isinstance(before, (tuple, list)) else (before, 0.0)
    if deviation == 0.0:
        return value
    return value, deviation * value / mean if of_mean else deviation


def _more(crowd: Crowd, index: int, count: int, area: Any) -> Ints:
    """More of a population; their ids."""
    if len(crowd) + count > MOST:
        raise BadQuery(f"{len(crowd) + count:,} characters are too many: at most {MOST:,}")
    return crowd.add_to(index, count, area=area)


def _check_no_group(crowd: Crowd, index: int) -> None:
    if index in _grouped(crowd):
        raise BadQuery("a group stays as it is; remove it, or add another one")


def _grouped(crowd: Crowd) -> set[int]:
    """Indices of the populations that are groups."""
    if not crowd.groups:
        return set()
    members = np.concatenate([group.ids for group in crowd.groups])
    return set(crowd.populations[np.isin(crowd.ids, members)].tolist())


def populations_of(crowd: Crowd) -> list[dict[str, Any]]:
    """Return who there is, by population: number, body and habits, as plain values (means)."""
    count = len(crowd.names)
    there = np.bincount(crowd.populations, minlength=count).tolist()
    groups = _grouped(crowd)
    return [
        {
            "index": k,
            "name": name,
            "count": there[k],
            "to_come": crowd.to_come_of(k),
            "radius": _mean(profile.radius),
            "speed": _mean(profile.speed),
            "lane": _mean(profile.lane),
            "noise": profile.noise,
            "follow": profile.follows,
            "preferences": dict(profile.preferences),
            "behaviour": crowd.behaviours[k],
            "grouped": k in groups,
        }
        for k, (name, profile) in enumerate(zip(crowd.names, crowd.profiles, strict=True))
    ]


def _mean(value: Spread) -> float:
    return float(value[0] if isinstance(value, (tuple, list)) else value)


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
