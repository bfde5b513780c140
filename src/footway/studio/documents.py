"""Documents of the studio: a map, a scenario or a recording."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from footway.environment.environment import SLOPE
from footway.environment.plan import Plan
from footway.errors import BadInput
from footway.recording.recorded_floors import check_building
from footway.studio import buildings
from footway.studio.protocol import replies
from footway.studio.protocol.wire import ZERO_ORIGIN, Origin, origin_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from footway.arrays import Floats
    from footway.corridor import CorridorMap
    from footway.corridor.building.map import BuildingMap
    from footway.crowd import Recording
    from footway.environment import Area, Building, Environment, TerrainRegion
    from footway.scenario import Scenario
    from footway.studio.edits import EditHistory

What = Literal["map", "scenario", "recording"]
SCENARIO: Final = ".toml"
RECORDING: Final = ".parquet"
_MAX_TILES: Final = 4  # tiles of the built-in city in each direction that a page can show
_MAX_SIDE: Final = 100_000.0  # m of a map: paths through larger ones take more than seconds
_MANY: Final = 500  # characters that the page adds by default on a large map
_SPACE: Final = 4.0  # m2 of a building for each of them, on a small one


@dataclass(frozen=True, eq=False)
class Document:
    """A map with its scenario or recording.

    Attributes:
        name: name of the file, or gallery:NAME, or demo:NAME.
        what: kind of document.
        environment: the map; None for a saved corridor map.
        corridors: the corridor map.
        scenario: the scenario, if it is one.
        recording: the recording, if it is one.
        is_edited: whether the map was edited in the studio.
        is_boxed: whether the map is unknown and replaced by a box around all characters.
        origin: origin of the coordinates on the wire, m.
        plan: the items that the map is drawn with; None if they follow from its walkable space.
        floor_plans: the same of floors of a building, by their numbers.
        closed: names of links of a building that are out of service.
    """

    name: str
    what: What
    environment: Environment | None
    corridors: CorridorMap
    scenario: Scenario | None = None
    recording: Recording | None = None
    is_edited: bool = False
    is_boxed: bool = False
    origin: Origin = ZERO_ORIGIN
    plan: Plan | None = None
    floor_plans: Mapping[int, Plan] = field(default_factory=dict)
    closed: frozenset[str] = frozenset()

    @property
    def building_map(self) -> BuildingMap | None:
        """The map of a building; None for a plan."""
        return buildings.building_map(self.corridors)

    @property
    def building(self) -> Building | None:
        """The building; None for a plan."""
        return None if self.building_map is None else self.building_map.building

    @cached_property
    def open_links(self) -> buildings.OpenLinks | None:
        """The map of a building without the links that are closed; None for a plan."""
        cmap = self.building_map
        return None if cmap is None else buildings.OpenLinks.of(cmap, self.closed)

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Bounding box (x0, y0, x1, y1), m."""
        if self.building is not None:
            return self.building.bounds
        return self.corridors.bounds if self.environment is None else self.environment.bounds

    @cached_property
    def balls(self) -> Floats:
        """(n, 3) x, y and clearance of points along the medial axis, m."""
        from footway.crowd.free_space import inscribed_balls

        return inscribed_balls(self.corridors).all

    @property
    def largest_radius(self) -> float:
        """Radius of the largest disc that fits somewhere, m."""
        return float(self.balls[:, 2].max())

    @cached_property
    def count_to_add(self) -> int:
        """Number of characters that the page adds by default: half of what fits, at most 500.

        In a building one for each 4 m2.
        """
        from footway.crowd.free_space import sample_free_space
        from footway.crowd.profile import Profile, mean_and_deviation

        if self.building is not None:
            return max(1, min(_MANY, int(self.building.area / _SPACE)))
        radius, _ = mean_and_deviation(Profile().radius)
        return max(1, min(_MANY, sample_free_space(self.corridors, None).capacity(radius) // 2))

    @property
    def locked(self) -> str | None:
        """Why the map cannot be edited; None if it can."""
        if self.recording is not None:
            return "it is a recording, with the map on which it was made; open a map or a scenario"
        if self.environment is None and self.building is None:
            return "a saved corridor map has no plan; open the file from which it was built"
        return None

    @property
    def terrain(self) -> tuple[TerrainRegion, ...]:
        """Terrain regions."""
        return self.environment.terrain if self.environment is not None else ()

    @cached_property
    def areas(self) -> list[tuple[Area, str | None]]:
        """Areas of the map, with their floors in a building."""
        if self.building is not None:
            return buildings.areas(self.building, self.scenario)
        env = self.environment
        return [] if env is None else [(area, None) for area in env.areas]

    @property
    def kinds(self) -> list[str]:
        """Kinds of terrain."""
        return [kind for kind in dict.fromkeys(t.kind for t in self.terrain) if kind != SLOPE]

    def prepare(self) -> None:
        """Compute what the page and the crowd need, ahead of use."""
        from footway.crowd.map_change import prepare

        prepare(self.corridors)
        self.facts()
        _ = self.open_links

    def facts(
        self,
        version: int = 0,
        opened: int = 0,
        history: EditHistory | None = None,
        recent: Sequence[replies.RecentFacts] = (),
    ) -> replies.Document:
        """Return facts for the page; bounds are relative to the origin."""
        from footway.environment.repair import repairs_to_list

        env, (x, y) = self.environment, self.origin
        building = self.building
        whole = env if building is None else building
        repairs = () if whole is None else whole.repairs
        x0, y0, x1, y1 = self.bounds
        return replies.Document(
            name=self.name,
            version=version,
            opened=opened,
            what=self.what,
            origin=(x, y),
            bounds=(x0 - x, y0 - y, x1 - x, y1 - y),
            area=None if whole is None else whole.area,
            holes=self.corridors.n_cycles if env is None else env.holes,
            kinds=self.kinds,
            areas=[
                replies.AreaFacts(
                    name=area.name, index=k, role=role_of(area.properties), floor=floor
                )
                for k, (area, floor) in enumerate(self.areas)
            ],
            repairs=[str(repairs[k]) for k in repairs_to_list(repairs)][:100],
            largest_radius=self.largest_radius,
            count_to_add=self.count_to_add,
            gallery=built_in(),
            recent=list(recent),
            locked=self.locked,
            boxed=self.is_boxed,
            edited=self.is_edited,
            undo=0 if history is None else len(history.before),
            redo=0 if history is None else len(history.after),
            floors=buildings.floor_facts(building),
            links=buildings.link_facts(building, self.closed),
        )


def role_of(properties: Any) -> str:
    """Return the role of an area: "spawn", "exit", "goal" or "area"."""
    role = str(properties.get("role", "area"))
    return role if role in ("spawn", "exit", "goal") else "area"


def built_in() -> list[str]:
    """Return names of the maps and scenarios that need no file.

    Example:
        >>> "gallery:city" in built_in(), "demo:evacuation" in built_in()
        (True, True)
    """
    from footway.environment import gallery
    from footway.scenario.reading import demo_names

    names = [name for name in gallery.names() if name not in ("house", "quake")]
    maps = [f"gallery:{name}" for name in (*names, *gallery.buildings())]
    return maps + [f"demo:{name}" for name in demo_names()]


def is_built_in(name: str) -> bool:
    """Return whether a document needs no file."""
    return name.startswith(("gallery:", "demo:"))


def open_built_in(name: str) -> Document:
    """Open gallery:NAME or demo:NAME.

    Raises:
        BadInput: there is no such map or scenario, or it is too large for a page.

    Example:
        >>> open_built_in("gallery:field").what
        'map'
    """
    tiles = name.removeprefix("gallery:city:").split("x")[0]
    if tiles.isdigit() and int(tiles) > _MAX_TILES:
        raise BadInput(f"{name}: is too large for a page; use city:{_MAX_TILES}x{_MAX_TILES}")
    if not is_built_in(name):
        raise BadInput(f"{name}: is not built in; there are {', '.join(built_in())}")
    return open_document(name)


def open_document(
    name: str,
    *,
    map_name: str | None = None,
    scale: float | None = None,
    between: tuple[float, float] | None = None,
    up: str | None = None,
    display_name: str | None = None,
) -> Document:
    """Open a map file, a scenario (.toml), a recording (.parquet), gallery:NAME or demo:NAME.

    Args:
        name: name of the file.
        map_name: map of a recording; by default the one in it; in an old file without one, the
            built-in map that it names, or a box around all characters.
        scale: metres per cell, pixel or unit of a map file.
        between: heights, m, between which a plan is cut out of a three-dimensional map.
        up: axis of a mesh that points up, "y" or "z".
        display_name: name that the page shows; by default that of the file.

    Raises:
        BadInput: what is wrong with the file, on one line.
    """
    how = Reading(scale, between, up)
    suffix = Path(name).suffix.lower()
    display_name = display_name or (name if ":" in name else Path(name).name)
    if name.startswith("demo:") or (suffix == SCENARIO and not is_toml_building(name)):
        made = _scenario(name, display_name)
    elif suffix == RECORDING:
        made = _recording(name, display_name, map_name, how)
    else:
        made = _map(name, display_name, how)
    if map_name is not None and made.recording is None:
        raise BadInput(f"{name}: is not a recording; leave --map out")
    x0, y0, x1, y1 = made.bounds
    if max(x1 - x0, y1 - y0) > _MAX_SIDE:
        raise BadInput(
            f"{name}: is wider than the {_MAX_SIDE / 1000:g} km that a page can show; cut out a "
            "part, or check that its unit is metres"
        )
    return replace(made, origin=origin_of(made.bounds))


def is_toml_building(name: str) -> bool:
    """Return whether a TOML file is a building, which lists floors, and not a scenario.

    A scenario in a building has a table of floors: those of its areas.
    """
    try:
        found = tomllib.loads(Path(name).read_text(encoding="utf-8-sig"))
        return isinstance(found.get("floor"), list)
    except (OSError, ValueError):
        return False  # `load_scenario` says what is wrong


class Reading(NamedTuple):
    """How a map file is read: see `open_document`."""

    scale: float | None
    between: tuple[float, float] | None
    up: str | None


def _map(name: str, display_name: str, how: Reading) -> Document:
    from footway.corridor import CorridorMap
    from footway.environment import Building, Environment
    from footway.formats.geojson import FORMAT as GEOJSON
    from footway.formats.geojson import load_items
    from footway.formats.registry import is_saved, load

    if is_saved(name):
        saved = CorridorMap.load(name)
        if not isinstance(saved, CorridorMap):
            raise BadInput(f"{name}: is a roadmap in three dimensions; the studio shows plans")
        return Document(display_name, "map", None, saved)
    env = load(name, **how._asdict())
    if isinstance(env, Building):
        return Document(display_name, "map", None, CorridorMap.build(env))
    if not isinstance(env, Environment):
        raise BadInput(
            f"{name}: is three-dimensional; give --between LOW,HIGH to cut a plan out of it"
        )
    plan = None
    if Path(name).suffix.lower() in GEOJSON.suffixes:
        plan = Plan.matching(load_items(Path(name), how.scale, env), env)
    return Document(display_name, "map", env, CorridorMap.build(env), plan=plan)


def _scenario(name: str, display_name: str) -> Document:
    from footway.scenario import load_scenario
    from footway.scenario.building import open_map, with_areas

    scenario = load_scenario(name)
    prepared = open_map(scenario)
    env = with_areas(scenario, prepared.environment)
    return Document(display_name, "scenario", env, prepared.corridors, scenario=scenario)


def _recording(name: str, display_name: str, map_name: str | None, how: Reading) -> Document:
    from footway.crowd import Recording
    from footway.recording.trajectories import check_clear

    recording = Recording.load(name)
    if not recording.n_frames:
        raise BadInput(f"{name}: has no frames; there is nothing to replay")
    if map_name is not None:
        document = _map(map_name, map_name, how)
        _check_floors(recording, document, map_name)
        if document.building is None:
            check_clear(recording, document.corridors, map_name)
    elif recording.floor_names:
        document = _own_building(recording, name)
    else:
        document = _own_map(recording)
    return replace(document, name=display_name, what="recording", recording=recording)


def _check_floors(recording: Recording, document: Document, map_name: str) -> None:
    """Refuse the plan of one floor for a building, and the other way round."""
    building, names = document.building, recording.floor_names
    if building is not None and names:
        check_building(recording, building, map_name)
    elif building is not None:
        raise BadInput(
            f"{map_name}: is a building, and the recording is of one floor: give its plan"
        )
    elif names:
        raise BadInput(
            f"{map_name}: is a plan of one floor, and the recording is of a building with "
            f"{', '.join(names)[:200]}: leave --map out, or give the building"
        )


def _own_building(recording: Recording, name: str) -> Document:
    """Return the building in a recording, or the built-in one that it names."""
    from footway.corridor import CorridorMap

    building, own = recording.building, recording.map_name
    if building is None:
        given = f"gallery:{own.removeprefix('gallery:')}"
        if given not in built_in():
            raise BadInput(f"{name}: has no map: give that of its building with --map FILE")
        document = open_built_in(given)
        _check_floors(recording, document, given)
        return document
    check_building(recording, building, name)
    return Document(own, "recording", None, CorridorMap.build(building))


def _own_map(recording: Recording) -> Document:
    """Return the map in a recording, or the built-in map that it names, or a box around all."""
    from footway.corridor import CorridorMap
    from footway.environment import Environment
    from footway.recording.trajectories import box_of, check_clear

    name = recording.map_name
    if recording.environment is not None:
        own = recording.environment
        return Document(name, "recording", own, CorridorMap.build(own))
    given = f"gallery:{name.removeprefix('gallery:')}"
    if name == given or given in built_in():
        try:
            document = open_built_in(given)
            check_clear(recording, document.corridors, name)
        except BadInput:
            pass  # a different map of the same name
        else:
            return document
    if not len(recording.characters.ids):
        env = Environment.from_polygons(bounds=(0, 0, 10, 10), name=name)
    else:
        env = Environment.from_polygons(box_of(recording).buffer(1.0), name=name)
    return Document(name, "recording", env, CorridorMap.build(env), is_boxed=True)
