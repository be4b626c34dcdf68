"""Kernels that are launched with lambdas get units with classes that stand for these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.model import InstantiationOrigin, Kernel, Rung

FORALL = """
template <typename Body> __global__ void each(int n, Body body) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) body(i);
}
template <typename Body> void forall(int n, Body &&body) {
  each<<<(n + 255) / 256, 256>>>(n, body);
}
"""


@pytest.fixture(scope="module")
def extract(project: Callable[..., Any]) -> Callable[..., Kernel]:
    """Return the kernel of a source with `FORALL` in front."""

    def extract_kernel(text: str, *flags: str) -> Kernel:
        kernels = project({"a.cu": FORALL + text}, *flags).kernels()
        (kernel,) = (kernel for kernel in kernels if kernel.name == "each")
        assert isinstance(kernel, Kernel)
        return kernel

    return extract_kernel


def unit_text(kernel: Kernel) -> str:
    assert kernel.unit is not None, kernel.unit_problem
    assert kernel.unit.rung is Rung.MINIMAL
    return kernel.unit.source


def flat(text: str) -> str:
    return " ".join(text.split())


def test_what_a_lambda_captures_becomes_members_of_a_class(
    extract: Callable[..., Kernel],
) -> None:
    kernel = extract(
        "void scale(float *x, int n, float a) {\n"
        "  forall(n, [=] __device__ (int i) { x[i] *= a; });\n"
        "}\n"
    )
    (instantiation,) = kernel.instantiations
    (name,) = instantiation.arguments
    assert name.startswith("scale_lambda_")
    assert instantiation.origin is InstantiationOrigin.LAUNCH
    assert (
        f"struct {name} {{ float *x; float a; "
        "__device__ void operator()(int i) const { x[i] *= a; } };"
    ) in flat(unit_text(kernel))


def test_its_origin_is_where_the_lambda_stands(extract: Callable[..., Kernel]) -> None:
    kernel = extract(
        "\n\nvoid fill(int *x, int n) {\n"
        "  forall(n, [=] __device__ (int i) {\n    x[i] = i;\n  });\n}\n"
    )
    assert kernel.unit is not None
    lines = [
        (origin.path, origin.first_line, origin.last_line) for origin in kernel.origins
    ]
    assert ("a.cu", 12, 14) in lines


def test_captures_with_an_initialiser_arrays_and_mutable_ones(
    extract: Callable[..., Kernel],
) -> None:
    text = unit_text(
        extract(
            "void run(float *x, int n) {\n"
            "  const float table[2] = {1, 2};\n"
            "  forall(n, [=, y = x + 1, k = 0] __device__ (int i) mutable {\n"
            "    k += i; y[k] = table[i & 1];\n  });\n}\n",
            "-std=c++17",
        )
    )
    assert "float *y;" in text
    assert "int k;" in text
    assert "table[2];" in text
    assert "operator()(int i) {" in text


def test_constants_and_types_that_nothing_captures_come_along(
    extract: Callable[..., Kernel],
) -> None:
    text = unit_text(
        extract(
            "void run(double *x, int n) {\n"
            "  constexpr int kStride = 3;\n"
            "  const bool kFlip = true;\n"
            "  using Value = double;\n"
            "  forall(n, [=] __device__ (int i) {\n"
            "    Value v[kStride]; v[0] = kFlip ? -1 : 1; x[i * kStride] = v[0];\n  });\n"
            "}\n"
        )
    )
    assert "using Value = double;" in text
    assert "static constexpr int kStride = 3;" in text
    assert "static constexpr bool kFlip = true;" in text


def test_each_specialisation_of_a_template_has_its_own(
    extract: Callable[..., Kernel],
) -> None:
    kernel = extract(
        "namespace lib {\n"
        "template <typename T, int Q> void run(T *x, int n) {\n"
        "  const int k = Q ? Q : n;\n"
        "  forall(n, [=] __device__ (int i) { x[i] = T(k) + Q; });\n}\n"
        "template void run<float, 0>(float *, int);\n"
        "template void run<double, 4>(double *, int);\n}\n"
    )
    text = flat(unit_text(kernel))
    assert len(kernel.instantiations) == 2
    assert all(made.arguments[0].startswith("lib::") for made in kernel.instantiations)
    # captured where it is no constant
    assert "using T = float; static constexpr int Q = 0; float *x; int k;" in text
    assert (
        "using T = double; static constexpr int Q = 4; static constexpr int k = 4; "
        "double *x;" in text
    )


def test_a_lambda_that_holds_another_stands_behind_it(
    extract: Callable[..., Kernel],
) -> None:
    text = unit_text(
        extract(
            "template <typename F> void twice(int n, F f) {\n"
            "  forall(n, [=] __device__ (int i) { f(i); f(i + n); });\n}\n"
            "void run(int *x, int n) {\n"
            "  twice(n, [=] __device__ (int i) { x[i] = i; });\n}\n"
        )
    )
    inner = text.index("struct run_lambda_")
    outer = text.index("struct twice_lambda_")
    assert inner < outer
    assert "run_lambda_" in text[outer:]


def test_lambdas_that_hold_each_other_cost_no_more_than_they_are_many(
    extract: Callable[..., Kernel],
) -> None:
    # each holds the one before it twice: as many ways lead to the first as 2 ** 80
    chain = "".join(
        f"  auto l{i + 1} = [l{i}, other = l{i}] __device__ (int i) {{ l{i}(i); other(i); }};\n"
        for i in range(80)
    )
    kernel = extract(
        "void run(int *x, int n) {\n"
        "  auto l0 = [=] __device__ (int i) { x[i] = i; };\n"
        f"{chain}  forall(n, l80);\n}}\n",
        "-std=c++17",
    )
    # bodies that double at each step may be more than a compiler takes, and no more than that
    assert kernel.name == "each"
    assert not kernel.reason


def test_a_lambda_of_a_member_function_leaves_its_file_as_it_is(
    extract: Callable[..., Kernel],
) -> None:
    text = unit_text(
        extract(
            "struct Owner { int *x; void run(int n); };\n"
            "void Owner::run(int n) {\n"
            "  int *y = x;\n"
            "  forall(n, [=] __device__ (int i) { y[i] = i; });\n}\n"
        )
    )
    assert "__device__ void operator()(int i) const { y[i] = i; }" in text


def test_lambdas_that_macros_write(extract: Callable[..., Kernel]) -> None:
    kernel = extract(
        "#define LAMBDA [=] __host__ __device__\n"
        "#define FOR(i, n, ...) forall(n, [=] __device__ (int i) {__VA_ARGS__})\n"
        "void run(int *x, int n, int a) {\n"
        "  forall(n, LAMBDA (int i) { x[i] = a; });\n"
        "  FOR(j, n, x[j] += a; x[j] *= 2;);\n}\n"
    )
    text = flat(unit_text(kernel))
    assert "__host__ __device__ void operator()(int i) const { x[i] = a; }" in text
    assert "__device__ void operator()(int j) const { x[j] += a; x[j] *= 2; }" in text
    assert len(kernel.instantiations) == 2


def test_a_generic_lambda_becomes_a_template(extract: Callable[..., Kernel]) -> None:
    text = unit_text(
        extract(
            "void run(int *x, int n) {\n"
            "  forall(n, [=] __device__ (const auto &i) { x[i] = i; });\n}\n"
        )
    )
    assert (
        "template <typename Argument1> "
        "__device__ auto operator()(const Argument1 &i) const" in text
    )


@pytest.mark.parametrize(
    "text",
    [
        "void run(int *x, int n) { forall(n, [&] __device__ (int i) { x[i] = i; }); }",
        "struct Owner { int *x; void run(int n) {"
        " forall(n, [=] __device__ (int i) { x[i] = i; }); } };",
        "void run(int *x, int n) { struct Local { int v; }; Local l{n};"
        " forall(n, [=] __device__ (int i) { x[i] = l.v; }); }",
    ],
    ids=["by reference", "this", "a class of a function"],
)
def test_what_no_class_can_say_is_not_written(
    extract: Callable[..., Kernel], text: str
) -> None:
    kernel = extract(text)
    assert not any(
        "_lambda_" in argument
        for made in kernel.instantiations
        for argument in made.arguments
    )


def test_a_lambda_that_does_not_compile_takes_no_unit_from_the_others(
    extract: Callable[..., Kernel],
) -> None:
    # a member function of the class round it has no meaning outside
    kernel = extract(
        "struct Owner {\n"
        "  static __device__ int next(int i) { return i + 1; }\n"
        "  void run(int *x, int n) {\n"
        "    forall(n, [=] __device__ (int i) { x[i] = next(i); });\n  }\n};\n"
        "void run(int *x, int n) {\n"
        "  forall(n, [=] __device__ (int i) { x[i] = 2; });\n}\n"
    )
    text = unit_text(kernel)
    assert len(kernel.instantiations) == 1
    assert "x[i] = 2" in text
    assert "next(i)" not in text


def test_the_same_source_gives_the_same_names(extract: Callable[..., Kernel]) -> None:
    text = (
        "void run(int *x, int n) {\n"
        "  forall(n, [=] __device__ (int i) { x[i] = 1; });\n"
        "  forall(n, [=] __device__ (int i) { x[i] = 1; });\n}\n"
    )
    first, second = extract(text), extract(text)
    assert unit_text(first) == unit_text(second)
    # each lambda has a class of its own
    assert len({made.arguments for made in first.instantiations}) == 2
