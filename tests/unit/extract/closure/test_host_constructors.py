"""What makes the structures that a host passes to a kernel stands beside its unit, and changes
nothing in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.model import Kernel

CODE = """#include <sstream>
struct Base { virtual ~Base() {} };
inline int up(int n, int to) { return (n + to - 1) / to * to; }
struct Map {
  int blocks;
  __host__ Map(int n) : blocks(up(n, 64)) {}
  __device__ int at(int b) const { return b % blocks; }
};
template <class T> struct Op {
  static __host__ auto padded(int columns) { return up(columns, 16); }
  struct Problem {
    int columns, pad; Map map;
    __host__ Problem(int columns_) : columns(columns_), pad(padded(columns_)), map(columns_) {}
    __host__ std::string print() const { std::ostringstream told; told << pad; return told.str(); }
  };
  struct Argument : Base, Problem {
    T* to;
    __host__ Argument(T* to_, int columns_, T scale_ = {}) : Problem{columns_}, to(to_) {}
  };
  struct Other { __host__ Other(int n) { never(n); } };
};
struct Plain { int n; float* to; };
template <class O> __global__ void k(typename O::Argument of) { of.to[of.map.at(threadIdx.x)] = of.pad; }
__global__ void plain(Plain of) { of.to[threadIdx.x] = of.n; }
void run(float* to, int columns) {
  k<Op<float>><<<1, 64>>>(Op<float>::Argument(to, columns));
  plain<<<1, 64>>>(Plain{columns, to});
}
"""


@pytest.fixture(scope="module")
def kernels(
    project: Callable[..., Any], index_kernels: Callable[..., dict[str, Kernel]]
) -> dict[str, Kernel]:
    return index_kernels(project({"a.cu": CODE}).kernels())


def whole(kernel: Kernel) -> str:
    assert kernel.unit is not None
    text = kernel.unit.source
    for replacement in reversed(kernel.unit.making):
        text = text[: replacement.start] + replacement.text + text[replacement.end :]
    return text


def test_a_unit_is_as_small_as_ever(kernels: dict[str, Kernel]) -> None:
    unit = kernels["k"].unit
    assert unit is not None
    assert "Argument(T* to_, int columns_, T scale_ = {}) ;" in unit.source
    assert "up(" not in unit.source
    assert "padded" not in unit.source


def test_beside_it_stands_what_its_structures_need_and_no_more(
    kernels: dict[str, Kernel],
) -> None:
    text = whole(kernels["k"])
    for part in (
        "Argument(T* to_, int columns_, T scale_ = {}) : Problem{columns_}, to(to_) {}",
        "pad(padded(columns_)), map(columns_) {}",
        "static __host__ auto padded(int columns) { return up(columns, 16); }",
        "inline int up(int n, int to) { return (n + to - 1) / to * to; }",
        "Map(int n) : blocks(up(n, 64)) {}",
        "virtual ~Base() {}",
    ):
        assert text.count(part) == 1
    assert "never" not in text
    assert "ostringstream" not in text
    assert (
        text.index("int up(")
        < text.index("struct Map")
        < text.index("struct Op")
        < text.index("void k(")
    )
    assert text.rstrip().endswith(
        "template __global__ decltype(k<Op<float>>) k<Op<float>>;"
    )


def test_what_no_constructor_makes_has_nothing_beside_it(
    kernels: dict[str, Kernel],
) -> None:
    assert kernels["plain"].unit is not None
    assert kernels["plain"].unit.making == ()
