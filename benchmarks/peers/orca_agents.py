"""pyrvo: Python bindings of the C++ library RVO2, which avoids collisions and plans no paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.peers.navigator import NotInstalled

if TYPE_CHECKING:
    import shapely
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RANGE = 3.0
"""m between discs: as far as Footway's characters look. Its own examples look 15 m far."""

NEIGHBOURS = 10
HORIZON = 2.0
"""s that it looks ahead, as far as Footway's characters do. Its own examples have 5 and 10."""

PASSED = 1.0
"""m from a corner of its path at which an agent turns to the next one."""


class OrcaAgents:
    """Agents on given paths, among the walls of an area.

    Args:
        area: where they walk.
        positions: (n, 2) m.
        velocities: (n, 2) m/s.
        paths: for each agent its (k, 2) polyline, m.
        radius: m.
        speed: m/s.
        step: s.
    """

    name = "pyrvo"

    def __init__(
        self,
        area: shapely.Polygon,
        positions: Floats,
        velocities: Floats,
        paths: list[Floats],
        *,
        radius: float,
        speed: float,
        step: float,
    ) -> None:
        try:
            import pyrvo
        except ImportError:
            raise NotInstalled("pyrvo is not installed: pip install pyrvo") from None
        self._speed = speed
        reach = RANGE + 2 * radius
        sim = pyrvo.RVOSimulator(step, reach, NEIGHBOURS, HORIZON, HORIZON, radius, speed)
        for ring in _obstacles(area):
            sim.add_obstacle(ring)
        sim.process_obstacles()
        for k, (position, velocity) in enumerate(
            zip(positions.tolist(), velocities.tolist(), strict=True)
        ):
            sim.add_agent(position)
            sim.set_agent_velocity(k, velocity)
        self._sim = sim
        self._paths = np.concatenate(paths)
        self._last = np.cumsum([len(path) for path in paths]) - 1
        self._next = np.minimum(self._last, self._last + 2 - [len(path) for path in paths])

    @property
    def positions(self) -> Floats:
        """(n, 2) m."""
        ask = self._sim.get_agent_position
        return np.array([ask(k).to_tuple() for k in range(len(self._last))])

    def feed(self) -> None:
        """Set the preferred velocities along the paths, as users of the library have to."""
        here = self.positions
        near = np.hypot(*(self._paths[self._next] - here).T) < PASSED
        self._next = np.minimum(self._next + near, self._last)
        to = self._paths[self._next] - here
        far = np.hypot(*to.T)[:, None]
        wanted = to * np.minimum(self._speed / np.maximum(far, 1e-9), 1.0)
        tell = self._sim.set_agent_pref_velocity
        for k, velocity in enumerate(wanted.tolist()):
            tell(k, velocity)

    def step(self) -> None:
        """Do one step."""
        self._sim.do_step()


def _obstacles(area: shapely.Polygon) -> list[list[list[float]]]:
    """Return the corners of all walls with the solid side on the left, as RVO2 requires."""
    outside, *houses = (np.array(ring.coords)[:-1] for ring in (area.exterior, *area.interiors))
    rings = [_turned(outside, left=False), *(_turned(house, left=True) for house in houses)]
    return [ring.tolist() for ring in rings]


def _turned(ring: Floats, *, left: bool) -> Floats:
    """Return the ring counterclockwise (left) or clockwise."""
    x, y = ring.T
    area = float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())
    return ring if (area > 0) == left else ring[::-1]
