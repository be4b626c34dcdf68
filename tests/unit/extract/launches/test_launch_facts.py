"""Launches as a user reads them: configuration as written, arguments by parameter, types,
function and set-up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.extract.unit.syntax_fallback import extract_facts_from_syntax
from crawler.model import InstantiationOrigin, Kernel, Layer
from tests.unit.extract.launches.launch_sources import HEADER, configuration, launch_in

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
SPECIALISED = """
template <typename T> __global__ void cast(T* out) { out[0] = T(1); }
template <> __global__ void cast<double>(double* out) { out[0] = 2.0; }
template <typename T> void both(T* out) {
  int blocks = 4;
  cast<T><<<blocks, 1>>>(out);
}
void all(float* f, double* d) { both(f); both(d); }
"""


@pytest.fixture(scope="module")
def kernels(
    project: Callable[..., Any], index_kernels: Callable[..., dict[str, Kernel]]
) -> dict[str, Kernel]:
    return index_kernels(project({"kernels.cuh": HEADER, "launch.cu": CUDA}).kernels())


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
        == "auto stream = at::cuda::getCurrentCUDAStream();\nconst int n = out.numel();\n"
        "dim3 grid(DIVUP(n, 128));\nconst int lanes = 128;"
    )
    assert {
        instantiation.arguments for instantiation in kernels["scale"].instantiations
    } == set(launch.template_arguments)
    assert {
        instantiation.label for instantiation in kernels["scale"].instantiations
    } == {
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
    for instantiation in kernels["tiled"].instantiations:
        assert instantiation.origin is InstantiationOrigin.LAUNCH
        assert instantiation.symbol.startswith("_Z5tiledI")


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


def test_no_launch_is_invented(kernels: dict[str, Kernel]) -> None:
    assert {name: len(kernel.launches) for name, kernel in kernels.items()} == {
        "scale": 4,
        "plain": 5,
        "tiled": 6,
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
