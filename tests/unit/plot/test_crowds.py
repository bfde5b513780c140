import sys
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.collections import EllipseCollection, LineCollection
from matplotlib.patches import Circle, Rectangle
from PIL import Image, ImageDraw

import footway as fw
from footway import plot
from footway.plot.animation import Painter, _planned
from footway.plot.crowds import mean_density
from footway.plot.people import People, busiest, colours_of, new_page, people_colours, trails_of
from footway.recording.recording import Recorder
from tests.unit.plot.conftest import texts


@pytest.fixture(scope="module")
def room():
    return fw.CorridorMap.build(fw.Environment.from_polygons(bounds=(0, 0, 10, 8), name="room"))


@pytest.fixture
def canvas(room):
    canvas = new_page(room, np.empty((0, 2)), environment=None, details="")[0]
    canvas.figure.set_dpi(100)
    return canvas


@pytest.fixture(scope="module")
def people(cmap):
    """Positions and velocities of 400 characters in the town, half of them in one square."""
    rng = np.random.default_rng(5)
    places = np.vstack([rng.uniform(0, 200, (200, 2)), rng.uniform(90, 115, (200, 2))])
    return places, rng.normal(0, 1, (400, 2))


@pytest.fixture(scope="module")
def recording(people):
    """40 frames in which people walk on, and number 399 leaves at half time."""
    return walked(*people, frames=40, names=("left", "right"))


def walked(places, velocities, *, frames, names=("all",), radius=0.25):
    recorder = Recorder(step=0.1, seed=0, map_name="town", names=names)
    ids = np.arange(len(places))
    recorder.add_characters(ids, radius, ids % len(names))
    for k in range(frames):
        here = ids[:-1] if len(ids) > 1 and k > frames // 2 else ids
        at = places + 0.1 * k * velocities
        recorder.add_frame(k, 0.1 * k, here, at[here], velocities[here])
    return recorder.close()


def discs(axes):
    return [c for c in axes.collections if isinstance(c, EllipseCollection)]


