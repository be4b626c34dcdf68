"""Launches as a user reads them: configuration as written, arguments by parameter, types,
function and set-up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.extract.link import LinkedCommit, link_commit
from crawler.extract.unit.syntax_fallback import extract_facts_from_syntax
from crawler.model import InstantiationOrigin, Kernel, Launch, Layer

HEADER = """#pragma once
template <typename T> __global__ void scale(T* out, const T* in, int n, T factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * factor;
}
__global__ void plain(float* out, int n) { out[n] = 1; }
template <typename T, int N> __global__ void tiled(T* out) { __shared__ T tile[N]; out[0] = tile[0]; }
#define DIVUP(a, b) (((a) + (b) - 1) / (b))
"""
CUDA = """#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include "kernels.cuh"
#define LAUNCH(kernel, n, ...) \\
  do { \\
    int blocks = DIVUP(n, 256); \\
    kernel<<<blocks, 256, 0, stream>>>(__VA_ARGS__); \\
  } while (0)
#define LAUNCH_TWICE(kernel, n, ...) LAUNCH(kernel, n, __VA_ARGS__)
#define LAUNCH_PLAIN(n) plain<<<n, 64>>>(out, n)
void neighbour(float* out) {
  dim3 grid(77);
  int threads = 55;
  plain<<<grid, threads>>>(out, 1);
}
void chevrons(float* out, float* in, int n, cudaStream_t stream) {
  const int threads = 256;
  dim3 block(threads);
  int unrelated = 3;
  dim3 grid;
  grid.x = DIVUP(n, threads);  // a comment
  size_t shared = threads * sizeof(float);
  scale<float><<<grid, block, shared, stream>>>(out, in, n, 2.0f);
  scale<<<1, 2>>>((double*)nullptr, (const double*)nullptr, n, 1.0);
}
namespace calls {
void with_array(float* out, int n, cudaStream_t stream) {
  void* args[] = {&out, (void*)&n};
  dim3 grid(n), block(64);
  cudaLaunchKernel((void*)plain, grid, block, args, 16, stream);
  cudaLaunchCooperativeKernel((void*)tiled<int, 8>, grid, block, args, 0, stream);
}
void with_structure(int n, cudaStream_t stream) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(n, 2);
  config.blockDim = 96;
  config.stream = stream;
  cudaLaunchKernelEx(&config, tiled<double, 16>, (double*)nullptr);
  cudaLaunchConfig_t listed{dim3(n), dim3(5), 6, stream};
  cudaLaunchKernelEx(&listed, plain, (float*)nullptr, 7);
}
}
void in_macro(float* out, float* in, int n, cudaStream_t stream) {
  LAUNCH(plain, n, out, n);
  LAUNCH_TWICE((scale<float>), n + 1, out, in, n, 1.0f);
  LAUNCH_PLAIN(7);
}
void through_pointer(float* out, cudaStream_t stream) {
  auto kernel = &tiled<float, 32>;
  kernel<<<1, 32, 0, stream>>>(out);
}
void dispatch(at::Tensor out, at::Tensor in) {
  auto stream = at::cuda::getCurrentCUDAStream();
  const int n = out.numel();
  dim3 grid(DIVUP(n, 128));
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(out.scalar_type(), "dispatch", [&] {
    const int lanes = 128;
    scale<scalar_t><<<grid, lanes, 0, stream>>>(out.data_ptr<scalar_t>(), in.data_ptr<scalar_t>(), n, scalar_t(3));
  });
}
template <typename T, int B> void host_template(T* out, cudaStream_t stream) { tiled<T, B * 2><<<B, B>>>(out); }
template void host_template<float, 64>(float*, cudaStream_t);
void calls_host_template(double* out) { host_template<double, 16>(out, 0); }
template <typename T> struct Launcher { void run(T* out) { tiled<T, 3><<<1, 3>>>(out); } };
template struct Launcher<unsigned char>;
template <typename T> void never_instantiated(T* out) { tiled<T, 9><<<1, 9>>>(out); }
"""
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
SPECIALISED = """
template <typename T> __global__ void cast(T* out) { out[0] = T(1); }
template <> __global__ void cast<double>(double* out) { out[0] = 2.0; }
template <typename T> void both(T* out) {
  int blocks = 4;
  cast<T><<<blocks, 1>>>(out);
}
void all(float* f, double* d) { both(f); both(d); }
"""
HIP = """#include <hip/hip_runtime.h>
#include "kernels.cuh"
void calls(float* out, hipStream_t s) {
  hipLaunchKernelGGL(plain, dim3(3), dim3(64), 0, s, out, 4);
  hipLaunchKernelGGL(HIP_KERNEL_NAME(tiled<float, 4>), dim3(1), dim3(64), 128, s, out);
  hipLaunchKernelGGL((tiled<int, 8>), 2, 64, 0, 0, nullptr);
  void* args[] = {&out};
  hipLaunchKernel(reinterpret_cast<const void*>(&tiled<char, 2>), dim3(1), dim3(2), args, 0, s);
}
template <typename T> void host(T* out, hipStream_t s) {
  hipLaunchKernelGGL(HIP_KERNEL_NAME(tiled<T, 32>), dim3(1), dim3(64), 0, s, out);
}
#define INSTANTIATE(T) template void host<T>(T*, hipStream_t);
INSTANTIATE(short)
INSTANTIATE(long)
"""


@pytest.fixture(scope="module")
def kernels(
    project: Callable[..., Any], named: Callable[..., dict[str, Kernel]]
) -> dict[str, Kernel]:
    return named(project({"kernels.cuh": HEADER, "launch.cu": CUDA}).kernels())


@pytest.fixture(scope="module")
def hip(
    project: Callable[..., Any], named: Callable[..., dict[str, Kernel]]
) -> dict[str, Kernel]:
    return named(project({"kernels.cuh": HEADER, "launch.hip": HIP}).kernels())


def launch_in(kernel: Kernel, function: str, at: int = 0) -> Launch:
    found = [launch for launch in kernel.launches if launch.enclosing == function]
    assert found, [launch.enclosing for launch in kernel.launches]
    return found[at]


def configuration(launch: Launch) -> tuple[str, str, str, str]:
    return launch.grid, launch.block, launch.shared_bytes, launch.stream


def test_a_launch_is_as_it_is_written(kernels: dict[str, Kernel]) -> None:
    launch = launch_in(kernels["scale"], "chevrons")
    assert configuration(launch) == ("grid", "block", "shared", "stream")
    assert launch.argument_map == (
        ("out", "out"),
        ("in", "in"),
        ("n", "n"),
        ("factor", "2.0f"),
    )
    assert launch.template_arguments == (("float",),)
    assert launch.span.path == "launch.cu"
    assert (
        CUDA.splitlines()[launch.span.line - 1]
        .strip()
        .startswith("scale<float><<<grid")
    )
    assert launch.found_by is Layer.AST


def test_what_is_not_written_is_zero_and_types_are_deduced(
    kernels: dict[str, Kernel],
) -> None:
    launch = launch_in(kernels["scale"], "chevrons", 1)
    assert configuration(launch) == ("1", "2", "0", "0")
    assert launch.template_arguments == (("double",),)


def test_setup_is_what_computes_the_configuration_in_the_same_function(
    kernels: dict[str, Kernel],
) -> None:
    setup = launch_in(kernels["scale"], "chevrons").setup
    assert setup.splitlines() == [
        "const int threads = 256;",
        "dim3 block(threads);",
        "dim3 grid;",
        "grid.x = DIVUP(n, threads);",
        "size_t shared = threads * sizeof(float);",
    ]


def test_a_launching_call_names_its_arguments_by_an_array(
    kernels: dict[str, Kernel],
) -> None:
    launch = launch_in(kernels["plain"], "calls::with_array")
    assert configuration(launch) == ("grid", "block", "16", "stream")
    assert launch.argument_map == (("out", "out"), ("n", "n"))
    assert launch.setup == "dim3 grid(n), block(64);"
    cooperative = launch_in(kernels["tiled"], "calls::with_array")
    assert cooperative.template_arguments == (("int", "8"),)


def test_a_configuration_structure_is_looked_into(kernels: dict[str, Kernel]) -> None:
    launch = launch_in(kernels["tiled"], "calls::with_structure")
    assert configuration(launch) == ("dim3(n, 2)", "96", "0", "stream")
    assert launch.template_arguments == (("double", "16"),)
    listed = launch_in(kernels["plain"], "calls::with_structure")
    assert configuration(listed) == ("dim3(n)", "dim3(5)", "6", "stream")
    assert listed.argument_map == (("out", "(float*)nullptr"), ("n", "7"))


def test_a_macro_that_launches_what_it_is_given_is_seen_through(
    kernels: dict[str, Kernel],
) -> None:
    launch = launch_in(kernels["plain"], "in_macro")
    assert configuration(launch) == ("blocks", "256", "0", "stream")
    assert launch.argument_map == (("out", "out"), ("n", "n"))
    assert launch.setup == "int blocks = DIVUP(n, 256);"
    assert (
        CUDA[launch.span.offset : launch.span.end_offset] == "LAUNCH(plain, n, out, n)"
    )
    nested = launch_in(kernels["scale"], "in_macro")
    assert nested.block == "256"
    assert nested.template_arguments == (("float",),)


def test_a_macro_that_launches_one_kernel_is_seen_through(
    kernels: dict[str, Kernel],
) -> None:
    launch = launch_in(kernels["plain"], "in_macro", 1)
    assert configuration(launch) == ("7", "64", "0", "0")
    assert launch.argument_map == (("out", "out"), ("n", "7"))


def test_a_launch_through_a_pointer_is_one_of_its_kernel(
    kernels: dict[str, Kernel],
) -> None:
    launch = launch_in(kernels["tiled"], "through_pointer")
    assert launch.template_arguments == (("float", "32"),)
    assert launch.kernel_name == "tiled"


def test_every_type_of_a_dispatch_macro_is_an_instantiation(
    kernels: dict[str, Kernel],
) -> None:
    launch = launch_in(kernels["scale"], "dispatch")
    assert set(launch.template_arguments) == {("float",), ("double",), ("c10::Half",)}
    assert (
        launch.setup
        == "const int n = out.numel();\ndim3 grid(DIVUP(n, 128));\nconst int lanes = 128;"
    )
    assert {
        instantiation.arguments for instantiation in kernels["scale"].instantiations
    } == set(launch.template_arguments)
    assert {one.label for one in kernels["scale"].instantiations} == {
        "float",
        "double",
        "half",
    }


def test_host_templates_launch_with_the_types_that_they_are_instantiated_with(
    kernels: dict[str, Kernel],
) -> None:
    explicit_and_called = launch_in(kernels["tiled"], "host_template")
    assert set(explicit_and_called.template_arguments) == {
        ("float", "128"),
        ("double", "32"),
    }
    member = launch_in(kernels["tiled"], "Launcher::run")
    assert member.template_arguments == (("unsigned char", "3"),)


def test_a_host_template_that_nobody_instantiates_launches_without_types(
    kernels: dict[str, Kernel],
) -> None:
    launch = launch_in(kernels["tiled"], "never_instantiated")
    assert launch.template_arguments == ()
    assert ("float", "9") not in {
        instantiation.arguments for instantiation in kernels["tiled"].instantiations
    }


def test_every_launched_type_says_so_and_has_its_symbol(
    kernels: dict[str, Kernel],
) -> None:
    for one in kernels["tiled"].instantiations:
        assert one.origin is InstantiationOrigin.LAUNCH
        assert one.symbol.startswith("_Z5tiledI")


def test_kernels_that_were_stored_are_launched_where_the_pointer_is(
    project: Callable[..., Any], named: Callable[..., dict[str, Kernel]]
) -> None:
    tiled = named(project({"kernels.cuh": HEADER, "stored.cu": STORED}).kernels())[
        "tiled"
    ]
    launch = launch_in(tiled, "run")
    assert configuration(launch) == ("dim3(n)", "dim3(spec.threads)", "0", "0")
    stored = {(kind, size) for kind in ("float", "short") for size in ("512", "256")}
    assert set(launch.template_arguments) == stored
    origins = {
        instantiation.arguments: instantiation.origin
        for instantiation in tiled.instantiations
    }
    assert {
        arguments
        for arguments, origin in origins.items()
        if origin is InstantiationOrigin.LAUNCH
    } == stored
    assert origins[("char", "11")] is InstantiationOrigin.EXPLICIT
    assert origins[("long", "1024")] is InstantiationOrigin.DISPATCH
    assert len(origins) == 6


def test_a_specialisation_and_its_template_share_a_launch_site(
    project: Callable[..., Any],
) -> None:
    primary, special = project({"cast.cu": SPECIALISED}).kernels()
    assert [instantiation.arguments for instantiation in primary.instantiations] == [
        ("float",)
    ]
    for kernel, types in ((primary, ("float",)), (special, ("double",))):
        (launch,) = kernel.launches
        assert launch.template_arguments == (types,)
        assert launch.setup == "int blocks = 4;"


def test_hip_launches_are_read_by_their_own_calls(hip: dict[str, Kernel]) -> None:
    launch = launch_in(hip["plain"], "calls")
    assert configuration(launch) == ("dim3(3)", "dim3(64)", "0", "s")
    assert launch.argument_map == (("out", "out"), ("n", "4"))
    by_name, in_parentheses, by_array = (
        launch_in(hip["tiled"], "calls", index) for index in range(3)
    )
    assert configuration(by_name) == ("dim3(1)", "dim3(64)", "128", "s")
    assert by_name.template_arguments == (("float", "4"),)
    assert in_parentheses.template_arguments == (("int", "8"),)
    assert by_array.template_arguments == (("char", "2"),)
    assert by_array.argument_map == (("out", "out"),)


def test_hip_launches_in_host_templates_have_types(hip: dict[str, Kernel]) -> None:
    assert launch_in(hip["tiled"], "host").template_arguments == (
        ("short", "32"),
        ("long", "32"),
    )


def test_no_launch_is_invented(
    kernels: dict[str, Kernel], hip: dict[str, Kernel]
) -> None:
    assert {name: len(kernel.launches) for name, kernel in kernels.items()} == {
        "scale": 4,
        "plain": 5,
        "tiled": 6,
    }
    assert {name: len(kernel.launches) for name, kernel in hip.items()} == {
        "scale": 0,
        "plain": 1,
        "tiled": 4,
    }


def test_a_parse_that_fails_still_shows_launches(project: Callable[..., Any]) -> None:
    planted = project(
        {
            "alone.cu": HEADER
            + "namespace a { namespace {\n"
            + SPECIALISED.replace("both(", "go(")
            + "}}"
        }
    )
    facts = extract_facts_from_syntax(
        planted.root, planted.commands[0], "parse-crashed"
    )
    (sighting,) = facts.launches
    assert sighting.launch.found_by is Layer.SYNTACTIC
    assert sighting.launch.enclosing == "a::go"
    assert sighting.launch.setup == "int blocks = 4;"
    assert facts.failure == "parse-crashed"
    assert [kernel.reason for kernel in facts.kernels] == ["parse-crashed"] * 5


MACROS = """#include "kernels.cuh"
#define CALL(N, ...) tiled<float, N><<<1, N>>>(__VA_ARGS__)
#define PICK(big, out)                  \\
  if (big) {                            \\
    tiled<int, 128><<<2, 128>>>(out);   \\
  } else {                              \\
    tiled<int, 64><<<1, 64>>>(out);     \\
  }
