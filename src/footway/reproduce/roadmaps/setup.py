"""Environments, roadmaps, sizes and checks that the experiments with roadmaps share."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from footway.corridor import CorridorMap
from footway.environment import gallery
from footway.errors import BadQuery, NoPath
from footway.roadmap.lattice.grid import grid
from footway.roadmap.lattice.rrm import rrm
from footway.roadmap.lattice.rrm_star import rrm_star
from footway.roadmap.lattice.rrrm import retract
from footway.roadmap.measures import verify

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from footway.arrays import Floats
    from footway.environment import Environment, Volume
    from footway.roadmap import Roadmap


@dataclass(frozen=True)
class Effort:
    """Sizes of a run.

    Attributes:
        environments: keys of SETTINGS: the four, in the paper's order, the office twice.
        queries: random queries on each roadmap.
        grid_queries: the same on the grid roadmap, which is slow.
        rounds: of all queries.
        tries: random queries of figures 2 and 3.
        runs: of table III, by environment; as many as in the paper, but on the finer office.
    """

    environments: tuple[str, ...] = ("field", "office", "office-fine", "house", "quake")
    queries: int = 100
    grid_queries: int = 20
    rounds: int = 9
    tries: int = 400
    runs: Mapping[str, int] = field(
        default_factory=lambda: {
            "field": 100, "office": 100, "office-fine": 1, "house": 100, "quake": 100,
        }
    )  # fmt: skip


FULL: Final = Effort()

QUICK: Final = Effort(
    environments=("field", "house"), queries=10, grid_queries=2, rounds=1, tries=40,
    runs={"field": 2, "house": 2},
)  # fmt: skip

SEED: Final = 2006
USEFULNESS: Final = 1.5
"""The paper's K (section V.B.1)."""

METHODS: Final = ("GRM", "RRM", "RRM*", "RRRM")


class Setting(NamedTuple):
    """An environment, its moving object, and the cell size (table I)."""

    name: str
    resolution: float | None  # m; None: that of the volume
    radius: float  # m, of a disc; 0 for a box
    size: tuple[float, float, float] | None  # m, of a box
    fine: bool = False  # cells finer than the paper's

    @property
    def slug(self) -> str:
        """Name for files."""
        return f"{self.name}-fine" if self.fine else self.name

    @property
    def options(self) -> dict[str, Any]:
        """Keyword arguments of the methods."""
        if self.size is not None:
            return {"size": self.size}
        return {"resolution": self.resolution, "radius": self.radius}


SETTINGS: Final = {
    "field": Setting("field", 0.5, 0.5, None),
    "office": Setting("office", 0.5, 0.25, None),
    "office-fine": Setting("office", 0.2, 0.25, None, fine=True),
    "house": Setting("house", None, 0.0, (3.0, 3.0, 3.0)),
    "quake": Setting("quake", None, 0.0, (1.0, 1.0, 1.0)),
}
"""The office is used twice: the paper's cells close most of our doors, finer cells none."""


class Built(NamedTuple):
    """All roadmaps of an environment, and the construction time of each, s of CPU time."""

    setting: Setting
    environment: Environment | Volume
    roadmaps: dict[str, Roadmap]  # by name of the method
    seconds: dict[str, float]

    @property
    def name(self) -> str:
        """Name of the environment as in the paper, with the cell size if it is finer."""
        name = self.setting.name.capitalize()
        return f"{name}, cells of {self.setting.resolution:g} m" if self.setting.fine else name


@cache
def roadmaps_of(setting: Setting) -> Built:
    """Return the roadmaps of all methods (cached)."""
    return build_all(setting, gallery.make(setting.name))


def warm_up(setting: Setting) -> None:
    """Build roadmaps of a small environment, to load the compiled kernels."""
    small = build_all(
        setting._replace(size=setting.size and (1.0, 1.0, 1.0)), small_environment(setting)
    )
    pair = random_pairs(small.roadmaps["GRM"], 1)[0]
    for method in METHODS[1:]:
        find_path(corridors_of(small.roadmaps[method]), setting, pair)


