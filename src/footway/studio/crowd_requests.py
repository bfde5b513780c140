"""Apply client requests to the crowd: populations, obstacles, inspection of a character."""

from __future__ import annotations

from dataclasses import asdict, replace
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from footway.crowd.models import MODELS
from footway.crowd.profile import PROPERTIES, Profile
from footway.errors import BadQuery, FootwayError
from footway.studio import buildings
from footway.studio.protocol import replies
from footway.studio.protocol.replies import Answer

if TYPE_CHECKING:
    from footway.crowd import Crowd
    from footway.environment import Area
    from footway.studio.documents import Document
    from footway.studio.protocol import requests

MAX_CHARACTERS = 200_000
"""Characters in the crowd; a page cannot show more."""

MAX_POPULATIONS = 250
"""Populations, including removed ones: a frame has one byte for the index."""

MAX_OBSTACLES = 500
"""Dynamic obstacles: each of them costs time in every step."""


def add(crowd: Crowd, document: Document, request: requests.Population) -> None:
    """Add a population.

    Raises:
        BadInput: not enough free space, or an unknown area.
        NoPath: its goal cannot be reached.
    """
    if len(crowd) + request.count > MAX_CHARACTERS:
        raise BadQuery(
            f"{len(crowd) + request.count:,} characters are too many: at most {MAX_CHARACTERS:,}"
        )
    if len(crowd.names) >= MAX_POPULATIONS:
        raise BadQuery(f"there were {MAX_POPULATIONS} populations; reset the crowd to add others")
    options = request.model_dump(include=set(PROPERTIES), exclude_none=True)
    if request.behaviour == "goals":
        goal = _region(document, request.goal, request.goal_floor)
        options |= {"destinations": [] if goal is None else [goal], "then": request.then}
    elif request.goal is not None or request.goal_floor is not None:
        raise BadQuery("characters that wander have no goal; leave it out")
    if request.name in crowd.names:
        raise BadQuery(f"there is a population {request.name!r} already; give another name"[:300])
    area = _region(document, request.area, request.floor)
    crowd.add(
        request.count, behaviour=request.behaviour, name=request.name or "", area=area, **options
    )


def free_name(crowd: Crowd) -> str:
    """Return an unused name for a population."""
    taken = set(crowd.names)
    return next(f"population {k}" for k in count(len(taken) + 1) if f"population {k}" not in taken)


def _region(document: Document, given: str | replies.Place | None, floor: str | None) -> Any:
    """Return an area, floor or point as a crowd takes it; None if nothing is given."""
    if document.building is not None:
        return buildings.region(document.building, document.areas, given, floor)
    if floor is not None:
        raise BadQuery("the map has one floor only; leave the floor out")
    return find_area(document, given) if isinstance(given, str) else given


def find_area(document: Document, name: str) -> Area:
    """Return the area with a name; raise BadQuery if there is none."""
    areas = [area for area, _ in document.areas]
    for area in areas:
        if area.name == name:
            return area
    known = ", ".join(area.name for area in areas) or "none"
    raise BadQuery(f"there is no area {name!r} on this map; there are {known}"[:300])


def spawn_area(document: Document, name: str, request: requests.Population | None) -> Any:
    """Return the area where the characters of a population started, None if unknown."""
    if request is not None:
        return _region(document, request.area, request.floor)
    scenario = document.scenario
    given = () if scenario is None else (*scenario.population, *scenario.source)
    named = {entry.area for entry in given if entry.name == name and isinstance(entry.area, str)}
    if document.building is not None:
        return next((_region(document, area, None) for area in named), None)
    return next((area for area, _ in document.areas if area.name in named), None)


def check_index(crowd: Crowd, index: int) -> None:
    """Refuse an index without a population."""
    if index >= len(crowd.names):
        raise BadQuery(f"there is no population {index}; there are {len(crowd.names)}")


def change(
    crowd: Crowd, index: int, request: requests.Population, area: Any, *, differ: bool
) -> Profile:
    """Change profile or size of a population; return its new profile.

    New characters appear in `area`, or anywhere if it is None; if there are too many, the newest
    are removed. If `differ`, the spread within the population is kept; else all characters get the
    same values.

    Raises:
        BadInput: an invalid value, or not enough free space; nothing has changed.
    """
    before = crowd.profiles[index]
    after = _changed(before, request, differ=differ)
    members = crowd.ids[crowd.populations == index]
    count = request.count if "count" in request.model_fields_set else len(members)
    if count != len(members) and index in _grouped(crowd):
        raise BadQuery("the size of a group cannot change; remove it, or add another one")
    new = members[:0]
    if count > len(members):
        total = len(crowd) + count - len(members)
        if total > MAX_CHARACTERS:
            raise BadQuery(f"{total:,} characters are too many: at most {MAX_CHARACTERS:,}")
        new = crowd.add_to(index, count - len(members), area=area)
    try:
        if after != before:
            crowd.set_profile(index, after)
    except FootwayError:
        crowd.remove(new)
        raise
    crowd.remove(members[count:])
    return after


