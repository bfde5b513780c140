"""Maps, paths and crowds of buildings: n floors beside one floor, twelve floors beside the plane.

    python -m benchmarks.buildings

CPU time, least of several runs. The clearance of the two paths is checked before their times are
printed.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

import footway as fw
from footway.environment.gallery.tower import HEIGHT, WELLS, dog_leg, plan_of

if TYPE_CHECKING:
    from collections.abc import Callable

RUNS = 5
PEOPLE = 1000


def main() -> None:
    """Print all tables."""
    one = least(lambda: fw.CorridorMap.build(floors(1)), RUNS)
    print("floors  build, ms  per floor, relative to one floor")
    for count in (1, 3, 10, 30, 100):
        building = floors(count)
        taken = least(lambda made=building: fw.CorridorMap.build(made), RUNS if count < 30 else 2)
        print(f"{count:6}  {1e3 * taken:9.1f}  {taken / count / one:.2f}")
    climb()
    crowds()


def floors(count: int) -> fw.Building:
    """Return the storeys of the built-in tower with its two stairwells, without lifts."""
    plans = [fw.Floor(str(k), plan_of(1), HEIGHT * k) for k in range(count)]
    stairs = [
        dog_leg(f"{'AB'[w]}{k}", well, (str(k), str(k + 1)))
        for w, well in enumerate(WELLS)
        for k in range(count - 1)
    ]
    return fw.Building(plans, stairs)


def climb() -> None:
    """Compare a path over twelve floors with one of about the same length in the built-in city."""
    tower = fw.CorridorMap.build(floors(12))
    city = fw.CorridorMap.build(fw.load("gallery:city"))
    ends = (2.0, 2.0, "0"), (34.0, 20.0, "11")
    up = tower.path(*ends, radius=0.25)
    along = city.path((100.0, 250.0), (100.0 + up.plan_length, 250.0), radius=0.25)
    assert up.clearance >= 0.25 - 1e-6
    assert along.clearance >= 0.25 - 1e-6
    a, b = np.array([2.0, 2.0, 0.0]), np.array([34.0, 20.0, 11.0])  # x, y, sheet
    times = {
        "path over twelve floors, best sequence of links": least(
            lambda: tower.path(*ends, radius=0.25), 20
        ),
        "one search over twelve floors, shortest in plan": least(
            lambda: tower.solver.solve(a, b, 0.25), 20
        ),
        "path of about that length in the city": least(
            lambda: city.path(along.start, along.goal, radius=0.25), 20
        ),
    }
    for name, taken in times.items():
        print(f"{1e3 * taken:8.3f} ms  {name}")
    print(f"lengths in plan: {up.plan_length:.1f} m and {along.length:.1f} m")


def crowds() -> None:
    """Print the share of a core that 1,000 people need in real time, in the tower and on a plan."""
    for name, cmap in (
        ("in the tower, on all floors", fw.CorridorMap.build(fw.load("gallery:tower"))),
        ("on one floor of it", fw.CorridorMap.build(plan_of(1))),
        ("in the city", fw.CorridorMap.build(fw.load("gallery:city"))),
    ):
        crowd = fw.Crowd(cmap, seed=1, threads=1)
        crowd.add(PEOPLE, radius=0.2)
        crowd.step(20)
        taken = []
        for _ in range(20):
            start = time.process_time()
            crowd.step(10)
            taken.append((time.process_time() - start) / (10 * crowd.dt))
        print(f"{100 * min(taken):5.2f} % (median {100 * np.median(taken):.2f} %) of a core for "
              f"{PEOPLE:,} people {name}")  # fmt: skip


def least(work: Callable[[], object], runs: int) -> float:
    """Return the least CPU time of several runs, s."""
    work()
    best = float("inf")
    for _ in range(runs):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


if __name__ == "__main__":
    main()
