"""The facts of a commit's units become kernels, each once, with a unit or with a problem."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from crawler.extract.link import link_commit, link_kernels
from crawler.model import (
    DEPENDENCY_FOLDER,
    CompileCommand,
    Diagnostic,
    Dialect,
    FlagsOrigin,
    InstantiationOrigin,
    KernelFacts,
    Layer,
    Parameter,
    UnitFacts,
)
from tests.unit.extract.builders import (
    make_closure,
    make_instantiation,
    make_kernel,
    make_launch,
    make_launch_facts,
    make_span,
)

CLOSURE = make_closure("__global__ void scale(float *x) { x[0] = 2; }", origins=(None,))
PLAIN = make_kernel(source=CLOSURE.fragments[0], closure=CLOSURE)
TEMPLATE = make_kernel(
    "",
    ("class Op",),
    (("Op", "op"),),
    closure=CLOSURE,
    template_head="template <class Op>",
)


def make_unit(*kernels: KernelFacts, file: str = "a.cu", **fields: Any) -> UnitFacts:
    command = CompileCommand(
        directory=".",
        file=file,
        arguments=(),
        dialect=Dialect.CUDA,
        origin=FlagsOrigin.SYNTHESISED,
    )
    return UnitFacts(command=command, kernels=kernels, **fields)


def test_a_plain_kernel_has_a_unit() -> None:
    (kernel,) = link_kernels([make_unit(PLAIN)])
    assert kernel.unit is not None
    assert CLOSURE.fragments[0] in kernel.unit.source
    assert kernel.unit_problem == ""


def test_a_kernel_that_several_units_show_is_one() -> None:
    units = [make_unit(PLAIN, file=file) for file in ("b.cu", "a.cu")]
    assert len(link_kernels(units)) == 1


def test_a_dependencys_kernel_is_not_the_projects_where_no_report_says_whose_it_is() -> (
    None
):
    foreign = replace(PLAIN, span=make_span(f"{DEPENDENCY_FOLDER}/lib@0/a.cuh", 1))
    (kernel,) = link_kernels([make_unit(foreign, PLAIN)])
    assert kernel.span == PLAIN.span


def test_kernels_are_in_the_order_of_their_places() -> None:
    places = [("b.cu", 4), ("a.cu", 90), ("a.cu", 10)]
    kernels = [replace(PLAIN, span=make_span(*place)) for place in places]
    linked = link_kernels([make_unit(*kernels)])
    assert [(kernel.span.path, kernel.span.offset) for kernel in linked] == sorted(
        places
    )


def test_what_the_text_shows_of_a_kernel_of_the_ast_is_the_same_kernel() -> None:
    by_text = replace(
        PLAIN, span=make_span(offset=4), found_by=Layer.SYNTACTIC, closure=None
    )
    (kernel,) = link_kernels([make_unit(by_text), make_unit(PLAIN, file="b.cu")])
    assert kernel.found_by is Layer.AST


def test_the_unit_that_instantiates_most_is_chosen() -> None:
    few = replace(TEMPLATE, instantiations=(make_instantiation("Sum"),))
    many = replace(
        TEMPLATE,
        instantiations=(make_instantiation("Sum"), make_instantiation("Max")),
        source="many",
    )
    (kernel,) = link_kernels([make_unit(few), make_unit(many, file="b.cu")])
    assert kernel.source == "many"
    assert [item.arguments for item in kernel.instantiations] == [("Sum",), ("Max",)]


def test_a_guess_counts_less_than_a_use() -> None:
    guessed = replace(
        TEMPLATE,
        instantiations=(
            make_instantiation("Sum", origin=InstantiationOrigin.DEFAULT),
            make_instantiation("Max", origin=InstantiationOrigin.DEFAULT),
        ),
    )
    used = replace(TEMPLATE, instantiations=(make_instantiation("Sum"),), source="used")
    (kernel,) = link_kernels([make_unit(guessed), make_unit(used, file="b.cu")])
    assert kernel.source == "used"


def test_a_unit_that_came_to_no_closure_tells_less_than_one_that_did() -> None:
    without = replace(PLAIN, closure=None, problem="closure-timeout: …")
    units = [make_unit(without, file="a.cu"), make_unit(PLAIN, file="b.cu")]

    (kernel,) = link_kernels(units)
    assert kernel.unit is not None


@pytest.mark.parametrize(
    ("kernel", "problem"),
    [
        (
            replace(PLAIN, closure=None, reason="parse-failed"),
            "no-closure: parse-failed",
        ),
        (replace(PLAIN, closure=None), "no-closure: seen by syntax alone"),
        (replace(PLAIN, closure=None, problem="placeholders: x"), "placeholders: x"),
        (
            replace(PLAIN, closure=make_closure(complete=False, problems=("a", "b"))),
            "a; b",
        ),
        (
            replace(TEMPLATE, source="Op::run();"),
            "no-instantiation: the project never says which arguments it is used with",
        ),
    ],
)
def test_a_kernel_without_a_unit_says_why(kernel: KernelFacts, problem: str) -> None:
    (linked,) = link_kernels([make_unit(kernel)])
    assert (linked.unit, linked.unit_problem) == (None, problem)


def test_a_missing_header_is_named_where_launches_are_not_resolved() -> None:
    kernel = replace(TEMPLATE, source="Op::run();")
    error = Diagnostic(
        path="a.cu", line=1, message="'lib/ops.h' file not found", severity="fatal"
    )
    unit = make_unit(
        kernel,
        launches=(make_launch_facts(make_launch(), ("a.cu", 0)),),
        diagnostics=(error,),
    )
    (linked,) = link_kernels([unit])
    assert linked.unit_problem.startswith("missing-header: ")
    assert "lib/ops.h not among the sources" in linked.unit_problem


def test_launches_name_their_arguments_by_the_kernels_parameters() -> None:
    kernel = replace(
        PLAIN,
        parameters=(
            Parameter(name="x", type="float *"),
            Parameter(name="n", type="int"),
        ),
    )
    launch = make_launch(argument_map=(("", "data"), ("", "rows * 4")))
    linked = link_commit([make_unit(kernel, launches=(make_launch_facts(launch),))])
    (linked_launch,) = linked.kernels[0].launches
    assert linked_launch.argument_map == (("x", "data"), ("n", "rows * 4"))
    assert linked.launches == ()


def test_a_launch_of_a_kernel_in_a_string_stays_without_one() -> None:
    in_string = replace(PLAIN, found_by=Layer.STRING)
    unit = make_unit(in_string, launches=(make_launch_facts(make_launch()),))
    (launch,) = link_commit([unit]).launches
    assert launch.reason.startswith("kernel-elsewhere")
