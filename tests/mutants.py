"""Damaged files of our own: mutants of maps, roadmaps and checkpoints, and what using them does.

Each mutant is one change of one good file, drawn from its number, so that every finding can be
repeated. A mutant must be refused by a `FootwayError` in one line, or load and survive its use.

`run` uses mutants in processes of their own, since a crash or a hang ends the process. As a
command, `python -m tests.mutants map 0 1500` prints what became of them.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import footway as fw
from tests.archives import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Arrays = dict[str, np.ndarray[Any, Any]]

REFUSED, SURVIVED = "refused", "survived"
READY = b"ready\n"
PATIENCE = 240.0  # s, for one mutant
ROOT = Path(__file__).parents[1]
MEMORY = 8 * 2**30  # bytes, for one process


# -- one change --------------------------------------------------------------------------------


def mutate(content: bytes, number: int) -> bytes:
    """Return a good file with one change; of every four changes three get a fresh digest."""
    rng = np.random.default_rng([17, number])
    if rng.random() < 0.1:
        return _garbled(content, rng)
    header, arrays = unpack(content)
    digest = arrays.pop("digest")
    _change(header, arrays, rng)
    arrays["digest"] = digest
    return pack(header, arrays, seal=bool(rng.random() < 0.75))


def _garbled(content: bytes, rng: np.random.Generator) -> bytes:
    """Cut a file off, or write a few other bytes into it."""
    place = int(rng.integers(len(content)))
    if rng.random() < 0.5:
        return content[:place]
    noise = rng.bytes(int(rng.integers(1, 9)))
    return content[:place] + noise + content[place + len(noise) :]


def _change(header: dict[str, Any], arrays: Arrays, rng: np.random.Generator) -> None:
    kinds = (_value, _value, _value, _value, _values, _rows, _shape, _dtype, _swap, _fact, _fact)
    kinds[rng.integers(len(kinds))](header, arrays, rng)


def _value(_header: dict[str, Any], arrays: Arrays, rng: np.random.Generator) -> None:
    """Change a single number."""
    name = _draw([name for name, array in arrays.items() if array.size], rng)
    array = arrays[name] = arrays[name].copy()
    array.flat[rng.integers(array.size)] = _other(array, rng)


def _values(_header: dict[str, Any], arrays: Arrays, rng: np.random.Generator) -> None:
    """Change a column, or all numbers."""
    name = _draw([name for name, array in arrays.items() if array.size], rng)
    array = arrays[name] = arrays[name].copy()
    column = rng.integers(array.shape[-1]) if array.ndim > 1 and rng.random() < 0.7 else slice(None)
    array[..., column] = _other(array, rng)


def _other(array: np.ndarray[Any, Any], rng: np.random.Generator) -> Any:
    """Return a number to put in place of one of an array's."""
    old = array.flat[rng.integers(array.size)]
    if array.dtype == bool:
        return not old
    if array.dtype.kind == "f":
        choices = [
            np.nan, np.inf, -np.inf, 0.0, -old, 2 * old, old + 0.1 * rng.standard_normal(),
            old + 1e-4, 1e9, -1e9, 1e300, 1e-300, -1.0, 100 * rng.standard_normal(),
        ]  # fmt: skip
        with np.errstate(over="ignore"):
            return array.dtype.type(_draw(choices, rng))
    least, most = np.iinfo(array.dtype).min, np.iinfo(array.dtype).max
    choices = [
        -1, -2, -3, 0, 1, 2, old + 1, old - 1, array.max() + 1, len(array), most, least, 2**31 - 1,
        int(rng.integers(-5, 500)), array.flat[rng.integers(array.size)],
    ]  # fmt: skip
    return array.dtype.type(min(max(int(_draw(choices, rng)), least), most))


