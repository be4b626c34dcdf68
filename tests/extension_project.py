"""A small project that extends PyTorch, with tests of its own. One of its sources does not build."""

from __future__ import annotations

from pathlib import Path

SETUP = """
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="scaling",
    packages=["scaling"],
    ext_modules=[CUDAExtension("scaling._C", ["csrc/ops.cpp", "csrc/kernels.cu", "csrc/tiles.cu"])],
    cmdclass={"build_ext": BuildExtension},
)
"""
OPS = """
#include <torch/extension.h>

torch::Tensor scale(torch::Tensor x, double factor);
torch::Tensor shift(torch::Tensor x);
torch::Tensor tile(torch::Tensor x);

torch::Tensor checked_scale(torch::Tensor x, double factor) {
  TORCH_CHECK(x.device().is_cuda(), "x must be a CUDA tensor");
  return scale(x, factor);
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("scale", &checked_scale);
  m.def("shift", &shift);
  m.def("tile", &tile);
}
"""
KERNELS = """
#include <ATen/cuda/CUDAContext.h>
#include <THC/THC.h>
#include <THC/THCAtomics.cuh>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

template <typename scalar_t>
__global__ void scale_kernel(const scalar_t* x, scalar_t* y, scalar_t factor, int64_t n) {
  const int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * factor;
}
__global__ void shift_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i + 1];
}

torch::Tensor scale(torch::Tensor x, double factor) {
  const c10::cuda::CUDAGuard guard(x.device());
  auto y = torch::empty_like(x);
  const int64_t n = x.numel();
  auto stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scale", [&] {
    scale_kernel<scalar_t><<<(n + 63) / 64, 64, 0, stream>>>(
        x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), scalar_t(factor), n);
  });
  return y;
}
torch::Tensor shift(torch::Tensor x) {
  auto y = torch::zeros_like(x);
  THCudaCheck(cudaGetLastError());
  shift_kernel<<<1, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
"""
TILES = """
#include <torch/extension.h>
#include <tiles_of_another_library.h>

torch::Tensor tile(torch::Tensor x) { return tiles::make(x); }
"""
TESTS = """
import os

import pytest
import torch

import scaling._C as ops


@pytest.mark.parametrize("dtype", [torch.float, torch.double])
def test_scale(dtype):
    x = torch.arange(200, dtype=dtype, device="cuda")
    assert torch.equal(ops.scale(x, 3.0).cpu(), x.cpu() * 3)


def test_a_host_tensor_is_refused():
    with pytest.raises(RuntimeError, match="must be a CUDA tensor"):
        ops.scale(torch.ones(3), 1.0)


def test_the_process_ends():
    os.abort()


def test_shift():
    x = torch.arange(10, dtype=torch.float, device="cuda")
    assert ops.shift(x)[0].item() == 1


def test_a_loop_that_waits_for_a_kernel():
    x = torch.ones(4, device="cuda", dtype=torch.float)
    while ops.scale(x, 2.0)[0].item() != 2:
        pass


def test_tile():
    ops.tile(torch.ones(4, device="cuda"))


@pytest.mark.skip(reason="not today")
def test_later():
    pass
"""


def write_extension_project(folder: Path) -> None:
    """Write the project into `folder`."""
    files = {
        "setup.py": SETUP,
        "csrc/ops.cpp": OPS,
        "csrc/kernels.cu": KERNELS,
        "csrc/tiles.cu": TILES,
        "scaling/__init__.py": "import torch\n",
        "tests/test_scaling.py": TESTS,
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
