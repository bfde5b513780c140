"""A camera from the command line: files that other programs read."""

import json

import numpy as np

from footway.cli import main
from tests.unit.plot.gltf_reading import read


def test_a_tour_of_the_field(tmp_path, capsys):
    table, scene, plot = (tmp_path / name for name in ("tour.csv", "tour.glb", "tour.png"))
    stops = ("--stops", "2,3; 24,40; 44,44", "--dwell", "0;2;0", "--look-at", ";20,20,1;")
    files = ("-o", table, "-o", scene, "--plot", plot)
    assert main(["camera", "gallery:field", *stops, *map(str, files), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["clearance"] >= 0.25 - 1e-6
    rows = np.loadtxt(table, delimiter=",", skiprows=1)
    assert len(rows) == answer["frames"]
    document = read(scene)
    for row in rows[:: len(rows) // 50]:
        position, look, _ = document.camera_at(row[0])
        assert np.allclose([*position, *look], row[1:7], atol=1e-4)
    assert plot.stat().st_size > 20_000
