"""`footway warmup`: compile every kernel ahead of time."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footway.cli.maps import JsonOption  # noqa: TC001 - Typer reads it at run time
from footway.cli.output import Steps, announced_compilation, milliseconds, print_json, print_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from footway.corridor import Corridor, CorridorMap
    from footway.environment import Environment, Volume


def warmup(*, json: JsonOption = False) -> None:
    """Compile every kernel ahead of time.

    No later command has to wait then. Compiled kernels are kept in ~/.cache/footway;
    FOOTWAY_JIT_CACHE=DIR puts them elsewhere.
    """
    steps = Steps()
    with announced_compilation(), steps.step("warmup", "Compiling kernels"):
        with _meanwhile(_use_ground_and_roads):
            _use_maps()
        _use_ground_and_roads()
    answer = _as_json(steps)
    if json:
        print_json(answer)
        return
    kept = f", kept in {answer['cache']}" if answer["cache"] else ""
    print_lines([f"All kernels are ready after {milliseconds(steps.seconds['warmup'])}{kept}"])


def _as_json(steps: Steps) -> dict[str, Any]:
    from footway._jit import cache_directory

    cache = cache_directory()
    return {"times_ms": steps.in_ms(), "cache": str(cache) if cache else None}


@contextmanager
def _meanwhile(use: Callable[[], None]) -> Iterator[None]:
    """Call a function of this module in another process: compilation takes one core.

    Only where kernels are kept and there are two cores. What goes wrong there goes wrong here
    again, when this process uses the same, and is told then.
    """
    from footway._jit import cache_directory, thread_count

    cache = cache_directory()
    if cache is None or thread_count() < 2:
        yield
        return
    code = f"from {use.__module__} import {use.__name__} as use; use()"
    with subprocess.Popen(  # noqa: S603 - this Python, and a fixed function
        [sys.executable, "-P", "-c", code],
        env=os.environ | {"FOOTWAY_JIT_CACHE": str(cache.parent)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as other:
        try:
            yield
            other.wait()
        finally:
            other.kill()


def _use_maps() -> None:
    """Ask a small map everything once, then walk in crowds: about half of all compilation."""
    from footway.corridor import CorridorMap
    from footway.io import load

    cmap = CorridorMap.build(load("gallery:field"))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "field.fwmap"
        cmap.save(file)
        loaded = CorridorMap.load(file)
    assert isinstance(loaded, CorridorMap)
    _ask_everything(loaded)
    _walk_on_terrain()


def _use_ground_and_roads() -> None:
    """Use routes over the ground and roadmaps: first of all what maps have nothing to do with.

    So two processes that begin at the same time compile nothing twice.
    """
    _use_terrain()
    _use_roadmaps()


def _ask_everything(cmap: CorridorMap) -> None:
    from footway.follow import cmm_batch

    x0, y0, x1, y1 = cmap.bounds
    start, goal = cmap.retract([(x0 + 1.0, y0 + 1.0), (x1 - 1.0, y1 - 1.0)])
    cmap.clearance([start])
    cmap.nearest_obstacle([start])
    cmap.locate([start])
    cmap.path(start, goal, radius=0.1)
    cmap.path(start, goal, radius=0.1, clearance=0.3)
    cmap.paths([start], [goal], radius=0.1)
    cmap.corridor(start, goal, radius=0.1, around="path")
    cmap.bottleneck(start, goal)
    cmap.axis()
    cmap.balls(0.9)
    _walk_every_way(cmap.corridor(start, goal, radius=0.1))
    cmm_batch(cmap, [start], [goal], radius=0.1)
    _walk_in_a_crowd(cmap)


def _walk_every_way(corridor: Corridor) -> None:
    """Walk past a disc that stands half-way, in the plane and in space."""
    from footway.corridor import Corridor
    from footway.follow import Disc, cmm, variations

    middle = len(corridor.radii) // 2
    disc = Disc(at=tuple(corridor.backbone[middle]), radius=0.1 * corridor.radii[middle])
    for walk in (
        cmm(corridor, shortcut=0.1, noise=0.1, lane=0.1, corner=0.1, obstacles=[disc]),
        cmm(corridor, obstacles=[disc], avoid="corridor"),
        cmm(corridor, forces=[lambda moment: 0.0 * moment.velocity]),
        *variations(corridor, 2).walks,
    ):
        assert walk.clearance >= 0
        assert walk.gap >= 0
    high = [(0.0, 0.0, 0.0), (0.5, 0.0, 0.5), (1.0, 0.0, 1.0)]
    assert cmm(Corridor.from_balls(high, [1.0, 1.0, 1.0], radius=0.1)).clearance >= 0


def _use_roadmaps() -> None:
    """Build and ask a small roadmap, in the plane and in space."""
    from footway.corridor import CorridorMap
    from footway.environment import Environment, Volume
    from footway.roadmap.measures import shortest_path_factor
    from footway.roadmap.retraction import rrrm
    from footway.roadmap.verify import verify

    posts = [(4, 4, 6, 7), (9, 3, 11, 6), (4, 10, 7, 12), (10, 9, 12, 12)]
    rings = [[(a, b), (c, b), (c, d), (a, d)] for a, b, c, d in posts]
    flat = Environment.from_polygons(bounds=(0, 0, 16, 16), obstacles=rings)
    boxes = [(a, b, 0.0, c, d, 5.0) for a, b, c, d in posts]
    high = Volume.from_boxes((0, 0, 0, 16, 16, 5), boxes, resolution=1.0)
    _use_blends(flat)
    _use_one_road(high)
    for roadmap in (rrrm(flat, radius=0.5), rrrm(high, size=(1, 1, 1))):
        assert verify(roadmap).holds
        shortest_path_factor(roadmap)
        cmap = CorridorMap.from_roadmap(roadmap)
        start, goal = roadmap.nodes[0], roadmap.nodes[-1]
        cmap.path(start, goal, radius=0.0)
        cmap.corridor(start, goal, radius=0.0)


def _use_one_road(high: Volume) -> None:
    """Ask a roadmap of one long edge in space, from which not every corner is seen."""
    from footway.corridor import CorridorMap
    from footway.roadmap import Roadmap
    from footway.roadmap.space import make_space

    ends = [(2.0, 2.0, 2.0), (14.0, 2.0, 2.0)]
    roadmap = Roadmap.make(ends, [(0, 1)], make_space(high, radius=0.4), method="rrrm")
    assert CorridorMap.from_roadmap(roadmap).corridor(*ends, radius=0.4).narrowest >= 0.4


def _use_blends(flat: Environment) -> None:
    """Build a Voronoi roadmap, ask it, and fly a camera past a corner."""
    from footway.camera import tour
    from footway.corridor import CorridorMap
    from footway.roadmap.voronoi_prm import voronoi_prm

    cmap = CorridorMap.from_roadmap(voronoi_prm(flat, radius=0.3))
    assert isinstance(cmap, CorridorMap)
    assert tour(cmap, [(1, 1), (15, 8), (1, 15)], radius=0.3).clearance >= 0.0
    cmap.paths([(1, 1)], [(15, 15)], radius=0.3)


def _use_terrain() -> None:
    """Find a route around mud in both ways, and walk along it past a disc in both ways."""
    from footway.corridor import CorridorMap
    from footway.follow import Disc, irm, miran
    from footway.terrain.route import route

    yard, wishes = _yard(), {"mud": 9.0}
    way = route(yard, (1, 1), (15, 1), preferences=wishes)
    assert way.weighted_length <= way.weighted_length_before
    assert way.terrain.kind_at([(5, 1)]) == ["mud"]
    route(yard, (1, 1), (15, 1), preferences=wishes, method="grid", resolution=0.5)
    disc = Disc(at=(12.0, 10.0), radius=0.1)
    for walk in (
        miran(way, sigma=6.0, clearance=0.1, obstacles=[disc]),
        irm(way, CorridorMap.build(yard), clearance=0.1, obstacles=[disc]),
    ):
        assert walk.clearance >= 0.0
        walk.measure()


def _yard() -> Environment:
    """Return a yard with mud around a block."""
    from footway.environment import Environment

    block = [(7, 4), (9, 4), (9, 8), (7, 8)]
    mud = [(4, 0), (12, 0), (12, 6), (4, 6)]
    return Environment.from_polygons(
        bounds=(0, 0, 16, 12), obstacles=[block], terrain=[("mud", mud)]
    )


def _walk_on_terrain() -> None:
    """Take steps in a crowd that heeds the ground."""
    from footway.corridor import CorridorMap
    from footway.crowd import Crowd

    yard, wishes = _yard(), {"mud": 9.0}
    crowd = Crowd(CorridorMap.build(yard), environment=yard)
    crowd.add(2, preferences=wishes)
    crowd.add(2, preferences=wishes, follow="irm")
    crowd.step(2)


def _walk_in_a_crowd(cmap: CorridorMap) -> None:
    """Take a step with goals, a wanderer, a group, an obstacle, and one who leaves at once."""
    from footway.crowd import Crowd

    crowd = Crowd(cmap)
    crowd.add(9, radius=0.1)
    crowd.add(1, radius=0.1, behaviour="wander")
    here = crowd.positions[:1]
    crowd.add(1, radius=0.1, starts=here, goals=here, then="exit")
    crowd.add_group(2, radius=0.1, start=here[0], group_area=9.0)
    x, y = cmap.vertices[0].tolist()
    crowd.add_obstacle((x, y), radius=5.0)
    crowd.step()
