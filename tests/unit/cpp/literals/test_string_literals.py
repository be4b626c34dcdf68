from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.literals.literal_text import StringLiteral
from crawler.cpp.literals.string_literals import find_cpp_literals, find_python_literals

WORD = "kern"


def python(source: str) -> list[StringLiteral]:
    return list(find_python_literals(source, WORD))


def cpp(source: str) -> list[StringLiteral]:
    return list(find_cpp_literals(source, WORD))


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("x = 'kern'", "kern"),
        ("x = r'kern\\n'", "kern\\n"),
        ("x = 'kern\\n\\t\\\\\\x41\\101'", "kern\n\t\\AA"),
        ('x = """kern\n{ }"""', "kern\n{ }"),
        ("x = f('a' 'kern'\n  'b')", "akernb"),
        ("x = 'a' + 'kern'", "akern"),
        ("x = 'kern \\\n more'", "kern  more"),
        ("x = f'kern {{ {name} }}'", "kern { {name} }"),
        ("x = 'kern {{ {name} }}'.format(name=1)", "kern { {name} }"),
        ("x = 'kern {{1}, {2}} { int i; }'", "kern {{1}, {2}} { int i; }"),
        ("x = 'kern ' + name + '()'", "kern {name}()"),
        ("x = ('a', 'kern')", "kern"),
        ("x = 'kern", "kern"),
        ("x = '''kern", "kern"),
    ],
)
def test_python_reads_its_literals_so(source: str, text: str) -> None:
    assert [literal.text for literal in python(source)] == [text]


@pytest.mark.parametrize(
    "source",
    ["# 'kern'", "'''kern'''", "def f():\n    'kern'\n    return 1", "kern = 'x'", ""],
)
def test_comments_and_documentation_are_no_literals(source: str) -> None:
    assert not python(source)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ('auto x = R"(kern\\n)";', "kern\\n"),
        ('auto x = R"d(kern )" )d";', 'kern )" '),
        ('auto x = "kern\\n" /* and */ "more";', "kern\nmore"),
        ('auto x = u8"kern";', "kern"),
        ('auto x = R"(kern', "kern"),
        ('auto x = "kern', "kern"),
    ],
)
def test_cpp_reads_its_literals_so(source: str, text: str) -> None:
    assert [literal.text for literal in cpp(source)] == [text]


def test_what_is_filled_in_later_is_known() -> None:
    for source in (
        "x = f'kern {name} {{'",
        "x = 'kern {name} {{'.format()",
        "x = 'kern ' + name + ' {'",
    ):
        [literal] = python(source)
        assert [
            literal.text[start:end] for start, end in literal.placeholder_ranges
        ] == ["{name}"]


def test_places_are_those_of_the_file() -> None:
    source = "x = ('a\\n'\n  'kern')"
    [literal] = python(source)
    offset = literal.text.index("kern")
    start, end = literal.file_range(offset, offset + 4)
    assert source[start:end] == "kern"


@given(st.text(alphabet="kern'\"\\RrfF(){}+ \n#x8,", max_size=200))
def test_any_text_is_read_and_every_character_has_a_place_in_order(source: str) -> None:
    for literal in (*python(source), *cpp(source)):
        places = list(literal.offsets)
        assert len(places) == len(literal.text)
        assert places == sorted(places)
        assert all(0 <= place < len(source) for place in places)
        assert all(
            0 <= start < end <= len(literal.text)
            for start, end in literal.placeholder_ranges
        )


def test_hostile_texts_cost_no_more_than_their_length() -> None:
    for source in (
        "'" * 200_000,
        "x='kern'+" * 20_000,
        "(" * 200_000,
        "f'" + "{" * 100_000,
        '"\\' * 100_000,
    ):
        began = time.process_time()
        literals = [*python(source), *cpp(source)]
        assert time.process_time() - began < 20
        assert sum(len(literal.text) for literal in literals) <= 2 * len(source)
