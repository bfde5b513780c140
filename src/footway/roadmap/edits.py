"""Edit a roadmap as a level designer: edits are checked, undoable and saved with the roadmap.

voronoi-roadmaps-2004, section 6: change the graph, set edge weights, add fake obstacles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from footway.errors import BadInput, BadQuery
from footway.roadmap.fake_obstacles import FakeObstacle, closed_space
from footway.roadmap.roadmap import LEAST_WEIGHT, MOST_WEIGHT, Roadmap, with_edges
from footway.validation import as_text, number, point, shown, text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from footway.arrays import Floats, Ints
    from footway.roadmap.lattice.space import Space


class Editor:
    """Edits a roadmap step by step; the attribute `roadmap` holds the current state.

    A node inside an obstacle or an edge through one is refused, with its position. When a node or
    an edge is removed, the numbers of those after it decrease by one.

    Example:
        >>> import footway as fw
        >>> env = fw.Environment.from_polygons(bounds=(0, 0, 10, 6), obstacles=[
        ...     [(4, 0), (6, 0), (6, 3), (4, 3)]])
        >>> editor = Editor(fw.roadmap.rrm(env, resolution=0.5, radius=0.25))
        >>> node = editor.add_node((1.2, 1.5))
        >>> other = editor.add_node((8.5, 1.5))
        >>> editor.add_edge(node, other)
        Traceback (most recent call last):
        ...
        footway.errors.BadQuery: the edge from (1.200, 1.500) to (8.500, 1.500) leaves the free \
