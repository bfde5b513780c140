"""A crowd with goals, wanderers and a group in one city, and a summary of the run."""

import footway as fw

cmap = fw.CorridorMap.build(fw.load("gallery:city"))
crowd = fw.Crowd(cmap, seed=7)
crowd.add(2_000, radius=0.25, speed=1.2, behaviour="goals")
crowd.add(500, behaviour="wander", profile=fw.Profile(radius=0.2, speed=(1.0, 0.2), noise=0.3))
group = crowd.add_group(20, start=(245, 240), width=3, group_area=40)
crowd.add_obstacle((240, 245), 2.0, appears=10, vanishes=25)

recording = crowd.run(seconds=30, every=5)

print(f"{len(crowd)} characters walked for {crowd.time:.0f} s; {crowd.arrivals} goals were reached")
print(f"the group is {group.dispersion.longitudinal:.1f} m long, {len(crowd.stuck)} are stuck")
print(f"{recording.n_frames} frames; nobody came closer to a wall than its radius:")
print(bool((cmap.clearance(crowd.positions) >= crowd.radii - 1e-6).all()))
