"""What host code rests on comes along with it: constants, functions, classes and callers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.extract.companions.attachment import attach_companions
from crawler.extract.operators.host_code import attach_host_code
from crawler.model import CompanionKind, HostCompanion

SIZES = """#pragma once
#define WIDTH 45
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
#define UNUSED 3
constexpr int kThreads = 4 * 32;
enum Mode { FAST, SLOW = 7 };
"""
BUFFERS = """#pragma once
#include "sizes.h"
#include <cuda_runtime.h>
template <typename T> struct Buffer {
  T* data;
  explicit Buffer(size_t n);
};
template <typename T> Buffer<T>::Buffer(size_t n) { cudaMalloc(&data, n * sizeof(T)); }
inline int grid_for(int n) { return CEIL_DIV(n, kThreads); }
inline int nobody_calls(int n) { return n; }
__device__ inline int on_device(int n) { return n; }
"""
CU = """#include "buffers.h"
__global__ void scale(float* x, int n, int mode) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= mode;
}
void run_scale(int n) {
  Buffer<float> buffer(n);
  scale<<<grid_for(n), kThreads>>>(buffer.data, n, SLOW);
}
"""
MAIN = """void run_scale(int n);
static const int kRows = 3;
int main() { run_scale(kRows * 15); }
"""


@pytest.fixture(scope="module")
def companions(
    project: Callable[..., Any],
) -> dict[str, HostCompanion]:
    made = project(
        {"sizes.h": SIZES, "buffers.h": BUFFERS, "scale.cu": CU, "main.cc": MAIN}
    )
    (kernel,) = attach_companions(
        made.root, attach_host_code(made.root, made.kernels())
    )
    return {companion.name: companion for companion in kernel.companions}


def test_constants_are_found_in_headers_and_through_functions(
    companions: dict[str, HostCompanion],
) -> None:
    assert companions["kThreads"].source == "constexpr int kThreads = 4 * 32;"
    assert companions["kThreads"].span.path == "sizes.h"
    # named by `grid_for` alone
    assert companions["CEIL_DIV"].kind is CompanionKind.MACRO
    assert companions["Mode"].kind is CompanionKind.ENUMERATION


def test_functions_and_classes_come_whole(
    companions: dict[str, HostCompanion],
) -> None:
    assert companions["grid_for"].source.endswith("return CEIL_DIV(n, kThreads); }")
    assert companions["Buffer"].source.startswith("template <typename T> struct Buffer")
    assert "cudaMalloc" in companions["Buffer::Buffer"].source


def test_callers_come_with_their_own_constants(
    companions: dict[str, HostCompanion],
) -> None:
    assert companions["main"].kind is CompanionKind.CALLER
    assert companions["main"].source == "int main() { run_scale(kRows * 15); }"
    assert companions["kRows"].span.path == "main.cc"


def test_what_nobody_names_stays_away(companions: dict[str, HostCompanion]) -> None:
    names = {"UNUSED", "WIDTH", "nobody_calls", "on_device", "run_scale", "scale"}
    assert names.isdisjoint(companions)


def test_no_more_is_attached_than_its_bound(
    project: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crawler.extract.companions.attachment._MAX_BYTES", 120)
    made = project({"sizes.h": SIZES, "buffers.h": BUFFERS, "scale.cu": CU})
    (kernel,) = attach_companions(
        made.root, attach_host_code(made.root, made.kernels())
    )
    sources = [companion.source for companion in kernel.companions]
    assert sources
    assert sum(map(len, sources)) <= 120
