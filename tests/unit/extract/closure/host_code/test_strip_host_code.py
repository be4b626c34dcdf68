"""What units keep of classes that have a host side, and of types that are told by attributes
behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from crawler.model import Kernel
from crawler.validate.build import build_unit
from tests.unit.extract.builders import unit_of

SOURCE = """#include <string>
struct Format {
  int bits;
  std::string text() const { return std::to_string(bits); }
  double largest() const { check(text()); return bits * 2.0; }
  static void check(const std::string& text);
  __host__ static constexpr bool fits(int n) { return n < std::string("a").size(); }
  constexpr double most(bool real) const { if (real) { return largest(); } return bits; }
};
template <class T> struct Chosen {
  static auto scale(int by) { return factor(by) * T(2); }
  static auto factor(int by) { return T(by); }
  static auto unused(int by) { return std::to_string(by); }
  using Scale = decltype(scale(1));
  Scale of;
};
__global__ void chosen(Chosen<float> by, float* out) { out[0] = by.of; }
template <class T> struct Padded {
  T depth;
  __host__ static auto padded(int of) { return (of + 15) / 16 * 16; }
  __host__ static int whole(int of) { return of * 16; }
  __host__ static int other(int of) { return of * 8; }
};
template <class T> struct Tile : Padded<T> {
  using Base = Padded<T>;
  using Base::padded;
  using Base::whole;
  using Base::depth;
};
__global__ void tiled(Tile<float> tile, float* out) { out[0] = tile.depth; }
template <class T> struct Parsed {};
template <> struct Parsed<int> {
  static int of(const char* text) { return std::stoi(text); }
  static int unnamed(const char* text) { return of(text) + 1; }
};
template <class T> struct Setting {
  T value;
  constexpr Setting(const char* text) : value(Parsed<T>::of(text)) {}
};
#define SETTING(name) struct name { static Setting<int>& get() { static Setting<int> one(#name); return one; } }
SETTING(Verbose);
__global__ void set(float* out, Verbose) { out[0] = sizeof(Verbose); }
using half16 = _Float16 __attribute__((ext_vector_type(16)));
__global__ void k(float* out, Format format) { out[0] = format.bits; }
__global__ void vectors(float* out) { half16 all = {}; out[0] = all[3]; }
"""


@pytest.fixture(scope="module")
def kernels(
    project: Callable[..., Any],
    index_kernels: Callable[[Iterable[Kernel]], dict[str, Kernel]],
) -> dict[str, Kernel]:
    return index_kernels(project({"a.cu": SOURCE}).kernels())


def test_what_a_constant_function_calls_stays_declared(
    kernels: dict[str, Kernel],
) -> None:
    unit = kernels["k"].unit
    assert unit is not None
    assert "double largest() const ;" in unit.source
    assert "to_string" not in unit.source
    assert "check" not in unit.source
    assert "fits" not in unit.source


def test_what_a_template_is_asked_for_stays_declared_in_its_specialisation(
    kernels: dict[str, Kernel],
) -> None:
    unit = kernels["set"].unit
    assert unit is not None
    assert "static int of(const char* text) ;" in unit.source
    assert "stoi" not in unit.source
    assert "unnamed" not in unit.source


def test_an_alias_keeps_the_attribute_behind_it(kernels: dict[str, Kernel]) -> None:
    unit = kernels["vectors"].unit
    assert unit is not None
    assert (
        "using half16 = _Float16 __attribute__((ext_vector_type(16)));" in unit.source
    )


def test_what_tells_a_type_by_its_body_keeps_it(kernels: dict[str, Kernel]) -> None:
    unit = kernels["chosen"].unit
    assert unit is not None
    assert "static auto scale(int by) { return factor(by) * T(2); }" in unit.source
    assert "static auto factor(int by) { return T(by); }" in unit.source
    assert "unused" not in unit.source


def test_what_a_class_takes_over_by_name_is_there(kernels: dict[str, Kernel]) -> None:
    unit = kernels["tiled"].unit
    assert unit is not None
    assert "static auto padded(int of) { return (of + 15) / 16 * 16; }" in unit.source
    assert "static int whole(int of) ;" in unit.source
    assert "other" not in unit.source


def test_an_attribute_goes_with_the_host_function_that_it_belongs_to(
    project: Callable[..., Any],
) -> None:
    text = """\
