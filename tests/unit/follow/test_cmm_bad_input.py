"""Bad questions to the follower: one clear line each, with the value and the limit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import footway as fw

START, GOAL = (2.0, 5.0), (18.0, 5.0)


@pytest.fixture(scope="module")
def cmap() -> fw.CorridorMap:
    """Two rooms and a door of 1 m."""
    env = fw.Environment.from_polygons(
        bounds=(0, 0, 20, 10),
        obstacles=[
            [(9, 0), (11, 0), (11, 4.5), (9, 4.5)],
            [(9, 5.5), (11, 5.5), (11, 10), (9, 10)],
        ],
    )
    return fw.CorridorMap.build(env)


@pytest.fixture(scope="module")
def corridor(cmap: fw.CorridorMap) -> fw.Corridor:
    return cmap.corridor(START, GOAL, radius=0.25)


def refusal(corridor: fw.Corridor, **options: Any) -> str:
    """What `cmm` says to something that makes no sense."""
    with pytest.raises(fw.BadInput) as error:
        fw.follow.cmm(corridor, **options)
    return line_of(error)


def line_of(error: pytest.ExceptionInfo[Exception]) -> str:
    message = str(error.value)
    assert "\n" not in message
    assert 20 < len(message) < 300
    return message


NOT_NUMBERS = [math.nan, math.inf, -math.inf, "fast", None, [1, 2], {}, 1j]


class TestNumbers:
    @pytest.mark.parametrize(
        "name", ["speed", "step", "turn_rate", "shortcut", "noise", "lane", "corner", "wavelength"]
    )
    @pytest.mark.parametrize("bad", NOT_NUMBERS, ids=repr)
    def test_are_finite_numbers(self, corridor, name, bad):
        message = refusal(corridor, **{name: bad})
        assert name.replace("_", " ") in message.replace("_", " ")

    @pytest.mark.parametrize("bad", [b for b in NOT_NUMBERS if b is not None], ids=repr)
    def test_such_as_the_radius(self, corridor, bad):
        assert "radius" in refusal(corridor, radius=bad)

    @pytest.mark.parametrize(
        ("name", "bad"),
        [
            ("speed", -1.2),
            ("speed", 0.0),
            ("step", 0.0),
            ("step", -0.1),
            ("turn_rate", 0.0),
            ("turn_rate", -math.pi),
            ("shortcut", 1.5),
            ("shortcut", -0.1),
            ("wavelength", 0.0),
            ("wavelength", -8.0),
            ("radius", -0.25),
        ],
    )
    def test_are_in_their_range(self, corridor, name, bad):
        message = refusal(corridor, **{name: bad})
        assert name.replace("_", " ") in message.replace("_", " ")
        assert f"{bad:g}" in message

    @pytest.mark.parametrize("bad", [1.5, "seven", None, math.nan, [1]], ids=repr)
    def test_such_as_the_seed(self, corridor, bad):
        assert "seed" in refusal(corridor, seed=bad)

    @pytest.mark.parametrize("good", [np.float32(1.5), np.int64(1), 1, np.float64(0.5)])
    def test_of_any_kind(self, corridor, good):
        assert fw.follow.cmm(corridor, speed=good).speed == float(good)

    def test_have_names(self, corridor):
        with pytest.raises(TypeError):
            fw.follow.cmm(corridor, 0.25)


class TestRadius:
    def test_wider_than_the_corridor(self, corridor):
        with pytest.raises(fw.NoPath) as error:
            fw.follow.cmm(corridor, radius=0.6)
        message = line_of(error)
        assert "0.6" in message
        assert "0.5" in message, "the limit"
        assert error.value.reason in ("pinch", "no room")

    def test_wider_than_a_corridor_made_by_hand(self):
        corridor = fw.Corridor.from_balls([(0, 0), (1, 0), (2, 0)], [1, 0.4, 1])
        with pytest.raises(fw.NoPath) as error:
            fw.follow.cmm(corridor, radius=0.5)
        message = line_of(error)
        assert "0.5" in message
        assert "0.4" in message

    def test_as_wide_as_the_corridor(self, cmap):
        corridor = cmap.corridor(START, GOAL, radius=0.5)
        assert fw.follow.cmm(corridor).points[-1].tolist() == list(GOAL)


class TestEnds:
    @pytest.mark.parametrize("bad", [(10, 2), (30, 5), (-1, -1), (math.nan, 2), (2, math.inf)])
    def test_in_a_wall_or_outside(self, cmap, bad):
        for start, goal in ((bad, GOAL), (START, bad)):
            with pytest.raises((fw.BadQuery, fw.NoPath)) as error:
                fw.follow.cmm(cmap.corridor(start, goal))
            line_of(error)

    def test_in_batches_are_none(self, cmap):
        """As in `CorridorMap.paths`: one bad pair does not spoil the others."""
        found = fw.follow.cmm_batch(cmap, [START, (10, 2)], [GOAL, GOAL])
        assert found[0] is not None
        assert found[1] is None

    def test_that_are_the_same(self, cmap):
        walk = fw.follow.cmm(cmap.corridor(START, START))
        assert walk.length == 0
        np.testing.assert_array_equal(walk.points[-1], START)


class TestObstacles:
    @pytest.mark.parametrize("avoid", ["forces", "corridor"])
    @pytest.mark.parametrize(("end", "at"), [("start", START), ("goal", GOAL)])
    def test_on_top_of_an_end(self, corridor, avoid, end, at):
        """The disc, how far it is, and how far it must be."""
        disc = (at[0] + 0.3, at[1], 0.4)
        with pytest.raises((fw.BadQuery, fw.NoPath)) as error:
            fw.follow.cmm(corridor, obstacles=[(15, 9, 0.1), disc], avoid=avoid)
        message = line_of(error)
        assert end in message
        assert "0.3" in message
        assert "0.65" in message

    @pytest.mark.parametrize("avoid", ["forces", "corridor"])
    def test_that_close_the_door(self, corridor, avoid):
        discs = [(4, 6, 0.2), (10, 5, 0.45), (16, 4, 0.2)]
        with pytest.raises(fw.NoPath) as error:
            fw.follow.cmm(corridor, obstacles=discs, avoid=avoid)
        line_of(error)
        assert error.value.reason == "blocked"
        assert error.value.obstacles == (1,)
        assert error.value.exit_code == 3

    @pytest.mark.parametrize("avoid", ["forces", "corridor"])
    def test_that_close_the_door_together(self, corridor, avoid):
        discs = [(4, 6, 0.2), (10, 4.8, 0.2), (10, 5.2, 0.2)]
        with pytest.raises(fw.NoPath) as error:
            fw.follow.cmm(corridor, obstacles=discs, avoid=avoid)
        assert error.value.reason == "blocked"
        assert set(error.value.obstacles) <= {1, 2}
        assert error.value.obstacles

    @pytest.mark.parametrize("avoid", ["forces", "corridor"])
    def test_are_called_by_their_names(self, corridor, avoid):
        cart = fw.follow.Disc(at=(10, 5), radius=0.45, name="cart")
        with pytest.raises(fw.NoPath, match="cart"):
            fw.follow.cmm(corridor, obstacles=[cart], avoid=avoid)

    @pytest.mark.parametrize(
        "bad",
        [
            (1, 2),
            (1, 2, 3, 4),
            (math.nan, 2, 0.3),
            (1, math.inf, 0.3),
            (5, 5, -0.3),
            (5, 5, math.nan),
            ("a", "b", "c"),
            "disc",
            None,
            7,
        ],
        ids=repr,
    )
    def test_are_discs(self, corridor, bad):
        message = refusal(corridor, obstacles=[(5, 8, 0.2), bad])
        assert "obstacle" in message
        assert "1" in message, "which one"

    @pytest.mark.parametrize("bad", [5, "discs", (5, 5, 0.3)], ids=repr)
    def test_are_in_a_list(self, corridor, bad):
        assert "obstacle" in refusal(corridor, obstacles=bad)

    @pytest.mark.parametrize(
        "bad",
        [
            {"at": (1, 2), "radius": -1},
            {"at": (1, 2), "radius": math.nan},
            {"at": (math.nan, 2), "radius": 0.3},
            {"at": (1,), "radius": 0.3},
            {"at": "ab", "radius": 0.3},
            {"at": (1, 2), "radius": 0.3, "velocity": (math.inf, 0)},
            {"at": (1, 2), "radius": 0.3, "velocity": (1, 0, 0)},
            {"at": (1, 2), "radius": "wide"},
        ],
        ids=str,
    )
    def test_as_values(self, corridor, bad):
        with pytest.raises(fw.BadQuery) as error:
            fw.follow.cmm(corridor, obstacles=[fw.follow.Disc(**bad)])
        line_of(error)

    def test_in_space_for_a_corridor_of_the_plane(self, corridor):
        with pytest.raises(fw.BadQuery) as error:
            fw.follow.cmm(corridor, obstacles=[fw.follow.Disc(at=(5, 5, 1), radius=0.3)])
        line_of(error)

    @pytest.mark.parametrize("bad", ["force", "", None, 3, "Corridor"], ids=repr)
    def test_are_avoided_in_one_of_two_ways(self, corridor, bad):
        message = refusal(corridor, obstacles=[(5, 8, 0.2)], avoid=bad)
        assert "forces" in message
        assert "corridor" in message

    def test_may_be_an_array(self, corridor):
        discs = np.array([[5.0, 5.5, 0.3], [14.0, 4.5, 0.3]])
        assert fw.follow.cmm(corridor, obstacles=discs).gap >= 0


class TestForces:
    @pytest.mark.parametrize(
        "returned",
        [
            (math.nan, 0.0),
            (0.0, math.inf),
            (1.0,),
            (1.0, 2.0, 3.0),
            np.zeros((2, 2)),
            "left",
            None,
            1.0,
        ],
        ids=repr,
    )
    def test_return_a_finite_vector(self, corridor, returned):
        message = refusal(corridor, forces=[lambda moment: returned])
        assert "force" in message

    @pytest.mark.parametrize("bad", [3, "left", [3], [None], print], ids=repr)
    def test_are_functions_in_a_list(self, corridor, bad):
        assert "force" in refusal(corridor, forces=bad)

    def test_errors_of_their_own_come_through(self, corridor):
        def broken(moment):
            raise ZeroDivisionError("my own")

        with pytest.raises(ZeroDivisionError, match="my own"):
            fw.follow.cmm(corridor, forces=[broken])


class TestCorridors:
    @pytest.mark.parametrize("bad", [None, 3, "corridor", [(0, 0), (1, 1)]], ids=repr)
    def test_are_corridors(self, bad):
        message = refusal(bad)
        assert "corridor" in message.lower()

    def test_are_not_paths(self, cmap):
        message = refusal(cmap.path(START, GOAL))
        assert "corridor" in message.lower()

    @pytest.mark.parametrize(
        ("centres", "radii"),
        [
            ([(0, 0)], [1]),
            ([(0, 0), (1, 0)], [1]),
            ([(0, 0), (1, 0)], [1, -1]),
            ([(0, 0), (1, 0)], [1, 0]),
            ([(0, 0), (1, math.nan)], [1, 1]),
            ([(0, 0), (1, 0)], [1, math.inf]),
            ([0, 1], [1, 1]),
            ([(0, 0, 0, 0), (1, 0, 0, 0)], [1, 1]),
            ("ab", [1, 1]),
            ([], []),
            (None, None),
        ],
        ids=str,
    )
    def test_made_by_hand(self, centres, radii):
        with pytest.raises(fw.BadQuery) as error:
            fw.Corridor.from_balls(centres, radii)
        assert "\n" not in str(error.value)

    @pytest.mark.parametrize("bad", [-1, math.nan, "wide", None], ids=repr)
    def test_made_by_hand_have_a_radius(self, bad):
        with pytest.raises(fw.BadQuery, match="radius"):
            fw.Corridor.from_balls([(0, 0), (1, 0)], [1, 1], radius=bad)

    def test_with_a_gap(self):
        """Balls that do not touch: no path from one to the next."""
        corridor = fw.Corridor.from_balls([(0, 0), (1, 0), (5, 0)], [1, 1, 1], radius=0.1)
        with pytest.raises((fw.NoPath, fw.BadQuery)) as error:
            fw.follow.cmm(corridor)
        line_of(error)

    def test_with_balls_too_far_apart_for_the_disc(self):
        """They overlap, but a disc of this radius does not pass between them."""
        corridor = fw.Corridor.from_balls([(0, 0), (1.9, 0)], [1, 1], radius=0.5)
        with pytest.raises((fw.NoPath, fw.BadQuery)) as error:
            fw.follow.cmm(corridor)
        line_of(error)


class TestBatches:
    @pytest.mark.parametrize("bad", [0, -1, 1.5, "two"], ids=repr)
    def test_threads(self, cmap, bad):
        with pytest.raises(fw.BadQuery, match="threads"):
            fw.follow.cmm_batch(cmap, [START], [GOAL], threads=bad)

    @pytest.mark.parametrize("bad", [(1, 2), [[1, 2, 3]], [[math.nan, 1]], "text", None], ids=repr)
    def test_points(self, cmap, bad):
        with pytest.raises(fw.BadQuery) as error:
            fw.follow.cmm_batch(cmap, bad, [GOAL])
        line_of(error)

    def test_as_many_goals_as_starts(self, cmap):
        with pytest.raises(fw.BadQuery) as error:
            fw.follow.cmm_batch(cmap, [START, START], [GOAL])
        line_of(error)

    def test_none_at_all(self, cmap):
        assert fw.follow.cmm_batch(cmap, np.empty((0, 2)), np.empty((0, 2))) == []

    @pytest.mark.parametrize("bad", [-1, math.nan, "wide"], ids=repr)
    def test_radius(self, cmap, bad):
        with pytest.raises(fw.BadQuery, match="radius"):
            fw.follow.cmm_batch(cmap, [START], [GOAL], radius=bad)

    @pytest.mark.parametrize(("name", "bad"), [("speed", -1), ("step", 0), ("shortcut", 1.5)])
    def test_numbers(self, cmap, name, bad):
        with pytest.raises(fw.BadQuery, match=name):
            fw.follow.cmm_batch(cmap, [START], [GOAL], **{name: bad})


def around_a_corner(radius: float) -> fw.Corridor:
    """Balls of 0.5 m on two legs of 5 m at a right angle."""
    leg = np.linspace(0, 5, 101)
    points = [*((x, 0) for x in leg), *((5, y) for y in leg[1:])]
    return fw.Corridor.from_balls(points, [0.5] * len(points), radius=radius)


def test_the_message_suggests_a_smaller_radius_where_it_is_tight():
    with pytest.raises(fw.NoPath, match=r"it has no space to turn: use a radius well below 0.500"):
        fw.follow.cmm(around_a_corner(0.475))
    with pytest.raises(fw.NoPath, match="turns too slowly") as error:
        fw.follow.cmm(around_a_corner(0.1), turn_rate=0.01, speed=5.0, step=0.5)
    assert "radius" not in str(error.value)


def test_a_gap_in_a_corridor_says_what_to_do():
    balls = np.array([(0, 0, 0, 1), (3, 0, 0, 1)], float)
    by_hand = fw.Corridor.from_balls(balls[:, :3], balls[:, 3])
    with pytest.raises(fw.NoPath, match="give more balls"):
        fw.follow.cmm(by_hand)
    of_a_roadmap = fw.Corridor((0, 0, 0), (3, 0, 0), 0.0, balls, 3, np.zeros(1, np.int64))
    with pytest.raises(fw.NoPath, match="retract the roadmap"):
        fw.follow.cmm(of_a_roadmap)
