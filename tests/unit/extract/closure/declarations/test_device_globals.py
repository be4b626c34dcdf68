"""Variables on the device that outlive a launch are carried by a unit, and listed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crawler.model import Kernel

SOURCE = """namespace ops {
__constant__ float weights[16];
__device__ int counter;
__device__ const float kScale = 2.0f;
constexpr int kSize = 4;
__device__ int unused;
struct Table { static __device__ int hits; int size; };
__device__ int Table::hits;
__device__ void count() { atomicAdd(&counter, 1); }
__global__ void weigh(float* x) { count(); x[0] = weights[kSize] * kScale; }
__global__ void plain(float* x) { x[0] = kScale; }
}
"""


def test_state_is_listed_with_type_kind_and_place(
    project: Callable[..., Any], index_kernels: Callable[..., dict[str, Kernel]]
) -> None:
    kernels = index_kernels(project({"state.cu": SOURCE}).kernels())
    weigh, plain = kernels["ops::weigh"], kernels["ops::plain"]
    assert [
        (
            variable.name,
            variable.type,
            variable.kind,
            variable.span.path,
            variable.span.line,
        )
        for variable in weigh.state
    ] == [
        ("ops::weights", "float[16]", "constant", "state.cu", 2),
        ("ops::counter", "int", "device", "state.cu", 3),
    ]
    assert "global-state" in weigh.tags
    assert weigh.unit
    assert "float weights[16];" in weigh.unit.source
    assert "unused" not in weigh.unit.source
    assert plain.state == ()
    assert "global-state" not in plain.tags
