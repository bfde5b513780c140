"""Cut the medial axes of charts at their seams and join them to the axis of the whole surface.

Each chart has the exact axis within its sheet (see charts). It is cut where it crosses a seam, and
what lies in the sheet is kept. Both sides of a seam cross it at the same points: this is checked,
and the points become vertices of the joined axis. So each edge belongs to one sheet.

The cut leaves the seam by a ten-thousandth of its width, in a bend between its ends: an axis that
follows a seam is not cut along its length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import shapely

from footway._numba.portable_math import hypot
from footway._numba.segments import closest_points, cross, on_parabola
from footway.constants import GRID, TOUCH
from footway.environment.walls import Walls
from footway.errors import BadGeometry
from footway.medial.axis import (
    MedialAxis,
    _chain_into_edges,
    _contract,
    _detach_from_walls,
    _Pieces,
    _split_at_narrowest,
)
from footway.medial.charts import (
    BULGE,
    doors_by_sheet,
    make_chart,
    number_sites,
    on_lattice,
    side_of,
)
from footway.medial.kernels.graph import chain_pieces
from footway.medial.voronoi import Diagram, diagram

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from footway.arrays import Bools, Floats, Ints
    from footway.environment.surface import Seam, Sheet
    from footway.medial.charts import Chart, Door, Lattice, Sites

_APEX = 0.4142  # share of the seam at which the cut bends
_AT_END = 1e-9  # share of a piece at whose ends it is not cut
_ON_SEAM = 1e-9  # m
_SAME = 4.0 * TOUCH  # m, distance of the crossings of the two sides of a seam
_ROUNDS = 4  # of Newton's method


class Surface(NamedTuple):
    """The medial axis of a surface of sheets, and what is needed to find points on it."""

    axis: MedialAxis
    edge_sheet: Ints  # (ne,)
    sites: Sites
    charts: list[Chart]


class _Cut(NamedTuple):
    """Pieces of the axis in one sheet, and the vertices at which they were cut."""

    pieces: _Pieces
    vertices: Ints  # (k,) of the pieces
    seam: Ints  # (k,)
    share: Floats  # (k,) along the seam, from its `a` to its `b`


def joined_axis(sheets: Sequence[Sheet], seams: Sequence[Seam], *, grid: float = GRID) -> Surface:
    """Return the medial axis of a surface.

    Raises:
        BadGeometry: there is no free space; an end of a seam is no wall; a seam's surroundings
            overlap in plan.
    """
    sites = number_sites(sheets, seams)
    voronoi = Diagram(
        np.empty((0, 2)), np.empty((0, 4), np.int64), sites.sites, sites.is_point, sites.two_sided
    )
    charts, cuts = [], []
    doors = doors_by_sheet(seams, len(sheets))
    for number, sheet in enumerate(sheets):
        chart = make_chart(sheets, doors, sites, number)
        charts.append(chart)
        cuts.append(_axis_in_sheet(number, sheet, chart, voronoi, seams, grid))
    first = np.concatenate([[0], np.cumsum([len(cut.pieces.vertices) for cut in cuts])])
    pieces = _Pieces(
        np.concatenate([cut.pieces.vertices for cut in cuts]),
        np.concatenate([cut.pieces.ends + at for cut, at in zip(cuts, first, strict=False)]),
        np.concatenate([cut.pieces.sites for cut in cuts]),
    )
    if not len(pieces.ends):
        raise BadGeometry("the walkable area has no interior: is it a line, or in other units?")
    same = _match(cuts, first, pieces.vertices, seams)
    pieces.vertices[same[:, 1]] = pieces.vertices[same[:, 0]]
    axis = _chain_into_edges(pieces, voronoi)
    sheet_of_piece = np.repeat(np.arange(len(cuts)), [len(cut.pieces.ends) for cut in cuts])
    return Surface(*_merge_vertices(axis, pieces, same, sheet_of_piece), sites, charts)


def _axis_in_sheet(
    number: int, sheet: Sheet, chart: Chart, voronoi: Diagram, seams: Sequence[Seam], grid: float
) -> _Cut:
    """Return the axis of a chart within its sheet; its sites are those of the surface."""
    lattice = on_lattice(chart, voronoi, grid)
    raw = diagram(
        Walls(lattice.segments, np.ones(len(lattice.segments), bool), lattice.points), grid=1.0
    )
    sites = _name_sites(raw, lattice, chart, voronoi, grid)
    vertices = _polish(raw, sites, lattice, voronoi)
    pieces = _contract(_Pieces(vertices, raw.edges[:, :2], sites))
    pieces, cut_vertices, seam, share = _cut_at_seams(pieces, chart.doors, seams, voronoi)
    middle = _at(pieces, np.full(len(pieces.ends), 0.5), voronoi)
    keep = _is_in_sheet(middle, sheet, number, chart.doors, seams)
    assert (pieces.sites[keep] >= 0).all(), (
        "a piece in the sheet is bounded by walls of the surface"
    )
    pieces = pieces._replace(ends=pieces.ends[keep], sites=pieces.sites[keep])
    used = np.isin(cut_vertices, pieces.ends)
    pieces = _split_at_narrowest(_detach_from_walls(pieces, voronoi), voronoi)
    return _Cut(pieces, cut_vertices[used], seam[used], share[used])


def _name_sites(
    raw: Diagram, lattice: Lattice, chart: Chart, voronoi: Diagram, grid: float
) -> Ints:
    """Return the sites (n, 2) of the surface to the left and right of each edge; -1: none.

    Walls of two sheets may lie in the same place: an edge is bounded by the one that faces it.
    """
    keys = _keys(lattice.segments[:, :2]), _keys(lattice.segments[:, 2:])
    order = np.lexsort(keys)
    own = _keys(raw.sites[:, :2]), _keys(raw.sites[:, 2:])
    number = np.full(len(raw.sites), -1)
    is_wall = np.flatnonzero(~raw.is_point)
    rank = np.lexsort((own[0][is_wall], own[1][is_wall]))
    assert len(rank) == len(order), "walls of a chart do not overlap"
    number[is_wall[rank]] = order
    fine = round(grid / lattice.unit)
    at = np.concatenate([chart.walls.line.reshape(-1, 2), voronoi.sites[chart.points, :2]])
    corner = np.concatenate([chart.walls.ends.ravel(), chart.points])
    known, first = np.unique(_keys(np.rint(at / grid) * fine), return_index=True)
    corner = corner[first]
    slot = np.minimum(np.searchsorted(known, own[0]), len(known) - 1)
    point = np.where(known[slot] == own[0], corner[slot], -1)
    middle = 0.5 * (raw.vertices[raw.edges[:, 0]] + raw.vertices[raw.edges[:, 1]])
    named = []
    for site in raw.edges[:, 2:].T:
        piece = number[site]
        is_left = side_of(raw.sites[site], middle) > 0.0
        faced = np.where(is_left, lattice.left[piece], lattice.right[piece])
        named.append(np.where(raw.is_point[site], point[site], faced))
    return np.column_stack(named)


def _keys(points: Floats) -> NDArray[np.complex128]:
    return np.ascontiguousarray(points + 0.0).view(np.complex128).ravel()


def _polish(raw: Diagram, sites: Ints, lattice: Lattice, voronoi: Diagram) -> Floats:
    """Return the vertices in metres; those bounded by a rounded wall are computed again."""
    vertices: Floats = raw.vertices * lattice.unit
    if lattice.is_exact.all():
        return vertices
    rounded = {tuple(row) for row in lattice.segments[~lattice.is_exact].tolist()}
    is_rounded = np.array([tuple(row) in rounded for row in raw.sites.tolist()])
    for v in np.unique(raw.edges[is_rounded[raw.edges[:, 2:]].any(axis=1), :2]).tolist():
        around = np.unique(sites[(raw.edges[:, :2] == v).any(axis=1)])
        if len(around) > 2 and around[0] >= 0:
            vertices[v] = _equidistant(vertices[v], voronoi.sites[around])
    return vertices


def _equidistant(place: Floats, sites: Floats) -> Floats:
    """Return the point near `place` that is equally far from all sites, by Newton's method."""
    at = place.copy()
    for _ in range(_ROUNDS):
        away = at - closest_points(np.tile(at, (len(sites), 1)), sites)
        distance = hypot(*away.T)
        if distance.min() < TOUCH:
            return place
        slope = away / distance[:, None]
        (ax, ay), short = (slope[1:] - slope[0]).T, distance[0] - distance[1:]
        xx, xy, yy = (ax * ax).sum(), (ax * ay).sum(), (ay * ay).sum()
        size = xx * yy - xy * xy
        if size < 1e-9:
            return place
        px, py = (ax * short).sum(), (ay * short).sum()
        at = at + np.array([yy * px - xy * py, xx * py - xy * px]) / size
    return at


