"""Arrays that kernels take, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from footway.corridor.kernels.graph_search import GraphWorkspace  # noqa: TC001

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from footway.arrays import Bools, Floats, Ints


class Chain(NamedTuple):
    """A local path during its retraction; the first rows are used."""

    points: Floats  # (most, 3) configurations, lattice units
    clearance: Floats  # (most,) cells
    state: Ints  # (most,) MOVING, ON_AXIS, BLOCKED or FIXED
    other: Floats  # (most, 3) scratch memory


class GrowingGraph(NamedTuple):
    """A graph to which edges are added, as linked lists. Half-edges 2e, 2e + 1 belong to edge e."""

    first: Ints  # (n,) latest half-edge of each node; -1: none
    after: Ints  # (h,) previous half-edge of the same node; -1: none
    to: Ints  # (h,) node that a half-edge leads to
    length: Floats  # (h,)


class LimitedSearch(NamedTuple):
    """Scratch memory of a search for paths up to a limit."""

    cost: Floats  # (n,) path lengths; infinite before and after a search
    reached: Ints  # (n,) nodes with a finite cost
    keys: Floats  # heap: path lengths
    queue: Ints  # heap: nodes


class WallEnds(NamedTuple):
    """End points of walls, binned in cells: the first contact of a growing blend is one of them."""

    box: Floats  # (3,) lower left corner and cell size, m
    shape: Ints  # (2,) columns, rows
    offsets: Ints  # (cells + 1,)
    xy: Floats  # (n, 2) m


class CellWalls(NamedTuple):
    """Walls nearest to any point of each cell."""

    box: Floats  # (3,) lower left corner and cell size, m
    shape: Ints  # (2,) columns, rows
    offsets: Ints  # (cells + 1,)
    members: NDArray[np.int32]  # walls by cells
    walls: Floats  # (n, 4) m


class Turn(NamedTuple):
    """A vertex, and two unit directions that leave it along its edges."""

    x: float
    y: float
    ax: float
    ay: float
    bx: float
    by: float


class Arc(NamedTuple):
    """An arc around a centre, from unit direction s to e, by less than pi."""

    cx: float
    cy: float
    radius: float
    sx: float
    sy: float
    ex: float
    ey: float
    side: float  # 1: to the left, -1: to the right


class QueryEnd(NamedTuple):
    """Start or goal of a query, and what is known about the places around it."""

    x: float
    y: float
    state: Ints  # (n + h,) visibility of each place
    clear: Floats  # (n + h,) clearance of the line to it, m


class BlendNetwork(NamedTuple):
    """A roadmap with blends. Half-edge 2 e follows edge e, 2 e + 1 its twin."""

    places: Floats  # (n + h, 2) m: vertices, then the point at a quarter of each half-edge
    components: Ints  # (n + h,) component of the roadmap of each place
    tails: Ints  # (h,) vertices
    directions: Floats  # (h, 2) unit vectors
    middles: Floats  # (m, 2) m
    lengths: Floats  # (m,) m
    clearances: Floats  # (m,) clearance of edges, m
    costs: Floats  # (m,) cost of a metre, at least 1
    out_offsets: Ints  # (n + 1,)
    out: Ints  # (h,) half-edges that leave each vertex
    turn_offsets: Ints  # (h + 1,) turns after each half-edge
    turn_from: Ints  # (t,) half-edge that enters a vertex
    turn_to: Ints  # (t,) half-edge that leaves it
    turn_blend: Ints  # (t,)
    turn_cost: Floats  # (t,) from middle to middle
    blend_tangent: Floats  # (k,) m
    blend_clearance: Floats  # (k,) m
    place_box: Floats  # (3,) lower left corner and size of the cells of places, m
    place_shape: Ints  # (2,) columns, rows
    place_offsets: Ints  # (cells + 1,)
    members: Ints  # (n + h,) places by cells
    ends: WallEnds
    walls: CellWalls
    preferred: float  # m, preferred clearance of blends
    off_road: float  # cost of a metre off the roads


FROM_START = -2  # in BlendWorkspace.arrival: FROM_START - k is the start's joint of kind k


class QueueCodes(NamedTuple):
    """First code of each kind of queue entry: see kernels/blend_search."""

    join: int
    turn: int
    leave: int
    end: int
    meet: int
    met: int


class BlendWorkspace(NamedTuple):
    """Scratch memory of a search over lines and arcs. Threads must not share it."""

    cost: Floats  # (h,) to the middle of a half-edge
    arrival: Ints  # (h,) turn by which the path arrives, or FROM_START - k
    reached: Ints  # (h,) query that reached it
    settled: Ints  # (h,) query that settled it
    start_state: Ints  # (n + h,) visibility of a place from the start
    start_clear: Floats  # (n + h,) clearance of the line to it, m
    goal_state: Ints  # (n + h,) likewise
    goal_clear: Floats  # (n + h,)
    component: Ints  # (n,) last query with places around its goal in this component
    keys: Floats  # heap: lower bounds
    queue: NDArray[np.int32]  # heap: entries
    found: Ints  # places around a point
    corners: Floats  # (c, 10) corners of the path
    query: Ints  # (1,) number of the query


class Roads(NamedTuple):
    """Local paths of all edges, cut into short straight pieces."""

    points: Floats  # (m, 2) m
    offsets: Ints  # (ne + 1,)
    turns: Bools  # (m,) whether the point is one of the local path, not of the cutting
    piece_clearance: Floats  # (m,) of the piece that begins here, m, exact; inf at an edge's end
    clearance: Floats  # (m,) m; interpolating between two events never overestimates


class SpaceGraph(NamedTuple):
    """Nodes and edges of a roadmap in three dimensions: see corridor/kernels/graph_search."""

    edges: Ints  # (ne, 2)
    offsets: Ints  # (nv + 1,) rows of `out`
    out: Ints  # (2 ne,) half-edges that leave each node
    clearance: Floats  # (ne,) m
    length: Floats  # (ne,) cost: length times weight, m
    is_core: Bools  # (ne,) true: no edge is treated as a dead end
    up: Ints  # (nv,) -1


class SpaceRoads(NamedTuple):
    """Local paths of all edges as short straight pieces between events, and their graph."""

    points: Floats  # (m, 3) m, events
    event_clearance: Floats  # (m,) clearance of the object at each event, m
    piece_clearance: Floats  # (m,) of the piece that begins here, m; inf at an edge's end
    arc: Floats  # (m,) m, from the edge's first event
    offsets: Ints  # (ne + 1,)
    edge_of: Ints  # (m,)
    cost: Floats  # (ne,) m per m: weight of each edge, 1 or more
    length: Floats  # (ne,) m
    nodes: Floats  # (nv, 3) m
    graph: SpaceGraph
    seen: NDArray[np.int32]  # shape of the corners: event that each free corner joins; -1: none


class SpaceWorkspace(NamedTuple):
    """Scratch memory of a search in three dimensions. Threads must not share it."""

    graph: GraphWorkspace
    stack: Floats  # (64, 4) parts of a line that are still to be measured
    vias: Floats  # (2, 3) m, corner by which the start and the goal join the roads
    cuts: Floats  # (48, 3) m, points of a path that is pulled straight
    cost: Floats  # (48,) m, length of the shortest path to each of them
    before: Ints  # (48,) the point before each of them on that path
