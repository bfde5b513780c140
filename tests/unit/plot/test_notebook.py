"""Representation of values in a notebook."""

import base64
import html
import io
import re

import numpy as np
import pytest
from PIL import Image

import footway as fw

PICTURE = re.compile(r'src="data:image/png;base64,([^"]+)"')


@pytest.fixture(scope="module")
def cmap():
    return fw.CorridorMap.build(fw.load("gallery:field"))


@pytest.fixture(scope="module")
def corridor(cmap):
    x0, y0, x1, y1 = cmap.bounds
    return cmap.corridor((x0 + 1, y0 + 1), (x1 - 1, y1 - 1), radius=0.25)


def pixels(png: bytes) -> np.ndarray:
    image = Image.open(io.BytesIO(png)).convert("RGB")
    return np.asarray(image, int)


def reds(png: bytes) -> int:
    """Pixels of the accent colour."""
    r, g, b = np.moveaxis(pixels(png), 2, 0)
    return int(((r > 200) & (g < 110) & (b < 90)).sum())


class TestValues:
    def test_environment_and_map(self, cmap):
        plain = fw.load("gallery:field")._repr_png_()
        with_axis = cmap._repr_png_()
        assert pixels(plain).shape[1] == 880
        assert plain != with_axis

    def test_corridor(self, corridor):
        assert (pixels(corridor._repr_png_())[:, :, 2] > 220).any()

    def test_corridor_made_by_hand(self):
        made = fw.Corridor.from_balls([(0, 0), (2, 0)], [1, 1], radius=0.2)
        assert reds(made._repr_png_()) > 20  # its ends

    def test_path_and_walk(self, cmap, corridor):
        path = cmap.path(corridor.start, corridor.goal, radius=0.25)
        walk = fw.follow.cmm(corridor, radius=0.25, speed=1.2)
        assert reds(path._repr_png_()) > 500
        assert reds(walk._repr_png_()) > 500

    def test_walk_on_terrain(self):
        yard = fw.Environment.from_polygons(
            bounds=(0, 0, 30, 10), terrain=[("mud", [(10, 0), (20, 0), (20, 6), (10, 6)])]
        )
        route = fw.route(fw.Terrain.build(yard), (2, 3), (28, 3), preferences={"mud": 5.0})
        walk = fw.follow.miran(route, sigma=12, spacing=2)
        brown = np.abs(pixels(walk._repr_png_()) - [0xC8, 0xAE, 0x90]).max(axis=2) < 3
        assert brown.mean() > 0.05

    def test_recording(self, cmap):
        crowd = fw.Crowd(cmap, seed=1)
        crowd.add(20, radius=0.25, speed=1.2, behaviour="goals")
        recording = crowd.run(seconds=5)
        assert np.ptp(pixels(recording._repr_png_()), axis=2).max() > 100  # colours on white

    def test_nothing_in_three_dimensions(self):
        made = fw.Corridor.from_balls([(0, 0, 0), (1, 0, 1)], [1, 1])
        assert made._repr_html_() is None
        assert made._repr_png_() is None


class TestPage:
    def test_holds_the_picture_and_the_words(self, cmap):
        page = cmap._repr_html_()
        assert base64.b64decode(PICTURE.search(page).group(1)) == cmap._repr_png_()
        assert f"<code>{html.escape(repr(cmap))}</code>" in page

    def test_names_cannot_become_markup(self):
        room = fw.Environment.from_polygons(bounds=(0, 0, 5, 5), name="<script>alert(1)</script>")
        assert "<script>" not in room._repr_html_()

    def test_is_drawn_once(self, cmap):
        assert cmap._repr_png_() is cmap._repr_png_()
