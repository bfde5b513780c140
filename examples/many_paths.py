"""A thousand paths on all cores, and the clearance of a hundred thousand points."""

import numpy as np

import footway as fw

cmap = fw.CorridorMap.build(fw.load("gallery:mckenna"))
rng = np.random.default_rng(7)
points = rng.uniform(0, 200, (100_000, 2))
free = points[cmap.clearance(points) > 0.3]
paths = cmap.paths(free[:1000], free[1000:2000], radius=0.3)
lengths = [path.length for path in paths if path is not None]
print(f"{len(lengths)} paths, {np.mean(lengths):.1f} m on average")