def _at(pieces: _Pieces, t: Floats, voronoi: Diagram) -> Floats:
    """Return the points (n, 2) m at shares t (n,) of pieces; of a parabola, along its directrix."""
    start, end = (pieces.vertices[v] for v in pieces.ends.T)
    points: Floats = start + t[:, None] * (end - start)
    left, right = pieces.sites.T
    kind = voronoi.is_point
    curved = (kind[left] != kind[right]) & (left >= 0) & (right >= 0)
    focus = np.where(kind[left], left, right)[curved]
    wall = np.where(kind[left], right, left)[curved]
    points[curved] = on_parabola(
        voronoi.sites[focus, :2], voronoi.sites[wall], start[curved], end[curved], t[curved]
    )
    return points


def _bend(seam: Seam) -> Floats:
    """Return the corners (3, 2) m of the line along which the axis is cut at a seam."""
    a, b = np.array(seam.ends[:2]), np.array(seam.ends[2:])
    right = np.array([b[1] - a[1], a[0] - b[0]])
    return np.array([a, a + _APEX * (b - a) + BULGE * right, b])


def _cut_at_seams(
    pieces: _Pieces, doors: list[Door], seams: Sequence[Seam], voronoi: Diagram
) -> tuple[_Pieces, Ints, Ints, Floats]:
    """Cut pieces where they cross a seam: vertices of their own at either side of each cut."""
    found = [
        _crossings(pieces, seams[k], voronoi, k) for k in sorted({door.seam for door in doors})
    ]
    piece, t, seam, share = (
        (np.concatenate(column) for column in zip(*found, strict=True))
        if found
        else (np.empty(0, np.int64), np.empty(0), np.empty(0, np.int64), np.empty(0))
    )
    order = np.lexsort((t, piece))
    piece, t, seam, share = piece[order], t[order], seam[order], share[order]
    cut = pieces._replace(ends=pieces.ends[piece], sites=pieces.sites[piece])
    at = _at(cut, t, voronoi)
    # Piece k is divided into parts; cut i ends one part in vertex n + 2 i and begins the next one.
    count, n = np.bincount(piece, minlength=len(pieces.ends)), len(pieces.vertices)
    owner = np.repeat(np.arange(len(pieces.ends)), count + 1)
    ends = pieces.ends[owner]
    slot = np.arange(len(piece)) + piece  # part that a cut ends
    ends[slot, 1] = n + 2 * np.arange(len(piece))
    ends[slot + 1, 0] = n + 2 * np.arange(len(piece)) + 1
    divided = _Pieces(
        np.concatenate([pieces.vertices, np.repeat(at, 2, axis=0)]), ends, pieces.sites[owner]
    )
    return divided, n + np.arange(2 * len(piece)), np.repeat(seam, 2), np.repeat(share, 2)


