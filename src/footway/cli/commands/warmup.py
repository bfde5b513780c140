"""`footway warmup`: compile every kernel ahead of time."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from footway.cli.maps import make_yard
from footway.cli.options import JsonOption
from footway.cli.progress import timed_steps
from footway.cli.reports import milliseconds, print_json, print_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from footway.arrays import Floats
    from footway.corridor import CorridorMap


def warmup(*, json: JsonOption = False) -> None:
    """Compile every kernel ahead of time.

    Later commands do not have to compile. Compiled kernels are stored in ~/.cache/footway, or in
    DIR if FOOTWAY_JIT_CACHE=DIR is set.
    """
    from footway._numba.jit import cache_directory

    begin = time.perf_counter()
    with timed_steps() as steps:
        _use_every_part()
    steps.seconds["warmup"] = time.perf_counter() - begin
    cache = cache_directory()
    if json:
        print_json({"times_ms": steps.in_ms(), "cache": str(cache) if cache else None})
        return
    kept = f", kept in {cache}" if cache else ""
    print_lines([f"All kernels are ready after {milliseconds(steps.seconds['warmup'])}{kept}"])


def _use_every_part() -> None:
    """Use every part once; on two or more cores, a helper process does some of them.

    If the helper fails, this process uses all parts, so that the error is reported here.
    """
    from footway._numba.jit import cache_directory, thread_count

    ready_there: set[str] = set()
    if cache_directory() is None or thread_count() < 2:
        with _progress_bar(ready_there):
            for part in PARTS:
                part()
        return
    with tempfile.TemporaryDirectory() as claims, _progress_bar(ready_there):
        with _other_process(claims, ready_there) as other:
            _use_unclaimed(PARTS, claims)
            other.wait()
        if other.returncode:
            for part in PARTS:
                part()


def _use_unclaimed(parts: Iterable[Callable[[], None]], claims: str) -> None:
    """Use the parts that the other process has not claimed by a file in the folder `claims`."""
    for part in parts:
        try:
            Path(claims, part.__name__).touch(exist_ok=False)
        except FileExistsError:
            continue
        part()


@contextmanager
def _other_process(claims: str, ready: set[str]) -> Iterator[subprocess.Popen[str]]:
    """Use parts in another process, from the last to the first: compilation uses one core.

    The names of kernels that are ready there are added to `ready`.
    """
    with subprocess.Popen(  # noqa: S603 - this Python, and a fixed function
        [
            sys.executable,
            "-P",
            "-c",
            f"from {__name__} import compile_in_helper_process; compile_in_helper_process()",
            claims,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as other:
        reader = threading.Thread(target=lambda: ready.update(map(str.strip, other.stdout or ())))
        reader.start()
        try:
            yield other
        finally:
            other.kill()
            reader.join()


def compile_in_helper_process() -> None:
    """Run as the helper process: use parts, and print the names of kernels that are ready."""
    printed: set[str] = set()

    def report(ready: set[str]) -> None:
        print_lines(sorted(ready - printed))
        sys.stdout.flush()
        printed.update(ready)

    with _reporting_ready(report):
        _use_unclaimed(reversed(PARTS), sys.argv[1])


@contextmanager
def _progress_bar(ready_there: set[str]) -> Iterator[None]:
    """On a terminal, show how many kernels are ready here or in the helper process."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress("Kernels", *columns, console=Console(stderr=True)) as bar:
        total = len(_import_kernels())
        task = bar.add_task("", total=total)
        with _reporting_ready(lambda ready: bar.update(task, completed=len(ready | ready_there))):
            yield
        bar.update(task, completed=total)  # kernels inlined into others are never loaded alone


@contextmanager
def _reporting_ready(report: Callable[[set[str]], None]) -> Iterator[None]:
    """Call `report` with the names of kernels that are ready here, several times a second."""
    from footway._numba.jit import kernel_names

    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.2):
            report(kernel_names()[1])
        report(kernel_names()[1])

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _import_kernels() -> set[str]:
    """Import all modules with kernels; return the names of their kernels."""
    import footway
    from footway._numba.jit import kernel_names

    root = Path(footway.__file__).parent
    for file in root.rglob("kernels/*.py"):
        path = file.relative_to(root.parent).with_suffix("")
        importlib.import_module(".".join(path.parts))
    return kernel_names()[0]