def _rows(_header: dict[str, Any], arrays: Arrays, rng: np.random.Generator) -> None:
    """Leave out, repeat or exchange rows."""
    name = _draw([name for name, array in arrays.items() if len(array) > 1], rng)
    array = arrays[name]
    k, m = rng.integers(len(array), size=2)
    rows = np.arange(len(array))
    rows[k], rows[m] = m, k
    arrays[name] = _draw(
        [
            np.delete(array, k, axis=0), np.insert(array, k, array[m], axis=0), array[rows],
            array[::-1].copy(), array[:0], array[: len(array) // 2],
        ],
        rng,
    )  # fmt: skip


def _shape(_header: dict[str, Any], arrays: Arrays, rng: np.random.Generator) -> None:
    name = _draw(list(arrays), rng)
    array = arrays[name]
    arrays[name] = _draw(
        [array.ravel(), array[None], array[..., None], array.T.copy(), array[..., :-1], array[()]],
        rng,
    )


def _dtype(_header: dict[str, Any], arrays: Arrays, rng: np.random.Generator) -> None:
    name = _draw(list(arrays), rng)
    kind = _draw(["<f8", "<f4", "<i8", "<i4", "<u1", ">f8", ">i4", "?", "<c16", "<U3", "<u2"], rng)
    with np.errstate(all="ignore"):
        try:
            arrays[name] = arrays[name].astype(kind)
        except (ValueError, TypeError):
            arrays[name] = np.zeros(arrays[name].shape, kind)


def _swap(_header: dict[str, Any], arrays: Arrays, rng: np.random.Generator) -> None:
    """Exchange two arrays, leave one out or add another."""
    a, b = _draw(list(arrays), rng), _draw(list(arrays), rng)
    case = rng.integers(4)
    if case == 0:
        del arrays[a]
    elif case == 1:
        arrays["another"] = arrays[a]
    else:
        arrays[a], arrays[b] = arrays[b], arrays[a]


def _fact(header: dict[str, Any], _arrays: Arrays, rng: np.random.Generator) -> None:
    """Change, leave out or repeat something of the header."""
    places = list(_places(header))
    parent, key = places[rng.integers(len(places))]
    old = parent[key]
    case = rng.random()
    if case < 0.1:
        del parent[key]
    elif case < 0.2 and isinstance(parent, list):
        parent.insert(key, old)
    elif isinstance(old, (int, float)) and case < 0.9:
        choices = [-old, old + 1, old - 1, 0, -1, 1e9, 2**31, 2**63, 1e-300, 1e300, 0.5, "inf"]
        parent[key] = _draw([*choices, not old, rng.integers(-3, 50).item()], rng)
    else:
        parent[key] = _draw([None, "", "x", [], {}, 0, -1, True, [1, 2], {"a": 1}, 1e300], rng)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in nested lists and dictionaries."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(items):
        yield value, key
        if isinstance(inner, (dict, list)):
            yield from _places(inner)


def _draw(choices: list[Any], rng: np.random.Generator) -> Any:
    return choices[rng.integers(len(choices))]


# -- good files, and their use -------------------------------------------------------------------


def box(x0: float, y0: float, x1: float, y1: float) -> list[tuple[float, float]]:
    """Return a ring."""
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def yard() -> fw.Environment:
    """Two rooms with a door between them, a pillar, a column of no width, and mud."""
    return fw.Environment.from_polygons(
        bounds=(0, 0, 30, 18),
        obstacles=[box(12, 0, 13, 8), box(12, 10, 13, 18), [(20, 6), (23, 7), (21, 10)]],
        terrain=[("mud", box(15, 8, 19, 18))],
        name="yard",
    )


def save_map(file: Path) -> None:
    """Write a good map."""
    fw.CorridorMap.build(yard()).save(file)


def save_roadmap(file: Path) -> None:
    """Write a good roadmap in the plane, with everything that one can have."""
    roadmap = fw.roadmap.rrrm(yard(), resolution=1.0, radius=0.25, seed=1)
    editor = fw.roadmap.Editor(roadmap)
    editor.add_fake_obstacle(box(26, 1, 28, 3))
    editor.roadmap.save(file)


def save_volume(file: Path) -> None:
    """Write a good roadmap in space."""
    space = fw.Volume.from_boxes((0, 0, 0, 8, 6, 4), [(3, 0, 0, 4, 3, 4)], resolution=1.0)
    fw.roadmap.rrm(space, radius=0.4, seed=1).save(file)


def save_checkpoint(file: Path) -> None:
    """Write a good checkpoint: groups, sources, wanderers, routes, obstacles, exits, a queue."""
    environment = yard()
    cmap = fw.CorridorMap.build(environment)
    it = fw.Crowd(cmap, environment=environment, seed=5, threads=1)
    it.add(20, radius=(0.22, 0.03), name="random")
    it.add(8, goals=[(2 + 0.9 * k, 16.5) for k in range(8)])
    it.add(8, destinations=[box(24, 1, 29, 17), [(2.0, 9.0), (4.0, 16.0)]], then="exit",
           premovement=(3, 1))  # fmt: skip
    weights = np.random.default_rng(1).uniform(0, 1, len(cmap.edges))
    it.add(8, behaviour="wander", preference=weights, radius=0.35)
    it.add(8, preferences={"mud": 20.0}, destinations=[box(24, 1, 29, 17)], area=box(1, 1, 8, 17))
    it.add(4, follow="irm", destinations=[box(24, 1, 29, 17)], area=box(1, 1, 8, 17))
    it.add_group(5, start=(4, 9), width=1.5, group_area=20.0)
    it.add_group(4, start=(25, 14), goal=(5, 3), lateral=3.0, longitudinal=5.0, then="exit")
    it.add_source(30, area=box(1, 1, 8, 17), rate=3.0, destinations=[(28.0, 2.0)])
    it.add_source(6, area=box(22, 1, 29, 5), schedule=[(0.5, 3), (9.0, 3)], behaviour="wander")
    it.add_obstacle((15, 4), 0.5, velocity=(0.3, 0.1))
    it.add_obstacle((25, 12), 0.6, appears=1.0, vanishes=9.0)
    it.step(40)
    it.set_goals(it.ids[:9], [(3.0, 3.0)] * 9)
    it.remove(it.ids[15:17])
    it.save(file)


def use_map(cmap: Any) -> None:
    """Ask a map everything, and let a crowd walk on it."""
    points = np.random.default_rng(1).uniform((0, 0), (30, 18), (24, 2))
    cmap.locate(points), cmap.clearance(points), cmap.nearest_obstacle(points)
    cmap.axis(0.5), cmap.bounds, repr(cmap)
    _try(lambda: cmap.balls(0.9))
    for a, b in zip(points[::2], points[1::2], strict=True):
        _try(lambda a=a, b=b: cmap.path(a, b, radius=0.25))
        _try(lambda a=a, b=b: cmap.corridor(a, b, radius=0.25))
        _try(lambda a=a, b=b: cmap.bottleneck(a, b))
    it = fw.Crowd(cmap, seed=1, threads=1)
    _try(lambda: it.add(12, radius=0.2))
    _try(lambda: it.add(6, behaviour="wander"))
    _try(lambda: it.add_group(3, start=(4, 9), goal=(25, 4), width=1.5, group_area=20.0))
    it.step(40)
    repr((it.positions, it.stuck))


def use_roadmap(cmap: Any) -> None:
    """Search a roadmap, and let a crowd walk on it."""
    roadmap = cmap.roadmap
    repr(roadmap)
    if roadmap.n_nodes > 1:
        _try(lambda: roadmap.shortest_path(0, roadmap.n_nodes - 1))
    use_map(cmap)


def use_volume(smap: Any) -> None:
    """Search a roadmap in space."""
    points = np.random.default_rng(1).uniform((0, 0, 0), (8, 6, 4), (16, 3))
    for a, b in zip(points[::2], points[1::2], strict=True):
        _try(lambda a=a, b=b: smap.path(a, b))
        _try(lambda a=a, b=b: smap.corridor(a, b))


@cache
def map_of_files() -> tuple[fw.Environment, Any]:
    """Return the environment of all files, and its map."""
    return yard(), fw.CorridorMap.build(yard())


def load_checkpoint(file: Path) -> fw.Crowd:
    """Read a checkpoint on the map that it was made on."""
    environment, cmap = map_of_files()
    return fw.Crowd.load(file, cmap, environment=environment, threads=1)


def use_checkpoint(it: fw.Crowd) -> None:
    """Go on from a checkpoint, change things, and write another one."""
    it.step(60)
    repr((it.positions, it.stuck, it.goals, it.names, it.profiles))
    repr([group.dispersion for group in it.groups])
    _try(lambda: it.add(3))
    _try(lambda: it.set_profile(0, radius=0.28))
    _try(lambda: it.add_obstacle((14, 9), 0.9))
    it.step(30)
    with tempfile.TemporaryDirectory() as folder:
        it.save(Path(folder) / "again.npz")
        load_checkpoint(Path(folder) / "again.npz").step(5)


def _try(ask: Callable[[], object]) -> None:
    """Ask something that may be refused."""
    with suppress(fw.FootwayError):
        ask()


class Kind(NamedTuple):
    """A kind of file."""

    file: str  # name of a good one
    save: Callable[[Path], None]
    load: Callable[[Path], Any]
    use: Callable[[Any], None]


KINDS = {
    "map": Kind("good.fwmap", save_map, fw.CorridorMap.load, use_map),
    "roadmap": Kind("good.fwmap", save_roadmap, fw.CorridorMap.load, use_roadmap),
    "volume": Kind("good.fwmap", save_volume, fw.CorridorMap.load, use_volume),
    "checkpoint": Kind("good.npz", save_checkpoint, load_checkpoint, use_checkpoint),
}


# -- processes -----------------------------------------------------------------------------------


def outcome(file: Path, kind: Kind, *, used: bool = True) -> str:
    """Return what becomes of a file in this process, where it is used or only read."""
    try:
        found = kind.load(file)
        if used:
            kind.use(found)
    except fw.FootwayError as error:
        text = str(error)
        return REFUSED if "\n" not in text and len(text) < 400 else f"not one line: {text!r:.200}"
    except Exception as error:  # noqa: BLE001  # that is what is looked for
        return f"raw {type(error).__name__}: {error!s:.120}"
    return SURVIVED


def run(kind: str, first: int, end: int, patience: float = PATIENCE) -> dict[int, str]:
    """Use the mutants first to end - 1, in processes of their own; what became of each."""
    found: dict[int, str] = {}
    while first < end:
        command = [sys.executable, "-m", "tests.mutants", "--worker", kind, str(first), str(end)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0, cwd=ROOT) as worker:
            found.update(_answers(worker, patience))
            code = worker.wait()
        first = max(found, default=first - 1) + 1
        if first < end:
            found[first] = f"crash {code}" if code != -9 else f"hang: no answer in {patience:g} s"
            first += 1
    return found


def _answers(worker: subprocess.Popen[bytes], patience: float) -> Iterator[tuple[int, str]]:
    """Yield what a process answers; it is killed when it is silent for too long."""
    assert worker.stdout is not None
    assert worker.stdout.readline() == READY, "the good file cannot be used"
    while True:
        if not select.select([worker.stdout], [], [], patience)[0]:
            worker.kill()
            return
        line = worker.stdout.readline()
        if not line:
            return
        yield tuple(json.loads(line))  # type: ignore[misc]


def _work(name: str, first: int, end: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    kind = KINDS[name]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / kind.file
        kind.save(file)
        kind.use(kind.load(file))  # the good one, which loads all kernels
        sys.stdout.buffer.write(READY)
        content = file.read_bytes()
        for number in range(first, end):
            file.write_bytes(mutate(content, number))
            sys.stdout.flush()
            print(json.dumps([number, outcome(file, kind)]), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "--worker":
        _work(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
        sys.stdout.flush()
        os._exit(0)
    begin = time.perf_counter()
    results = run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    counts = Counter(what.split(maxsplit=1)[0].rstrip(":") for what in results.values())
    for number, what in sorted(results.items()):
        if what not in {REFUSED, SURVIVED}:
            print(number, what)
    print(sys.argv[1], dict(counts), f"{time.perf_counter() - begin:.0f} s")
