"""From a map to a certified path, in ten lines."""

import footway as fw

env = fw.load("gallery:city")  # or a file: GeoJSON, WKT, MovingAI, ROS, PNG
cmap = fw.CorridorMap.build(env)  # exact, for every radius
path = cmap.path((2, 3), (480, 451), radius=0.25)
print(f"{path.length:.2f} m, {path.clearance:.3f} m from the nearest wall, {path.turns} turns")
print(f"{len(path.points)} points, from {path.points[0]} to {path.points[-1]}")

wide = cmap.path((2, 3), (480, 451), radius=0.25, clearance=1.0)
print(f"{wide.length:.2f} m if it keeps 1 m from walls where possible")
