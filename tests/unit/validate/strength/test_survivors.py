"""Mutants that survive are told as lines and short texts."""

from __future__ import annotations

from crawler.validate.strength.mutation_sites import Change
from crawler.validate.strength.survivors import describe_survivors


def make_change(source: str, piece: str, text: str) -> Change:
    begin = len(source[: source.index(piece)].encode())
    return Change(
        kind="relation",
        begin=begin,
        end=begin + len(piece.encode()),
        line=source[: source.index(piece)].count("\n") + 1,
        text=text,
    )


def test_what_stands_there_is_shown_on_one_line() -> None:
    source = "// größer\nif (i <\n    n) {}"
    (survivor,) = describe_survivors(
        source, [make_change(source, "i <\n    n", "i <= n")]
    )
    assert (survivor.line, survivor.before, survivor.after) == (2, "i < n", "i <= n")


def test_strangers_texts_are_bounded() -> None:
    source = f"x = {'a + ' * 5000}a;"
    change = make_change(source, source[4:-1], "b" * 5000)
    survivors = describe_survivors(source, [change] * 1000)
    assert len(survivors) == 40
    assert {len(survivor.before) for survivor in survivors} == {80}
    assert {survivor.after[-1] for survivor in survivors} == {"…"}