class TestMoment:
    def test_everybody_is_drawn(self, cmap, people, env, tmp_path):
        figure = plot.draw_crowd(cmap, people[0], environment=env, details="at noon")
        (drawn,) = discs(figure.axes[0])
        inside = (people[0] > 0).all(axis=1) & (people[0] < 200).all(axis=1)
        assert len(drawn.get_offsets()) == inside.sum()
        assert "400 characters  ·  at noon" in texts(figure)
        plot.save_picture(figure, tmp_path / "crowd.png")

    def test_the_lens_shows_the_busiest_place(self, cmap, people):
        figure = plot.draw_crowd(cmap, *people[:1], velocities=people[1])
        lens = figure.axes[2]
        (x0, x1), (y0, y1) = lens.get_xlim(), lens.get_ylim()
        assert x1 - x0 == y1 - y0 == 30.0
        assert 80 < x0 < 95
        assert 80 < y0 < 95
        (drawn,) = discs(lens)
        assert len(drawn.get_offsets()) > 150

    def test_lines_lead_to_the_lens(self, cmap, people):
        axes = plot.draw_crowd(cmap, people[0]).axes[0]
        (frame,) = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
        corners = {tuple(np.round(corner, 6)) for corner in frame.get_corners()}
        begins = [tuple(np.round(line.get_xydata()[0], 6)) for line in axes.lines[-2:]]
        assert len(set(begins) & corners) == 2

    @pytest.mark.parametrize(
        ("lens", "maps"), [("none", 0), ((95.0, 90.0, 125.0, 110.0), 1), ("busiest", 1)]
    )
    def test_lenses(self, cmap, people, lens, maps):
        figure = plot.draw_crowd(cmap, people[0], lens=lens, populations=np.zeros(400, int))
        assert len([axes for axes in figure.axes if discs(axes)]) == 1 + maps

    def test_a_small_map_needs_no_lens(self, room):
        figure = plot.draw_crowd(room, [(3, 3), (4, 5)], velocities=[(1, 0), (0, 1)])
        assert len([axes for axes in figure.axes if discs(axes)]) == 1

    def test_headings_and_trails(self, room):
        trails = [[(1, 3), (np.nan, np.nan)], [(2, 3), (4, 4)]]
        figure = plot.draw_crowd(room, [(3, 3), (4, 5)], velocities=[(1, 0), (0, 0)], trails=trails)
        lines = [c for c in figure.axes[0].collections if isinstance(c, LineCollection)][1:]
        assert [len(c.get_segments()) for c in lines] == [3, 1]  # who stands has no heading

    def test_people_have_their_size(self, room):
        figure = plot.draw_crowd(room, [(3, 3), (4, 5)], radii=[0.2, 0.3])
        (drawn,) = discs(figure.axes[0])
        assert sorted(drawn.get_widths().tolist()) == pytest.approx([0.4, 0.6])

    @pytest.mark.parametrize("count", [0, 1])
    def test_few_people(self, room, cmap, count, tmp_path):
        for ground in (room, cmap):
            figure = plot.draw_crowd(ground, np.ones((count, 2)), velocities=np.ones((count, 2)))
            drawn = [len(c.get_offsets()) for c in discs(figure.axes[0])]
            assert sum(drawn) == count
            assert f"{count} character{'' if count == 1 else 's'}" in texts(figure)
            plot.save_picture(figure, tmp_path / "few.png")
            assert (tmp_path / "few.png").stat().st_size > 5000

    def test_a_view(self, cmap, people):
        axes = plot.draw_crowd(cmap, people[0], view=(90, 90, 120, 120)).axes[0]
        assert axes.get_xlim() == (90, 120)

    def test_of_a_recording(self, recording, cmap, env):
        figure = plot.draw_moment(cmap, recording, 30, environment=env)
        assert "399 characters  ·  after 3.0 s" in texts(figure)
        names = [text.get_text() for text in figure.legends[0].texts]
        assert names == ["left", "right"]

    def test_a_moment_has_trails_of_the_seconds_before(self, room):
        walk = walked(np.array([(1.0, 1.0), (8.0, 4.0)]), np.array([(1.5, 1), (0, 1)]), frames=30)

        def lines(trail):
            axes = plot.draw_moment(room, walk, 20, trail=trail).axes[0]
            return [c for c in axes.collections if isinstance(c, LineCollection)]

        assert len(lines(1.0)) == len(lines(0.0)) + 1
        ends = np.concatenate([np.array(c.get_segments()).reshape(-1, 2) for c in lines(1.0)[1:2]])
        assert 1.0 + 1.5 * 1.0 <= ends[:, 0].min() < 1.0 + 1.5 * 1.2

    def test_colours(self):
        east, nobody = np.array([[1.0, 0.0]]), np.zeros((1, 2))
        wheel = people_colours("heading")
        assert (colours_of(1, east, None, "heading") == wheel[0]).all()
        assert (colours_of(1, nobody, None, "heading") == wheel[-1]).all()
        assert (colours_of(2, None, np.array([1, 9]), "population")[0] > 0).any()


class TestTrails:
    def test_oldest_first(self, recording, people):
        found = trails_of(recording, 10, 0.5)
        assert found.shape == (5, 400, 2)
        assert np.allclose(found[0], people[0] + 0.5 * people[1])
        assert np.allclose(found[-1], people[0] + 0.9 * people[1])

    def test_present_characters_are_drawn(self, recording):
        assert trails_of(recording, 25, 2.0).shape[1] == 399
        assert not np.isnan(trails_of(recording, 25, 2.0)).any()

    def test_at_most_so_many(self, recording):
        assert len(trails_of(recording, 39, 3.9, most=8)) <= 8
        assert len(trails_of(recording, 0, 2.0)) == 0