space at (3.500, 1.500): go around the obstacle there
        >>> editor.undo()
        True
    """

    def __init__(self, roadmap: Roadmap) -> None:
        if not isinstance(roadmap, Roadmap):
            kind = type(roadmap).__name__
            raise BadInput(f"an editor needs a Roadmap, not {kind}: use the `roadmap` of the map")
        self._states = [roadmap]
        self._now = 0
        self._space: tuple[tuple[FakeObstacle, ...], Space] = ((), roadmap.space)

    @property
    def roadmap(self) -> Roadmap:
        """The roadmap with all edits."""
        return self._states[self._now]

    @property
    def n_edits(self) -> int:
        """Number of edits that are in effect."""
        return self._now

    @property
    def n_undone(self) -> int:
        """Number of edits that can be redone."""
        return len(self._states) - 1 - self._now

    # -- nodes -------------------------------------------------------------------------------

    def add_node(self, at: ArrayLike, *, connect: Iterable[int] = ()) -> int:
        """Add a node with straight edges to the given nodes and return its number."""
        place = self._place(at)
        try:
            others = [self._node(v) for v in connect]
        except TypeError:
            wrong = f"connect is {shown(connect)}: give a list of nodes, such as [3]"
            raise BadQuery(wrong) from None
        if len(set(others)) < len(others):
            raise BadQuery(
                f"node {max(others, key=others.count)} is listed twice in connect: list it once"
            )
        for other in others:
            self._check_line(place, self.roadmap.nodes[other])
        now, node = self.roadmap, self.roadmap.n_nodes
        edges = np.array([(node, other) for other in others], np.int64).reshape(-1, 2)
        nodes = np.vstack([now.nodes, place])
        self._set(_with_straight_edges(now.with_changes(nodes=nodes), edges))
        return node

    def move_node(self, node: int, to: ArrayLike) -> None:
        """Move a node; its edges become straight lines."""
        v, place, now = self._node(node), self._place(to), self.roadmap
        own = np.flatnonzero((now.edges == v).any(axis=1))
        paths = {}
        for edge in own.tolist():
            first = bool(now.edges[edge, 0] == v)
            other = now.nodes[now.edges[edge, 1 if first else 0]]
            self._check_line(place, other)
            paths[edge] = np.stack([place, other] if first else [other, place])
        nodes = now.nodes.copy()
        nodes[v] = place
        lines = [paths.get(edge, now.path_of(edge)) for edge in range(now.n_edges)]
        size = [len(line) for line in lines]
        self._set(
            now.with_changes(
                nodes=nodes,
                path_points=np.concatenate([np.empty((0, now.dimension)), *lines]),
                path_offsets=np.concatenate([[0], np.cumsum(size)]).astype(np.int64),
            )
        )

    def remove_node(self, node: int) -> None:
        """Remove a node and its edges; the numbers of later nodes decrease by one."""
        v, now = self._node(node), self.roadmap
        rest = with_edges(now, ~(now.edges == v).any(axis=1))
        nodes, edges = np.delete(now.nodes, v, axis=0), rest.edges - (rest.edges > v)
        self._set(rest.with_changes(nodes=nodes, edges=edges))

    # -- edges -------------------------------------------------------------------------------

    def add_edge(self, a: int, b: int, *, weight: float = 1.0) -> int:
        """Add a straight edge and return its number."""
        v, w, now = self._node(a), self._node(b), self.roadmap
        if v == w:
            raise BadQuery(f"an edge from node {v} to itself: give two nodes")
        if ((now.edges == (v, w)) | (now.edges == (w, v))).all(axis=1).any():
            raise BadQuery(f"nodes {v} and {w} already have an edge")
        self._check_line(now.nodes[v], now.nodes[w])
        self._set(_with_straight_edges(now, np.array([(v, w)]), _weight(weight)))
        return now.n_edges

    def remove_edge(self, edge: int) -> None:
        """Remove an edge; the numbers of later edges decrease by one."""
        keep = np.ones(self.roadmap.n_edges, bool)
        keep[self._edge(edge)] = False
        self._set(with_edges(self.roadmap, keep))

    def set_weight(self, edge: int, weight: float) -> None:
        """Set the factor on the length of an edge: above 1 it is avoided, below 1 preferred."""
        weights = self.roadmap.weights.copy()
        weights[self._edge(edge)] = _weight(weight)
        self._set(self.roadmap.with_changes(weights=weights))

    # -- fake obstacles ----------------------------------------------------------------------

    def add_fake_obstacle(
        self,
        polygon: ArrayLike | None = None,
        *,
        disc: tuple[ArrayLike, float] | None = None,
        box: tuple[ArrayLike, ArrayLike] | None = None,
    ) -> int:
        """Add a fake obstacle, which blocks all paths through it, and return its number.

        Args:
            polygon: corners (n, 2), m.
            disc: centre and radius, m.
            box: lower and upper corner, m; the only kind in three dimensions.
        """
        if sum(value is not None for value in (polygon, disc, box)) != 1:
            raise BadQuery("give one of polygon, disc=(centre, radius) and box=(lower, upper)")
        if polygon is not None:
            fake = FakeObstacle.polygon(polygon)
        elif disc is not None:
            fake = FakeObstacle.disc(*_two(disc, "disc=(centre, radius)"))
        elif box is not None:
            fake = FakeObstacle.box(*_two(box, "box=(lower, upper)"))
        if fake.dimension != self.roadmap.dimension:
            kind = "a box of x, y, z corners" if self.roadmap.dimension == 3 else "x, y corners"
            raise BadQuery(f"a fake obstacle of this roadmap needs {kind}")
        fakes = self.roadmap.fake_obstacles
        self._set(self.roadmap.with_changes(fake_obstacles=(*fakes, fake)))
        return len(fakes)

    def remove_fake_obstacle(self, number: int) -> None:
        """Remove a fake obstacle; the numbers of later ones decrease by one."""
        fakes = self.roadmap.fake_obstacles
        if not _counts(number, len(fakes)):
            raise BadQuery(f"there is no fake obstacle {shown(number)}: there are {len(fakes)}")
        rest = (*fakes[:number], *fakes[number + 1 :])
        self._set(self.roadmap.with_changes(fake_obstacles=rest))

    # -- edits as text -----------------------------------------------------------------------

    def apply(self, edit: str) -> str:
        """Apply an edit that is written as text, as in a file of edits; return what it did.

        Points are X,Y or X,Y,Z in metres; nodes, edges and obstacles are numbers. An edge may also
        be given by its nodes, as 3-7.

            add-node 30,8 [to 3,7]          move-node 12 to 31,8         remove-node 12
            add-edge 3-7 [weight 2]         remove-edge 3-7              set-weight 3-7 2
            close disc 24,26 2              close box 20,20 28,24        close polygon 1,1 5,1 3,4
            open 0

        Raises:
            BadQuery: an edit that cannot be read or is refused.

        Example:
            >>> import footway as fw
            >>> hall = fw.Environment.from_polygons(bounds=(0, 0, 10, 6))
            >>> editor = Editor(fw.roadmap.rrm(hall))
            >>> editor.apply("add-node 2,2 to 0")
            'added node 1 at (2.000, 2.000) with 1 edge'
            >>> editor.apply("set-weight 0-1 3")
            'edge 0 has weight 3'
        """
        words = text(edit, "edit").split()
        verb, rest = (words[0], words[1:]) if words else ("", [])
        match verb, rest:
            case "add-node", [at, *more] if not more or (len(more) == 2 and more[0] == "to"):
                others = [_whole(word) for word in more[1].split(",")] if more else []
                node = self.add_node(_numbers(at), connect=others)
                edges = f"{len(others)} edge{'s' * (len(others) != 1)}"
                return f"added node {node} at {as_text(self.roadmap.nodes[node])} with {edges}"
            case "move-node", [node, "to", at]:
                self.move_node(_whole(node), _numbers(at))
                return f"moved node {node} to {as_text(self.roadmap.nodes[_whole(node)])}"
            case "remove-node", [node]:
                self.remove_node(_whole(node))
                return f"removed node {node}; later nodes have lower numbers now"
            case "add-edge", [ends, *more] if not more or (len(more) == 2 and more[0] == "weight"):
                a, b = _ends(ends)
                return f"added edge {self.add_edge(a, b, weight=_float(more[-1] if more else '1'))}"
            case "remove-edge", [edge]:
                self.remove_edge(self._named_edge(edge))
                return f"removed edge {edge}; later edges have lower numbers now"
            case "set-weight", [edge, weight]:
                which = self._named_edge(edge)
                self.set_weight(which, _float(weight))
                return f"edge {which} has weight {self.roadmap.weights[which]:g}"
            case "close", ["disc", centre, radius]:
                fake = self.add_fake_obstacle(disc=(_numbers(centre), _float(radius)))
                return f"closed a disc: fake obstacle {fake}"
            case "close", ["box", low, high]:
                fake = self.add_fake_obstacle(box=(_numbers(low), _numbers(high)))
                return f"closed a box: fake obstacle {fake}"
            case "close", ["polygon", *corners] if corners:
                fake = self.add_fake_obstacle([_numbers(corner) for corner in corners])
                return f"closed a polygon: fake obstacle {fake}"
            case "open", [number]:
                self.remove_fake_obstacle(_whole(number))
                return f"removed fake obstacle {number}"
        raise BadQuery(f"cannot read the edit {shown(edit)}: write it as one of {EDITS}")

    def _named_edge(self, word: str) -> int:
        """Return the number of an edge that is given by its number or by its nodes, as 3-7."""
        if "-" not in word:
            return self._edge(_whole(word))
        a, b = _ends(word)
        edges = self.roadmap.edges
        found = np.flatnonzero(((edges == (a, b)) | (edges == (b, a))).all(axis=1))
        if len(found) == 0:
            raise BadQuery(f"there is no edge {word}: nodes {a} and {b} are not joined")
        return int(found[0])

    # -- undo --------------------------------------------------------------------------------

    def undo(self) -> bool:
        """Undo the last edit; return False if there is none."""
        if self._now == 0:
            return False
        self._now -= 1
        return True

    def redo(self) -> bool:
        """Redo the edit that was undone last; return False if there is none."""
        if self._now + 1 == len(self._states):
            return False
        self._now += 1
        return True

    # ----------------------------------------------------------------------------------------

    def _set(self, changed: Roadmap) -> None:
        """Make an edited roadmap the current state."""
        parameters = {**changed.parameters, "edited": True}
        if changed.n_nodes < self.roadmap.n_nodes:
            parameters.pop("rrm_nodes", None)  # the RRM nodes may no longer come first
        self._states[self._now + 1 :] = [changed.with_changes(parameters=parameters)]
        self._now += 1

    @property
    def _free(self) -> Space:
        """The space without the cells that the current fake obstacles close."""
        fakes = self.roadmap.fake_obstacles
        if self._space[0] != fakes:
            base = self._states[0].space
            self._space = fakes, closed_space(base, fakes) if fakes else base
        return self._space[1]

    def _place(self, at: ArrayLike) -> Floats:
        dimension = self.roadmap.dimension
        place = point(at, "place of a node", dimension)
        if not self._free.lines_are_free(place[None], place[None])[0]:
            raise BadQuery(
                f"the node {as_text(place)} is inside an obstacle or too near to one for the "
                "object: move it"
            )
        return place

    def _check_line(self, a: Floats, b: Floats) -> None:
        share = float(self._free.first_hits(a[None], b[None])[0])
        if share <= 1.0:
            raise BadQuery(
                f"the edge from {as_text(a)} to {as_text(b)} leaves the free space at "
                f"{as_text(a + share * (b - a))}: go around the obstacle there"
            )

    def _node(self, number: int) -> int:
        return _number(number, self.roadmap.n_nodes, "node")

    def _edge(self, number: int) -> int:
        return _number(number, self.roadmap.n_edges, "edge")

    def __repr__(self) -> str:
        return f"Editor({self.roadmap!r}, {self._now} edits)"


def _with_straight_edges(roadmap: Roadmap, edges: Ints, weight: float = 1.0) -> Roadmap:
    """Return the roadmap with more straight edges (k, 2)."""
    more = 2 * np.arange(1, len(edges) + 1)
    lines = roadmap.nodes[edges].reshape(-1, roadmap.dimension)
    return roadmap.with_changes(
        edges=np.concatenate([roadmap.edges, edges]),
        path_points=np.concatenate([roadmap.path_points, lines]),
        path_offsets=np.concatenate([roadmap.path_offsets, roadmap.path_offsets[-1] + more]),
        weights=np.concatenate([roadmap.weights, np.full(len(edges), weight)]),
    )


def _number(value: int, count: int, what: str) -> int:
    if not _counts(value, count):
        raise BadQuery(f"there is no {what} {shown(value)}: they are numbered 0 to {count - 1}")
    return int(value)


def _counts(value: Any, count: int) -> bool:
    """Return whether a value is an integer from 0 to count - 1; booleans do not count."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and 0 <= int(value) < count


