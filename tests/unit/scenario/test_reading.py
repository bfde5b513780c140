"""Reading scenarios from TOML, and error messages with line and key."""

import math
import tomllib

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

import footway as fw
from footway.crowd.profile import Profile
from footway.scenario import Scenario, load_scenario, parse_scenario
from footway.scenario.models import ProfileTable
from footway.scenario.reading import demo_names, key_lines
from footway.scenario.values import Choice, Spread
from tests.effort import examples

SMALLEST = 'map = "gallery:field"\n[[population]]\ncount = 10\n'


def refusal(text, name="plaza.toml"):
    with pytest.raises(fw.BadInput) as caught:
        parse_scenario(text, name=name)
    message = str(caught.value)
    assert message.startswith(f"{name}: ")
    assert "\n" not in message
    return message.removeprefix(f"{name}: ")


def test_the_smallest_scenario_has_three_lines():
    scenario = parse_scenario(SMALLEST)
    assert scenario.population[0].size == 10
    assert scenario.population[0].behaviour == "goals"
    assert (scenario.duration, scenario.step, scenario.seed) == (60.0, 0.1, 0)
    assert scenario.output.every == 1


def test_it_is_frozen():
    scenario = parse_scenario(SMALLEST + "[area]\nhall = [0, 0, 9, 9]")
    with pytest.raises(pydantic.ValidationError):
        scenario.seed = 3
    with pytest.raises(pydantic.ValidationError):
        scenario.population[0].count = 3
    with pytest.raises(TypeError):
        scenario.area["hall"] = ()


def test_defaults_of_a_profile_are_those_of_the_crowd():
    table = ProfileTable()
    assert Profile(table.radius, table.speed, table.lane, table.noise) == Profile()


def test_everything_at_once():
    scenario = load_scenario("demo:city")
    assert scenario.profile["child"].speed == Spread(1.1, 0.2)
    assert scenario.population[1].preference["abbey square"] == 0
    assert scenario.source[1].schedule == ((5.0, 40), (65.0, 40))
    assert scenario.source[1].size(scenario.duration) == 80
    assert scenario.group[0].group_area == 60
    assert scenario.obstacle[0].vanishes == 80


def test_a_scenario_survives_being_written_and_read():
    scenario = load_scenario("demo:city")
    values = scenario.model_dump(mode="json", exclude_unset=True)
    again = Scenario.model_validate(values)
    assert again.model_dump() == scenario.model_dump()


def test_shapes():
    scenario = parse_scenario(
        SMALLEST + 'destinations = ["hall", [1, 2], [0, 0, 2, 3], [[0, 0], [1, 0], [0, 1]]]\n'
        "[area]\nhall = [0, 0, 9, 5]\ntent = [[0, 0], [4, 0], [2, 3]]\n"
    )
    assert scenario.area["hall"] == ((0, 0), (9, 0), (9, 5), (0, 5))
    assert scenario.area["tent"] == ((0, 0), (4, 0), (2, 3))
    name, point, box, triangle = scenario.population[0].destinations
    assert (name, point) == ("hall", (1, 2))
    assert (len(box), len(triangle)) == (4, 3)
    single = parse_scenario(SMALLEST + 'destinations = "hall"')
    assert single.population[0].destinations == ("hall",)


def test_destinations_to_choose_from():
    """Names, rectangles and up to two points; three points are a polygon."""
    destinations = (
        '["a", [1, 2]], [[1, 2], [3, 4]], [[0, 0, 1, 1], "b"], [[0, 0], [1, 0], [0, 1]], ["c"]'
    )
    scenario = parse_scenario(SMALLEST + f"destinations = [{destinations}]")
    first, points, areas, triangle, one = scenario.population[0].destinations
    assert first == Choice(("a", (1.0, 2.0)))
    assert points == Choice(((1.0, 2.0), (3.0, 4.0)))
    assert areas == Choice((((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)), "b"))
    assert triangle == ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))
    assert one == Choice(("c",))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": -1}, "seed: is -1; it must be at least 0"),
        ({"population": [{"count": 2.5}]}, "population[0].count: is 2.5; give a whole number"),
        ({"population": [{"cuont": 2}]}, "population[0].cuont: is not a key of this table"),
        ({"profile": {"a": {"speed": "fast"}}}, "profile.a.speed: is the text 'fast'"),
        ({"area": {"hall": [1, 2, 3]}}, "area.hall[0]: is a number; give [xmin"),
        ({"map": None}, "map: is nothing; give text in quotes"),
    ],
)
def test_a_scenario_made_in_python_is_checked_as_a_file_is(change, words):
    values = {"map": "gallery:field", "population": [{"count": 10}]}
    assert Scenario(**values).model_dump() == parse_scenario(SMALLEST).model_dump()
    with pytest.raises(fw.BadInput) as caught:
        Scenario(**{**values, **change})
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_starts_say_how_many():
    text = 'map = "gallery:field"\n[[population]]\nstarts = [[1, 2], [3, 4]]\n'
    assert parse_scenario(text).population[0].size == 2


