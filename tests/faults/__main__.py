"""Plant known faults in a copy of the sources, one at a time, and run the tests that should fail.

    python -m tests.faults [terrain] [corridor:7]  # all, those of an area, fault 7 of an area
    python -m tests.faults --sample 120 --jobs 2   # always the same ones, of every area

The faults are in `tests/faults/*.toml`, one file per area:

    [[fault]]
    file = "src/footway/camera/look.py"
    old = "..."            # text that occurs exactly once in that file
    new = "..."            # what replaces it
    tests = ["..."]        # paths or node ids of tests that `make test` runs
    equivalent = "reason"  # optional: it provably changes no behaviour, so it is not run

A fault is caught if a test fails, crashes or takes too long. It is invalid if pytest cannot run the
tests. The exit status is 1 if less than 95 % are caught.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import Queue
from typing import NamedTuple

from footway._numba.files import choose_directory

ROOT = Path(__file__).parents[2]
LISTS = Path(__file__).parent
PACKAGE = "src/footway/"
BUILT = PACKAGE + "studio/static"  # not in Git
REQUIRED = 0.95  # share of faults that must be caught
TEST_LIMIT = 200.0  # s for one test, with the compilation of its kernels
LIMIT = 900.0  # s for all tests of one fault
PYTEST = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "not slow", "-p", "no:cacheprovider"]
PYTEST += ["--hypothesis-profile=faults"]
CAUGHT, TIMEOUT, SURVIVED, INVALID = "caught", "caught (time limit)", "survived", "invalid"


_SECONDS = itertools.count(1)
"""Times of changed files: Python tells bytecode of two versions apart by size and whole seconds."""


class Fault(NamedTuple):
    """One change of one source file, and the tests that should fail with it."""

    area: str
    number: int
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    equivalent: str = ""

    @property
    def name(self) -> str:
        return f"{self.area}:{self.number}"


def read_faults(folder: Path = LISTS) -> list[Fault]:
    """Read the faults of all areas, numbered from 1 in each."""
    return [
        Fault(path.stem, number, **{**entry, "tests": tuple(entry["tests"])})
        for path in sorted(folder.glob("*.toml"))
        for number, entry in enumerate(tomllib.loads(path.read_text())["fault"], 1)
    ]


def draw_sample(faults: list[Fault], count: int) -> list[Fault]:
    """Return some of the faults, of every area its share; the same ones each time."""
    share = min(1.0, count / len(faults))
    areas: defaultdict[str, list[Fault]] = defaultdict(list)
    for fault in faults:
        areas[fault.area].append(fault)
    rng = random.Random(count)
    sizes = {area: max(1, round(share * len(some))) for area, some in areas.items()}
    chosen = {fault for area, some in areas.items() for fault in rng.sample(some, sizes[area])}
    return [fault for fault in faults if fault in chosen]


def find_problem(fault: Fault, root: Path = ROOT) -> str:
    """Explain why a fault cannot be planted or tested; empty if it can."""
    if not (path := root / fault.file).is_file():
        return f"{fault.name}: {fault.file} does not exist"
    if (count := path.read_text().count(fault.old)) != 1:
        return f"{fault.name}: `old` occurs {count} times in {fault.file}, not once: {fault.old!r}"
    if fault.new == fault.old:
        return f"{fault.name}: `new` is the same as `old`"
    missing = [test for test in fault.tests if not (root / test.partition("::")[0]).exists()]
    if missing or not fault.tests:
        return f"{fault.name}: no such tests: {', '.join(missing) or 'none are named'}"
    return ""


def copy_tree(target: Path) -> Path:
    """Copy the files that Git knows, and the built page of the studio."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    shutil.copytree(ROOT / BUILT, target / BUILT)
    return target


def run_tests(
    tree: Path, cache: Path, tests: tuple[str, ...], *options: str, limit: float | None = None
) -> tuple[int | None, str]:
    """Return the exit status of pytest (None: time limit) and what it printed."""
    settings = {"PYTHONPATH": str(tree / "src"), "FOOTWAY_JIT_CACHE": str(cache)}
    env = {**os.environ, **settings, "PYTHONDONTWRITEBYTECODE": ""}
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        command, streams = [*PYTEST, *options, *tests], {"stdout": output, "stderr": output}
        process = subprocess.Popen(command, cwd=tree, env=env, start_new_session=True, **streams)
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # also processes that the tests started
            process.wait()
        output.seek(0)
        return status, output.read()


