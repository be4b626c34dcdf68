"""Mutants of a unit: where it can be changed, and that all changes in one source leave the unit
as it was.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.cpp.lexer import drop_blanks_and_comments, tokenize
from crawler.validate.strength.mutant_schemata import weave_changes
from crawler.validate.strength.mutation_sites import Change, find_changes

SOURCE = """__device__ int f(int a, int b) { return a - b; }
__host__ int h(int a) { return a + 1; }
template <int N> __global__ void k(const int* a, int* out, int n) {
  __shared__ int s[N + 1];
  static const int sizes[2] = {4, 8};
  constexpr int w = 3 + 4;
  if (n == 0 && a) return;
  switch (n) { case 5: out[0] = -n; }
  out[n + 1] = f(a[0], n) + max(n, 2) + f<N>(n, n);
  tile.sync();
}
"""


def list_replacements(source: str) -> list[tuple[str, str, str]]:
    raw = source.encode()
    return [
        (change.kind, raw[change.begin : change.end].decode(), change.text)
        for change in find_changes(source)
    ]


def test_device_functions_are_changed_where_something_is_computed() -> None:
    replacements = list_replacements(SOURCE)
    assert ("arithmetic", "a - b", "(a) + (b)") in replacements
    assert ("condition", "n == 0 && a", "bool(n == 0)") in replacements
    assert ("condition", "n == 0 && a", "true") in replacements
    assert ("negation", "-n", "(n)") in replacements
    assert ("index", "out[n + 1]", "out[(n + 1) + 1]") in replacements
    assert ("arguments", "f(a[0], n)", "f(n, a[0])") in replacements
    assert ("barrier", "tile.sync()", "(void)0") in replacements
    assert ("constant", "2", "2 + 1") in replacements


@pytest.mark.parametrize(
    "text",
    ["a + 1", "N + 1", "3 + 4", "4", "8", "5", "max(n, 2)", "f<N>(n, n)", "sizes[2]"],
)
def test_what_must_be_constant_what_runs_on_the_host_and_what_changes_nothing_is_left_alone(
    text: str,
) -> None:
    assert text not in [before for _, before, _ in list_replacements(SOURCE)]


def test_one_source_holds_all_changes_each_at_the_begin_of_a_line() -> None:
    numbered = dict(enumerate(find_changes(SOURCE), 1))
    text, lines = weave_changes(SOURCE, numbered)
    for number in numbered:
        line = next(
            position
            for position, line in enumerate(text.splitlines(), 1)
            if f"KS_MUTANT({number})" in line
        )
        assert number in lines[line]


@settings(deadline=None)
@given(st.sets(st.sampled_from(range(len(find_changes(SOURCE))))))
def test_whichever_are_tried_the_source_is_the_same_where_none_is_made(
    chosen: set[int],
) -> None:
    every = find_changes(SOURCE)
    text, _ = weave_changes(SOURCE, {number + 1: every[number] for number in chosen})
    assert _unmade(text) == [
        token.text for token in drop_blanks_and_comments(tokenize(SOURCE))
    ]


def _unmade(text: str) -> list[str]:
    """Return the tokens of `text` with each choice as it is when no mutant is asked for."""
    pieces = [token.text for token in drop_blanks_and_comments(tokenize(text))]
    done: list[str] = []
    opened: list[int] = []
    position = 0
    while position < len(pieces):
        if pieces[position] == "(" and pieces[position + 1] == "KS_MUTANT":
            while pieces[position + 1] == "KS_MUTANT" or pieces[position] == ":":
                position = _end_of_change(pieces, position + 1)
            opened.append(0)
        else:
            closes = pieces[position] == ")" and opened and opened[-1] == 0
            if closes:
                opened.pop()
                position += 1  # that of the choice itself
                assert pieces[position] == ")"
            else:
                done.append(pieces[position])
                if opened:
                    opened[-1] += (pieces[position] == "(") - (pieces[position] == ")")
        position += 1
    return done


def _end_of_change(pieces: list[str], position: int) -> int:
    """Return where the `:` behind `KS_MUTANT(1) ? (…)` stands, or the `(` of what is left alone."""
    position += 5  # KS_MUTANT ( 1 ) ?
    depth = 0
    while True:
        depth += (pieces[position] == "(") - (pieces[position] == ")")
        position += 1
        if depth == 0:
            break
    assert pieces[position] == ":"
    return position if pieces[position + 1] == "KS_MUTANT" else position + 1


def test_text_that_is_no_program_has_no_changes_or_some_but_never_fails() -> None:
    for text in (
        "",
        "}}}}",
        "__global__ void k() {",
        "a < b > c (",
        "\udc80 if (",
        "__device__ void f() { if ( }" * 50,
    ):
        assert all(isinstance(change, Change) for change in find_changes(text))
