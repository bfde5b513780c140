"""The clearance of a course is a lower bound, also between the places where it is measured."""

from __future__ import annotations

import numpy as np
import pytest

import footway as fw
from footway.camera.course import Course, course_of_points
from footway.camera.measuring import course_clearance


def test_of_an_arc_with_a_wall_outside():
    """Chords of an arc lie inside: their distance to that wall is too large."""
    first, last, radius = -0.3, 0.3007, 2.0
    out, along = np.array([np.cos(first), np.sin(first)]), np.array([-np.sin(first), np.cos(first)])
    end = radius * np.array([np.cos(last), np.sin(last)])
    course = Course(
        starts=(5 + radius * out)[None],
        tangents=along[None],
        normals=-out[None],
        curvatures=np.array([1 / radius]),
        lengths=np.array([radius * (last - first)]),
        goal=5 + end,
        halts=np.zeros(2, bool),
    )
    cmap = fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 10, 10)))
    clearance = course_clearance(course, cmap)
    assert clearance <= 3.0
    assert clearance == pytest.approx(3.0, abs=2e-6)


def test_of_a_line_in_space_between_two_samples():
    class Post:
        """A point 3 mm beside the line, half-way between two samples."""

        def clearance(self, places):
            return np.linalg.norm(places - (0.505, 0.003, 0.0), axis=1)

    course = course_of_points(np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)]))
    assert 0.0 < course_clearance(course, Post()) <= 0.003