class TestObstacles:
    """Dynamic obstacles are drawn where the recording has them."""

    @pytest.fixture
    def blocked(self):
        """An obstacle stands at (7, 6), and a moving one appears in the second half."""
        recorder = Recorder(step=0.1, seed=0, map_name="room", names=("all",))
        recorder.add_characters([0], 0.25, 0)
        for k in range(10):
            discs = [[7, 6, 0, 0, 0.8], [1 + 0.05 * k, 2, 0.5, 0, 0.4]][: 1 + (k >= 5)]
            recorder.add_obstacles(0.1 * k, range(len(discs)), np.array(discs, float))
            recorder.add_frame(k, 0.1 * k, [0], [(5.0, 4.0)], [(0.0, 0.0)])
        return recorder.close()

    def test_in_a_moment(self, room, blocked):
        for frame, count in ((0, 1), (-1, 2)):
            axes = plot.draw_moment(room, blocked, frame).axes[0]
            circles = [patch for patch in axes.patches if isinstance(patch, Circle)]
            assert [patch.center for patch in circles] == [(7, 6), (pytest.approx(1.45), 2)][:count]
            assert [patch.radius for patch in circles] == [0.8, 0.4][:count]

    def test_in_an_animation(self, room, blocked, tmp_path):
        plot.animate(room, blocked, tmp_path / "crowd.gif", size=300, rate=20)
        with Image.open(tmp_path / "crowd.gif") as film:
            pixels = []
            for k in (0, film.n_frames - 1):
                film.seek(k)
                pixels.append(np.array(film.convert("RGB"), int))
        dark = [(one.max(axis=2) < 110) for one in pixels]
        per_metre = 300 * 0.9 / 10
        assert dark[0].sum() > 0.7 * np.pi * (0.8 * per_metre) ** 2
        assert (dark[1] & ~dark[0]).sum() > 0.5 * np.pi * (0.4 * per_metre) ** 2

    def test_larger_than_the_picture(self, canvas):
        height = round(canvas.figure.get_figheight() * 100)
        pixels = np.full((height, 800, 3), 255, np.uint8)
        painter = Painter(canvas, height)
        painter.paint_obstacles(pixels, np.array([[5.0, 4.0, 1e5], [1e6, 1e6, 3.0]]))
        rows, columns = painter.part
        assert (pixels[rows, columns][3:-3, 3:-3] < 255).all()
        assert (pixels[: rows.start] == 255).all()


class TestKey:
    @pytest.mark.parametrize("count", [2, 5, 8, 12])
    def test_does_not_reach_the_clock(self, room, count):
        names = [f"population {k + 1}" for k in range(count)]
        figure = plot.draw_crowd(
            room, np.ones((count, 2)), populations=np.arange(count), names=names
        )
        figure.canvas.draw()
        (key,) = figure.legends
        box, whole = key.get_window_extent(), figure.bbox
        assert box.x1 < 0.45 * whole.width
        assert box.y0 >= 0.0
        assert box.y1 <= figure.axes[0].get_window_extent().y0


