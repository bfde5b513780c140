"""Custom behaviour: a NumPy function, called before every step, adds forces and changes goals.

Half of the characters on a square flee from a loud noise; those that are far enough away turn back.
"""

import numpy as np

import footway as fw

env = fw.Environment.from_polygons(bounds=(0, 0, 60, 40))
crowd = fw.Crowd(fw.CorridorMap.build(env), seed=1)
crowd.add(200, area=[(20, 10), (40, 10), (40, 30), (20, 30)], speed=1.4)
noise, turned = np.array([30.0, 20.0]), set()


def flee(crowd: fw.Crowd) -> np.ndarray | None:
    """Accelerations away from the noise, m/s2 (n, 2), during the first five seconds."""
    away = crowd.positions - noise
    distance = np.hypot(*away.T)
    far = crowd.ids[(distance > 15.0) & (crowd.ids % 2 == 0)]
    back = np.array([i for i in far if i not in turned], dtype=int)
    if len(back):
        crowd.set_goals(back, np.tile(noise, (len(back), 1)))
        turned.update(back.tolist())
    if crowd.time > 5.0:
        return None
    strength = 6.0 * np.exp(-distance / 10.0) * (crowd.ids % 2 == 0)
    return away * (strength / np.maximum(distance, 0.1))[:, None]


crowd.each_step(flee)
before = np.hypot(*(crowd.positions - noise).T)[crowd.ids % 2 == 0].mean()
crowd.step(50)
after = np.hypot(*(crowd.positions - noise).T)[crowd.ids % 2 == 0].mean()
crowd.step(200)
print(f"those who heard it were {before:.1f} m from the noise, and {after:.1f} m after 5 s")
print(f"{len(turned)} of them turned back to have a look")
