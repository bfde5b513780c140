"""`footway reproduce miran` as a user runs it, small."""

import json

from tests.system.reproduced import Reproduced, footway, run_once

made = run_once("miran")


class TestReport(Reproduced):
    pictures = tuple(f"miran-figure-{number}.png" for number in (1, 7, 8))


def test_published_times_stand_beside_ours(made):
    rows = made.rows("Table 1")
    assert [row[5] for row in rows] == [7.13, 16.50, 16.04, 20.90, 63.33, 4.66, 4.48, 8.00, 10.52]
    assert all(0.0 < row[7] <= row[6] for row in rows)
    assert len(made.rows("Other steps")) == 9


def test_miran_keeps_out_of_the_mud_and_the_irm_does_not(made):
    metres = {row[0]: row[1:] for row in made.rows("McKenna + Road")}
    assert float(metres["mud, m"][0]) == 0.0
    assert float(metres["mud, m"][1]) > 0.5
    assert float(metres["sidewalk, m"][0]) > float(metres["sidewalk, m"][1])


def test_claims_of_the_last_run_are_printed(made):
    done = footway("reproduce", "--claims", "--json", "-o", made.folder)
    assert done.returncode == 0
    found = json.loads(done.stdout)["claims"]
    assert found == made.answer["tables"][0]["claims"]
    assert found
    text = (made.folder / "claims.md").read_text()
    assert all(claim["what"] in text for claim in found)
    assert all((made.folder / claim["file"]).exists() for claim in found)
