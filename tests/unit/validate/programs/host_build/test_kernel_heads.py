"""Names of kernels' parameters."""

from __future__ import annotations

import pytest

from crawler.cpp.lexer import join_tokens, tokenize
from crawler.validate.programs.host_build.kernel_heads import name_parameters


def name(head: str) -> tuple[list[str] | None, str]:
    tokens = list(tokenize(head))
    return name_parameters(tokens, 0, len(tokens)), join_tokens(tokens)


@pytest.mark.parametrize(
    ("head", "names"),
    [
        ("__global__ void k()", []),
        ("__global__ void k(void)", []),
        ("__global__ void k(float* x, int n)", ["x", "n"]),
        (
            "__global__ void k(const T* __restrict__ x, unsigned n = f(1, 2))",
            ["x", "n"],
        ),
        (
            "__global__ void k(std::pair<int, float> both, A... rest)",
            ["both", "rest..."],
        ),
        ("__global__ void k(float x[4], const int n[])", ["x", "n"]),
        ("__global__ void __launch_bounds__(256) k(int n)", ["n"]),
        ("__global__ __attribute__((used)) void k<float>(int n)", ["n"]),
        ("__global__ void k(const typename F::type value)", ["value"]),
    ],
)
def test_parameters_are_named(head: str, names: list[str]) -> None:
    assert name(head) == (names, head)


@pytest.mark.parametrize(
    ("head", "named"),
    [
        ("__global__ void k(float*)", "__global__ void k(float* ks_parameter0)"),
        ("__global__ void k(Shape)", "__global__ void k(Shape ks_parameter0)"),
        (
            "__global__ void k(const Shape, typename F::type = 3)",
            "__global__ void k(const Shape ks_parameter0, typename F::type ks_parameter1 = 3)",
        ),
        (
            "__global__ void k(int n, A...)",
            "__global__ void k(int n, A... ks_parameter1)",
        ),
        (
            "__global__ void k(const float* __restrict__)",
            "__global__ void k(const float* __restrict__ ks_parameter0)",
        ),
    ],
)
def test_one_without_a_name_is_given_one(head: str, named: str) -> None:
    names, text = name(head)

    assert names is not None
    assert names[-1].startswith("ks_parameter")
    assert text == named


@pytest.mark.parametrize(
    "head",
    ["__global__ void k(void (*)(int))", "__global__ void k", "__global__ void k(("],
)
def test_what_is_not_understood_has_none(head: str) -> None:
    assert name(head)[0] is None
