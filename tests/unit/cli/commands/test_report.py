"""`footway report`: pages about studies."""

import json
import re
from pathlib import Path

from footway.cli import main


def test_of_one_study_and_of_two(plan, capsys):
    for folder in ("a", "b"):
        assert main(["study", plan, "-o", folder]) == 0
    assert main(["report", "a"]) == 0
    assert main(["report", "a", "b", "-o", "both.html", "--json"]) == 0
    out = capsys.readouterr().out
    assert json.loads(out.splitlines()[-1])["output"] == "both.html"
    before = Path("a.html").read_text()
    assert main(["report", "a", "b/"]) == 0
    assert "Wrote a-and-b.html" in capsys.readouterr().out
    assert Path("a.html").read_text() == before
    assert main(["report", "a", "./a/"]) == 2
    assert "./a/: is given twice" in capsys.readouterr().err
    text = before
    assert "The worst run" in text
    assert "data:image/png" in text
    links = re.findall(r'<a href="([^"]*)"', text)
    assert links == ["a/recordings/median.html", "a/recordings/worst.html"]
    for link in links:
        assert 'id="footway-recording"' in Path(link).read_text()


def test_a_report_in_another_folder_links_to_the_replays(plan, capsys):
    assert main(["study", plan, "-o", "a b"]) == 0
    Path("pages").mkdir()
    assert main(["report", "a b", "-o", "pages/a.html"]) == 0
    assert 'href="../a%20b/recordings/worst.html"' in Path("pages/a.html").read_text()


def test_bad_input(plan, capsys):
    assert main(["report", "walk.toml"]) == 2
    assert "is not the folder of a study" in capsys.readouterr().err
    assert main(["report", ".", "-o", "x.pdf"]) == 2
    assert main(["report", "a", "b", "c"]) == 2
    assert "give one, or two to compare" in capsys.readouterr().err