def _weight(value: float) -> float:
    return number(value, "weight", low=LEAST_WEIGHT, high=MOST_WEIGHT)


EDITS = (
    "add-node X,Y [to N,N], move-node N to X,Y, remove-node N, add-edge N-N [weight W], "
    "remove-edge N-N, set-weight N-N W, close disc X,Y R, close box X,Y X,Y, "
    "close polygon X,Y X,Y X,Y ..., open N"
)
"""The edits that `Editor.apply` reads."""


def _whole(word: str) -> int:
    if not (word.isascii() and word.isdigit()):
        raise BadQuery(f"{shown(word)} is not the number of a node, edge or obstacle, such as 3")
    return int(word)


def _ends(word: str) -> tuple[int, int]:
    first, dash, second = word.partition("-")
    if not dash:
        raise BadQuery(f"{shown(word)} are not the two nodes of an edge, such as 3-7")
    return _whole(first), _whole(second)


def _numbers(word: str) -> list[float]:
    return [_float(part) for part in word.split(",")]


def _float(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise BadQuery(f"{shown(word)} is not a number, such as 2.5") from None


def _two(value: Any, words: str) -> tuple[Any, Any]:
    try:
        first, second = value
    except (TypeError, ValueError):
        raise BadQuery(f"{shown(value)} is not a fake obstacle: give {words}") from None
    return first, second
