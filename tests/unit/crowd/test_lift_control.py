"""The control of lifts against its twin that counts ticks, and by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footway.crowd.lift_control import IDLE, MOVING, OPEN, OPENING, Calls, Control
from tests.oracle.lift import Person, TickLift

NOBODY = Calls(set(), set(), set(), False)
TICKS = 3000


def log_of(heights, door, capacity, people, *, steps_per_tick=1):
    """The same as `TickLift.run`, by the control, with people who get out and in at once."""
    control = Control(heights, 1.0, float(door))
    to_come = sorted(people, key=lambda p: (p.comes, p.name))
    waiting, riding, log = [], [], []

    def calls():
        up = {p.start for p in waiting if p.direction > 0}
        down = {p.start for p in waiting if p.direction < 0}
        return Calls({p.end for p in riding}, up, down, len(riding) >= capacity)

    for step in range(TICKS * steps_per_tick):
        now = step / steps_per_tick
        while to_come and to_come[0].comes <= now:
            waiting.append(to_come.pop(0))
        control.advance(now, calls(), may_close=False)
        if control.phase == OPEN:
            here = control.stop
            log.append((control.since, here))
            for person in [p for p in riding if p.end == here]:
                riding.remove(person)
                log.append((control.since, person.name, here))
            for person in [p for p in waiting if p.start == here]:
                if len(riding) < capacity and control.serves(calls()) in (0, person.direction):
                    control.direction = person.direction
                    waiting.remove(person)
                    riding.append(person)
            control.advance(now, calls(), may_close=True)
    return log


@st.composite
def cases(draw):
    count = draw(st.integers(2, 6))
    heights = [0]
    for _ in range(count - 1):
        heights.append(heights[-1] + draw(st.integers(1, 9)))
    people = []
    for name in range(draw(st.integers(1, 14))):
        start = draw(st.integers(0, count - 1))
        end = draw(st.integers(0, count - 2))
        comes = draw(st.integers(0, 200))
        people.append(Person(name, comes, start, end + (end >= start)))
    return heights, draw(st.integers(1, 5)), draw(st.integers(1, 4)), people


@settings(max_examples=400, deadline=None)
@given(cases())
def test_the_control_does_what_its_twin_does(case):
    heights, door, capacity, people = case
    found = log_of(heights, door, capacity, people)
    assert found == TickLift(list(heights), door, capacity, people).run(TICKS)
    assert sorted(one[1] for one in found if len(one) == 3) == sorted(p.name for p in people)


@settings(max_examples=50, deadline=None)
@given(cases())
def test_shorter_steps_change_nothing_if_people_come_on_steps(case):
    heights, door, capacity, people = case
    once = log_of(heights, door, capacity, people)
    assert log_of(heights, door, capacity, people, steps_per_tick=2) == once


def test_phases_begin_between_steps():
    control = Control([0.0, 4.0, 8.0], 1.5, 2.0)
    control.advance(1.0, NOBODY, may_close=True)
    assert control.phase == IDLE
    calls = Calls(set(), set(), {2}, False)
    control.advance(1.5, calls, may_close=False)
    assert (control.phase, control.since, control.height(2.5)) == (MOVING, 1.5, 1.5)
    control.advance(8.0, calls, may_close=False)
    assert control.phase == OPENING
    assert control.since == pytest.approx(1.5 + 8.0 / 1.5)
    control.advance(20.0, calls, may_close=False)
    assert control.phase == OPEN
    assert control.since == pytest.approx(1.5 + 8.0 / 1.5 + 2.0)
    assert control.height(20.0) == 8.0


def test_a_full_cabin_passes_those_who_wait():
    control = Control([0.0, 4.0, 8.0], 1.0, 2.0, phase=MOVING, stop=2, heading=1, direction=-1)
    control.advance(4.0, Calls({0}, set(), {1}, True), may_close=False)
    assert (control.phase, control.heading) == (MOVING, 0)
    other = Control([0.0, 4.0, 8.0], 1.0, 2.0, phase=MOVING, stop=2, heading=1, direction=-1)
    other.advance(4.0, Calls({0}, set(), {1}, False), may_close=False)
    assert (other.phase, other.stop) == (OPENING, 1)
