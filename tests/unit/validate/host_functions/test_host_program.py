"""A project's function for a CPU is called in the kernel's place, with the kernel's arguments."""

from __future__ import annotations

import struct

import pytest

from crawler.model import Instantiation, KernelUnit
from crawler.validate.emulator.execution_report import Outcome
from crawler.validate.emulator.launch import (
    Buffer,
    KernelLaunch,
    pointer_argument,
    value_argument,
)
from crawler.validate.emulator.program import build_cpu_program
from crawler.validate.emulator.run_program import run_launches
from crawler.validate.host_functions.host_program import HostCall, build_host_program
from crawler.validate.host_functions.matching import list_host_functions
from tests.plain import plain_unit

pytestmark = pytest.mark.apt

SOURCE = """#include <kernelset/torch.cuh>
template <typename T> __global__ void scale(T* out, const T* in, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = in[i] * T(2);
}
template __global__ decltype(scale<float>) scale<float>;
"""
UNIT = plain_unit(
    SOURCE, Instantiation(arguments=("float",), label="float"), kernel_name="scale"
)
LAUNCH = KernelLaunch(
    grid=(1, 1, 1),
    block=(1, 1, 1),
    buffers=(
        Buffer(size=12),
        Buffer(size=12, content=struct.pack("3f", 1.0, 2.0, 4.0)),
    ),
    arguments=(
        pointer_argument(0),
        pointer_argument(1),
        value_argument(struct.pack("i", 3)),
    ),
)


def run_function(
    definitions: str, places: tuple[int, ...], unit: KernelUnit = UNIT
) -> tuple[float, ...] | None:
    """Return what a function leaves in the first buffer; `None` where it does not compile."""
    (function,) = list_host_functions(definitions)
    call = HostCall(definitions=definitions, function=function, argument_places=places)
    (signature,) = build_cpu_program(UNIT).signatures
    program = build_host_program(unit, call, signature, 0)
    if program is None:
        return None

    (execution,) = run_launches(program, [LAUNCH])
    assert execution.outcome is Outcome.DONE
    return struct.unpack("3f", execution.buffers[0])


def test_a_template_is_called_with_the_kernels_types() -> None:
    definitions = """
    template <typename T> void scale_cpu(int n, const T* in, T* out) {
      static_assert(sizeof(T) == 4);
      for (int i = 0; i < n; ++i) out[i] = in[i] * T(2);
    }
    """
    assert run_function(definitions, (2, 1, 0)) == (2.0, 4.0, 8.0)


def test_a_template_that_tells_its_type_by_arguments_needs_none() -> None:
    definitions = """
    template <typename T, typename Index>
    void scale_cpu(T* out, const T* in, Index n) {
      for (Index i = 0; i < n; ++i) out[i] = in[i] + in[i];
    }
    """
    assert run_function(definitions, (0, 1, 2)) == (2.0, 4.0, 8.0)


def test_what_is_left_out_at_the_end_is_the_default() -> None:
    definitions = """
    void scale_cpu(float* out, const float* in, int n, float factor = 10.0f) {
      for (int i = 0; i < n; ++i) out[i] = in[i] * factor;
    }
    """
    assert run_function(definitions, (0, 1, 2)) == (10.0, 20.0, 40.0)


def test_assertions_of_a_framework_are_not_asked() -> None:
    definitions = """
    void scale_cpu(float* out, const float* in, int n) {
      TORCH_CHECK(n > 1000, "too few: ", n);
      for (int i = 0; i < n; ++i) out[i] = std::max(in[i], 2.0f);
    }
    """
    assert run_function(definitions, (0, 1, 2)) == (2.0, 2.0, 4.0)


@pytest.mark.parametrize(
    "definitions",
    [
        "void f(float* out, const float* in, int n) { missing_helper(out, n); }",
        "void f(float* out, const float* in, Unknown n) {}",
        "void f(std::string* out, const float* in, int n) {}",
    ],
)
def test_what_does_not_compile_is_no_program(definitions: str) -> None:
    assert run_function(definitions, (0, 1, 2)) is None