def _changed(profile: Profile, request: requests.Population, *, differ: bool) -> Profile:
    """Return a profile with the values of a request."""
    options: dict[str, Any] = request.model_dump(include=set(PROPERTIES), exclude_none=True)
    for name in options if differ else ():
        declared = PROPERTIES[name]
        if declared.varies:
            before = getattr(profile, name)
            mean, deviation = before if isinstance(before, (tuple, list)) else (before, 0.0)
            if deviation and declared.above == 0.0:  # relative; lanes are on both sides of 0
                deviation = deviation * options[name] / mean
            if deviation:
                options[name] = options[name], deviation
    if options.get("preferences") and options.get("follow", profile.follow) == "cmm":
        options.setdefault("follow", None)
    elif options.get("follow") == "cmm":
        options.setdefault("preferences", {})
    return replace(profile, **options)


def _grouped(crowd: Crowd) -> set[int]:
    """Return the indices of the populations that are groups."""
    if not crowd.groups:
        return set()
    members = np.concatenate([group.ids for group in crowd.groups])
    return set(crowd.populations[np.isin(crowd.ids, members)].tolist())


def population_facts(crowd: Crowd) -> list[replies.PopulationFacts]:
    """Return size and mean profile of each population."""
    count = len(crowd.names)
    sizes = np.bincount(crowd.populations, minlength=count).tolist()
    groups = _grouped(crowd)
    return [
        replies.PopulationFacts(
            index=k,
            name=name,
            count=sizes[k],
            to_come=crowd.to_come_of(k),
            **_plain(profile),
            behaviour=crowd.behaviours[k],
            grouped=k in groups,
        )
        for k, (name, profile) in enumerate(zip(crowd.names, crowd.profiles, strict=True))
    ]


def _plain(profile: Profile) -> dict[str, Any]:
    """Return the properties of a profile, the means of those that vary, as plain values."""
    values = asdict(profile) | {"follow": profile.follows}
    return {name: value[0] if isinstance(value, tuple) else value for name, value in values.items()}


def property_facts() -> list[replies.PropertyFacts]:
    """Return the declaration of each property of characters, for the forms of the page."""
    default = _plain(Profile())
    return [
        replies.PropertyFacts(
            name=name,
            label=declared.label or name.capitalize(),
            help=declared.help,
            kind=declared.kind,
            unit=declared.unit,
            slider=declared.slider,
            choices=list(declared.choices),
            default=default[name],
        )
        for name, declared in PROPERTIES.items()
    ]


def model_facts() -> list[replies.ModelFacts]:
    """Return name and label of each local model, for the list of the page."""
    return [
        replies.ModelFacts(
            name=name,
            label=model.label if model.name == name else name.replace("_", " ").title(),
        )
        for name, model in MODELS.items()
    ]


def model_name(crowd: Crowd) -> str | None:
    """Return the name of the crowd's local model; None if it has other parameters."""
    return next((name for name, model in MODELS.items() if model == crowd.model), None)


def obstacle(crowd: Crowd, request: requests.Obstacle) -> Answer:
    """Add, move or remove a dynamic obstacle."""
    number, at = request.id, request.at
    place: Any = at if at is None or request.floor is None else (*at, request.floor)
    if request.do == "add":
        if len(crowd.obstacle_ids) >= MAX_OBSTACLES:
            raise BadQuery(f"there are already {MAX_OBSTACLES} obstacles; remove one")
        number = crowd.add_obstacle(place, request.radius, velocity=request.velocity)
    elif request.do == "move":
        assert number is not None
        crowd.move_obstacle(number, place, request.velocity)
    else:
        assert number is not None
        crowd.remove_obstacle(number)
    return Answer(replies.Obstacle(id=number))


def character(crowd: Crowd, number: int) -> Answer:
    """Return the state of a character: its corridor, and the forces on it by name."""
    state = crowd.character(number)
    facts = replies.Character(
        id=state.id,
        position=replies.Place(*state.position),
        velocity=state.velocity,
        goal=None if state.goal is None else replies.Place(*state.goal),
        radius=state.radius,
        speed=state.speed,
        population=state.population,
        mode=state.mode,
        forces=list(state.forces),
        time=crowd.time,
        floor=state.floor,
        goal_floor=state.goal_floor,
    )
    arrays = {
        "points": state.corridor[:, :2],
        "radii": state.corridor[:, 2],
        "attraction": np.array(state.attraction or ()).reshape(-1, 2),
        "forces": np.array(list(state.forces.values())).reshape(-1, 2),
    }
    cmap = buildings.building_map(crowd.map)
    if cmap is not None:
        arrays["heights"] = cmap.building.heights(state.sheets, state.corridor[:, :2])
        arrays["sheets"] = state.sheets
    return Answer(facts, arrays)