#define EITHER(N, out) \\
  case N: CALL(N, out); break;
#define GLUED(which, out) which##d<float, 1><<<5, 1>>>(out)
#define UNUSED(out) plain<<<9, 9>>>(out, 9)
void uses(float* f, int* i, int n) {
  PICK(n > 3, i);
  switch (n) {
    EITHER(8, f)
    EITHER(16, f)
  }
  GLUED(tile, f);
}
template <typename T> void left_alone(T* out) { CALL(32, out); }
#define ARGUMENTS out, \\
                  n + 1
#define CONFIGURATION 3, 4
void listed(float* out, int n) { plain<<<CONFIGURATION>>>(ARGUMENTS); }
"""


@pytest.fixture(scope="module")
def in_macros(project: Callable[..., Any]) -> LinkedCommit:
    return link_commit(project({"kernels.cuh": HEADER, "launch.cu": MACROS}).facts())


def test_each_launch_of_a_macro_is_one_at_the_use(in_macros: LinkedCommit) -> None:
    (tiled,) = [kernel for kernel in in_macros.kernels if kernel.name == "tiled"]
    shown = [
        (launch.grid, launch.block, launch.template_arguments, launch.argument_map)
        for launch in tiled.launches
    ]
    assert shown == [
        ("2", "128", (("int", "128"),), (("out", "i"),)),
        ("1", "64", (("int", "64"),), (("out", "i"),)),
        ("1", "8", (("float", "8"),), (("out", "f"),)),
        ("1", "16", (("float", "16"),), (("out", "f"),)),
        ("5", "1", (("float", "1"),), (("out", "f"),)),
        ("1", "32", (("float", "32"),), (("out", "out"),)),
    ]
    assert tiled.launches[0].span == tiled.launches[1].span
    bodies = [one.body for one in tiled.launches if one.body]
    assert {MACROS[body.offset : body.end_offset] for body in bodies} == {"<<<"}


def test_a_macro_may_stand_for_a_list_of_arguments(in_macros: LinkedCommit) -> None:
    (plain,) = [kernel for kernel in in_macros.kernels if kernel.name == "plain"]
    (launch,) = plain.launches
    assert launch.argument_map == (("out", "out"), ("n", "n + 1"))
    assert (launch.grid, launch.block) == ("3", "4")


def test_a_launch_without_a_kernel_says_why(in_macros: LinkedCommit) -> None:
    reasons = {launch.callee: launch.reason for launch in in_macros.launches}
    assert reasons == {
        "tiled<float, N>": "expanded: its rows stand at 3 uses",
        "tiled<int, 128>": "expanded: its rows stand at 1 uses",
        "tiled<int, 64>": "expanded: its rows stand at 1 uses",
        "which##d<float, 1>": "expanded: its rows stand at 1 uses",
        "plain": "macro-unused: no use of it was seen",
    }


GIVEN = """#include "kernels.cuh"
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
    commit = link_commit(project({"kernels.cuh": HEADER, "launch.cu": GIVEN}).facts())
    shown = {
        (kernel.name, launch.enclosing, launch.grid): set(launch.template_arguments)
        for kernel in commit.kernels
        for launch in kernel.launches
    }
    assert shown == {
        ("plain", "launch", "2"): set(),
        ("tiled", "launch", "3"): {("int", "4")},
        ("tiled", "Runner::run", "7"): {("float", "512"), ("float", "256")},
        ("tiled", "callers", "9"): {("float", "5")},
    }
    assert [(one.callee, one.reason) for one in commit.launches] == [
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


def test_of_builds_that_differ_by_macros_a_unit_is_of_the_plainest(
    project: Callable[..., Any],
) -> None:
    text = """__global__ void k(float* x) {
#ifndef LOOSE
  __syncthreads();
#endif
  x[0] = 1;
}
void run(float* x) { k<<<1, 1>>>(x); }
"""
    special, plain = (
        project({"a.cu": text}, "-DLOOSE").facts(),
        project({"a.cu": text}).facts(),
    )
    for order in ((*special, *plain), (*plain, *special)):
        (kernel,) = link_commit(order).kernels
        assert kernel.unit is not None
        assert "#define LOOSE" not in kernel.unit.source