def test_a_source_goes_on_to_the_end():
    text = 'map = "gallery:field"\nduration = 10\n[[source]]\narea = "start"\nrate = 2\nstart = 4\n'
    assert parse_scenario(text).source[0].size(10.0) == 13
    assert parse_scenario(text).source[0].size(3.0) == 0
    assert parse_scenario(text + "count = 5").source[0].size(10.0) == 5


def test_endless_is_a_value_where_it_makes_sense():
    text = SMALLEST + "within = inf\n[[obstacle]]\nat = [1, 2]\nradius = 1\nvanishes = inf\n"
    assert parse_scenario(text).obstacle[0].vanishes == math.inf


def test_files_are_beside_the_scenario(tmp_path, monkeypatch):
    text = 'map = "plan.wkt"\n[[population]]\ncount = 1\n[output]\nrecording = "run.parquet"\n'
    (tmp_path / "a.toml").write_text(text)
    scenario = load_scenario(tmp_path / "a.toml")
    assert scenario.map == str(tmp_path / "plan.wkt")
    assert scenario.output.recording == str(tmp_path / "run.parquet")
    monkeypatch.chdir(tmp_path)
    assert load_scenario("a.toml").map == "plan.wkt"


@pytest.mark.parametrize("name", demo_names())
def test_built_in_scenarios(name):
    assert load_scenario(f"demo:{name}").title


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("cuont = 3", ("line 4: population[0].cuont: ", "did you mean 'count'?")),
        ("velocity = 3", ("population[0].velocity: ", "did you mean 'speed'?")),
        ("rate = 3", ("population[0].rate: ", "it belongs in [[source]]")),
        ("preferences = { mud = 3 }", ("population[0].preferences: ", "it belongs in [profile.")),
        ("start = [3, 4]", ("did you mean 'starts'?",)),
        ("speed = 120", ("line 4: population[0].speed: ", "120 m/s", "20 m/s", "another unit")),
        ('speed = "1.2 m/s"', ("population[0].speed: ", "in m/s without quotes: 1.2")),
        ('speed = "5 km/h"', ("in m/s without quotes: 1.389",)),
        ('speed = "fast"', ("is the text 'fast'; give a number in m/s",)),
        ("speed = [1.3, 0.2]", ("is a list; write { mean = 1.3, deviation = 0.2 }",)),
        ("speed = [1.3]", ("is a list; give a number in m/s",)),
        ("speed = nan", ("is nan; give a finite number in m/s",)),
        ("speed = 0", ("it must be more than 0 m/s",)),
        ("speed = true", ("is a boolean; give a number",)),
        ("speed = {mean = 1}", ("population[0].speed.deviation: is missing",)),
        ("speed = {mean = 1, deviation = 0.6}", ("speed.deviation: ", "-0.2 m/s")),
        ("speed = {mean = 1, deviation = 0.5}", ("speed.deviation: ", "the mean is 0 m/s")),
        ("speed = {mean = 19, deviation = 0.6}", ("speed.deviation: is 20.2 m/s, more than 20",)),
        ("speed = {mean = 1, deviation = 0.1, sigma = 3}", ("speed.sigma: is not a key",)),
        ("radius = 25", ("is 25 m, more than 5 m",)),
        ('radius = "25 cm"', ("without quotes: 0.25",)),
        ("premovement = -3", ("it must be at least 0 s",)),
        ('behaviour = "wonder"', ("did you mean 'wander'?",)),
        ("behaviour = 3", ("is a number; give 'goals' or 'wander'",)),
        ('then = "leave"', ("there are 'exit', 'repeat', 'stay'",)),
        ('behaviour = "wander"\nthen = "exit"', ("population[0].then: is for behaviour",)),
        ("preference = {a = 1}", ("population[0].preference: is for behaviour",)),
        ('area = "a"\nstarts = [[1, 2]]', ("population[0].starts: cannot be combined with area",)),
        ("starts = [[1, 2]]", ("population[0].starts: has 1 points for 10 characters",)),
        (f"starts = {[[k, 2] for k in range(11)]}", ("starts: has 11 points for 10 characters",)),
        ("starts = [1, 2]", ("population[0].starts[0]: is a number; give two numbers",)),
        ("starts = [[1, nan]]", ("population[0].starts[0][1]: is nan",)),
        ("destinations = [['hall', []]]", ("population[0].destinations[0][1]: is a list of 0",)),
        ("destinations = [['hall', 3]]", ("population[0].destinations[0]",)),
        ("destinations = [[['hall', 'yard'], 'gate']]", ("population[0].destinations[0][0]",)),
        ("destinations = [1, 2]", ("a point is a list of its own: [[1, 2]]",)),
        ("destinations = [[1, 2, 3]]", ("population[0].destinations[0]",)),
        ("destinations = [3.5, 'x']", ("population[0].destinations[0]: is a number",)),
        ("area = [5, 5, 1, 9]", ("which is empty",)),
        ("area = [[1, 2], [3, 4]]", ("has 2 corners",)),
        ('area = ""', ("population[0].area: is empty",)),
        ('profile = "adult"', ("there is no profile 'adult'; add [profile.adult]",)),
        ('profile = "adlt"\n[profile.adult]', ("line 4", "did you mean 'adult'?")),
        ("name = 3", ("is a number; give text in quotes",)),
        ('name = ""', ("population[0].name: has 0 letters",)),
        (
            'name = "a"\n[[population]]\ncount = 1\nname = "a"',
            ("population[1].name: 'a' is used twice",),
        ),
        (
            (
                'name = "a"\n[[group]]\ncount = 1\nstart = "x"\nname = "b"\n'
                '[[population]]\ncount = 1\nname = "c"\n[[population]]\ncount = 1\nname = "a"'
            ),
            ("line 14: population[2].name: 'a' is used twice",),
        ),
        ("[[population]]\ncount = -2", ("line 5: population[1].count: is -2", "at least 0")),
        ("[[population]]\ncount = 2.5", ("give a whole number",)),
        ("[[population]]\nspeed = 1", ("population[1].count: is missing",)),
        ("[[population]]\ncount = 1979-05-27", ("is a date or time",)),
        ("[[source]]\nrate = 1", ("source[0].area: is missing",)),
        ("[[source]]\narea = 'a'", ("source[0].rate: is missing", "or a schedule")),
        ("[[source]]\narea = 'a'\nrate = 0", ("it must be more than 0/s",)),
        ("[[source]]\narea = 'a'\nschedule = [[9, 1], [3, 1]]", ("schedule[1]", "must ascend")),
        ("[[source]]\narea = 'a'\nschedule = [[9, 1], [9, 1]]", ("schedule[1]", "must ascend")),
        ("[[source]]\narea = 'a'\nschedule = [[9, -1]]", ("source[0].schedule[0][1]: is -1",)),
        ("[[source]]\narea = 'a'\nschedule = [9, 1]", ("schedule[0]: ", "give [time, count]")),
        ("[[source]]\narea = 'a'\nschedule = 9", ("give [[time, count], ...]",)),
        (
            "[[source]]\narea = 'a'\nrate = 1\nschedule = [[9, 1]]",
            ("rate: cannot be combined with",),
        ),
        ("[[group]]\ncount = 3\ngoal = [1, 1]", ("group[0].start: is missing",)),
        ("[[group]]\ncount = 0\nstart = 'a'", ("group[0].count: is 0; it must be at least 1",)),
        ("[[obstacle]]\nat = [1, 2]", ("obstacle[0].radius: is missing",)),
        (
            "[[obstacle]]\nat = [1, 2]\nradius = 1\nappears = 9\nvanishes = 4",
            ("obstacle[0].vanishes: is 4 s, before it appears at 9 s",),
        ),
        ("[area]\nhall = 'x'", ("area.hall: is the text 'x'",)),
        ('[area]\n"the hall" = [1]', ("line 5: area.'the hall'[0]: ",)),
        ("[profile.adult]\nspede = 1", ("profile.adult.spede: ", "did you mean 'speed'?")),
        ("[profiles.adult]\nspeed = 1", ("line 4: profiles: ", "did you mean 'profile'?")),
        ("[[profile]]\nspeed = 1", ("profile: is a list; write [profile.NAME]",)),
        ("[output]\nevery = 0", ("output.every: is 0 steps; it must be at least 1 steps",)),
        ("[[output]]\nevery = 1", ("write [output]",)),
    ],
)
def test_mistakes(lines, words):
    message = refusal(SMALLEST + lines)
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "map: is missing"),
        ("map = 3\n", "give text in quotes"),
        ('map = "a.wkt"', "has no characters; add [[population]]"),
        ('map = "a.wkt"\nseconds = 3', "line 2: seconds: is not a key of a scenario; did you mean"),
        ('map = "a.wkt"\ncount = 3', "it belongs in [[population]]"),
        ('map = "a.wkt"\n[population]\ncount = 3', "one bracket; write [[population]]"),
        ('map = "a.wkt"\nduration = 0', "it must be more than 0 s"),
        ('map = "a.wkt"\nduration = "2 min"', "without quotes: 120"),
        ('map = "a.wkt"\nseed = -1', "it must be at least 0"),
        ('map = "a.wkt"\nstep = 5', "is 5 s, more than 1 s"),
        ('map = "a.wkt"\nstep = 0.0001', "is 0.0001 s; it must be at least 0.001 s"),
    ],
)
def test_mistakes_at_the_top(text, words):
    assert words in refusal(text)


