"""Arrays that the kernels of a crowd take, and the names of their columns.

A row of `State` belongs to a slot. Slots are sorted by grid cell from time to time, so that
neighbours in space are neighbours in memory. The values that every step reads are small (32 bits);
positions and goals have 64 bits, because walls are exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from footway.corridor.kernels.layouts import Graph, Grid
    from footway.follow.kernels.visibility import VisibilityWorkspace
    from footway.terrain.terrain import TerrainMesh

    Floats = NDArray[np.float64]
    Singles = NDArray[np.float32]
    Ints = NDArray[np.int32]

# -- characters ----------------------------------------------------------------------------------

# Columns of `place`, m: position, goal, point to walk to.
X, Y, GOAL_X, GOAL_Y, AIM_X, AIM_Y = range(6)
BODY_COLUMNS = 13
# Columns of `body`: velocity, m/s; radius, m; preferred speed, m/s; k of F_perp; c_rand of F_rand;
# distance that the character may move before a wall can be near, m; arrival distance, m; distance
# to walk before it looks ahead again, m; how far it looks, m; how tight it takes corners;
# preferred direction in the last step.
(
    VX, VY, RADIUS, SPEED, LANE, NOISE, WALL_BUDGET, REACH, LOOK, SHORTCUT, CORNER,
    HEADING_X, HEADING_Y,
) = range(BODY_COLUMNS)  # fmt: skip
# Columns of `Cells.headings`: preferred direction in the last step (X, Y), k of F_perp, and rank: a
# random whole number below RANKED, which decides for some time who of two is in front.
LANE_THERE, RANK = 2, 3
RANKED = 1 << 24
# Columns of `cursor`: sample of the attraction point, last sample of the half-edge, half-edge,
# index of the next one in the pool of paths, number of half-edges left, last sample of the path,
# mode, id, group (-1: none), what the character follows.
AT, END, HALF, NEXT, LEFT, FINAL, MODE, ID, GROUP, FOLLOWS = range(10)
# The column FINAL has two more meanings: wanderers have no last sample, nor do routes.
WEIGHTS_ROW = FINAL  # of a wanderer: row of edge weights
GUIDE = FINAL  # on a route over terrain: row of the guide
# Columns of `journey`: population, destinations reached, first step in which it may walk, goal in
# the table, index of the path in the pool and log2 of its block (0: none), goals drawn, step of the
# last progress.
POPULATION, STAGE, FIRST_STEP, GOAL, PATH, PATH_SIZE, DRAWN, SINCE = range(8)
# Columns of `sheet`: sheet of the position and of the goal, from 1; 0 in the plane.
SHEET, GOAL_SHEET = range(2)

GONE, WAITING, WALKING, ARRIVED, STAYING, UNREACHABLE = range(6)
"""Modes: removed; premovement; walking; needs a new goal; stays at its goal; has no path."""

ON_PATH, WANDERS, ON_ROUTE = range(3)
"""What a character follows: a path or the corridor of a group, random edges, a terrain route."""


class State(NamedTuple):
    """Arrays of all characters; the first `n` rows are in use."""

    place: Floats  # (n, 6) exact values: position, goal, point to walk to, m
    body: (
        Singles  # (n, BODY_COLUMNS) hot: velocity, radius, speed, habits, distance budget to walls
    )
    cursor: Ints  # (n, 10) hot: directed edge and sample of the attraction point
    journey: Ints  # (n, 8) cold: population, stage, clocks, path
    progress: Floats  # (n, 2) cold: position at the last progress, m
    sheet: Ints  # (n, 2) cold: floor or part of a link, in a building


WIDTHS = {
    "place": 6, "body": BODY_COLUMNS, "cursor": 10, "journey": 8, "progress": 2, "sheet": 2,
}  # fmt: skip
TYPES: dict[str, Any] = {
    "place": np.float64, "body": np.float32, "cursor": np.int32, "journey": np.int32,
    "progress": np.float64, "sheet": np.int32,
}  # fmt: skip

# -- the map -------------------------------------------------------------------------------------

# Columns of `Tracks.balls`.
BALL_X, BALL_Y, BALL_RADIUS = range(3)


class Tracks(NamedTuple):
    """Samples of the map and directed edges: half-edge 2e follows edge e, 2e + 1 runs backward."""

    balls: Floats  # (m, 3) x, y, clearance, m
    sides: Singles  # (m, 4) unit vectors to the contacts on the left and on the right wall
    first: Ints  # (e,) first sample of an edge
    last: Ints  # (e,)
    ends: Ints  # (e, 2) vertices of an edge; -1 for groups
    at_piece: Ints  # (events,) sample at each event point of the axis
    loop_of: Ints  # (nv,) edge around the invisible obstacle at a vertex; -1: none
    home: Ints  # (nv,) half-edge toward the edges that wanderers use; -1: none, or on them
    weights: Singles  # (w, ne) edge weights of wanderers; 0: never
    is_smooth: bool  # whether edges that meet have the same tangent: turning back is possible
    sheets: Ints  # (m,) sheet of a sample, from 1, 0 on no edge of the map; empty in the plane


class Openings(NamedTuple):
    """Where standing obstacles leave edges of the map open."""

    are_narrowed: bool  # whether there are standing obstacles at all
    clearance: Floats  # (m,) radius of the widest disc that passes each sample of the map's edges


class Delays(NamedTuple):
    """Expected waits at the narrowest places of edges."""

    are_included: bool  # whether a search takes them into account
    weight: float  # m per second, for that search
    narrowest: Ints  # (ne,) sample at the narrowest place of each edge of the map
    by_edge: Floats  # (ne,) s


# Columns of `GoalTable.located` after X and Y: point on the medial axis, its clearance, the goal's.
AXIS_X, AXIS_Y, AXIS_CLEARANCE, OWN_CLEARANCE = range(2, 6)


class GoalTable(NamedTuple):
    """Located goals."""

    located: Floats  # (n, 6) m
    pieces: NDArray[np.int64]  # (n,) of the medial axis; -1: in a wall
    reach: Singles  # (n,) m, within which the goal counts as reached
    sheets: Ints  # (n,) sheet of the goal, from 1; 0 in the plane


class PathPool(NamedTuple):
    """Half-edges of all paths, in blocks of 2**k; free blocks of a size are a linked list."""

    halves: Ints  # (n,) a free block begins with the index of the next free one, or -1
    free: Ints  # (32,) first free block by k, or -1; entry 0: beginning of unused memory


# Columns of `PathRequests.goal_ranges`: first goal and number of goals to draw from, goals drawn so
# far.
FIRST_GOAL, N_GOALS, N_DRAWN = range(3)


class PathRequests(NamedTuple):
    """Requests of characters for a path to one of several goals."""

    ids: NDArray[np.int64]  # (n,)
    starts: Floats  # (n, 2) m
    radii: Floats  # (n,) m
    goal_ranges: NDArray[np.int64]  # (n, 3)
    within: Floats  # (n,) m, greatest distance of a goal
    weights: Floats  # (n,) m per second of delay; 0: the path ignores delays
    sheets: NDArray[np.int64]  # (n,) sheet of the start; -1 in the plane

    def part(self, rows: Any) -> PathRequests:
        """Return some of the requests."""
        return PathRequests._make(column[rows] for column in self)


# -- one step ------------------------------------------------------------------------------------

# Columns of `Cells.bodies` and `ObstacleCells.discs`.
BODY_X, BODY_Y, BODY_VX, BODY_VY, BODY_RADIUS = range(5)


class Joined(NamedTuple):
    """Cells of other sheets whose characters are near through portals; empty in the plane."""

    per_sheet: int  # cells of a sheet; those of sheet s begin at s times this number
    offsets: Ints  # (cells + 1,) where those of a cell begin
    cells: Ints
    places: Floats  # (n, 2) m, exact positions of the rows
    reach: float  # m between discs, below which two may touch in a step


class Cells(NamedTuple):
    """Characters sorted by the cells of a grid: cell c has the rows offsets[c] to [c + 1] - 1.

    32 bits are accurate to 0.2 mm on a map of 4 km. The grid has a border of empty cells, so that
    all nine cells around a character exist.
    """

    columns: int  # cells in a row of the grid
    offsets: Ints  # (cells + 1,)
    bodies: Singles  # (n, 5) position relative to the centre of the map, velocity, radius
    headings: Singles  # (n, 4) preferred direction in the previous step, lane and rank
    ids: Ints  # (n,)
    slots: Ints  # (n,)
    joined: Joined


class ObstacleCells(NamedTuple):
    """Dynamic obstacles, listed by the cells in which they affect characters.

    In a building the cells are those of one sheet, for all sheets.
    """

    n: int  # number of obstacles
    discs: Singles  # (n, 5) as bodies
    offsets: Ints  # (cells + 1,)
    rows: Ints  # of `discs`
    places: Floats  # (n, 2) m, exact positions
    sheets: Ints  # (n,) in a building; empty in the plane


class UserForces(NamedTuple):
    """Accelerations that the user's functions returned."""

    are_given: bool
    by_slot: Singles  # (n, 2) m/s2


