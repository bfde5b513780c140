"""Roadmaps: small, short, clear of the walls; in two and three dimensions, edited by hand."""

from pathlib import Path

import footway as fw
from footway import plot

out = Path("out")
out.mkdir(exist_ok=True)

# In the plane, for a disc of radius 0.5 m, on cells of 0.5 m.
field = fw.load("gallery:field")
grid = fw.roadmap.grid(field, resolution=0.5, radius=0.5)
small = fw.roadmap.rrm(field, resolution=0.5, radius=0.5)
cycles = fw.roadmap.rrm_star(small)  # with useful cycles
clear = fw.roadmap.retract(cycles)  # and retracted to the medial axis
print(f"small roadmap: {fw.roadmap.verify(small)}")
for roadmap in (grid, small, cycles, clear):
    factor = fw.roadmap.shortest_path_factor(roadmap).factor
    print(f"{roadmap.method}: {roadmap.n_nodes} nodes, {roadmap.n_edges} edges, SPF {factor:.3f}")
for roadmap in (cycles, clear):
    least, average, most = fw.roadmap.clearance_statistics(roadmap)
    print(f"{roadmap.method}: clearance {least:.2f} to {most:.2f} m, {average:.2f} m on average")
print(f"a query needs no collision check in {fw.roadmap.coverage(clear):.0%} of the free space")

# With clearance attached it is a corridor map: paths, walks and crowds as on any map.
cmap = fw.CorridorMap.from_roadmap(clear)
path = cmap.path((2, 3), (44, 44), radius=0.5)
walk = fw.follow.cmm(cmap.corridor((2, 3), (44, 44), radius=0.5), shortcut=0.1)
print(f"path along the roadmap: {path.length:.1f} m; a walk: {walk.length:.1f} m")
crowd = fw.Crowd(cmap, seed=1)
crowd.add(100, radius=0.25)
crowd.step(100)
print(f"{len(crowd)} characters on the roadmap after {crowd.time:.0f} s")

# What a level designer does to it.
editor = fw.roadmap.Editor(clear)
try:
    editor.add_edge(0, clear.n_nodes - 1)
except fw.BadInput as error:
    print(error)
editor.set_weight(0, 3.0)  # not forbidden, but as if three times as long
editor.add_fake_obstacle([(20, 20), (26, 20), (26, 26), (20, 26)])  # nobody goes here
editor.undo()
editor.roadmap.save(out / "field.fwmap")

# In three dimensions, for a box of 3 x 3 x 3 m.
house = fw.load("gallery:house")
rooms = fw.roadmap.rrrm(house, size=(3, 3, 3))
smap = fw.CorridorMap.from_roadmap(rooms)
route = smap.path((8, 6, 5), (48, 30, 15))
print(f"up the stairs: {route.length:.1f} m, to a height of {route.points[-1, 2]:g} m")

plot.save_picture(plot.draw_roadmap(clear, environment=field), out / "field.png")
plot.save_picture(plot.draw_roadmap(rooms, environment=house, path=route), out / "house.png")
print(f"wrote {out / 'field.png'}, {out / 'house.png'}, {out / 'field.fwmap'}")