class TestDensity:
    def test_persons_per_square_metre(self, room):
        rng = np.random.default_rng(0)
        standing = walked(rng.uniform((0, 0), (10, 8), (4000, 2)), np.zeros((4000, 2)), frames=2)
        density = mean_density(room, standing, 0.5)
        assert density.shape == (20, 16)
        assert density[4:-4, 4:-4].mean() == pytest.approx(50.0, rel=0.05)
        assert density.mean() == pytest.approx(50.0, rel=0.1)

    def test_the_picture(self, recording, cmap, env, tmp_path):
        figure = plot.draw_density(cmap, recording, environment=env)
        assert "persons per m²" in texts(figure)
        (image,) = figure.axes[0].images
        density = mean_density(cmap, recording, 0.5)
        np.testing.assert_allclose(image.get_array(), density.T)
        assert tuple(image.get_extent()) == cmap.bounds[::2] + cmap.bounds[1::2]
        assert image.get_clim() == pytest.approx((0.0, np.quantile(density[density > 0], 0.998)))
        plot.save_picture(figure, tmp_path / "density.png")

    def test_is_that_of_the_free_space(self):
        """Smoothing does not lower the density beside a wall."""
        block = [(5, 0), (10, 0), (10, 8), (5, 8)]
        env = fw.Environment.from_polygons(bounds=(0, 0, 10, 8), obstacles=[block])
        grid = np.stack(np.meshgrid(np.arange(0.05, 5, 0.1), np.arange(0.05, 8, 0.1)), -1)
        standing = walked(grid.reshape(-1, 2), np.zeros((4000, 2)), frames=1)
        density = mean_density(fw.CorridorMap.build(env), standing, 0.5)
        assert density[:10] == pytest.approx(100.0, rel=0.01)

    def test_is_the_mean_over_all_frames(self, room):
        """Everybody leaves at half time."""
        walk = walked(np.full((2, 2), 4.25), np.zeros((2, 2)), frames=10)
        half = replace(walk, offsets=walk.offsets.clip(max=10))
        density = mean_density(room, half, 0.5)
        assert density.sum() * 0.25 == pytest.approx(2 * 5 / 10, rel=1e-3)

    def test_nobody(self, room, tmp_path):
        empty = Recorder(step=0.1, seed=0, map_name="", names=()).close()
        figure = plot.draw_density(room, empty)
        (image,) = figure.axes[0].images
        assert image.get_array().shape == (16, 20)
        assert not image.get_array().any()
        plot.save_picture(figure, tmp_path / "density.png")


class TestBusiest:
    def test_finds_it(self):
        places = np.random.default_rng(1).normal((70, 30), 2.0, (500, 2))
        x0, y0, x1, y1 = busiest(places, (0, 0, 100, 100), 20.0)
        assert (x1 - x0, y1 - y0) == pytest.approx((20.0, 20.0))
        assert ((x0, y0) < places.mean(axis=0) - 1.5).all()
        assert ((x1, y1) > places.mean(axis=0) + 1.5).all()

    @pytest.mark.parametrize("view", [(0, 0, 5, 100), (0, 0, 3, 3), (-5, -5, 500, 7)])
    def test_thin_views(self, view):
        x0, y0, x1, y1 = busiest(np.ones((3, 2)), view, 20.0)
        assert (x1 - x0, y1 - y0) == pytest.approx((20.0, 20.0))
        assert x0 <= 1 <= x1
        assert y0 <= 1 <= y1

    @pytest.mark.parametrize("corner", [(0.2, 0.2), (100.8, 0.2), (0.2, 100.8), (100.8, 100.8)])
    def test_people_at_the_rim_count(self, corner):
        """Also where the view is not a whole number of cells wide."""
        places = np.random.default_rng(1).normal(corner, 0.05, (50, 2))
        x0, y0, x1, y1 = busiest(places, (0, 0, 101, 101), 30.0)
        assert min(x0, y0) >= 0
        assert max(x1, y1) <= 101
        assert ((places >= (x0, y0)) & (places <= (x1, y1))).all()


