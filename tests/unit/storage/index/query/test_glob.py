"""Patterns as SQL's LIKE has them."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.index.query.glob import Glob

TEXTS = st.text("abAB%_\\", max_size=6)


def matches_in_sqlite(glob: Glob, text: str) -> bool:
    if glob.is_exact:
        return text == glob.pieces[0]
    with closing(sqlite3.connect(":memory:")) as connection:
        query = "SELECT ? LIKE ? ESCAPE '\\'"
        return bool(
            connection.execute(query, (text, glob.like_pattern())).fetchone()[0]
        )


@given(pieces=st.lists(TEXTS, min_size=1, max_size=4), text=TEXTS)
def test_memory_and_sql_agree(pieces: list[str], text: str) -> None:
    glob = Glob(tuple(pieces))
    assert glob.matches(text) == matches_in_sqlite(glob, text)


@pytest.mark.parametrize(
    ("pieces", "text", "expected"),
    [
        (("roi",), "roi", True),
        (("roi",), "ROI", False),
        (("roi", ""), "ROI_align", True),
        (("", "align", ""), "roi_align_forward", True),
        (("a", "a"), "a", False),
        (("", "b", "b", ""), "ab", False),
    ],
)
def test_a_pattern_matches_the_whole_text(
    pieces: tuple[str, ...], text: str, expected: bool
) -> None:
    assert Glob(pieces).matches(text) is expected


def test_a_substring_may_stand_anywhere() -> None:
    glob = Glob(("align",)).as_substring()
    assert glob.matches("roi_align_forward")
    assert not glob.matches("roi_alig")
