"""Launches of kernels as calls that host C++ understands."""

from __future__ import annotations

import time

import pytest

from crawler.cpp.lexer import join_tokens, tokenize
from crawler.validate.programs.host_build.launch_calls import replace_launches


def rewrite(text: str) -> str:
    return join_tokens(replace_launches(list(tokenize(text))))


def test_arguments_are_evaluated_once_and_handed_on_by_name() -> None:
    assert rewrite("scale<<<n / 256, 256>>>(x, n + 1);") == (
        "::kernelset::configure_launch(n / 256, 256)"
        ".start([&](auto& ks_0, auto& ks_1) { scale(::kernelset::pass(ks_0), ::kernelset::pass(ks_1)); }, x, n + 1);"
    )


@pytest.mark.parametrize("literal", ["0", "nullptr", "__null", "{}", "-1.5f", "(0)"])
def test_literals_stay_where_they_convert_to_the_parameters_type(literal: str) -> None:
    assert rewrite(f"k<<<1, 1>>>({literal}, x);") == (
        f"::kernelset::configure_launch(1, 1)"
        f".start([&](auto& ks_1) {{ k({literal}, ::kernelset::pass(ks_1)); }}, x);"
    )


@pytest.mark.parametrize(
    "kernel",
    [
        "k",
        "ns::k",
        "::k",
        "k<float, (a > b)>",
        "k<pair<int, vector<int>>>",
        "ns::k<T, 4>",
        "kernels[i]",
        "choose(x)",
        "this->k",
        "spec.kernel",
        "Worker<T>::template run<8>",
        "(&k)",
    ],
)
def test_the_whole_expression_of_a_kernel_is_called(kernel: str) -> None:
    text = rewrite(f"if (n) {kernel}<<<1, 1>>>(x); else return;")

    assert text == (
        f"if (n) ::kernelset::configure_launch(1, 1)"
        f".start([&](auto& ks_0) {{ {kernel}(::kernelset::pass(ks_0)); }}, x); else return;"
    )


def test_a_pack_stays_a_pack() -> None:
    assert "auto&... ks_0) { k(::kernelset::pass(ks_0)...); }, given..." in rewrite(
        "k<<<1, 1>>>(given...);"
    )


def test_a_launch_keeps_the_lines_behind_it() -> None:
    text = "k<<<1,\n  1>>>(x,\n    y);\nf();"

    assert rewrite(text).count("\n") == text.count("\n")


def test_a_launch_within_a_lambda_argument_is_replaced_too() -> None:
    text = rewrite("run([&] { inner<<<1, 1>>>(a); });")

    assert text.startswith("run([&] { ::kernelset::configure_launch")


@pytest.mark.parametrize("text", ["a <<< b;", "k<<<1, 1>>>", "k<<<1, 1>>> x", "<<<"])
def test_what_is_no_launch_stays(text: str) -> None:
    assert rewrite(text) == text


@pytest.mark.parametrize("text", ["<<<", "k<<<(", "k<<<1>>>(", ")<<<1>>>(x)", "k<"])
def test_brackets_that_are_never_closed_cost_no_square_of_the_text(text: str) -> None:
    def count_seconds(times: int) -> float:
        tokens = list(tokenize(text * times))
        start = time.process_time()
        replace_launches(tokens)
        return time.process_time() - start

    few = max(count_seconds(4_000), 1e-3)

    assert count_seconds(16_000) < 10 * few


def test_launches_within_launches_by_the_thousand_cost_no_square_of_the_text() -> None:
    depth = 8_000
    replaced = rewrite("k<<<1, 1>>>(" * depth + ")" * depth)

    assert "k<<<1, 1>>>(" in replaced
    # each level that is replaced repeats what it holds
    assert len(replaced) < 200 * depth
