"""City: an old town of lanes and alleys in a ring of avenues, 500 x 500 m.

After the City of cmm-crowds-2008 (figure 2: 500 x 500 m, a footprint of 2,122 triangles).

The town is made by subdivision: avenues cut the area into districts, streets cut districts into
blocks, alleys cut blocks into parcels, and a parcel becomes a house with wings and yards. The parts
therefore never touch. The plan is warped before the alleys are cut, so that avenues bend but alleys
have their exact width. Warping keeps the bounds, so that tiled cities join in the streets along
them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from footway._numba.portable_math import cos, dist, sin
from footway._numba.random_stream import RandomStream
from footway.environment import Area, Environment
from footway.environment.gallery import _convex as convex
from footway.environment.gallery._convex import on_grid, polygons

if TYPE_CHECKING:
    from footway.environment.gallery._convex import Point, Ring

SIDE: Final = 500.0  # m. Width and depth of one city, and of one tile

SEED: Final = 43

MARGIN: Final = 4.0
"""m. Free margin along the bounds, before warping: the streets in which tiles meet."""

AVENUE: Final = 13.0
ALLEY: Final = (1.55, 1.95)
"""m. Widths. Alleys are 1.5 to 2 m wide after rounding to the grid."""

MARKET: Final[Point] = (243.0, 262.0)
MINSTER: Final[Point] = (184.0, 283.0)
THEATRE: Final[Point] = (118.0, 142.0)
SQUARES: Final = (
    ("market", MARKET, 27.0),
    ("corn square", (392.0, 370.0), 22.0),
    ("station square", (404.0, 118.0), 18.0),
    ("abbey square", (112.0, 392.0), 20.0),
)
CLEARINGS: Final = (*SQUARES, ("minster", MINSTER, 26.0), ("theatre", THEATRE, 19.0))
"""Name, centre and radius (m) of the areas without houses, before warping."""

TOWN_WALL: Final = (
    *((0.35, 112.0), (1.28, 105.0), (2.2, 118.0), (3.0, 109.0)),
    *((3.95, 119.0), (4.72, 103.0), (5.62, 114.0)),
)
"""Direction (rad) and distance (m) from the market of the avenues where the town wall stood."""

RADIALS: Final = ((0.22, 8.0), (1.15, 6.0), (2.05, 7.0))
"""Direction (rad) and width (m) of the streets through the market."""

GATES: Final = (
    ("west gate", (0.4, 262.0, 2.6, 274.0)),
    ("east gate", (497.4, 100.0, 499.6, 112.0)),
    ("south gate", (252.0, 0.4, 264.0, 2.6)),
    ("north gate", (186.0, 497.4, 198.0, 499.6)),
)
"""Name and box (m) of the places where avenues leave the city."""

SMALLEST_BLOCK: Final = 150.0
SMALLEST_PARCEL: Final = 55.0
"""m2. Smaller blocks and parcels are left empty."""

SHALLOWEST_PARCEL: Final = 5.0  # m. Minimum width of a house

SHARPEST: Final = math.radians(50)
BEVEL: Final = 3.0
"""m. Length by which acute corners of houses are cut off."""
SQUARE: Final = 0.46947156278589075  # cosine of 62 degrees
"""Maximum cosine of corner angles of houses with wings, which would be too thin otherwise."""
SMALLEST_WITH_WINGS: Final = 9.5  # m. Minimum side of a house with a yard
COURT_SIDE: Final = 17.0
WING: Final = 5.4
GATEWAY: Final = 3.0
"""m. Minimum side of a house with a court, depth of its wings, width of its gate."""


@dataclass(frozen=True)
class Grain:
    """Parameters of the subdivision of a part of town."""

    block: float  # typical area of a block, m2
    parcel: float  # typical area of a parcel, m2
    street: float  # width of the streets between blocks, m
    tilt: float  # maximum deviation of a street from the perpendicular, rad


OLD_TOWN: Final = Grain(block=1700.0, parcel=205.0, street=5.2, tilt=0.11)
NEW_TOWN: Final = Grain(block=3500.0, parcel=330.0, street=8.0, tilt=0.06)


def city() -> Environment:
    """One city of 500 x 500 m, with its squares and gates as areas: see the module."""
    gates = [Area(name, shapely.box(*box)) for name, box in GATES]
    return Environment.from_polygons(
        bounds=(0.0, 0.0, SIDE, SIDE),
        obstacles=list(polygons(_footprints())),
        areas=[*_squares((0.0, 0.0)), *gates],
        name="gallery:city",
    )


def tiled_city(tiles: int, *, name: str) -> Environment:
    """`tiles` x `tiles` cities side by side; areas are their squares, "market 2,0" and so on."""
    index = np.stack(np.meshgrid(np.arange(tiles), np.arange(tiles)), axis=-1).reshape(-1, 2)
    squares = [
        square
        for column, row in index.tolist()
        for square in _squares((SIDE * column, SIDE * row), suffix=f" {column},{row}")
    ]
    footprints = polygons(_footprints())
    corners, owner = shapely.get_coordinates(footprints, return_index=True)
    # Rounded again: a sum of floats deviates from whole millimetres in its last bit.
    moved = on_grid(SIDE * index[:, None, :] + corners[None, :, :]).reshape(-1, 2)
    owners = (len(footprints) * np.arange(len(index))[:, None] + owner[None, :]).reshape(-1)
    return Environment.from_polygons(
        bounds=(0.0, 0.0, SIDE * tiles, SIDE * tiles),
        obstacles=list(shapely.polygons(shapely.linearrings(moved, indices=owners))),
        areas=squares,
        name=name,
    )


def _squares(corner: Point, *, suffix: str = "") -> list[Area]:
    """Areas within the squares of the city whose lower left corner is given."""
    areas = []
    for name, centre, radius in SQUARES:
        x, y = _turn(_warp(centre))
        inside = convex.regular((x + corner[0], y + corner[1]), 0.75 * radius, sides=16)
        areas.append(Area(name + suffix, shapely.Polygon(on_grid(inside))))
    return areas


def _footprints() -> list[Ring]:
    """Corners of all buildings of one city, in metres."""
    dice = RandomStream(SEED)
    old_town, districts = _cut_along_wall()
    wedges = [old_town]  # between the streets through the market
    for angle, gap in RADIALS:
        wedges = [p for part in wedges for p in convex.split(part, MARKET, angle=angle, gap=gap)]
    rings = _built_up([_opened(wedge, SQUARES[:1]) for wedge in wedges], OLD_TOWN, dice)
    rings += _built_up(districts, NEW_TOWN, dice)
    # The cathedral: nave, transept and a polygonal apse, 16 corners, 46 x 26 m.
    apse = [(19.5, -5.5), (23.0, -2.5), (23.0, 2.5), (19.5, 5.5)]
    upper = [(12.0, 5.5), (12.0, 13.0), (3.0, 13.0), (3.0, 6.5), (-23.0, 6.5), (-23.0, -6.5)]
    lower = [(3.0, -6.5), (3.0, -13.0), (12.0, -13.0), (12.0, -5.5)]
    rings.append(convex.placed(apse + upper + lower, _warp(MINSTER), angle=0.12))
    rings.append(convex.regular(_warp(THEATRE), 9.0, sides=16))
    return [[_turn(corner) for corner in ring] for ring in rings]


def _built_up(districts: list[Ring], grain: Grain, dice: RandomStream) -> list[Ring]:
    """Houses of all blocks of these districts, on the parcels that touch a street.

    The parcels behind them form a court.
    """
    blocks = [
        _opened(block, CLEARINGS)
        for district in districts
        for block in _cut_blocks(district, convex.longest_side(district), grain, dice)
    ]
    houses = []
    for open_block in blocks:
        if convex.area(open_block) > SMALLEST_BLOCK:
            block = [_warp(corner) for corner in open_block]
            parcels = _cut_parcels(block, convex.longest_side(block), grain, dice)
            houses += [
                _house(parcel, block, dice)
                for parcel in parcels
                if min(convex.distance_to_sides(block, corner) for corner in parcel) < 1.0
            ]
    return houses


def _cut_along_wall() -> tuple[Ring, list[Ring]]:
    """Return the old town and the districts around it; each avenue ends at an earlier one."""
    inside = convex.rectangle(MARGIN, MARGIN, SIDE - MARGIN, SIDE - MARGIN)
    outside = []
    for angle, distance in TOWN_WALL:
        nx, ny = cos(angle), sin(angle)
        at = nx * MARKET[0] + ny * MARKET[1] + distance
        outside.append(convex.clip(inside, (nx, ny), offset=at + AVENUE / 2))
        inside = convex.clip(inside, (-nx, -ny), offset=AVENUE / 2 - at)
    return inside, outside


def _opened(block: Ring, clearings: tuple[tuple[str, Point, float], ...]) -> Ring:
    """Return a block without the clearings, with straight fronts that face their centres."""
    for _, centre, radius in clearings:
        if not block:
            return []
        if convex.contains(block, centre) or convex.distance_to_sides(block, centre) < radius:
            x, y = convex.centroid(block)
            reach = dist((x, y), centre)
            nx, ny = (x - centre[0]) / reach, (y - centre[1]) / reach
            offset = nx * centre[0] + ny * centre[1] + radius
            block = convex.clip(block, (nx, ny), offset=offset)
    return block


def _cut_blocks(ring: Ring, frame: float, grain: Grain, dice: RandomStream) -> list[Ring]:
    """Cut a district into blocks, with all streets parallel to the axes of `frame` (rad)."""
    ring = convex.without_short_sides(ring, shortest=1.0)
    size = convex.area(ring)
    if size < SMALLEST_BLOCK:
        return []
    length, width = convex.box_sides(ring, frame)
    if size < grain.block * dice.between(0.8, 1.5) and length < 2.1 * width:
        return [ring]
    share, tilt = dice.between(0.42, 0.58), dice.between(-grain.tilt, grain.tilt)
    gap = AVENUE if size > 45_000 else grain.street + (1.5 if size > 12_000 else 0.0)
    halves = convex.split_across(ring, frame, share=share, tilt=tilt, gap=gap)
    return [block for half in halves for block in _cut_blocks(half, frame, grain, dice)]


def _cut_parcels(ring: Ring, frame: float, grain: Grain, dice: RandomStream) -> list[Ring]:
    """Cut a block into parcels with alleys between them."""
    ring = convex.without_short_sides(ring, shortest=0.8)
    size = convex.area(ring)
    if size < SMALLEST_PARCEL:
        return []
    length, width = convex.box_sides(ring, frame)
    if size < grain.parcel * dice.between(0.75, 1.6) and length < 2.4 * width:
        return [ring] if width > SHALLOWEST_PARCEL else []
    share, tilt, gap = dice.between(0.4, 0.6), dice.between(-0.04, 0.04), dice.between(*ALLEY)
    halves = convex.split_across(ring, frame, share=share, tilt=tilt, gap=gap)
    return [parcel for half in halves for parcel in _cut_parcels(half, frame, grain, dice)]


def _turn(point: Point) -> Point:
    """Rotate the plan by 90 degrees, so that (2, 3) and (480, 451), used in examples, are free."""
    return SIDE - point[1], point[0]


def _warp(point: Point) -> Point:
    """Bend the plan by up to 20 m; a point on the bounds stays on them."""
    x, y = (2 * math.pi / SIDE) * point[0], (2 * math.pi / SIDE) * point[1]
    dx = 14 * sin(x) * cos(y + 0.6) + 6 * sin(2 * x) * cos(y + 2.0)
    dy = 14 * sin(y) * cos(x + 2.4) + 6 * sin(2 * y) * cos(x + 1.0)
    return point[0] + dx, point[1] + dy


# -- houses: plain, L-shaped, U-shaped or around a court --------------------------------------


def _house(parcel: Ring, block: Ring, dice: RandomStream) -> Ring:
    """Footprint inside `parcel`: wings along the streets, yards towards the middle of the block."""
    ring = convex.without_spikes(parcel, sharpest=SHARPEST, bevel=BEVEL)
    kind, deep = dice.between(0, 1), dice.between(0.4, 0.56)
    left, right = dice.between(0.27, 0.36), dice.between(0.64, 0.73)
    if len(ring) != 4 or max(map(abs, convex.cosines(ring))) > SQUARE:
        return ring
    # Turn it so that corner 2 and side 2-3 lie farthest from the streets.
    depths = [convex.distance_to_sides(block, corner) for corner in ring]
    first = max(range(4), key=lambda k: (2 * depths[k] + depths[(k + 1) % 4], -k))
    ring = [ring[(first + k + 2) % 4] for k in range(4)]
    width, depth = dist(ring[0], ring[1]), dist(ring[1], ring[2])
    shortest = min(dist(*side) for side in convex.edges(ring))
    if shortest > COURT_SIDE:
        return _court(ring, WING / width, WING / depth, gate=GATEWAY / width)
    if kind < 0.2 or shortest < SMALLEST_WITH_WINGS:
        return ring
    return (
        _angle(ring, right - 0.16, deep) if kind < 0.66 else _horseshoe(ring, (left, right), deep)
    )


def _angle(q: Ring, u: float, v: float) -> Ring:
    """L: the corner at q[2] is a yard."""
    return [q[0], q[1], _at(q, 1, v), _at(q, u, v), _at(q, u, 1), q[3]]


def _horseshoe(q: Ring, sides: tuple[float, float], v: float) -> Ring:
    """U: the middle of side q[2]-q[3] is a yard."""
    left, right = sides
    yard = [_at(q, right, 1), _at(q, right, v), _at(q, left, v), _at(q, left, 1)]
    return [q[0], q[1], q[2], *yard, q[3]]


def _court(q: Ring, u: float, v: float, *, gate: float) -> Ring:
    """Four wings around a court with one gateway in side q[2]-q[3]."""
    left, right = (1 - gate) / 2, (1 + gate) / 2
    court = [_at(q, 1 - u, 1 - v), _at(q, 1 - u, v), _at(q, u, v), _at(q, u, 1 - v)]
    inward = [_at(q, right, 1), _at(q, right, 1 - v)]
    outward = [_at(q, left, 1 - v), _at(q, left, 1)]
    return [q[0], q[1], q[2], *inward, *court, *outward, q[3]]


def _at(q: Ring, u: float, v: float) -> Point:
    """Bilinear point of the quadrilateral: (0, 0) is q[0], (1, 0) is q[1], (1, 1) is q[2]."""
    weights = ((1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v)
    x = sum(w * p[0] for w, p in zip(weights, q, strict=True))
    return x, sum(w * p[1] for w, p in zip(weights, q, strict=True))
