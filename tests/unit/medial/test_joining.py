"""Axes of sheets that are joined along seams, where walls leave a seam's end at a small angle."""

import numpy as np
import pytest
import shapely

import footway as fw
from footway.environment.surface import Seam, Sheet
from footway.environment.walls import Walls, segments_of
from footway.medial.joining import joined_axis

THIN = [  # the wall from (0.075, 4.514) leaves the strip behind the first seam after 12 micrometres
    [(0, 20), (0, 4.513), (0.075, 4.514)],
    [(0, 20), (0.075, 4.514), (20, 20)],
    [(0.075, 4.514), (20, 0), (20, 20)],
    [(0.075, 4.514), (0.127, 1.506), (20, 0)],
    [(20, 0), (0.127, 1.506), (0, 0)],
    [(0, 0), (0.127, 1.506), (0, 1.503)],
]
SPIRAL = [  # the second seam leads back to the sheet of the first one, at an angle of 1.5 mrad
    [(0, 20), (0.885, 7.196), (0.905, 7.203)],
    [(0, 20), (0, 0), (20, 0), (20, 20), (0, 20), (0.905, 7.203), (7.139, 2.491), (0.885, 7.196)],
]


def joined(rings):
    """Glue polygons along their common sides."""
    faces = [shapely.orient_polygons(shapely.Polygon(ring)) for ring in rings]
    sides = [segments_of(shapely.get_rings(face)) for face in faces]
    owner = {tuple(side): k for k, some in enumerate(sides) for side in some.tolist()}
    back = {side: owner.get((*side[2:], *side[:2])) for side in owner}
    sheets = [
        Sheet(f"sheet {k}", shapely.MultiPolygon([face]), Walls(
            np.array([s for s in some.tolist() if back[tuple(s)] is None]).reshape(-1, 4),
            np.zeros(sum(back[tuple(s)] is None for s in some.tolist()), bool), np.empty((0, 2))))
        for k, (face, some) in enumerate(zip(faces, sides, strict=True))
    ]  # fmt: skip
    seams = [Seam(k, back[side], side) for side, k in owner.items() if (back[side] or 0) > k]
    return joined_axis(sheets, seams), shapely.union_all(faces)


@pytest.mark.parametrize("rings", [THIN, SPIRAL], ids=["thin", "spiral"])
def test_walls_that_leave_a_seam_at_a_small_angle(rings):
    surface, plan = joined(rings)
    flat = fw.CorridorMap.build(fw.Environment.from_polygons(plan))
    assert surface.axis.piece_length.sum() == pytest.approx(flat.edge_length.sum(), abs=1e-5)
