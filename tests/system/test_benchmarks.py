"""The benchmarks run and write what they promise; their numbers mean nothing here."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_a_quick_run_checks_answers_and_writes_its_tables(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick", "--only", "points", "--output", tmp_path],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Checked first: all 50,000 clearances" in done.stdout
    (file,) = (tmp_path / "results").glob("*.json")
    document = json.loads(file.read_text())
    assert document["machine"]["versions"]["footway"]
    (section,) = document["sections"]
    assert section["outcome"]["targets"][0]["ours"] > 0
    assert "## points" in (tmp_path / "RESULTS-quick.md").read_text()
