"""Terrain: preferences, indicative routes, and walks with MIRAN."""

from pathlib import Path

import footway as fw
from footway import plot

park = fw.Environment.from_polygons(
    bounds=(0, 0, 60, 40),
    obstacles=[[(26, 14), (34, 14), (34, 22), (26, 22)]],
    terrain=[  # later regions lie on top of earlier ones; what none covers is "ground"
        ("grass", [(0, 0), (60, 0), (60, 40), (0, 40)]),
        ("mud", [(14, 6), (46, 6), (46, 14), (14, 14)]),
        ("path", [(3, 4), (9, 4), (9, 26), (51, 26), (51, 4), (57, 4), (57, 32), (3, 32)]),
    ],
    name="park",
)
terrain = fw.Terrain.build(park, radius=0.25)
print(terrain)

# Weights: 1 is neutral, more is worse. The same start and goal, a different route for each.
people = {
    "walker": {"mud": 20.0, "grass": 3.0, "path": 0.5},
    "runner": {"mud": 1.5, "grass": 1.0, "path": 1.0},
}
routes = {}
for name, preferences in people.items():
    route = routes[name] = fw.route(terrain, (6, 10), (54, 10), preferences=preferences)
    metres = ", ".join(f"{kind} {m:.1f} m" for kind, m in route.measure().items() if m)
    print(f"{name}: {route.length:.1f} m ({metres})")
    before, after = route.weighted_length_before, route.weighted_length
    print(f"  weighted {after:.1f} m, {before:.1f} m before it was improved")

# A follower turns a route into a walk with velocities and times.
walk = fw.follow.miran(routes["walker"], sigma=6, spacing=1)
print(f"MIRAN: {walk.length:.1f} m in {walk.duration:.1f} s, weighted {walk.weighted_length:.1f} m")

# The Indicative Route Method follows the same route and ignores the terrain.
careless = fw.follow.irm(routes["walker"], fw.CorridorMap.build(park))
print(f"IRM: {careless.length:.1f} m, weighted {careless.weighted_length:.1f} m")

file = Path("out") / "terrain.png"
file.parent.mkdir(exist_ok=True)
plot.save_picture(plot.draw_route(routes["walker"], walk), file)
print(f"wrote {file}")

# A route that crosses an obstacle is refused; the error says where.
try:
    fw.IndicativeRoute.from_points(terrain, [(6, 10), (30, 18), (54, 10)])
except fw.BadQuery as no:
    print(no)
