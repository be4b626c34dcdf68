from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from crawler.builds.commands.synthesis import synthesise_command
from crawler.builds.database.unit_selection import (
    MAX_HOST_UNITS,
    MAX_SIMILAR_UNITS,
    select_units_to_parse,
)
from crawler.checkout.include_graph import IncludeGraph
from crawler.model import CompileCommand, Dialect, FlagsOrigin, GeneratedFile

Plant = Callable[[dict[str, str]], IncludeGraph]
KERNEL = "__global__ void k(float* p) { p[0] = 1; }\n"
LAUNCH = "void f(float* p) { k<<<1, 1>>>(p); }\n"


def test_a_host_source_is_parsed_as_device_code_only_where_nothing_else_sees_it(
    plant: Plant,
) -> None:
    graph = plant(
        {
            "k.cuh": KERNEL,
            "a.cpp": '#include "k.cuh"',
            "l.cuh": KERNEL,
            "b.cpp": '#include "l.cuh"',
            "l.cu": '#include "l.cuh"',
        }
    )
    units = {
        path: synthesise_command(path, graph) for path in ("a.cpp", "b.cpp", "l.cu")
    }
    assert {
        path: command.dialect
        for path, command in select_units_to_parse(graph, units).items()
    } == {
        "a.cpp": Dialect.CUDA,
        "l.cu": Dialect.CUDA,
    }


def test_of_many_made_up_units_over_one_header_a_few_are_parsed(plant: Plant) -> None:
    own = {f"own_{number}.cu": f'#include "k.cuh"\n{LAUNCH}' for number in range(6)}
    tests = {
        f"test_{number}.cu": '#include "k.cuh"\nint count;\n' for number in range(6)
    }
    graph = plant(
        {
            "k.cuh": KERNEL,
            "l.cuh": KERNEL,
            **tests,
            "z.cu": '#include "k.cuh"\n#include "l.cuh"\n',
        }
    )
    units = {path: synthesise_command(path, graph) for path in (*tests, "z.cu")}
    assert [*select_units_to_parse(graph, units)] == ["test_0.cu", "test_1.cu", "z.cu"]

    graph = plant({"k.cuh": KERNEL, **own, **tests})
    units = {path: synthesise_command(path, graph) for path in (*own, *tests)}
    assert [*select_units_to_parse(graph, units)] == [*own, "l.cuh"]

    exported_units = {
        path: replace(command, origin=FlagsOrigin.EXPORTED)
        for path, command in units.items()
    }
    assert {*select_units_to_parse(graph, exported_units)} == {*own, *tests, "l.cuh"}


def test_of_many_sources_that_are_generated_alike_some_are_parsed(
    plant: Plant,
) -> None:
    tree = plant({"src/k.cuh": KERNEL}).tree
    same = [
        GeneratedFile(path=f"gen/s{n:02}.cu", text=f'#include "k.cuh"\n// {n}\n')
        for n in range(40)
    ]
    other = GeneratedFile(
        path="gen/other.cu", text='#include "k.cuh"\n#include <vector>\n'
    )
    own = [
        GeneratedFile(
            path=f"gen/o{n}.cu", text=f'#include "k.cuh"\n__global__ void o{n}() {{}}\n'
        )
        for n in range(9)
    ]
    graph = IncludeGraph(tree.with_generated([*same, other, *own]))
    units = {
        path: CompileCommand(
            directory=".",
            file=path,
            arguments=("-Isrc",),
            dialect=Dialect.CUDA,
            origin=FlagsOrigin.EXPORTED,
        )
        for path in (file.path for file in graph.tree.generated)
    }
    chosen = select_units_to_parse(graph, units)
    assert "gen/other.cu" in chosen
    assert {"gen/s00.cu", "gen/s35.cu"} <= chosen.keys()
    assert sum(path.startswith("gen/s") for path in chosen) == MAX_SIMILAR_UNITS
    assert sorted(path for path in chosen if path.startswith("gen/o")) == [
        "gen/o0.cu",
        "gen/o5.cu",
        "gen/other.cu",
    ]


def test_of_many_host_sources_that_see_the_same_device_code_some_are_parsed(
    plant: Plant,
) -> None:
    names = [f"fem_{number:03}.cpp" for number in range(100)]
    sources = dict.fromkeys(names, '#include "forall.hpp"\nint count;\n')
    graph = plant(
        {
            "forall.hpp": KERNEL,
            "own.cpp": f'#include "forall.hpp"\n{LAUNCH}',
            "vector.cu": '#include "forall.hpp"\nint count;\n',
            **sources,
        }
    )
    units = {
        path: replace(
            synthesise_command(path, graph),
            origin=FlagsOrigin.EXPORTED,
            dialect=Dialect.CUDA,
        )
        for path in (*names, "own.cpp", "vector.cu")
    }

    selected = select_units_to_parse(graph, units)

    host_units = [path for path in names if path in selected]
    assert 1 < len(host_units) <= MAX_HOST_UNITS
    # not the first ones alone: those at the end may be of another kind
    assert host_units[-1] > "fem_080"
    assert {"own.cpp", "vector.cu"} < set(selected)
