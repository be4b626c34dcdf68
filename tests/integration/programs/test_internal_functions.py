"""Sources that each have a device function of the same name, linked into one program."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.checkout.source_tree import open_tree
from crawler.validate.suites.suite_report import observe_suite

pytestmark = [pytest.mark.apt, pytest.mark.timeout(600)]

SOURCE = """
struct Shift {
  int by;
  __device__ Shift() : by(NUMBER) {}
  __device__ int get() const;
};
__device__ int Shift::get() const { return by; }
__device__ inline int shift(int x) { return x + Shift().get(); }
__global__ void shift_NUMBER(int* x) { x[threadIdx.x] = shift(x[threadIdx.x]); }
void launch_NUMBER(int* x) { shift_NUMBER<<<1, 4>>>(x); }
"""
MAIN = """
#include <cuda_runtime.h>
void launch_3(int* x);
void launch_5(int* x);
int run(void (*launch)(int*)) {
  int host[4] = {0, 0, 0, 0};
  int* device;
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  launch(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(device);
  return host[3];
}
int main() { return run(launch_3) == 3 && run(launch_5) == 5 ? 0 : 1; }
"""
MAKEFILE = """
NVCC ?= nvcc
check: shifts
	./shifts
shifts: three.o five.o main.o
	$(NVCC) -o $@ $^
%.o: %.cu
	$(NVCC) -O2 -c -o $@ $<
"""


def test_each_source_calls_the_device_function_of_its_own(tmp_path: Path) -> None:
    for name, number in (("three", 3), ("five", 5)):
        source = SOURCE.replace("NUMBER", str(number))
        (tmp_path / f"{name}.cu").write_text(source)
    (tmp_path / "main.cu").write_text(MAIN)
    (tmp_path / "Makefile").write_text(MAKEFILE)

    report = observe_suite(open_tree(tmp_path), None)

    assert report.outcomes == {"passed": 1}
    assert sorted(kernel.place.path for kernel in report.kernels) == [
        "five.cu",
        "three.cu",
    ]
