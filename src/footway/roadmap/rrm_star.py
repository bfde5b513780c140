"""RRM*: useful nodes and useful cycles for a reachability roadmap.

    RRM -----> useful nodes -----> reconnect -----> drop dead ends
               on the axis         K-useful edges   useful nodes of degree one

rrm-roadmaps-2006, section III. useful_nodes.py chooses the useful nodes, by our method or by
algorithm 1; the edges are reconnected by algorithm 2.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from footway.errors import BadInput
from footway.roadmap.kernels.graph import make_growing_graph, pairs_in_sight, useful_edges
from footway.roadmap.phases import WHOLE, phase
from footway.roadmap.roadmap import Roadmap, a_roadmap
from footway.roadmap.rrm import rrm
from footway.roadmap.useful_nodes import find_published_nodes, find_useful_nodes, paths_along, total
from footway.validation import function, number, one_of, shown
from footway.validation import seed as checked_seed

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from footway.environment import Environment
    from footway.environment.volume import Volume
    from footway.roadmap.space import Space

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]
    Progress = Callable[[int, int], None]

UsefulNodes: TypeAlias = Literal["shortening", "published"]

MOST_NODES = 5000
"""Most nodes for useful cycles, which need memory for all pairs: more would take a gigabyte."""

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
        >>> from footway.roadmap.rrm import rrm
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
