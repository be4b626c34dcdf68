"""What a launch asks of a kernel's types the compiler answers: how many threads a block has,
what a tile is.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.model import Behaviour, Instantiation, Kernel, Launch, TemplateParameter
from crawler.validate.cpu.validation import validate_on_cpu
from crawler.validate.emulator.program import BuildOptions, build_cpu_program
from crawler.validate.emulator.source.constant_queries import collect_constant_queries
from tests.plain import HERE, plain_kernel, plain_unit

pytestmark = pytest.mark.apt
TRAITS = """#include <kernelset/cuda.cuh>
namespace own {
template <int Threads, int Tile> struct Traits {
  static const int kThreads = Threads;
  static constexpr int kTile = Tile * 2;
  struct Storage { float row[Tile]; };
  enum { other };
};
"""
KERNEL = """template <class T>
__global__ void __launch_bounds__(T::kThreads, 1) k(const float* a, float* out) {
  __shared__ float row[T::kThreads];
  row[threadIdx.x] = a[blockIdx.x * T::kThreads + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T::kThreads + threadIdx.x] = row[T::kThreads - 1 - threadIdx.x];
}"""
NAMES = (("a", "const float *"), ("out", "float *"))
INSTANTIATION = Instantiation(arguments=("own::Traits<96, 5>",), label="0")
ENTRY = "k<own::Traits<96, 5>>"


def kernel(
    text: str,
    launches: tuple[Launch, ...],
    *instantiations: Instantiation,
    extra: str = "",
) -> Kernel:
    made = plain_kernel(
        plain_unit(f"{TRAITS}{text}\n}}\n{extra}", *instantiations),
        NAMES,
        launches=launches,
    )
    assert made.unit is not None
    unit = replace(made.unit, kernel_name="own::k")
    return replace(
        made,
        source=text,
        unit=unit,
        template_parameters=(TemplateParameter(name="T", kind="type"),),
    )


def evaluate_constants(kernel_of: Kernel) -> dict[str, int]:
    assert kernel_of.unit is not None
    program = build_cpu_program(
        kernel_of.unit,
        BuildOptions(fast_build=True),
        entry=0,
        queries=collect_constant_queries(kernel_of, kernel_of.unit, 0),
    )
    assert program.executable, program.verdict
    return dict(program.constants)


def test_a_launch_is_answered_what_it_asks_of_a_type_by_whatever_name() -> None:
    launch = Launch(
        span=HERE,
        kernel_name="k",
        callee="own::k<Chosen>",
        grid="(n + Chosen::kTile - 1) / Chosen::kTile",
        block="dim3(T :: kThreads)",
        shared_bytes="sizeof(typename Chosen::Storage)",
        setup="auto none = Chosen::absent; Chosen::Storage s; auto f = Chosen::function();",
    )
    entry = f"template __global__ decltype(own::{ENTRY}) own::{ENTRY};\n"
    assert evaluate_constants(
        kernel(KERNEL, (launch,), INSTANTIATION, extra=entry)
    ) == {
        "__launch_bounds__": 96,
        "T::kThreads": 96,
        "Chosen::kTile": 10,
        "sizeof(typenameChosen::Storage)": 20,
    }


def test_bounds_of_a_kernel_that_is_no_template_are_answered_and_bounds_nobody_means_are_not_asked() -> (
    None
):
    plain = KERNEL.replace("template <class T>\n", "").replace("T::", "Traits<32, 4>::")
    assert evaluate_constants(kernel(plain, ())) == {"__launch_bounds__": 32}
    directive = plain.replace(
        "__launch_bounds__", "\n#if 0\n__launch_bounds__"
    ).replace(" k(", "\n#endif\n k(")
    assert (
        evaluate_constants(kernel(directive.replace("::kThreads, 1", "::gone, 1"), ()))
        == {}
    )


def test_what_cannot_be_answered_leaves_the_program_as_it_was() -> None:
    plain = KERNEL.replace("template <class T>\n", "").replace("T::", "Traits<32, 4>::")
    assert (
        evaluate_constants(kernel(plain.replace("::kThreads, 1", "::gone, 1"), ()))
        == {}
    )


def test_a_kernel_runs_in_blocks_of_as_many_threads_as_its_types_have() -> None:
    entry = f"template __global__ decltype(own::{ENTRY}) own::{ENTRY};\n"
    tried = validate_on_cpu(kernel(KERNEL, (), INSTANTIATION, extra=entry))
    assert tried.run.behaviour is Behaviour.DETERMINISTIC
    assert tried.suite is not None
    assert tried.suite.cases[0].block == (96, 1, 1)
