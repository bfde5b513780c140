"""What is hashed: one function for each kind of result, from a map to its SHA-256.

    python -m tests.golden.scenes                 # print the hashes that this process computes
    python -m tests.golden.scenes --write         # and commit to them: needs a line in CHANGELOG

`NUMBA_CPU_NAME`, `NUMBA_CPU_FEATURES` and `NUMBA_NUM_THREADS` choose what they are computed with.
"""

from __future__ import annotations

import functools
import hashlib
import json
import sys
from pathlib import Path

import numpy as np

import footway as fw
from footway._numba.random_stream import RandomStream

HASHES = Path(__file__).with_name("hashes.json")


def digest(*values) -> str:
    """SHA-256 of arrays and numbers: kind, shape and bits."""
    found = hashlib.sha256()
    for value in values:
        array = np.ascontiguousarray(value)
        found.update(f"{array.dtype.str} {array.shape};".encode())
        found.update(array.tobytes())
    return found.hexdigest()


@functools.cache
def environment(name: str) -> fw.Environment:
    return fw.load(f"gallery:{name}")


@functools.cache
def corridor_map(name: str) -> fw.CorridorMap:
    return fw.CorridorMap.build(environment(name))


@functools.cache
def questions(name: str, radius: float, count: int):
    """Starts and goals (count, 2) m where a disc fits, the same everywhere."""
    cmap = corridor_map(name)
    low, high = np.array(cmap.bounds).reshape(2, 2)
    points = low + RandomStream(5).uniform(40 * count, 2) * (high - low)
    points = points[cmap.clearance(points) > radius + 0.05][: 2 * count]
    return points[:count], points[count:]


def hash_map(name):
    cmap = corridor_map(name)
    axis = cmap.axis()
    return digest(cmap.walls, cmap.vertices, cmap.edges, cmap.edge_clearance, *axis)


def hash_paths(name, radius):
    cmap = corridor_map(name)
    starts, goals = questions(name, 0.25, 120)
    paths = [path for path in cmap.paths(starts, goals, radius=radius) if path is not None]
    assert len(paths) > 30
    return digest(*(x for path in paths for x in (path.points, path.length, path.clearance)))


def hash_corridors(name):
    cmap = corridor_map(name)
    found = []
    for start, goal in zip(*questions(name, 0.25, 30), strict=True):
        try:
            found.append(cmap.corridor(start, goal, radius=0.25).balls)
        except fw.NoPath:
            continue
    assert len(found) > 10
    return digest(*found)


def corridor():
    return corridor_map("field").corridor((2, 3), (44, 44), radius=0.3)


def hash_walk(**options):
    walk = fw.follow.cmm(corridor(), speed=1.4, **options)
    return digest(walk.points, walk.velocities, walk.clearance)


def discs():
    return [
        fw.follow.Disc(at=(12.5, 20.5), radius=0.5, name="guide"),
        fw.follow.Disc(at=(38, 36), radius=0.5, velocity=(-0.4, -0.3), name="jogger"),
    ]


def hash_variations():
    varied = fw.follow.variations(corridor(), 20, seed=7, noise=0.5)
    return digest(*(walk.points for walk in varied.walks))


PREFERENCES = {"sidewalk": 0.5, "road": 4.0, "mud": 40.0}


@functools.cache
def indicative_routes():
    terrain = fw.Terrain.build(environment("mckenna-road"), radius=0.25)
    starts, goals = questions("mckenna-road", 0.6, 12)
    found = []
    for start, goal in zip(starts, goals, strict=True):
        try:
            found.append(fw.route(terrain, start, goal, preferences=PREFERENCES))
        except fw.FootwayError:
            continue
    assert len(found) > 5
    return found


def hash_routes():
    return digest(*(x for r in indicative_routes() for x in (r.points, r.weighted_length)))


def hash_miran():
    return digest(*(fw.follow.miran(r, sigma=6, spacing=1).points for r in indicative_routes()))


