"""RRM*: useful nodes and useful cycles for a reachability roadmap.

    RRM -----> useful nodes -----> reconnect -----> drop dead ends
               on the axis         K-useful edges   useful nodes of degree one

rrm-roadmaps-2006, section III. Useful nodes are chosen by our method or by algorithm 1; the edges
are reconnected by algorithm 2.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from footway._numba.random_stream import RandomStream
from footway.errors import BadInput
from footway.roadmap.kernels.graph import (
    best_place,
    make_growing_graph,
    pairs_in_sight,
    sight_lengths,
    useful_edges,
)
from footway.roadmap.lattice.rrm import medial_corners, rrm
from footway.roadmap.roadmap import Roadmap, a_roadmap
from footway.validation import function, number, one_of, shown
from footway.validation import seed as checked_seed

if TYPE_CHECKING:
    from footway.arrays import Bools, Floats, Ints
    from footway.environment import Environment
    from footway.environment.volume import Volume
    from footway.roadmap.lattice.space import Space
    from footway.roadmap.roadmap import Progress


UsefulNodes: TypeAlias = Literal["shortening", "published"]

MOST_NODES = 5000
"""Most nodes for useful cycles, which need memory for all pairs: more would take a gigabyte."""

WHOLE = 1000  # total that progress over several phases counts to

HALFWAY, FOUND = 0.5, 0.8
"""Shares of the work: the RRM in all of it, and the useful nodes in the part after the RRM."""

ON_LATTICE = 1e-6
"""cells. A node this close to a corner is on it; conversion to metres and back errs by less."""


def rrm_star(
    source: Environment | Volume | Roadmap,
    *,
    resolution: float | None = None,
    radius: float = 0.25,
    size: tuple[float, float, float] | None = None,
    usefulness: float = 1.5,
    useful_nodes: UsefulNodes = "shortening",
    seed: int = 0,
    progress: Progress | None = None,
) -> Roadmap:
    """Return a reachability roadmap with useful cycles: shorter and alternative paths.

    The nodes are those of the RRM, in their order, followed by the useful ones;
    `parameters["rrm_nodes"]` is the number of the former. Coverage and connectivity are preserved.
    The total length of all shortest paths between nodes of the RRM never increases: if dropped
    edges (algorithm 2) would increase it, edges of the RRM are put back. So on those nodes the
    shortest path factor never grows.

    Args:
        source: 2D map, volume of voxels, or a roadmap of `rrm`, which has its own space.
        resolution: m, side of a cell; None: half a metre, more for large maps, and less if that
            would close passages (see `Roadmap.closed`); a volume's own.
        radius: m, of the disc or ball that moves.
        size: m, of a box that moves without turning, in a volume. A roadmap has all three.
        usefulness: the paper's K: an edge is added if it is this many times shorter than the
            existing path. Up to 1: every free edge. Infinite: no cycles.
        useful_nodes: "shortening", places that shorten paths most, or "published", those of
            algorithm 1 as published: on our maps mostly more nodes and longer paths.
        seed: of the RRM, and of the random choice of candidates on a large medial axis.
        progress: called with the approximate amount of work done and 1000, the total.

    Raises:
        BadInput: invalid numbers, too many cells for the memory, or no free cell.

    Example:
        >>> from footway.environment import gallery
        >>> roadmap = rrm_star(gallery.make("field"), resolution=1.0, radius=0.5)
        >>> roadmap.n_components, roadmap.n_cycles > 3
        (1, True)
    """
    factor = number(usefulness, "usefulness K", above=0.0, endless=True, error=BadInput)
    checked_seed(seed, error=BadInput)
    choices = ("shortening", "published")
    one_of(useful_nodes, "method to choose useful nodes", choices, error=BadInput)
    function(progress, "progress")
    if isinstance(source, Roadmap):
        check_same(source.space.parameters, resolution=resolution, radius=radius, size=size)
        roadmap = source
    else:
        roadmap = rrm(
            source, resolution=resolution, radius=radius, size=size, seed=seed,
            progress=phase(progress, 0.0, HALFWAY),
        )  # fmt: skip
    _check_input_graph(roadmap)
    start = time.perf_counter()
    space, nodes = roadmap.space, on_lattice(roadmap.space.lattice(roadmap.nodes))
    searching = phase(phase(progress, HALFWAY, 1.0), 0.0, FOUND)
    if useful_nodes == "published":
        useful, _ = find_published_nodes(nodes, roadmap.edges, space, seed, searching)
    else:
        useful = find_useful_nodes(nodes, factor, space, seed, searching)
    places = np.concatenate([nodes, useful])
    halfway = time.perf_counter()
    edges = reconnect(places, factor, space)
    if np.isfinite(factor):  # otherwise no cycles are requested
        edges = _put_back(edges, roadmap.edges, places, len(nodes))
    kept = _without_dead_ends(edges, len(places), len(nodes))
    renumber = np.cumsum(kept) - 1
    if progress is not None:
        progress(WHOLE, WHOLE)
    return Roadmap.make(
        np.concatenate([roadmap.nodes, space.positions(places[len(nodes) :])])[kept],
        renumber[edges[kept[edges].all(axis=1)]],
        space,
        method="rrm_star",
        name=roadmap.name,
        parameters={
            **roadmap.parameters,
            "usefulness": factor,
            "useful_nodes": useful_nodes,
            "seed": int(seed),
            "rrm_nodes": roadmap.n_nodes,
        },
        seconds={
            **roadmap.seconds,
            "useful nodes": halfway - start,
            "reconnecting": time.perf_counter() - halfway,
        },
    ).with_changes(closed=roadmap.closed)


def phase(progress: Progress | None, begin: float, end: float) -> Progress | None:
    """Return a progress callback that maps a phase to the share begin to end of all work.

    Example:
        >>> phase(print, 0.5, 0.9)(1, 2)
        700 1000
    """
    if progress is None:
        return None

    def report(done: int, total: int) -> None:
        share = begin + (end - begin) * done / max(1, total)
        progress(round(WHOLE * share), WHOLE)

    return report


def add_useful_nodes(
    roadmap: Roadmap, *, seed: int = 0, progress: Progress | None = None
) -> Roadmap:
    """Return the roadmap with the useful nodes and edges of algorithm 1, as published.

    This is the stage that figure 3(b) shows: every useful node has two edges, to its closest
    visible nodes in the input graph, and no other edge changes. Algorithm 2 then reconnects the
    edges: `rrm_star(..., useful_nodes="published")` does both.

    Args:
        roadmap: a roadmap of `rrm`; its nodes come first in the result.
        seed: of the order of the candidates on the medial axis.
        progress: called with the number of candidates tried and their total number.

    Raises:
        BadInput: too many nodes, weights or fake obstacles.

    Example:
        >>> from footway.environment import gallery
        >>> from footway.roadmap.lattice.rrm import medial_corners, rrm
        >>> small = rrm(gallery.make("field"), resolution=1.0, radius=0.5)
        >>> more = add_useful_nodes(small)
        >>> useful = more.n_nodes - small.n_nodes
        >>> useful > 0, more.n_edges - small.n_edges == 2 * useful
        (True, True)
    """
    a_roadmap(roadmap)
    checked_seed(seed, error=BadInput)
    function(progress, "progress")
    _check_input_graph(roadmap)
    start, space = time.perf_counter(), roadmap.space
    nodes = on_lattice(space.lattice(roadmap.nodes))
    useful, edges = find_published_nodes(nodes, roadmap.edges, space, seed, progress)
    return Roadmap.make(
        np.concatenate([roadmap.nodes, space.positions(useful)]),
        np.concatenate([roadmap.edges, edges]),
        space,
        method="rrm_star",
        name=roadmap.name,
        parameters={
            **roadmap.parameters,
            "useful_nodes": "published",
            "reconnected": False,
            "seed": int(seed),
            "rrm_nodes": roadmap.n_nodes,
        },
        seconds={**roadmap.seconds, "useful nodes": time.perf_counter() - start},
    ).with_changes(closed=roadmap.closed)


def _check_input_graph(roadmap: Roadmap) -> None:
    """Refuse a roadmap that useful cycles cannot be added to."""
    if roadmap.n_nodes > MOST_NODES:
        raise BadInput(
            f"{roadmap.n_nodes:,} nodes are too many for useful cycles, which allow "
            f"{MOST_NODES:,}: start from a roadmap of rrm, which has fewer"
        )
    if roadmap.fake_obstacles or (roadmap.weights != 1.0).any():
        raise BadInput(
            "the roadmap has weights or fake obstacles, which useful cycles ignore: "
            "add cycles first, then edit"
        )


def reconnect(places: Floats, usefulness: float, space: Space) -> Ints:
    """Return the K-useful edges (m, 2) between places (n, 3) in lattice units (algorithm 2)."""
    pairs, lengths = pairs_in_sight(places, space)
    order = np.argsort(lengths, kind="stable")
    pairs, lengths = np.ascontiguousarray(pairs[order]), lengths[order]
    graph, search = make_growing_graph(len(places), len(pairs))
    return pairs[useful_edges(pairs, lengths, usefulness, graph, search)]  # type: ignore[no-any-return]


def on_lattice(places: Floats) -> Floats:
    """Return places (n, 3) in lattice units, rounded to corners that are within rounding error."""
    corner = np.rint(places)
    return np.where(np.abs(places - corner) < ON_LATTICE, corner, places)


def _put_back(edges: Ints, before: Ints, places: Floats, n: int) -> Ints:
    """Put back edges of `before` until paths between the first n nodes are as short as before.

    Path lengths are compared by their sum, as in the shortest path factor. The edge with the
    longest detour between its ends is put back first.
    """
    most = total(paths_along(before, places[:n]).length)
    missing = before
    while len(missing) > 0:
        lengths = paths_along(edges, places).length
        if total(lengths[:n, :n]) <= most * (1 + 1e-12):
            break
        a, b = missing.T
        detour = lengths[a, b] - np.linalg.norm(places[a] - places[b], axis=1)
        worst = int(np.argmax(detour))
        edges = np.concatenate([edges, missing[[worst]]])
        missing = np.delete(missing, worst, axis=0)
    return edges


def _without_dead_ends(edges: Ints, count: int, n: int) -> Bools:
    """Return which of `count` nodes remain after useful ones (from n on) of degree 1 are dropped.

    This is repeated, since a chain of useful nodes can be a dead end.
    """
    kept = np.ones(count, bool)
    while True:
        alive = edges[kept[edges].all(axis=1)]
        degree = np.bincount(alive.ravel(), minlength=count)
        drop = kept & (degree < 2) & (np.arange(count) >= n)
        if not drop.any():
            return kept
        kept &= ~drop


def check_same(parameters: dict[str, Any], **given: Any) -> None:
    """Refuse parameters that differ from both those of the roadmap and their defaults."""
    defaults: dict[str, Any] = getattr(rrm_star, "__kwdefaults__", {})
    for name, own in parameters.items():
        value = given[name]
        if not (_is_same(value, defaults[name]) or _is_same(value, own)):
            raise BadInput(
                f"the {name} is {shown(value)}, and the roadmap was made with {own or 'none'}: "
                "leave it out, or give the map instead of its roadmap"
            )


def _is_same(a: object, b: object) -> bool:
    try:
        return bool(np.array_equal(a, b))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False


# -- useful nodes (section III.B) ----------------------------------------------------------------
# Algorithm 1 takes any place on the medial axis, in any order, from which the path between its two
# closest nodes is not fully visible (definition 4). On our maps, with all medial corners in three
# random orders, it gives after algorithm 2 (number of nodes, shortest path factor; ours for
# comparison, all from the same RRM):
#
#     field    40 to 46 nodes      1.12 to 1.16    ours  33  1.10
#     office   406 to 409 nodes    1.11 to 1.12    ours 229  1.11
#     house    29 to 31 nodes      1.44 to 1.47    ours  42  1.13
#     quake    1273 to 1472 nodes  1.16 to 1.20    ours 122  1.18
#
# So algorithm 1 makes paths short at the cost of many nodes, and misses the stairs of the house.
# Our method calls a place useful if it shortens the total length of the paths between nodes and
# probes by more than a given share, and takes the place that shortens them most first. Probes
# represent the unfavourable queries of figure 2. If no single place helps, a bypass may: a chain of
# places that is K times shorter than the existing path. A stair or a gate without a node needs
# several places.

LEAST_SAVING = 1 / 500
"""Share of the total path length that a useful node must save. Chosen on the four maps above, for
roadmaps about as large as in table II. Half of it gives quake 147 nodes and 1.15, and the office
237 and 1.09, but the field and the house more nodes and no shorter paths."""

MOST_CANDIDATES = 4000  # most candidates on the medial axis; a larger axis is thinned at random
MOST_STOPS = 600  # candidates along which bypasses are searched; all pairs of them are examined

MOST_PROBES = 50
"""Candidates that represent queries, so that cycles around obstacles save enough to be added."""


class ShortestPaths(NamedTuple):
    """Shortest paths between places along straight edges, in cells."""

    length: Floats  # (n, n) infinite if there is no path
    before: Ints  # (n, n) in row a, the predecessor of each place on the path from a; < 0: none


class _Trial(NamedTuple):
    """Current path lengths between nodes and probes, and which of them the candidates see."""

    path_lengths: Floats  # (n, n) lengths in cells
    sights: Floats  # (c, n) distance of each candidate to each that it sees; infinite if hidden
    is_probe: Bools  # (n,) paths start and end at probes, but do not pass through them


def find_useful_nodes(
    nodes: Floats, usefulness: float, space: Space, seed: int = 0, progress: Progress | None = None
) -> Floats:
    """Return places (u, 3) that shorten the paths between nodes (n, 3) most, the best first.

    Everything is in lattice units. Paths run along all free lines between nodes, some of which
    algorithm 2 drops later. Progress measures how close savings are to the least useful saving.
    """
    candidates = medial_places(space, seed)
    bypasses = paths_in_sight(np.concatenate([nodes, candidates[:MOST_STOPS]]), space)
    trial = _first_trial(nodes, candidates, space)
    saving = np.full(len(candidates), np.inf)
    found, done = list[int](), 0.0
    while len(found) < len(candidates):
        place, saved = best_place(*trial, saving)
        chosen, least = [place], LEAST_SAVING * total(trial.path_lengths)
        done = max(done, min(1.0, least / max(saved, 1e-300)))
        if progress is not None:  # savings are about inversely proportional to the number of nodes
            progress(round(WHOLE * done), WHOLE)
        if saved <= least:
            chosen = _best_bypass(bypasses, len(nodes), usefulness, trial.path_lengths)
            saving[:] = np.inf  # after a bypass, a place may save more than before
        extended = _with_nodes(chosen, trial, candidates, space)
        known, n = np.isfinite(trial.path_lengths), len(trial.path_lengths)
        shorter = trial.path_lengths[known] - extended.path_lengths[:n, :n][known]
        if float(shorter.sum()) <= least * len(chosen):
            break
        found += chosen
        trial = extended
    return candidates[found]


def _first_trial(nodes: Floats, candidates: Floats, space: Space) -> _Trial:
    """Return the path lengths between the nodes of the input graph and the probes."""
    probes = candidates[-MOST_PROBES:]
    path_lengths = paths_in_sight(nodes, space).length
    last = sight_lengths(probes, nodes, space)
    to_nodes = np.array([(row[:, None] + path_lengths).min(axis=0, initial=np.inf) for row in last])
    to_nodes = to_nodes.reshape(len(probes), len(nodes))
    between = (to_nodes[:, :, None] + last.T).min(axis=1, initial=np.inf)
    between = np.minimum(between, sight_lengths(probes, probes, space))
    return _Trial(
        np.block([[path_lengths, to_nodes.T], [to_nodes, between]]),
        sight_lengths(candidates, np.concatenate([nodes, probes]), space),
        np.arange(len(nodes) + len(probes)) >= len(nodes),
    )


def medial_places(space: Space, seed: int) -> Floats:
    """Return places on the medial axis (c, 3) in lattice units, in random order."""
    corners = medial_corners(space)
    order = RandomStream(seed).permutation(len(corners))
    return corners[order[:MOST_CANDIDATES]].astype(np.float64)


def _best_bypass(
    bypasses: ShortestPaths, n: int, usefulness: float, path_lengths: Floats
) -> list[int]:
    """Return the candidates on the bypass between two of the first n nodes that saves most."""
    now, best = path_lengths[:n, :n], bypasses.length[:n, :n]
    known = np.where(np.isfinite(now), now, 0.0)
    detour = np.where(best < known / usefulness, known - best, 0.0)
    start, stop = (int(end) for end in np.unravel_index(np.argmax(detour), detour.shape))
    chosen = []
    while detour[start].any() and stop != start:
        stop = int(bypasses.before[start, stop])
        if stop >= n:
            chosen.append(stop - n)
    return chosen


def _with_nodes(chosen: list[int], trial: _Trial, candidates: Floats, space: Space) -> _Trial:
    """Return the trial after the chosen candidates become nodes."""
    path_lengths, sights, is_probe = trial
    for place in chosen:
        across = (path_lengths[:, ~is_probe] + sights[place, ~is_probe]).min(axis=1)
        to_place = np.minimum(across, sights[place])
        path_lengths = np.pad(np.minimum(path_lengths, to_place[:, None] + to_place), (0, 1))
        path_lengths[-1, :-1] = path_lengths[:-1, -1] = to_place
        seen = sight_lengths(candidates, candidates[[place]], space)
        sights = np.concatenate([sights, seen], axis=1)
        is_probe = np.append(is_probe, False)
    return _Trial(path_lengths, sights, is_probe)


def total(path_lengths: Floats) -> float:
    """Return the sum of all finite path lengths."""
    return float(path_lengths[np.isfinite(path_lengths)].sum())


def paths_in_sight(places: Floats, space: Space) -> ShortestPaths:
    """Return the shortest paths along all free lines between places (n, 3)."""
    pairs, _ = pairs_in_sight(places, space)
    return paths_along(pairs, places)


def paths_along(edges: Ints, places: Floats) -> ShortestPaths:
    """Return the shortest paths along straight edges (m, 2) between places (n, 3)."""
    from scipy.sparse import coo_array  # slow to import
    from scipy.sparse.csgraph import dijkstra

    a, b = edges.T
    length = np.linalg.norm(places[a] - places[b], axis=1)
    graph = coo_array((length, (a, b)), (len(places), len(places))).tocsr()
    lengths, before = dijkstra(graph, directed=False, return_predecessors=True)
    return ShortestPaths(lengths, before.astype(np.int64))


def find_published_nodes(
    nodes: Floats, edges: Ints, space: Space, seed: int = 0, progress: Progress | None = None
) -> tuple[Floats, Ints]:
    """Return the useful places (u, 3) of algorithm 1 in lattice units, and their edges (2 u, 2).

    The input graph has nodes (n, 3) and edges (m, 2); useful place k becomes node n + k.

    A place is useful if the path between its two closest nodes is not fully visible from it
    (definition 4): then its edges to these nodes pass an obstacle on another side. Candidates are
    tried in random order. Neighbours are nodes of the input graph only; the path between them may
    pass useful nodes found before.
    """
    candidates = medial_places(space, seed)
    sights = sight_lengths(candidates, nodes, space)
    places, found = nodes, list[int]()
    paths = paths_along(edges, places)
    for row in range(len(candidates)):
        if progress is not None:
            progress(row, len(candidates))
        near = np.argsort(sights[row, : len(nodes)], kind="stable")[:2]
        if len(near) < 2 or not np.isfinite(sights[row, near]).all():
            continue
        path = path_between(int(near[0]), int(near[1]), paths)
        if np.isfinite(sights[row, path]).all():
            continue
        found.append(row)
        new = [[near[0], len(places)], [near[1], len(places)]]
        places = np.concatenate([places, candidates[[row]]])
        edges = np.concatenate([edges, new])
        sights = np.hstack([sights, sight_lengths(candidates, candidates[[row]], space)])
        paths = paths_along(edges, places)
    return candidates[found], edges[len(edges) - 2 * len(found) :]


def path_between(start: int, stop: int, paths: ShortestPaths) -> list[int]:
    """Return the nodes of the shortest path, including both ends; empty if there is no path."""
    if not np.isfinite(paths.length[start, stop]):
        return []
    path = [stop]
    while path[-1] != start:
        path.append(int(paths.before[start, path[-1]]))
    return path
