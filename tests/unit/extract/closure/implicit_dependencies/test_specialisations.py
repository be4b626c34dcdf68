"""A closure holds the specialisations of a template for the types that it has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

LIBRARY = """
struct Half { float value; };
struct Wide { float value; };
struct Pair { float first, second; };
using Alias = Pair;
template <class T> struct Traits { static constexpr int size = 0; };
template <> struct Traits<Half> { static constexpr int size = 2; };
template <> struct Traits<Wide> { static constexpr int size = 16; };
template <> struct Traits<Alias> { static constexpr int size = 8; };
template <> struct Traits<float> { static constexpr int size = 4; };
template <class T> struct Traits<T *> { static constexpr int size = 64; };
"""


def unit_source(project: Callable[..., Any], body: str) -> str:
    kernel = f"__global__ void k(int *x) {{ {body} }}\n"
    launch = "void run(int *x) { k<<<1, 1>>>(x); }\n"
    (linked,) = project({"a.cu": f"{LIBRARY}{kernel}{launch}"}).kernels()
    assert linked.unit is not None
    return str(linked.unit.source)


def test_those_for_types_that_it_has_are_taken(project: Callable[..., Any]) -> None:
    source = unit_source(project, "Half h; x[0] = Traits<decltype(h)>::size;")
    assert "Traits<Half>" in source
    assert "Traits<Wide>" not in source


def test_those_for_types_of_the_language_are_taken(
    project: Callable[..., Any],
) -> None:
    source = unit_source(project, "x[0] = Traits<float>::size;")
    assert "Traits<float>" in source
    assert "Traits<T *>" in source
    assert "Traits<Half>" not in source


def test_an_alias_stands_for_its_type(project: Callable[..., Any]) -> None:
    source = unit_source(project, "Pair p; x[0] = Traits<decltype(p)>::size;")
    assert "Traits<Alias>" in source


def test_without_the_template_none_is_taken(project: Callable[..., Any]) -> None:
    source = unit_source(project, "Half h; x[0] = h.value;")
    assert "Traits" not in source


VALUES = """
enum Mode { PLAIN = 0, ROBUST = 1 };
enum class Level { low, high };
template <int mode> struct Weight { static constexpr int value = 0; };
template <> struct Weight<Mode::ROBUST> { static constexpr int value = 3; };
template <> struct Weight<PLAIN> { static constexpr int value = 2; };
template <class T> struct Name { static constexpr int value = 0; };
template <> struct Name<Level> { static constexpr int value = 1; };
template <int mode> __global__ void k(int *x) { x[0] = Weight<mode>::value + Name<int>::value; }
void run(int *x) { k<1><<<1, 1>>>(x); }
"""


def test_those_for_enumerators_are_taken_though_nobody_names_the_enumeration(
    project: Callable[..., Any],
) -> None:
    (linked,) = project({"a.cu": VALUES}).kernels()
    assert linked.unit is not None
    assert "Weight<Mode::ROBUST>" in linked.unit.source
    assert "Weight<PLAIN>" in linked.unit.source
    assert "Name<Level>" not in linked.unit.source


SCOPED_VALUES = """
struct Shape { enum Kind { flat, round }; };
template <int kind, class T> struct Area {};
template <> struct Area<Shape::Kind::round, int> { static constexpr int value = 3; };
template <class T> __global__ void k(int *x) { x[0] = T::value; }
void run(int *x) { k<Area<Shape::Kind::round, int>><<<1, 1>>>(x); }
"""


def test_those_for_constants_of_a_class_are_taken_though_nobody_names_the_class(
    project: Callable[..., Any],
) -> None:
    (linked,) = project({"a.cu": SCOPED_VALUES}).kernels()
    assert linked.unit is not None
    assert "Area<Shape::Kind::round, int>" in linked.unit.source
    assert "struct Shape" in linked.unit.source
    assert "k<Area<1, int>>" in linked.unit.source