def hash_irm():
    cmap = corridor_map("mckenna-road")
    return digest(*(fw.follow.irm(r, cmap).points for r in indicative_routes()))


@functools.cache
def roadmap(method: str) -> fw.Roadmap:
    field = environment("field")
    if method == "rrm_star":
        return fw.roadmap.rrm_star(roadmap("rrm"))
    if method == "rrrm":
        return fw.roadmap.retract(roadmap("rrm_star"))
    if method == "voronoi_prm":
        return fw.roadmap.voronoi_prm(field, radius=0.3)
    build = fw.roadmap.grid if method == "grid" else fw.roadmap.rrm
    return build(field, resolution=0.5, radius=0.5)


def hash_roadmap(method):
    graph = roadmap(method)
    return digest(graph.nodes, graph.edges, graph.path_points, graph.lengths)


def hash_space():
    house = fw.roadmap.rrrm(fw.load("gallery:house"), size=(3, 3, 3))
    path = fw.CorridorMap.from_roadmap(house).path((8, 6, 5), (48, 30, 15))
    return digest(house.nodes, house.edges, house.path_points, path.points)


def hash_blends():
    turns = fw.roadmap.blends(roadmap("voronoi_prm"))
    drive = fw.CorridorMap.from_roadmap(roadmap("voronoi_prm")).path((3, 3), (44, 40), radius=0.3)
    return digest(turns.radius, turns.clearance, drive.pieces)


def hash_camera():
    stops = [(10, 20), fw.camera.Stop((40, 52), dwell=3, look_at=(45, 50, 1.0)), (59, 61)]
    tour = fw.camera.tour(corridor_map("office"), stops, radius=0.25)
    return digest(tour.times, tour.positions, tour.directions, tour.speeds)


