"""The crowd of the demo: characters of all kinds in the city."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from footway.crowd import Crowd, Profile

if TYPE_CHECKING:
    from footway.corridor import CorridorMap
    from footway.crowd import Recording
    from footway.environment import Environment

ADULT: Final = Profile(radius=(0.25, 0.02), speed=(1.3, 0.2))
STROLLER: Final = Profile(radius=(0.25, 0.02), speed=(0.9, 0.15), noise=0.3)
CHILD: Final = Profile(radius=0.18, speed=(1.2, 0.2), lane=0.0, noise=0.2)
WHEELCHAIR: Final = Profile(radius=0.4, speed=(1.0, 0.15))
FLOAT: Final = 5.0  # radius of the parade float that crosses the market, m


class Cost(NamedTuple):
    """Duration of steps, s."""

    median: float
    longest: float
    total: float


class TimedCrowd(Crowd):
    """A crowd that measures its steps, without the time for recording them.

    Attributes:
        seconds: duration of each step, s.

    """

    def __init__(self, cmap: CorridorMap, **settings: Any) -> None:
        super().__init__(cmap, **settings)
        self.seconds: list[float] = []

    def step(self, count: int = 1) -> None:
        """Do one or more steps, and measure each."""
        for _ in range(count):
            begin = time.perf_counter()
            super().step()
            self.seconds.append(time.perf_counter() - begin)

    @property
    def cost(self) -> Cost:
        """Duration of the steps."""
        return Cost(float(np.median(self.seconds)), max(self.seconds), sum(self.seconds))


def fill(crowd: Crowd, city: Environment, count: int) -> None:
    """Add `count` characters with goals, wanderers and two groups, and an obstacle."""
    area = {named.name: named.polygon for named in city.areas}
    middle = {name: polygon.representative_point().coords[0] for name, polygon in area.items()}
    wander, shop, roll, group = 3 * count // 10, count // 7, count // 50, count // 250
    squares = [area["market"], area["station square"], area["corn square"]]
    errands = count - wander - shop - roll - 2 * group
    crowd.add(errands, profile=ADULT, name="errands", within=250.0)
    crowd.add(wander, profile=STROLLER, name="strollers", behaviour="wander")
    crowd.add(shop, profile=ADULT, name="shoppers", destinations=squares)
    crowd.add(roll, profile=WHEELCHAIR, name="wheelchairs", within=150.0)
    crowd.add_group(
        group, start=middle["market"], profile=CHILD, name="pupils",
        width=2.0, group_area=2.0 * group,
    )  # fmt: skip
    crowd.add_group(
        group, start=middle["corn square"], goal=middle["market"], name="tourists", speed=1.0,
        lateral=4.0, longitudinal=20.0,
    )  # fmt: skip
    x, y = middle["market"]
    crowd.add_obstacle((x - 8.0, y), FLOAT, velocity=(0.5, 0.1), appears=15.0, vanishes=45.0)


def least_gap(recording: Recording, cmap: CorridorMap) -> float:
    """Return the least gap between a wall and a character in all frames of a recording, m."""
    characters, least = recording.characters, np.inf
    for k in range(recording.n_frames):
        frame = recording.frame(k)
        radius = characters.radius[np.searchsorted(characters.ids, frame.ids)]
        least = min(least, float((cmap.clearance(frame.positions) - radius).min(initial=np.inf)))
    return least
