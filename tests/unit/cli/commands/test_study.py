"""`footway study`: options, output and exit codes."""

from pathlib import Path

import pytest


def test_a_study(footway, plan):
    out = footway("study", plan).printed
    assert "1 run" in out
    assert "egress_time" in out
    for name in ("results.parquet", "study.json", "recordings/worst.parquet"):
        assert Path("plan", name).exists()


def test_a_run_in_which_somebody_is_left_is_counted_once(footway, plan):
    scenario = Path("walk.toml").read_text()
    Path("walk.toml").write_text(scenario.replace("[3, 3]", "[44, 44]"))
    assert "(1 run; in 1 of them somebody was still inside" in footway("study", plan).printed


def test_json(footway, plan):
    answer = footway("study", plan, "-o", "out", "--json", "--workers", "1").json
    (point,) = answer["points"]
    assert point["runs"] == point["measures"]["egress_time"]["n"] == 1
    assert 1.0 < point["measures"]["egress_time"]["mean"] < 20.0
    assert point["measures"]["egress_time"]["deviation"] is None  # of one run


def test_a_shard_reports_its_points(footway, plan):
    Path(plan).write_text('scenario = "walk.toml"\nseeds = 1\n[vary]\nduration = [15, 16, 17]\n')
    out = footway("study", plan, "--shard", "2/3", "--workers", "1").printed
    first, second, *_ = out.splitlines()
    assert first.endswith(": 1 run, 1 of 3 points")
    assert second.startswith("  duration = 16: egress_time ")
    assert not Path("plan", "recordings").exists()
    out = footway("study", plan, "--keep", "none").printed
    assert out.splitlines()[0].endswith(": 3 runs, 3 points")
    assert not Path("plan", "recordings").exists()
    assert footway("study", plan, "--keep", "median, 2-0").code == 0
    assert {f.stem for f in Path("plan", "recordings").iterdir()} == {"median", "2-0"}


def test_check(footway, plan):
    Path(plan).write_text('scenario = "walk.toml"\nseeds = 4\n[vary]\nduration = [5, 6, 7]\n')
    assert footway("study", plan, "--check").printed.splitlines() == [
        "plan.toml is fine: 3 points, 12 runs", "  varies: duration",
    ]  # fmt: skip
    assert not Path("plan").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--shard", "4/3"], "--shard is 4/3; give K/N with K from 1 to N, such as 3/50"),
        (["--shard", "x"], "--shard is x; give K/N"),
        (["--dask", "--scheduler", "tcp://127.0.0.1:1"], "leave one out"),
        (["-o", "walk.toml"], "walk.toml: exists and is no study; give another folder"),
        (["--workers", "0"], "workers"),
        (["--keep", "best"], "the run to keep is 'best': give 'median', 'worst' or 'POINT-SEED'"),
    ],
)
def test_bad_options(footway, plan, options, message):
    footway("study", plan, *options).refuses(message)


def test_a_missing_file(footway):
    footway("study", "none.toml").refuses("none.toml")
