"""A camera through the office: a tour with stops, its speed, and a scene for Blender."""

from pathlib import Path

import footway as fw
from footway import plot
from footway.plot.camera_files import save_camera

out = Path("out")
out.mkdir(exist_ok=True)

# Smooth paths in the middle of all passages: lines, and an arc for every turn.
office = fw.load("gallery:office")
roadmap = fw.roadmap.voronoi_prm(office, radius=0.25)
cmap = fw.CorridorMap.from_roadmap(roadmap)
print(f"roadmap: {roadmap.n_nodes} vertices, {roadmap.n_edges} edges")

stops = [
    (10, 20),
    fw.camera.Stop((40, 52), dwell=3, look_at=(45, 50, 1.0)),
    (59, 61),
    (40, 30),
]
tour = fw.camera.tour(cmap, stops)
print(f"tour: {tour.length:.1f} m in {tour.duration:.1f} s, {tour.clearance:.2f} m from walls")
for stop, arrival, departure in zip(tour.stops, tour.arrivals, tour.departures, strict=True):
    print(f"  at {stop.at} after {arrival:.1f} s, for {departure - arrival:.1f} s")

best = fw.camera.tour(cmap, stops, order="optimised")
print(f"in the order {best.order}: {best.length:.1f} m")

# On the roadmap it keeps to the middle of passages; the shortest path goes close to corners.
for name, source in (("roadmap", cmap), ("shortest", fw.CorridorMap.build(office))):
    shot = fw.camera.motion(source.path((10, 20), (59, 61), radius=0.25))
    clearance = source.clearance(shot.positions[:, :2]).mean()
    print(f"{name}: {shot.length:.1f} m in {shot.duration:.1f} s, {clearance:.2f} m from walls")

save_camera(tour, out / "tour.csv")
save_camera(tour, out / "tour.glb", environment=office)
plot.save_picture(plot.draw_camera(cmap, tour, environment=office), out / "tour.png")
print(f"wrote {out / 'tour.csv'}, {out / 'tour.glb'}, {out / 'tour.png'}")
