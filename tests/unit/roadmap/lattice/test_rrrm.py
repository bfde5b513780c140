"""Local paths on the medial axis."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from footway.environment import Environment, gallery
from footway.errors import BadInput
from footway.roadmap import Editor, Roadmap
from footway.roadmap.lattice.rrm_star import rrm_star
from footway.roadmap.lattice.rrrm import retract, rrrm
from footway.roadmap.lattice.space import make_space, space_of_cells
from footway.roadmap.measures import clearance_statistics

HALL = Environment.from_polygons(bounds=(0, 0, 20, 10))


def straight(ends: list[tuple[float, ...]], environment: Environment = HALL) -> Roadmap:
    space = make_space(environment, resolution=0.5, radius=0.25)
    return Roadmap.make(ends, [(0, 1)], space, method="rrm")


def turns(path: np.ndarray) -> np.ndarray:
    """Angles between one piece and the next, degrees."""
    along = np.diff(path, axis=0)
    along /= np.linalg.norm(along, axis=1)[:, None]
    return np.degrees(np.arccos(np.clip((along[1:] * along[:-1]).sum(axis=1), -1, 1)))


class TestInTwoDimensions:
    def test_a_path_along_a_wall_goes_to_the_middle(self):
        path = retract(straight([(2, 2), (18, 2)])).path_of(0)
        middle = path[(path[:, 0] > 6) & (path[:, 0] < 14)]
        assert np.abs(middle[:, 1] - 5).max() < 0.06

    def test_ends_stay(self):
        path = retract(straight([(2, 2), (18, 2)])).path_of(0)
        assert path[[0, -1]].tolist() == [[2, 2], [18, 2]]

    def test_consecutive_configurations_are_within_a_step(self):
        path = retract(straight([(2, 2), (18, 2)])).path_of(0)
        assert np.linalg.norm(np.diff(path, axis=0), axis=1).max() <= 0.75

    def test_a_path_on_the_axis_stays(self):
        path = retract(straight([(6, 5), (14, 5)])).path_of(0)
        assert np.abs(path[:, 1] - 5).max() < 0.01

    def test_branches_into_corners_are_cut(self):
        """Past a niche in the wall the axis has a branch into it."""
        niche = shapely.box(0, 0, 30, 10).union(shapely.box(13, -4, 17, 0))
        environment = Environment.from_polygons(niche)
        path = retract(straight([(5, 5), (25, 5)], environment)).path_of(0)
        assert path[:, 1].min() > 2.5
        assert np.linalg.norm(np.diff(path, axis=0), axis=1).sum() < 23

    def test_it_looks_smooth(self):
        made = rrrm(gallery.make("field"), resolution=0.5, radius=0.5)
        bends = np.concatenate([turns(made.path_of(e)) for e in range(made.n_edges)])
        assert np.median(bends) < 5
        assert np.percentile(bends, 95) < 40

    def test_a_curved_path_is_retracted_too(self):
        bent = straight([(2, 2), (18, 2)])
        bent = bent.with_changes(
            path_points=np.array([(2.0, 2.0), (10.0, 1.0), (18.0, 2.0)]),
            path_offsets=np.array([0, 3]),
        )
        assert retract(bent).path_of(0)[:, 1].max() == pytest.approx(5, abs=0.06)


class TestInThreeDimensions:
    def test_a_path_near_the_floor_of_a_beam_goes_to_the_axis(self):
        """The axis of a beam holds the planes that halve its edges: there are two floors."""
        space = space_of_cells(np.ones((8, 8, 24), bool))
        beam = Roadmap.make([(4, 3, 1), (20, 3, 1)], [(0, 1)], space, method="rrm")
        path = retract(beam).path_of(0)
        middle = path[(path[:, 0] > 8) & (path[:, 0] < 16)]
        assert np.abs(middle[:, 1:] - 3).max() < 0.2

    def test_a_path_that_touches_a_wall_leaves_it(self):
        space = space_of_cells(np.ones((6, 6, 20), bool))
        along = Roadmap.make([(3, 0, 3), (17, 0, 3)], [(0, 1)], space, method="rrm")
        path = retract(along).path_of(0)
        assert path[len(path) // 2, 1] == pytest.approx(3, abs=0.2)

    def test_clearance_grows_in_the_house(self):
        straight_house = rrm_star(gallery.make("house"), size=(3, 3, 3))
        before = clearance_statistics(straight_house)
        after = clearance_statistics(retract(straight_house))
        assert after.average > before.average + 0.3
        assert after.least >= before.least
        assert after.most >= before.most


class TestRoadmap:
    def test_everything_else_is_kept(self):
        before = rrm_star(gallery.make("field"), resolution=1.0, radius=0.5)
        before = before.with_changes(weights=np.full(before.n_edges, 2.0))
        seen: list[tuple[int, int]] = []
        after = retract(before, progress=lambda done, total: seen.append((done, total)))
        assert after.method == "rrrm"
        assert after.nodes.tolist() == before.nodes.tolist()
        assert after.edges.tolist() == before.edges.tolist()
        assert after.weights.tolist() == before.weights.tolist()
        assert after.name == "gallery:field"
        assert after.parameters == before.parameters
        assert "retraction" in after.seconds
        assert seen[-1] == (before.n_edges, before.n_edges)

    def test_rrrm_of_an_rrm_star_is_its_retraction(self):
        before = rrm_star(gallery.make("field"), resolution=1.0, radius=0.5)
        assert rrrm(before).path_points.tolist() == retract(before).path_points.tolist()

    @pytest.mark.parametrize(
        "other", [{"resolution": 0.5}, {"radius": 0.3}, {"size": (1, 1, 1)}, {"usefulness": 3.0}]
    )
    def test_rrrm_refuses_other_parameters_than_those_of_its_rrm_star(self, other):
        before = rrm_star(gallery.make("field"), resolution=1.0, radius=0.5)
        with pytest.raises(BadInput, match=f"the {next(iter(other))} is .* leave it out"):
            rrrm(before, **other)
        assert rrrm(before, resolution=1.0, radius=0.5, usefulness=1.5).n_edges == before.n_edges

    def test_a_roadmap_without_edges(self):
        space = space_of_cells(np.ones((4, 4), bool))
        alone = Roadmap.make([(2, 2)], np.empty((0, 2), int), space, method="rrm")
        assert retract(alone).n_edges == 0

    def test_fake_obstacles_are_refused(self):
        editor = Editor(straight([(2, 5), (18, 5)]))
        editor.add_fake_obstacle([(9, 1), (11, 1), (11, 2), (9, 2)])
        with pytest.raises(BadInput, match="retract it first"):
            retract(editor.roadmap)
