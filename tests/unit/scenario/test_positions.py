"""Lines of keys in TOML documents."""

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from footway.scenario.reading import key_lines
from tests.effort import examples

DOCUMENT = '''\
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
    lines = key_lines(DOCUMENT)
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
