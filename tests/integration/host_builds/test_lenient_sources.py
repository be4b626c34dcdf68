"""What nvcc takes and host compilers do not, in programs that run on the CPU model."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.model import CompileCommand, Dialect, FlagsOrigin
from crawler.validate.programs.author_launches import ProgramReport, observe_program
from crawler.validate.programs.program_sources import ProgramSources

pytestmark = pytest.mark.apt
ARGUMENTS = """#include <cstdio>
#include <utility>
struct View {  // copies only from what it may change
  int* data;
  __host__ __device__ View(int* data) : data(data) {}
  __host__ __device__ View(View& other) : data(other.data) {}
};
struct Owner {  // is only moved, and then empty
  int* data;
  __host__ __device__ Owner(int* data) : data(data) {}
  __host__ __device__ Owner(Owner&& other) : data(other.data) { other.data = nullptr; }
};
struct Table { int rows[1000]; };

__global__ void by_view(View view, int n) { view.data[threadIdx.x] += n; }
__global__ void by_owner(Owner owner, int n) { owner.data[threadIdx.x] += n; }
__global__ void by_table(Table table, int* data) {
  table.rows[999] += threadIdx.x;
  data[threadIdx.x] += table.rows[999];
}
int main() {
  int* data;
  cudaMallocManaged(&data, 8 * sizeof(int));
  for (int i = 0; i < 8; ++i) data[i] = 0;
  View view(data);
  by_view<<<1, 8>>>(view, 1);
  by_view<<<1, 8>>>(View(data), 10);
  by_owner<<<1, 8>>>(Owner(data), 100);
  Table table{};
  table.rows[999] = 1000;
  by_table<<<1, 8>>>(table, data);
  cudaDeviceSynchronize();
  printf("%d %d\\n", data[0], data[7]);
}
"""
DEFAULTS = """#include <cstdio>
template <typename T> struct Table;
template <typename T> struct Table<T*> {
  T* data;
  void fill(int n);
  template <typename U> void set(U value, int n = 4);
};
template <typename T> void launch(T* data, int n, int value = 3);

template <typename T> __global__ void fill_kernel(T* data, int value) { data[threadIdx.x] = value; }
template <typename T>
void Table<T*>::fill(int n = 2) { fill_kernel<<<1, n>>>(data, 1); }
template <typename T> template <typename U>
void Table<T*>::set(U value, int n = 4) { fill_kernel<<<1, n>>>(data, int(value)); }
template <typename T>
void launch(T* data, int n, int value = (1, 3)) { fill_kernel<<<1, n>>>(data, value); }

int main() {
  int* data;
  cudaMallocManaged(&data, 8 * sizeof(int));
  launch(data, 8);
  Table<int*> table{data};
  table.set(7.0f);
  table.fill(2);
  cudaDeviceSynchronize();
  printf("%d %d %d\\n", data[0], data[3], data[7]);
}
"""
OCCUPANCY = """#include <cstdio>
#include <cuda_occupancy.h>
__global__ void fill_kernel(int* data) { data[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
int main() {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, fill_kernel);
  cudaOccDeviceProp device(properties);
  cudaOccFuncAttributes function(attributes);
  cudaFuncCache cache;
  cudaDeviceGetCacheConfig(&cache);
  cudaOccDeviceState state;
  state.cacheConfig = (cudaOccCacheConfig)cache;
  function.numRegs = 40;
  cudaOccResult result;
  // 40 registers: 1280 of a warp, 12 warps in each quarter
  cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, 256, 0);
  printf("%d %u ", result.activeBlocksPerMultiprocessor, result.limitingFactors);
  cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, 64, 40000);
  printf("%d %u ", result.activeBlocksPerMultiprocessor, result.limitingFactors);
  int grid = 0, block = 0;
  cudaOccMaxPotentialOccupancyBlockSize(&grid, &block, &device, &function, &state, 0);
  printf("%d %d\\n", grid, block);
  int* data;
  cudaMalloc(&data, 64 * sizeof(int));
  fill_kernel<<<1, 64>>>(data);
}
"""


def observe(folder: Path, text: str) -> ProgramReport:
    """Return the report on a program of one source."""
    folder.chmod(0o755)
    (folder / "main.cu").write_text(text)
    main = CompileCommand(
        directory=".",
        file="main.cu",
        arguments=(),
        dialect=Dialect.CUDA,
        origin=FlagsOrigin.SYNTHESISED,
    )
    return observe_program(folder, ProgramSources(main=main, neighbours=()))


def test_arguments_are_copied_as_their_types_allow(tmp_path: Path) -> None:
    report = observe(tmp_path, ARGUMENTS)

    assert (report.code, report.message) == ("", "")
    # each thread has its own table, of which it changes a row
    assert report.output == "1111 1118\n"
    assert [kernel.fault for kernel in report.kernels] == [None, None, None]


def test_defaults_that_a_template_states_again_are_no_error(tmp_path: Path) -> None:
    report = observe(tmp_path, DEFAULTS)

    assert (report.code, report.message) == ("", "")
    assert report.output == "1 7 3\n"


def test_occupancy_is_counted_by_its_limits(tmp_path: Path) -> None:
    report = observe(tmp_path, OCCUPANCY)

    assert (report.code, report.message) == ("", "")
    # by registers, by shared memory
    assert report.output == "6 2 4 4 8 768\n"
