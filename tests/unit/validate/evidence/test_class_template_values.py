"""The numbers that a class was made with go by the names of its template's parameters."""

from __future__ import annotations

import time

from crawler.cpp.arguments import split_template_arguments
from crawler.validate.evidence.class_template_values import (
    read_class_template_values,
    template_parameter_text,
)

SOURCE = """
template <typename A, typename B> struct Other;
template <template <class> class Of, typename T, int Threads = (3 > 2 ? 8 : 4), bool Wide = false, int... Rest>
struct Grid { };
template <int Threads> struct Grid<Plain, float, Threads> { };
namespace inner { template <class T, int Threads, int Tile> class Grid { friend class Other; }; }
"""


def test_numbers_go_by_the_names_of_the_parameters_of_the_template_that_has_room_for_them() -> (
    None
):
    assert read_class_template_values(
        SOURCE, ["own::Grid<Plain, own::Pair<int, 4>, 96, true, 7, 9>"]
    ) == {"Threads": 96, "Wide": 1}
    assert read_class_template_values(
        SOURCE, ["float", "Gone<3>", "Grid<A, int, -2, false>", "Grid<A, int, 5>"]
    ) == {
        "Threads": -2,
        "Wide": 0,
    }


def test_a_list_is_split_at_its_outermost_commas() -> None:
    parts = ["a<b, c>", "(d, e)", "decltype(f->g)", "{h, i}"]
    assert split_template_arguments(", ".join(parts)) == parts


def test_a_definition_that_is_no_template_has_no_parameters() -> None:
    assert (
        template_parameter_text("__global__ void k(")
        == template_parameter_text("template <class T")
        == ""
    )
    assert (
        template_parameter_text("template <class A,\n  A (*f)(int)> void k(")
        == "class A, A (*f)(int)"
    )


def test_hostile_text_takes_no_longer_than_its_length_allows() -> None:
    began = time.monotonic()
    assert (
        read_class_template_values(
            "template <" * 20_000 + "struct X {};" + "struct X " * 20_000,
            ["X<1>", "X<" * 30_000 + ">"],
        )
        == {}
    )
    assert time.monotonic() - began < 5