def _crossings(
    pieces: _Pieces, seam: Seam, voronoi: Diagram, number: int
) -> tuple[Ints, Floats, Ints, Floats]:
    """Return where pieces cross a seam: piece, share of the piece, the seam, share of the seam."""
    bend = _bend(seam)
    start, end = (pieces.vertices[v] for v in pieces.ends.T)
    reach = 1.5 * hypot(*(end - start).T) + hypot(*(bend[2] - bend[0]))
    near = np.flatnonzero(hypot(*(0.5 * (start + end) - bend[1]).T) <= reach)
    some = pieces._replace(ends=pieces.ends[near], sites=pieces.sites[near])
    three = [_at(some, np.full(len(near), t), voronoi) for t in (0.0, 0.5, 1.0)]
    rows = []
    for first, (a, b) in ((0.0, bend[:2]), (_APEX, bend[1:])):
        length = _APEX if first == 0.0 else 1.0 - _APEX
        heights = [cross(np.tile(b - a, (len(near), 1)), at - a) for at in three]
        for t in _roots(*heights):
            inside = np.flatnonzero((t > _AT_END) & (t < 1.0 - _AT_END))
            one = some._replace(ends=some.ends[inside], sites=some.sites[inside])
            at = _at(one, t[inside], voronoi) - a
            along = (at * (b - a)).sum(axis=1) / ((b - a) * (b - a)).sum()
            on = (along >= 0.0) & (along < 1.0)
            rows.append((near[inside[on]], t[inside[on]], first + length * along[on]))
    piece, t, share = (np.concatenate(column) for column in zip(*rows, strict=True))
    return piece, t, np.full(len(piece), number), share