def test_more_than_one_mistake_is_counted():
    message = refusal('map = "a"\n[[population]]\nspeed = 99\ncount = 1\ncont = 1')
    assert message.startswith("line 5: population[0].cont: "), "unknown keys come first"
    assert message.endswith("(1 more after this)")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("map = \n", "line 1, column 7: is not TOML: invalid value"),
        ('map = "a"\nmap = "b"', "is not TOML"),
        ("a = [", "end of document: is not TOML"),
        ("a = 1" + "0" * 5000, "a number that is too long"),
        ("a = " + "[" * 5000, "nested too deeply"),
        ("a = 1979-13-99", "is not TOML"),
    ],
)
def test_files_that_are_not_toml(text, words):
    with pytest.raises(fw.BadFile) as caught:
        parse_scenario(text, name="a.toml")
    assert words in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", None])
def test_files_that_cannot_be_read(tmp_path, content):
    file = tmp_path / "a.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(fw.BadFile, match=r"a\.toml: "):
        load_scenario(file)


def test_no_such_demo():
    with pytest.raises(fw.BadInput, match="did you mean 'evacuation'"):
        load_scenario("demo:evacation")


KEYS_ON_MANY_LINES = '''\
map = "a"  # [[population]]
text = """
[area]
x = 1
"""
"quoted key".b.'c d' = [ # a list
  "]", '[', { y = "}" },
]

[[population]]
count = 1
[population.preference]
market = 2
[[population]]
  count = 2
inline = { a = 1, b = [
  2] }
[ area . "the hall" ]
z = \'\'\'
count = 3
\'\'\'
'''


