"""What a template parameter may be is told by how its kernel uses it."""

from __future__ import annotations

import pytest

from crawler.extract.templates.argument_choices import list_argument_choices
from tests.unit.extract.builders import make_closure, make_kernel

POINTER = (("T *", "x"),)


def choose(
    parameter: str,
    source: str = "",
    parameters: tuple[tuple[str, str], ...] = POINTER,
    fragments: tuple[str, ...] = (),
    includes: tuple[str, ...] = ("<kernelset/cuda.cuh>",),
) -> tuple[str, ...]:
    closure = make_closure(*fragments, includes=includes)
    kernel = make_kernel(source, (parameter,), parameters, closure=closure)
    return list_argument_choices(kernel.template_parameters[0], kernel)


def test_a_default_is_taken() -> None:
    assert choose("class T = half") == ("half",)


def test_elements_are_computed_with() -> None:
    assert choose("class T", "x[0] = x[0] * T(2);") == ("float", "double")


def test_where_the_unit_knows_pytorch_its_half_is_one() -> None:
    includes = ("<kernelset/torch.cuh>",)
    assert choose("class T", "x[0] *= 2;", includes=includes) == (
        "float",
        "double",
        "c10::Half",
    )


@pytest.mark.parametrize(
    "source",
    [
        "typename T::value_type v;",
        "T()(x);",
        "T{}(x);",
        "T op; op(x);",
        "T op = make(); op.apply(x);",
        "T op(x); op(4);",
        "T shape; shape.rank = 4;",
        "x->rank = 4;",
        "x[i].rank = 4;",
    ],
)
def test_a_class_cannot_be_made_up(source: str) -> None:
    assert choose("class T", source) == ()


def test_what_subscripts_is_an_index() -> None:
    parameters = (("float *", "x"), ("T", "first"))
    assert choose("class T", "x[first + 1] = 0;", parameters) == ("int", "long")


def test_what_is_named_like_an_index_is_one() -> None:
    assert choose("class index_t", "x[0] = 0;", ()) == ("int", "long")


def test_atomics_are_for_some_types_only() -> None:
    assert choose("class T", "atomicMax(x, T(1));") == ("float",)
    assert choose("class index_t", "atomicAdd(x, 1);", ()) == ("int",)


def test_types_that_a_trait_is_specialised_for_are_taken() -> None:
    fragments = (
        "template <> struct Vec<half> { };",
        "template <> struct Vec<Packed> { };",
    )
    assert choose("class T", "Vec<T> v;", fragments=fragments) == ("half",)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("int kDim", "2"),
        ("int vec_size", "4"),
        ("int num_blocks", "4"),
        ("unsigned kBlockThreads", "128"),
        ("int N", "32"),
        ("std::size_t N", "32"),
    ],
)
def test_an_integer_is_chosen_by_its_name(parameter: str, value: str) -> None:
    assert choose(parameter) == (value,)


def test_both_values_of_a_boolean() -> None:
    assert choose("bool kIsCausal") == ("false", "true")


def test_an_assertion_decides_a_value() -> None:
    assert choose("int N", "static_assert(N == 8 || N == 16);") == ("8",)


def test_an_alias_of_an_integer_is_an_integer() -> None:
    fragments = ("using Small = Tiny;", "typedef unsigned char Tiny;")
    assert choose("Small N", fragments=fragments) == ("32",)


def test_an_enumeration_takes_what_it_is_compared_with_else_its_first_value() -> None:
    source = "if constexpr (M == lib::Mode::kFast) f();"
    assert choose("lib::Mode M", source) == ("lib::Mode::kFast",)
    assert choose("lib::Mode M") == ("static_cast<lib::Mode>(0)",)


def test_a_function_type_is_no_kind_that_can_be_guessed() -> None:
    assert choose("void(*)(int) F") == ()


@pytest.mark.parametrize(
    "source",
    ["x[i] = 1;", "int y = *x;", "f(*(x + i));", "return *x;"],
)
def test_what_is_dereferenced_is_a_pointer(source: str) -> None:
    assert choose("class It", source, (("It", "x"),)) == ("float *",)


@pytest.mark.parametrize("source", ["y = 2 * x;", "y = (a) * x;", "y = a[0] * x;"])
def test_a_product_is_no_dereference(source: str) -> None:
    assert choose("class T", source, (("T", "x"),)) == ("float", "double")


_LOADED = "T *load(T *from, int at) {\n  return from + at;\n}"


@pytest.mark.parametrize(
    ("source", "choices"),
    [
        ("T *own = load<T>(x, i); own[0] = 1;", ("float *",)),
        ("T *own = load(x, i);", ("float *",)),
        ("T *own = load(/* from, to */ x, i);", ("float *",)),
        ("// load(x, i)", ("float", "double")),
        # another argument, a member, and what is computed with
        ("load(i, x);", ("float", "double")),
        ("load(given.x, i);", ("float", "double")),
        ("y[0] = stored(x);", ("float", "double")),
        ("y[0] = either(x);", ("float", "double")),
    ],
)
def test_what_a_function_takes_as_a_pointer_is_one(
    source: str, choices: tuple[str, ...]
) -> None:
    fragments = (
        _LOADED,
        "float stored(float given) { return given * 2; }",
        "float either(float *given) { return *given; }",
        "float either(float given) { return given; }",
    )
    parameters = (("const U", "x"), ("float *", "y"))
    assert choose("class U", source, parameters, fragments) == choices


@pytest.mark.parametrize(
    ("source", "choices"),
    [
        ("const T i = blockIdx.x; x[i + 1] = 0;", ("int", "long")),
        ("T i = x[0]; y[static_cast<int>(i)] = 0;", ("float", "double")),
        ("T i = x[0]; y[0] = i;", ("float", "double")),
    ],
)
def test_a_variable_that_subscripts_is_an_index(
    source: str, choices: tuple[str, ...]
) -> None:
    assert choose("class T", source) == choices