def _roots(zero: Floats, half: Floats, one: Floats) -> tuple[Floats, Floats]:
    """Return the roots of parabolas through three values at 0, 1/2 and 1; NaN: none. (n,) each."""
    square = 2.0 * (zero - 2.0 * half + one)
    slope = one - zero - square
    size = np.abs(zero) + np.abs(half) + np.abs(one)
    square = np.where(np.abs(square) < 1e-12 * size, 0.0, square)
    inside = slope * slope - 4.0 * square * zero
    root = np.sqrt(np.where(inside >= 0.0, inside, np.nan))
    far = -0.5 * (slope + np.where(slope >= 0.0, root, -root))
    with np.errstate(divide="ignore", invalid="ignore"):
        return zero / far, np.where(square == 0.0, np.nan, far / square)


def _is_in_sheet(
    points: Floats, sheet: Sheet, number: int, doors: list[Door], seams: Sequence[Seam]
) -> Bools:
    """Return which points lie in a sheet; the cuts, not the seams, divide it from others."""
    shapely.prepare(sheet.polygon)
    inside: Bools = shapely.contains_xy(sheet.polygon, points[:, 0], points[:, 1])
    for k in {door.seam for door in doors}:
        a, bend, b = _bend(seams[k])
        beside = [
            cross(np.tile(to - at, (len(points), 1)), points - at) / hypot(*(to - at))
            for at, to in ((a, bend), (bend, b), (b, a))
        ]
        between = (beside[0] > 0.0) & (beside[1] > 0.0) & (beside[2] > -_ON_SEAM)
        inside = inside | between if seams[k].left == number else inside & ~between
    return inside


def _match(cuts: list[_Cut], first: Ints, vertices: Floats, seams: Sequence[Seam]) -> Ints:
    """Return pairs of vertices (k, 2) at which a seam is crossed, seen from its two sheets."""
    sheet = np.repeat(np.arange(len(cuts)), [len(cut.vertices) for cut in cuts])
    vertex = np.concatenate([cut.vertices + at for cut, at in zip(cuts, first, strict=False)])
    seam = np.concatenate([cut.seam for cut in cuts])
    share = np.concatenate([cut.share for cut in cuts])
    is_left = np.array([s.left for s in seams], np.int64)[seam] == sheet if len(seam) else seam == 0
    order = np.lexsort((share, seam))
    sides = [order[is_left[order]], order[~is_left[order]]]
    assert np.array_equal(seam[sides[0]], seam[sides[1]]), "both sides of a seam cross it alike"
    pairs = np.column_stack([vertex[side] for side in sides])
    apart = hypot(*(vertices[pairs[:, 0]] - vertices[pairs[:, 1]]).T)
    assert (apart < _SAME).all(), "both sides of a seam cross it at the same points"
    return pairs


def _merge_vertices(
    axis: MedialAxis, pieces: _Pieces, same: Ints, sheet_of_piece: Ints
) -> tuple[MedialAxis, Ints]:
    """Make each pair of vertices one vertex of the axis; return the axis and its edges' sheets."""
    order, forward, offsets = chain_pieces(pieces.ends, len(pieces.vertices))
    begin, end = order[offsets[:-1]], order[offsets[1:] - 1]
    rows = np.arange(len(begin))
    terminal = np.column_stack([
        pieces.ends[begin, np.where(forward[offsets[:-1]], 0, 1)],
        pieces.ends[end, np.where(forward[offsets[1:] - 1], 1, 0)],
    ])  # fmt: skip
    assert len(rows) == len(axis.edges)
    target = np.arange(len(pieces.vertices))
    target[same[:, 1]] = same[:, 0]
    used, edges = np.unique(target[terminal], return_inverse=True)
    merged = axis._replace(vertices=pieces.vertices[used], edges=edges.reshape(-1, 2))
    return merged, sheet_of_piece[begin]
