from __future__ import annotations

from collections.abc import Callable

import pytest

from crawler.builds.database.condition_macros import (
    find_macros_around_kernels,
    read_condition_macros,
)
from crawler.checkout.include_graph import IncludeGraph

Plant = Callable[[dict[str, str]], IncludeGraph]
KERNEL = "__global__ void k();\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (KERNEL, set()),
        (f"#ifdef A\n{KERNEL}#endif\n", {"A"}),
        (f"#if defined(A) && B > 3\n{KERNEL}#endif\n", {"A", "B"}),
        (f"#ifdef A\n#ifndef B\n{KERNEL}#endif\n#endif\n", {"A", "B"}),
        (f"#ifdef A\n#endif\n{KERNEL}", set()),
        (f"#ifdef A\n{KERNEL}#elif B\n#else\n#endif\n", {"A", "B"}),
        (f"#ifdef A\n#elif B\n{KERNEL}#endif\n", {"A", "B"}),
        ("#ifdef A\nk<<<1, 1>>>();\n#endif\n", {"A"}),
        (f"#ifdef A\nint x;\n#endif\n#ifdef B\n{KERNEL}#endif\n", {"B"}),
        (f"#if A \\\n  || B\n{KERNEL}#endif\n", {"A", "B"}),
        (f"#endif\n#else\n{KERNEL}", set()),
    ],
)
def test_names_in_conditions_around_kernels(text: str, expected: set[str]) -> None:
    assert read_condition_macros(text.encode()).around_kernels == expected


def test_names_in_conditions_around_a_define() -> None:
    text = b"#define FREE 1\n#ifdef A\n#if B\n#define HAS_K x\n#endif\n#endif\n"
    ((macro, names),) = read_condition_macros(text).around_defines
    assert (macro, sorted(names)) == ("HAS_K", ["A", "B"])


def test_a_macro_decides_by_way_of_others(plant: Plant) -> None:
    graph = plant(
        {
            "k.cu": f'#include "config.h"\n#ifdef HAS_K\n{KERNEL}#endif\n',
            "config.h": "#ifdef SIMPLE\n#define FEATURE\n#endif\n"
            "#ifdef FEATURE\n#define HAS_K\n#endif\n"
            "#ifdef OTHER\n#define UNUSED\n#endif\n",
            "elsewhere.h": "#ifdef NOT_INCLUDED\n#define HAS_K\n#endif\n",
        }
    )
    assert find_macros_around_kernels(graph, "k.cu") == {"HAS_K", "FEATURE", "SIMPLE"}


def test_macros_that_need_each_other_end(plant: Plant) -> None:
    text = f"#ifdef A\n#define B\n#endif\n#ifdef B\n#define A\n{KERNEL}#endif\n"
    assert find_macros_around_kernels(plant({"k.cu": text}), "k.cu") == {"A", "B"}
