"""Tests of a project that extends PyTorch, run with its kernels on the CPU model."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from crawler.checkout.source_tree import open_tree
from crawler.validate.suites.instance_tests import InstanceTests
from crawler.validate.suites.suite_report import SuiteReport, observe_suite
from crawler.validate.suites.torch_environment import open_torch_environment

pytestmark = pytest.mark.apt
PYTHON = os.environ.get("KERNELSET_TORCH_PYTHON", "")
SETUP = """
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="scaling",
    packages=["scaling"],
    ext_modules=[CUDAExtension("scaling._C", ["csrc/ops.cpp", "csrc/kernels.cu"])],
    cmdclass={"build_ext": BuildExtension},
)
"""
OPS = """
#include <torch/extension.h>

torch::Tensor scale(torch::Tensor x, double factor);
torch::Tensor shift(torch::Tensor x);

torch::Tensor checked_scale(torch::Tensor x, double factor) {
  TORCH_CHECK(x.device().is_cuda(), "x must be a CUDA tensor");
  return scale(x, factor);
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("scale", &checked_scale);
  m.def("shift", &shift);
}
"""
KERNELS = """
#include <ATen/cuda/CUDAContext.h>
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
  shift_kernel<<<1, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
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


@pytest.mark.skip(reason="not today")
def test_later():
    pass
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> SuiteReport:
    if not Path(PYTHON).is_file():
        pytest.skip("KERNELSET_TORCH_PYTHON names no Python with PyTorch")

    folder = tmp_path_factory.mktemp("scaling")
    folder.chmod(0o755)
    files = {
        "setup.py": SETUP,
        "csrc/ops.cpp": OPS,
        "csrc/kernels.cu": KERNELS,
        "scaling/__init__.py": "import torch\n",
        "tests/test_scaling.py": TESTS,
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)

    return observe_suite(open_tree(folder), open_torch_environment(PYTHON))


def find_kernel(report: SuiteReport, arguments: str) -> InstanceTests:
    """Return what the tests showed of the instantiation with these arguments."""
    (kernel,) = (each for each in report.kernels if each.arguments == arguments)
    return kernel


def test_the_extension_is_built_and_its_tests_are_counted(report: SuiteReport) -> None:
    assert (report.code, report.broken) == ("", {})
    assert report.modules == ("scaling._C",)
    assert report.outcomes == {"passed": 5, "crashed": 1, "skipped": 1}
    assert report.launching == 4


def test_each_instantiation_has_its_own_tests(report: SuiteReport) -> None:
    for name, tests in (("float", 2), ("double", 1)):
        kernel = find_kernel(report, f"[scalar_t = {name}]")
        assert (kernel.launches, kernel.passing, kernel.failing) == (tests, tests, ())
        assert kernel.place.path == "csrc/kernels.cu"


def test_a_test_that_looks_at_results_notices_that_they_change(
    report: SuiteReport,
) -> None:
    kernel = find_kernel(report, "[scalar_t = float]")

    assert kernel.checking_test == "tests/test_scaling.py::test_scale[dtype0]"
    assert kernel.fault is None


def test_a_fault_that_its_test_does_not_see_is_told(report: SuiteReport) -> None:
    kernel = find_kernel(report, "")

    assert kernel.passing == 1
    assert kernel.fault is not None
    assert kernel.fault.code == "out-of-bounds"
    assert "of an allocation of 40" in kernel.fault.message
