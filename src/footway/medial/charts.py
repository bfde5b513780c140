"""Charts of a surface: each sheet with as much of its neighbours as bounds its own medial axis.

A surface consists of sheets, flat parts in the plane, that are glued along seams. Sheets may lie
above each other. The ends of a seam are walls. So a disc of free space whose centre is on one side
of a seam of width w reaches at most w/2 beyond it, and each of its points there can be joined to
the seam at a right angle. The halo of a seam is the strip of that depth behind it, seen along
straight lines at right angles to the seam, through further seams if there are any. A sheet with the
halos of its seams is a chart: it lies in the plane without overlap, and within the sheet its medial
axis is that of the surface.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import shapely

from footway._numba.portable_math import hypot
from footway._numba.segments import cross
from footway.constants import TOUCH
from footway.environment.lattice import polygon_parts
from footway.errors import BadGeometry
from footway.medial.kernels.graph import components

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from footway.arrays import Bools, Floats, Ints
    from footway.environment.surface import Seam, Sheet
    from footway.medial.voronoi import Diagram

BULGE = 1e-4  # of its width, by which the cut of the axis at a seam leaves the seam
_DEEPER = 1.0 + 8.0 * BULGE  # than half its width: the cut lies a little behind the seam
_BESIDE = 1e-7  # m, walls along the border of a halo belong to it
_NEAR = 1e-3  # grid steps, between ends of walls in line that are the same
_SHORTEST = 1e-5  # m, shorter parts of walls in a halo are left out
_HOPS = 32  # seams that a halo may pass
_LARGEST = 2**31  # steps of the finest lattice
_OVERLAP = 1e-5  # m2, by which parts of a chart may overlap


class Door(NamedTuple):
    """A seam as seen from one of its sheets, which lies to the left of the line from a to b."""

    seam: int
    sheet: int
    other: int
    a: Floats  # (2,) m
    b: Floats


class Sites(NamedTuple):
    """Corners and walls of a whole surface: corners first, those of glued sheets only once."""

    sites: Floats  # (ns, 4) m
    is_point: Bools
    two_sided: Bools
    sheet: Ints  # (ns,) a sheet that the site belongs to
    first_wall: Ints  # (sheets + 1,) site of the first wall of each sheet
    ends: list[Ints]  # of each sheet: (n, 2) corners at the ends of its walls
    points: list[Ints]  # of each sheet: (m,) sites of its point obstacles
    seam_ends: Ints  # (seams, 2) corners


class Wall(NamedTuple):
    """Walls of a chart: whole ones of its sheet, and parts of those in its halos."""

    site: Ints  # (n,)
    line: Floats  # (n, 4) m, the whole wall
    span: Floats  # (n, 2) shares of it that belong to the chart
    ends: Ints  # (n, 2) corners at the ends of the whole wall


class Chart(NamedTuple):
    """A sheet with the halos of its seams."""

    walls: Wall
    points: Ints  # (m,) sites of point obstacles
    doors: list[Door]


def doors_by_sheet(seams: Sequence[Seam], sheets: int) -> list[list[Door]]:
    """Return the seams of each sheet, as seen from it."""
    found: list[list[Door]] = [[] for _ in range(sheets)]
    for k, seam in enumerate(seams):
        a, b = np.array(seam.ends[:2]), np.array(seam.ends[2:])
        found[seam.left].append(Door(k, seam.left, seam.right, a, b))
        found[seam.right].append(Door(k, seam.right, seam.left, b, a))
    return found


def number_sites(sheets: Sequence[Sheet], seams: Sequence[Seam]) -> Sites:
    """Number the corners and walls of a surface; ends of a seam are one corner on both sides."""
    places, owner = [], []
    for k, sheet in enumerate(sheets):
        at = np.concatenate([sheet.walls.segments.reshape(-1, 2), sheet.walls.points])
        places.append(at)
        owner.append(np.full(len(at), k))
    for seam in seams:
        at = np.array(seam.ends).reshape(2, 2)
        places += [at, at]
        owner += [np.full(2, seam.left), np.full(2, seam.right)]
    at, of = np.concatenate(places) + 0.0, np.concatenate(owner)
    _, first, number = np.unique(
        np.column_stack([of, at]), axis=0, return_index=True, return_inverse=True
    )
    number = number.ravel()
    tail = number[len(number) - 4 * len(seams) :].reshape(-1, 4)
    glued = np.ascontiguousarray(np.concatenate([tail[:, [0, 2]], tail[:, [1, 3]]]))
    count, label = components(glued, len(first))
    corner = label[number]
    _require_walls_at_seams(seams, label[tail], corner[: len(corner) - 4 * len(seams)])
    where = np.zeros(count, np.int64)
    where[label[::-1]] = first[::-1]
    lengths = [len(sheet.walls.segments) for sheet in sheets]
    first_wall = count + np.concatenate([[0], np.cumsum(lengths)])
    ends, points, begin = [], [], 0
    for sheet, length in zip(sheets, lengths, strict=True):
        ends.append(corner[begin : begin + 2 * length].reshape(-1, 2))
        begin += 2 * length + len(sheet.walls.points)
        points.append(corner[begin - len(sheet.walls.points) : begin])
    sided = np.concatenate([sheet.walls.two_sided for sheet in sheets])
    return Sites(
        np.concatenate([np.tile(at[where], 2), *(sheet.walls.segments for sheet in sheets)]),
        np.arange(first_wall[-1]) < count,
        np.concatenate([np.ones(count, bool), sided]),
        np.concatenate([of[where], np.repeat(np.arange(len(sheets)), lengths)]),
        first_wall, ends, points, label[tail[:, :2]],
    )  # fmt: skip


def _require_walls_at_seams(seams: Sequence[Seam], ends: Ints, walls: Ints) -> None:
    """Raise an error if an end of a seam touches no wall: there the surface would not be flat."""
    lonely = ~np.isin(ends[:, :2], walls)
    if lonely.any():
        k, end = np.argwhere(lonely)[0].tolist()
        x, y = seams[k].ends[2 * end : 2 * end + 2]
        raise BadGeometry(f"the portal that ends at ({x:g}, {y:g}) must end at a wall")


def make_chart(sheets: Sequence[Sheet], doors: list[list[Door]], sites: Sites, sheet: int) -> Chart:
    """Return the chart of a sheet.

    Raises:
        BadGeometry: the space behind a seam overlaps the sheet, or that behind another seam.
    """
    n = len(sheets[sheet].walls.segments)
    parts = [_part(sites, sheet, np.arange(n), np.tile([0.0, 1.0], (n, 1)))]
    points = [sites.points[sheet]]
    regions = [(sheet, sheets[sheet].polygon)]
    for door in doors[sheet]:
        for region, entry, frame in _halo(doors, door):
            behind = sheets[entry.other].walls
            which, span = _clip(behind.segments, frame)
            leaves = _only_leaves(behind.segments[which], span, frame)
            corners = sites.ends[entry.other][which[leaves]]
            points.append(corners[span[leaves] == [0.0, 1.0]])
            parts.append(_part(sites, entry.other, which[~leaves], span[~leaves]))
            points.append(sites.points[entry.other][_is_in(behind.points, frame)])
            polygon = sheets[entry.other].polygon
            seen = shapely.multipolygons(
                polygon_parts(shapely.intersection(region, polygon, grid_size=TOUCH))
            )
            _require_apart(sheets, regions, entry.other, seen)
            regions.append((entry.other, seen))
    walls = Wall(*(np.concatenate(field) for field in zip(*parts, strict=True)))
    _, once = np.unique(np.column_stack([walls.site, walls.span]), axis=0, return_index=True)
    first = np.sort(once)
    walls = Wall(walls.site[first], walls.line[first], walls.span[first], walls.ends[first])
    known = np.concatenate(
        [walls.ends[walls.span[:, 0] == 0.0, 0], walls.ends[walls.span[:, 1] == 1.0, 1]]
    )
    points.append(sites.seam_ends[np.array([door.seam for door in doors[sheet]], np.int64)].ravel())
    single = np.unique(np.concatenate(points))
    return Chart(walls, single[~np.isin(single, known)], doors[sheet])


def _part(sites: Sites, sheet: int, which: Ints, span: Floats) -> Wall:
    site = sites.first_wall[sheet] + which
    return Wall(site, sites.sites[site], span, sites.ends[sheet][which])


def _require_apart(
    sheets: Sequence[Sheet],
    regions: list[tuple[int, shapely.Geometry]],
    behind: int,
    seen: shapely.Geometry,
) -> None:
    """Raise an error if a part of a halo overlaps another sheet of the chart in plan."""
    for other, region in regions:
        if other == behind:  # the same place, seen through several seams
            continue
        common = shapely.intersection(region, seen, grid_size=TOUCH)
        if common.area > _OVERLAP:
            x, y = shapely.get_coordinates(shapely.point_on_surface(common))[0]
            raise BadGeometry(
                f"{sheets[behind].name}, as seen from {sheets[regions[0][0]].name} through their "
                f"common edge, overlaps {sheets[other].name} in plan at ({x:.2f}, {y:.2f}): leave "
                "the space there out of the upper one"
            )


class Frame(NamedTuple):
    """Half-planes a x + b y <= c of a convex region."""

    planes: Floats  # (n, 3)


def _halo(doors: list[list[Door]], door: Door) -> Iterator[tuple[shapely.Geometry, Door, Frame]]:
    """Yield the regions of a halo, the door through which each is entered, and its half-planes."""
    width = float(hypot(*(door.b - door.a)))
    along = (door.b - door.a) / width
    out = np.array([along[1], -along[0]])
    depth = 0.5 * width * _DEEPER
    waiting = [(door, 0.0, width, 0)]
    while waiting:
        entry, low, high, hops = waiting.pop()
        if hops > _HOPS:
            x, y = door.a.tolist()
            raise BadGeometry(f"too many portals one behind the other, from ({x:g}, {y:g}) on")
        frame = _strip(door.a, along, out, (low, high, depth), entry)
        yield _strip_polygon(door.a, along, out, (low, high, depth), entry), entry, frame
        for following in doors[entry.other]:
            if following.seam == entry.seam:
                continue
            step = following.b - following.a
            if out @ np.array([step[1], -step[0]]) <= TOUCH:
                continue
            line = np.concatenate([following.a, following.b])[None]
            which, span = _clip(line, frame)
            if not len(which) or _only_leaves(line, span, frame).any():
                continue
            s = [float((following.a + t * step - door.a) @ along) for t in span[0]]
            waiting.append((following, max(low, min(s)), min(high, max(s)), hops + 1))


def _strip(
    a: Floats, along: Floats, out: Floats, size: tuple[float, float, float], entry: Door
) -> Frame:
    low, high, depth = size
    step = entry.b - entry.a
    normal = np.array([-step[1], step[0]]) / hypot(*step)  # to the left of the door
    planes = [
        (*(-along), -(low + a @ along)), (*along, high + a @ along), (*out, depth + a @ out),
        (*normal, entry.a @ normal),
    ]  # fmt: skip
    return Frame(np.array(planes) + np.array([0.0, 0.0, _BESIDE]))


def _strip_polygon(
    a: Floats, along: Floats, out: Floats, size: tuple[float, float, float], entry: Door
) -> shapely.Geometry:
    low, high, depth = size
    step = entry.b - entry.a
    corners = []
    for s in (low, high):
        t = (s - (entry.a - a) @ along) / (step @ along)
        corners.append(entry.a + t * step)
    corners += [a + high * along + depth * out, a + low * along + depth * out]
    within = [a + (c - a) @ along * along + min(float((c - a) @ out), depth) * out for c in corners]
    return shapely.convex_hull(shapely.MultiPoint(within))


def _clip(lines: Floats, frame: Frame) -> tuple[Ints, Floats]:
    """Return which lines (n, 4) pass through a region, and the shares (k, 2) of them inside it."""
    low, high = np.zeros(len(lines)), np.ones(len(lines))
    for px, py, c in frame.planes.tolist():
        at = lines[:, 0] * px + lines[:, 1] * py - c
        change = lines[:, 2] * px + lines[:, 3] * py - c - at
        t = -at / np.where(change == 0.0, 1.0, change)
        high = np.where(change > 0.0, np.minimum(high, t), high)
        low = np.where(change < 0.0, np.maximum(low, t), low)
        high = np.where((change == 0.0) & (at > 0.0), -1.0, high)
    length = hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1])
    which = np.flatnonzero((high - low) * length > _SHORTEST)
    return which, np.column_stack([low, high])[which]


def _only_leaves(lines: Floats, span: Floats, frame: Frame) -> Bools:
    """Return which parts of lines (n, 4) are in a region only because its border is widened.

    Such a line begins at the border and leaves the region at a small angle: of all its points only
    its corner can be the nearest one of a point of the sheet. Its other end, once rounded, may lie
    inside the region and would bound a cell.
    """
    start, step = lines[:, :2], lines[:, 2:] - lines[:, :2]
    ends = [start + share[:, None] * step for share in span.T]
    found = np.zeros(len(lines), bool)
    for px, py, c in frame.planes.tolist():
        inside = np.array([c - at[:, 0] * px - at[:, 1] * py for at in ends])
        found |= (inside < 2.0 * _BESIDE).all(axis=0) & (inside < 0.5 * _BESIDE).any(axis=0)
    return found


def _is_in(points: Floats, frame: Frame) -> Bools:
    inside = np.ones(len(points), bool)
    for px, py, c in frame.planes.tolist():
        inside &= points[:, 0] * px + points[:, 1] * py <= c
    return inside


class Lattice(NamedTuple):
    """Walls of a chart for the Voronoi diagram, on a lattice finer than the grid."""

    segments: Floats  # (n, 4) whole numbers
    points: Floats  # (m, 2)
    unit: float  # m
    is_exact: Bools  # (n,) whether both ends lie exactly on the wall
    left: Ints  # (n,) site of the wall that has free space on its left; -1: none
    right: Ints  # (n,) site of the wall that has free space on its right


def on_lattice(chart: Chart, sites: Diagram, grid: float) -> Lattice:
    """Return the walls of a chart without overlaps: walls on both sides of a seam may be in line.

    Only ends of clipped walls are rounded. They lie where they bound no cell of the sheet.
    """
    walls = chart.walls
    at = np.rint(walls.line / grid)
    points = np.rint(sites.sites[chart.points, :2] / grid)
    everything = np.concatenate([at.reshape(-1, 2), points])
    low, high = everything.min(axis=0), everything.max(axis=0)
    size = max(float((high - low).max()), 1.0)
    # Edges of a diagram are finite among points that are far away on all sides.
    far = np.rint(0.5 * (low + high)) + 3.0 * size * np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)])
    points = np.concatenate([points, far])
    fine = max(1.0, min(1024.0, 2.0 ** (int(_LARGEST / (6.0 * size)).bit_length() - 1)))
    is_whole = (walls.span == [0.0, 1.0]).all(axis=1)
    grouped = ~is_whole | _may_overlap(at, is_whole)
    alone = np.flatnonzero(~grouped)
    both = sites.two_sided[walls.site]
    parts = [(at[alone] * fine, np.ones(len(alone), bool), walls.site[alone],
              np.where(both, walls.site, -1)[alone])]  # fmt: skip
    parts += [
        _without_overlap(at[group], walls.span[group], walls.site[group], both[group], fine)
        for group in _in_line(at, np.flatnonzero(grouped))
    ]
    segments, exact, left, right = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Lattice(segments, points * fine, grid / fine, exact, left, right)


def _may_overlap(at: Floats, is_whole: Bools) -> Bools:
    """Return which whole walls have the direction of a clipped one near them, or a twin."""
    if is_whole.all():
        return np.zeros(len(at), bool)
    low = np.minimum(at[:, :2], at[:, 2:])
    high = np.maximum(at[:, :2], at[:, 2:])
    clipped = ~is_whole
    near = (low <= high[clipped].max(axis=0)) & (high >= low[clipped].min(axis=0))
    found: Bools = is_whole & near.all(axis=1)
    return found


def _in_line(at: Floats, which: Ints) -> list[Ints]:
    """Group walls that lie on the same line."""
    step = (at[which, 2:] - at[which, :2]).astype(np.int64)
    step //= np.gcd(step[:, 0], step[:, 1])[:, None]
    back = (step[:, 0] < 0) | ((step[:, 0] == 0) & (step[:, 1] < 0))
    step[back] *= -1
    begin = at[which, :2].astype(np.int64)
    offset = step[:, 0] * begin[:, 1] - step[:, 1] * begin[:, 0]
    _, number = np.unique(np.column_stack([step, offset]), axis=0, return_inverse=True)
    order = np.argsort(number.ravel(), kind="stable")
    return (
        np.split(which[order], np.flatnonzero(np.diff(number.ravel()[order])) + 1)
        if len(which)
        else []
    )


def _without_overlap(
    at: Floats, span: Floats, site: Ints, both: Bools, fine: float
) -> tuple[Floats, Bools, Ints, Ints]:
    """Return the union of parts of walls in line as pieces that meet at ends: fields of Lattice."""
    origin, step = at[0, :2], at[0, 2:] - at[0, :2]
    axis = int(np.argmax(np.abs(step)))
    sign = float(np.sign(step[axis]))
    begin, end = at[:, axis] * sign, at[:, 2 + axis] * sign
    one, two = begin + span[:, 0] * (end - begin), begin + span[:, 1] * (end - begin)
    stops = np.unique(np.concatenate([begin, end]))
    pieces, exact, faces = [], [], []
    for first, last in _unions(np.minimum(one, two), np.maximum(one, two)):
        inner = stops[(stops > first + _NEAR) & (stops < last - _NEAR)]
        ends = np.concatenate([[first], inner, [last]])
        for a, b in itertools.pairwise(ends.tolist()):
            line = [origin + (u * sign - origin[axis]) / step[axis] * step for u in (a, b)]
            rounded = np.rint(np.concatenate(line) * fine)
            pieces.append(rounded)
            exact.append(bool((step == 0.0).any() or (rounded % fine == 0.0).all()))
            covers = (np.minimum(begin, end) < a + _NEAR) & (np.maximum(begin, end) > b - _NEAR)
            faces.append([
                _first(site[covers & (both | (begin < end))]),
                _first(site[covers & (both | (begin > end))]),
            ])  # fmt: skip
    left, right = np.array(faces, np.int64).reshape(-1, 2).T
    return np.array(pieces).reshape(-1, 4), np.array(exact, bool), left, right


def _first(sites: Ints) -> int:
    return int(sites[0]) if len(sites) else -1


def _unions(low: Floats, high: Floats) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    for k in np.argsort(low, kind="stable").tolist():
        if found and low[k] <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], float(high[k])))
        else:
            found.append((float(low[k]), float(high[k])))
    return found


def side_of(lines: Floats, points: Floats) -> Floats:
    """Return +1 for points (n, 2) on the left of lines (n, 4), -1 on the right."""
    side: Floats = np.sign(cross(lines[:, 2:] - lines[:, :2], points - lines[:, :2]))
    return side
