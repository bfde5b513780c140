"""Custom forces: wind from the north, and shop windows that attract passers-by."""

import numpy as np

import footway as fw

env = fw.Environment.from_polygons(bounds=(-10, 0, 70, 10))  # a street, 10 m wide
corridor = fw.CorridorMap.build(env).corridor((0, 5), (60, 5), radius=0.25)
windows = np.array([(15.0, 10.0), (40.0, 10.0)])


def wind(moment: fw.follow.Moment) -> np.ndarray:
    """Blow to the south, in gusts: a force in units of the attraction to the backbone."""
    return np.array([0.0, -0.3 * (1.0 + np.sin(moment.time))])


def shop_windows(moment: fw.follow.Moment) -> np.ndarray:
    """Draw towards each window that is within 10 m, more the nearer it is."""
    away = windows - moment.position
    distance = np.hypot(*away.T)
    pull = 1.2 * np.maximum(0.0, 1.0 - distance / 10.0)
    return (pull[:, None] * away / distance[:, None]).sum(axis=0)


for name, forces in (
    ("no force of my own", []),
    ("wind", [wind]),
    ("shop windows", [shop_windows]),
    ("both", [wind, shop_windows]),
):
    walk = fw.follow.cmm(corridor, forces=forces)
    y = walk.points[:, 1]
    print(
        f"{name:>18}: {walk.length:.2f} m, y from {y.min():.2f} to {y.max():.2f} m, "
        f"{walk.clearance:.2f} m from walls"
    )


def storm(moment: fw.follow.Moment) -> np.ndarray:
    """Blow fifty times as hard as the attraction, for ten seconds."""
    return np.array([0.0, -50.0 if 10.0 < moment.time < 20.0 else 0.0])


walk = fw.follow.cmm(corridor, forces=[storm])
print(f"{'storm':>18}: {walk.clearance:.2f} m from walls, and arrives after {walk.duration:.1f} s")
