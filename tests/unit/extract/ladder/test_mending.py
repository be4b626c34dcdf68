"""What does not compile in a kernel's closure goes where the kernel can do without it."""

from __future__ import annotations

import pytest

from crawler.model import KernelFacts, Rung
from tests.unit.extract.ladder.conftest import ParsedProject, ParseProject, join_text

pytestmark = pytest.mark.apt("clang-19")

KERNEL = "__global__ void k(Pair *x) { x[0].a = half_of(x[0].b); }"
PAIR = "struct Pair { int a, b; };"
HALF = "__device__ int half_of(int x) { return x / 2; }"


@pytest.fixture(scope="module")
def parsed_project(parse_project: ParseProject) -> ParsedProject:
    return parse_project(f"{PAIR}\n{HALF}\n{KERNEL}\n")


def climb_to_text(kernel: KernelFacts, rung: Rung) -> str:
    assert kernel.closure is not None
    assert kernel.closure.rung is rung
    assert KERNEL in join_text(kernel.closure)
    return join_text(kernel.closure)


@pytest.mark.parametrize(
    "pair",
    [
        "struct Pair { int a, b; void print(Stream &out) const; };",
        "struct Pair { int a, b; friend Stream &operator<<(Stream &, const Pair &); };",
        'struct Pair { int a, b;\nusing Host = Stream;\nstatic_assert(Stream::ok, ""); };',
        "struct Pair { int a, b; struct Deep { void print(Stream &); }; };",
        "struct Pair { int a, b; __device__ int sum() { return Stream::sum(a, b); } };",
    ],
)
def test_a_member_that_does_not_compile_goes(
    parsed_project: ParsedProject, pair: str
) -> None:
    text = climb_to_text(
        parsed_project.climb_from("k", pair, HALF, KERNEL), Rung.MENDED
    )

    assert "Stream" not in text
    assert "struct Pair { int a, b;" in text


@pytest.mark.parametrize(
    "unneeded",
    [
        "void print(Stream &out) { out.write(1); }",
        "__device__ int first(int x) { return no_such_function(x); }",
        "using Streams = Vector<Stream>;",
        "namespace deep { struct Logger : Stream { int level; }; }",
        "REGISTER(1, 2);",
    ],
)
def test_a_declaration_that_nothing_needs_goes_with_its_namespace(
    parsed_project: ParsedProject, unneeded: str
) -> None:
    kernel = parsed_project.climb_from("k", PAIR, unneeded, HALF, KERNEL)

    text = climb_to_text(kernel, Rung.MENDED)
    assert "Stream" not in text
    assert "namespace" not in text
    assert "REGISTER" not in text
    assert kernel.closure is not None
    assert kernel.closure.attempts[0].startswith("minimal: ")


def test_what_rests_on_what_went_goes_in_its_turn(
    parsed_project: ParsedProject,
) -> None:
    chain = (
        "using Streams = Vector<Stream>;",
        "struct Holder { Streams *all; };",
        "void use(Holder &holder);",
    )
    text = climb_to_text(
        parsed_project.climb_from("k", PAIR, *chain, HALF, KERNEL), Rung.MENDED
    )

    assert "Holder" not in text


def test_an_overload_that_does_not_compile_never_leaves_the_kernel_to_another(
    parsed_project: ParsedProject,
) -> None:
    other = "__device__ double half_of(double x) { return x / 2; }"
    broken = "__device__ int half_of(int x) { return no_such_function(x); }"
    kernel = parsed_project.climb_from("k", PAIR, other, broken, KERNEL)

    assert kernel.closure is not None
    # the text of the translation unit is asked instead
    assert kernel.closure.rung is Rung.REDUCED


MATRIX = """template <class T> struct Matrix {
  T value;
  __device__ Matrix(T x) : value(x) {}
  __device__ Matrix() : value(no_such_function(1)) {}
  __device__ T turned(T x) { return x; }
  __device__ T turned() { Matrix m; return no_such_function(2); }
};"""


def test_a_template_that_nobody_instantiates_is_declared_alone(
    parsed_project: ParsedProject,
) -> None:
    # nvcc accepts it: it looks into a template when somebody instantiates it
    text = climb_to_text(
        parsed_project.climb_from("k", PAIR, MATRIX, HALF, KERNEL), Rung.MENDED
    )

    assert "no_such_function" not in text
    assert "__device__ T turned(T x) { return x; }" in text
    assert text.count("turned(") == text.count("Matrix(") == 2


def test_a_template_that_the_kernel_instantiates_keeps_its_body(
    parsed_project: ParsedProject,
) -> None:
    kernel = "__global__ void k(Pair *x) { Matrix<int> m(1); x->a = m.turned(); }"
    climbed = parsed_project.climb_from("k", PAIR, MATRIX, kernel)

    assert climbed.closure is not None
    assert climbed.closure.rung is not Rung.MENDED


@pytest.mark.parametrize(
    "broken",
    [
        # the kernel's call would be taken by the header's own
        "__device__ int abs(Pair x) { return no_such_function(x); }",
        "template <> struct std::is_void<Pair> : NoSuchBase { };",
    ],
)
def test_what_stands_for_something_of_a_header_never_leaves_the_kernel_to_it(
    parsed_project: ParsedProject, broken: str
) -> None:
    kernel = "__global__ void k(Pair *x) { x->a = abs(x->b) + std::is_void<Pair>(); }"
    climbed = parsed_project.climb_from("k", PAIR, broken, kernel)

    assert climbed.closure is not None
    assert climbed.closure.rung is not Rung.MENDED


def test_a_field_that_does_not_compile_stays(parsed_project: ParsedProject) -> None:
    kernel = parsed_project.climb_from(
        "k", "struct Pair { Stream *out; int a, b; };", HALF, KERNEL
    )

    assert kernel.closure is not None
    assert kernel.closure.rung is Rung.REDUCED


def test_the_origins_of_what_stays_are_kept(parsed_project: ParsedProject) -> None:
    kernel = parsed_project.climb_from("k", PAIR, "using A = Stream;", HALF, KERNEL)

    assert kernel.closure is not None
    assert len(kernel.closure.fragments) == 4
    assert kernel.closure.fragments[1] == ""