def try_fault(fault: Fault, trees: Queue[Path], cache: Path) -> str:
    """Plant a fault in one of the trees, run its tests, restore the file, return the verdict."""
    tree, begin = trees.get(), time.monotonic()
    path = tree / fault.file
    source, times = path.read_text(), path.stat()
    timeout = "-o", f"faulthandler_timeout={TEST_LIMIT}"  # also ends native loops
    try:
        path.write_text(source.replace(fault.old, fault.new))
        second = next(_SECONDS)
        os.utime(path, (second, second))
        status, output = run_tests(tree, cache, fault.tests, *timeout, limit=LIMIT)
    finally:
        path.write_text(source)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        trees.put(tree)
    if status is None or (status == 1 and "Timeout (" in output):
        verdict = TIMEOUT
    elif status == 0:
        verdict = SURVIVED
    else:
        verdict = CAUGHT if status == 1 or status < 0 else INVALID
    seconds = time.monotonic() - begin
    line = f"{verdict:<20}{seconds:6.1f} s  {fault.name:<16} {fault.file.removeprefix(PACKAGE)}"
    print(line if verdict != INVALID else f"{line}\n{output}", flush=True)
    return verdict


def run_faults(faults: list[Fault], jobs: int, folder: Path) -> list[str]:
    """Run the tests without a fault, then with each of the faults; return the verdicts."""
    cache, own, trees = folder / "cache", choose_directory(), Queue[Path]()
    if own is not None and own.is_dir():
        shutil.copytree(own, cache / "kernels", ignore=shutil.ignore_patterns("*.tmp"))
    for number in range(jobs):
        trees.put(copy_tree(folder / f"tree{number}"))
    tests = tuple(sorted({test for fault in faults for test in fault.tests}))
    status, output = run_tests(folder / "tree0", cache, tests, "-n", str(jobs))
    if status != 0:
        sys.exit(f"{output}\nThe tests must pass before a fault is planted.")
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda fault: try_fault(fault, trees, cache), faults))


def report(faults: list[Fault], verdicts: list[str]) -> bool:
    """Print a table of the areas; return whether enough faults were caught."""
    table: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for fault, verdict in zip(faults, verdicts, strict=True):
        for area in (fault.area, "total"):
            table[area][verdict.partition(" ")[0]] += 1
    print(f"{'area':<16}{'planted':>9}{'caught':>9}{'survived':>10}{'invalid':>9}")
    for area in [*sorted(set(table) - {"total"}), "total"]:
        row = table[area]
        counts = f"{row.total():>9}{row[CAUGHT]:>9}{row[SURVIVED]:>10}{row[INVALID]:>9}"
        print(f"{area:<16}{counts}  {row[CAUGHT] / max(row.total(), 1):6.1%}")
    return table["total"][CAUGHT] >= REQUIRED * table["total"].total()


def main() -> None:
    """Run the faults that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults")
    parser.add_argument("names", nargs="*", metavar="AREA|ID", help="such as terrain, corridor:7")
    parser.add_argument("--sample", type=int, metavar="N", help="about N of them, of every area")
    parser.add_argument("--jobs", type=int, default=1, help="faults that run at the same time")
    options = parser.parse_args()
    everything = read_faults()
    names = options.names or {fault.area for fault in everything}
    if unknown := set(names) - {each for fault in everything for each in (fault.area, fault.name)}:
        parser.error(f"no such area or fault: {', '.join(sorted(unknown))}")
    chosen = [fault for fault in everything if fault.area in names or fault.name in names]
    if problems := list(filter(None, map(find_problem, chosen))):
        sys.exit("\n".join(problems))
    faults = [fault for fault in chosen if not fault.equivalent]
    if options.sample is not None:
        faults = draw_sample(faults, max(options.sample, 1))
    with tempfile.TemporaryDirectory(prefix="footway-faults-") as folder:
        verdicts = run_faults(faults, max(options.jobs, 1), Path(folder))
    print(f"\nequivalent, not run: {sum(bool(fault.equivalent) for fault in chosen)}")
    sys.exit(not report(faults, verdicts))


if __name__ == "__main__":
    main()
