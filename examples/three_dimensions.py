"""The same follower in three dimensions: up a helix of balls, as a drone or a fish would."""

import numpy as np

import footway as fw

angle = np.linspace(0.0, 6.0 * np.pi, 600)  # three turns
centres = np.column_stack([8.0 * np.cos(angle), 8.0 * np.sin(angle), 1.5 * angle])
radii = 2.0 + 0.8 * np.sin(3.0 * angle)  # m, R[t]
corridor = fw.Corridor.from_balls(centres, radii, radius=0.4)
print(f"corridor: {corridor.length:.1f} m, {corridor.narrowest:.2f} m at its narrowest")

for shortcut in (0.0, 0.05, 1.0):
    walk = fw.follow.cmm(corridor, speed=2.0, shortcut=shortcut)
    x, y, z = walk.points[-1]
    print(
        f"shortcut {shortcut:g}: {walk.length:.1f} m in {walk.duration:.1f} s, "
        f"arrives at ({x:.1f}, {y:.1f}, {z:.1f}), clearance {walk.clearance:.2f} m"
    )

# Each point is inside some ball by at least the radius: the invariant of the method.
depth = radii - np.linalg.norm(walk.points[:, None] - centres, axis=2)
print(f"deepest in a ball, at worst: {depth.max(axis=1).min():.3f} m; the radius is 0.4 m")
