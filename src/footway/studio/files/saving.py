"""Save the document as GeoJSON, scenario or recording, and the live recording."""

from __future__ import annotations

import math
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import tomli_w

from footway.crowd.models import MODELS, LocalModel, describe_model
from footway.crowd.profile import PROPERTIES
from footway.errors import BadInput
from footway.studio.documents import is_built_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from footway.crowd.models import UserModel
    from footway.crowd.obstacles import Obstacle
    from footway.studio.crowd_thread import LiveRecording
    from footway.studio.documents import Document
    from footway.studio.protocol import requests

_TABLES = ("population", "source", "group", "obstacle", "terrain", "closure")
_USUAL = MODELS["social_force"]


class File(NamedTuple):
    """A file to download."""

    name: str
    content: bytes | BinaryIO  # open, because the file may be deleted before it is sent
    kind: str  # media type


def as_geojson(document: Document) -> File:
    """Return the map as GeoJSON in local metres, which `footway.load` reads."""
    from footway.formats.geojson import save_geojson

    whole = document.environment if document.building is None else document.building
    if whole is None:
        raise BadInput(f"{document.name}: is a saved corridor map; it cannot become GeoJSON")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "map.geojson"
        save_geojson(whole, path, plan=document.plan)
        return File(f"{stem(document)}.geojson", path.read_bytes(), "application/geo+json")


def as_live_recording(live_recording: LiveRecording | None) -> File:
    """Return the live recording as an open file, which the caller closes."""
    if live_recording is None:
        raise BadInput("nothing is recorded; start a recording of the crowd first")
    if live_recording.is_running:
        raise BadInput("the recording is still running; stop it before you save it")
    try:
        content = live_recording.file.open("rb")
    except OSError as error:
        raise BadInput(
            f"the recording was deleted: {error.strerror}; record the crowd again"
        ) from None
    return File(f"{live_recording.name}.parquet", content, "application/octet-stream")


def as_recording(document: Document) -> File:
    """Return the open recording as Parquet."""
    if document.recording is None:
        raise BadInput(f"{document.name}: is not a recording; open one, or record the crowd")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.parquet"
        document.recording.save(path)
        return File(f"{stem(document)}.parquet", path.read_bytes(), "application/octet-stream")


def as_scenario(
    document: Document,
    roster: Iterable[requests.Population],
    *,
    seed: int,
    obstacles: Iterable[Obstacle],
    model: LocalModel | UserModel = _USUAL,
) -> File:
    """Return map, populations and obstacles as a scenario, for `footway simulate`.

    The scenario refers to an edited map by the name of the file that `as_geojson` returns: keep
    both in one folder.
    """
    given = document.scenario
    values: dict[str, Any] = {} if given is None else given.model_dump(exclude_unset=True)
    values |= {"map": _map_name(document), "seed": seed}
    if isinstance(model, LocalModel) and ("model" in values or model != _USUAL):
        values["model"] = describe_model(model)
    values.setdefault("title", f"From Footway studio: {document.name}"[:200])
    if _has_own_map(document):
        if document.building is None:
            values.pop("area", None)  # these are in the GeoJSON file
        values.pop("terrain", None)
        values.pop("roadmap", None)  # an edited map is exact
        values.pop("scale", None)
    profiles = {} if given is None else dict(values.get("profile", {}))
    roster = list(roster)
    people = [_population(request, profiles) for request in roster]
    if document.building is not None:
        for keys, request in zip(people, roster, strict=True):
            _name_floors(document, values, keys, request)
    values["population"] = [*values.get("population", ()), *people]
    if profiles:
        values["profile"] = profiles
    values["obstacle"] = [_obstacle(document, obstacle) for obstacle in obstacles]
    closures = [{"link": name} for name in sorted(document.closed)]
    values["closure"] = [*values.get("closure", ()), *closures]
    if not any(values.get(kind) for kind in ("population", "source", "group")):
        raise BadInput("the crowd is empty; add a population before you save a scenario")
    return File(f"{stem(document)}.toml", toml(values).encode(), "application/toml")


def _has_own_map(document: Document) -> bool:
    """Return whether the map must be saved with the scenario."""
    return document.is_edited or not is_built_in(document.name)


