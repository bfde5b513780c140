import footway as fw


def test_says_what_it_built(footway, room):
    out = footway("build", room).printed
    assert "vertices" in out
    assert "76.0 m2" in out


def test_json_has_the_graph(footway, room):
    answer = footway("build", room, "--json").json
    assert answer["cycles"] == 1
    assert answer["components"] == 1
    assert answer["bounds"] == [0.0, 0.0, 10.0, 8.0]
    assert answer["times_ms"]["build"] > 0


def test_saves_a_map_that_path_and_build_read(footway, room, tmp_path):
    file = tmp_path / "room.fwmap"
    assert footway("build", room, "-o", file).code == 0
    assert fw.CorridorMap.load(file).n_cycles == 1
    assert footway("build", file, "--json").json["cycles"] == 1
    assert footway("path", file, "--start", "1,1", "--goal", "9,7").code == 0


def test_draws_a_saved_map(footway, room, tmp_path):
    file, plot = tmp_path / "room.fwmap", tmp_path / "room.svg"
    footway("build", room, "-o", file)
    assert footway("build", file, "--plot", plot).code == 0
    assert plot.read_text().startswith("<?xml")


def test_refuses_another_suffix_for_the_map(footway, room, tmp_path):
    footway("build", room, "-o", tmp_path / "room.zip").refuses(".fwmap")


def test_scale_of_a_grid(footway, tmp_path):
    file = tmp_path / "grid.map"
    file.write_text("type octile\nheight 2\nwidth 3\nmap\n...\n...\n")
    answer = footway("build", file, "--scale", "2", "--json").json
    assert answer["bounds"] == [0.0, 0.0, 6.0, 4.0]


def test_a_saved_map_takes_no_scale(footway, room, tmp_path):
    file = tmp_path / "room.fwmap"
    footway("build", room, "-o", file)
    footway("build", file, "--scale", "2").refuses("--scale")


def test_a_damaged_saved_map(footway, tmp_path):
    file = tmp_path / "room.fwmap"
    file.write_bytes(b"PK\x03\x04 no more")
    footway("build", file).refuses("room.fwmap")
