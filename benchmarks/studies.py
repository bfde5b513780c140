"""Cost of a study over that of its runs alone, and its memory.

The runs alone are the same simulations one after the other in one process: crowds are placed and
stepped, nothing is measured or written. CPU time is that of the process and of its workers, which
load kernels and the map once each, as of the last finished run. The answer is checked: one and two
workers give the same table, byte for byte. Memory is the greatest that one process had resident.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from benchmarks.checks import WrongAnswer
from benchmarks.report import Outcome, Table

if TYPE_CHECKING:
    from benchmarks.effort import Effort

PEOPLE, SECONDS = 500, 60
SCENARIO = f"""
map = "gallery:office"
duration = {SECONDS}

[[population]]
count = {PEOPLE}
radius = 0.2
"""
_RUN = """
import json, sys, time

import psutil

from footway.runs.execution import study
from footway.runs.run import prepare
from footway.runs.study import load_study
from footway.scenario.building import open_map

used, resident = {}, {}

def note(*_):
    me = psutil.Process()
    for process in (me, *me.children(recursive=True)):
        try:
            times, memory = process.cpu_times(), process.memory_info().rss
        except psutil.NoSuchProcess:
            continue
        used[process.pid] = times.user + times.system
        resident[process.pid] = max(memory, resident.get(process.pid, 0))

if __name__ == "__main__":
    plan, folder, workers = load_study(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    note()
    before, clock = sum(used.values()), time.perf_counter()
    if workers == 0:  # the runs alone
        opened = open_map(plan.scenario_at(0, 0))
        for seed in range(plan.seeds):
            crowd = prepare(plan.scenario_at(0, seed), opened, threads=1).crowd
            crowd.step(round(60 / crowd.dt))
            note()
    else:
        study(plan, folder, workers=workers, keep=(), progress=note)
    note()
    facts = {"cpu": sum(used.values()) - before, "time": time.perf_counter() - clock}
    print(json.dumps(facts | {"memory": max(resident.values()) / 2**20}))
"""


def run(effort: Effort) -> Outcome:
    """Run the study alone, with one worker and with two, and a long one for its memory."""
    seeds = 200 if effort.repeats > 3 else 20
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "office.toml").write_text(SCENARIO)
        (folder / "run.py").write_text(_RUN)
        rows = {k: _measure(folder, seeds, k) for k in (0, 1, 2)}
        tables = [(folder / f"out-{seeds}-{k}" / "results.parquet").read_bytes() for k in (1, 2)]
        if tables[0] != tables[1]:
            raise WrongAnswer("one and two workers give different tables")
        few = _measure(folder, max(5, seeds // 10), 2)
    alone = rows[0]
    table = Table(
        "studies",
        ("study", "CPU, s", "CPU over the runs alone", "time, s", "memory of a process, MB"),
        [
            (what, f"{row['cpu']:.1f}", f"{row['cpu'] / alone['cpu']:.2f}", f"{row['time']:.1f}",
             f"{row['memory']:.0f}")
            for what, row in (
                (f"{seeds} runs alone", alone), (f"{seeds} runs, 1 worker", rows[1]),
                (f"{seeds} runs, 2 workers", rows[2]),
            )
        ],
    )  # fmt: skip
    remarks = [
        f"{PEOPLE} people for {SECONDS} s in gallery:office",
        f"memory with a tenth of the runs: {few['memory']:.0f} MB",
    ]
    return Outcome([table], "the tables of one and two workers are equal", remarks=remarks)


def _measure(folder: Path, seeds: int, workers: int) -> dict[str, Any]:
    plan = folder / f"plan-{seeds}.toml"
    plan.write_text(f'scenario = "office.toml"\nseeds = {seeds}\n')
    command = [sys.executable, "run.py", str(plan), f"out-{seeds}-{workers}", str(workers)]
    found = subprocess.run(  # noqa: S603 - our own program
        command, cwd=folder, check=True, capture_output=True, text=True
    )
    answer: dict[str, Any] = json.loads(found.stdout.splitlines()[-1])
    return answer
