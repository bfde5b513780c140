"""One valid call of everything public: the misuse test changes its arguments one by one.

`CALLS[name]` is a function without arguments that returns what is called (a bound method for
methods) and its arguments by name. Objects that a call changes are made anew each time.
"""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import shapely

import footway as fw
from footway import measure, plot
from footway.crowd import models
from footway.environment import Area, TerrainRegion, gallery, rasterise
from footway.formats import save_geojson
from footway.roadmap import SpaceMap
from footway.scenario import json_schema, parse_scenario

A, B = (2.0, 2.0), (18.0, 12.0)
RING = [(1, 1), (5, 1), (5, 5), (1, 5)]
LOWER, UPPER = ("0", (8, 5), (12, 5)), ("1", (8, 10), (12, 10))
SCENARIO = 'map = "map.geojson"\n[[population]]\ncount = 2\n'


@cache
def env():
    return fw.Environment.from_polygons(
        bounds=(0, 0, 20, 15),
        obstacles=[[(8, 5), (12, 5), (12, 10), (8, 10)]],
        terrain=[("mud", [(14, 0), (20, 0), (20, 6), (14, 6)])],
        areas=[("exit", [(0, 12), (3, 12), (3, 15), (0, 15)])],
        name="misuse",
    )


@cache
def building():
    floors = [fw.Floor("0", env(), 0.0), fw.Floor("1", env(), 3.0)]
    return fw.Building(floors, [fw.Stairs("A", LOWER, UPPER)], name="b")


@cache
def cmap():
    return fw.CorridorMap.build(env())


@cache
def terrain():
    return fw.Terrain.build(env(), 0.25)


@cache
def corridor():
    return cmap().corridor(A, B, radius=0.25)


@cache
def path():
    return cmap().path(A, B, radius=0.25)


@cache
def route():
    return fw.route(terrain(), A, B, preferences={"mud": 5.0})


@cache
def walk():
    return fw.follow.cmm(corridor())


@cache
def route_walk():
    return fw.follow.miran(route())


@cache
def roadmap():
    return fw.roadmap.rrm(env(), resolution=1.0, radius=0.5)


@cache
def prm():
    return fw.roadmap.voronoi_prm(env(), resolution=1.0, radius=0.5, samples=200)


@cache
def volume():
    return fw.Volume.from_boxes((0, 0, 0, 8, 6, 4), [(3, 2, 0, 5, 4, 2)], resolution=0.5)


@cache
def space_map():
    return fw.CorridorMap.from_roadmap(fw.roadmap.rrm(volume(), radius=0.3))


@cache
def disc():
    return fw.roadmap.FakeObstacle.disc((4.0, 4.0), 1.0)


def editor():
    return fw.roadmap.Editor(roadmap())


def crowd():
    made = fw.Crowd(cmap(), seed=1, environment=env(), threads=1)
    made.add(3, starts=[(2, 2), (4, 2), (2, 4)])
    made.add_obstacle((10.0, 2.0), 0.5)
    return made


@cache
def building_map():
    return fw.CorridorMap.build(building())


def crowd_in_building():
    made = fw.Crowd(building_map(), seed=1, threads=1)
    made.add(2, starts=[(2, 2, "0"), (4, 2, "1")], destinations=[(6, 2, "1")])
    return made


def crowd_with_a_closed_link():
    made = crowd_in_building()
    made.close_link("A")
    return made


@cache
def recording_of_building():
    return crowd_in_building().run(seconds=0.5)


def named(function):
    """The crowd with one of its functions of `each_step`."""
    made = crowd()
    made.each_step(function)
    return made


@cache
def recording():
    return crowd().run(seconds=1.0)


@cache
def motion():
    return fw.camera.motion(path())


@cache
def diagram():
    return fw.camera.SpeedDiagram([0.0, 5.0, 9.0], [1.0, 2.0])


@cache
def tour():
    return fw.camera.tour(cmap(), [A, B])


@cache
def folder():
    return Path(tempfile.mkdtemp(prefix="footway-misuse-"))