def _use_arithmetic() -> None:
    """Call every function of portable_math."""
    from footway._numba import portable_math

    for name in portable_math.__all__:
        function = getattr(portable_math, name)
        number = ((0.5, 0.5),) if name == "dist" else (0.5,)
        function(*number * (2 if name in ("atan2", "dist", "hypot") else 1))


def _use_maps() -> None:
    """Call every query of a small map once."""
    cmap, start, goal = _field()
    cmap.clearance([start])
    cmap.nearest_obstacle([start])
    cmap.locate([start])
    cmap.path(start, goal, radius=0.1)
    cmap.path(start, goal, radius=0.1, clearance=0.3)
    cmap.paths([start], [goal], radius=0.1)
    cmap.paths_between(start, goal, 2, radius=0.1)
    cmap.paths_between(start, goal, 2, radius=0.1, different=0.1)
    cmap.nearest_free([(-1.0, -1.0)], radius=0.1)
    cmap.distances(start, [goal] * 200, radius=0.1)
    cmap.corridor(start, goal, radius=0.1, around="path")
    cmap.bottleneck(start, goal)
    cmap.axis()
    cmap.balls(0.9)


def _use_buildings() -> None:
    """Find a path and walk through a small building."""
    from footway.corridor import CorridorMap
    from footway.environment import gallery
    from footway.follow import cmm

    building = CorridorMap.build(gallery.make("stadium"))
    start, goal = (0, 48, "upper"), (0, -75, "ground")
    building.path(start, goal)
    building.prepare()
    building.line_of_sight([start], [goal])
    assert cmm(building.corridor(start, goal)).clearance >= 0


def _field() -> tuple[CorridorMap, Floats, Floats]:
    """Return a small map that was loaded from a file, and two points on it, (2,) m."""
    from footway.corridor import CorridorMap
    from footway.formats import load

    cmap = CorridorMap.build(load("gallery:field"))
    cmap.prepare(radius=0.1)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "field.fwmap"
        cmap.save(file)
        loaded = CorridorMap.load(file)
    assert isinstance(loaded, CorridorMap)
    x0, y0, x1, y1 = loaded.bounds
    start, goal = loaded.retract([(x0 + 1.0, y0 + 1.0), (x1 - 1.0, y1 - 1.0)])
    return loaded, start, goal


def _use_walks() -> None:
    """Walk along a corridor with every option."""
    from footway.corridor import Corridor
    from footway.follow import Disc, cmm, cmm_batch, variations

    cmap, start, goal = _field()
    corridor = cmap.corridor(start, goal, radius=0.1)
    cmm_batch(cmap, [start], [goal], radius=0.1)
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
    """Build and query small roadmaps in the plane and in space, and move a camera on one."""
    from footway.camera import tour
    from footway.corridor import CorridorMap
    from footway.environment import Environment, Volume
    from footway.roadmap import Roadmap
    from footway.roadmap.lattice.resolution import make_lattice
    from footway.roadmap.lattice.rrrm import rrrm
    from footway.roadmap.lattice.space import make_space
    from footway.roadmap.measures import shortest_path_factor, verify
    from footway.roadmap.voronoi.voronoi_prm import voronoi_prm

    posts = [(4, 4, 6, 7), (9, 3, 11, 6), (4, 10, 7, 12), (10, 9, 12, 12)]
    rings = [[(a, b), (c, b), (c, d), (a, d)] for a, b, c, d in posts]
    flat = Environment.from_polygons(bounds=(0, 0, 16, 16), obstacles=rings)
    boxes = [(a, b, 0.0, c, d, 5.0) for a, b, c, d in posts]
    high = Volume.from_boxes((0, 0, 0, 16, 16, 5), boxes, resolution=1.0)
    for roadmap in (rrrm(high, size=(1, 1, 1)), rrrm(flat, radius=0.5)):
        assert verify(roadmap).holds
        shortest_path_factor(roadmap)
        cmap = CorridorMap.from_roadmap(roadmap)
        start, goal = roadmap.nodes[0], roadmap.nodes[-1]
        cmap.path(start, goal, radius=0.0)
        cmap.corridor(start, goal, radius=0.0)
    cut = Volume.from_boxes((0, 0, 0, 8, 4, 4), [(3, 0, 0, 5, 4, 4)], resolution=1.0)
    assert make_lattice(cut, resolution=1.0, radius=0.2).closed == ()
    # One long edge in space, from which not every corner is visible.
    ends = [(2.0, 2.0, 2.0), (14.0, 2.0, 2.0)]
    road = Roadmap.make(ends, [(0, 1)], make_space(high, radius=0.4), method="rrrm")
    assert CorridorMap.from_roadmap(road).corridor(*ends, radius=0.4).narrowest >= 0.4
    blended = CorridorMap.from_roadmap(voronoi_prm(flat, radius=0.3))
    assert isinstance(blended, CorridorMap)
    assert tour(blended, [(1, 1), (15, 8), (1, 15)], radius=0.3).clearance >= 0.0
    blended.paths([(1, 1)], [(15, 15)], radius=0.3)


