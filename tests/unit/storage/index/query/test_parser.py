"""The query language: what it means, and that a wrong query is always told to its writer, where
it is wrong.
"""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.errors import BadQuery
from storage.index.query.fields import FIELDS, Term
from storage.index.query.glob import Glob
from storage.index.query.parser import parse_query

OPERATORS = ("=", "!=", "~", "<", "<=", ">", ">=")
SIGNS = (
    *OPERATORS,
    ",",
    "*",
    '"',
    '"a b"',
    "\\",
    "-",
    "not",
    "and",
    "not ",
    "AND ",
    " ",
    "\t",
    "\n",
    "\0",
    "\ud800",
)
WORDS = (
    *FIELDS,
    "tags",
    "colour",
    ".sm_80",
    ".",
    "5",
    "-1",
    "9" * 25,
    "true",
    "pass",
    "é",
    "(",
    "'",
)
PIECES = st.sampled_from((*SIGNS, *WORDS))


def parse_error(expression: str) -> BadQuery | None:
    try:
        terms = parse_query(expression)
    except BadQuery as wrong:
        return wrong
    assert all(isinstance(term, Term) and term.values for term in terms)
    return None


@settings(max_examples=400, deadline=None)
@given(expression=st.text(max_size=60) | st.lists(PIECES, max_size=14).map("".join))
def test_whatever_is_written_is_read_or_told_what_is_wrong(expression: str) -> None:
    wrong = parse_error(expression)
    if wrong:
        assert str(wrong).startswith("Query, at character ")
        assert ";" in str(wrong), "it ends with what to do"
        assert 0 <= wrong.position <= len(expression)


@pytest.mark.parametrize(
    ("expression", "position", "message"),
    [
        ("colour=red", 0, "`colour` is no field"),
        ("ok lines~5", 8, "no free text"),
        ("lines > many", 8, "a number"),
        ("lines>1,2", 5, "one number"),
        ("name > a", 5, "has no order"),
        ("lines = 5*", 8, "a number"),
        ("lines=99999999999999999999", 6, "a number"),
        ("is_template=perhaps", 12, "`true` or `false`"),
        ("dialect=opencl", 8, "use one of: cuda, hip"),
        ("pass_call.sm_80=passed", 16, "is never `passed`"),
        ("name.sm_80=x", 0, "has no targets"),
        ("name=", 5, "a value is missing"),
        ("name=a,", 7, "a value is missing"),
        ("= a", 0, "no field stands before"),
        ("name == a", 5, "write `=`"),
        ("a or b", 2, "there is no `or`"),
        ("a | b", 2, "there is no `or`"),
        ("a (b)", 2, "no brackets"),
        ("not pass_call.sm_80", 4, "this is a field"),
        ('name="open', 5, "never closed"),
        ("a\0b", 1, "cannot be searched for"),
    ],
)
def test_a_wrong_query_is_told_where(
    expression: str, position: int, message: str
) -> None:
    wrong = parse_error(expression)
    assert wrong is not None
    assert message in str(wrong)
    assert wrong.position == position
    assert f"at character {position + 1}:" in str(wrong)


@pytest.mark.parametrize(
    "expression", ["a" * 4097, " ".join("a" * 51), "name=" + ",".join("a" * 101)]
)
def test_a_query_is_bounded(expression: str) -> None:
    wrong = parse_error(expression)
    assert wrong is not None
    assert "ask for less" in str(wrong)


@pytest.mark.parametrize(
    "piece", ["*a", " ", '"', "not ", "- ", "a.", "\\", 'a"\\', "name "]
)
def test_a_long_query_costs_little(piece: str) -> None:
    began = time.process_time()
    parse_error((piece * 4096)[:4096])
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize("name", ["orbit", '"or"', "fidelity_kernel", "pass_called"])
def test_a_name_may_hold_a_word_of_the_language(name: str) -> None:
    (term,) = parse_query(name)
    assert term.values == (Glob(("", name.strip('"'), "")),)


def test_terms_are_what_they_say() -> None:
    first, second, third = parse_query('-tags=a,"b,*" lines>=3 and word')
    assert (first.field.name, first.negated, first.values) == (
        "tag",
        True,
        (Glob(("a",)), Glob(("b,*",))),
    )
    assert (second.field.name, second.operator, second.values) == ("lines", ">=", (3,))
    assert (third.field.name, third.values) == ("name", (Glob(("", "word", "")),))
    assert parse_query("not name!=a")[0] == parse_query("name=a")[0]
    assert parse_query("") == parse_query("  and ") == ()


@st.composite
def globs_with_texts(draw: st.DrawFn) -> tuple[list[str], str]:
    pieces = draw(st.lists(st.text("aB%_", max_size=3), min_size=1, max_size=5))
    between = draw(st.sampled_from(["", "a", "bb"]))
    return pieces, draw(
        st.sampled_from([between.join(pieces).swapcase(), between.join(pieces)])
        | st.text("abB%_")
    )


@given(glob_and_text=globs_with_texts())
def test_a_glob_matches_as_its_definition_says(
    glob_and_text: tuple[list[str], str],
) -> None:
    pieces, text = glob_and_text
    assert Glob(tuple(pieces)).matches(text) == plainly(pieces, text)


def plainly(pieces: list[str], text: str) -> bool:
    """Match by trying every way to cut `text`."""
    if len(pieces) == 1:
        return pieces[0] == text

    def matches_from(position: int, pieces_left: list[str]) -> bool:
        if len(pieces_left) == 1:
            return (
                folded.endswith(pieces_left[0].lower())
                and len(folded) - len(pieces_left[0]) >= position
            )
        ends = (
            start + len(pieces_left[0])
            for start in range(position, len(folded) + 1)
            if folded.startswith(pieces_left[0].lower(), start)
        )
        return any(matches_from(end, pieces_left[1:]) for end in ends)

    folded = text.lower()
    return folded.startswith(pieces[0].lower()) and matches_from(
        len(pieces[0]), pieces[1:]
    )
