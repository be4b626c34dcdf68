"""A definition has the targets of its declaration, as nvcc has it and clang has not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.model import Rung
from crawler.port.port import port_unit
from crawler.validate.build import build_unit
from tests.unit.extract.builders import unit_of

TEXT = """\
struct Vec { float x; __host__ __device__ float length() const; };
template <class T> struct Pair { T a; template <class U> __device__ U sum(U b) const; };
typedef Vec Point;
namespace maths {
__host__ __device__ inline float norm(const Point& p);
template <class T, int N = (3 > 2)> __device__ T twice(T v);
inline float twice(Vec v);
}

float Vec::length() const { return x; }
template <class T> template <class U> U Pair<T>::sum(U b) const { return a + b; }
namespace maths {
float norm(const Vec& p) { return p.length(); }
template <class T, int N> T twice(T v) { return v + v; }
inline float twice(Vec v) { return v.x; }
}
__global__ void k(float *out, Point p, Pair<float> q) {
  out[0] = maths::norm(p) + maths::twice(out[1]) + q.sum(2.f);
}
void run(float *out) { k<<<1, 1>>>(out, Point{}, Pair<float>{}); }
"""


def test_a_definition_has_the_words_of_its_declaration(
    project: Callable[..., Any],
) -> None:
    [kernel] = project({"a.cu": TEXT}).kernels()
    unit = unit_of(kernel)

    assert (unit.rung, unit.attempts) == (Rung.MINIMAL, ())
    assert "__host__ __device__ float Vec::length() const {" in unit.source
    assert "template <class U> __device__ U Pair<T>::sum(U b)" in unit.source
    assert "__host__ __device__ float norm(const Vec& p) {" in unit.source
    assert "template <class T, int N> __device__ T twice(T v) {" in unit.source


def test_a_function_of_the_host_of_that_name_stays_one(
    project: Callable[..., Any],
) -> None:
    [kernel] = project({"a.cu": TEXT}).kernels()

    assert "twice(Vec v)" not in unit_of(kernel).source


@pytest.mark.parametrize("target", ["sm_80", "gfx90a"])
def test_both_dialects_compile_it(project: Callable[..., Any], target: str) -> None:
    [kernel] = project({"a.cu": TEXT}).kernels()
    unit = unit_of(kernel) if target == "sm_80" else port_unit(unit_of(kernel))

    assert build_unit(unit, target).build.pass_call.message == ""


MEMBERS = """\
class Lock {
 public:
  Lock(int *p);
  struct Order { int first() const; int host() const; };
  void acquire();
  void report();
 private:
  int *flag;
};
inline __device__ Lock::Lock(int *p) { flag = p; }
inline __host__ __device__ int Lock::Order::first() const { return 1; }
int Lock::Order::host() const { return printf("host"); }
inline __device__ void Lock::acquire() { atomicCAS(flag, 0, Order().first()); }
void Lock::report() { printf("%d", *flag); }
__global__ void k(int *p) { Lock lock(p); lock.acquire(); }
"""


@pytest.mark.parametrize("target", ["sm_80", "gfx90a"])
def test_a_member_has_the_words_of_its_definition(
    project: Callable[..., Any], target: str
) -> None:
    [kernel] = project({"a.cu": MEMBERS}).kernels()
    unit = unit_of(kernel) if target == "sm_80" else port_unit(unit_of(kernel))

    assert "  __device__ void acquire();" in unit.source
    assert "  __device__ Lock(int *p);" in unit.source
    assert "__host__ __device__ int first() const;" in unit.source
    assert "report" not in unit.source
    assert build_unit(unit, target).build.pass_call.message == ""
