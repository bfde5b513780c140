"""Buildings: floors, links, and what is wrong with them in one line."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

import footway as fw
from footway.environment import gallery

HALL = fw.Environment.from_polygons(bounds=(0, 0, 10, 8))
UPPER = fw.Environment.from_polygons(bounds=(0, 12, 10, 16))
LOWER_PORTAL, UPPER_PORTAL = ("0", (4, 8), (6, 8)), ("1", (4, 12), (6, 12))


def building(*links, elevations=(0.0, 3.0), names=("0", "1")):
    floors = [
        fw.Floor(name, env, z)
        for name, env, z in zip(names, (HALL, UPPER), elevations, strict=True)
    ]
    return fw.Building(floors, links)


def stairs(lower=LOWER_PORTAL, upper=UPPER_PORTAL, name="A", **more):
    return fw.Stairs(name, lower, upper, **more)


def test_a_building_has_a_sheet_for_each_floor_and_part():
    made = building(stairs())
    assert [layer.name for layer in made.layers] == ["floor '0'", "floor '1'", "stairs 'A'"]
    assert made.area == pytest.approx(80 + 40 + 8)
    assert {(seam.left, seam.right) for seam in made.seams} == {(0, 2), (1, 2)}
    assert made.bounds == (0.0, 0.0, 10.0, 16.0)


def test_heights_rise_between_the_portals():
    made = building(stairs())
    at = np.array([(5.0, 8.0), (4.0, 9.0), (6.0, 10.0), (5.0, 12.0)])
    assert made.heights(np.full(4, 2), at) == pytest.approx([0.0, 0.75, 1.5, 3.0])


def test_landings_are_level_and_flights_share_the_rise():
    flights = [shapely.box(0, 8, 1, 11), shapely.box(1.2, 8, 2.2, 11)]
    stair = fw.Stairs(
        "A", ("0", (0, 8), (1, 8)), ("1", (1.2, 8), (2.2, 8)),
        flights=flights, landings=[shapely.box(0, 11, 2.2, 12)],
    )  # fmt: skip
    same = fw.Environment.from_polygons(bounds=(0, 0, 10, 8))
    made = fw.Building([fw.Floor("0", HALL), fw.Floor("1", same, 3.0)], [stair])
    low = [(layer.low, layer.high) for layer in made.layers[2:]]
    assert low == [(0.0, 1.5), (1.5, 1.5), (1.5, 3.0)]


def test_portals_are_moved_onto_corners_that_are_near():
    near = fw.Stairs("A", ("0", (4.004, 8.003), (6, 8)), ("1", (4, 12), (6, 11.996)))
    made = building(near)
    assert made.seams[0].ends[1] == made.seams[0].ends[3] == 8.0
    assert all(sheet.polygon.is_valid for sheet in made.sheets)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fw.Building([]), "without floors"),
        (lambda: building(names=("0", "0")), "2 floors named '0'"),
        (lambda: building(stairs(), stairs()), "2 links named 'A'"),
        (lambda: building(stairs(lower=("3", (4, 8), (6, 8)))), "touches no floor: there is no"),
        (lambda: building(stairs(lower=("0", (4, 7), (6, 7)))), "1.00 m from the border of floor"),
        (lambda: building(stairs(lower=("0", (0, 4), (4, 8)))), "both ends must lie on one"),
        (lambda: building(stairs(), elevations=(2.0, 2.0)), "has no height"),
        (lambda: building(stairs(), elevations=(2.0, 0.0)), "exchange the two portals"),
        (lambda: stairs(lower=("0", (4, 8), (4, 8))), "has no width"),
        (lambda: stairs(lower=("0", (4, 8))), r"give \(floor, \(x, y\), \(x, y\)\)"),
        (lambda: stairs(speed_up=0), "speed_up of stairs 'A'"),
        (lambda: stairs(landings=[shapely.box(0, 0, 1, 1)]), "1 flights and 1 landings"),
        (lambda: stairs(name=" "), "without a name"),
        (lambda: fw.Escalator("E", LOWER_PORTAL, UPPER_PORTAL, direction="left"), "use up or down"),
        (lambda: fw.Lift("L", shapely.box(0, 8, 2, 10), []), "stops at no floor"),
        (lambda: fw.Lift("L", shapely.box(0, 8, 2, 10), [LOWER_PORTAL]), "at least two floors"),
        (lambda: fw.Floor("0", 7), "a floor has an Environment"),
        (lambda: fw.Floor("0", HALL, float("nan")), "elevation of floor '0'"),
        (lambda: building(stairs(flights=[shapely.box(4, 4, 6, 8)])), "lies on the same side"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(make, message):
    with pytest.raises(fw.BadInput, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_a_link_on_its_floor_is_refused():
    onto = stairs(flights=[[(4, 8), (6, 8), (6, 4), (4, 4)]], upper=("0", (4, 4), (6, 4)))
    with pytest.raises(fw.BadInput):
        building(onto)


def test_traps_are_found():
    up = fw.Escalator("E", LOWER_PORTAL, UPPER_PORTAL)
    (trap,) = building(up).traps()
    assert "floor '1' can be entered but not left: escalator 'E' at (4, 12)" in trap
    assert building(stairs()).traps() == []


def test_floors_that_overlap_near_a_portal_are_refused():
    """The stairs lead down under the upper floor at once: both would be seen through the portal."""
    upper = fw.Environment.from_polygons(bounds=(0, 0, 10, 8), lines=[[(4, 4), (6, 4)]])
    lower = fw.Environment.from_polygons(bounds=(0, 8, 10, 9))
    with pytest.raises(fw.BadInput):
        fw.CorridorMap.build(
            fw.Building(
                [fw.Floor("0", lower), fw.Floor("1", upper, 3)],
                [stairs(lower=("0", (4, 8), (6, 8)), upper=("1", (4, 4), (6, 4)))],
            )
        )


@pytest.mark.parametrize("name", gallery.buildings())
def test_the_gallery_has_buildings(name):
    made = fw.load(f"gallery:{name}")
    assert isinstance(made, fw.Building)
    assert made.name == f"gallery:{name}"
    assert made.traps() == []


def test_an_unknown_floor_is_named():
    with pytest.raises(fw.BadQuery, match="there is no floor '2': there are '0', '1'"):
        building().floor_index("2")


def test_a_building_says_where_its_areas_are():
    with pytest.raises(AttributeError, match=r"building.floors\[0\].environment.areas"):
        _ = building().areas
    assert not hasattr(building(), "area_of")
