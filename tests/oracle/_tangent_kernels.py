"""Tangents between circles of one radius amid walls, and the search over them.

An oriented circle (group) is `2 * run` where the path turns left about the run's centre and
`2 * run + 1` where it turns right. With the centre on the left of the direction u the contact
point is at the right of the centre, so the normal at the contact is turn * right(u).
"""

from __future__ import annotations

import heapq
import math
from typing import NamedTuple

import numpy as np

from footway._numba.jit import kernel

TURN = 2 * math.pi
TOLERANCE = 1e-9  # m: a wall may be nearer than the radius by this much
ANGLE = 1e-7  # rad: contacts closer than this are one contact, so that collinear tangents chain


class Grid(NamedTuple):
    """Uniform grid: `items[start[c]:start[c + 1]]` are the walls within the radius of cell c."""

    x: float
    y: float
    size: float
    columns: int
    rows: int
    start: np.ndarray
    items: np.ndarray


class Graph(NamedTuple):
    """Contacts, sorted by group and then by progress along the group's arc."""

    start: np.ndarray  # (2k + 1,) first contact of each group
    group: np.ndarray  # (m,) group of each contact
    progress: np.ndarray  # (m,) rad travelled since the beginning of the arc
    partner: np.ndarray  # (m,) contact at the other end of the tangent that leaves here, or -1
    length: np.ndarray  # (m,) metres of that tangent
    xy: np.ndarray  # (m, 2) metres
    whole: np.ndarray  # (2k,) whether the arc is a whole circle


@kernel
def cell_index(value, origin, size, count):
    """Index of the grid cell of a coordinate, clamped to the grid."""
    return min(max(math.floor((value - origin) / size), 0), count - 1)


@kernel
def row_range(x0, y0, x1, y1, low, high):
    """Lowest and highest y of the part of a segment with low <= x <= high."""
    if x0 == x1:
        return min(y0, y1), max(y0, y1)
    s = min(max((low - x0) / (x1 - x0), 0.0), 1.0)
    t = min(max((high - x0) / (x1 - x0), 0.0), 1.0)
    a, b = y0 + s * (y1 - y0), y0 + t * (y1 - y0)
    return min(a, b), max(a, b)


@kernel
def fill_grid(walls, frame, reach, counts, items):
    """Count (items empty) or list the walls within `reach` of each cell, never too few.

    `frame` is (x, y, size, columns, rows); `counts` (cells,) is advanced per entry.
    """
    x, y, size = frame[0], frame[1], frame[2]
    columns, rows = int(frame[3]), int(frame[4])
    for w in range(len(walls)):
        x0, y0, x1, y1 = walls[w, 0], walls[w, 1], walls[w, 2], walls[w, 3]
        first = cell_index(min(x0, x1) - reach, x, size, columns)
        last = cell_index(max(x0, x1) + reach, x, size, columns)
        for column in range(first, last + 1):
            left = x + column * size - reach
            low, high = row_range(x0, y0, x1, y1, left, left + size + 2 * reach)
            bottom = cell_index(low - reach, y, size, rows)
            top = cell_index(high + reach, y, size, rows)
            for row in range(bottom, top + 1):
                cell = column * rows + row
                if len(items):
                    items[counts[cell]] = w
                counts[cell] += 1


@kernel
def point_distance(px, py, x0, y0, x1, y1):
    """Distance of a point to a segment, which may have length zero."""
    dx, dy = x1 - x0, y1 - y0
    squared = dx * dx + dy * dy
    t = 0.0
    if squared > 0:
        t = min(max(((px - x0) * dx + (py - y0) * dy) / squared, 0.0), 1.0)
    return math.hypot(px - x0 - t * dx, py - y0 - t * dy)


@kernel
def side(ax, ay, bx, by, px, py):
    """Positive when p is on the left of a -> b."""
    return (bx - ax) * (py - ay) - (by - ay) * (px - ax)


