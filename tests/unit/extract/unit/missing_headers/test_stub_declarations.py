"""Host code that leans on headers which are not here: its launches have types all the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.link import link_commit
from crawler.extract.syntax.unit_text import UnitText
from crawler.extract.unit.missing_headers.stub_declarations import declare_stubs
from crawler.model import InstantiationOrigin, Kernel
from tests.unit.extract.builders import unit_of

_SOURCE = """
#include <absent/smart.hpp>
#include "proto.pb.h"
namespace app {
using absent::smart;
template <typename T> __global__ void relu(int n, const T *in, T *out, T slope) { *out = *in > 0 ? *in : slope; }
template <typename T> __global__ void shift(T *out, T by) { *out += by; }
template <int N> __global__ void fixed(const absent::vec3 *at, float *out) { *out = N; }
template <typename T> __global__ void odd(T given, float *out) { *out = 1; }

template <typename T> struct Blob { int size() const; smart<T> all; };

template <typename T> class Layer {
 public:
  explicit Layer(const LayerParameter &given) : given_(given) {}
  void forward(const T *in, T *out, Stream_t stream);
 private:
  LayerParameter given_;
  smart<Blob<T>> held_;
};

template <typename T> void Layer<T>::forward(const T *in, T *out, Stream_t stream) {
  // what .explicit and .new say in a comment is no member
  T slope = given_.relu_param().slope() * 2;
  CHECK_EQ(in, out) << "never";
  relu<T><<<1, given_.threads(), 0, stream>>>(held_->size(), in, out, slope);
  shift<T><<<1, 32>>>(out, held_.template get<T>());
}
template class Layer<float>;
template class Layer<double>;

void run(absent::deep::Handle handle, const absent::vec3 *at, float *out, Matrix<int, 3> m) {
  fixed<4><<<handle.grid(), 64>>>(at, out);
  odd<<<1, 1>>>(handle, out);
}
}
"""


_BENCHMARK = """
#include <benchmark/benchmark.h>
#include <vector>
template <class T, int N> __global__ void scan(T *out) { out[threadIdx.x] += N; }
template <class T, int N> void run(benchmark::State &state, int times) {
  T *out = nullptr;
  for (auto _ : state) {
    scan<T, N><<<1, N>>>(out);
    state.SetIterationTime(1.0f);
  }
  state.SetItemsProcessed(state.iterations() * times);
}
#define CREATE(T, N) benchmark::RegisterBenchmark(#T, run<T, N>, times)
void add(std::vector<benchmark::internal::Benchmark *> &all, int times) {
  std::vector<benchmark::internal::Benchmark *> fresh = {CREATE(int, 64), CREATE(float, 32)};
  all.insert(all.end(), fresh.begin(), fresh.end());
}
"""


@pytest.fixture(scope="module")
def kernels(project: Callable[..., Any]) -> dict[str, Kernel]:
    return {
        kernel.name: kernel
        for kernel in link_commit(project({"layer.cu": _SOURCE}).facts()).kernels
    }


def test_members_of_a_class_with_unknown_parts_launch_with_its_types(
    kernels: dict[str, Kernel],
) -> None:
    for name in ("relu", "shift"):
        (launch,) = kernels[name].launches
        assert launch.template_arguments == (("float",), ("double",))
        assert launch.enclosing == "app::Layer::forward"
        assert {
            instantiation.origin for instantiation in kernels[name].instantiations
        } == {"launch"}


def test_a_function_that_takes_unknown_types_launches_what_it_says(
    kernels: dict[str, Kernel],
) -> None:
    (launch,) = kernels["fixed"].launches
    assert (launch.template_arguments, launch.grid, launch.found_by) == (
        (("4",),),
        "handle.grid()",
        "ast",
    )


def test_a_type_that_nobody_declared_is_no_template_argument(
    kernels: dict[str, Kernel],
) -> None:
    assert [launch.template_arguments for launch in kernels["odd"].launches] == [()]
    assert all(
        "kernelset" not in argument
        for instantiation in kernels["odd"].instantiations
        for argument in instantiation.arguments
    )


def test_what_is_missing_is_still_told(project: Callable[..., Any]) -> None:
    (facts,) = project({"layer.cu": _SOURCE}).facts()
    messages = [diagnostic.message for diagnostic in facts.diagnostics]
    assert messages[:2] == [
        "'absent/smart.hpp' file not found",
        "'proto.pb.h' file not found",
    ]
    assert "unknown type name 'LayerParameter'" in messages


def test_a_unit_names_the_headers_that_its_project_lacks(
    kernels: dict[str, Kernel],
) -> None:
    assert kernels["fixed"].unit is not None
    assert kernels["fixed"].unit.missing_headers == ("absent/smart.hpp", "proto.pb.h")


def test_a_type_that_a_unit_names_has_its_launches_though_its_driver_is_not_here(
    project: Callable[..., Any],
) -> None:
    operators = """
