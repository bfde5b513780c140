"""Which wheelchair, trolley or robot gets through? The widest disc from here to there."""

import footway as fw

cmap = fw.CorridorMap.build(fw.load("gallery:office"))
start, goal = (40.0, 20.0), (61.0, 60.0)
pinch = cmap.bottleneck(start, goal)
print(f"{pinch.width:.2f} m wide at ({pinch.at[0]:.1f}, {pinch.at[1]:.1f})")

cmap.path(start, goal, radius=pinch.radius)  # fits exactly
try:
    cmap.path(start, goal, radius=pinch.radius + 0.01)
except fw.NoPath as no:
    print(no)