def build_all(setting: Setting, environment: Environment | Volume) -> Built:
    """Build the roadmaps of all methods, and measure CPU times."""
    found: dict[str, Roadmap] = {}
    seconds: dict[str, float] = {}
    begin = time.process_time()
    found["GRM"] = grid(environment, **setting.options)
    seconds["GRM"] = time.process_time() - begin
    begin = time.process_time()
    found["RRM"] = rrm(environment, seed=SEED, **setting.options)
    seconds["RRM"] = time.process_time() - begin
    found["RRM*"] = rrm_star(found["RRM"], usefulness=USEFULNESS, seed=SEED)
    seconds["RRM*"] = time.process_time() - begin
    found["RRRM"] = retract(found["RRM*"])
    seconds["RRRM"] = time.process_time() - begin
    return Built(setting, environment, found, seconds)


def small_environment(setting: Setting) -> Environment | Volume:
    """Return a small environment with cycles, so that every kernel is called."""
    from footway.environment import Environment, Volume

    posts = [(4, 4, 6, 7), (9, 3, 11, 6), (4, 10, 7, 12), (10, 9, 12, 12)]
    if setting.size is None:
        rings = [[(a, b), (c, b), (c, d), (a, d)] for a, b, c, d in posts]
        return Environment.from_polygons(bounds=(0, 0, 16, 16), obstacles=rings)
    boxes = [(a, b, 0.0, c, d, 8.0) for a, b, c, d in posts]
    return Volume.from_boxes((0, 0, 0, 16, 16, 8), boxes, resolution=1.0)


def corridors_of(roadmap: Roadmap) -> Any:
    """Return the roadmap with clearance attached: CorridorMap or SpaceMap (section V.B.2)."""
    return CorridorMap.from_roadmap(roadmap)


def random_pairs(roadmap: Roadmap, count: int, *, seed: int = SEED) -> list[tuple[Floats, Floats]]:
    """Return pairs of connected points (d,): free corners of the lattice.

    `roadmap` is the grid roadmap, whose components are those of the lattice.
    """
    random = np.random.default_rng(seed)
    pairs: list[tuple[Floats, Floats]] = []
    while len(pairs) < count:
        a, b = random.integers(0, roadmap.n_nodes, 2)
        if a != b and roadmap.component[a] == roadmap.component[b]:
            pairs.append((roadmap.nodes[a], roadmap.nodes[b]))
    return pairs


def find_path(corridors: Any, setting: Setting, pair: tuple[Floats, Floats]) -> Any:
    """Return the path of a query for the object of the setting."""
    return corridors.path(*pair, radius=setting.radius)


_CLOSE: Final = 1e-6
"""m. Rounding, for distances of up to a kilometre."""


def faults(built: Built) -> list[str]:
    """Return which roadmaps do not cover or connect their space, or lost clearance."""
    wrong = []
    for method in ("RRM", "RRM*", "RRRM"):
        found = verify(built.roadmaps[method])
        if not found.holds:
            wrong.append(f"{built.name}, {method}: {found}")
    before, after = (built.roadmaps[method].edge_clearance for method in ("RRM*", "RRRM"))
    space = built.roadmaps["RRM*"].space
    accuracy = _CLOSE if space.dimension == 2 else 1e-3 * space.resolution  # of `edge_clearance`
    for edge in np.flatnonzero(after < before - accuracy):
        lost = before[edge] - after[edge]
        wrong.append(f"{built.name}, RRRM: edge {edge} has lost {lost:.4f} m of clearance")
    return wrong


def path_faults(
    corridors: Any, setting: Setting, pairs: Sequence[tuple[Floats, Floats]], what: str
) -> Iterator[str]:
    """Return which queries have no path, or one with wrong ends or too close to a wall."""
    for k, pair in enumerate(pairs):
        try:
            path = find_path(corridors, setting, pair)
        except (NoPath, BadQuery) as error:
            yield f"{what}, query {k}: {error}"
            continue
        ends = np.array([path.points[0], path.points[-1]])
        if np.abs(ends - np.array(pair)).max() > _CLOSE:
            yield f"{what}, query {k}: begins or ends elsewhere"
        clearance = float(corridors.clearance(_along(path.points)).min())
        if clearance < setting.radius - _CLOSE:
            yield f"{what}, query {k}: {clearance:.4f} m from a wall"


def _along(points: Floats) -> Floats:
    """Return points on a polyline, 0.1 m apart."""
    step = np.linalg.norm(np.diff(points, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(step)])
    at = np.union1d(along, np.arange(0.0, along[-1], 0.1))
    return np.column_stack([np.interp(at, along, column) for column in points.T])