struct Allocator {
  [[nodiscard]] int *allocate(int n);
  [[nodiscard]] [[gnu::cold]] __host__ void *plain(int n) { return 0; }
  __device__ int first() const { return bound[counts[1]]; }
  int counts[2];
  int bound[4];
};
__global__ void fill(int *x, Allocator a) { x[0] = a.first(); }
void run(int *x, Allocator a) { fill<<<1, 1>>>(x, a); }
"""
    [kernel] = project({"a.cu": text}).kernels()
    source = unit_of(kernel).source
    assert "[[" not in source
    assert "int counts[2];" in source
    assert "return bound[counts[1]];" in source


MEMBERS = """#include <string>
class Scatter {
 public:
  struct Item { int n; };
  struct Stream { Item* items; Stream(); ~Stream(); };
  Stream stream;
  Scatter();
};
Scatter::Stream::Stream() : items(nullptr) { cudaMalloc(&items, sizeof(Item)); }
Scatter::Stream::~Stream() { cudaFree(items); }
Scatter::Scatter() { std::to_string(1); }
template <class T> __global__ void scatter(Scatter::Item* items, T by) { items[0].n += by; }
void launch(Scatter::Item* items) { scatter<<<1, 1>>>(items, 2); Scatter all; }
"""


def test_a_member_that_is_defined_outside_its_class_goes_with_its_body(
    project: Callable[..., Any],
    index_kernels: Callable[[Iterable[Kernel]], dict[str, Kernel]],
) -> None:
    kernel = index_kernels(project({"a.cu": MEMBERS}).kernels())["scatter"]
    source = unit_of(kernel).source

    assert "~Stream()" in source
    assert "Stream::" not in source


SPECIALISED = """\
#include <string>
template <class T> struct View;
template <class T> struct View<const T> {
  const T* data;
  View(const std::string& text) { data = (const T*)text.data(); }
};
__global__ void read(View<const int> view, int* x) { x[0] = view.data[0]; }
"""


def test_a_partial_specialisation_has_its_constructors_declared_only(
    project: Callable[..., Any],
) -> None:
    [kernel] = project({"a.cu": SPECIALISED}).kernels()
    source = unit_of(kernel).source

    assert "View(const std::string& text) ;" in source
    assert "text.data" not in source


FRIENDS = """#include <ostream>
#include <string>
template <int N> struct Sides {
  int values[N];
  friend std::ostream& operator<<(std::ostream& out, const Sides& sides) { return out << sides.values[0]; }
  template <class T> friend bool same(const Sides& a, T b) { return std::to_string(a.values[0]) == b; }
  friend __device__ int first(const Sides& sides) { return sides.values[0]; }
};
struct Shape {
  Sides<3> sides;
  friend std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.sides; }
};
__global__ void measure(Shape shape, int* x) { x[0] = first(shape.sides); }
"""


def test_friends_of_the_host_are_declared_only(
    project: Callable[..., Any],
) -> None:
    [kernel] = project({"a.cu": FRIENDS}).kernels()
    source = unit_of(kernel).source

    assert "const Shape& shape) ;" in source
    assert "out <<" not in source
    assert "to_string" not in source
    assert "int first(const Sides& sides) { return sides.values[0]; }" in source
    assert build_unit(unit_of(kernel), "sm_80").build.pass_call.message == ""


CONSTANTS = """\
struct Camera { float focal; Camera() { } Camera(float f) : focal(f) { check(f); } void check(float); };
__constant__ Camera camera;
__global__ void project(float *x) { x[0] = camera.focal; }
"""


@pytest.mark.apt("clang-19")
def test_memory_of_the_device_may_be_of_a_class_with_an_empty_constructor(
    project: Callable[..., Any],
) -> None:
    [kernel] = project({"a.cu": CONSTANTS}).kernels()
    unit = unit_of(kernel)

    assert "check(f)" not in unit.source
    assert build_unit(unit, "sm_80").build.pass_call.message == ""