def test_lines():
    lines = key_lines(KEYS_ON_MANY_LINES)
    assert lines == {
        ("map",): 1,
        ("text",): 2,
        ("quoted key",): 6,
        ("quoted key", "b"): 6,
        ("quoted key", "b", "c d"): 6,
        ("population",): 10,
        ("population", 0): 10,
        ("population", 0, "count"): 11,
        ("population", 0, "preference"): 12,
        ("population", 0, "preference", "market"): 13,
        ("population", 1): 14,
        ("population", 1, "count"): 15,
        ("population", 1, "inline"): 16,
        ("area",): 18,
        ("area", "the hall"): 18,
        ("area", "the hall", "z"): 19,
    }


VALUES = ["1", "'#['", '"""\n[[x]]\n"""', "[1, # [\n 2]", "{ k = '}' }", "'''a\n'''", '"\\""']
GAPS = ["", "\n", " # it's", "\t# [a]\n\n"]


@st.composite
def documents(draw):
    """Return a document and the line of each of its keys."""
    text, lines, table, size = "", {}, (), 0
    for k in range(draw(st.integers(0, 6))):
        key = draw(st.sampled_from(["k{}", '"k {}"', "'k.{}'"])).format(k)
        line = text.count("\n") + 1
        kind = draw(st.sampled_from(["value", "value", "table", "list"]))
        if kind == "value":
            text += f"{key} = {draw(st.sampled_from(VALUES))}"
            lines[*table, key.strip("'\"")] = line
        elif kind == "table":
            text += f"[{key}]"
            table = (key.strip("'\""),)
            lines[table] = line
        else:
            text += "[[ many ]]"
            table, size = ("many", size), size + 1
            lines.setdefault(("many",), line)
            lines[table] = line
        text += draw(st.sampled_from(GAPS)) + "\n"
    return text, lines


@examples(150)
@given(documents())
def test_any_document(document):
    text, lines = document
    tomllib.loads(text)
    assert key_lines(text) == lines
