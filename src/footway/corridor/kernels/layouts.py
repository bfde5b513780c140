"""Arrays that the kernels of this folder take, with their shapes.

Half-edge 2 e follows edge e from its first to its last vertex, 2 e + 1 follows it back. Letters of
shapes: nv vertices, ne edges, m events, ns sites, nw walls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from footway.arrays import Bools, Floats, Ints, Singles
    from footway.medial import MedialAxis


# Results of a search; GOAL_x is START_x + 1.
FOUND, NOWHERE, FULL, START_IN_WALL, GOAL_IN_WALL, START_TIGHT, GOAL_TIGHT, APART = range(8)


FIRST_OFFSET, FIRST_CANDIDATE, FIRST_WALL, FIRST_PORTAL = range(4)
"""Columns of `Layers.first`."""


class Layers(NamedTuple):
    """Grids of the sheets of a building, one after the other: see kernels/surface.

    A flat map has none. A grid has the walls of its sheet, and those behind its portals that are
    nearest to points of the sheet.
    """

    boxes: Floats  # (nl, 3) as Grid.box
    shapes: Ints  # (nl, 2)
    first: Ints  # (nl + 1, 4) where each sheet begins in offsets, candidates, walls and portals
    offsets: Ints
    candidates: NDArray[np.int32]
    walls: Floats  # (nw, 4)
    site: Ints  # (nw,)
    ends: Ints  # (nw, 2)
    portals: Floats  # (np, 4) x0, y0, x1, y1, with the sheet on the left
    beyond: Ints  # (np,) sheet on the right
    start: int  # sheet of the start of a query; -1 on a flat map
    goal: int


class Grid(NamedTuple):
    """Uniform grid of candidate walls: see kernels/wall_grid."""

    box: Floats  # (3,) lower left corner and cell size, m
    shape: Ints  # (2,) columns, rows
    offsets: Ints  # (cells + 1,)
    candidates: NDArray[np.int32]
    walls: Floats  # (nw, 4) wall segments, then point obstacles with two equal ends
    site: Ints  # (nw,) site of the wall
    ends: Ints  # (nw, 2) sites of its ends
    layers: Layers  # of a building; then this grid is that of its first sheet


EVENT_CLEARANCE = 2  # column of CellBoundaries.balls after x and y


class CellBoundaries(NamedTuple):
    """Pieces of the axis that bound the cell of each site, sorted around or along it.

    Row 2 s is the cell of a point s or the left side of a segment s, row 2 s + 1 its right side.
    Keys are angles about a point (radians) or distances along a segment (metres).
    """

    offsets: Ints  # (2 ns + 1,)
    keys: Floats
    widths: Floats
    pieces: Ints
    sites: Floats  # (ns, 4)
    is_point: Bools  # (ns,)
    two_sided: Bools  # (ns,)
    of_roadmap: bool  # whether points are located by balls; if not, the arrays of balls are empty
    balls: Floats  # (m, 3) x, y, clearance of each event, m, and a grid of those near each cell
    ball_box: Floats  # (3,) lower left corner and cell size, m
    ball_shape: Ints  # (2,) columns, rows
    ball_offsets: Ints  # (cells + 1,)
    ball_members: NDArray[np.int32]


class Graph(NamedTuple):
    """The axis as a graph for searching.

    The core consists of the cycles and the edges between them. Dead ends are trees attached to it:
    `up` is the half-edge from a tree's vertex toward its root. `join` is a forest of widest paths:
    a vertex and its parent are connected by a path of clearance `join_clearance`, which decreases
    toward the root, so climbing gives the widest path between two vertices.
    """

    offsets: Ints  # (nv + 1,)
    out: Ints  # (2 ne,) half-edges that leave each vertex
    edges: Ints  # (ne, 2)
    edge_of: Ints  # (m,) edge of each event
    clearance: Floats  # (ne,) narrowest, m
    length: Floats  # (ne,) cost: length times weight, m
    weight: Floats  # (ne,) factor on lengths; 1 except for a roadmap with weights
    is_core: Bools  # (ne,)
    up: Ints  # (nv,) -1 in the core
    join: Ints  # (nv,) parent in the forest, itself at a root
    join_clearance: Floats  # (nv,)
    join_edge: Ints  # (nv,)


POINT, SIDE, EVENT = range(3)  # columns of CornerSequence.points


class CornerSequence(NamedTuple):
    """Points that bound a path along each half-edge, in the order of passing."""

    offsets: Ints  # (2 ne + 1,)
    points: NDArray[np.int32]  # (np, 3) point, side (0 left of the path, 1 right), event
    xy: Floats  # (ns + nc, 2) points: corners, where a path may turn, then contacts at vertices
    ahead: NDArray[np.int32]  # (nc, 2) corner at the far end of a contact's wall, for a path that
    # has it on the left (0) or right (1); -1 where the wall turns toward the path
    at_left: NDArray[np.int32]  # (m,) point on the left of each event; -1: interior of a wall
    at_right: NDArray[np.int32]  # (m,)


class Index(NamedTuple):
    """The medial axis and all derived structures, as kernels take them."""

    axis: MedialAxis
    grid: Grid
    boundaries: CellBoundaries
    graph: Graph
    corners: CornerSequence


class Place(NamedTuple):
    """A point located on the map: see `kernels.locate.locate_point`."""

    piece: int  # event at which its piece of the axis begins; -1 in obstacles and outside the map
    x: float  # retraction of the point onto the axis
    y: float
    axis_clearance: float  # of the retraction, m
    clearance: float  # of the point, m
    wall_x: float  # nearest obstacle point
    wall_y: float


class OnAxis(NamedTuple):
    """A place on the medial axis: the fields of Place that a search along the axis needs."""

    piece: int
    x: float
    y: float


BALL_Z, BALL_RADIUS, BALL_COLUMNS = 2, 3, 4  # columns of balls after x and y, and their number


class BallBuffer(NamedTuple):
    """Memory for the balls of a corridor, and for the places of their centres on the axis."""

    balls: Floats  # (capacity, 4) x, y, 0, clearance
    pieces: Ints  # (capacity,)
    shares: Floats  # (capacity,) share of the piece


class Query(NamedTuple):
    """A query, with the cells of its ends."""

    sx: float
    sy: float
    gx: float
    gy: float
    radius: float
    n_corners: int
    start_edge: int  # cell of the start: after start_event of this edge; -1: at start_vertex
    start_event: int
    start_vertex: int
    start_open_forward: bool  # wide enough from the start to the edge's last vertex
    start_open_backward: bool
    goal_edge: int  # cell of the goal, likewise
    goal_event: int
    goal_vertex: int
    goal_open_forward: bool  # wide enough from the edge's first vertex to the goal
    goal_open_backward: bool
    goal_is_ahead: bool  # on the edge of the start, after it; both false elsewhere
    goal_is_behind: bool  # on the edge of the start, before it
    start_layer: int  # sheet of the start; -1 on a flat map
    goal_layer: int


class SearchWorkspace(NamedTuple):
    """Nodes, heap and marks of a search for a shortest path. Threads must not share it."""

    floats: Floats  # (capacity, 8) nodes: columns are listed in kernels/search
    ints: NDArray[np.int32]  # (capacity, 12)
    keys: Floats  # (capacity,) heap: lower bounds
    queue: NDArray[np.int32]  # (capacity,) heap: nodes
    turns: Floats  # (2 ns, 4) shortest known path to each turn: length, arrival direction, query
    second_turns: Floats  # (2 ns, 5) the same of another path, and how many there were, for a
    # search for all turns
    marks: Ints  # (ne,) last query that may enter this dead end
    count: Ints  # type: ignore[assignment]  # (11,) nodes, heap size, query, most new nodes per
    # step, mode, whether the limit cut something off, whether a path could not be repaired, query
    # whose goal_distances are known, nodes created before they were, nodes of all searches, nodes
    # after which goal_distances are computed
    chain: NDArray[np.int32]  # (capacity / 4, 2) corners that the path turns around, and sides
    tangents: Floats  # (capacity / 4 + 1, 6) lines between them: ends and direction
    halves: NDArray[np.int32]  # (capacity,) half-edges that the path crosses
    limit: Floats  # (3,) longest path, m, the query of to_goal, error of the landmarks, m
    to_goal: Floats  # (2 ns, 4) the turns of a search from the goal
    polyline: Floats  # (capacity + 2, 2) ends of lines and points of arcs
    on_path: Bools  # (ne,) edges on loopless paths from start to goal
    landmarks: Singles  # (np, k) distance of each point from each landmark, m; NaN:
    # unknown. k = 0: no landmarks
    goal_distances: Floats  # (k,) distance of the goal from each landmark, m
    active: Ints  # (at most 8,) landmarks that bound the search
    bounds: Floats  # (np, 2) lower bound on the distance of a point to the goal, m, and its query
    portals: Floats  # (2 ne, 2) in a sweep, distances of the ends of the portal behind a half-edge


PIECES_END, HALVES_END, CORNERS_END = range(3)
"""Columns of `PathBuffer.ends`."""


class PathBuffer(NamedTuple):
    """Memory for several paths between the same ends: see kernels/alternatives."""

    pieces: Floats  # (capacity, 9) lines and arcs of all paths
    halves: NDArray[np.int32]  # (capacity,) half-edges of all paths
    chains: NDArray[np.int32]  # (capacity, 2) corners at which the paths turn, and sides
    ends: Ints  # (most + 1, 3) where the pieces, half-edges and corners of each path end
    certificates: Floats  # (most, 2) length and clearance, m


class TurnTable(NamedTuple):
    """Distances between the turns of discs of one radius, as hub labels: see kernels/turns.

    Turns are numbered by rank here: turn 2 k + side is at the k-th corner of `sites` (n,). The
    labels of a turn are hubs with the distance to them, each with the next turn of the path there.
    """

    radius: Floats  # (1,) m; NaN: no table
    corner_of: NDArray[np.int32]  # (ns,) number of a site in `sites`; -1 if no path turns there
    sites: NDArray[np.int32]  # (n,)
    references: Floats  # (n, 2) direction from which arcs of turns to the left are counted
    cosines: Floats  # (n,) of the largest angle between it and the direction of a path
    offsets: Ints  # (2 n + 1,) labels of each turn
    hubs: NDArray[np.int32]  # (m,) in increasing order for each turn
    nexts: NDArray[np.int32]  # (m,)
    distances: Floats  # (m,) m
    is_tied: Bools  # (m,) whether there are several shortest paths


class TurnWorkspace(NamedTuple):
    """Memory of a query of a TurnTable. Threads must not share it."""

    turns: NDArray[np.int32]  # (2, 2 n) turns that the start sees, and the goal
    lengths: Floats  # (2, 2 n) length of the line and arc to each, m
    least: Floats  # (2, 2 n) lower bound on the length of a path over each, m
    seen: Ints  # (2 n,) list that has this turn
    count: Ints  # type: ignore[assignment]  # (1,) lists
    from_hub: Floats  # (2 n,) distance from a hub to the goal, m; infinite for all between queries
    label: Ints  # (2 n,) label that has it
    chain: NDArray[np.int32]  # (2 n + 2,) turns
