"""RRM*: useful nodes and useful cycles for a reachability roadmap.

    RRM -----> useful nodes -----> reconnect -----> drop dead ends
               on the axis         K-useful edges   useful nodes of degree one

rrm-roadmaps-2006, section III. Where the useful nodes go is in useful.py (ours) and
useful_as_printed.py (algorithm 1); reconnecting the edges is algorithm 2 as it is printed.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from footway.errors import BadInput
from footway.roadmap.kernels.graph import pairs_in_sight, useful_edges
from footway.roadmap.parallel import phase
from footway.roadmap.roadmap import Roadmap
from footway.roadmap.rrm import rrm
from footway.roadmap.useful_nodes import find_useful_nodes, total, ways_along
from footway.roadmap.useful_nodes_paper import find_nodes_as_printed
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
"""Nodes between which useful cycles are searched: a gigabyte for all pairs of more."""

HALFWAY, FOUND = 0.5, 0.8
"""Shares of the work: all of the RRM in all, and the useful nodes in what comes after."""

ON_LATTICE = 1e-6
"""cells. A node this close to a corner is on it: metres and back again leave less."""


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
    """Return a reachability roadmap with useful cycles: shorter ways, and others to choose from.

    The nodes are those of the RRM, in their order, and then the useful ones;
    `parameters["rrm_nodes"]` says how many come first. Coverage and connectivity stay. Between the
    nodes of the RRM the ways are, taken together, never longer than they were: where leaving out
    edges (algorithm 2) would make them so, edges of the RRM are put back. So on those nodes the
    shortest path factor never grows.

    Args:
        source: 2D map, volume of voxels, or a roadmap of `rrm`, which has its own space.
        resolution: m, side of a cell; None: half a metre, more for large maps; a volume's own.
        radius: m, of the disc or ball that moves.
        size: m, of a box that moves without turning, in a volume. A roadmap has all three.
        usefulness: the paper's K: an edge is added where it is this many times shorter than the
            way around. Up to 1: every free edge. Infinite: no cycle at all.
        useful_nodes: "shortening", places that shorten the ways most, or "published", those of
            algorithm 1 as it is printed: on our maps mostly more nodes and longer ways.
        seed: of the RRM, and of the places that are tried where the medial axis has very many.
        progress: called with how much of all work is done, about, and with 1000, which is all.

    Raises:
        BadInput: numbers that make no sense, too many cells for the memory, or no free cell.

    Example:
        >>> from footway.environment import gallery
        >>> roadmap = rrm_star(gallery.make("field"), resolution=1.0, radius=0.5)
        >>> roadmap.n_components, roadmap.n_cycles > 3
        (1, True)

    """
    factor = _checked(usefulness)
    checked_seed(seed, error=BadInput)
    _check_choice(useful_nodes)
    function(progress, "progress")
    if isinstance(source, Roadmap):
        check_same(source.space.parameters, resolution=resolution, radius=radius, size=size)
    else:
        source = rrm(
            source, resolution=resolution, radius=radius, size=size, seed=seed,
            progress=phase(progress, 0.0, HALFWAY),
        )  # fmt: skip
    return add_cycles(
        source, usefulness=factor, useful_nodes=useful_nodes, seed=seed,
        progress=phase(progress, HALFWAY, 1.0),
    )  # fmt: skip


def add_cycles(
    roadmap: Roadmap,
    *,
    usefulness: float = 1.5,
    useful_nodes: UsefulNodes = "shortening",
    seed: int = 0,
    progress: Progress | None = None,
) -> Roadmap:
    """Return the RRM* of a roadmap: useful nodes, then useful edges between all nodes."""
    factor = _checked(usefulness)
    checked_seed(seed, error=BadInput)
    _check_choice(useful_nodes)
    _check_small(roadmap)
    _check_unedited(roadmap)
    start = time.perf_counter()
    space = roadmap.space
    nodes = on_lattice(space.lattice(roadmap.nodes))
    searching = phase(progress, 0.0, FOUND)
    if useful_nodes == "published":
        useful = find_nodes_as_printed(nodes, roadmap.edges, space, seed, searching)
    else:
        useful = find_useful_nodes(nodes, factor, space, seed, searching)
    places = np.concatenate([nodes, useful])
    halfway = time.perf_counter()
    edges = reconnect(places, factor, space)
    if np.isfinite(factor):  # else no cycle is wanted
        edges = _put_back(edges, roadmap.edges, places, len(nodes))
    kept = _without_dead_ends(edges, len(places), len(nodes))
    renumber = np.cumsum(kept) - 1
    if progress is not None:
        progress(1, 1)
    return Roadmap.make(
        np.concatenate([roadmap.nodes, space.positions(places[len(nodes) :])])[kept],
        renumber[edges[kept[edges].all(axis=1)]],
        space,
        method="rrm-star",
        name=roadmap.name,
        parameters=_parameters(roadmap, factor, useful_nodes, seed),
        seconds={
            **roadmap.seconds,
            "useful nodes": halfway - start,
            "reconnecting": time.perf_counter() - halfway,
        },
    )


def reconnect(places: Floats, usefulness: float, space: Space) -> Ints:
    """Return the K-useful edges (m, 2) between places (n, 3) in lattice units (algorithm 2)."""
    pairs, lengths = pairs_in_sight(places, space)
    order = np.argsort(lengths, kind="stable")
    pairs, lengths = np.ascontiguousarray(pairs[order]), lengths[order]
    return pairs[useful_edges(pairs, lengths, usefulness, len(places))]  # type: ignore[no-any-return]


def on_lattice(places: Floats) -> Floats:
    """Places (n, 3) in lattice units, those at corners exactly so."""
    corner = np.rint(places)
    return np.where(np.abs(places - corner) < ON_LATTICE, corner, places)


def _put_back(edges: Ints, before: Ints, places: Floats, n: int) -> Ints:
    """Return the edges, and those from before that keep the ways between the first n nodes short.

    The sum of the lengths of all shortest ways is what the shortest path factor compares. The
    edge whose ends drifted furthest apart comes back first.
    """
    most = total(ways_along(before, places[:n]).length)
    missing = before
    while len(missing) > 0:
        ways = ways_along(edges, places).length
        if total(ways[:n, :n]) <= most * (1 + 1e-12):
            break
        a, b = missing.T
        longer = ways[a, b] - np.linalg.norm(places[a] - places[b], axis=1)
        worst = int(np.argmax(longer))
        edges = np.concatenate([edges, missing[[worst]]])
        missing = np.delete(missing, worst, axis=0)
    return edges


def _without_dead_ends(edges: Ints, count: int, n: int) -> Bools:
    """Which of `count` nodes are left when useful ones (from n on) of degree one are dropped.

    Again and again, since a chain of useful nodes can end in one of them.
    """
    kept = np.ones(count, bool)
    while True:
        alive = edges[kept[edges].all(axis=1)]
        degree = np.bincount(alive.ravel(), minlength=count)
        drop = kept & (degree < 2) & (np.arange(count) >= n)
        if not drop.any():
            return kept
        kept &= ~drop


def _parameters(
    roadmap: Roadmap, usefulness: float, useful_nodes: str, seed: int
) -> dict[str, Any]:
    more = {
        "usefulness": usefulness,
        "useful_nodes": useful_nodes,
        "seed": int(seed),
        "rrm_nodes": roadmap.n_nodes,
    }
    return {**roadmap.parameters, **more}


def _checked(usefulness: float) -> float:
    return number(usefulness, "usefulness K", above=0.0, endless=True, error=BadInput)


def check_same(parameters: dict[str, Any], **given: Any) -> None:
    """A roadmap has its cells and its object: others are refused, what has its default is not."""
    usual: dict[str, Any] = getattr(rrm_star, "__kwdefaults__", {})
    for name, own in parameters.items():
        wanted = given[name]
        if not (_is_same(wanted, usual[name]) or _is_same(wanted, own)):
            raise BadInput(
                f"the {name} is {shown(wanted)}, and the roadmap was made with {own or 'none'}: "
                "leave it out, or give the map instead of its roadmap"
            )


def _is_same(a: object, b: object) -> bool:
    try:
        return bool(np.array_equal(a, b))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False


def _check_choice(useful_nodes: str) -> None:
    one_of(useful_nodes, "way to choose useful nodes", ("shortening", "published"), error=BadInput)


def _check_small(roadmap: Roadmap) -> None:
    """Every pair of nodes is looked at: a grid has too many."""
    if roadmap.n_nodes > MOST_NODES:
        raise BadInput(
            f"{roadmap.n_nodes:,} nodes are too many for useful cycles: start from a roadmap of "
            f"rrm, which is small; at most {MOST_NODES:,}"
        )


def _check_unedited(roadmap: Roadmap) -> None:
    """Cycles are found in the space alone: what a designer added would be lost."""
    if roadmap.fake_obstacles or (roadmap.weights != 1.0).any():
        raise BadInput(
            "the roadmap has weights or fake obstacles, which useful cycles do not know: "
            "add cycles first, then edit"
        )
