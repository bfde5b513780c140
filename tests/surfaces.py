"""Flat environments cut into sheets that are glued again: they must answer as in one piece."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import shapely

from footway.environment.surface import Seam, Sheet
from footway.environment.walls import Walls, segments_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from footway.environment import Environment


class Pieces(NamedTuple):
    """A flat environment as sheets and the seams between them."""

    sheets: list[Sheet]
    seams: list[Seam]

    def sheet_of(self, point: tuple[float, float]) -> int:
        """Return the sheet that contains a point or touches it."""
        distances = [sheet.polygon.distance(shapely.Point(point)) for sheet in self.sheets]
        return int(np.argmin(distances))


def cut_into_sheets(env: Environment, choose: Callable[[int], list[bool]]) -> Pieces:
    """Cut along diagonals between corners; `choose` tells which of n diagonals are cut."""
    diagonals = _diagonals(env)
    wanted = choose(len(diagonals))
    chosen = [line for line, is_cut in zip(diagonals, wanted, strict=True) if is_cut]
    rings = shapely.get_rings(shapely.get_parts(env.walkable))
    network = shapely.union_all(
        [*map(shapely.LineString, map(shapely.get_coordinates, rings)), *chosen]
    )
    faces = [
        shapely.orient_polygons(face)
        for face in shapely.get_parts(shapely.polygonize(shapely.get_parts(network)))
        if env.walkable.contains(face.representative_point())
    ]
    owner = {}
    for k, face in enumerate(faces):
        for x0, y0, x1, y1 in segments_of(shapely.get_rings(face)).tolist():
            owner[x0, y0, x1, y1] = k
    seams, opened = [], set()
    for line in chosen:
        (ax, ay), (bx, by) = line.coords
        there, back = (ax, ay, bx, by), (bx, by, ax, ay)
        if there in owner and back in owner:
            seams.append(Seam(owner[there], owner[back], there))
            opened |= {there, back}
    return Pieces([_sheet(k, face, env, opened) for k, face in enumerate(faces)], seams)


def _diagonals(env: Environment) -> list[shapely.LineString]:
    triangles = shapely.get_parts(shapely.constrained_delaunay_triangles(env.walkable))
    sides = {
        tuple(sorted([tuple(row[:2]), tuple(row[2:])]))
        for row in segments_of(shapely.get_rings(triangles)).tolist()
    }
    border = {
        tuple(sorted([tuple(row[:2]), tuple(row[2:])]))
        for row in segments_of(shapely.get_rings(shapely.get_parts(env.walkable))).tolist()
    }
    inside = shapely.union_all([env.lines, env.points])
    found = []
    for ends in sorted(sides - border):
        line = shapely.LineString(ends)
        common = shapely.difference(shapely.intersection(line, inside), shapely.MultiPoint(ends))
        if common.is_empty and (inside.is_empty or _is_far(line, ends, inside)):
            found.append(line)
    return found


def _is_far(line: shapely.LineString, ends: object, inside: shapely.Geometry) -> bool:
    """Whether walls inside are away from a diagonal, but for those that meet its ends."""
    away = shapely.difference(inside, shapely.MultiPoint(ends).buffer(0.01))
    return away.is_empty or away.distance(line) > 1e-4


def _sheet(k: int, face: shapely.Polygon, env: Environment, opened: set[object]) -> Sheet:
    around = segments_of(shapely.get_rings(face))
    around = around[[tuple(row) not in opened for row in around.tolist()]]
    lines = [
        line
        for line in segments_of(shapely.get_parts(env.lines)).tolist()
        if face.covers(shapely.Point(0.5 * (line[0] + line[2]), 0.5 * (line[1] + line[3])))
    ]
    inside = np.array(lines).reshape(-1, 4)
    points = shapely.get_coordinates(env.points)
    points = points[[face.covers(shapely.Point(point)) for point in points]]
    segments = np.concatenate([around, inside])
    two_sided = np.arange(len(segments)) >= len(around)
    return Sheet(f"sheet {k}", shapely.MultiPolygon([face]), Walls(segments, two_sided, points))
