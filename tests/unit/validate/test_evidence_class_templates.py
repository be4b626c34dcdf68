"""The numbers that a class was made with go by the names of its template's parameters."""

from __future__ import annotations

import time

from crawler.validate.evidence.class_templates import made_with, parameters_of, split

SOURCE = """
template <typename A, typename B> struct Other;
template <template <class> class Of, typename T, int Threads = (3 > 2 ? 8 : 4), bool Wide = false, int... Rest>
struct Grid { };
template <int Threads> struct Grid<Plain, float, Threads> { };
namespace inner { template <class T, int Threads, int Tile> class Grid { friend class Other; }; }
"""


def test_numbers_go_by_the_names_of_the_parameters_of_the_template_that_has_room_for_them() -> None:
    assert made_with(SOURCE, ["own::Grid<Plain, own::Pair<int, 4>, 96, true, 7, 9>"]) == {"Threads": 96, "Wide": 1}
    assert made_with(SOURCE, ["float", "Gone<3>", "Grid<A, int, -2, false>", "Grid<A, int, 5>"]) == {
        "Threads": -2,
        "Wide": 0,
    }


def test_a_list_is_split_at_its_outermost_commas() -> None:
    assert split("a<b, c>, (d, e), decltype(f->g), {h, i}") == ["a<b, c>", "(d, e)", "decltype(f->g)", "{h, i}"]


def test_a_definition_that_is_no_template_has_no_parameters() -> None:
    assert parameters_of("__global__ void k(") == parameters_of("template <class T") == ""
    assert parameters_of("template <class A,\n  A (*f)(int)> void k(") == "class A, A (*f)(int)"


def test_hostile_text_takes_no_longer_than_its_length_allows() -> None:
    began = time.monotonic()
    assert made_with("template <" * 20_000 + "struct X {};" + "struct X " * 20_000, ["X<1>", "X<" * 30_000 + ">"]) == {}
    assert time.monotonic() - began < 5
