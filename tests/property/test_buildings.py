"""Maps of buildings: flat plans in pieces answer as in one piece, stacked floors do not mix."""

from __future__ import annotations

import itertools
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

import footway as fw
from footway.corridor.building.index import between, build_surface_index, sheet_grid
from footway.corridor.building.route import Cost, Plan
from footway.corridor.kernels.layouts import FOUND
from footway.corridor.points import clearances, locate
from footway.corridor.search import Solver
from footway.corridor.widest import find_bottleneck
from footway.environment import Building
from footway.medial.joining import joined_axis
from tests.effort import examples
from tests.strategies import RADII, Scene, points_inside, scenes
from tests.surfaces import Pieces, cut_into_sheets

EXACT = 1e-6
"""m, and of a length."""


class Joined(NamedTuple):
    """A scene, and its map from pieces."""

    scene: Scene
    pieces: Pieces
    solver: Solver


@st.composite
def joined_scenes(draw: st.DrawFn) -> Joined:
    """Draw a scene and cut it along some, or all, of the diagonals between its corners."""
    scene: Scene = draw(scenes("obstacles", "touching", "mazes", "solid", "acute"))
    share = draw(st.sampled_from([0.1, 0.4, 1.0]))
    random = draw(st.randoms(use_true_random=False))
    pieces = cut_into_sheets(
        scene.environment(), lambda n: [random.random() < share for _ in range(n)]
    )
    surface = joined_axis(pieces.sheets, pieces.seams)
    return Joined(scene, pieces, Solver(build_surface_index(surface, pieces.seams)))


@examples(60)
@given(joined_scenes())
def test_the_graph_has_the_cycles_of_the_plan(it: Joined):
    graph, flat = it.solver.index.graph, it.scene.corridor_map()
    components = int((graph.join == np.arange(len(graph.join))).sum())
    assert components == flat.n_components
    assert len(graph.edges) - len(graph.join) + components == flat.n_cycles
    length = it.solver.index.axis.piece_length.sum()
    assert length == pytest.approx(flat.edge_length.sum(), abs=EXACT * (1 + len(it.pieces.seams)))


@examples(60)
@given(st.data(), joined_scenes())
def test_points_are_located_as_on_the_plan(data: st.DataObject, it: Joined):
    points = np.array([data.draw(points_inside(it.scene)) for _ in range(6)])
    for point in points:
        grid = sheet_grid(it.solver.index.grid.layers, it.pieces.sheet_of(point))
        index, flat = it.solver.index._replace(grid=grid), it.scene.corridor_map().solver.index
        assert clearances(point[None], index) == pytest.approx(
            clearances(point[None], flat), abs=EXACT
        )
        (piece,), (values,) = locate(point[None], index)
        (flat_piece,), (flat_values,) = locate(point[None], flat)
        assert (piece < 0) == (flat_piece < 0)
        if piece >= 0 and flat_values[3] > 1e-3:  # near a wall its side is not known
            assert values[2:4] == pytest.approx(flat_values[2:4], abs=10 * EXACT)


@examples(60)
@given(st.data(), joined_scenes(), RADII)
def test_paths_are_those_of_the_plan(data: st.DataObject, it: Joined, radius: float):
    """All queries: found or not, length, clearance, bottleneck."""
    flat = it.scene.corridor_map().solver
    for _ in range(3):
        a, b = (np.array(data.draw(points_inside(it.scene))) for _ in range(2))
        ends = it.pieces.sheet_of(a), it.pieces.sheet_of(b)
        if min(clearances(np.array([a, b]), flat.index)) < 1e-3:
            continue
        index = between(it.solver.index, *ends)
        found, expected = it.solver.solve(a, b, radius, index=index), flat.solve(a, b, radius)
        assert found.status == expected.status
        if found.status == FOUND:
            assert found.length == pytest.approx(expected.length, rel=EXACT, abs=EXACT)
            assert found.clearance == pytest.approx(expected.clearance, abs=EXACT)
        widest = find_bottleneck(flat, a, b)
        here = Solver(index._replace(grid=sheet_grid(index.grid.layers, ends[0])))
        pieces = [
            locate(p[None], index._replace(grid=sheet_grid(index.grid.layers, k)))
            for p, k in zip((a, b), ends, strict=True)
        ]
        here.locate = lambda *_, some=pieces: tuple(
            np.concatenate(c) for c in zip(*some, strict=True)
        )  # type: ignore[method-assign]
        narrow = find_bottleneck(here, a, b)
        assert (narrow is None) == (widest is None)
        if narrow is not None and widest is not None:
            assert narrow.radius == pytest.approx(widest.radius, abs=EXACT)


# -- stacked floors ------------------------------------------------------------------------------

HOLES = ((2.0, 2.0), (14.0, 9.0))  # lower left corners of two stairwells, 1.5 m x 4 m


@st.composite
def towers(draw: st.DrawFn) -> Building:
    """Floors above each other with random obstacles, and stairs between all of them."""
    count = draw(st.integers(2, 3))
    number = draw(st.integers(0, 2**20))
    return make_tower(count, number)


