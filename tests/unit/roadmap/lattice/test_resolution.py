"""The default size of cells, and the passages that cells close."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import label

import footway as fw
from footway.roadmap.lattice import resolution


def two_rooms(door: float, *, at: float = 3.1, wall: float = 0.2) -> fw.Environment:
    """Two rooms of 8 x 16 m with one door in the wall between them."""
    sides = ((8.0, 0.0, 8.0 + wall, at), (8.0, at + door, 8.0 + wall, 16.0))
    walls = [[(x, y), (u, y), (u, v), (x, v)] for x, y, u, v in sides]
    return fw.Environment.from_polygons(bounds=(0, 0, 16.2, 16), obstacles=walls)


class TestDefault:
    @pytest.mark.parametrize("door", [0.8, 0.9, 1.0, 1.2])
    @pytest.mark.parametrize("at", [3.1, 4.33, 7.77])
    def test_doors_stay_open(self, door, at):
        made = fw.roadmap.rrm(two_rooms(door, at=at), radius=0.25)
        assert (made.n_components, made.closed) == (1, ())

    def test_a_wide_map_keeps_the_usual_size(self):
        assert resolution.make_lattice(two_rooms(3.0)).space.resolution == 0.5

    def test_it_is_the_coarsest_of_the_series(self):
        env = two_rooms(0.8)
        step = resolution.make_lattice(env).space.resolution
        tried = [0.5, 0.35, 0.24, 0.17, 0.12]
        assert step in tried
        for coarser in tried[: tried.index(step)]:
            assert resolution.make_lattice(env, resolution=coarser).closed

    def test_it_stops_where_memory_ends(self, monkeypatch):
        monkeypatch.setattr(resolution, "MOST_CELLS", 16.2 * 16 / 0.3**2)
        lattice = resolution.make_lattice(two_rooms(0.6))
        assert lattice.space.resolution == 0.5  # 0.3 m would not open the door either
        assert len(lattice.closed) == 1

    def test_the_office_does_not_fall_apart(self):
        env = fw.load("gallery:office")
        lattice = resolution.make_lattice(env, radius=0.25)
        _, parts = label(lattice.space.free[0], np.ones((3, 3)))
        assert parts == 1
        assert [round(passage.width, 2) for passage in lattice.closed] == [0.6]


class TestClosed:
    def test_a_closed_door_has_a_place_and_a_width(self):
        (closed,) = resolution.make_lattice(two_rooms(0.8), resolution=0.5).closed
        assert closed.width == pytest.approx(0.8)
        assert 8.0 <= closed.at[0] <= 8.2
        assert closed.at[1] == pytest.approx(3.5, abs=0.01)

    def test_a_door_that_is_too_narrow_for_the_disc_is_not_a_passage(self):
        assert resolution.make_lattice(two_rooms(0.45), resolution=0.5, radius=0.25).closed == ()

    def test_an_exact_fit_is_closed_at_every_size(self):
        assert (
            len(resolution.make_lattice(two_rooms(0.5), resolution=0.05, radius=0.25).closed) == 1
        )

    @pytest.mark.parametrize("seed", range(6))
    def test_rooms_are_joined_as_free_cells_join_them(self, seed):
        """Many rooms in a row, with random doors: a closed door is one that splits the cells."""
        random = np.random.default_rng(seed)
        sides = []
        for x in np.arange(4.0, 24.0, 4.0):
            at, door = random.uniform(0.5, 6.0), random.uniform(0.55, 1.6)
            sides += [(x, 0.0, x + 0.2, at), (x, at + door, x + 0.2, 8.0)]
        walls = [[(x, y), (u, y), (u, v), (x, v)] for x, y, u, v in sides]
        env = fw.Environment.from_polygons(bounds=(0, 0, 24, 8), obstacles=walls)
        for step in (0.5, 0.3, 0.2):
            lattice = resolution.make_lattice(env, resolution=step, radius=0.25)
            _, parts = label(lattice.space.free[0], np.ones((3, 3)))
            assert len(lattice.closed) == parts - 1

    def test_it_is_saved(self, tmp_path):
        made = fw.roadmap.rrm(two_rooms(0.8), resolution=0.5)
        made.save(tmp_path / "rooms.fwmap")
        assert fw.Roadmap.load(tmp_path / "rooms.fwmap").closed == made.closed != ()
        for later in (fw.roadmap.rrm_star(made), fw.roadmap.rrrm(made)):
            assert later.closed == made.closed


class TestVolume:
    def halls(self, width: int) -> fw.Volume:
        """Two halls with a tunnel of this width between them."""
        solid = np.zeros((12, 12, 30), bool)
        solid[:, :, 14:16] = True
        solid[5 : 5 + width, 5 : 5 + width, 14:16] = False
        return fw.Volume(solid, resolution=1.0)

    @pytest.mark.parametrize("moving", [{"radius": 0.5}, {"size": (1, 1, 1)}])
    def test_a_tunnel_of_one_voxel_is_closed(self, moving):
        (closed,) = resolution.make_lattice(self.halls(1), **moving).closed
        assert closed.width is None
        assert 14.0 <= closed.at[0] <= 16.0
        assert closed.at[1:] == (5.5, 5.5)
        assert resolution.make_lattice(self.halls(3), **moving).closed == ()

    def test_a_tunnel_that_is_too_narrow_is_not_a_passage(self):
        assert resolution.make_lattice(self.halls(1), radius=0.6).closed == ()
        assert (
            resolution.make_lattice(self.halls(1), size=(1.2, 1, 1)).closed != ()
        )  # it fits along x
        assert resolution.make_lattice(self.halls(1), size=(1, 1.2, 1)).closed == ()

    @pytest.mark.parametrize("radius", [0.3, 0.8, 1.0, 1.7, 2.5])
    def test_centres_at_which_a_ball_fits(self, radius):
        random = np.random.default_rng(4)
        volume = fw.Volume(random.random((12, 10, 11)) < 0.001, resolution=1.0)
        space = resolution.make_lattice(volume, radius=radius).space
        fits = resolution._fits_at_centres(volume, space)
        around = np.pad(volume.solid, 4, constant_values=True)
        low = np.argwhere(around)[:, ::-1] - 4
        for k, j, i in np.ndindex(fits.shape):
            centre = np.array((i, j, k)) + 0.5
            away = np.linalg.norm(np.maximum(np.maximum(low - centre, centre - low - 1), 0), axis=1)
            assert fits[k, j, i] == (away.min() >= radius - 1e-6)