template <typename T> __global__ void fill(T *out, int by) { *out = T(by); }
template <typename F, typename... A> void launch(F kernel, A... given) { kernel<<<1, 1>>>(given...); }
template <int N, typename T> struct Plain { T values[N]; };
template <int N, typename T> struct Operator {
  struct Invoker { void run(T *out) { const auto kernel = fill<T>; launch(kernel, out, N); } };
};
"""
    example = """#include "operators.cuh"
namespace {
using Chosen = Operator<4, Plain<2, float>>;
using Count = Plain<3, int>;
}
#include "run_example.inc"
int main() { return run_example(); }
"""
    files = {"operators.cuh": operators, "example.cu": example}
    kernels = {
        kernel.name: kernel for kernel in link_commit(project(files).facts()).kernels
    }
    assert [
        instantiation.arguments for instantiation in kernels["fill"].instantiations
    ] == [("Plain<2, float>",)]
    assert "T values[N];" in unit_of(kernels["fill"]).source


def test_operators_that_a_unit_names_together_have_their_launches(
    project: Callable[..., Any],
) -> None:
    operators = """
template <class... T> struct List {};
template <class T> __global__ void fill(T *out) { *out = T(1); }
template <class T> struct Operator { void run(T *out) { fill<T><<<1, 1>>>(out); } };
"""
    example = """#include "operators.cuh"
using Chosen = List<Operator<float>, List<int>, List<Operator<double>>>;
#include "run_example.inc"
"""
    (kernel,) = project({"operators.cuh": operators, "example.cu": example}).kernels()
    assert [instantiation.arguments for instantiation in kernel.instantiations] == [
        ("float",),
        ("double",),
    ]


def test_what_stands_behind_a_variable_that_cannot_be_made_has_its_launches(
    project: Callable[..., Any],
) -> None:
    source = """
#include <absent/driver.hpp>
template <typename T> __global__ void check(T *out) { *out = 1; }
template <typename T> void reference(T *out) { check<<<1, 64>>>(out); }
template <typename T> struct Operator : absent::Base<T> { typename absent::Base<T>::Arguments given; };
template <typename Shape, typename T> struct Runner {
  bool verify(T *out) { reference(out); return true; }
  bool run(T *out) {
    typename Operator<T>::Arguments arguments{out};
    return arguments.good() && verify(out);
  }
};
template <typename T> void all(T *out) {
  auto run = [&](auto shape) { Runner<decltype(shape), T> runner; runner.run(out); };
  run(16L);
}
int main() { all(static_cast<float *>(nullptr)); }
"""
    (kernel,) = link_commit(project({"example.cu": source}).facts()).kernels
    assert [instantiation.arguments for instantiation in kernel.instantiations] == [
        ("float",)
    ]
    assert kernel.instantiations[0].origin is InstantiationOrigin.LAUNCH


def test_a_loop_over_what_a_missing_header_declares_launches_with_its_types(
    project: Callable[..., Any],
) -> None:
    (kernel,) = project({"scan.cu": _BENCHMARK}).kernels()
    assert {
        instantiation.arguments
        for instantiation in kernel.instantiations
        if instantiation.origin is InstantiationOrigin.LAUNCH
    } == {("int", "64"), ("float", "32")}


def test_what_a_comment_says_of_a_type_makes_it_no_namespace(tmp_path: Path) -> None:
    source = """
// absent::vec3::size tells how many
void run(const absent::vec3 *at) { log("absent::vec3::size"); }
"""
    (tmp_path / "a.cu").write_text(source)
    stubs = declare_stubs(
        ["use of undeclared identifier 'absent'"],
        [],
        UnitText(SourceFiles(tmp_path), ("a.cu",)),
    )
    assert "namespace absent { using kernelset_unknown::vec3; }" in stubs
    assert "size" not in stubs
