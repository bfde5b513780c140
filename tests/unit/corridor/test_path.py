"""How a path was found: `Path.method`, and the path along the axis."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
import shapely

import footway as fw
from footway._numba.jit import kernel
from footway.cli.maps import LoadedMap
from footway.cli.path_results import Query, ShortestResult
from footway.corridor.backbone import path_along_backbone
from footway.corridor.kernels.path import _write_pieces
from footway.corridor.kernels.tangents import CORNER, TURN, Ends, draw_tangents
from tests.oracle.clearance import path_clearance

LEFT, RIGHT = (1.0, 5.0), (18.0, 8.0)


def test_the_search_finds_the_shortest(cmap):
    assert cmap.path(LEFT, RIGHT).method == "shortest"
    assert cmap.path(LEFT, LEFT).method == "shortest"
    assert [path.method for path in cmap.paths([LEFT], [RIGHT])] == ["shortest"]
    assert cmap.path(LEFT, RIGHT).to_dict()["method"] == "shortest"


def test_a_preferred_clearance_widens_it(cmap):
    wide = cmap.path((1, 8), (9, 3), radius=0.25, clearance=0.8)
    assert wide.method == "widened"
    assert wide.length > cmap.path((1, 8), (9, 3), radius=0.25).length


def test_a_wider_path_that_would_lead_through_a_wall_is_not_taken():
    env = fw.load("gallery:city")
    city = fw.CorridorMap.build(env)
    ends = (74.41565474440398, 55.12632556817032), (106.50507723452158, 457.2246984519058)
    path = city.path(*ends, radius=0.25, clearance=1.5)
    assert path.method == "shortest"
    assert path.clearance == pytest.approx(0.25)
    assert path_clearance(path.points, env) >= 0.25 - 1e-6


def test_a_path_of_many_turns_is_the_shortest_too():
    """Around more corners than fit in the initial memory."""
    baffles = [[(x, 0), (x, 3)] if x % 2 else [(x, 1), (x, 4)] for x in range(1, 401)]
    env = fw.Environment.from_polygons(bounds=(0, 0, 401, 4), lines=baffles)
    snake = fw.CorridorMap.build(env)
    ends = (0.5, 0.5), (400.5, 3.5)
    path, (same,) = snake.path(*ends, radius=0.2), snake.paths([ends[0]], [ends[1]], radius=0.2)
    assert (path.method, same.method) == ("shortest", "shortest")
    assert path.turns == same.turns == 400
    assert path.length == same.length
    assert path.length < snake.corridor(*ends, radius=0.2).length


def test_walks_and_roadmaps(cmap):
    corridor = cmap.corridor(LEFT, RIGHT, radius=0.25)
    assert fw.follow.cmm(corridor, radius=0.25, speed=1.2).method == "walk"
    roadmap = fw.roadmap.rrm(fw.load("gallery:field"), resolution=0.5, radius=0.5)
    roads = fw.CorridorMap.from_roadmap(roadmap)
    assert roads.path((2, 2), (17, 11), radius=0.25).method == "roadmap"


@pytest.mark.parametrize("radius", [0.0, 1e-9, 1e-6, 0.25, 0.499, 0.5 - 1e-7])
def test_a_path_along_the_axis_is_certified(cmap, env, radius):
    found = path_along_backbone(cmap.solver, np.array(LEFT), np.array(RIGHT), radius)
    assert found is not None
    assert found.method == "backbone"
    truth = path_clearance(found.points, env)
    assert truth >= radius - 1e-6
    assert found.clearance == pytest.approx(truth, abs=1e-6)
    assert found.length >= cmap.path(LEFT, RIGHT, radius=radius).length


@pytest.mark.parametrize("spare", [1e-7, 1e-5])
def test_a_path_along_a_curve_of_the_axis_does_not_cut_it(spare):
    """Between a post and a wall 1 m apart the axis is a parabola: chords come too near."""
    env = fw.Environment.from_polygons(bounds=(0, 0, 10, 1.9), points=[(5, 1)])
    tight = fw.CorridorMap.build(env)
    ends = np.array([(1, 0.6), (9, 0.6)])
    found = path_along_backbone(tight.solver, *ends, 0.5 - spare)
    assert found is not None
    assert path_clearance(found.points, env) >= 0.5 - spare - 1e-6


@pytest.mark.parametrize("fine_from", [0.01, 0.002, 0.0])
def test_a_path_along_the_axis_that_cuts_a_curve_is_refined_or_refused(fine_from):
    """Of the three steps that are tried, those above `fine_from` give chords of 0.1 m here."""
    env = fw.Environment.from_polygons(bounds=(0, 0, 10, 1.9), points=[(5, 1)])
    tight, radius = fw.CorridorMap.build(env), 0.5 - 1e-5
    ends = np.array([(1, 0.6), (9, 0.6)])
    fine = tight.solver.corridor(*ends, radius, step=0.01)
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(fine.balls[:, :2], axis=0).T))])
    few = np.unique(np.searchsorted(along, np.arange(0.0, along[-1], 0.1)))
    coarse = fine._replace(balls=fine.balls[[*few, -1]])
    assert radius - 1e-2 < path_clearance(coarse.balls[:, :2], env) < radius - 1e-5
    solver = SimpleNamespace(
        index=tight.solver.index,
        corridor=lambda *_, step: fine if step <= fine_from else coarse,
    )
    found = path_along_backbone(solver, *ends, radius)
    if fine_from == 0.0:
        assert found is None
    else:
        assert path_clearance(found.points, env) >= radius - 1e-6


@kernel
def arc_around(corner, sigma, ends, out, ws, grid, xy):
    """Write the pieces of a path around a corner: (number, length, clearance of its arc)."""
    ws.chain[0, CORNER], ws.chain[0, TURN] = corner, sigma
    draw_tangents(1, ws.chain, ws.tangents, xy, ends)
    return _write_pieces(1, ends, out, ws, grid, xy)


@pytest.mark.parametrize(
    ("post", "least"),
    [
        ((4.7, 5.3), 0.3 * math.sqrt(2.0) - 0.3),  # opposite the middle of the arc
        ((4.45, 5.0), 0.25),  # beside the begin of the arc
        ((4.0, 6.0), 0.3),  # far away: nearest is the corner itself
    ],
)
def test_an_arc_is_as_near_to_a_post_as_it_says(post, least):
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 10, 10), obstacles=[[(5, 0), (10, 0), (10, 5), (5, 5)]], points=[post]
    )
    tight, radius = fw.CorridorMap.build(env), 0.3
    index, ws = tight.solver.index, tight.solver.workspace
    corner = np.flatnonzero((index.corners.xy == (5, 5)).all(axis=1))[0]
    ends, out = Ends(5 - radius, 1.0, 9.0, 5 + radius, radius, -1, -1), np.empty((8, 9))
    rows, length, found = arc_around(corner, -1, ends, out, ws, index.grid, index.corners.xy)
    assert (rows, length) == (3, pytest.approx(8.0 + 0.5 * math.pi * radius))
    assert found == pytest.approx(least)


def test_points_of_an_arc_close_to_a_wall_keep_the_radius():
    """Around a corner with a slanted wall opposite, as far away as the disc is wide."""
    env = fw.Environment.from_polygons(
        [(0, 0), (5.199, 0), (6, 0.332), (6, 6), (5, 6), (5, 1), (0, 1)]
    )
    tight = fw.CorridorMap.build(env)
    ends = (1, 0.5), (5.5, 5)
    radius = tight.bottleneck(*ends).radius - 1e-9
    assert radius == pytest.approx(0.5, abs=1e-3)
    path = tight.path(*ends, radius=radius)
    assert path.turns >= 1
    assert path_clearance(path.points, env) >= radius - 1e-6


def test_the_command_line_says_how_and_certifies_what_is_true(cmap):
    query = Query(LEFT, RIGHT, 0.25, None)
    along = path_along_backbone(cmap.solver, np.array(LEFT), np.array(RIGHT), 0.25)
    pinch = cmap.bottleneck(LEFT, RIGHT)
    for path, word in ((along, "medial axis"), (cmap.path(LEFT, RIGHT, radius=0.25), "no shorter")):
        text = "\n".join(ShortestResult(query, path, pinch, LoadedMap(cmap, None)).as_text("1 ms"))
        assert word in text
        assert "Certified: a disc of radius 0.25 m" in text
        assert f"{path.clearance:.3f} m or more" in text
        assert path.clearance >= 0.25 - 1e-6


def test_a_tolerance_leaves_points_out_and_keeps_the_clearance():
    """A comb of 100 teeth: some turns have a wall on the other side that is near."""
    teeth = [[(4 * k, 0), (4 * k, 8)] for k in range(1, 100, 2)]
    combs = [[(4 * k, 10), (4 * k, 2 + 5 * (k % 4) / 2)] for k in range(2, 100, 2)]
    env = fw.Environment.from_polygons(bounds=(0, 0, 400, 10), lines=[*teeth, *combs])
    cmap = fw.CorridorMap.build(env)
    fine = cmap.path((1, 5), (399, 5), radius=0.25)
    before = len(fine.points)
    for tolerance in (0.001, 0.05, 1.0):
        coarse = cmap.path((1, 5), (399, 5), radius=0.25, tolerance=tolerance)
        assert (coarse.length, coarse.clearance) == (fine.length, fine.clearance)
        assert path_clearance(coarse.points, env) >= 0.25 - 1e-6
        assert len(coarse.points) <= before
        away = shapely.distance(shapely.points(coarse.points), shapely.LineString(fine.points))
        assert away.max() <= tolerance + 0.001 * 0.25
        before = len(coarse.points)
    assert before < 0.4 * len(fine.points)
    with pytest.raises(fw.BadQuery, match="tolerance"):
        cmap.path((1, 5), (399, 5), tolerance=-1.0)
