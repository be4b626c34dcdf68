"""Chevrons that a formatter split stand together again, at the same length."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.files import split_chevrons
from crawler.cpp.files.split_chevrons import rejoin_chevrons

PIECES = (
    "<<",
    "<",
    ">>",
    ">",
    " ",
    "k",
    "(",
    ")",
    ";",
    "1",
    ",",
    "operator",
    "\n",
    "<<<",
    ">>>",
)
GAPS = ("/*c*/", "//c\n", "\\\n", f"/*{201 * 'c'}*/", f"//{201 * 'c'}\n")


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("k<< <1, 2>> >(x);", "k<<< 1, 2>>> (x);"),
        ("k<<< 1, 2 > >>(x);", "k<<< 1, 2 >>> (x);"),
        ("k<int><< <g, b>>>(x);", "k<int><<< g, b>>>(x);"),
        ("a << b << <c;", "a << b << <c;"),
        ("k<< <1, 2;\n3>> >(x);", "k<< <1, 2;\n3>> >(x);"),
        ("k<</*c*/<1, 2>> >(x);", "k<<<     1, 2>>> (x);"),
        ("k<<<1, 2>> >/*c*/(x);", "k<<<1, 2>>> /*c*/(x);"),
        ("A<B<C<int> > > a;", "A<B<C<int> > > a;"),
        ("std::cout << operator<< <int>(x);", "std::cout << operator<< <int>(x);"),
        ("// k<< <1, 2>> >(x);", "// k<< <1, 2>> >(x);"),
    ],
)
def test_only_launches_are_joined(text: str, joined: str) -> None:
    assert rejoin_chevrons(text) == joined


@pytest.mark.parametrize(
    "text",
    [
        "A<B<C<int> > >> a; k<<<1, 2>>>(x);",
        "A<B<C<int> > >> a;",
        "b >> >c; A<B<C<int> > >>(a);",
    ],
)
def test_a_file_whose_templates_end_so_is_not_read_as_a_whole(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(split_chevrons, "tokenize")
    assert rejoin_chevrons(text) == text


@given(st.lists(st.sampled_from(PIECES + GAPS), max_size=25).map("".join))
def test_a_look_at_the_text_alone_overlooks_no_launch(text: str) -> None:
    joined = rejoin_chevrons(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(split_chevrons, "_may_split_launch", lambda _: True)
        assert rejoin_chevrons(text) == joined


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_every_other_character_keeps_its_place(text: str) -> None:
    joined = rejoin_chevrons(text)
    assert len(joined) == len(text)
    assert rejoin_chevrons(joined) == joined
    for before, after in zip(text, joined, strict=True):
        assert before == after or {before, after} <= set("<> \t")
