"""Small projects that build themselves, with tests of their own."""

from __future__ import annotations

from pathlib import Path

CMAKE = """
cmake_minimum_required(VERSION 3.18)
project(scaling LANGUAGES CXX CUDA)
option(SCALING_BUILD_TESTS "Build the tests" OFF)
add_library(scaling STATIC src/scaling.cu)
target_include_directories(scaling PUBLIC src)
if(SCALING_BUILD_TESTS)
  enable_testing()
  find_package(GTest REQUIRED)
  add_executable(scaling_tests tests/scaling_tests.cpp)
  target_link_libraries(scaling_tests scaling GTest::gtest_main)
  add_test(NAME all COMMAND scaling_tests)
  add_executable(filled tests/filled.cu)
  add_test(NAME filled COMMAND filled 100)
  add_test(NAME refused COMMAND filled 3)
  set_tests_properties(refused PROPERTIES WILL_FAIL TRUE)
  # what a test builds, and another one runs
  add_executable(later EXCLUDE_FROM_ALL tests/later.cu)
  add_test(NAME later_build COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target later)
  set_tests_properties(later_build PROPERTIES FIXTURES_SETUP later_fixture)
  add_test(NAME later_test COMMAND later 100)
  set_tests_properties(later_test PROPERTIES FIXTURES_REQUIRED later_fixture)
endif()
"""
HEADER = """
#pragma once
#include <cuda_runtime.h>

template <typename T>
void scale(const T* x, T* y, T factor, int n);
void shift(const float* x, float* y, int n);
"""
KERNELS = """
#include "scaling.h"

template <typename T>
__global__ void scale_kernel(const T* x, T* y, T factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * factor;
}
__global__ void shift_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i + 1];
}
template <typename T>
void scale(const T* x, T* y, T factor, int n) {
  scale_kernel<T><<<(n + 63) / 64, 64>>>(x, y, factor, n);
}
template void scale(const float*, float*, float, int);
template void scale(const double*, double*, double, int);
void shift(const float* x, float* y, int n) { shift_kernel<<<1, 64>>>(x, y, n); }
"""
TESTS = """
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "scaling.h"

template <typename T>
std::vector<T> run(void (*call)(const T*, T*, int), const std::vector<T>& x) {
  const size_t bytes = x.size() * sizeof(T);
  T *from, *to;
  cudaMalloc(&from, bytes);
  cudaMalloc(&to, bytes);
  cudaMemcpy(from, x.data(), bytes, cudaMemcpyHostToDevice);
  call(from, to, int(x.size()));
  std::vector<T> y(x.size());
  cudaMemcpy(y.data(), to, bytes, cudaMemcpyDeviceToHost);
  cudaFree(from);
  cudaFree(to);
  return y;
}
template <typename T>
void check_scale() {
  std::vector<T> x(200);
  for (int i = 0; i < 200; ++i) x[i] = T(i);
  const auto y = run<T>([](const T* x, T* y, int n) { scale<T>(x, y, T(3), n); }, x);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(y[i], x[i] * 3);
}
TEST(Scale, Floats) { check_scale<float>(); }
TEST(Scale, Doubles) { check_scale<double>(); }
TEST(Shift, First) { EXPECT_EQ(run<float>(shift, std::vector<float>(10, 1.0f))[0], 1.0f); }
TEST(Host, Later) { GTEST_SKIP() << "not today"; }
TEST(Host, Fails) { EXPECT_EQ(1, 2); }
TEST(Host, Ends) { std::abort(); }
TEST(Host, DISABLED_Never) { FAIL(); }
"""
FILLED = """
#include <cstdio>
#include <cstdlib>

__global__ void fill_kernel(int* x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = 2 * i;
}
int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 0;
  if (n < 10) return 1;
  int* x;
  cudaMallocManaged(&x, n * sizeof(int));
  fill_kernel<<<1, 32>>>(x, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i) {
    if (x[i] != 2 * i) return 1;
  }
  puts("all is well");
}
"""
HIP_FILLED = """
#include <hip/hip_runtime.h>
#include "count.h"

__global__ void fill_kernel(int* x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = 2 * i;
}
int main(int argc, char** argv) {
  const int n = read_count(argc, argv);
  int* host;
  if (n < 10 || hipHostMalloc(&host, n * sizeof(int), hipHostMallocDefault)) return 1;
  int* x;
  if (hipMalloc(&x, n * sizeof(int)) != hipSuccess) return 1;
  hipLaunchKernelGGL(fill_kernel, dim3(1), dim3(32), 0, hipStreamDefault, x, n);
  if (hipMemcpy(host, x, n * sizeof(int), hipMemcpyDeviceToHost) != hipSuccess) return 1;
  for (int i = 0; i < n; ++i) {
    if (host[i] != 2 * i) return 1;
  }
  return hipHostFree(host) || hipFree(x);
}
"""
HIP_FILES = {
    "count.h": "int read_count(int argc, char** argv);\n",
    # without kernels, and yet a source of HIP to hipcc
    "count.cpp": """
#include <hip/hip_runtime.h>
#include <cstdlib>
#include "count.h"

int read_count(int argc, char** argv) {
  int devices = 0;
  if (hipGetDeviceCount(&devices) != hipSuccess || devices != 1) return 0;
  return argc > 1 ? atoi(argv[1]) : 0;
}
""",
    "filled.hip": HIP_FILLED,
}
HIP_CMAKE = """
cmake_minimum_required(VERSION 3.21)
project(filling LANGUAGES CXX)
enable_language(HIP)
find_package(hip REQUIRED)
enable_testing()
add_executable(filled filled.hip count.cpp)
target_link_libraries(filled hip::host)
add_test(NAME filled COMMAND filled 100)
"""
HIP_MAKEFILE = """
CXX = $(ROCM_PATH)/bin/hipcc
filled: filled.hip count.cpp
\t$(CXX) --offload-arch=gfx1030 -std=c++17 -Wall $^ -o $@
test: filled
\t./filled 100
"""
CLANG_MAKEFILE = """
filled: filled.o
\tclang++ $^ -o $@ -L$(CUDA_PATH)/lib64 -lcudart
filled.o: filled.cc
\tclang++ -x cuda --cuda-gpu-arch=sm_80 --cuda-path=$(CUDA_PATH) -c $< -o $@
check: filled
\tFILL_COUNT=50 ./filled
"""
MESON = """
project('filling', 'cpp', 'cuda')
filled = executable('filled', 'filled.cu')
test('filled', filled, env: ['FILL_COUNT=50'])
"""
MAKEFILE = """
NVCC ?= nvcc
all: filled
filled: filled.o
\t$(NVCC) -arch=sm_80 $^ -o $@
%.o: %.cu
\t$(NVCC) -arch=sm_80 -O3 -Xcompiler -Wall -c $< -o $@
check: filled
\tFILL_COUNT=50 ./filled
.PHONY: all check
"""