@cache
def make_tower(count: int, number: int) -> Building:
    random = np.random.default_rng(number)
    wells = [shapely.box(x, y, x + 1.5, y + 4.0) for x, y in HOLES]
    floors, links = [], []
    for k in range(count):
        obstacles = []
        for _ in range(random.integers(0, 6)):
            x, y = random.uniform(0, 19, 2).round(3)
            box = shapely.box(x, y, x + random.uniform(0.3, 4), y + random.uniform(0.3, 4))
            box = shapely.affinity.rotate(box, random.uniform(0, 90))
            if not any(box.distance(well) < 1.2 for well in wells):
                obstacles.append(box)
        env = fw.Environment.from_polygons(bounds=(0, 0, 20, 15), obstacles=[*obstacles, *wells])
        floors.append(fw.Floor(str(k), env, 3.0 * k))
    for k, (x, y) in itertools.product(range(count - 1), HOLES):
        ends = (str(k), (x, y), (x + 1.5, y)), (str(k + 1), (x, y + 4), (x + 1.5, y + 4))
        if random.random() < 0.8 or (x, y) == HOLES[0]:
            links.append(fw.Stairs(f"{x:g}/{k}", *ends))
    return Building(floors, links)


@cache
def map_of(building: Building) -> fw.CorridorMap:
    return fw.CorridorMap.build(building)


@examples(15)
@given(st.data(), towers(), RADII)
def test_paths_keep_their_clearance_on_every_floor(
    data: st.DataObject, building: Building, radius: float
):
    """Judged by Shapely: each step is on its floor or link, and as far from its walls."""
    cmap = map_of(building)
    spots = cmap.random_points(2, radius=0.01, seed=data.draw(st.integers(0, 999)))
    try:
        path = cmap.path(*spots, radius=radius)
    except fw.NoPath:
        return
    assert path.clearance >= radius - EXACT
    heights = [building.heights(np.array([k]), p[None, :2])[0] for k, p in
               zip(path.sheets[[0, -1]], path.points[[0, -1]], strict=True)]  # fmt: skip
    assert path.points[[0, -1], 2] == pytest.approx(heights)
    for k, (a, b) in zip(path.sheets.tolist(), itertools.pairwise(path.points[:, :2]), strict=True):
        sheet, step = building.sheets[k], shapely.LineString([a, b])
        assert sheet.polygon.distance(step) < EXACT
        assert shapely.difference(step, sheet.polygon.buffer(EXACT)).length < 1e-9
        walls = shapely.multilinestrings(sheet.walls.segments.reshape(-1, 2, 2))
        assert step.distance(walls) >= path.clearance - EXACT
    assert path.length >= path.plan_length - 1e-9
    length = float(np.linalg.norm(np.diff(path.points, axis=0), axis=1).sum())
    assert path.length == pytest.approx(length, rel=1e-3)


@examples(15)
@given(towers())
def test_the_map_has_the_cycles_of_the_surface(building: Building):
    """By the Euler characteristic: that of the sheets, less one for each seam."""
    cmap = map_of(building)
    parts = [shapely.get_parts(sheet.polygon) for sheet in building.sheets]
    holes = sum(int(shapely.get_num_interior_rings(part).sum()) for part in parts)
    characteristic = sum(map(len, parts)) - holes - len(building.seams)
    assert cmap.n_cycles == cmap.n_components - characteristic


@examples(15)
@given(st.data(), towers())
def test_clearance_is_that_of_the_floor(data: st.DataObject, building: Building):
    """Away from links the map of the building agrees with that of each floor alone."""
    cmap = map_of(building)
    spots = cmap.random_points(4, radius=0.01, seed=data.draw(st.integers(0, 999)))
    for (x, y, name), clearance in zip(spots, cmap.clearance(spots), strict=True):
        walls = shapely.multilinestrings(
            building.sheets[building.floor_index(name)].walls.segments.reshape(-1, 2, 2)
        )
        away = walls.distance(shapely.Point(x, y))
        assert clearance <= away + EXACT
        if all(
            shapely.box(hx, hy, hx + 1.5, hy + 4).distance(shapely.Point(x, y)) > away
            for hx, hy in HOLES
        ):
            assert clearance == pytest.approx(away, abs=EXACT)


@examples(10)
@given(st.data(), towers(), st.sampled_from(["length", "time"]))
def test_no_sequence_of_links_is_better(data: st.DataObject, building: Building, by: str):
    """All subsets of links, each with the shortest path in plan that uses no others."""
    cmap = map_of(building)
    spots = cmap.random_points(2, radius=0.25, seed=data.draw(st.integers(0, 999)))
    try:
        path = cmap.path(*spots, radius=0.25, by=by)
    except fw.NoPath:
        return
    a, b = (cmap._place(point, "point") for point in spots)
    cost, count = Cost(building, by), len(building.links)
    values = []
    for used in itertools.product((False, True), repeat=count):
        sheets = frozenset(
            k for k, layer in enumerate(building.layers) if layer.floor >= 0 or used[layer.link]
        )
        other = cmap._along(Plan(0.0, (), (sheets,), ()), a, b, 0.25, cost)
        if other is not None:
            values.append(other.length if by == "length" else other.seconds)
    found = path.length if by == "length" else path.seconds
    assert found == pytest.approx(min(values), rel=1e-9)
