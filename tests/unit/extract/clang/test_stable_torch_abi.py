"""Launches of sources that speak PyTorch's stable ABI know their types, as those that speak
ATen do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.model import Kernel

STABLE = """
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/Dispatch_v2.h>
#include <torch/headeronly/core/ScalarType.h>

template <typename T> __global__ void twice(T* out, const T* in) { out[threadIdx.x] = in[threadIdx.x]; }
template <typename T, typename I> __global__ void gathered(T* out, const T* in, const I* at) {
  out[threadIdx.x] = in[at[threadIdx.x]];
}
__global__ void scaled(torch::headeronly::Float8_e8m0fnu* scale, float* out) { out[0] = float(scale[0]); }

using torch::stable::Tensor;
#define DISPATCH_HALF(TYPE, ...)                                                                \\
  THO_DISPATCH_SWITCH(TYPE, "half", THO_DISPATCH_CASE(torch::headeronly::ScalarType::Half, __VA_ARGS__) \\
                                    THO_DISPATCH_CASE(torch::headeronly::ScalarType::BFloat16, __VA_ARGS__))

Tensor run(const Tensor& in, const Tensor& at) {
  STD_TORCH_CHECK(in.is_contiguous() && in.dim() == 2, "a matrix");
  const torch::stable::accelerator::DeviceGuard guard(in.get_device_index());
  void* found = nullptr;
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_current_cuda_stream(in.get_device_index(), &found));
  const auto stream = static_cast<cudaStream_t>(found);
  Tensor out = torch::stable::empty({in.size(0), in.size(1)}, in.scalar_type(), std::nullopt, in.device());
  DISPATCH_HALF(in.scalar_type(), [&] {
    twice<<<1, in.size(0), 0, stream>>>(out.mutable_data_ptr<scalar_t>(), in.const_data_ptr<scalar_t>());
  });
  THO_DISPATCH_V2(in.scalar_type(), "gathered", AT_WRAP([&] {
    using value_t = scalar_t;
    THO_DISPATCH_V2(at.scalar_type(), "gathered", AT_WRAP([&] {
      gathered<<<1, 32>>>((value_t*)out.data_ptr(), (const value_t*)in.data_ptr(), (const scalar_t*)at.data_ptr());
    }), torch::headeronly::ScalarType::Int, torch::headeronly::ScalarType::Long);
  }), AT_EXPAND(AT_FLOATING_TYPES), torch::headeronly::ScalarType::Half);
  scaled<<<1, 1>>>(nullptr, nullptr);
  return torch::stable::view(out, {-1});
}
STABLE_TORCH_LIBRARY(mine, m) { m.def("run(Tensor x, Tensor at) -> Tensor"); }
STABLE_TORCH_LIBRARY_IMPL(mine, CUDA, m) { m.impl("run", TORCH_BOX(&run)); }
"""


@pytest.fixture(scope="module")
def stable(project: Callable[..., Any]) -> tuple[tuple[Any, ...], dict[str, Kernel]]:
    planted = project({"stable.cu": STABLE})
    (facts,) = planted.facts()
    return facts.diagnostics, {kernel.name: kernel for kernel in planted.kernels()}


def test_the_stable_interface_parses(
    stable: tuple[tuple[Any, ...], dict[str, Kernel]],
) -> None:
    assert stable[0] == ()


def test_dispatch_by_cases_instantiates_each_type(
    stable: tuple[tuple[Any, ...], dict[str, Kernel]],
) -> None:
    (launch,) = stable[1]["twice"].launches
    assert set(launch.template_arguments) == {("c10::Half",), ("c10::BFloat16",)}
    assert launch.argument_map == (
        ("out", "out.mutable_data_ptr<scalar_t>()"),
        ("in", "in.const_data_ptr<scalar_t>()"),
    )


def test_dispatch_by_lists_of_types_nests(
    stable: tuple[tuple[Any, ...], dict[str, Kernel]],
) -> None:
    (launch,) = stable[1]["gathered"].launches
    values, indexes = ("double", "float", "c10::Half"), ("int", "long")
    assert set(launch.template_arguments) == {
        (value, index) for value in values for index in indexes
    }


def test_types_of_the_header_only_core_are_known_to_units(
    stable: tuple[tuple[Any, ...], dict[str, Kernel]],
) -> None:
    unit = stable[1]["scaled"].unit
    assert unit is not None
    assert unit.source.startswith("#include <kernelset/torch.cuh>")