class TestPainter:
    def painted(self, canvas, at, *, radius=0.25, **more):
        height = round(canvas.figure.get_figheight() * 100)
        pixels = np.zeros((height, 800, 3), np.uint8)
        red = np.tile([1.0, 0.0, 0.0], (len(at), 1))
        someone = People(np.array(at, float), np.full(len(at), radius), red, **more)
        Painter(canvas, height).paint(pixels, someone)
        return pixels

    def test_a_disc_is_where_and_as_large_as_it_should_be(self, canvas):
        red = self.painted(canvas, [(2.0, 6.0)], radius=0.5)[:, :, 0] / 255.0
        x, y = canvas.axes.transData.transform((2.0, 6.0))
        per_metre = canvas.axes.transData.transform((3.0, 6.0))[0] - x
        rows, columns = np.indices(red.shape)
        assert (red * columns).sum() / red.sum() + 0.5 == pytest.approx(x, abs=0.1)
        assert (red * rows).sum() / red.sum() + 0.5 == pytest.approx(len(red) - y, abs=1.0)
        rim = 0.8 * 2 * np.pi * 0.5 * per_metre * 0.7
        assert red.sum() == pytest.approx(np.pi * (0.5 * per_metre) ** 2 + rim, rel=0.05)

    def test_small_people_are_blocks(self, canvas):
        assert (self.painted(canvas, [(2, 6)], radius=0.01)[:, :, 0] == 255).sum() == 4

    def test_a_character_outside_is_not_painted(self, canvas):
        for at in ([(-3.0, 4.0)], [(5.0, 99.0)], [(1e6, -1e6)]):
            assert not self.painted(canvas, at).any()
            assert not self.painted(canvas, at, radius=0.01).any()

    def test_a_character_half_outside_is_painted_in_half(self, canvas):
        x0, y0, x1, y1 = canvas.view
        inside = (self.painted(canvas, [(5.0, 4.0)], radius=0.5)[:, :, 0] > 0).sum()
        for at in ((x0 - 0.01, 4.0), (x1 + 0.01, 4.0), (5.0, y0 - 0.01), (5.0, y1 + 0.01)):
            red = self.painted(canvas, [at], radius=0.5)[:, :, 0] > 0
            assert red.sum() == pytest.approx(0.5 * inside, rel=0.1)

    def test_a_trail_is_a_line(self, canvas):
        """It has no gap between two distant places, and an even width."""
        trail = np.array([[(1.0, 4.0)], [(5.0, 4.0)]])
        pixels = self.painted(canvas, [(9, 4)], radius=0.3, trails=trail)
        painter = Painter(canvas, len(pixels))
        columns = [round(float(painter._places(np.array([(x, 4.0)]))[0, 0])) for x in (1.1, 8.5)]
        row = round(float(painter._places(np.array([(1.0, 4.0)]))[0, 1]))
        line = pixels[row - 1 : row + 2, columns[0] : columns[1]].max(axis=(0, 2))
        assert line.min() > 0
        assert len(np.unique(line)) == 2
        assert line[0] < line[-1]  # fainter behind

    def test_a_trail_that_is_not_known(self, canvas):
        trail = np.full((2, 1, 2), np.nan)
        at = [(5, 4)]
        assert (self.painted(canvas, at, trails=trail) == self.painted(canvas, at)).all()

    def test_nobody(self, canvas):
        assert not self.painted(canvas, np.empty((0, 2))).any()

    def test_a_mark_shows_the_heading(self, canvas):
        pixels = self.painted(canvas, [(5, 4)], radius=0.5, velocities=np.array([[0.0, 1.0]]))
        rows, _ = np.nonzero(pixels[:, :, 1] > 250)
        assert rows.mean() < np.nonzero(pixels[:, :, 0] > 250)[0].mean()


@pytest.mark.parametrize(
    ("there", "frame"),
    [((4, 4, 3, 2), 3), ((4, 4, 3, 1), 1), ((4, 4, 4, 3, 2, 1, 0), 2), ((1, 4, 1), 1), ((0, 0), 1)],
)
def test_the_representative_frame(there, frame):
    """The last frame; if more than half have left by then, the middle of the earlier frames."""
    walk = walked(np.ones((1, 2)), np.zeros((1, 2)), frames=len(there))
    crowded = replace(walk, offsets=np.concatenate([[0], np.cumsum(there)]))
    assert plot.representative_frame(crowded) == frame


def test_the_title(room):
    walk = walked(np.ones((1, 2)), np.ones((1, 2)), frames=2)
    assert "room" in texts(plot.draw_moment(room, walk))
    assert "Lunch" in texts(plot.draw_moment(room, walk, title="Lunch"))
    long = texts(plot.draw_moment(room, walk, title="How long " * 20))
    assert any(words.startswith("How long") and words.endswith("...") for words in long)