# fills nothing unless a rule or a test sets FILL_COUNT
_COUNTED = FILLED.replace(
    "argc > 1 ? atoi(argv[1]) : 0",
    'getenv("FILL_COUNT") ? atoi(getenv("FILL_COUNT")) : 0',
)


def write_cmake_project(folder: Path) -> None:
    """Write a project of CMake, with tests of CTest and GoogleTest, into `folder`."""
    _write_files(
        folder,
        {
            "CMakeLists.txt": CMAKE,
            "src/scaling.h": HEADER,
            "src/scaling.cu": KERNELS,
            "tests/scaling_tests.cpp": TESTS,
            "tests/filled.cu": FILLED,
            "tests/later.cu": FILLED.replace("fill_kernel", "later_kernel"),
        },
    )


def write_make_project(folder: Path) -> None:
    """Write a project of make, with a rule that checks it, into `folder`.

    Its program does nothing but by that rule.
    """
    _write_files(folder, {"Makefile": MAKEFILE, "filled.cu": _COUNTED})


def write_unchecked_project(folder: Path) -> None:
    """Write a project of make whose program nothing runs."""
    makefile = MAKEFILE.partition("check:")[0]
    filled = FILLED.replace("atoi(argv[1]) : 0", "atoi(argv[1]) : 50")
    _write_files(folder, {"Makefile": makefile, "filled.cu": filled})


def write_clang_project(folder: Path) -> None:
    """Write a project of make that compiles its kernels with clang, from a file that any C++
    compiler would take for its own.
    """
    _write_files(folder, {"Makefile": CLANG_MAKEFILE, "filled.cc": _COUNTED})
    # what tells that there is device code
    _write_files(folder, {"other.cu": "__global__ void other() {}\n"})


def write_meson_project(folder: Path) -> None:
    """Write a project of Meson, with a test of its own."""
    _write_files(folder, {"meson.build": MESON, "filled.cu": _COUNTED})


def write_hip_project(folder: Path, system: str) -> None:
    """Write a project in HIP that `cmake` or `make` builds."""
    name, text = {
        "cmake": ("CMakeLists.txt", HIP_CMAKE),
        "make": ("Makefile", HIP_MAKEFILE),
    }[system]
    _write_files(folder, {name: text, **HIP_FILES})


def _write_files(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
