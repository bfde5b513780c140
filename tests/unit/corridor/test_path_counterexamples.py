"""Queries that random tests once found answered wrongly, reduced to the smallest scene."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
import shapely

import footway as fw
from tests.oracle.clearance import path_clearance
from tests.oracle.shortest import ShortestOracle

SQUARE = [(0, 0), (20, 0), (20, 20), (0, 20)]


class Case(NamedTuple):
    """A query; the walls are lists of coordinates."""

    start: tuple[float, float]
    goal: tuple[float, float]
    outer: list[tuple[float, float]]
    holes: tuple[list[tuple[float, float]], ...] = ()
    lines: tuple[list[tuple[float, float]], ...] = ()
    points: tuple[tuple[float, float], ...] = ()

    def environment(self) -> fw.Environment:
        return fw.Environment.from_polygons(
            shapely.Polygon(self.outer, self.holes), lines=self.lines, points=self.points
        )


CASES = {
    "through a solid box": Case(
        (18.2, 3.7), (14, 6), SQUARE, holes=([(16, 4), (18, 4), (18, 6), (16, 6)],)
    ),
    "between boxes that touch": Case(
        (9.9, 7),
        (10.1, 13),
        SQUARE,
        holes=(
            [(4, 8), (10, 8), (10, 10), (4, 10)],
            [(10, 10), (16, 10), (16, 12), (10, 12)],
        ),
    ),
    "out of a bent line wall": Case(
        (1.92, 1.94),
        (13.52, 13.52),
        SQUARE,
        lines=([(3.091, 1.098), (0.676, 1.956), (0.521, 6.18)],),
    ),
    "straight in a quadrilateral": Case(
        (11, 1), (6, 5), [(12.237, 0), (4.079, 4.129), (12.237, 12.237), (12.237, 4.029)]
    ),
    "over a shallow notch": Case(
        (2, 15), (7.6, 19.8), [(20, 20), (0, 0), (0, 20), (7.524, 19.49), (7.328, 20)]
    ),
    "around a spike": Case(
        (3.029922, 0.465186),
        (0.645848, 10.878352),
        [(0, 20), (20, 0), (0.541, 0), (7.743, 4.796), (2.428, 1.272), (0.512, 0.001), (0.512, 0)],
        points=((0.451, 7.537),),
    ),
    "around a thinner spike": Case(
        (3.029922, 0.46518599999999993),
        (0.645848, 10.878352),
        [(0, 20), (20, 0), (0.541, 0), (7.743, 4.796), (0.512, 0.001), (0.512, 0)],
        points=((0.451, 7.537), (3.065, 1.118)),
    ),
    "out of a folded line wall": Case(
        (5.7082429999999995, 2.520137),
        (1.6973459999999991, 12.443342000000001),
        [
            *((0, 20), (20, 20), (20, 0), (2.715, 0), (2.753, 0.128), (2.524, 0.204)),
            *((2.549, 0.224), (2.342, 0.265), (0.811, 0.775), (0, 0.946)),
        ],
        lines=([(0.743, 0.789), (18.759, 13.407), (4.966, 3.25)],),
        points=((0.223, 14.012), (12.492, 0.059)),
    ),
    "in a thicket of line walls": Case(
        (0.655502, 5.9840029999999995),
        (3.2532140000000003, 0.100386),
        [
            *((0, 20), (20, 20), (20, 0), (0, 0), (0, 16.9), (0.14, 16.926), (1.954, 17.252)),
            *((0.183, 17.711), (0, 17.804)),
        ],
        holes=([(9.287, 17.992), (9.267, 17.985), (3.471, 5.319)],),
        lines=(
            [(17.462, 3.561), (4.478, 1.022)],
            [(1.188, 0.379), (0.489, 0.242), (0.025, 1.908)],
            [(0.891, 2.201), (10.505, 0.194), (3.755, 5.937)],
            [(3.754, 5.937), (0.817, 8.436), (0.437, 0.442)],
            [(0.237, 0.256), (1.188, 0.685)],
            [(2.705, 1.368), (4.096, 1.995), (1.023, 17.085)],
            [(1.087, 17.096), (4.621, 7.833)],
            [(4.623, 7.829), (7.582, 0.074)],
        ),
        points=((0.132, 0.921), (0.966, 0.171), (0.16, 0.221)),
    ),
    "to a point on a wall": Case(
        (18, 10),
        (0, 11),
        [(0, 20), (20, 20), (20, 0), (0, 3)],
        lines=([(0.169, 9.912), (20, 3.547)],),
    ),
    "past slivers to a point on a wall": Case(
        (2, 6),
        (0, 7),
        [(0, 0), (0, 20), (20, 0), (6, 0)],
        holes=(
            [(0.415, 1.131), (8.532, 5.301), (0.415, 1.135)],
            [(1.53, 6.363), (1.529, 6.363), (0.415, 1.135)],
        ),
    ),
    "the other way around two triangles": Case(
        (17, 1),
        (1.4, 19.5),
        SQUARE,
        holes=([(2, 18), (2, 16), (4, 16)], [(8, 16), (10, 16), (10, 18)]),
        lines=([(2, 10), (20, 12)],),
    ),
    "around the tip of an acute obstacle": Case(
        (7.173, 2.327),
        (1.346, 2.953),
        [
            *((0, 0), (4.299, 0), (4.027, 2.153), (4.222, 5.769), (4.415, 3.202), (4.526, 1.328)),
            *((4.365, 0), (10, 0), (10, 10), (0, 10)),
        ],
    ),
    "around a slim quadrilateral": Case(
        (2.349, 1.354),
        (3.614, 0.89),
        SQUARE,
        holes=([(4.135, 1.381), (4.554, 1.495), (3.447, 0.828), (1.948, 0.012)],),
    ),
    "around another slim quadrilateral": Case(
        (7.298, 6.389),
        (7.496, 7.126),
        SQUARE,
        holes=([(8.762, 5.587), (6.736, 7.226), (5.272, 8.472), (7.656, 6.702)],),
    ),
    "along a wall that goes on for long": Case(
        (1.195, 0.147),
        (5.63, 5.839),
        [(0, 0), (10, 0), (10, 10), (0, 10)],
        holes=(
            [(2.325, 0.674), (4.542, 4.347), (3.978, 2.975), (3.384, 1.853)],
            [(3.679, 5.638), (4.194, 6.1), (3.124, 2.237)],
        ),
    ),
}


@pytest.mark.parametrize("radius", [0.0, 1e-9, 1e-7, 1e-6, 0.001, 0.1, 0.25, 0.5])
@pytest.mark.parametrize("name", CASES)
def test_shortest(name: str, radius: float):
    case = CASES[name]
    env = case.environment()
    oracle = ShortestOracle(env.walkable, radius, lines=env.lines, points=env.points)
    cmap = fw.CorridorMap.build(env)
    if not (oracle.fits(case.start) and oracle.fits(case.goal)):
        if radius > 1e-9:  # a nanometre is rounding
            with pytest.raises(fw.NoPath):
                cmap.path(case.start, case.goal, radius=radius)
        return
    path = cmap.path(case.start, case.goal, radius=radius)
    assert path.method == "shortest"
    assert path.length == pytest.approx(oracle.length(case.start, case.goal), rel=1e-6)
    assert path_clearance(path.points, env) >= radius - 1e-6


@pytest.mark.parametrize("radius", [0.0, 0.25])
@pytest.mark.parametrize(
    "walls",
    [
        {"lines": [[(0, 10), (20, 10)]]},
        {"obstacles": [shapely.box(0, 8, 10, 10), shapely.box(10, 10, 20, 12)]},
        {"lines": [[(2, 8), (18, 8), (18, 18), (2, 18), (2, 8)]]},
    ],
    ids=["line across", "boxes that touch", "room of lines"],
)
def test_closed_is_closed(walls, radius: float):
    cmap = fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 20, 20), **walls))
    assert cmap.n_components == 2
    for query in (cmap.path, cmap.corridor):
        with pytest.raises(fw.NoPath) as error:
            query((5, 5), (5, 15), radius=radius)
        assert error.value.reason == "components"
    assert cmap.path((5, 14), (15, 15), radius=radius).length == pytest.approx(101**0.5)


def test_a_point_beside_the_end_of_a_wall_where_others_meet_is_free():
    """All walls that meet in (2, 2) are equally near; one of them has the foot there."""
    walls = [[(0, 2), (2, 2)], [(2, 0), (2, 2)], [(2, 2), (2, 4)], [(2.1, 2), (4, 2)]]
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 4, 4), lines=[shapely.LineString(w) for w in walls]
    )
    cmap = fw.CorridorMap.build(env)
    points = np.array([(2.05, 2), (2.05, 2.001), (2.04, 2), (2, 2), (1.95, 1.95)])
    expected = shapely.distance(shapely.points(points), env.lines)
    np.testing.assert_allclose(cmap.clearance(points), expected, atol=1e-9)
    assert cmap.path((2.05, 2), (3, 3), radius=0.04).clearance >= 0.04 - 1e-9
