"""Classes of the project are offered for template parameters by their members and names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.passes.parse_pass import ParsePass, read_pass
from crawler.extract.templates.guess_arguments import qualify_names
from crawler.extract.templates.project_classes import ProjectClasses
from crawler.extract.unit.translation_unit import load_translation_unit
from tests.unit.extract.builders import make_kernel

SOURCE = """
namespace lib {
namespace layout {
struct Row { int stride; };
struct Column { int stride; };
struct Strided : Row { };
}
struct RowLayout { int width; };
namespace detail { struct Hidden { int stride; }; }
template <class T> struct Plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <class T, int N> struct Vec { T values[N]; int stride; };
template <class A, class B, class C, class D, class E> struct Wide { int stride; };
template <class Layout> struct Tensor { Layout layout; int stride; };
}
struct Other { int stride; };
__global__ void k(float *x) { x[0] = 1; }
"""


@pytest.fixture(scope="module")
def parse_pass(project: Callable[..., Any]) -> ParsePass:
    planted = project({"a.cu": SOURCE})
    root: Path = planted.root
    unit = load_translation_unit(root, planted.commands[0], SourceFiles(root))
    return read_pass(unit.clang_unit, unit)


@pytest.fixture(scope="module")
def classes(parse_pass: ParsePass) -> ProjectClasses:
    return ProjectClasses(parse_pass.context.declarations)


def find_fitting(
    classes: ProjectClasses, stem: str, members: Sequence[str]
) -> list[str]:
    return list(classes.find_fitting(stem, members, make_kernel()))


def test_classes_with_the_members_fit_those_of_the_namespace_first(
    classes: ProjectClasses,
) -> None:
    fitting = find_fitting(classes, "layout", ["stride"])
    assert fitting[:2] == ["lib::layout::Row", "lib::layout::Column"]
    assert "Other" in fitting
    assert "lib::RowLayout" not in fitting


def test_details_of_a_library_are_none(classes: ProjectClasses) -> None:
    assert "lib::detail::Hidden" not in find_fitting(classes, "layout", ["stride"])


def test_templates_take_the_usual_arguments(classes: ProjectClasses) -> None:
    fitting = find_fitting(classes, "x", ["stride"])
    assert "lib::Vec<float, 32>" in fitting
    # a parameter that is called like a namespace takes its first class
    assert "lib::Tensor<lib::layout::Row>" in fitting
    assert not any("Wide" in name for name in fitting)


def test_without_members_the_name_must_say_that_a_class_is_meant(
    classes: ProjectClasses,
) -> None:
    fitting = find_fitting(classes, "layout", [])
    assert fitting[0] == "lib::layout::Row"
    assert fitting[-1] == "lib::RowLayout"
    assert "Other" not in fitting
    assert find_fitting(classes, "x", []) == []


def test_objects_that_are_called_with_two_arguments(classes: ProjectClasses) -> None:
    assert list(classes.find_callable(2, make_kernel())) == ["lib::Plus<float>"]
    assert list(classes.find_callable(1, make_kernel())) == []


def test_a_class_is_replaced_by_its_neighbours_the_nearest_first(
    classes: ProjectClasses,
) -> None:
    varied = list(classes.vary_names(["float", "Tile<lib::layout::Row, 4>"]))
    assert varied == [
        ("float", "Tile<lib::layout::Column, 4>"),
        ("float", "Tile<lib::layout::Strided, 4>"),
    ]
    assert list(classes.vary_names(["float"])) == []


def test_names_are_qualified_as_they_mean_in_their_namespace(
    parse_pass: ParsePass,
) -> None:
    (row,) = [
        declaration
        for declaration in parse_pass.context.declarations
        if declaration.names[:1] == ("Strided",)
    ]
    text = qualify_names("Vec<float, Row::kSize>", row, parse_pass.context)
    assert text == "lib::Vec<float, lib::layout::Row::kSize>"