@kernel
def too_near(ax, ay, bx, by, wall, limit):
    """Whether the segment a-b comes nearer to a wall than the limit."""
    x0, y0, x1, y1 = wall[0], wall[1], wall[2], wall[3]
    if max(x0, x1) < min(ax, bx) - limit or min(x0, x1) > max(ax, bx) + limit:
        return False
    if max(y0, y1) < min(ay, by) - limit or min(y0, y1) > max(ay, by) + limit:
        return False
    across = side(ax, ay, bx, by, x0, y0) * side(ax, ay, bx, by, x1, y1) < 0
    if across and side(x0, y0, x1, y1, ax, ay) * side(x0, y0, x1, y1, bx, by) < 0:
        return True
    return (
        point_distance(ax, ay, x0, y0, x1, y1) < limit
        or point_distance(bx, by, x0, y0, x1, y1) < limit
        or point_distance(x0, y0, ax, ay, bx, by) < limit
        or point_distance(x1, y1, ax, ay, bx, by) < limit
    )


@kernel
def segment_clear(ax, ay, bx, by, radius, walls, grid):
    """Whether the segment a-b keeps the radius, less the tolerance, from all walls."""
    limit = radius - TOLERANCE
    first = cell_index(ax, grid.x, grid.size, grid.columns)
    last = cell_index(bx, grid.x, grid.size, grid.columns)
    step = 1 if last >= first else -1
    for column in range(first, last + step, step):
        left = grid.x + column * grid.size - TOLERANCE
        low, high = row_range(ax, ay, bx, by, left, left + grid.size + 2 * TOLERANCE)
        bottom = cell_index(low - TOLERANCE, grid.y, grid.size, grid.rows)
        top = cell_index(high + TOLERANCE, grid.y, grid.size, grid.rows)
        for row in range(bottom, top + 1):
            cell = column * grid.rows + row
            for i in range(grid.start[cell], grid.start[cell + 1]):
                if too_near(ax, ay, bx, by, walls[grid.items[i]], limit):
                    return False
    return True


@kernel
def tangent_direction(dx, dy, shift):
    """Unit direction u and length of a tangent over (dx, dy) with cross(u, d) = shift.

    Length -1 where the circles overlap and there is no such tangent.
    """
    distance = math.hypot(dx, dy)
    if distance == 0 or abs(shift) > distance + 2 * TOLERANCE:
        return 0.0, 0.0, -1.0
    sine = min(max(-shift / distance, -1.0), 1.0)
    cosine = math.sqrt(1 - sine * sine)
    ux = (cosine * dx - sine * dy) / distance
    uy = (cosine * dy + sine * dx) / distance
    return ux, uy, distance * cosine


@kernel
def angle_in_run(nx, ny, lowest, width):
    """Angle of the normal n since the beginning of a run, or -1 outside of the run."""
    angle = (math.atan2(ny, nx) - lowest) % TURN
    if angle <= width:
        return angle
    if angle <= width + ANGLE:
        return width
    return 0.0 if angle >= TURN - ANGLE else -1.0


@kernel
def bitangents(centres, lowest, width, radius, walls, grid):
    """All taut and clear tangents between circles.

    Returns contacts (e, 2) int groups a -> b, and (e, 3) angle at a, angle at b, length.
    """
    groups = np.empty((1024, 2), np.int64)
    values = np.empty((1024, 3))
    count = 0
    for a in range(len(centres)):
        for b in range(a + 1, len(centres)):
            dx, dy = centres[b, 0] - centres[a, 0], centres[b, 1] - centres[a, 1]
            for combination in range(4):
                turn_a, turn_b = 1 - 2 * (combination & 1), 1 - (combination & 2)
                ux, uy, length = tangent_direction(dx, dy, (turn_b - turn_a) * radius)
                if length < 0:
                    continue
                at_a = angle_in_run(turn_a * uy, -turn_a * ux, lowest[a], width[a])
                if at_a < 0:
                    continue
                at_b = angle_in_run(turn_b * uy, -turn_b * ux, lowest[b], width[b])
                if at_b < 0:
                    continue
                ax = centres[a, 0] + radius * turn_a * uy
                ay = centres[a, 1] - radius * turn_a * ux
                bx = centres[b, 0] + radius * turn_b * uy
                by = centres[b, 1] - radius * turn_b * ux
                if not segment_clear(ax, ay, bx, by, radius, walls, grid):
                    continue
                if count == len(groups):
                    groups = np.concatenate((groups, np.empty_like(groups)))
                    values = np.concatenate((values, np.empty_like(values)))
                groups[count, 0] = 2 * a + (turn_a < 0)
                groups[count, 1] = 2 * b + (turn_b < 0)
                values[count, 0], values[count, 1], values[count, 2] = at_a, at_b, length
                count += 1
    return groups[:count].copy(), values[:count].copy()