def test_the_key_names_standing_characters(room):
    words = texts(plot.draw_moment(room, walked(np.ones((1, 2)), np.ones((1, 2)), frames=2)))
    assert {"walking towards", "● standing"} <= set(words)


class TestAnimation:
    @pytest.mark.parametrize("suffix", [".gif", ".webp", ".GIF"])
    def test_frames_and_pace(self, recording, cmap, env, tmp_path, suffix):
        file = tmp_path / f"crowd{suffix}"
        plot.animate(cmap, recording, file, environment=env, rate=5, size=300)
        with Image.open(file) as film:
            assert film.n_frames == 20
            assert film.size[0] == 300
            film.seek(7)
            film.load()
            pause = film.info["duration"]
        assert pause == pytest.approx(3900 / 20, abs=10)  # at its own pace
        assert list(tmp_path.iterdir()) == [file]

    def test_people_move(self, room, tmp_path):
        file = tmp_path / "crowd.gif"
        places = np.array([(1.0, 1.0), (8.0, 4.0)])
        walk = walked(places, np.array([(1.5, 1.0), (0.0, 0.0)]), frames=30)
        plot.animate(room, walk, file, size=300, lens="none")
        with Image.open(file) as film:
            first = np.array(film.convert("RGB"), int)
            film.seek(film.n_frames - 1)
            last = np.array(film.convert("RGB"), int)
        changed = np.abs(first - last).max(axis=2) > 60
        assert 50 < changed.sum() < 2500

    def test_the_speed(self, recording, cmap, tmp_path):
        file = tmp_path / "crowd.gif"
        plot.animate(cmap, recording, file, speed=3.9, rate=10, size=300)
        with Image.open(file) as film:
            assert film.n_frames == 10
            assert film.info["duration"] == 100

    @pytest.mark.parametrize(
        ("seconds", "speed"), [(5, 1.0), (30, 3.0), (80, 8.0), (300, 8.0), (3600, 90.0)]
    )
    def test_the_speed_if_left_out(self, seconds, speed):
        """Ten seconds for the whole run, at most 8 times real time, and at most 600 frames."""
        walk = walked(np.ones((1, 2)), np.zeros((1, 2)), frames=seconds + 1)
        plan = _planned(replace(walk, times=walk.times * 10), None, 15.0)
        assert plan.speed == pytest.approx(speed)
        assert plan.frames[-1] == seconds
        assert len(plan.frames) <= 600
        assert plan.pause * len(plan.frames) == pytest.approx(seconds / speed)

    def test_it_ends_after_everybody_has_left(self):
        walk = walked(np.ones((1, 2)), np.zeros((1, 2)), frames=101)
        gone = replace(walk, times=walk.times * 10, offsets=walk.offsets.clip(max=21))
        assert _planned(gone, 2.0, 15.0).frames[-1] == 22

    @pytest.mark.parametrize(("seconds", "fits"), [(400.0, True), (400.1, False)])
    def test_there_are_at_most_six_thousand_frames(self, seconds, fits):
        walk = walked(np.ones((1, 2)), np.zeros((1, 2)), frames=2)
        walk = replace(walk, times=np.array([0.0, seconds]))
        if fits:
            assert _planned(walk, 1.0, 15.0).speed == 1.0
        else:
            with pytest.raises(fw.BadInput, match="are 6,002 frames; give a speed of 3 or more"):
                _planned(walk, 1.0, 15.0)

    @pytest.mark.parametrize(("speed", "words"), [(0.0, "the speed is 0"), (0.01, "45 or more")])
    def test_speeds_that_make_no_sense(self, room, tmp_path, speed, words):
        walk = walked(np.ones((1, 2)), np.zeros((1, 2)), frames=2)
        walk = replace(walk, times=np.array([0.0, 17_600.0]))
        with pytest.raises(fw.BadInput, match=words):
            plot.animate(room, walk, tmp_path / "crowd.gif", speed=speed)

    def test_a_frame_says_how_many_are_there(self, room, tmp_path, monkeypatch):
        said = []
        draw = ImageDraw.ImageDraw.text
        monkeypatch.setattr(
            ImageDraw.ImageDraw,
            "text",
            lambda self, at, words, **rest: said.append(words) or draw(self, at, words, **rest),
        )
        walk = walked(np.ones((3, 2)), np.zeros((3, 2)), frames=1)
        plot.animate(room, walk, tmp_path / "crowd.gif", size=300)
        assert said == ["after 0.0 s  ·  3 there"]

    @pytest.mark.parametrize("frames", [1, 2])
    def test_few_frames(self, room, frames, tmp_path):
        file = tmp_path / "crowd.gif"
        plot.animate(room, walked(np.ones((1, 2)), np.ones((1, 2)), frames=frames), file)
        with Image.open(file) as film:
            assert film.n_frames == frames

    def test_no_frames(self, room, tmp_path):
        empty = Recorder(step=0.1, seed=0, map_name="", names=()).close()
        with pytest.raises(fw.BadInput, match="no frames"):
            plot.animate(room, empty, tmp_path / "crowd.gif")

    @pytest.mark.parametrize("name", ["crowd.avi", "crowd", "crowd.gif.txt"])
    def test_unknown_suffix(self, name):
        with pytest.raises(fw.BadInput, match=r"must end in \.gif, \.webp or \.mp4"):
            plot.check_animation_file(name)

    def test_no_ffmpeg(self, monkeypatch):
        monkeypatch.setenv("PATH", "")
        with pytest.raises(fw.BadInput, match="ffmpeg"):
            plot.check_animation_file("crowd.mp4")

    def test_a_file_that_cannot_be_written(self, recording, room, tmp_path):
        with pytest.raises(fw.BadFile, match="cannot be written"):
            plot.animate(room, recording, tmp_path / "no" / "crowd.gif", size=200)


