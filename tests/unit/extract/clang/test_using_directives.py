"""Names that `using namespace` opens, and other names of namespaces, are looked up as in C++."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.model import Status
from crawler.validate.build import build_unit

NAMED = """#include <cuda_runtime.h>
#include <cuda/std/functional>
#include <torch/headeronly/util/Exception.h>
typedef float f4 __attribute__((ext_vector_type(4)));
namespace base { struct Pair { float a, b; }; }
namespace outer {
namespace tools { __device__ inline float tripled(float v) { return 3 * v; } }
struct Width { static constexpr int of(int n) { STD_TORCH_CHECK(n > 0, "positive"); return n; } };
namespace inner {
using namespace base;
using Larger = cuda::maximum<>;
__global__ void k(float* out) {
  using namespace tools;
  f4 four = {1, 2, 3, 4};
  base::Pair pair{tripled(out[1]), 1.0f};
  Pair same = pair;
  constexpr unsigned words[1] = {-5};
  constexpr int wide = Width::of(2);
  out[0] = Larger{}(four[3], same.a) + wide + words[0];
  cudaGridDependencySynchronize();
}
}
}
"""


@pytest.mark.apt("clang-19")
def test_names_that_directives_open_and_what_nvcc_lets_pass(
    project: Callable[..., Any],
) -> None:
    (kernel,) = project({"k.cu": NAMED}).kernels()
    assert "ext_vector_type(4)));" in kernel.unit.source
    assert "namespace base {}\nnamespace outer {" in kernel.unit.source
    assert build_unit(kernel.unit, "sm_80").build.pass_call.message == ""


ALIASED = """namespace far { namespace tools { __device__ inline float doubled(float v) { return 2 * v; } } }
namespace py = far;
namespace ft = far::tools;
namespace other = far;
__global__ void k(float* out, int py) {
  out[py] = ft::doubled(out[0]);
}
__global__ void scoped(float* out) { out[0] = other::tools::doubled(out[0]); }
"""


def test_another_name_of_a_namespace_is_no_variable(
    project: Callable[..., Any],
) -> None:
    sized_source, scoped = project({"a.cu": ALIASED}).kernels()
    assert "namespace ft = far::tools;" in sized_source.unit.source
    assert "namespace py" not in sized_source.unit.source
    assert "namespace other = far;" in scoped.unit.source


THROUGH = """
namespace lib { namespace sm90::mma { struct Never {}; __device__ constexpr auto select(int n) { return n + 1; } }
using namespace sm90; }
__global__ void k(int* out) { out[0] = lib::mma::select(out[1]); }
"""


def test_a_path_may_lead_through_what_a_directive_opens_on_its_way(
    project: Callable[..., Any],
) -> None:
    (kernel,) = project({"a.cu": THROUGH}).kernels()
    assert "auto select" in kernel.unit.source
    assert "Never" not in kernel.unit.source


LEANING = {
    "far.h": "#pragma once\nnamespace far { template <class T> struct Box { T held; }; struct Other {}; }\n",
    "opens.h": '#pragma once\n#include "far.h"\nnamespace ours { using namespace far; }\n',
    "more.h": "#pragma once\nnamespace more { struct Never {}; }\nnamespace ours { using namespace more; }\n",
    "leans.h": "#pragma once\nnamespace ours { template <class T> __device__ T held(Box<T> a) { return a.held; } }\n",
    "k.cu": """#include "opens.h"
#include "more.h"
#include "leans.h"
namespace ours { __global__ void k(float* out) { out[0] = held(far::Box<float>{1}); } }
""",
}


@pytest.mark.apt("clang-19")
def test_a_directive_of_another_file_comes_along_where_a_name_leans_on_it(
    project: Callable[..., Any],
) -> None:
    (kernel,) = project(LEANING).kernels()
    assert "using namespace far;" in kernel.unit.source
    assert "more" not in kernel.unit.source
    verdict = build_unit(kernel.unit, "sm_80").build.pass_call
    assert (verdict.status, verdict.message) == (Status.PASS, "")
