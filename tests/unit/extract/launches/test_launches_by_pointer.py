"""A launch through a pointer or a parameter is one of the kernels that it may hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crawler.extract.link import link_commit
from crawler.model import InstantiationOrigin, Kernel
from tests.unit.extract.launches.launch_sources import HEADER, configuration, launch_in

STORED = """#include "kernels.cuh"
struct Spec { void* exec; int threads; };
template <typename T> Spec choose(int n) {
  Spec spec;
#define CASE(N) if (n > N) { spec.exec = (void*)tiled<T, N>; spec.threads = N; return spec; }
  CASE(512)
  CASE(256)
#undef CASE
  return spec;
}
void run(float* out, bool narrow, int n) {
  Spec spec = narrow ? choose<short>(n) : choose<float>(n);
  void* args[] = {&out};
  cudaLaunchKernel(spec.exec, dim3(n), dim3(spec.threads), args, 0, 0);
}
template __global__ void tiled<char, 11>(char*);
template <typename T> void* pick() { return (void*)tiled<T, 1024>; }
void* picked() { return pick<long>(); }
"""
PASSED = """#include "kernels.cuh"
template <typename Kernel, typename... Args>
void launch(Kernel kernel, int blocks, Args... args) {
  const int threads = 64;
  kernel<<<blocks, threads>>>(args...);
}
template <typename T> void forward(void (*chosen)(T*), T* out) { launch(chosen, 3, out); }
struct Runner {
  static void run(void (*kernel)(float*), float* out) { kernel<<<7, 7>>>(out); }
};
void callers(float* f, int* i, bool wide) {
  launch(plain, 2, f, 4);
  forward(&tiled<int, 4>, i);
  auto kernel = wide ? tiled<float, 512> : tiled<float, 256>;
  Runner::run(kernel, f);
  auto local = [&](auto entry, int n) { entry<<<n, 5>>>(f); };
  local(tiled<float, 5>, 9);
  void (*unknown)(double*) = nullptr;
  unknown<<<1, 1>>>(f);
}
"""


def test_a_function_that_launches_its_parameter_launches_what_callers_pass(
    project: Callable[..., Any],
) -> None:
    commit = link_commit(project({"kernels.cuh": HEADER, "launch.cu": PASSED}).facts())
    types_by_launch = {
        (kernel.name, launch.enclosing, launch.grid): set(launch.template_arguments)
        for kernel in commit.kernels
        for launch in kernel.launches
    }
    assert types_by_launch == {
        ("plain", "launch", "2"): set(),
        ("tiled", "launch", "3"): {("int", "4")},
        ("tiled", "Runner::run", "7"): {("float", "512"), ("float", "256")},
        ("tiled", "callers", "9"): {("float", "5")},
    }
    assert [(launch.callee, launch.reason) for launch in commit.launches] == [
        ("unknown", "function-pointer: unknown")
    ]


BRANCHES = """#include "kernels.cuh"
struct Chosen { void (*run)(float*); };
void either(float* out, bool wide) {
  Chosen chosen{wide ? &tiled<float, 64> : &tiled<float, 32>};
  void* args[] = {&out};
#ifdef NEVER_DEFINED
  hipLaunchKernel((void*)chosen.run, dim3(3), dim3(32), args, 0, 0);
#else
  cudaLaunchKernel((void*)chosen.run, dim3(2), dim3(32), args, 0, 0);
#endif
}
"""


def test_a_pointer_leads_to_the_same_kernels_in_a_branch_that_is_left_out(
    project: Callable[..., Any],
) -> None:
    commit = link_commit(
        project({"kernels.cuh": HEADER, "launch.cu": BRANCHES}).facts()
    )
    (tiled,) = [kernel for kernel in commit.kernels if kernel.name == "tiled"]
    assert [
        (launch.grid, set(launch.template_arguments)) for launch in tiled.launches
    ] == [
        ("dim3(3)", {("float", "64"), ("float", "32")}),
        ("dim3(2)", {("float", "64"), ("float", "32")}),
    ]
    assert commit.launches == ()


def test_kernels_that_were_stored_are_launched_where_the_pointer_is(
    project: Callable[..., Any], index_kernels: Callable[..., dict[str, Kernel]]
) -> None:
    tiled = index_kernels(
        project({"kernels.cuh": HEADER, "stored.cu": STORED}).kernels()
    )["tiled"]
    launch = launch_in(tiled, "run")
    assert configuration(launch) == ("dim3(n)", "dim3(spec.threads)", "0", "0")
    stored_arguments = {
        (kind, size) for kind in ("float", "short") for size in ("512", "256")
    }
    assert set(launch.template_arguments) == stored_arguments
    origins = {
        instantiation.arguments: instantiation.origin
        for instantiation in tiled.instantiations
    }
    assert {
        arguments
        for arguments, origin in origins.items()
        if origin is InstantiationOrigin.LAUNCH
    } == stored_arguments
    assert origins[("char", "11")] is InstantiationOrigin.EXPLICIT
    assert origins[("long", "1024")] is InstantiationOrigin.DISPATCH
    assert len(origins) == 6
