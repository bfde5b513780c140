"""Circular blends: exact against geometry that is known, Shapely, and the paper's halving."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import shapely

import footway as fw
from footway.roadmap import Blends, Roadmap, blends, rrm, rrm_star, voronoi_prm
from footway.roadmap.lattice.space import make_space
from tests.oracle import smooth

RADIUS = 0.25
GALLERY = ["field", "office", "game", "mckenna"]


def walls_of(env: fw.Environment) -> shapely.Geometry:
    walls = shapely.union_all([env.walkable.boundary, env.lines, env.points])
    shapely.prepare(walls)
    return walls


def elbow(obstacles=(), nodes=((2, 18), (2, 2), (18, 2)), **given) -> Roadmap:
    """A turn at (2, 2) in a hall of 20 m."""
    env = fw.Environment.from_polygons(bounds=(0, 0, 20, 20), obstacles=list(obstacles), **given)
    space = make_space(env, resolution=0.5, radius=RADIUS)
    edges = [(k, k + 1) for k in range(len(nodes) - 1)]
    return Roadmap.make(nodes, edges, space, method="voronoi_prm")


class TestOneTurn:
    def test_without_walls_it_reaches_the_middles_of_the_edges(self):
        found = blends(elbow(), clearance=1.0)
        assert found.vertex.tolist() == [1]
        assert found.edges.tolist() == [[0, 1]]
        assert found.tangent == pytest.approx([8.0])
        assert found.radius == pytest.approx([8.0])
        assert found.centre == pytest.approx(np.array([[10.0, 10.0]]))
        assert found.sweep == pytest.approx([math.pi / 2])

    def test_a_post_stops_it_at_the_requested_distance(self):
        found = blends(elbow(points=[(5, 5)]), clearance=1.0)
        # C = (2 + r, 2 + r), and |C - post| = r - 1.
        radius = (math.hypot(3, 3) - 1.0) / (math.sqrt(2.0) - 1.0)
        assert found.radius == pytest.approx([radius])
        assert found.clearance == pytest.approx([1.0])

    def test_a_long_wall_stops_it_with_its_corner(self):
        block = [(4, 4), (20, 4), (20, 20), (4, 20)]
        found = blends(elbow([block]), clearance=0.5)
        radius = (math.hypot(2, 2) - 0.5) / (math.sqrt(2.0) - 1.0)
        assert found.radius == pytest.approx([radius])

    def test_edges_below_the_desired_clearance_keep_what_they_have(self):
        block = [(2.4, 2.4), (20, 2.4), (20, 20), (2.4, 20)]
        found = blends(elbow([block]), clearance=1.0)
        assert found.clearance == pytest.approx([0.4])
        assert found.radius[0] == pytest.approx(0.4)

    def test_it_turns_the_same_way_round_in_a_mirror(self):
        found = blends(elbow(nodes=((18, 2), (2, 2), (2, 18))), clearance=1.0)
        assert found.sweep == pytest.approx([-math.pi / 2])

    def test_it_does_not_leap_over_a_post(self):
        roadmap = elbow(points=[(2.9, 2.9)])
        for method in ("exact", "halved"):
            found = blends(roadmap, clearance=0.3, method=method)
            assert found.radius[0] < 3.0

    def test_a_straight_pair_has_no_arc(self):
        found = blends(elbow(nodes=((2, 2), (9, 2), (18, 2))), clearance=1.0)
        assert (found.tangent[0], found.sweep[0]) == (0.0, 0.0)
        assert np.isinf(found.radius[0])
        assert np.isnan(found.centre).all()
        assert found.clearance == pytest.approx([2.0])

    def test_a_turn_of_a_millionth_is_smooth_too(self):
        roadmap = elbow(nodes=((2, 2), (9, 2), (18, 2 + 9e-6)))
        found = blends(roadmap, clearance=1.0)
        a, b = smooth.directions_of(roadmap, found, 0)
        begin = roadmap.nodes[1] + found.tangent[0] * a
        piece = smooth.arc(begin, found.centre[0], found.sweep[0])
        assert piece.end == pytest.approx(roadmap.nodes[1] + found.tangent[0] * b, abs=1e-8)
        assert piece.last_heading == pytest.approx(b, abs=1e-9)

    def test_a_pair_that_folds_back_has_none(self):
        found = blends(elbow(nodes=((2, 2), (9, 2), (2, 2.0001))), clearance=1.0)
        assert len(found.vertex) == 0

    def test_one_for_each_pair(self):
        env = fw.Environment.from_polygons(bounds=(0, 0, 20, 20))
        nodes = [(10, 10), (2, 10), (18, 11), (10, 2), (11, 18)]
        star = Roadmap.make(
            nodes,
            [(0, 1), (2, 0), (0, 3), (4, 0)],
            make_space(env, resolution=1),
            method="voronoi_prm",
        )
        found = blends(star)
        assert len(found.vertex) == 6
        assert {tuple(pair) for pair in found.edges.tolist()} == {
            (a, b) for a in range(4) for b in range(a + 1, 4)
        }


@pytest.fixture(scope="module", params=GALLERY)
def smoothed(request) -> tuple[fw.Environment, Roadmap, Blends]:
    env = fw.load(f"gallery:{request.param}")
    roadmap = voronoi_prm(env, radius=RADIUS)
    return env, roadmap, blends(roadmap)


def pairs_at_vertices(roadmap: Roadmap) -> set[tuple[int, int, int]]:
    """Vertex and both edges of every pair of edges that meet."""
    at: dict[int, list[int]] = {}
    for edge, ends in enumerate(roadmap.edges.tolist()):
        for vertex in ends:
            at.setdefault(vertex, []).append(edge)
    return {(v, a, b) for v, edges in at.items() for a, b in itertools.combinations(edges, 2)}


def folds_back(roadmap: Roadmap, pair: tuple[int, int, int], walls: shapely.Geometry) -> bool:
    """Whether an arc of a millimetre is too long for its edges, or too close to a wall."""
    vertex, *edges = pair
    at = roadmap.nodes[vertex]
    ends = [roadmap.nodes[roadmap.edges[edge].sum() - vertex] - at for edge in edges]
    lengths = [float(np.hypot(*end)) for end in ends]
    a, b = (end / length for end, length in zip(ends, lengths, strict=True))
    cosine = float(a @ b)
    if cosine < -1.0 + 1e-12:
        return False  # straight on
    tangent = 1e-3 / math.tan(0.5 * math.acos(min(1.0, cosine)))
    if tangent > 0.5 * min(lengths):
        return True
    keep = min(roadmap.parameters["clearance"], *(roadmap.edge_clearance[edges] + RADIUS))
    piece = smooth.blend(at, a, b, tangent)
    return bool(shapely.LineString(piece.points).distance(walls) < keep - 1e-6)


class TestGallery:
    def test_every_pair_that_does_not_fold_back_has_one(self, smoothed):
        env, roadmap, found = smoothed
        walls, pairs = walls_of(env), pairs_at_vertices(roadmap)
        degree = np.bincount(roadmap.edges.ravel())
        assert len(pairs) == (degree * (degree - 1) // 2).sum() > 100
        folds = {pair for pair in pairs if folds_back(roadmap, pair, walls)}
        rows = zip(found.vertex.tolist(), *found.edges.T.tolist(), strict=True)
        assert sorted(rows) == sorted(pairs - folds)

    def test_every_path_over_the_graph_is_smooth(self, smoothed):
        """Tangent against tangent at both ends of every blend, and positions."""
        _, roadmap, found = smoothed
        for row in np.flatnonzero(found.tangent > 0.0):
            a, b = smooth.directions_of(roadmap, found, row)
            vertex, tangent = roadmap.nodes[found.vertex[row]], found.tangent[row]
            piece = smooth.arc(vertex + tangent * a, found.centre[row], found.sweep[row])
            assert np.hypot(*(piece.begin - found.centre[row])) == pytest.approx(found.radius[row])
            assert piece.heading == pytest.approx(-a, abs=1e-9)
            assert piece.last_heading == pytest.approx(b, abs=1e-9)
            assert piece.end == pytest.approx(vertex + tangent * b, abs=1e-8)
        for row in np.flatnonzero(found.tangent == 0.0):
            a, b = smooth.directions_of(roadmap, found, row)
            assert a == pytest.approx(-b, abs=1e-8)

    def test_blends_of_an_edge_do_not_overlap(self, smoothed):
        _, roadmap, found = smoothed
        half = 0.5 * roadmap.lengths[found.edges].min(axis=1)
        assert (found.tangent <= half + 1e-12).all()

    def test_clearance_is_what_shapely_measures(self, smoothed):
        env, roadmap, found = smoothed
        walls = walls_of(env)
        desired = roadmap.parameters["clearance"]
        room = (roadmap.edge_clearance + RADIUS)[found.edges].min(axis=1)
        for row in np.flatnonzero(found.tangent > 0.0):
            a, b = smooth.directions_of(roadmap, found, row)
            vertex = roadmap.nodes[found.vertex[row]]
            piece = smooth.blend(vertex, a, b, found.tangent[row])
            away = shapely.LineString(piece.points).distance(walls)
            fine = 1e-6 * (1.0 + found.radius[row])
            assert away == pytest.approx(found.clearance[row], abs=fine)
            assert found.clearance[row] >= min(desired, room[row]) - 1e-6

    def test_no_larger_one_has_the_clearance(self, smoothed):
        env, roadmap, found = smoothed
        walls, half = walls_of(env), 0.5 * roadmap.lengths[found.edges].min(axis=1)
        desired = roadmap.parameters["clearance"]
        keep = np.minimum(desired, (roadmap.edge_clearance + RADIUS)[found.edges].min(axis=1))
        short = np.flatnonzero((found.tangent > 0.0) & (found.tangent < half - 0.03))
        for row in short[found.radius[short] < 100.0]:
            a, b = smooth.directions_of(roadmap, found, row)
            vertex = roadmap.nodes[found.vertex[row]]
            piece = smooth.blend(vertex, a, b, found.tangent[row] + 0.03)
            assert shapely.LineString(piece.points).distance(walls) < keep[row]

    def test_halving_gives_no_larger_ones(self, smoothed):
        _, roadmap, found = smoothed
        halved = blends(roadmap, method="halved")
        built = roadmap.with_changes(parameters={**roadmap.parameters, "blends": "halved"})
        assert np.array_equal(blends(built).radius, halved.radius)
        exact = {
            (v, *pair): t
            for v, pair, t in zip(found.vertex, found.edges.tolist(), found.tangent, strict=True)
        }
        for v, pair, t in zip(halved.vertex, halved.edges.tolist(), halved.tangent, strict=True):
            assert t <= exact[v, *pair] + 1e-6


class TestRefusals:
    def test_bent_edges(self):
        roadmap = rrm(fw.load("gallery:field"), resolution=0.5, radius=0.5)
        bent = roadmap.path_of(0)
        middle = bent.mean(axis=0) + np.array([0.1, 0.0])
        paths = [np.array([bent[0], middle, bent[-1]])]
        one = Roadmap.make(
            roadmap.nodes, roadmap.edges[:1], roadmap.space, method="rrm", paths=paths
        )
        with pytest.raises(fw.BadInput, match="edge 0 is bent"):
            blends(one)

    def test_three_dimensions(self):
        with pytest.raises(fw.BadInput, match="three dimensions"):
            blends(rrm_star(fw.load("gallery:house"), size=(3, 3, 3)))

    @pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf, "wide"])
    def test_a_clearance_that_is_none(self, bad):
        with pytest.raises(fw.BadInput, match="the clearance"):
            blends(elbow(), clearance=bad)

    def test_other_things(self):
        with pytest.raises(fw.BadInput, match="a Roadmap is needed"):
            blends("roadmap")
        with pytest.raises(fw.BadInput, match="one of exact, halved"):
            blends(elbow(), method="doubled")
