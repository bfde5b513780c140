"""`footway report`: pages about studies."""

import re
from pathlib import Path


def test_of_one_study_and_of_two(footway, plan):
    for folder in ("a", "b"):
        assert footway("study", plan, "-o", folder).code == 0
    assert footway("report", "a").code == 0
    assert footway("report", "a", "b", "-o", "both.html", "--json").json["output"] == "both.html"
    before = Path("a.html").read_text()
    assert "Wrote a-and-b.html" in footway("report", "a", "b/").printed
    assert Path("a.html").read_text() == before
    footway("report", "a", "./a/").refuses("./a/: is given twice")
    text = before
    assert "The worst run" in text
    assert "data:image/png" in text
    links = re.findall(r'<a href="([^"]*)"', text)
    assert links == ["a/recordings/median.html", "a/recordings/worst.html"]
    for link in links:
        assert 'id="footway-recording"' in Path(link).read_text()


def test_a_report_in_another_folder_links_to_the_replays(footway, plan):
    assert footway("study", plan, "-o", "a b").code == 0
    Path("pages").mkdir()
    assert footway("report", "a b", "-o", "pages/a.html").code == 0
    assert 'href="../a%20b/recordings/worst.html"' in Path("pages/a.html").read_text()


def test_bad_input(footway, plan):
    footway("report", "walk.toml").refuses("is not the folder of a study")
    footway("report", ".", "-o", "x.pdf").refuses()
    footway("report", "a", "b", "c").refuses("give one, or two to compare")
