"""Paths that differ from each other, against backbones found by brute force."""

from __future__ import annotations

import numpy as np
import pytest

import footway as fw
from footway.corridor.backbone import backbone_of_path
from footway.corridor.via import solve_via_edges

START, GOAL = (0.6, 0.7), (11.2, 8.1)
RADIUS = 0.2


@pytest.fixture(scope="module")
def blocks() -> fw.CorridorMap:
    """Six blocks of different sizes, with streets between them."""
    rng = np.random.default_rng(2)
    boxes = []
    for x in (1.5, 5.0, 8.5):
        for y in (1.5, 5.2):
            x1, y1 = x + rng.uniform(1.6, 2.4), y + rng.uniform(1.4, 2.2)
            boxes.append([(x, y), (x1, y), (x1, y1), (x, y1)])
    return fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 12, 9), obstacles=boxes))


def shortest_to_vertices(cmap, point):
    """Shortest backbones from a point to every vertex, of all backbones without loops."""
    graph, axis, place = cmap.solver.index.graph, cmap.solver.index.axis, cmap.locate([point])
    edge, piece = int(place.edge[0]), int(place.piece[0])
    to_first = float(
        axis.piece_length[axis.offsets[edge] : piece].sum()
        + np.hypot(*(place.position[0] - axis.events[piece]))
    )
    best: dict[int, tuple[float, tuple[int, ...]]] = {}

    def visit(vertex, length, halves, seen):
        if vertex not in best or length < best[vertex][0]:
            best[vertex] = length, halves
        for half in range(2 * cmap.n_edges):
            begin, end = graph.edges[half // 2][:: 1 - 2 * (half % 2)].tolist()
            is_open = graph.clearance[half // 2] >= RADIUS and half // 2 != edge
            if begin == vertex and is_open and end not in seen:
                more = float(graph.length[half // 2])
                visit(end, length + more, (*halves, half), seen | {end})

    first, last = graph.edges[edge].tolist()
    visit(first, to_first, (2 * edge + 1,), {first})
    visit(last, float(graph.length[edge]) - to_first, (2 * edge,), {last})
    return best


def candidates(cmap, ends):
    """Shortest backbone through each edge, if it passes no vertex twice: half-edges and metres."""
    edges, length = cmap.solver.index.graph.edges, cmap.solver.index.graph.length
    from_start, from_goal = (shortest_to_vertices(cmap, point) for point in ends)
    for half in range(2 * cmap.n_edges):
        begin, end = edges[half // 2][:: 1 - 2 * (half % 2)].tolist()
        if begin in from_start and end in from_goal:
            after = tuple(one ^ 1 for one in reversed(from_goal[end][1]))
            halves = (*from_start[begin][1], half, *after)
            passed = [int(edges[one // 2, 1 - one % 2]) for one in halves[:-1]]
            if len(set(passed)) == len(passed) and len({one // 2 for one in halves}) == len(halves):
                metres = [float(length[one // 2]) for one in halves]
                for k, (whole, (first, *others)) in ((0, from_start[begin]), (-1, from_goal[end])):
                    assert first // 2 == halves[k] // 2  # followed in part
                    metres[k] = whole - sum(length[one // 2] for one in others)
                yield halves, metres


def kept_by_brute_force(cmap, different, longest=np.inf, most=50, ends=(START, GOAL)):
    """Lengths of the paths: the shortest, then corridors in the order of their backbones."""
    lengths = {}  # of the paths in all corridors, by their backbones
    for path in cmap.paths_between(*ends, 1000, radius=RADIUS):
        places = np.array(path.start), np.array(path.goal)
        halves = backbone_of_path(cmap.solver, *places, RADIUS, path.crossed)
        lengths[tuple(halves.tolist())] = path.length
    shortest = min(lengths, key=lengths.__getitem__)
    truth, taken = [lengths[shortest]], {half // 2 for half in shortest}
    for halves, metres in sorted(candidates(cmap, ends), key=lambda one: sum(one[1])):
        outside = sum(m for half, m in zip(halves, metres, strict=True) if half // 2 not in taken)
        around = lengths.get(halves, np.inf)  # none: it has a loop between the cells of the ends
        if outside >= different * sum(metres) and around < np.inf and around <= longest:
            truth.append(around)
            taken |= {half // 2 for half in halves}
        if len(truth) == most:
            break
    return sorted(truth)


@pytest.mark.parametrize("different", [0.05, 0.2, 0.4, 0.7, 1.0])
def test_they_are_those_of_brute_force(blocks, different):
    found = blocks.paths_between(START, GOAL, 50, radius=RADIUS, different=different)
    truth = kept_by_brute_force(blocks, different)
    assert [path.length for path in found] == pytest.approx(truth, abs=1e-9)
    assert all(path.clearance >= RADIUS - 1e-6 for path in found)
    if different < 0.5:
        assert len(found) > 2


@pytest.mark.parametrize("seed", [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11])
def test_ends_anywhere(blocks, seed):
    """Also where the cell of an end is not on the edge to which the end retracts."""
    ends = blocks.random_points(2, radius=RADIUS, seed=seed)
    assert len(set(blocks.locate(ends).edge)) == 2  # there is no other way from an edge to itself
    found = [path.length for path in blocks.paths_between(*ends, 50, radius=RADIUS, different=0.2)]
    truth = kept_by_brute_force(blocks, 0.2, ends=ends)
    assert found == pytest.approx(truth, abs=1e-9)
    limit = found[0] + 0.6 * (found[-1] - found[0])
    near = blocks.paths_between(
        *ends, 50, radius=RADIUS, different=0.2, longer=limit / found[0] - 1.0
    )
    truth = kept_by_brute_force(blocks, 0.2, longest=limit, ends=ends)
    assert [path.length for path in near] == pytest.approx(truth, abs=1e-9)


@pytest.fixture(scope="module")
def city() -> fw.CorridorMap:
    return fw.CorridorMap.build(fw.load("gallery:city"))


def test_a_start_in_a_dead_end_has_alternatives(city):
    """Its cell is around another vertex than those of the edge to which it retracts."""
    ends = (15.173003829, 353.482547828), (187.12191674, 45.42635675)
    assert len(city.paths_between(*ends, 5, different=0.3)) == 5


@pytest.mark.parametrize("radius", [0.0, 0.25])
def test_no_path_is_found_twice(city, radius):
    points = city.random_points(24, radius=radius, seed=5)
    for ends in zip(points[::2], points[1::2], strict=True):
        paths = city.paths_between(*ends, 8, radius=radius, different=0.1)
        assert np.diff([path.length for path in paths]).min(initial=1.0) > 1e-7


@pytest.mark.parametrize("longer", [0.05, 0.3])
def test_bounds_leave_out_no_path_within_the_limit(city, longer):
    """What the bound leaves out is longer: the result is that of a search of all corridors."""
    points = city.random_points(12, radius=RADIUS, seed=7)
    for ends in zip(points[::2], points[1::2], strict=True):
        found = city.paths_between(*ends, 1000, radius=RADIUS, different=0.2, longer=longer)
        solver, shortest = city.solver, city.path(*ends, radius=RADIUS)
        crossed = shortest.crossed or solver.solve(*ends, RADIUS, shortcut=False).crossed
        taken, truth = np.zeros(city.n_edges, bool), [shortest.length]
        taken[backbone_of_path(solver, *ends, RADIUS, crossed) // 2] = True
        for halves, solution in solve_via_edges(
            solver, *ends, RADIUS, different=0.2, longest=np.inf, taken=taken
        ):
            if solution.length <= shortest.length * (1.0 + longer):
                truth.append(solution.length)
                taken[halves // 2] = True
        assert [path.length for path in found] == pytest.approx(sorted(truth), abs=1e-9)


def test_the_share_is_that_of_samples(blocks):
    """Each path differs by that share from those before, by samples of its corridor."""
    taken: set[int] = set()
    paths = blocks.paths_between(START, GOAL, 50, radius=RADIUS, different=0.3)
    for k, path in enumerate(paths):
        centres = path.corridor.backbone
        steps = np.hypot(*np.diff(centres, axis=0).T)
        edges = blocks.locate(0.5 * (centres[1:] + centres[:-1])).edge
        outside = steps[~np.isin(edges, list(taken))].sum() / steps.sum()
        assert k == 0 or outside >= 0.3 - 0.08
        taken |= set(edges.tolist())
    assert len(paths) > 2


def test_limits(blocks):
    all_of_them = blocks.paths_between(START, GOAL, 50, radius=RADIUS, different=0.2)
    few = blocks.paths_between(START, GOAL, 2, radius=RADIUS, different=0.2)
    truth = kept_by_brute_force(blocks, 0.2, most=2)
    assert [path.length for path in few] == pytest.approx(truth, abs=1e-9)
    most = 0.5 * (all_of_them[0].length + all_of_them[-1].length)
    near = blocks.paths_between(
        START, GOAL, 50, radius=RADIUS, different=0.2, longer=most / all_of_them[0].length - 1.0
    )
    truth = kept_by_brute_force(blocks, 0.2, longest=most)
    assert [path.length for path in near] == pytest.approx(truth, abs=1e-9)
    assert 1 <= len(near) < len(all_of_them)


def test_a_straight_line_has_alternatives(blocks):
    paths = blocks.paths_between((0.6, 0.7), (11.2, 0.7), 3, radius=RADIUS, different=0.3)
    assert paths[0].length == pytest.approx(10.6)
    assert len(paths) > 1


def test_ends_in_the_same_street(blocks):
    paths = blocks.paths_between((0.7, 3.0), (0.7, 3.3), 3, radius=RADIUS, different=0.3)
    assert paths[0].length == pytest.approx(0.3)


def test_a_bad_share_is_refused(blocks):
    with pytest.raises(fw.BadQuery, match="different"):
        blocks.paths_between(START, GOAL, different=1.5)


def test_a_portal_seen_from_behind_rules_out_no_path(city):
    """The first chords of this way lie behind the corner of a house, as seen from the start."""
    points = city.random_points(1000, radius=0.25, seed=3)
    start = np.hypot(*(points - (392.666, 19.531)).T).argmin()
    paths = city.paths_between(points[start], points[start + 1], 20, different=0.3)
    assert paths[-1].length == pytest.approx(580.557, abs=1e-3)  # 773 without those it ruled out


def test_the_goal_is_beside_the_vertex_of_the_start():
    """The way around must not enter the goal's edge from the start's vertex."""
    cmap = fw.CorridorMap.build(fw.load("gallery:mckenna"))
    ends = (17.16515822, 168.98536029), (73.57614778, 190.20459624)
    assert len(cmap.paths_between(*ends, 5, different=0.1)) == 5
