from __future__ import annotations

from collections.abc import Callable

import pytest

from crawler.builds.commands.synthesis import synthesise_command
from crawler.builds.database.borrowed_commands import borrow_command, find_best_includer
from crawler.checkout.include_graph import IncludeGraph
from crawler.model import Dialect

Plant = Callable[[dict[str, str]], IncludeGraph]
KERNEL = "__global__ void k(float* p) { p[0] = 1; }\n"


def test_a_header_borrows_from_a_device_source_before_a_nearer_host_source(
    plant: Plant,
) -> None:
    graph = plant(
        {
            "k.cuh": KERNEL,
            "m.h": '#include "k.cuh"',
            "a.cpp": '#include "k.cuh"',
            "z.cu": '#include "m.h"',
        }
    )
    units = {path: synthesise_command(path, graph) for path in ("a.cpp", "z.cu")}
    assert borrow_command("k.cuh", graph, units).borrowed_from == "z.cu"
    lent = borrow_command("k.cuh", graph, {"a.cpp": units["a.cpp"]})
    assert (lent.borrowed_from, lent.dialect) == ("a.cpp", Dialect.CUDA)


INCLUDES = '#include "k.cuh"'


@pytest.mark.parametrize(
    ("units", "best"),
    [
        ({"a.cu": '#include "m.h"', "z.cu": INCLUDES}, "z.cu"),
        ({"a/a.cu": '#include "../k.cuh"', "z.cu": INCLUDES}, "z.cu"),
        ({"a.cpp": f"{INCLUDES}\n{KERNEL}", "z.cu": INCLUDES}, "z.cu"),
        ({"a.cpp": f"{INCLUDES}\n{KERNEL}", "z.cu": '#include "m.h"'}, "a.cpp"),
        ({"a.cpp": INCLUDES, "z.cu": '#include "m.h"'}, "z.cu"),
        ({"b.cu": INCLUDES, "a.cu": INCLUDES}, "a.cu"),
    ],
)
def test_the_best_unit_lends(plant: Plant, units: dict[str, str], best: str) -> None:
    graph = plant({"k.cuh": KERNEL, "m.h": INCLUDES, **units})
    assert (
        borrow_command(
            "k.cuh", graph, {path: synthesise_command(path, graph) for path in units}
        ).borrowed_from
        == best
    )


def test_without_an_includer_a_command_is_synthesised(plant: Plant) -> None:
    graph = plant({"k.cuh": KERNEL, "a.cu": ""})
    units = {"a.cu": synthesise_command("a.cu", graph)}
    assert find_best_includer("k.cuh", graph, units) is None
    assert borrow_command("k.cuh", graph, units) == synthesise_command("k.cuh", graph)
