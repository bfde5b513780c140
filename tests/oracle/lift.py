"""A lift with collective control, tick by tick: an obvious twin of `crowd.lift_control`.

Everything is a whole number of ticks: heights (a tick's travel each), door times, and when people
come. People get out and in within the tick in which the doors are open.
"""

from __future__ import annotations


class Person:
    def __init__(self, name, comes, start, end):
        self.name, self.comes, self.start, self.end = name, comes, start, end
        self.direction = 1 if end > start else -1


class TickLift:
    def __init__(self, heights, door, capacity, people):
        self.heights, self.door, self.capacity = heights, door, capacity
        self.to_come = sorted(people, key=lambda p: (p.comes, p.name))
        self.waiting, self.riding = [], []
        self.at, self.direction, self.timer, self.doors = heights[0], 0, 0, "shut"
        self.log = []  # (tick, stop): the doors have opened; (tick, name, stop): somebody got out

    def run(self, ticks):
        for tick in range(ticks):
            while self.to_come and self.to_come[0].comes <= tick:
                self.waiting.append(self.to_come.pop(0))
            self.tick(tick)
        return self.log

    def tick(self, tick):
        if self.doors in ("opening", "closing"):
            self.timer -= 1
            if self.timer > 0:
                return
            if self.doors == "opening":
                self.exchange(tick)
                self.doors, self.timer = "closing", self.door
                return
            self.doors = "shut"
            self.direction = self.choose_direction()
            if self.direction == 0 and self.is_wanted_here():
                self.open()
            return
        if self.direction == 0:  # idle
            if self.is_wanted_here():
                self.open()
                return
            self.direction = self.toward_nearest()
            return
        self.at += self.direction  # one tick of travel
        while self.at in self.heights and self.doors == "shut" and self.direction:
            if self.stops_here():
                self.open()
            elif not self.anybody(self.direction):
                self.direction = self.choose_direction()
                if self.direction == 0 and self.is_wanted_here():
                    self.open()
                return
            else:
                return

    def open(self):
        self.doors, self.timer = "opening", self.door

    def stop(self):
        return self.heights.index(self.at)

    def full(self):
        return len(self.riding) >= self.capacity

    def calls(self):
        """Stops where somebody gets out or, if there is room, waits."""
        stops = {p.end for p in self.riding}
        return stops if self.full() else stops | {p.start for p in self.waiting}

    def anybody(self, direction):
        return any((self.heights[k] - self.at) * direction > 0 for k in self.calls())

    def is_wanted_here(self):
        return self.stop() in self.calls()

    def choose_direction(self):
        for direction in (self.direction, -self.direction):
            if direction and self.anybody(direction):
                return direction
        return 0

    def toward_nearest(self):
        stops = self.calls()
        if not stops:
            return 0
        nearest = min(abs(self.heights[k] - self.at) for k in stops)
        return 1 if self.at + nearest in [self.heights[k] for k in stops] else -1

    def stops_here(self):
        here = self.stop()
        if here in {p.end for p in self.riding}:
            return True
        if self.full():
            return False
        waiting = [p for p in self.waiting if p.start == here]
        if any(p.direction == self.direction for p in waiting):
            return True
        return bool(waiting) and not self.anybody(self.direction)

    def exchange(self, tick):
        here = self.stop()
        self.log.append((tick, here))
        for person in [p for p in self.riding if p.end == here]:
            self.riding.remove(person)
            self.log.append((tick, person.name, here))
        for person in [p for p in self.waiting if p.start == here]:
            if not self.full() and self.may_enter(person, here):
                self.waiting.remove(person)
                self.riding.append(person)
                self.direction = person.direction

    def may_enter(self, person, here):
        if self.direction in (0, person.direction):
            return True
        same = [p for p in self.waiting if p.start == here and p.direction == self.direction]
        return not same and not self.anybody(self.direction)
