"""What is said about a run: numbers by hand, and lists that have an end."""

from types import SimpleNamespace

import pytest

from footway.cli.crowd_report import _last_exits, _stuck_lines, as_json
from footway.cli.progress import Clock
from footway.crowd.inspection import Stuck
from tests.unit.crowd.maps import box, crowd


@pytest.mark.parametrize(("number", "listed"), [(0, 0), (4, 4), (5, 5), (6, 5), (1200, 5)])
def test_five_who_are_stuck_are_listed(number, listed):
    stuck = [Stuck(k, (1.0, 2.0), 3.0, "pinch") for k in range(number)]
    lines = list(_stuck_lines(SimpleNamespace(crowd=SimpleNamespace(stuck=stuck))))
    assert lines[:listed] == [
        f"  character {k} is stuck at (1.00, 2.00) since 3.0 s: pinch" for k in range(listed)
    ]
    rest = [f"  and {number - 5:,} more: --json lists them all"] if number > 5 else []
    assert lines[listed:] == rest


def test_six_populations_are_listed():
    left = {f"p{k}": float(k) for k in range(8)}
    run = SimpleNamespace(crowd=SimpleNamespace(names=list(left)), clock=Clock(left_at=left))
    ((name, words),) = _last_exits(run)
    assert (name, words) == (
        "last of",
        "p0 0.0 s, p1 1.0 s, p2 2.0 s, p3 3.0 s, p4 4.0 s, p5 5.0 s and 2 more",
    )


def test_as_json():
    it = crowd("corridor")
    it.add(2, starts=[(20, 2), (40, 2)], destinations=[box(22, 0, 26, 4)], then="exit")
    it.step(70)
    clock = Clock(moments=[0.0, 5.0, 5.002, 5.006], present=[2, 2, 1])
    run = SimpleNamespace(
        crowd=it, clock=clock, cost=clock.cost, scenario=SimpleNamespace(title="t", map="m")
    )
    answer = as_json(run)
    assert (answer["characters"], answer["exited"]) == (2, 1)
    assert answer["present"] == {it.names[0]: 1}
    assert answer["ms_per_step"] == pytest.approx(3.0)
    assert answer["longest_step_ms"] == pytest.approx(4.0)
    assert answer["share_of_real_time"] == pytest.approx(0.03)
    assert answer["character_steps_per_second"] == pytest.approx(3 / 0.006)
