"""Schema of a checkpoint, and consistency checks of its arrays before kernels use them.

Values that follow from the map or from other arrays are not stored but computed again: the samples
of the map, positions of places on its axis, memory layout of the paths, slots of the characters. So
fewer values can contradict each other. Some columns of `track` and `story` (see `state`) differ:

    AT          for members of a group: relative to the beginning of the group's corridor
    NEXT, ROUTE 0; the remaining half-edges of all paths are in `routes`, in the order of slots
    ROUTE_SIZE  1 for characters with a path
    FINAL       0 for characters on a route over terrain: their guide is found by id
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from footway import archive
from footway.archive import (
    Array,
    Damaged,
    Either,
    Names,
    Number,
    OneOf,
    Whole,
    flags,
    indices,
)
from footway.crowd.goals import Population
from footway.crowd.kernels.avoidance import RANGE
from footway.crowd.kernels.tracks import WANDERS
from footway.crowd.profile import PROPERTIES
from footway.crowd.simulation import MODELS
from footway.crowd.state import (
    AT,
    BODY_COLUMNS,
    END,
    FINAL,
    GOAL,
    GONE,
    GROUP,
    GUIDED,
    HALF,
    ID,
    LEFT,
    MODE,
    POPULATION,
    REACH,
    ROOM,
    ROUTE_SIZE,
    UNREACHABLE,
    VX,
    VY,
    WALKING,
)
from footway.validation import FARTHEST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.crowd.profile import Property
    from footway.crowd.tracks import Tracks

    Arrays = dict[str, NDArray[Any]]
    Ints = NDArray[np.integer[Any]]

_INT = 2**31 - 1
_LONGEST = 1e12  # s
_FAST = 100.0  # m/s: above the limits of a profile with its deviation
_WIDE = 3.0 * PROPERTIES["radius"].high  # m, a mean with two deviations
_TINY = 1e-9  # above 0
_ANYWHERE = 1e22  # m: FARTHEST m/s for _LONGEST s
_BESIDE = 1.0  # m, tolerance around the bounds of the map

_COORDINATE, _LENGTH = Number(-FARTHEST, FARTHEST), Number(math.ulp(0.0), FARTHEST)
_COUNT, _TIME = Whole(0, 2**62), Number(0.0, math.inf)
_PLACES = (Whole(0, _INT), Whole(1, _INT))  # first, and how many
_SPREAD = Either((Number(-_FAST, _FAST), (Number(-_FAST, _FAST), Number(-_FAST, _FAST))))
_WEIGHTS = Names(Number(_TINY, 1e9))


def _of_property(declared: Property) -> Any:
    """Return the schema of a property of a profile."""
    if declared.kind == "number":
        return _SPREAD if declared.varies else Number(_least(declared), declared.high)
    return _WEIGHTS if declared.kind == "weights" else OneOf((None, *declared.choices))


def _least(declared: Property) -> float:
    return _TINY if declared.above == 0.0 else declared.low


def _limits_of_bodies() -> dict[str, Any]:
    """Return the limits of the columns of `State.body`."""
    limits = {VX: (-_FAST, _FAST), VY: (-_FAST, _FAST), ROOM: (-FARTHEST, FARTHEST)}
    limits[REACH] = (0.0, FARTHEST)
    for declared in PROPERTIES.values():
        if declared.column is not None:
            # A mean and two deviations are at most three times the limit.
            times = 3.0 if declared.varies else 1.0
            limits[declared.column] = (times * _least(declared), times * declared.high)
    least, most = zip(*(limits[column] for column in range(BODY_COLUMNS)), strict=True)
    return {"least": least, "most": most}


_BODY = _limits_of_bodies()
_PROFILE = {name: _of_property(declared) for name, declared in PROPERTIES.items()}


KIND = archive.Kind(
    format="footway-crowd",
    version=5,
    name="checkpoint",
    remedy="run the crowd again",
    arrays={
        "place": Array("<f8", ("slots", 4), nan=True),
        "body": Array("<f4", ("slots", BODY_COLUMNS), **_BODY),
        "track": Array(
            "<i4",
            ("slots", 10),
            (0, 0, -1, 0, GUIDED, 0, GONE, 0, -1, 0),
            (_INT, _INT, _INT, 0, _INT, _INT, UNREACHABLE, "next", "groups", _INT),
        ),
        "story": Array(
            "<i4", ("slots", 8), 0, ("populations", _INT, _INT, _INT, 0, 1, _INT, _INT)
        ),
        "anchor": Array("<f8", ("slots", 2)),
        "routes": Array("<i4", ("route",), 0, _INT),
        "points": Array("<f8", ("places", 2)),
        "reach": Array("<f4", ("places",), 0.0),
        "weights": Array("<f4", ("weights", "edges"), 0.0, 1e30),
        "queue": indices("next", "queue"),
        "keep": flags("queue"),
        "guide_marks": Array("<f8", ("guides", 8)),
        "guide_notes": Array(
            "<i4",
            ("guides", 8),
            (0, 0, 0, 2, 1, 0, -1, 0),
            ("next", "manners", _INT, _INT, _INT, _INT, _INT, 2),
        ),
        "guide_pool": Array("<f8", ("rows", 4), most=1e16),
        "group_sizes": Array("<i8", ("groups", 3), 0, _INT),
        "group_ids": indices("next", "members"),
        "group_balls": Array("<f8", ("balls", 3)),
        "group_edges": indices("edges", "passed"),
        "source_sizes": Array("<i8", ("sources", 2), 0, _INT),
        "source_ids": indices("next", "to_come"),
        "source_times": Array("<f8", ("to_come",), 0.0, _LONGEST),
        "source_begin": Array("<i4", ("to_come",), 0, _INT),
        "source_waits": flags("to_come"),
        "source_body": Array("<f4", ("to_come", BODY_COLUMNS), **_BODY),
        "source_points": Array("<f8", ("starts", 2)),
        "seen": Array("<f8", ("discs", 5), -_ANYWHERE, _ANYWHERE),
    },
    facts={
        "map": str,
        "edges": Whole(1, _INT),
        "seed": Whole(0, _INT),
        "step": Number(0.001, 1.0),
        "avoidance": OneOf(tuple(MODELS)),
        "steps": Whole(0, _INT - 2**20),
        "next": Whole(0, 10**8),
        "arrivals": _COUNT,
        "exited": _COUNT,
        "widest": Number(0.25, _WIDE),
        "close": Number(0.0, RANGE),
        "populations": [
            (
                str, OneOf(("goals", "wander")), [[_PLACES]], bool, bool, Whole(0, _INT),
                OneOf(("repeat", "stay", "exit")), Number(_TINY, math.inf), Whole(0, _INT),
                Whole(-1, _INT), _PROFILE,
            )
        ],
        "manners": [
            (
                OneOf(("miran", "irm")), Number(_TINY, 1e6), Number(_TINY, 1e6),
                Number(_TINY, 1e6), Number(_TINY, _WIDE), _WEIGHTS,
            )
        ],
        "pools": [(Number(_TINY, _WIDE), *_PLACES)],
        "groups": [((Number(_TINY, math.inf),) * 3, _COUNT)],
        "obstacles": [
            (
                Whole(0, 2**62),
                {
                    "at": (_COORDINATE, _COORDINATE), "radius": _LENGTH,
                    "velocity": (_COORDINATE, _COORDINATE), "appears": _TIME, "vanishes": _TIME,
                    "since": Number(0.0, _LONGEST),
                },
            )
        ],
        "next_obstacle": Whole(0, 2**62),
        "sources": [Whole(-1, _INT)],
    },
)  # fmt: skip


def require(holds: Any, what: str) -> None:
    """Raise Damaged if a condition does not hold."""
    if not holds:
        raise Damaged(f"{what} do not fit each other")


def split(rows: NDArray[Any], sizes: Ints) -> list[NDArray[Any]]:
    """Split rows into consecutive parts of the given sizes."""
    require(int(sizes.sum()) == len(rows), "its arrays")
    return np.split(rows, np.cumsum(sizes)[:-1]) if len(sizes) else []


def check_facts(facts: dict[str, Any], arrays: Arrays) -> list[Population]:
    """Check that the facts are consistent, and return the populations."""
    places, weights, styles = len(arrays["points"]), len(arrays["weights"]), len(facts["manners"])
    populations = [Population.from_list(values) for values in facts["populations"]]
    pools = [(first, size) for _, first, size in facts["pools"]]
    for population in populations:
        require(population.row < weights and population.style < styles, "its populations")
        require(population.stages and all(population.stages), "its populations")
        if population.behaviour == "goals":
            pools += [pool for alternatives in population.stages for pool in alternatives]
    require(all(first + size <= places for first, size in pools), "its places")
    numbers = [number for number, _ in facts["obstacles"]]
    is_known = (
        len(set(numbers)) == len(numbers) and max(numbers, default=-1) < facts["next_obstacle"]
    )
    require(is_known, "its obstacles")
    for _, sigma, spacing, *_ in facts["manners"]:
        require(spacing <= sigma <= 1e6 * spacing, "its habits on terrain")
    require(all(k < len(populations) for k in facts["sources"]), "its sources")
    return populations


def check_arrays(
    arrays: Arrays, populations: list[Population], tracks: Tracks, bounds: tuple[float, ...]
) -> None:
    """Check that characters, paths, goals and the map are consistent."""
    place, track = arrays["place"], arrays["track"]
    is_there = track[:, MODE] != GONE
    ids = track[is_there, ID]
    require(len(np.unique(ids)) == len(ids), "its ids")
    for points in (place[:, :2], arrays["anchor"], arrays["points"], arrays["source_points"]):
        low, high = np.array(bounds[:2]) - _BESIDE, np.array(bounds[2:]) + _BESIDE
        require(((points >= low) & (points <= high)).all(), "its places and the map")
    has_goal = (track[:, HALF] >= 0) & (track[:, LEFT] != WANDERS)
    require(np.isfinite(place[has_goal, 2:]).all(), "its goals")
    require((arrays["seen"][:, 4] > 0.0).all(), "its obstacles")
    _check_paths(arrays, tracks)
    _check_goals(arrays, populations)


def _check_paths(arrays: Arrays, tracks: Tracks) -> None:
    """Check that characters outside groups are on edges of the map, where their paths continue."""
    track, routes = arrays["track"], arrays["routes"]
    left, half = track[:, LEFT], track[:, HALF]
    halves = 2 * len(tracks.first)
    is_alone = track[:, GROUP] < 0
    require((half[is_alone] < halves).all() and (routes < 2 * arrays["weights"].shape[1]).all(),
            "its paths and the map")  # fmt: skip
    on = is_alone & (half >= 0)
    first, last = tracks.first[half[on] >> 1], tracks.last[half[on] >> 1]
    at, end = track[on, AT], track[on, END]
    require(((first <= at) & (at <= last) & (first <= end) & (end <= last)).all(), "its paths")
    require(np.where(half[on] & 1, at >= end, at <= end).all(), "its paths")
    require((half[(track[:, MODE] == WALKING) & is_alone] >= 0).all(), "its paths")
    goes_on = left > 0
    require(is_alone[goes_on].all() and (half[goes_on] >= 0).all(), "its paths")
    require((arrays["story"][goes_on, ROUTE_SIZE] == 1).all(), "its paths")
    require(int(left[goes_on].sum(dtype=np.int64)) == len(routes), "its paths")
    ends = routes[np.cumsum(left[goes_on], dtype=np.int64) - 1] >> 1
    final = track[goes_on, FINAL]
    require(((tracks.first[ends] <= final) & (final <= tracks.last[ends])).all(), "its paths")
    wanders = left == WANDERS
    require(is_alone[wanders].all() and (half[wanders] >= 0).all(), "its wanderers")
    require((track[wanders, FINAL] < len(arrays["weights"])).all(), "its wanderers")
    require((arrays["weights"][:1] == tracks.weights[:1]).all(), "its wanderers and the map")


def _check_goals(arrays: Arrays, populations: list[Population]) -> None:
    """Check that characters with goals, and those in the queue, have valid places to go to."""
    track, story = arrays["track"], arrays["story"]
    is_there = track[:, MODE] != GONE
    ids, whose = track[is_there, ID], story[is_there, POPULATION]
    require((story[:, GOAL] < max(1, len(arrays["points"]))).all(), "its places")
    for number, population in enumerate(populations):
        if population.has_own_goals:
            own = ids[whose == number] - population.first
            size = min(alternatives[0].size for alternatives in population.stages)
            require(((own >= 0) & (own < size)).all(), "its goals")
    seeks = np.array([p.behaviour == "goals" for p in populations], bool)
    waits = np.isin(ids, arrays["queue"])
    require(seeks[whose[waits]].all(), "its queue")
    require((track[is_there, GROUP][waits] < 0).all(), "its queue")
    grouped = np.isin(ids, arrays["group_ids"])
    require(seeks[whose[grouped]].all(), "its groups")
    for needed in (arrays["group_ids"], arrays["queue"]):
        require(len(np.unique(needed)) == len(needed), "its ids")


def check_groups(arrays: Arrays) -> None:
    """Check that exactly the members of a group with a corridor are in that corridor."""
    track = arrays["track"]
    members, balls = (
        split(arrays[name], arrays["group_sizes"][:, k])
        for k, name in enumerate(("group_ids", "group_balls"))
    )
    belongs = np.full(len(track), -1)
    for number, (ids, corridor) in enumerate(zip(members, balls, strict=True)):
        mine = np.isin(track[:, ID], ids) & (track[:, MODE] != GONE)
        belongs[mine] = number if len(corridor) else -1
        require((track[mine, AT] < max(1, len(corridor))).all() or not len(corridor), "its groups")
        require((corridor[:, 2] >= 0.0).all(), "its groups")
    require((belongs == track[:, GROUP]).all(), "its groups")
    require((track[belongs >= 0, LEFT] == 0).all(), "its groups")