@kernel
def point_tangents(px, py, centres, lowest, width, radius, walls, grid):
    """Taut and clear tangents from a point to every group: (2k, 2) angle (-1: none), length."""
    found = np.full((2 * len(centres), 2), -1.0)
    for run in range(len(centres)):
        dx, dy = centres[run, 0] - px, centres[run, 1] - py
        for right in range(2):
            turn = 1 - 2 * right
            ux, uy, length = tangent_direction(dx, dy, turn * radius)
            if length < 0:
                continue
            angle = angle_in_run(turn * uy, -turn * ux, lowest[run], width[run])
            if angle < 0:
                continue
            x = centres[run, 0] + radius * turn * uy
            y = centres[run, 1] - radius * turn * ux
            if segment_clear(px, py, x, y, radius, walls, grid):
                found[2 * run + right, 0] = angle
                found[2 * run + right, 1] = length
    return found


@kernel
def arc_between(begin, end, whole):
    """Radians from one progress to a later one, or -1 where that would turn backwards."""
    ahead = end - begin
    if ahead >= 0:
        return ahead
    if ahead >= -ANGLE:
        return 0.0
    return ahead + TURN if whole else -1.0


@kernel
def first_contact(graph, group, progress):
    """First contact of a group at or after a progress; -1 for none."""
    low, high = graph.start[group], graph.start[group + 1]
    if low == high:
        return -1
    place = low + np.searchsorted(graph.progress[low:high], progress - ANGLE)
    if place < high:
        return place
    return low if graph.whole[group] else -1


@kernel
def search(graph, radius, leaving, arriving, goal):
    """A* from a point's tangents to another's.

    `leaving`, `arriving` (2k, 2): progress (-1: none) and length of the tangent from the start
    to each group and from each group to the goal; `goal` (2,).
    Returns the length, the last contact, the last group, and the contact before each contact.
    Last contact -1 with a group: the path touches that group only.
    """
    many = len(graph.progress)
    cost, before = np.full(many, np.inf), np.full(many, -1)
    done = np.zeros(many, np.bool_)
    best, last, last_group = np.inf, -1, -1
    heap = [(np.inf, -1)]  # a sentinel that also tells Numba the type
    for group in range(len(leaving)):
        if leaving[group, 0] < 0:
            continue
        if arriving[group, 0] >= 0:
            arc = arc_between(leaving[group, 0], arriving[group, 0], graph.whole[group])
            total = leaving[group, 1] + radius * arc + arriving[group, 1]
            if arc >= 0 and total < best:
                best, last, last_group = total, -1, group
        contact = first_contact(graph, group, leaving[group, 0])
        if contact >= 0:
            arc = arc_between(leaving[group, 0], graph.progress[contact], graph.whole[group])
            value = leaving[group, 1] + radius * arc
            if value < cost[contact]:
                cost[contact] = value
                left = math.hypot(graph.xy[contact, 0] - goal[0], graph.xy[contact, 1] - goal[1])
                heapq.heappush(heap, (value + left, contact))
    while len(heap) > 0:
        bound, contact = heapq.heappop(heap)
        if bound >= best:
            break
        group = graph.group[contact]
        if done[contact]:
            continue
        done[contact] = True
        here, whole = graph.progress[contact], graph.whole[group]
        if arriving[group, 0] >= 0:
            arc = arc_between(here, arriving[group, 0], whole)
            total = cost[contact] + radius * arc + arriving[group, 1]
            if arc >= 0 and total < best:
                best, last, last_group = total, contact, group
        low, high = graph.start[group], graph.start[group + 1]
        for move in range(3):
            other, step = -1, 0.0
            if move == 0 and contact + 1 < high:
                other, step = contact + 1, radius * (graph.progress[contact + 1] - here)
            elif move == 0 and whole and high - low > 1:
                other, step = low, radius * (graph.progress[low] + TURN - here)
            elif move == 1 and contact > low and here - graph.progress[contact - 1] <= ANGLE:
                other = contact - 1
            elif move == 2:
                other, step = graph.partner[contact], graph.length[contact]
            if other < 0 or cost[contact] + step >= cost[other]:
                continue
            cost[other] = cost[contact] + step
            before[other] = contact
            left = math.hypot(graph.xy[other, 0] - goal[0], graph.xy[other, 1] - goal[1])
            heapq.heappush(heap, (cost[other] + left, other))
    return best, last, last_group, before
