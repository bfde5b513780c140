"""Compare the speed and the answers of two checkouts of Footway.

    python -m benchmarks.versions OLD NEW [--rounds 9]

OLD and NEW are the roots of two checkouts. Each question is answered by one process per checkout;
the two take turns, so that other load of the machine affects both. Printed are the minimum CPU time
of each, their ratio, and whether the answers have the same bits.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable


def questions() -> dict[str, Callable[[], Any]]:
    """Return the questions by name: functions of the public API that return numbers or arrays."""
    import footway as fw

    city = fw.load("gallery:city")
    cmap = fw.CorridorMap.build(city)
    rng = np.random.default_rng(1)
    points = rng.uniform((0, 0), (500, 500), (4000, 2))
    points = points[cmap.clearance(points) > 0.5]
    starts, goals, many = points[:500], points[500:1000], rng.uniform(0, 500, (200_000, 2))
    crowd = fw.Crowd(cmap, seed=7, threads=1)
    crowd.add(10_000, radius=0.25, speed=1.2)
    crowd.step(20)
    village = fw.load("gallery:mckenna-road")
    terrain, village_map = fw.Terrain.build(village, radius=0.25), fw.CorridorMap.build(village)
    walker = {"sidewalk": 0.5, "road": 4.0, "mud": 40.0}
    route = fw.route(terrain, (30, 77), (84, 112), preferences=walker)
    office = fw.load("gallery:office")
    prm = fw.CorridorMap.from_roadmap(fw.roadmap.voronoi_prm(fw.load("gallery:field"), radius=0.25))

    def step() -> Any:
        crowd.step(10)
        return crowd.positions

    return {
        "build the map of the city": lambda: fw.CorridorMap.build(city).edge_clearance,
        "500 single paths": lambda: [
            cmap.path(a, b, radius=0.25).length for a, b in zip(starts, goals, strict=True)
        ],
        "500 paths, batch": lambda: [
            path.length for path in cmap.paths(starts, goals, radius=0.25, threads=1) if path
        ],
        "100 corridors and walks": lambda: [
            fw.follow.cmm(cmap.corridor(a, b, radius=0.25), speed=1.2).length
            for a, b in zip(starts[:100], goals[:100], strict=True)
        ],
        "clearance of 200,000 points": lambda: cmap.clearance(many),
        "10 steps of 10,000 characters": step,
        "20 weighted routes": lambda: [
            fw.route(terrain, (30, 77), (84, 112), preferences=walker).weighted_length
            for _ in range(20)
        ],
        "20 MIRAN walks": lambda: [fw.follow.miran(route, sigma=5).length for _ in range(20)],
        "20 IRM walks": lambda: [fw.follow.irm(route, village_map).length for _ in range(20)],
        "RRM* of the office": lambda: fw.roadmap.rrm_star(office, radius=0.25).nodes,
        "20 camera motions": lambda: [
            fw.camera.motion(prm.path((2, 2), (44, 44)), speed=2.0).positions[-1] for _ in range(20)
        ],
    }


def serve() -> None:
    """Answer questions by name from standard input: CPU seconds and a hash of the answer."""
    known = questions()
    for answer in known.values():
        answer()  # compiles and loads kernels
    print(json.dumps(sorted(known)), flush=True)
    for line in sys.stdin:
        begin = time.process_time()
        answer = known[line.strip()]()
        seconds = time.process_time() - begin
        digest = hashlib.sha256(np.ascontiguousarray(answer, dtype=float).tobytes()).hexdigest()
        print(json.dumps([seconds, digest]), flush=True)


def main() -> int:
    """Run the comparison; return 1 if an answer differs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.versions", description=__doc__)
    parser.add_argument("checkouts", nargs="*", type=Path, help="roots of the old and the new one")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    if not options.checkouts:
        serve()
        return 0
    servers = [_start(root) for root in options.checkouts]
    names, _ = (json.loads(_line(server)) for server in servers)
    same = True
    print("| question | old, ms | new, ms | new / old | answers |\n|---|---|---|---|---|")
    for name in names:
        rounds = [[_ask(server, name) for server in servers] for _ in range(options.rounds)]
        old, new = (min(one[k][0] for one in rounds) * 1e3 for k in (0, 1))
        equal = all(one[0][1] == one[1][1] for one in rounds)
        same &= equal
        words = "equal" if equal else "DIFFERENT"
        print(f"| {name} | {old:.2f} | {new:.2f} | {new / old:.3f} | {words} |", flush=True)
    for server in servers:
        server.communicate()
    return int(not same)


def _start(root: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(root.resolve() / "src")}
    command = [sys.executable, str(Path(__file__).resolve())]
    return subprocess.Popen(  # noqa: S603  # this very file
        command, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def _ask(server: subprocess.Popen[str], name: str) -> tuple[float, str]:
    assert server.stdin is not None
    server.stdin.write(name + "\n")
    server.stdin.flush()
    seconds, digest = json.loads(_line(server))
    return seconds, digest


def _line(server: subprocess.Popen[str]) -> str:
    assert server.stdout is not None
    return server.stdout.readline()


if __name__ == "__main__":
    sys.exit(main())