def _map_name(document: Document) -> str:
    if _has_own_map(document):
        return f"{stem(document)}.geojson"
    return document.name if document.scenario is None else document.scenario.map


def stem(document: Document) -> str:
    """Return a name for files: letters, digits and dashes."""
    name = re.sub(r"\.[A-Za-z0-9]{1,8}$", "", document.name).removeprefix("gallery:")
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name.removeprefix("demo:")).strip("-")[:80] or "map"


def _population(request: requests.Population, profiles: dict[str, Any]) -> dict[str, Any]:
    """Return the scenario keys of a population; add a profile to `profiles` if it needs one."""
    own = {name for name, declared in PROPERTIES.items() if declared.column is not None}
    keys = request.model_dump(include={"name", "count", "area"} | own, exclude_none=True)
    keys["behaviour"] = request.behaviour
    others = request.model_dump(include=PROPERTIES.keys() - own, exclude_none=True)
    if any(others.values()):
        keys["profile"] = f"{request.name or 'people'} {len(profiles) + 1}"[:200]
        profiles[keys["profile"]] = others
    if request.goal is not None:
        keys["destinations"] = [request.goal]
    if request.behaviour == "goals":
        keys["then"] = request.then
    return keys


def _name_floors(
    document: Document, values: dict[str, Any], keys: dict[str, Any], request: requests.Population
) -> None:
    """Name area and goal of a population in a building so that a scenario finds their floors.

    An area whose name other floors have, too, gets another name in `values`.
    """
    keys.pop("area", None)
    keys.pop("destinations", None)
    area = _named(document, values, request.area, request.floor)
    if request.goal is not None and not isinstance(request.goal, str):
        goal: Any = [request.goal.x, request.goal.y, request.goal_floor]
    else:
        goal = _named(document, values, request.goal, request.goal_floor)
    if area is not None:
        keys["area"] = area
    if goal is not None:
        keys["destinations"] = [goal]


def _named(
    document: Document, values: dict[str, Any], name: str | None, floor: str | None
) -> str | None:
    """Return the name of an area of a floor, or of a floor, in the scenario."""
    if name is None or floor is None:
        return name if name is not None else floor
    floors = {where for area, where in document.areas if area.name == name}
    if len(floors) == 1:
        return name
    parts = [area.polygon for area, where in document.areas if (area.name, where) == (name, floor)]
    own = f"{name}, floor {floor}"
    if len(parts) > 1 or parts[0].geom_type != "Polygon" or parts[0].interiors:
        raise BadInput(
            f"the area {name!r} of floor {floor!r} has several parts or holes, and a scenario "
            "knows it by its name only, which other floors have, too: use another area"
        )
    ring = [[x, y] for x, y, *_ in parts[0].exterior.coords[:-1]]
    values["area"] = dict(values.get("area", {})) | {own: ring}
    values["floor"] = dict(values.get("floor", {})) | {own: floor}
    return own


def _obstacle(document: Document, obstacle: Obstacle) -> dict[str, Any]:
    """Return the scenario keys of an obstacle; those with the default value are omitted."""
    building = document.building
    floor = () if building is None else (building.name_of(obstacle.sheet),)
    keys = {"at": (*obstacle.at, *floor), "radius": obstacle.radius}
    defaults = {"velocity": (0.0, 0.0), "appears": 0.0, "vanishes": math.inf}
    own = {key: getattr(obstacle, key) for key in defaults}
    return keys | {key: value for key, value in own.items() if value != defaults[key]}


def toml(values: dict[str, Any]) -> str:
    """Return values as TOML: plain keys first, then tables, then lists of tables.

    Example:
        >>> print(toml({"map": "gallery:field", "population": [{"count": 5}]}))
        map = "gallery:field"
        <BLANKLINE>
        [[population]]
        count = 5
        <BLANKLINE>
    """
    text = tomli_w.dumps({key: value for key, value in values.items() if key not in _TABLES})
    for key in _TABLES:
        for row in values.get(key, ()):
            # Lists of short tables would be written on one line, where errors have no line number.
            text += "\n" + tomli_w.dumps({key: row}).replace(f"[{key}]", f"[[{key}]]", 1)
    return text