def hash_crowd(make, steps):
    """Of positions and velocities in several moments, and again after a checkpoint."""
    crowd = make()
    found = []
    for _ in range(4):
        crowd.step(steps // 4)
        found += [crowd.ids, crowd.positions, crowd.velocities]
    return digest(*found)


def mixed_crowd():
    crowd = fw.Crowd(corridor_map("city"), seed=7)
    crowd.add(1000, speed=(1.34, 0.26), premovement=(2, 1))
    crowd.add(300, radius=0.4, speed=0.9, lane=-0.8)
    crowd.add(300, behaviour="wander", noise=0.4)
    crowd.add_source(50, area=[(230, 230), (250, 230), (250, 250), (230, 250)], rate=5)
    return crowd


def crowd_with_groups():
    crowd = fw.Crowd(corridor_map("city"), seed=3)
    crowd.add_group(20, start=(238, 240), width=2, group_area=40)
    crowd.add_group(20, start=(246, 244), goal=(136, 382), lateral=4, longitudinal=15)
    crowd.add(100, within=100)
    return crowd


def crowd_with_obstacles():
    crowd = fw.Crowd(corridor_map("field"), seed=2)
    crowd.add(150)
    crowd.add_obstacle((24, 26), radius=1.0, velocity=(0.2, 0.1), appears=1, vanishes=12)
    return crowd


def crowd_on_terrain():
    env = environment("mckenna-road")
    crowd = fw.Crowd(corridor_map("mckenna-road"), seed=3, environment=env)
    crowd.add(60, profile=fw.Profile(preferences=PREFERENCES))
    crowd.add(20, profile=fw.Profile(preferences=PREFERENCES, follow="irm"))
    crowd.add(20)
    return crowd


def congested_crowd():
    crowd = fw.Crowd(corridor_map("office"), seed=4)
    (entrance,) = (area for area in environment("office").areas if area.name == "entrance")
    crowd.add(300, radius=0.2, destinations=[entrance], then="exit", congestion=1.0)
    return crowd


def hash_alternatives():
    """Of the five shortest paths in different corridors, for some pairs."""
    starts, goals = questions("city", 0.25, 12)
    found = []
    for start, goal in zip(starts, goals, strict=True):
        try:
            paths = corridor_map("city").paths_between(start, goal, k=5, radius=0.25)
        except fw.NoPath:
            continue
        found += [path.points for path in paths]
    assert len(found) > 20
    return digest(*found)


def crowd_by(model):
    """A dense room whose people meet, and leave by a door."""
    door = [(15.2, 1), (16, 1), (16, 9), (15.2, 9)]
    walls = [[(12, y0), (12.4, y0), (12.4, y1), (12, y1)] for y0, y1 in ((0, 4.2), (5.8, 10))]
    walkable = fw.Environment.from_polygons(bounds=(0, 0, 17, 10), obstacles=walls)
    crowd = fw.Crowd(fw.CorridorMap.build(walkable), seed=5, model=model)
    hall = [(1, 1), (10, 1), (10, 9), (1, 9)]
    crowd.add(60, radius=0.2, speed=(1.34, 0.26), area=hall, destinations=[door], then="exit")
    crowd.add(10, radius=0.3, area=door, destinations=[(2, 5)], congestion=1.0)
    return crowd


SCENES = {
    "map of the city": lambda: hash_map("city"),
    "map of the office": lambda: hash_map("office"),
    "paths in the city": lambda: hash_paths("city", 0.25),
    "paths of points in the city": lambda: hash_paths("city", 0.0),
    "paths in the office": lambda: hash_paths("office", 0.2),
    "corridors in the city": lambda: hash_corridors("city"),
    "walk": hash_walk,
    "walk with shortcuts": lambda: hash_walk(shortcut=0.1),
    "walk with lane and noise": lambda: hash_walk(lane=-0.5, noise=0.5, seed=4),
    "walk among obstacles by forces": lambda: hash_walk(obstacles=discs()),
    "walk among obstacles by corridor": lambda: hash_walk(obstacles=discs(), avoid="corridor"),
    "variations of a walk": hash_variations,
    "indicative routes": hash_routes,
    "walks by MIRAN": hash_miran,
    "walks by the IRM": hash_irm,
    "grid roadmap": lambda: hash_roadmap("grid"),
    "RRM": lambda: hash_roadmap("rrm"),
    "RRM*": lambda: hash_roadmap("rrm_star"),
    "RRRM": lambda: hash_roadmap("rrrm"),
    "Voronoi-PRM": lambda: hash_roadmap("voronoi_prm"),
    "RRRM in space": hash_space,
    "circular blends": hash_blends,
    "camera tour": hash_camera,
    "mixed crowd": lambda: hash_crowd(mixed_crowd, 120),
    "crowd with groups": lambda: hash_crowd(crowd_with_groups, 120),
    "crowd with obstacles": lambda: hash_crowd(crowd_with_obstacles, 200),
    "crowd on terrain": lambda: hash_crowd(crowd_on_terrain, 80),
    "crowd by the power law": lambda: hash_crowd(lambda: crowd_by("power_law"), 160),
    "crowd by ORCA": lambda: hash_crowd(lambda: crowd_by("orca"), 160),
    "crowd by collision-free speed": lambda: hash_crowd(
        lambda: crowd_by("collision_free_speed"), 160
    ),
    "crowd that avoids congestion": lambda: hash_crowd(congested_crowd, 160),
    "alternative paths": hash_alternatives,
}
"""Name of each result, and the function that computes its hash."""

WITH_THREADS = tuple(
    name for name in SCENES if "crowd" in name or name in {"paths in the city", "indicative routes"}
)
"""Those that use more than one thread."""


def main(arguments: list[str]) -> None:
    chosen = [name for name in SCENES if name in arguments] or list(SCENES)
    found = {name: SCENES[name]() for name in chosen}
    print(json.dumps(found, indent=1))
    if "--write" in arguments:
        HASHES.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
