import json

import pytest

from footway.reproduce.report import Picture, Report, Section, Table, ratio

TABLE = Table("Times", ("", "paper", "ours"), [("query, ms", 274.0, 3.14159), ("none", 5, None)])


@pytest.fixture
def report():
    picture = Picture("x.png", "What is seen")
    good = Section("One", "a paper, section 1", [TABLE], [picture], checked="all arrive.")
    bad = Section("Two", "a paper, section 2", [], wrong=["walk 3 stops"])
    return Report("x", "A title", {"cores": "2"}, [good, bad], ("A remark.",))


def test_markdown_has_aligned_columns(report):
    lines = [line for line in report.to_markdown().splitlines() if line.startswith("|")]
    assert len(lines) == 4
    assert len({len(line) for line in lines}) == 1
    assert lines[2] == "| query, ms |   274 | 3.14 |"
    assert lines[3] == "| none      |     5 |      |"


def test_markdown_says_everything(report):
    text = report.to_markdown()
    for words in ("# A title", "- A remark.", "cores 2", "all arrive", "**Wrong: walk 3 stops**"):
        assert words in text
    assert "(x.png)" in text
    assert "x.png" not in report.to_markdown(pictures=False)


def test_wrong_answers_and_files_are_collected(report):
    assert report.wrong == ["walk 3 stops"]
    assert report.files == ["x.png"]


def test_json_keeps_all_digits(report):
    plain = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert plain["sections"][0]["tables"][0]["rows"][0] == ["query, ms", 274.0, 3.14159]


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.00069, "0.000690"), (2.5e-5, "2.5e-05"), (12.0, "12.0"), (1051.4, "1,051"), (0.0, "0")],
)
def test_numbers_have_three_digits(number, text):
    table = Table("", ("", "n"), [("", number)])
    section = Section("", "", [table])
    assert f" {text} |" in Report("", "", {}, [section]).to_markdown()


def test_ratio_of_nothing():
    assert ratio(3.0, 1.5) == 2.0
    assert ratio(3.0, 0.0) is None