def _use_terrain() -> None:
    """Find a route around mud with both methods, and walk along it past a disc with both."""
    from footway.corridor import CorridorMap
    from footway.follow import Disc, irm, miran
    from footway.terrain.route import route

    yard, preferences = make_yard(), {"mud": 9.0}
    found = route(yard, (1, 1), (15, 1), preferences=preferences)
    assert found.weighted_length <= found.weighted_length_before
    assert found.terrain.kind_at([(5, 1)]) == ["mud"]
    route(yard, (1, 1), (15, 1), preferences=preferences, method="grid", resolution=0.5)
    disc = Disc(at=(12.0, 10.0), radius=0.1)
    for walk in (
        miran(found, sigma=6.0, clearance=0.1, obstacles=[disc]),
        irm(found, CorridorMap.build(yard), clearance=0.1, obstacles=[disc]),
    ):
        assert walk.clearance >= 0.0
        walk.measure()


def _use_crowds_on_terrain() -> None:
    """Do steps in a crowd with terrain preferences."""
    from footway.corridor import CorridorMap
    from footway.crowd import Crowd

    yard, preferences = make_yard(), {"mud": 9.0}
    crowd = Crowd(CorridorMap.build(yard), environment=yard)
    crowd.add(2, preferences=preferences)
    crowd.add(2, preferences=preferences, follow="irm")
    crowd.add(30, preferences=preferences, destinations=[(1.0, 1.0)])  # many with one goal
    crowd.step(2)
    crowd.character(0)


def _use_crowds() -> None:
    """Do a step with goals, a wanderer, a group, an obstacle, and a character that exits.

    The second step is with a model of the user; the others are with congestion.
    """
    from footway.corridor import CorridorMap
    from footway.crowd import Crowd
    from footway.crowd.models import UserModel
    from footway.environment import Environment

    cmap, *_ = _field()
    crowd = Crowd(cmap)
    crowd.add(9, radius=0.1)
    crowd.add(1, radius=0.1, behaviour="wander")
    here = crowd.positions[:1]
    crowd.add(1, radius=0.1, starts=here, goals=here, then="exit")
    crowd.add_group(2, radius=0.1, start=here[0], group_area=9.0)
    x, y = cmap.vertices[0].tolist()
    crowd.add_obstacle((x, y), radius=5.0)
    crowd.step()
    crowd.model = UserModel(lambda neighbours: 0.0 * neighbours.velocities)
    crowd.step()
    # A door that is so narrow for so many that they compare their paths.
    walls = [[(5.0, 0.0), (5.2, 2.8)], [(5.2, 3.2), (5.0, 6.0)]]
    hall = CorridorMap.build(Environment.from_polygons(bounds=(0, 0, 10, 6), lines=walls))
    crowd = Crowd(hall)
    area = [(0.5, 0.5), (4.5, 0.5), (4.5, 5.5), (0.5, 5.5)]
    crowd.add(60, radius=0.1, area=area, destinations=[(9.0, 3.0)], congestion=1.0)
    crowd.step(20)


PARTS: Final = (
    *(_use_maps, _use_crowds, _use_arithmetic, _use_walks, _use_buildings),
    *(_use_crowds_on_terrain, _use_terrain, _use_roadmaps),
)
"""Functions that together use all kernels. The first and the last share few kernels, so two
processes that start at both ends compile few kernels twice."""
