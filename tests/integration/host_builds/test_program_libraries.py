"""Libraries that programs call beside their kernels, on the CPU model."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.model import CompileCommand, Dialect, FlagsOrigin
from crawler.validate.programs.author_launches import ProgramReport, observe_program
from crawler.validate.programs.program_sources import ProgramSources

pytestmark = pytest.mark.apt
CUDA = """#include <cstdio>
#include <vector>
#include <cublasLt.h>
#include <omp.h>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>

__global__ void add_one(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;
}
int main() {
  // 2 x 3 times 3 x 2, by columns
  const float a[] = {1, 4, 2, 5, 3, 6}, b[] = {1, 0, 2, 0, 1, 2}, one = 1, two = 2;
  float *da, *db, *dc, c[] = {1, 1, 1, 1};
  cudaMalloc(&da, sizeof(a));
  cudaMalloc(&db, sizeof(b));
  cudaMalloc(&dc, sizeof(c));
  cudaMemcpy(da, a, sizeof(a), cudaMemcpyHostToDevice);
  cudaMemcpy(db, b, sizeof(b), cudaMemcpyHostToDevice);
  cudaMemcpy(dc, c, sizeof(c), cudaMemcpyHostToDevice);
  cublasHandle_t handle;
  cublasLtHandle_t light;
  if (cublasCreate(&handle) || cublasLtCreate(&light)) return 1;
  if (cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &one, da, 2, db, 3, &two, dc, 2)) return 1;
  add_one<<<1, 32>>>(dc, 4);
  cudaMemcpy(c, dc, sizeof(c), cudaMemcpyDeviceToHost);
  printf("%g %g %g %g\\n", c[0], c[1], c[2], c[3]);

  thrust::device_vector<float> values(100, 2.0f);
  add_one<<<1, 128>>>(thrust::raw_pointer_cast(values.data()), 100);
  printf("%g %d\\n", thrust::reduce(values.begin(), values.end()), omp_get_max_threads());
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, add_one);
  printf("%d\\n", attributes.ptxVersion);
}
"""
REFUSED = """#include <cublas_v2.h>
__global__ void nothing() {}
int main() {
  nothing<<<1, 1>>>();
  cublasHandle_t handle;
  cublasCreate(&handle);
  int at = 0;
  return cublasIsamax(handle, 1, nullptr, 1, &at) == CUBLAS_STATUS_SUCCESS;
}
"""
HIP = """#define HIP_TEMPLATE_KERNEL_LAUNCH
#include <cstdio>
#include <hip/hip_complex.h>
#include <hip/hip_runtime.h>

template <int A, int B> __global__ void fill(int* x) { x[threadIdx.x] = A * threadIdx.x + B; }

int main() {
  int *x, count = 0;
  hipDeviceAttribute_t attribute = hipDeviceAttributeWarpSize;
  if (hipDeviceGetAttribute(&count, attribute, 0) != hipSuccess) return 1;
  if (hipHostMalloc(&x, 32 * sizeof(int), hipHostMallocMapped) != hipSuccess) return 1;
  hipLaunchKernelGGL(fill<3, 4>, dim3(1), dim3(32), 0, hipStreamDefault, x);
  if (hipDeviceSynchronize() != hipSuccess) return 1;
  const hipFloatComplex z = hipCmulf(make_hipFloatComplex(0, 1), make_hipFloatComplex(0, 1));
  printf("%d %d %g\\n", count, x[31], hipCrealf(z));
  return hipHostFree(x);
}
"""


def observe(
    tmp_path: Path, text: str, dialect: Dialect = Dialect.CUDA
) -> ProgramReport:
    tmp_path.chmod(0o755)
    (tmp_path / "main.cu").write_text(text)
    command = CompileCommand(
        directory=".",
        file="main.cu",
        arguments=(),
        dialect=dialect,
        origin=FlagsOrigin.SYNTHESISED,
    )
    return observe_program(tmp_path, ProgramSources(main=command))


def test_libraries_compute_on_the_host(tmp_path: Path) -> None:
    report = observe(tmp_path, CUDA)

    assert (report.code, report.message) == ("", "")
    # a * b, twice the old 1, and the kernel's 1: 7 + 2 + 1 is the first
    assert report.output.splitlines() == ["10 19 11 20", "300 1", "80"]
    assert [kernel.fault for kernel in report.kernels] == [None]


def test_a_call_that_a_library_lacks_is_named(tmp_path: Path) -> None:
    report = observe(tmp_path, REFUSED)

    assert (report.code, report.message) == ("unsupported-call", "cublasIsamax")


def test_hip_is_called_by_its_own_names(tmp_path: Path) -> None:
    report = observe(tmp_path, HIP, Dialect.HIP)

    assert (report.code, report.message, report.exit_code) == ("", "", 0)
    assert report.output == "32 97 -1\n"
