"""Host functions of a project, and which arguments of a kernel they can take."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from crawler.model import Parameter
from crawler.validate.host_functions.matching import (
    FunctionParameter,
    HostFunction,
    list_host_functions,
    list_top_level_definitions,
    match_parameters,
)
from crawler.validate.values.parameter_types import ParameterType, TypeKind

POINTER = ParameterType(kind=TypeKind.POINTER, size=8, alignment=8, type_name="float *")
INTEGER = ParameterType(kind=TypeKind.SIGNED, size=4, alignment=4, type_name="int")
FLOAT = ParameterType(kind=TypeKind.FLOATING, size=4, alignment=4, type_name="float")
CLASS = ParameterType(kind=TypeKind.CLASS, size=2, alignment=2, type_name="__half")


def parse_function(text: str) -> HostFunction:
    (function,) = list_host_functions(text)
    return function


def make_parameters(names: str) -> Sequence[Parameter]:
    return [Parameter(name=name, type="") for name in names.split()]


def test_a_function_has_its_parameters_and_says_which_have_a_default() -> None:
    function = parse_function(
        "template <typename T, int N> static void blur(const T *in, int n, Half low, int d = 3) {}"
    )
    assert function == HostFunction(
        name="blur",
        parameters=(
            FunctionParameter(name="in", is_pointer=True, is_floating=True),
            FunctionParameter(name="n", is_pointer=False, is_floating=False),
            FunctionParameter(name="low", is_pointer=False, is_floating=True),
            FunctionParameter(
                name="d", is_pointer=False, is_floating=False, has_default=True
            ),
        ),
        template_parameter_count=2,
    )


@pytest.mark.parametrize(
    "text",
    [
        "void f(at::Tensor x) {}",
        "void f(torch::Tensor x) {}",
        "void f(int x);",
        "struct S { void f(int x) {} };",
        "namespace n { void f(int x) {} }",
        "int f = 3;",
        "",
        "\0(",
    ],
)
def test_what_needs_a_library_or_is_no_function_of_the_file_is_left_out(
    text: str,
) -> None:
    assert list(list_host_functions(text)) == []


def test_definitions_come_with_what_they_need() -> None:
    text = (
        "#include <vector>\n#define LIMIT 3\nstruct Size { int n; };\n"
        "using Real = float;\nvoid f(Size s) {}\nint counter;\n"
        "void g(at::Tensor t) {}\nenum class Mode { A };\n"
    )
    definitions = [item.strip() for item in list_top_level_definitions(text)]
    assert definitions == [
        "#define LIMIT 3",
        "struct Size { int n; };",
        "using Real = float;",
        "void f(Size s) {}",
        "enum class Mode { A };",
    ]


def test_names_decide_before_places() -> None:
    function = parse_function("void f(float* Out, const float* in_, int n) {}")
    parameters = make_parameters("blocks n out in")
    signature = (INTEGER, INTEGER, POINTER, POINTER)
    assert match_parameters(function, parameters, signature) == (2, 3, 1)


def test_places_decide_where_names_are_others() -> None:
    function = parse_function("void f(float* a, int b) {}")
    parameters = make_parameters("x y")
    assert match_parameters(function, parameters, (POINTER, INTEGER)) == (0, 1)
    assert match_parameters(function, parameters, (INTEGER, POINTER)) is None
    assert match_parameters(function, make_parameters("x"), (POINTER,)) is None


def test_of_classes_only_numbers_match() -> None:
    parameters = make_parameters("x")
    half = parse_function("void f(Half x) {}")
    assert match_parameters(half, parameters, (CLASS,)) == (0,)
    size = parse_function("void f(Size x) {}")
    assert match_parameters(size, parameters, (CLASS,)) is None


def test_a_function_without_parameters_matches_no_kernel() -> None:
    assert match_parameters(parse_function("void f() {}"), [], ()) is None


def test_a_parameter_with_a_default_takes_the_kernels_argument_of_its_name() -> None:
    function = parse_function("void scale(float* out, int n, float alpha = 1.0f) {}")
    parameters = make_parameters("alpha n out")
    signature = (FLOAT, INTEGER, POINTER)
    assert match_parameters(function, parameters, signature) == (2, 1, 0)


def test_a_default_stands_where_the_kernel_has_nothing_for_it() -> None:
    function = parse_function("void scale(float* out, int n, int threads = 1) {}")
    parameters = make_parameters("n out")
    assert match_parameters(function, parameters, (INTEGER, POINTER)) == (1, 0)


def test_no_argument_is_passed_behind_a_default() -> None:
    function = parse_function("void f(float* out, int threads = 1, int n = 0) {}")
    parameters = make_parameters("n out")
    assert match_parameters(function, parameters, (INTEGER, POINTER)) is None


def test_places_reach_into_defaults_and_no_further() -> None:
    function = parse_function("void f(float* a, int b, float c = 2) {}")
    pointer_integer = (POINTER, INTEGER)
    places = match_parameters(function, make_parameters("x y"), pointer_integer)
    assert places == (0, 1)
    three = (*pointer_integer, FLOAT)
    assert match_parameters(function, make_parameters("x y z"), three) == (0, 1, 2)
    four = (*three, FLOAT)
    assert match_parameters(function, make_parameters("x y z w"), four) is None
    assert match_parameters(function, make_parameters("x"), (POINTER,)) is None


def test_a_default_says_nothing_of_its_parameters_type() -> None:
    function = parse_function("void f(int n = int(float(2) * 3)) {}")
    (parameter,) = function.parameters
    assert parameter == FunctionParameter(
        name="n", is_pointer=False, is_floating=False, has_default=True
    )


def test_a_function_of_defaults_alone_is_not_called_without_arguments() -> None:
    function = parse_function("void f(int threads = 1) {}")
    assert match_parameters(function, make_parameters("out"), (POINTER,)) is None
    assert match_parameters(function, [], ()) is None
