"""The lists of planted faults (`make mutants`) must fit the sources."""

from __future__ import annotations

import pytest

from tests.faults.__main__ import Fault, draw_sample, find_problem, read_faults

FAULTS = read_faults()


def test_every_fault_can_be_planted():
    problems = [problem for fault in FAULTS if (problem := find_problem(fault))]
    assert not problems, "\n".join(problems)


def test_no_fault_is_listed_twice():
    assert len({(fault.file, fault.old, fault.new) for fault in FAULTS}) == len(FAULTS) > 0


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"file": "none.py"}, "none.py does not exist"),
        ({"old": "x"}, "`old` occurs 2 times"),
        ({"old": "y"}, "`old` occurs 0 times"),
        ({"new": "a = x"}, "the same as `old`"),
        ({"tests": ("test_none.py::test",)}, "no such tests: test_none.py::test"),
        ({"tests": ()}, "none are named"),
        ({}, ""),
    ],
)
def test_problems_are_found(tmp_path, change, problem):
    (tmp_path / "a.py").write_text("a = x\nb = x\n")
    fault = Fault("area", 1, "a.py", "a = x", "a = -x", ("a.py::test",))
    found = find_problem(fault._replace(**change), tmp_path)
    assert problem in found
    assert bool(problem) == bool(found)


def test_a_sample_is_of_every_area_and_the_same_again():
    sample = draw_sample(FAULTS, 100)
    assert sample == draw_sample(FAULTS, 100)
    assert {fault.area for fault in sample} == {fault.area for fault in FAULTS}
    assert 90 <= len(set(sample)) == len(sample) <= 110
    assert draw_sample(FAULTS, 10**6) == FAULTS
