"""A project's own implementation for a CPU speaks for a kernel's outputs where both give the
same, and only there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from crawler import codec
from crawler.model import (
    Behaviour,
    Dialect,
    HostCode,
    Kernel,
    KernelUnit,
    Operator,
    OperatorPart,
    OperatorRole,
    Oracle,
    Parameter,
    Run,
    Span,
    Status,
    Suite,
    Toolchain,
    Verdict,
)
from crawler.validate.emulator.program import build_cpu_program
from crawler.validate.host_functions.matching import (
    list_host_functions,
    list_top_level_definitions,
    match_parameters,
)
from crawler.validate.oracle_agreement import apply_agreement
from crawler.validate.oracle_interface import OracleAgreement
from crawler.validate.oracles import project_cpu
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.parameter_types import ParameterType, TypeKind
from tests.plain import plain_kernel

SOURCE = """#include <kernelset/torch.cuh>
template <typename T> __global__ void k(int n, const T* a, T* out, T low) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] > low ? a[i] * a[i] + a[n - 1 - i] : low;
}
template __global__ decltype(k<float>) k<float>;
"""
FILE = """#include <torch/extension.h>
#include "registry.h"
template <typename T> struct Limited { T low; };
template <typename T> static T limited(const Limited<T>& by, T x, T y) { return x > by.low ? y : by.low; }
template <typename T>
void bent_cpu(const int n, const T *input, T *output, const T low) {
  AT_ASSERTM(n >= 0, "a size");
  const Limited<T> by{low};
  std::vector<T> turned(input, input + n);
  std::reverse(turned.begin(), turned.end());
  for (int i = 0; i < n; i++) output[i] = limited(by, input[i], turned[i] + input[i] * input[i]);
}
void bent_launcher(at::Tensor input, at::Tensor output, float low) {
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "bent", [&] { bent_cpu<scalar_t>(1, nullptr, nullptr, low); });
}
"""


def span(path: str) -> Span:
    return Span(path=path, line=1, end_line=2, offset=0, end_offset=1)


def kernel(unit: KernelUnit) -> Kernel:
    part = OperatorPart(
        role=OperatorRole.CPU,
        name="bent_launcher",
        span=span("cpu.cpp"),
        evidence="registered: CPU",
    )
    named = (("n", "int"), ("a", "const T *"), ("out", "T *"), ("low", "T"))
    return plain_kernel(
        unit,
        named,
        template_head="template <typename T>",
        operators=(Operator(name="bent", parts=(part,)),),
        host=(
            HostCode(
                role=OperatorRole.CPU,
                name="bent_cpu",
                span=span("cpu.cpp"),
                source="int nothing;",
            ),
        ),
    )


@dataclass(frozen=True)
class Made:
    kernel: Kernel
    unit: KernelUnit
    suite: Suite
    blobs: Blobs

    def find_agreement(self, text: str) -> OracleAgreement | None:
        return project_cpu.PLUGIN.find_agreement(
            self.kernel, self.unit, self.suite, self.blobs, {"cpu.cpp": text}.get
        )


@pytest.fixture(scope="module")
def example(making: Any) -> Made:
    unit, blobs, argument = (
        making.unit(SOURCE, "k", Dialect.CUDA, "float"),
        Blobs(),
        making.given,
    )
    cases = []
    for number, n in enumerate((100, 7, 64)):
        values = [index * 0.37 - number for index in range(n)]
        words = [
            argument("n", n),
            argument("a", values),
            argument("out", n, True),
            argument("low", 0.5),
        ]
        cases.append(making.case(blobs, f"case-{number}", words, grid=2))
    suite = making.suite(unit, build_cpu_program(unit), cases, blobs)
    return Made(kernel=kernel(unit), unit=unit, suite=suite, blobs=blobs)


@pytest.mark.apt
def test_what_gives_the_same_is_an_oracle(example: Made) -> None:
    agreement = example.find_agreement(FILE)
    assert agreement == OracleAgreement(
        oracle=Oracle.PROJECT_CPU,
        implementation="`bent_cpu` of the project",
        agreeing_cases=("case-0", "case-1", "case-2"),
        differing_cases=(),
    )
    verdict = Verdict(status=Status.CONSISTENT, code="self-consistent")
    toolchain = Toolchain(compiler="clang")
    run = Run(
        unit="",
        device="cpu",
        toolchain=toolchain,
        pass_exe=verdict,
        behaviour=Behaviour.DETERMINISTIC,
    )
    sure, suite = apply_agreement(run, example.suite, example.blobs, agreement)
    assert (sure.pass_exe.status, sure.oracle, suite.oracle) == (
        Status.PASS,
        Oracle.PROJECT_CPU,
        Oracle.PROJECT_CPU,
    )
    assert sure.pass_exe.message == (
        "`bent_cpu` of the project gives the same in 3 cases"
    )
    assert codec.decode(example.blobs.get(sure.suite), Suite) == suite


@pytest.mark.apt
def test_what_gives_something_else_is_none(example: Made) -> None:
    agreement = example.find_agreement(
        FILE.replace("turned[i] + input", "turned[i] - input")
    )
    assert agreement is not None
    assert not agreement.is_conclusive
    verdict = Verdict(status=Status.CONSISTENT, code="self-consistent")
    toolchain = Toolchain(compiler="clang")
    run = Run(
        unit="",
        device="cpu",
        toolchain=toolchain,
        pass_exe=verdict,
        behaviour=Behaviour.DETERMINISTIC,
    )
    assert apply_agreement(run, example.suite, example.blobs, agreement) == (
        run,
        example.suite,
    )


@pytest.mark.apt
def test_a_project_without_such_a_function_has_no_oracle(example: Made) -> None:
    assert example.find_agreement("int other(int a) { return a; }") is None
    assert (
        example.find_agreement(FILE.replace("std::reverse", "unknown_reverse")) is None
    )


def test_what_wants_tensors_is_left_out() -> None:
    texts = list(list_top_level_definitions(FILE))
    assert len(texts) == 3
    assert not any("Tensor" in text for text in texts)
    assert [function.name for function in list_host_functions("\n".join(texts))] == [
        "limited",
        "bent_cpu",
    ]


def test_parameters_are_matched_by_name_and_else_by_their_order() -> None:
    (function,) = (
        function
        for function in list_host_functions(FILE)
        if function.name == "bent_cpu"
    )
    pointer = ParameterType(
        kind=TypeKind.POINTER, size=8, alignment=8, type_name="float *"
    )
    number = ParameterType(kind=TypeKind.SIGNED, size=4, alignment=4, type_name="int")
    real = ParameterType(kind=TypeKind.FLOATING, size=4, alignment=4, type_name="float")

    def parameters(*names: str) -> list[Parameter]:
        return [Parameter(name=name, type="") for name in names]

    by_name = parameters("blocks", "low_", "output", "input", "N")
    assert match_parameters(
        function, by_name, (number, real, pointer, pointer, number)
    ) == (4, 3, 2, 1)
    assert match_parameters(
        function, parameters("m", "x", "y", "z"), (number, pointer, pointer, real)
    ) == (0, 1, 2, 3)
    assert (
        match_parameters(
            function, parameters("m", "x", "y", "z"), (pointer, pointer, pointer, real)
        )
        is None
    )
    assert (
        match_parameters(
            function, parameters("m", "x", "y"), (number, pointer, pointer)
        )
        is None
    )
