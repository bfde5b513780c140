"""The real command in its own process. Each start costs a second, so there are few of them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from footway._numba.jit import cache_directory
from footway.cli import main
from tests.shared_data import shared

PATH = ("path", "gallery:mckenna", "--start", "5,5", "--goal", "190,180")


def footway(*arguments, **options):
    command = [sys.executable, "-m", "footway", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=600, check=False, **options
    )


def test_path_as_json_is_one_object_and_nothing_else():
    done = footway(*PATH, "--json")
    assert done.returncode == 0
    assert done.stdout.count("\n") == 1
    answer = json.loads(done.stdout)
    assert answer["clearance"] >= 0.25 - 1e-6


def test_a_walk_as_json_is_one_object_and_nothing_else(tmp_path, capsys):
    file = tmp_path / "walk.csv"
    options = ("--follow", "cmm", "--shortcut", "0.1", "--noise", "0.3", "--seed", "7")
    assert main([*PATH, *options, "-o", str(file), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["points"][-1] == pytest.approx([190.0, 180.0])
    assert answer["clearance"] >= 0.25 - 1e-6
    assert len(file.read_text().splitlines()) == len(answer["points"]) + 1


def test_bad_input_is_one_line_and_exit_code_2(tmp_path):
    done = footway("build", tmp_path / "missing.geojson", "--json")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert json.loads(done.stdout)["kind"] == "BadFile"


def test_no_path_is_exit_code_3(capsys):
    assert main([*PATH, "--radius", "90"]) == 3
    done = capsys.readouterr()
    assert done.out == ""
    assert "Traceback" not in done.err


def test_the_entry_point_is_installed():
    script = Path(sys.executable).with_name("footway")
    if not script.exists():
        pytest.skip("footway runs from its sources")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("footway ")


def test_help_is_light():
    """Help needs none of the heavy modules, so it stays fast on every machine."""
    heavy = "numba shapely matplotlib numpy scipy"
    code = (
        "import sys; from footway.cli import main; main(['--help']); "
        f"print([m for m in '{heavy}'.split() if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_a_reader_that_goes_away_leaves_no_traceback():
    command = [sys.executable, "-m", "footway", "gallery"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(timeout=300) == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_behind_standard_output():
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "footway", "--version"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.startswith("footway: ")
    assert len(done.stderr.splitlines()) == 1


def test_the_first_compilation_is_announced(tmp_path):
    """All kernels that were compiled before are there but one: compiling all takes long."""
    kept = cache_directory()
    assert kept is not None
    all_but_one = shutil.ignore_patterns("*.tmp", "*.graph.strip_trees-*")
    shutil.copytree(kept, tmp_path / kept.name, ignore=all_but_one)
    environment = {**os.environ, "FOOTWAY_JIT_CACHE": str(tmp_path)}
    done = footway("build", "gallery:field", env=environment)
    assert done.returncode == 0
    assert "compiling kernels" in done.stderr
    again = footway("build", "gallery:field", env=environment)
    assert again.stderr == ""


@pytest.mark.slow
def test_nothing_is_compiled_after_a_warmup(tmp_path):
    environment = {**os.environ, "FOOTWAY_JIT_CACHE": str(tmp_path)}
    assert "compiling kernels" in footway("warmup", env=environment).stderr
    query = ("path", "gallery:field", "--start", "3,3", "--goal", "44,44")
    walk = ("--follow", "cmm", "--shortcut", "0.5", "--lane", "-0.5", "--noise", "0.5")
    disc = ("--obstacle", "22,20,0.5,0.1,0")
    around = [(*walk, *disc), (*walk, *disc, "--avoid", "corridor")]
    along = [("--follow", name, *disc) for name in ("miran", "irm")]
    for options in ((), walk, *around, *along):
        done = footway(*query, *options, env=environment)
        assert done.returncode == 0
        assert done.stderr == ""


@pytest.mark.parametrize(
    "name",
    [
        "plans/arena.wkt",
        "rosmaps/map.yaml",
        "grids/arena.map",
        "city/munich_muenchner_freiheit.geojson",
    ],
)
@pytest.mark.slow
def test_maps_of_others_are_checked(name, tmp_path):
    plot = tmp_path / "check.png"
    done = footway("check", shared(name), "--json", "--plot", plot)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["area"] > 0
    assert plot.stat().st_size > 5000