class Avoidance(NamedTuple):
    """The local model (see `footway.crowd.models`), and the guard between characters."""

    number: int  # of the model
    parameters: Singles  # (n,) of the model
    given: Singles  # (n, 2) result of a user's model by slot: m/s2 or m/s
    close: np.float32  # m between discs, below which characters may touch in a step


class Headway(NamedTuple):
    """How much distance characters keep; see `kernels.guard.limit_pairs`."""

    time: np.float32  # s, behind another one; 0: none, only the guard keeps discs apart
    beside: np.float32  # s, to all other sides
    space: np.float32  # m between standing discs
    shoulders: np.float32  # share of the sum of the radii within which another one is ahead
    anticipation: np.float32  # s for which the relative speed of the other one counts


class Motion(NamedTuple):
    """How velocities change in a step of dt s; the same for all characters."""

    gain: float  # tau (1 - exp(-dt / tau)) / dt: mean effect of a force while a velocity relaxes
    headway: Headway  # of the local model
    tan_turn: float  # tangent of the greatest turn in a step; inf: any turn
    cos_turn: float
    sin_turn: float
    side_step: float  # m/s, up to which a character steps in any direction
    epoch: int  # number of the period in which characters of equal right yield to the same ones
    check: int  # steps between two checks of the progress of a character
    tired: int  # steps without progress, after which it requests a new path


