"""Compute the exact medial axis of an Environment from its walls.

    Walls --voronoi.diagram--> Diagram --axis.medial_axis--> MedialAxis

The axis is the explicit corridor map of miran-2013, section 2: a graph whose edges are chains of
line and parabola pieces, with the clearance and the nearest obstacle point on either side known in
closed form at every event point and between them.
"""

from footway.medial.axis import MedialAxis, medial_axis

__all__ = ["MedialAxis", "medial_axis"]
