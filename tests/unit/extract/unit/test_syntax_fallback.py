"""Where there is no AST, the text alone shows kernels and launches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crawler.extract.unit.syntax_fallback import extract_facts_from_syntax
from crawler.model import Layer

HEADER = "template <class T> __global__ void scale(T *x, const int n) { x[n] = 1; }\n"
SOURCE = (
    '#include "scale.cuh"\n#include "plain.h"\n'
    'extern "C" __launch_bounds__(64) __global__ void fill(float *x) { x[0] = 1; }\n'
    "void run(float *x) { scale<float><<<4, 64>>>(x, 2); }\n"
)


def test_kernels_and_launches_of_the_unit_and_its_headers(
    project: Callable[..., Any],
) -> None:
    planted = project({"scale.cuh": HEADER, "plain.h": "int f();\n", "a.cu": SOURCE})
    facts = extract_facts_from_syntax(
        planted.root, planted.commands[0], "parse-crashed"
    )
    assert facts.failure == "parse-crashed"
    assert facts.files == ("a.cu", "scale.cuh")
    assert [kernel.name for kernel in facts.kernels] == ["scale", "fill"]
    assert {kernel.reason for kernel in facts.kernels} == {"parse-crashed"}
    assert {kernel.found_by for kernel in facts.kernels} == {Layer.SYNTACTIC}

    scale = facts.kernels[0]
    assert scale.template_head == "template <class T>"
    assert [(item.name, item.type) for item in scale.parameters] == [
        ("x", "T *"),
        ("n", "const int"),
    ]
    (sighting,) = facts.launches
    assert sighting.launch.kernel_name == "scale"
    assert sighting.launch.template_arguments == (("float",),)


def test_another_branch_of_a_condition_is_told_apart(
    project: Callable[..., Any],
) -> None:
    text = (
        "#ifdef NEVER_SET_BY_ANYONE_HERE\n#if __INTEL_COMPILER\n"
        "__global__ void scale(float *x) { x[0] = 2; }\n#endif\n#else\n"
        "__global__ void scale(float *x) { x[0] = 1; }\n#endif\n"
    )
    (facts,) = project({"a.cu": text}).facts()
    reasons = {kernel.found_by: kernel.reason for kernel in facts.kernels}
    assert reasons == {
        Layer.AST: "",
        Layer.SYNTACTIC: "in a branch of #if that this unit leaves out",
    }