@cache
def files():
    """A folder with one file of each kind."""
    save_geojson(env(), folder() / "map.geojson")
    cmap().save(folder() / "map.npz")
    roadmap().save(folder() / "roadmap.npz")
    route().save(folder() / "route.geojson")
    recording().save(folder() / "run.parquet")
    crowd().save(folder() / "crowd.npz")
    (folder() / "scenario.toml").write_text(SCENARIO)
    (folder() / "study.toml").write_text('scenario = "scenario.toml"\nseeds = 1\n')
    return folder()


@cache
def scenario():
    return parse_scenario(SCENARIO, folder=files())


@cache
def figure():
    return plot.draw_map(cmap())


def _nothing(*_):
    """A function of a user that does nothing."""


def _on(make, method, **arguments):
    """A method of an object that is made for each call."""
    return lambda: (getattr(make(), method), arguments)


def _call(function, **arguments):
    return lambda: (function, arguments)


def _late(function, arguments):
    """A call whose arguments are made when it is called."""
    return lambda: (function, arguments())


PAIR = {"start": A, "goal": B}
LAYER = {"resolution": 1.0, "radius": 0.5}

CALLS = {
    # footway
    "Building": _late(
        fw.Building, lambda: {"floors": building().floors, "links": building().links, "name": "b"}
    ),
    "Building.floor_index": _on(building, "floor_index", name="0"),
    "Building.name_of": _on(building, "name_of", layer=0),
    "Building.traps": _on(building, "traps"),
    "Escalator": _call(
        fw.Escalator, name="E", lower=LOWER, upper=UPPER, direction="up", belt=0.5, walking=False,
        speed_up=0.6, speed_down=0.7,
    ),
    "Floor": _late(fw.Floor, lambda: {"name": "0", "environment": env(), "elevation": 3.0}),
    "Lift": _call(
        fw.Lift, name="L", cabin=[(8, 5), (10, 5), (10, 7), (8, 7)],
        doors=[("0", (8, 5), (10, 5)), ("1", (8, 5), (10, 5))], capacity=8, speed=1.0,
        door_time=2.0, wait=15.0,
    ),
    "Ramp": _call(fw.Ramp, name="R", lower=LOWER, upper=UPPER, speed_up=1.0, speed_down=1.2),
    "Stairs": _call(
        fw.Stairs, name="A", lower=LOWER, upper=UPPER,
        flights=[[(8, 5), (12, 5), (12, 10), (8, 10)]], landings=[], speed_up=0.6, speed_down=0.7,
    ),
    "Corridor.from_balls": _call(
        fw.Corridor.from_balls, centres=[(0, 0), (1, 0), (2, 0)], radii=[1.0, 1.0, 1.0], radius=0.25
    ),
    "CorridorMap.axis": _on(cmap, "axis"),
    "CorridorMap.balls": _on(cmap, "balls", coverage=0.9),
    "CorridorMap.bottleneck": _on(cmap, "bottleneck", **PAIR),
    "CorridorMap.build": _late(fw.CorridorMap.build, lambda: {"environment": env()}),
    "CorridorMap.clearance": _on(cmap, "clearance", points=[A, B]),
    "CorridorMap.corridor": _on(cmap, "corridor", **PAIR),
    "CorridorMap.distances": _on(cmap, "distances", start=A, points=[A, B], threads=1),
    "CorridorMap.from_roadmap": _late(
        fw.CorridorMap.from_roadmap, lambda: {"roadmap": roadmap()}
    ),
    "CorridorMap.is_reachable": _on(cmap, "is_reachable", start=A, points=[A, B]),
    "CorridorMap.line_of_sight": _on(cmap, "line_of_sight", a=[A], b=[B]),
    "CorridorMap.load": _late(fw.CorridorMap.load, lambda: {"file": files() / "map.npz"}),
    "CorridorMap.locate": _on(cmap, "locate", points=[A, B]),
    "CorridorMap.nearest_free": _on(cmap, "nearest_free", points=[A, B]),
    "CorridorMap.nearest_obstacle": _on(cmap, "nearest_obstacle", points=[A, B]),
    "CorridorMap.passages": _on(cmap, "passages"),
    "CorridorMap.path": _on(cmap, "path", **PAIR),
    "CorridorMap.prepare": _on(cmap, "prepare", radius=0.25, wait=True),
    "CorridorMap.path_toward": _on(cmap, "path_toward", **PAIR),
    "CorridorMap.paths": _on(cmap, "paths", starts=[A], goals=[B], threads=1),
    "CorridorMap.paths_between": _on(cmap, "paths_between", **PAIR, k=2, longer=0.5, different=0.1),
    "CorridorMap.random_points": _on(cmap, "random_points", n=2, reachable_from=A),
    "CorridorMap.retract": _on(cmap, "retract", points=[A, B]),
    "CorridorMap.save": lambda: (cmap().save, {"file": folder() / "out.npz"}),
    **{
        f"{model.__name__}{method and '.'}{method}": _late(getattr(model(), method, model), dict)
        for model in (models.CollisionFreeSpeed, models.Orca, models.PowerLaw, models.SocialForce)
        for method in ("", "declarations", "to_dict")
    },
    "UserModel": _late(models.UserModel, lambda: {"function": _nothing}),
    "Crowd": _late(fw.Crowd, lambda: {"cmap": cmap(), "environment": env()}),
    "Crowd.add": _on(crowd, "add", count=2),
    "Crowd.add_group": _on(crowd, "add_group", count=3, start=(5, 3), goal=B),
    "Crowd.add_obstacle": _on(crowd, "add_obstacle", at=(6, 6), radius=0.5),
    "Crowd.add_source": _on(crowd, "add_source", count=2, area=RING, rate=1.0),
    "Crowd.add_to": _on(crowd, "add_to", population=0, count=2),
    "Crowd.close_link": _on(crowd_in_building, "close_link", name="A", start=1.0, end=2.0),
    "Crowd.open_link": _on(crowd_with_a_closed_link, "open_link", name="A"),
    "Crowd.character": _on(crowd, "character", number=0),
    "Crowd.each_step": _on(crowd, "each_step", function=_nothing),
    "Crowd.continues": lambda: (crowd().continues, {"file": files() / "run.parquet"}),
    "Crowd.load": _late(
        fw.Crowd.load,
        lambda: {"file": files() / "crowd.npz", "cmap": cmap(), "environment": env()},
    ),
    "Crowd.move_obstacle": _on(crowd, "move_obstacle", obstacle=0, at=(6, 6)),
    "Crowd.moved_to": lambda: (crowd().moved_to, {"cmap": cmap(), "environment": env()}),
    "Crowd.record": lambda: (crowd().record, {"recorder": crowd().recorder()}),
    "Crowd.recorder": _on(crowd, "recorder"),
    "Crowd.remove": _on(crowd, "remove", ids=[1]),
    "Crowd.remove_function": lambda: (named(_nothing).remove_function, {"function": _nothing}),
    "Crowd.remove_obstacle": _on(crowd, "remove_obstacle", obstacle=0),
    "Crowd.remove_population": _on(crowd, "remove_population", population=0),
    "Crowd.run": _on(crowd, "run", seconds=0.2),
    "Crowd.save": lambda: (crowd().save, {"file": folder() / "out.npz"}),
    "Crowd.set_goals": _on(crowd, "set_goals", ids=[0], goals=[B]),
    "Crowd.set_profile": _on(crowd, "set_profile", population=0, speed=1.0),
    "Crowd.set_speed": _on(crowd, "set_speed", ids=[0], speed=1.0),
    "Crowd.step": _on(crowd, "step"),
    "Crowd.to_come_of": _on(crowd, "to_come_of", population=0),
    "Environment.from_polygons": _call(
        fw.Environment.from_polygons, walkable=[(0, 0), (9, 0), (9, 9), (0, 9)]
    ),
    "Environment.with_terrain": _on(env, "with_terrain", terrain=[("grass", RING)]),
    "IndicativeRoute.from_points": _late(
        fw.IndicativeRoute.from_points,
        lambda: {"terrain": terrain(), "points": [(2, 2), (5, 2), (5, 12)]},
    ),
    "IndicativeRoute.load": _late(
        fw.IndicativeRoute.load,
        lambda: {"file": files() / "route.geojson", "terrain": terrain()},
    ),
    "IndicativeRoute.measure": _on(route, "measure"),
    "IndicativeRoute.point_at": _on(route, "point_at", s=1.0),
    "IndicativeRoute.save": lambda: (route().save, {"file": folder() / "out.geojson"}),
    "IndicativeRoute.to_dict": _on(route, "to_dict"),
    "Path.to_dict": _on(path, "to_dict"),
    "Profile": _call(fw.Profile),
    "Profile.from_dict": _call(fw.Profile.from_dict, values={"radius": 0.2}),
    "Recording.compare": lambda: (recording().compare, {"other": recording()}),
    "Recording.frame": _on(recording, "frame", k=0),
    "Recording.joined": lambda: (recording().joined, {"others": recording()}),
    "Recording.load": _late(fw.Recording.load, lambda: {"file": files() / "run.parquet"}),
    "Recording.floors_at": _on(recording_of_building, "floors_at", k=0),
    "Recording.obstacle_floors_at": _on(recording_of_building, "obstacle_floors_at", k=0),
    "Recording.on_floor": _on(recording_of_building, "on_floor", name="0"),
    "Recording.obstacles_at": _on(recording, "obstacles_at", k=0),
    "Recording.replay_hash": _on(recording, "replay_hash"),
    "Recording.save": lambda: (recording().save, {"file": folder() / "out.parquet"}),
    "Recording.trajectory": _on(recording, "trajectory", character=0),
    "Roadmap.corridor_map": _on(roadmap, "corridor_map"),
    "Roadmap.distances": _on(roadmap, "distances", sources=[0]),
    "Roadmap.load": _late(fw.Roadmap.load, lambda: {"file": files() / "roadmap.npz"}),
    "Roadmap.make": _late(
        fw.Roadmap.make,
        lambda: {
            "nodes": [(2.0, 2.0), (4.0, 2.0)], "edges": [(0, 1)], "space": roadmap().space,
            "method": "voronoi_prm",
        },
    ),
    "Roadmap.path_of": _on(roadmap, "path_of", edge=0),
    "Roadmap.samples": _on(roadmap, "samples", step=0.5),
    "Roadmap.save": lambda: (roadmap().save, {"file": folder() / "out.npz"}),
    "Roadmap.shortest_path": _on(roadmap, "shortest_path", start=0, goal=1),
    "Roadmap.with_changes": _on(roadmap, "with_changes", name="other"),
    "Scenario.prepare": lambda: (scenario().prepare, {"threads": 1}),
    "Terrain.build": _late(fw.Terrain.build, lambda: {"environment": env(), "radius": 0.25}),
    "Terrain.kind_at": _on(terrain, "kind_at", points=[A, B]),
    "Terrain.measure": _on(terrain, "measure", points=[A, (6, 2)]),
    "Terrain.sees": _on(terrain, "sees", a=A, b=B),
    "Terrain.trace": _on(
        terrain, "trace", lines=np.array([[2.0, 2.0, 6.0, 2.0]]), weights=np.ones(2)
    ),
    "Terrain.triangles_at": _on(terrain, "triangles_at", points=[A, B]),
    "Terrain.weighted_length": _on(terrain, "weighted_length", points=[A, (6, 2)]),
    "Terrain.weights": _on(terrain, "weights", preferences={"mud": 2.0}),
    "Volume": _call(fw.Volume, solid=np.zeros((2, 3, 4), bool), resolution=0.5),
    "Volume.from_boxes": _call(
        fw.Volume.from_boxes, bounds=(0, 0, 0, 8, 6, 4), boxes=[(3, 2, 0, 5, 4, 4)]
    ),
    "load": _late(fw.load, lambda: {"path": files() / "map.geojson"}),
    "load_scenario": _late(fw.load_scenario, lambda: {"file": files() / "scenario.toml"}),
    "load_study": _late(fw.load_study, lambda: {"file": files() / "study.toml"}),
    "study": _late(
        fw.study,
        lambda: {"plan": files() / "study.toml", "output": files() / "study", "keep": ()},
    ),
    "route": _late(fw.route, lambda: {"terrain": env(), **PAIR}),
    # footway.camera
    "CameraMotion.at": _on(motion, "at", time=1.0),
    "CameraMotion.to_dict": _on(motion, "to_dict"),
    "SpeedDiagram": _call(fw.camera.SpeedDiagram, breaks=[0.0, 5.0, 9.0], limits=[1.0, 2.0]),
    "SpeedDiagram.distance_at": _on(diagram, "distance_at", t=1.0),
    "SpeedDiagram.limit_at": _on(diagram, "limit_at", s=1.0),
    "SpeedDiagram.speed_after": _on(diagram, "speed_after", t=1.0),
    "SpeedDiagram.speed_at": _on(diagram, "speed_at", s=1.0),
    "SpeedDiagram.time_at": _on(diagram, "time_at", s=1.0),
    "SpeedDiagram.to_dict": _on(diagram, "to_dict"),
    "Stop": _call(fw.camera.Stop, at=A),
    "Tour.at": _on(tour, "at", time=1.0),
    "Tour.to_dict": _on(tour, "to_dict"),
    "camera.follow": _late(
        fw.camera.follow, lambda: {"recording": recording(), "character": 0, "cmap": cmap()}
    ),
    "camera.motion": _late(fw.camera.motion, lambda: {"path": path(), "cmap": cmap()}),
    "camera.tour": _late(fw.camera.tour, lambda: {"cmap": cmap(), "stops": [A, B]}),
    # footway.follow
    "Disc": _call(fw.follow.Disc, at=(1, 1), radius=0.5),
    "RouteWalk.measure": _on(route_walk, "measure"),
    "RouteWalk.to_dict": _on(route_walk, "to_dict"),
    "Walk.to_dict": _on(walk, "to_dict"),
    "follow.cmm": _late(fw.follow.cmm, lambda: {"corridor": corridor()}),
    "follow.cmm_batch": _late(
        fw.follow.cmm_batch,
        lambda: {"cmap": cmap(), "starts": [A], "goals": [B], "threads": 1},
    ),
    "follow.irm": _late(fw.follow.irm, lambda: {"route": route(), "cmap": cmap()}),
    "follow.miran": _late(fw.follow.miran, lambda: {"route": route()}),
    "follow.sub_corridor": _late(
        fw.follow.sub_corridor, lambda: {"corridor": corridor(), "obstacles": [(10, 3, 0.5)]}
    ),
    "follow.variations": _late(
        fw.follow.variations,
        lambda: {"corridor": corridor(), "count": 2, "speed": 1.2, "lane": 0.1},
    ),
    # footway.roadmap
    "Editor": _late(fw.roadmap.Editor, lambda: {"roadmap": roadmap()}),
    "Editor.apply": _on(editor, "apply", edit="set-weight 0 2"),
    "Editor.add_edge": lambda: (_unjoined().add_edge, {"a": 0, "b": len(roadmap().nodes)}),
    "Editor.add_fake_obstacle": _on(editor, "add_fake_obstacle", polygon=RING),
    "Editor.add_node": _on(editor, "add_node", at=(3.0, 3.0)),
    "Editor.move_node": _on(editor, "move_node", node=0, to=(3.0, 3.0)),
    "Editor.redo": _on(editor, "redo"),
    "Editor.remove_edge": _on(editor, "remove_edge", edge=0),
    "Editor.remove_fake_obstacle": lambda: (_obstructed().remove_fake_obstacle, {"number": 0}),
    "Editor.remove_node": _on(editor, "remove_node", node=0),
    "Editor.set_weight": _on(editor, "set_weight", edge=0, weight=2.0),
    "Editor.undo": _on(editor, "undo"),
    "FakeObstacle.blocks": lambda: (
        disc().blocks,
        {
            "starts": np.array([(1.0, 1.0)]), "ends": np.array([(6.0, 6.0)]),
            "space": roadmap().space,
        },
    ),
    "FakeObstacle.box": _call(fw.roadmap.FakeObstacle.box, low=(0, 0, 0), high=(1, 1, 1)),
    "FakeObstacle.contains": _on(disc, "contains", points=np.array([(1.0, 1.0)])),
    "FakeObstacle.disc": _call(fw.roadmap.FakeObstacle.disc, centre=(4, 4), radius=1.0),
    "FakeObstacle.distance": _on(disc, "distance", points=np.array([(1.0, 1.0)])),
    "FakeObstacle.from_dict": _late(
        fw.roadmap.FakeObstacle.from_dict, lambda: {"value": disc().to_dict()}
    ),
    "FakeObstacle.polygon": _call(fw.roadmap.FakeObstacle.polygon, corners=RING),
    "FakeObstacle.to_dict": _on(disc, "to_dict"),
    "roadmap.add_useful_nodes": _late(
        fw.roadmap.add_useful_nodes, lambda: {"roadmap": roadmap()}
    ),
    "roadmap.blends": _late(fw.roadmap.blends, lambda: {"roadmap": prm()}),
    "roadmap.clearance_statistics": _late(
        fw.roadmap.clearance_statistics, lambda: {"roadmap": roadmap()}
    ),
    "roadmap.coverage": _late(fw.roadmap.coverage, lambda: {"roadmap": roadmap()}),
    "roadmap.grid": _late(fw.roadmap.grid, lambda: {"environment": env(), **LAYER}),
    "roadmap.retract": _late(fw.roadmap.retract, lambda: {"roadmap": roadmap()}),
    "roadmap.rrm": _late(fw.roadmap.rrm, lambda: {"environment": env(), **LAYER}),
    "roadmap.rrm_star": _late(fw.roadmap.rrm_star, lambda: {"source": env(), **LAYER}),
    "roadmap.rrrm": _late(fw.roadmap.rrrm, lambda: {"source": env(), **LAYER}),
    "roadmap.shortest_path_factor": _late(
        fw.roadmap.shortest_path_factor, lambda: {"roadmap": roadmap()}
    ),
    "roadmap.sizes": _late(fw.roadmap.sizes, lambda: {"roadmap": roadmap()}),
    "roadmap.verify": _late(fw.roadmap.verify, lambda: {"roadmap": roadmap()}),
    "roadmap.voronoi_prm": _late(
        fw.roadmap.voronoi_prm, lambda: {"environment": env(), "samples": 100, **LAYER}
    ),
    # footway.corridor
    "SpaceMap": _late(SpaceMap, lambda: {"roadmap": space_map().roadmap}),
    "SpaceMap.bottleneck": _on(space_map, "bottleneck", start=(1, 1, 1), goal=(7, 5, 3)),
    "SpaceMap.clearance": _on(space_map, "clearance", points=[(1, 1, 1)]),
    "SpaceMap.corridor": _on(space_map, "corridor", start=(1, 1, 1), goal=(7, 5, 3)),
    "SpaceMap.path": _on(space_map, "path", start=(1, 1, 1), goal=(7, 5, 3)),
    "SpaceMap.paths": _on(
        space_map, "paths", starts=[(1, 1, 1)], goals=[(7, 5, 3)], threads=1
    ),
    "SpaceMap.save": lambda: (space_map().save, {"file": folder() / "out.npz"}),
    "TautPath.to_dict": _on(path, "to_dict"),
    "TautPath.with_tolerance": _on(path, "with_tolerance", tolerance=0.1),
    # footway.environment
    "Area": _call(Area, name="exit", polygon=shapely.box(0, 0, 1, 1)),
    "TerrainRegion": _call(TerrainRegion, kind="mud", polygon=shapely.box(0, 0, 1, 1)),
    "environment.rasterise": _late(rasterise, lambda: {"environment": env(), **LAYER}),
    "environment.gallery.buildings": _call(gallery.buildings),
    "environment.gallery.make": _call(gallery.make, name="field"),
    "environment.gallery.names": _call(gallery.names),
    # footway.formats
    "formats.save_geojson": lambda: (
        save_geojson, {"env": env(), "path": folder() / "out.geojson"},
    ),
    "scenario.json_schema": _call(json_schema),
    "scenario.parse_scenario": _late(
        parse_scenario, lambda: {"text": SCENARIO, "folder": files()}
    ),
    # footway.plot
    "Line": _call(plot.Line, points=np.array([A, B]), name="route", colour="red"),
    "Panel": _call(plot.Panel, caption="walks", walks=()),
    "RoadmapPanel": _late(
        plot.RoadmapPanel, lambda: {"caption": "roadmap", "roadmap": roadmap()}
    ),
    "RoutePanel": _call(plot.RoutePanel, caption="routes", lines=()),
    "measure.classic_density": _late(
        measure.classic_density, lambda: {"recording": recording(), "area": RING}
    ),
    "measure.crossings": _late(
        measure.crossings, lambda: {"recording": recording(), "line": [A, B]}
    ),
    "measure.flow": _late(measure.flow, lambda: {"recording": recording(), "line": [A, B]}),
    "measure.mean_speed": _late(
        measure.mean_speed, lambda: {"recording": recording(), "area": RING}
    ),
    "measure.speeds": _late(measure.speeds, lambda: {"recording": recording()}),
    "measure.voronoi_density": _late(
        measure.voronoi_density, lambda: {"recording": recording(), "area": RING, "cut_off": 1.0}
    ),
    "plot.animate": lambda: (
        plot.animate,
        {
            "cmap": cmap(), "recording": recording(), "file": folder() / "out.gif", "size": 100,
            "rate": 2.0,
        },
    ),
    "plot.check_animation_file": _call(plot.check_animation_file, file="a.gif"),
    "plot.check_picture_file": _call(plot.check_picture_file, file="a.png"),
    "plot.draw_building": _late(
        plot.draw_building,
        lambda: {"cmap": fw.CorridorMap.build(building()), "passages": [], "style": "floors"},
    ),
    "plot.draw_camera": _late(
        plot.draw_camera, lambda: {"cmap": cmap(), "motion": motion()}
    ),
    "plot.draw_check": _late(plot.draw_check, lambda: {"environment": env()}),
    "plot.draw_crowd": _late(
        plot.draw_crowd, lambda: {"cmap": cmap(), "positions": [A, B]}
    ),
    "plot.draw_density": _late(
        plot.draw_density, lambda: {"cmap": cmap(), "recording": recording()}
    ),
    "plot.draw_map": _late(plot.draw_map, lambda: {"source": cmap()}),
    "plot.draw_moment": _late(
        plot.draw_moment, lambda: {"cmap": cmap(), "recording": recording()}
    ),
    "plot.draw_no_path": _late(plot.draw_no_path, lambda: {"cmap": cmap(), **PAIR}),
    "plot.draw_panels": _late(
        plot.draw_panels,
        lambda: {"cmap": cmap(), "panels": [plot.Panel("walk", [walk()])], "title": "walks"},
    ),
    "plot.draw_path": _late(plot.draw_path, lambda: {"cmap": cmap(), "path": path()}),
    "plot.draw_alternatives": _late(
        plot.draw_alternatives, lambda: {"cmap": cmap(), "paths": [path()]}
    ),
    "plot.draw_distances": _late(plot.draw_distances, lambda: {"cmap": cmap(), "start": A}),
    "plot.draw_paths": _late(
        plot.draw_paths, lambda: {"cmap": cmap(), "paths": [path(), None]}
    ),
    "plot.draw_roadmap": _late(plot.draw_roadmap, lambda: {"roadmap": roadmap()}),
    "plot.draw_roadmaps": _late(
        plot.draw_roadmaps,
        lambda: {"panels": [plot.RoadmapPanel("roadmap", roadmap())], "title": "roadmaps"},
    ),
    "plot.draw_route": _late(plot.draw_route, lambda: {"route": route()}),
    "plot.draw_routes": _late(
        plot.draw_routes,
        lambda: {
            "environment": env(), "title": "routes",
            "panels": [plot.RoutePanel("one", [plot.Line(route().points, "route", "red")])],
        },
    ),
    "plot.draw_walk": _late(plot.draw_walk, lambda: {"cmap": cmap(), "walk": walk()}),
    "plot.save_picture": lambda: (
        plot.save_picture, {"figure": figure(), "file": folder() / "out.png"}
    ),
    "plot.representative_frame": _late(
        plot.representative_frame, lambda: {"recording": recording()}
    ),
}  # fmt: skip


def _unjoined():
    """An editor with a node that nothing joins, beside node 0."""
    made = editor()
    x, y = roadmap().nodes[0]
    made.add_node((x + 0.3, y))
    return made


def _obstructed():
    made = editor()
    made.add_fake_obstacle(RING)
    return made