class World(NamedTuple):
    """What all characters read in a step."""

    step: int
    dt: float  # s
    seed: int
    avoidance: Avoidance
    motion: Motion
    cells: Cells
    obstacles: ObstacleCells
    front_limits: Ints  # (groups,) sample that attraction points may not pass; -1: no limit
    user_forces: UserForces
    path_halves: Ints  # half-edges of the path pool
    tracks: Tracks
    graph: Graph
    grid: Grid
    guides: Guides
    slopes: Floats  # (sheets, 9) see `kernels.floors`; empty in the plane


# -- routes over terrain -------------------------------------------------------------------------

# Columns of `Guides.progress`: attraction point, m; reference and attraction point, m along the
# route; position at the last update, m; distance until the next one, m; length of the route, m;
# F_b / c_s, computed in every step.
(
    TARGET_X, TARGET_Y, REFERENCE, ATTRACTION, UPDATE_X, UPDATE_Y, STRIDE, LENGTH, PUSH_X, PUSH_Y,
) = range(10)  # fmt: skip
STORED = PUSH_X  # columns of a checkpoint
# Columns of `Guides.facts`: id (-1: the row is free), following style, first row of the route in
# the pool, number of its points and pieces, line of the reference point, step of the last update
# (-1: none yet), its result.
CHARACTER, STYLE, FIRST_ROW, POINTS, PIECES, LINE, UPDATED, VISIBILITY = range(8)

# Columns of `Guides.pool`: for points of a route x, y, m along it, cost up to there; for its pieces
# m along it at both ends, and the number of the triangle, doubled (see `doubled_triangles`).
POINT_X, POINT_Y, POINT_LENGTH, POINT_COST = range(4)
PIECE_BEGIN, PIECE_END, PIECE_TRIANGLE = range(3)

ROUTE_VISIBLE, GOAL_VISIBLE, NOTHING_VISIBLE = range(3)
"""Result of an update: a part of the route is visible, its end is, nothing is."""


class Guides(NamedTuple):
    """Routes over terrain, and the progress of the characters on them."""

    progress: Floats  # (g, 10)
    facts: Ints  # (g, 8)
    pool: Floats  # (p, 4) points and then pieces of each route


class Window(NamedTuple):
    """Workspace of one thread: the nearby part of a route, in the layout of the followers."""

    points: Floats  # (n, 2) m
    lengths: Floats  # (n,) m along the route
    costs: Floats  # (n,) cost along the route: m times weight of the terrain
    pieces: Floats  # (m, 4) m, both ends
    along: Floats  # (m, 2) m along the route
    offsets: Ints  # (t + 1,) 0 for triangles without pieces
    counts: Ints  # (t + 1,) pieces that are not in their place yet; 0 once the window is filled


class FollowingParameters(NamedTuple):
    """Parameters of a terrain following style, for kernels."""

    sigma: float  # m, shortcut parameter of MIRAN; 0: IRM
    spacing: float  # m, between candidates
    look: float  # m, walked between two updates
    clearance: float  # m beyond the radius, below which F_b acts
    boundary: float  # c_b / c_s
    radius: float  # m, by which the terrain is shrunk
    least: float  # least weight of the terrain
    most: float  # greatest weight


class FollowedTerrain(NamedTuple):
    """Terrain of a following style."""

    parameters: FollowingParameters
    weights: Floats  # (kinds,)
    ground: TerrainMesh  # with doubled triangle numbers


class FollowingWorkspace(NamedTuple):
    """Workspace of one thread for updates of attraction points."""

    window: Window
    visibility: VisibilityWorkspace


def make_state(capacity: int) -> State:
    """Return arrays for so many characters, all zero."""
    return State(
        **{name: np.zeros((capacity, width), TYPES[name]) for name, width in WIDTHS.items()}
    )
