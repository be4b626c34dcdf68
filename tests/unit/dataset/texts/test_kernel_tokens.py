"""The parts of a kernel's definition are found among its tokens, whatever stands around them."""

from __future__ import annotations

import pytest

from crawler.cpp.lexer import Token, join_tokens, tokenize
from crawler.dataset.texts.kernel_tokens import (
    NoFlatText,
    drop_template_head,
    find_closing,
    find_name,
    find_parameter_list,
    next_position,
)


def lex(text: str) -> list[Token]:
    return list(tokenize(text))


@pytest.mark.parametrize(
    ("text", "definition"),
    [
        ("template <typename T> __global__ void k(T)", "__global__ void k(T)"),
        ("template<>\n__global__ void k<float>()", "__global__ void k<float>()"),
        ("template <int N = (1 > 0)> void k()", "void k()"),
        ("template <typename T, typename = A<B<T>>> void k()", "void k()"),
        ("/* a < b */ template // c\n <class T> void k()", "void k()"),
        ("template <template <typename> class C> void k()", "void k()"),
    ],
)
def test_a_template_head_is_dropped_up_to_its_own_bracket(
    text: str, definition: str
) -> None:
    assert join_tokens(drop_template_head(lex(text))) == definition


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("KERNEL(T) void k()", "made-by-macro"),
        ("template <class T> requires C<T> void k()", "constrained"),
        ("template <class T> template <class U> void k()", "member-of-template"),
        ("template <int N = (1 void k()", "unbalanced"),
    ],
)
def test_a_head_that_is_no_plain_one_says_which_problem(
    text: str, problem: str
) -> None:
    with pytest.raises(NoFlatText, match=f"^{problem}: "):
        drop_template_head(lex(text))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "made-by-macro"),
        ("template", "unbalanced"),
        ("template <", "unbalanced"),
        ("template <class T>", "unbalanced"),
        ("template <class T> ", "unbalanced"),
    ],
)
def test_a_text_that_ends_early_says_so(text: str, problem: str) -> None:
    with pytest.raises(NoFlatText, match=f"^{problem}: "):
        drop_template_head(lex(f" {text}"))


def test_the_name_is_the_one_before_the_parameters() -> None:
    tokens = lex("__launch_bounds__(k(1)) void k /* here */ (int k) { k(2); }")
    name = find_name(tokens, "k")
    before = join_tokens(tokens[:name])
    assert before == "__launch_bounds__(k(1)) void "
    opening = find_parameter_list(tokens, name)
    assert join_tokens(tokens[opening:]).startswith("(int k)")


def test_the_arguments_of_a_specialisation_stand_before_its_parameters() -> None:
    tokens = lex("void k<A<float>, (1)>(int n) {}")
    opening = find_parameter_list(tokens, find_name(tokens, "k"))
    assert join_tokens(tokens[opening:]) == "(int n) {}"


@pytest.mark.parametrize("text", ["void NAME(k)(int) {}", "void j() { k(); }", "k"])
def test_a_name_that_stands_nowhere_was_made_by_a_macro(text: str) -> None:
    with pytest.raises(NoFlatText, match=r"^made-by-macro: its name"):
        find_name(lex(text), "k")


def test_a_bracket_closes_where_its_own_partner_stands() -> None:
    tokens = lex("(a[b(c)]) d")
    assert join_tokens(tokens[: find_closing(tokens, 0) + 1]) == "(a[b(c)])"
    with pytest.raises(NoFlatText, match=r"^unbalanced: "):
        find_closing(lex("(a[b]"), 0)


def test_blanks_and_comments_are_no_next_token() -> None:
    tokens = lex("a /* b */ // c\n d ")
    following = next_position(tokens, 0)
    assert tokens[following].text == "d"
    # after the last one there is only the end
    assert next_position(tokens, following) == len(tokens) - 1