FFMPEG = """#!{python}
import pathlib, sys
raw = sys.stdin.buffer.read()
if "-crf" not in sys.argv:
    sys.exit("no quality")
pathlib.Path(sys.argv[-1]).write_text(f"{{len(raw)}} " + " ".join(sys.argv))
"""


class TestFilm:
    """Where there is no ffmpeg, a script that counts the bytes stands in for it."""

    @pytest.fixture
    def ffmpeg(self, monkeypatch, tmp_path):
        def install(text):
            script = tmp_path / "bin" / "ffmpeg"
            script.parent.mkdir(exist_ok=True)
            script.write_text(text.format(python=sys.executable))
            script.chmod(0o755)
            monkeypatch.setenv("PATH", str(script.parent))

        return install

    def test_pixels_go_to_ffmpeg(self, recording, room, ffmpeg, tmp_path):
        ffmpeg(FFMPEG)
        file = tmp_path / "crowd.mp4"
        plot.animate(room, recording, file, size=201, rate=5)
        size, *words = file.read_text().split()
        width, height = map(int, words[words.index("-s") + 1].split("x"))
        assert width == 200
        assert height % 2 == 0
        assert int(size) == 3 * width * height * 20
        assert float(words[words.index("-r") + 1]) == pytest.approx(20 / 3.9, abs=1e-4)

    def test_an_ffmpeg_that_fails(self, recording, room, ffmpeg, tmp_path):
        ffmpeg("#!{python}\nimport sys\nsys.stdin.buffer.read()\nsys.exit('Unknown encoder')\n")
        with pytest.raises(fw.BadFile, match="Unknown encoder"):
            plot.animate(room, recording, tmp_path / "crowd.mp4", size=200, rate=5)

    def test_an_ffmpeg_that_exits_early(self, recording, room, ffmpeg, tmp_path):
        ffmpeg("#!{python}\nimport sys\nsys.exit('Killed')\n")
        with pytest.raises(fw.BadFile, match="cannot be written"):
            plot.animate(room, recording, tmp_path / "crowd.mp4", size=400, rate=5)
