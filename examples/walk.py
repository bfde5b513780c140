"""From a map to walking characters: shortcuts, lanes, noise and dynamic obstacles."""

from pathlib import Path

import footway as fw
from footway import plot

env = fw.load("gallery:field")
cmap = fw.CorridorMap.build(env)
corridor = cmap.corridor((2, 3), (44, 44), radius=0.3)
print(f"corridor: {corridor.length:.1f} m, {corridor.narrowest:.2f} m at its narrowest")

walk = fw.follow.cmm(corridor, speed=1.4)
print(f"walk: {walk.length:.1f} m in {walk.duration:.1f} s, {walk.clearance:.2f} m from walls")
print(f"{len(walk.points)} positions, velocities and times, one every {walk.step} s")

short = fw.follow.cmm(corridor, speed=1.4, shortcut=0.1)
print(f"with shortcuts: {short.length:.1f} m in {short.duration:.1f} s")

for name, lane in (("left", 0.8), ("right", -0.8)):
    walk = fw.follow.cmm(corridor, speed=1.4, lane=lane)
    print(f"in a lane on the {name}: {walk.length:.1f} m, {walk.clearance:.2f} m from walls")

varied = fw.follow.variations(corridor, 20, seed=7, noise=0.5)
print(f"{len(varied.walks)} varied walks take up {varied.diversity:.0%} of the corridor's width")

people = [
    fw.follow.Disc(at=(12.5, 20.5), radius=0.5, name="the guide"),
    fw.follow.Disc(at=(38, 36), radius=0.5, velocity=(-0.4, -0.3), name="a jogger"),
]
for method in ("forces", "corridor"):
    walk = fw.follow.cmm(corridor, speed=1.4, obstacles=people, avoid=method)
    print(f"around people by {method}: {walk.length:.1f} m, {walk.gap:.2f} m between them and us")

file = Path("out") / "walk.png"
file.parent.mkdir(exist_ok=True)
plot.save_picture(plot.draw_walk(cmap, walk, environment=env), file)
print(f"wrote {file}")

# An obstacle that fills the whole passage blocks it; the error names it.
gate = fw.follow.Disc(at=(24, 26.5), radius=2.0, name="a closed gate")
try:
    fw.follow.cmm(corridor, obstacles=[gate])
except fw.NoPath as no:
    print(no)
