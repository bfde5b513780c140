"""A local model of your own: NumPy over all pairs of neighbours, and the same compiled by Numba."""

import time

import numba
import numpy as np
from numpy.typing import NDArray

import footway as fw
from footway.crowd.models import Neighbours, UserModel


def repel(n: Neighbours) -> NDArray[np.float64]:
    """Push characters apart by exp(-gap / 0.3 m), m/s2: one line per idea, all pairs at once."""
    push = 3.0 * np.exp(-n.gaps / 0.3)
    x = np.bincount(n.character, push * n.normals[:, 0], len(n.ids))
    y = np.bincount(n.character, push * n.normals[:, 1], len(n.ids))
    return np.column_stack([x, y])


@numba.njit
def repel_compiled(n: Neighbours) -> NDArray[np.float64]:
    """Do the same, one character after the other; only this function is compiled."""
    force = np.zeros((len(n.ids), 2))
    for i in range(len(n.ids)):
        for m in range(n.first[i], n.first[i + 1]):
            push = 3.0 * np.exp(-n.gaps[m] / 0.3)
            force[i, 0] += push * n.normals[m, 0]
            force[i, 1] += push * n.normals[m, 1]
    return force


cmap = fw.CorridorMap.build(fw.load("gallery:office"))
for name, model in {
    "social force": "social_force",
    "NumPy": UserModel(repel, gives="acceleration"),
    "Numba": UserModel(repel_compiled, gives="acceleration"),
}.items():
    crowd = fw.Crowd(cmap, seed=7, model=model)
    crowd.add(300, radius=0.2)
    crowd.step()  # compiles
    began = time.perf_counter()
    crowd.step(100)
    per_step = 10.0 * (time.perf_counter() - began)
    pace = np.hypot(*crowd.velocities.T).mean()
    in_walls = bool((cmap.clearance(crowd.positions) < crowd.radii - 1e-6).any())
    print(f"{name:12} {per_step:6.2f} ms per step, mean speed {pace:.2f} m/s, in walls: {in_walls}")
