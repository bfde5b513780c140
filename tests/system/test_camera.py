"""A camera from the shell: files that other programs read, and errors of one line."""

import json
import subprocess
import sys

import numpy as np

from tests.unit.plot.gltf_reading import read


def footway(*arguments):
    command = [sys.executable, "-m", "footway", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


def test_a_tour_of_the_field(tmp_path):
    table, scene, plot = (tmp_path / name for name in ("tour.csv", "tour.glb", "tour.png"))
    stops = ("--stops", "2,3; 24,40; 44,44", "--dwell", "0;2;0", "--look-at", ";20,20,1;")
    files = ("-o", table, "-o", scene, "--plot", plot)
    done = footway("camera", "gallery:field", *stops, *files, "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["clearance"] >= 0.25 - 1e-6
    rows = np.loadtxt(table, delimiter=",", skiprows=1)
    assert len(rows) == answer["frames"]
    document = read(scene)
    for row in rows[:: len(rows) // 50]:
        position, look, _ = document.camera_at(row[0])
        assert np.allclose([*position, *look], row[1:7], atol=1e-4)
    assert plot.stat().st_size > 20_000


def test_a_stop_outside_of_the_map_is_one_line():
    done = footway("camera", "gallery:field", "--stops", "2,3; -5,3", "--method", "short")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "stop 2" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
