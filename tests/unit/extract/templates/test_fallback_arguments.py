"""Default sets vary elements together and other parameters one at a time."""

from __future__ import annotations

from dataclasses import replace

from crawler.extract.templates.fallback_arguments import make_fallback_instantiations
from crawler.extract.templates.guessed_instantiations import make_guessed_set
from crawler.model import (
    Closure,
    Dialect,
    InstantiationOrigin,
    KernelFacts,
    Layer,
    Span,
    TemplateParameter,
)
from tests.unit.extract.builders import make_kernel


def list_arguments(
    *template_parameters: str, source: str = ""
) -> list[tuple[str, ...]]:
    kernel = make_kernel(source, template_parameters)
    return [
        instantiation.arguments
        for instantiation in make_fallback_instantiations(kernel)
    ]


def test_element_types_vary_together() -> None:
    assert list_arguments("class T", "class U") == [
        ("float", "float"),
        ("double", "double"),
    ]


def test_other_parameters_vary_one_at_a_time() -> None:
    assert list_arguments("class T", "bool kA", "bool kB") == [
        ("float", "false", "false"),
        ("double", "false", "false"),
        ("float", "true", "false"),
        ("float", "false", "true"),
    ]


def test_a_default_means_the_arguments_of_parameters_before_it() -> None:
    assert list_arguments("class T", "class Acc = Sum<T>") == [
        ("float", "Sum<float>"),
        ("double", "Sum<double>"),
    ]


def test_a_parameter_without_a_guess_leaves_no_set() -> None:
    assert list_arguments("class T", "class Op", source="Op::run();") == []


def test_a_parameter_without_a_name_is_varied_too() -> None:
    kernel = make_kernel("", ("class T", "bool "))
    arguments = [
        instantiation.arguments
        for instantiation in make_fallback_instantiations(kernel)
    ]
    assert ("float", "true") in arguments


def test_a_set_is_small() -> None:
    assert len(list_arguments(*(f"bool k{index}" for index in range(20)))) == 8


def test_guesses_are_distinct_labelled_and_marked() -> None:
    guesses = make_guessed_set([("float", "4"), ("float", "4"), ("int", "2")], 2)
    assert [(guess.arguments, guess.label) for guess in guesses] == [
        (("float", "4"), "float_4")
    ]
    assert guesses[0].origin is InstantiationOrigin.DEFAULT


def test_a_unit_that_knows_torch_gets_its_half_unless_it_uses_atomics() -> None:
    parameter = TemplateParameter(name="T", kind="type")
    sighting = KernelFacts(
        span=Span(path="a.cu", line=1, end_line=1, offset=0, end_offset=1),
        name="k",
        qualified_name="k",
        dialect=Dialect.CUDA,
        found_by=Layer.AST,
        source="template <typename T> __global__ void k(T* out) { out[0] += T(1); }",
        template_parameters=(parameter,),
        closure=Closure(includes=("<kernelset/torch.cuh>",), fragments=()),
    )
    assert [
        instantiation.arguments
        for instantiation in make_fallback_instantiations(sighting)
    ] == [
        ("float",),
        ("double",),
        ("c10::Half",),
    ]
    atomic = replace(
        sighting,
        source=sighting.source.replace("out[0] += T(1)", "atomicAdd(out, T(1))"),
    )
    assert [
        instantiation.arguments
        for instantiation in make_fallback_instantiations(atomic)
    ] == [
        ("float",),
        ("double",),
    ]
