from __future__ import annotations

from collections.abc import Callable

from crawler.builds.commands.synthesis import synthesise_command
from crawler.builds.database.including_unit_ranking import IncludingUnitRanking
from crawler.builds.database.kernel_users import (
    KernelUserFinder,
    KernelUsers,
    has_any_value,
)
from crawler.builds.database.source_words import SourceWords
from crawler.checkout.include_graph import IncludeGraph

Plant = Callable[[dict[str, str]], IncludeGraph]
LIBRARY = {
    "lib/kernel.cuh": "template <class T> __global__ void scale(T* p) { *p = 1; }\n",
    "lib/op.cuh": '#include "kernel.cuh"\n'
    "struct ScaleOp { void run(float* p) { scale<float><<<1, 1>>>(p); } };\n"
    "struct Unrelated {};\n",
    "lib/list.cuh": '#include "op.cuh"\nusing FastScale = Wrapper<ScaleOp>;\n',
    "a.cu": '#include "lib/op.cuh"\nvoid f() { ScaleOp().run(0); }\n',
    "b.cu": '#include "lib/list.cuh"\nFastScale op;\n',
    "c.cu": '#include "lib/op.cuh"\nint c;  // ScaleOp\n',
}
UNITS = ("a.cu", "b.cu", "c.cu")


def make_finder(graph: IncludeGraph) -> KernelUserFinder:
    return KernelUserFinder(graph, UNITS, SourceWords(graph.tree))


def make_ranking(graph: IncludeGraph) -> IncludingUnitRanking:
    units = {path: synthesise_command(path, graph) for path in UNITS}
    return IncludingUnitRanking(graph, units)


def test_words_are_identifiers_outside_comments(plant: Plant) -> None:
    words = SourceWords(plant({"k.cu": "int ab_1; // cd\n/* ef */ float gh;"}).tree)
    assert words.list_words("k.cu") == {"int", "ab_1", "float", "gh"}
    assert words.list_words("k.cu") is words.list_words("k.cu")
    assert words.list_words("none.cu") == frozenset()


def test_users_of_a_kernel_are_types_and_aliases_of_the_headers_above(
    plant: Plant,
) -> None:
    (users,) = make_finder(plant(LIBRARY)).find_users("lib/kernel.cuh")
    assert users.names >= {"scale", "ScaleOp", "FastScale"}
    assert "Wrapper" not in users.names


def test_a_kernel_that_no_header_has_stands_for_itself(plant: Plant) -> None:
    finder = make_finder(plant(LIBRARY))
    users = finder.find_users("lib/kernel.cuh", ["made_by_macro"])
    assert users == (KernelUsers(frozenset({"made_by_macro"})),)
    assert len(finder.find_users("lib/kernel.cuh", ["scale", "made_by_macro"])) == 2


def test_a_header_declares_its_names_and_those_of_its_includers(plant: Plant) -> None:
    names = make_finder(plant(LIBRARY)).list_declared_names("lib/kernel.cuh")
    assert names == {"scale", "ScaleOp", "Unrelated"}


def test_a_value_counts_with_its_enumeration() -> None:
    values = [("Mode", "kFast")]
    assert has_any_value({"Mode", "kFast", "x"}, values)
    assert not has_any_value({"Mode", "kSlow"}, values)
    assert not has_any_value({"kFast"}, values)
    assert not has_any_value({"Mode"}, [])


def test_a_unit_is_relevant_where_it_names_a_user(plant: Plant) -> None:
    ranking = make_ranking(plant(LIBRARY))
    assert ranking.is_relevant_unit("a.cu", "lib/kernel.cuh")
    assert ranking.is_relevant_unit("b.cu", "lib/kernel.cuh")
    assert not ranking.is_relevant_unit("c.cu", "lib/kernel.cuh")
    assert ranking.count_used_kernels("a.cu", "lib/kernel.cuh") == 1
    assert ranking.count_used_kernels("a.cu", "lib/kernel.cuh", ["other"]) == 0


def test_units_that_name_a_user_are_chosen_before_nearer_ones(plant: Plant) -> None:
    ranking = make_ranking(plant(LIBRARY))
    assert ranking.select_units("lib/kernel.cuh", ()) == ["a.cu", "b.cu"]
    assert ranking.select_units("lib/kernel.cuh", ("a.cu",)) == ["b.cu"]
    assert ranking.select_units("lib/kernel.cuh", ("a.cu", "b.cu")) == []


def test_a_header_beside_a_unit_speaks_for_it(plant: Plant) -> None:
    files = {
        **LIBRARY,
        "c.cu": '#include "instances.inc"\n#include "lib/op.cuh"\n',
        "instances.inc": "static ScaleOp op;\n",
    }
    ranking = make_ranking(plant(files))
    assert ranking.is_relevant_unit("c.cu", "lib/kernel.cuh")
