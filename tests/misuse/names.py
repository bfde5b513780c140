"""Everything public that can be called, by name: from `__all__` of the public modules."""

from __future__ import annotations

import importlib
import inspect

MODULES = (
    "footway",
    "footway.camera",
    "footway.follow",
    "footway.roadmap",
    "footway.corridor",
    "footway.crowd",
    "footway.crowd.models",
    "footway.environment",
    "footway.environment.gallery",
    "footway.terrain",
    "footway.formats",
    "footway.scenario",
    "footway.plot",
    "footway.measure",
)

RESULTS = {
    "Blends", "CameraMotion", "Corridor", "CorridorMap", "Crossings", "Dispersion", "Environment",
    "FakeObstacle", "Group",
    "IndicativeRoute", "InputGeometry", "LocalModel", "Location", "Moment", "Neighbours", "Path",
    "PathToward", "Pieces", "Pinch", "Raster",
    "Recording", "Repair", "Roadmap", "RouteWalk", "Scenario", "Stuck", "TautPath",
    "Terrain", "Tour", "Variations", "Verification", "Walk", "Walls",
}  # fmt: skip
"""Classes whose objects Footway makes, in functions and class methods that are tested here."""

NOT_FOR_USERS = {
    **dict.fromkeys(
        [
            f"{model}.to_array"
            for model in ("CollisionFreeSpeed", "Orca", "PowerLaw", "SocialForce", "UserModel")
        ],
        "makes the arguments of kernels",
    ),
    "LocalModel.declarations": "is called of the models",
    "LocalModel.to_array": "is called of the models",
    "LocalModel.to_dict": "is called of the models",
    "Crowd.from_simulation": "makes a crowd of its parts",
    "Environment.from_input_geometry": "takes what loaders made",
    "TautPath.from_solution": "takes what the search found",
    "UserModel.call": "is called in a step",
    **dict.fromkeys(
        [
            f"{link}.{method}"
            for link in ("Escalator", "Ramp", "Stairs")
            for method in ("allows", "seconds_per_metre")
        ],
        "is called in queries",
    ),
    "Building.contains": "is called in queries",
    "Building.heights": "is called in queries",
    "Building.parts_at": "is called in pictures",
    "Building.plan": "is called in recordings",
    "Lift.seconds": "is called in queries",
    "Pieces.label": "is for loaders",
    "Pieces.repair": "is for loaders",
    "Scenario.model_post_init": "belongs to pydantic",
}


def public():
    """Return what can be called, by names such as "Crowd.add" and "camera.motion"."""
    found, seen = {}, set()
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        prefix = module_name.removeprefix("footway").lstrip(".")
        for name in module.__all__:
            thing = getattr(module, name)
            if not callable(thing) or id(thing) in seen:
                continue
            seen.add(id(thing))
            if inspect.isclass(thing):
                found |= _members(thing)
            else:
                found[f"{prefix}.{name}".lstrip(".")] = thing
    return {name: thing for name, thing in found.items() if name not in NOT_FOR_USERS}


def _members(cls):
    if issubclass(cls, BaseException):
        return {}
    name = cls.__name__
    found = {} if name in RESULTS else {name: cls}
    for method in dir(cls):
        owner = next(c for c in cls.__mro__ if method in vars(c) or c is object)
        value = getattr(cls, method)
        is_method = inspect.isfunction(value) or inspect.ismethod(value)
        if is_method and not method.startswith("_") and owner.__module__.startswith("footway"):
            found[f"{name}.{method}"] = value
    return found
