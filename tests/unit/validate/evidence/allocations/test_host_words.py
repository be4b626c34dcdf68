"""Calls and mentions in host code that is read as words."""

from __future__ import annotations

from crawler.validate.evidence.allocations.host_words import (
    find_mentions,
    iter_host_calls,
    join_words,
    read_host_words,
)


def test_calls_are_seen_within_others_with_their_arguments() -> None:
    words = read_host_words("CHECK(f(a, g(b, c)) /* f(x) */); f(")
    calls = list(iter_host_calls(words, frozenset({"f", "g"})))
    assert [
        (call.callee, [join_words(argument) for argument in call.arguments])
        for call in calls
    ] == [("f", ["a", "g ( b , c )"]), ("g", ["b", "c"])]


def test_members_of_a_name_are_no_mention_of_it() -> None:
    words = read_host_words("x = s.x + p->x + x;")
    mentions = find_mentions(words, "x", 0)
    assert [words[position - 1].text for position in mentions[1:]] == ["+"]
    assert mentions[0] == 0


def test_calls_that_are_never_closed_are_left_out_at_once() -> None:
    words = read_host_words("f(" * 20_000)
    assert list(iter_host_calls(words, frozenset({"f"}))) == []
