"""What a launch names comes along: whole, declared only where it launches, never twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.extraction.launch_setups import compile_setup
from crawler.model import Kernel, Launch

LARGE = "\n".join(f"  int member_{number} = {number};" for number in range(4_000))
CUDA = f"""#include <torch/extension.h>
using namespace at;
typedef enum {{ SMALL = 1, BIG = 2 }} Size;
template <typename T> struct Limits {{ static constexpr int value = sizeof(T); }};
__global__ void fill(float* x, int n) {{}}
struct Large {{
{LARGE}
}};
Large make_large(int rows);
int warm_up(float* x) {{ fill<<<1, 1>>>(x, 1); return 3; }}
int rows_of(const Tensor& tensor) {{ return tensor.size(0) * SMALL; }}
int rows_of(int rows) {{ return rows; }}
int capacity(Large* large) {{ return 4; }}
void run(Tensor tensor, Size size, Large* large) {{
  int blocks = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 128, 0);
  const int rows = rows_of(tensor) + warm_up(nullptr) + capacity(large);
  if (size == BIG) fill<<<blocks, Limits<float>::value>>>(tensor.data_ptr<float>(), rows);
}}
"""


@pytest.fixture(scope="module")
def launch(
    project: Callable[..., Any], index_kernels: Callable[..., dict[str, Kernel]]
) -> Launch:
    kernels = index_kernels(project({"launch.cu": CUDA}).kernels())
    (found_launch,) = [
        launch for launch in kernels["fill"].launches if launch.enclosing == "run"
    ]
    return found_launch


def test_it_compiles_on_its_own(launch: Launch) -> None:
    assert compile_setup(launch) == ""


def test_what_launches_and_kernels_are_declared_only(launch: Launch) -> None:
    assert "int warm_up(float* x);" in launch.definitions
    assert "__global__ void fill(float* x, int n);" in launch.definitions
    assert "<<<" not in launch.definitions


def test_a_class_beyond_the_bound_is_declared_only(launch: Launch) -> None:
    assert "struct Large;" in launch.definitions
    assert "member_7" not in launch.definitions


def test_overloads_types_and_directives_come_along_once(launch: Launch) -> None:
    assert launch.definitions.count("int rows_of(") == 2
    assert launch.definitions.count("SMALL = 1") == 1
    assert "struct Limits" in launch.definitions
    assert "using namespace at;" in launch.definitions
    assert launch.conditions == ("size == BIG",)
