"""A file of another kind is refused with the command that takes it."""

import pytest

import footway as fw

TEXTS = {
    "scenario": 'map = "plan.wkt"\n[[population]]\ncount = 1\n',
    "study": 'scenario = "scenario.toml"\nseeds = 2\n',
    "building": '[[floor]]\nname = "0"\nplan = "plan.wkt"\n',
    "plan": "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))",
}
READERS = {"scenario": fw.load_scenario, "study": fw.load_study, "building": fw.load}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    ("given", "advice"),
    [
        ("scenario", "scenario.toml: is a scenario: use `footway simulate`"),
        ("study", "study.toml: is a study: use `footway study`"),
        ("building", "building.toml: is a building, a map: use `footway check`"),
        ("plan", "plan.wkt: is a map: use `footway check`"),
    ],
)
def test_each_reader_refuses_the_others(tmp_path, reader, given, advice):
    names = {kind: tmp_path / f"{kind}.toml" for kind in READERS} | {"plan": tmp_path / "plan.wkt"}
    for kind, text in TEXTS.items():
        names[kind].write_text(text)
    if given == reader or (given, reader) == ("plan", "building"):
        READERS[reader](names[given])
        return
    with pytest.raises(fw.BadFile) as refusal:
        READERS[reader](names[given])
    assert str(refusal.value).startswith(f"{tmp_path}/{advice}")


def test_a_missing_file_is_reported_as_missing(tmp_path):
    with pytest.raises(fw.BadFile, match="does not exist"):
        fw.load_scenario(tmp_path / "plan.geojson")
