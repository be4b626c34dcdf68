from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crawler.builds.database.borrowed_commands import borrow_command
from crawler.builds.database.compile_database import build_compile_database
from crawler.builds.database.guarded_values import find_guarded_values
from crawler.builds.database.unit_selection import (
    MAX_BATCH_UNITS,
    select_units_to_parse,
    split_into_batches,
)
from crawler.builds.commands.synthesis import synthesise_command
from crawler.errors import NoKernels
from crawler.model import CompileDatabase, Dialect, FlagsOrigin

Plant = Callable[[dict[str, str]], Any]
KERNEL = "__global__ void k(float* p) { p[0] = 1; }\n"
LAUNCH = "void f(float* p) { k<<<1, 1>>>(p); }\n"
PROJECT = {
    "csrc/common/k.cuh": KERNEL,
    "csrc/cuda/a.cu": f'#include "k.cuh"\n{LAUNCH}',
    "csrc/cuda/b.cu": f'#include "part.cu"\n{KERNEL}',
    "csrc/cuda/part.cu": KERNEL,
    "csrc/lonely.cuh": KERNEL,
    "csrc/bind.cpp": "PYBIND11_MODULE(x, m) {}\n",
    "csrc/host.cpp": "int main() {}\n",
    "setup.py": "define_macros += [('WITH_CUDA', None)]",
}


def parsed(database: CompileDatabase) -> list[str]:
    return [
        database.commands[position].file
        for group in database.groups
        for position in group
    ]


def test_every_file_with_device_code_has_a_command_and_is_seen(plant: Plant) -> None:
    database = build_compile_database(
        plant(PROJECT).tree.root, strategies=("synthesised",)
    )
    commands = {command.file: command for command in database.commands}
    assert commands.keys() == PROJECT.keys() - {"setup.py", "csrc/host.cpp"}
    assert parsed(database) == ["csrc/cuda/a.cu", "csrc/cuda/b.cu", "csrc/lonely.cuh"]
    assert commands["csrc/common/k.cuh"].borrowed_from == "csrc/cuda/a.cu"
    assert commands["csrc/common/k.cuh"].arguments == ("-std=c++17", "-Icsrc/common")
    assert commands["csrc/cuda/part.cu"].borrowed_from == "csrc/cuda/b.cu"
    assert commands["csrc/lonely.cuh"].borrowed_from == ""
    assert commands["csrc/bind.cpp"].dialect is None
    assert (database.relevant, database.covered) == (5, 0)


def test_a_database_that_the_tree_carries_beats_what_is_made_up(plant: Plant) -> None:
    entry = {
        "directory": "/ann/csrc",
        "file": "cuda/a.cu",
        "arguments": ["nvcc", "-DREAL", "-Icommon", "cuda/a.cu"],
    }
    files = {**PROJECT, "build/compile_commands.json": json.dumps([entry])}
    database = build_compile_database(plant(files).tree.root, strategies=("existing",))
    commands = {command.file: command for command in database.commands}
    assert commands["csrc/cuda/a.cu"].arguments == ("-DREAL", "-Icsrc/common")
    assert commands["csrc/cuda/a.cu"].origin is FlagsOrigin.EXPORTED
    assert commands["csrc/common/k.cuh"].origin is FlagsOrigin.BORROWED
    assert commands["csrc/cuda/b.cu"].origin is FlagsOrigin.SYNTHESISED
    assert (database.relevant, database.covered) == (5, 2)
    assert {report.strategy: report.entries for report in database.strategies} == {
        "existing": 1,
        "synthesised": 3,
    }


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("[]", "empty-database"),
        ("{", "malformed-database"),
        ('[{"file": "/x/y.cu"}]', "database-for-another-tree"),
    ],
)
def test_a_database_that_cannot_be_used_is_reported_and_the_floor_holds(
    plant: Plant, content: str, code: str
) -> None:
    database = build_compile_database(
        plant({**PROJECT, "compile_commands.json": content}).tree.root,
        strategies=("existing",),
    )
    report = database.strategies[0]
    assert (report.strategy, report.entries, report.code) == ("existing", 0, code)
    assert report.message
    assert "csrc/cuda/a.cu" in parsed(database)


def test_no_kernel_is_an_expected_end(plant: Plant) -> None:
    with pytest.raises(
        NoKernels,
        match="no CUDA or HIP kernel in its 2 C and C\\+\\+ files, nor in strings: name",
    ):
        build_compile_database(
            plant(
                {"a.cpp": "// __global__\nint x;", "b.h": "#define G __global__\n"}
            ).tree.root
        )


def test_nothing_to_build_is_another(plant: Plant) -> None:
    with pytest.raises(NoKernels) as raised:
        build_compile_database(plant({"README.md": "__global__ void k();"}).tree.root)
    assert raised.value.code == "nothing-to-build"


def test_other_peoples_files_do_not_count_unless_there_is_nothing_else(
    plant: Plant,
) -> None:
    own = build_compile_database(
        plant({"k.cu": KERNEL, "third_party/x.cu": KERNEL}).tree.root,
        strategies=("synthesised",),
    )
    assert own.relevant == 1
    assert parsed(own) == ["k.cu", "third_party/x.cu"]


def test_all_vendored_counts_all(plant: Plant) -> None:
    assert (
        build_compile_database(
            plant({"vendor/x.cu": KERNEL}).tree.root, strategies=("synthesised",)
        ).relevant
        == 1
    )


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


def test_what_is_only_ever_included_borrows_over_any_number_of_steps(
    plant: Plant,
) -> None:
    files = {
        "k.cu": '#include "part.cu"\n',
        "part.cu": f'#include "deep.inl"\n{KERNEL}',
        "deep.inl": f'#include "deeper.inc"\n{KERNEL}',
        "deeper.inc": KERNEL,
    }
    database = build_compile_database(
        plant(files).tree.root, strategies=("synthesised",)
    )
    assert {command.file: command.borrowed_from for command in database.commands} == {
        "k.cu": "", "part.cu": "k.cu", "deep.inl": "k.cu", "deeper.inc": "k.cu",
    }  # fmt: skip


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
    own = {f"own_{at}.cu": f'#include "k.cuh"\n{LAUNCH}' for at in range(6)}
    tests = {f"test_{at}.cu": '#include "k.cuh"\nint count;\n' for at in range(6)}
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

    told = {
        path: replace(command, origin=FlagsOrigin.EXPORTED)
        for path, command in units.items()
    }
    assert {*select_units_to_parse(graph, told)} == {*own, *tests, "l.cuh"}


def test_the_units_nearest_to_a_header_tell_what_it_is_used_with(plant: Plant) -> None:
    graph = plant(
        {
            "lib/impl.hpp": f"template <typename T>\nstruct Op {{}};\n{KERNEL}",
            "lib/all.hpp": '#include "impl.hpp"',
            "client_0.cu": '#include "lib/impl.hpp"\nint a;\n',
            "client_1.cu": '#include "lib/all.hpp"\nint a;\n',
            "instance.cpp": '#include "lib/impl.hpp"\ntemplate struct Op<float>;\n',
        }
    )
    units = {
        path: synthesise_command(path, graph)
        for path in ("client_0.cu", "client_1.cu", "instance.cpp")
    }
    assert units["instance.cpp"].dialect is None
    assert {
        path: command.dialect
        for path, command in select_units_to_parse(graph, units).items()
    } == {"instance.cpp": Dialect.CUDA}


def test_every_kernel_of_a_header_has_a_unit_that_names_what_uses_it(
    plant: Plant,
) -> None:
    kernels = "".join(
        f"__global__ void __launch_bounds__(64, 1)\n// __attribute__((waves(1, 1)))\n{name}(float* p) {{ p[0] = 1; }}\n"
        for name in ("near", "far")
    )
    files = {
        "lib/kernels.hpp": f"struct Shared {{}};\n{kernels}",
        "lib/near.hpp": '#include "kernels.hpp"\nstruct Near { void run(float* p) { near<<<1, 1>>>(p); } };\n',
        "lib/far.hpp": '#include "kernels.hpp"\nstruct Far { void run(float* p) { far<<<1, 1>>>(p); } };\n',
        "lib/list.hpp": '#include "far.hpp"\nusing Short = float;\nusing Listed = Tuple<Far>;\n',
        "a/near_0.cpp": '#include "../lib/near.hpp"\nvoid f(Shared) { Near().run(0); }\n',
        "a/near_1.cpp": '#include "../lib/near.hpp"\nvoid g(Shared) { Near().run(0); }\n',
        "b/short.cpp": '#include "../lib/list.hpp"\nShort s;  // Far, Listed\n',
        "b/listed.cpp": '#include "../lib/list.hpp"\nListed l;\n',
    }
    graph = plant(files)
    units = {
        path: synthesise_command(path, graph)
        for path in files
        if not path.startswith("lib")
    }
    assert {"a/near_0.cpp", "b/listed.cpp"} <= set(select_units_to_parse(graph, units))
    assert "b/short.cpp" not in select_units_to_parse(graph, units)


def test_of_several_launchers_in_a_header_each_kernel_has_its_own_named(
    plant: Plant,
) -> None:
    tree = {
        "lib/beds.h": "\n".join(
            f"template <class T> __global__ void {kernel}(T* x) {{ *x = 1; }}\n"
            f"template <class T>\nstruct {bed} {{\n  void run(T* x) {{ {kernel}<<<1, 1>>>(x); }}\n}};"
            for kernel, bed in (("plain", "Bed"), ("sparse", "SparseBed"))
        )
    }
    tree |= {
        f"lib/a{n}.cpp": f'#include "beds.h"\nvoid f{n}(int* x) {{ Bed<int>().run(x); }}\n'
        for n in range(6)
    }
    tree["lib/z.cpp"] = (
        '#include "beds.h"\nvoid f(int* x) { SparseBed<int>().run(x); }\n'
    )
    graph = plant(tree)
    chosen = select_units_to_parse(
        graph,
        {
            path: synthesise_command(path, graph)
            for path in tree
            if path.endswith(".cpp")
        },
    )
    assert "lib/z.cpp" in chosen
    assert len(chosen) == 2


def test_a_kernel_of_one_branch_has_a_unit_that_names_the_value_which_the_branch_asks_for(
    plant: Plant,
) -> None:
    branches = "".join(
        f"if constexpr (kVersion == lib::Version::v{at}) {{ auto k = kernel_{at}<float>; run(k); }}\n"
        for at in (1, 4)
    )
    kernels = "".join(
        f"template <class T>\n__global__ void kernel_{at}(T* p) {{ p[0] = {at}; }}\n"
        for at in (1, 4)
    )
    files = {
        "lib/kernels.hpp": kernels,
        "lib/op.hpp": f'#include "kernels.hpp"\ntemplate <Version kVersion>\nstruct Op {{ int f() {{ {branches} }} }}',
        "lib/listed.hpp": '#include "op.hpp"\nusing Few = Tuple<Op<lib::Version::v1>>;\nusing Many = Tuple<'
        + "Op<lib::Version::v1>, " * 400
        + "Op<Version::v4>>;\n",
        "a/few_0.cpp": '#include "../lib/listed.hpp"\nFew few;\n',
        "a/few_1.cpp": '#include "../lib/listed.hpp"\nFew few;\n',
        "b/many.cpp": '#include "../lib/listed.hpp"\nMany many; int a; int b;\n',
    }
    graph = plant(files)
    units = {
        path: synthesise_command(path, graph)
        for path in files
        if not path.startswith("lib")
    }
    assert [*select_units_to_parse(graph, units)] == ["a/few_0.cpp", "b/many.cpp"]
    named = {
        "b/one.cpp": '#include "../lib/op.hpp"\nvoid one() { Op<lib::Version::v4>().f(); }\n'
    }
    graph = plant(
        {
            **{path: text for path, text in files.items() if path != "b/many.cpp"},
            **named,
        }
    )
    units = {
        path: synthesise_command(path, graph)
        for path in (*files, *named)
        if path not in ("b/many.cpp", *graph.includers)
    }
    assert {"a/few_0.cpp", "b/one.cpp"} == set(select_units_to_parse(graph, units))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "if constexpr (kV == E::a) { k<int>(); } else if constexpr(E::a == kV || kV == n::E::b) { k<int>(); }",
            {"a", "b"},
        ),
        ("if constexpr (kV == E::a) { while (x) { k<int>(); } }", {"a"}),
        ("if constexpr (kV == E::a) { f(); } k<int>();", set()),
        ("if constexpr (kV == E::a) { k<int>(); } else { k<float>(); }", set()),
        ("if (kV == E::a) { k<int>(); }", set()),
    ],
)
def test_values_for_which_alone_a_kernel_is_used(body: str, expected: set[str]) -> None:
    found = find_guarded_values(f"template <E kV> void run() {{ {body} }}", "k")
    assert found == {("E", name) for name in expected}


def test_a_kernel_that_is_only_defined_is_used_for_no_value() -> None:
    assert (
        find_guarded_values("template <class T> __global__ void k(T* p) {}", "k")
        is None
    )


def test_units_that_lack_what_they_include_tell_less_than_others(plant: Plant) -> None:
    files = {
        "lib/impl.hpp": f"template <typename T>\nstruct Op {{}};\n{KERNEL}",
        "example_0.cu": '#include "lib/impl.hpp"\nusing Chosen = Op<float>;\n#include "run_example.inc"\n',
        "example_1.cu": '#include "lib/impl.hpp"\nusing Chosen = Op<int>;\n#include "run_example.inc"\n',
        "far/instance_0.cpp": '#include "../lib/impl.hpp"\ntemplate struct Op<float>;\n',
        "far/instance_1.cpp": '#include "../lib/impl.hpp"\ntemplate struct Op<int>;\n',
    }
    instances = ["far/instance_0.cpp", "far/instance_1.cpp"]
    graph = plant(files)
    units = {
        path: synthesise_command(path, graph)
        for path in files
        if path != "lib/impl.hpp"
    }
    assert [*select_units_to_parse(graph, units)] == instances
    graph = plant(
        {**files, "run_example.inc": "int main() { return sizeof(Chosen); }\n"}
    )
    units = {
        path: synthesise_command(path, graph)
        for path in files
        if path != "lib/impl.hpp"
    }
    assert [*select_units_to_parse(graph, units)] == ["example_0.cu", "example_1.cu"]


def test_a_host_source_with_kernels_of_its_own_keeps_its_flags(plant: Plant) -> None:
    entry = {"directory": ".", "file": "k.cpp", "command": "g++ -DREAL -c k.cpp"}
    files = {
        "k.cpp": f"#ifdef __CUDACC__\n{KERNEL}#endif\n",
        "compile_commands.json": json.dumps([entry]),
    }
    database = build_compile_database(plant(files).tree.root, strategies=("existing",))
    (command,) = database.commands
    assert (command.arguments, command.origin, command.dialect) == (
        ("-DREAL",),
        FlagsOrigin.EXPORTED,
        Dialect.CUDA,
    )
    assert database.covered == 1


@pytest.mark.parametrize(
    ("count", "sizes"),
    [(0, []), (3, [3]), (58, [8] * 7 + [2]), (1000, [32] * 31 + [8])],
)
def test_batches_are_shared_out_and_bounded(count: int, sizes: list[int]) -> None:
    made = split_into_batches(list(range(count)))
    assert [len(batch) for batch in made] == sizes
    assert [position for batch in made for position in batch] == list(range(count))
    assert all(len(batch) <= MAX_BATCH_UNITS for batch in made)


def test_the_same_tree_gives_the_same_database(plant: Plant, tmp_path: Path) -> None:
    root = plant(PROJECT).tree.root
    first = build_compile_database(root, strategies=("synthesised",))
    root.rename(tmp_path / "moved")
    assert (
        build_compile_database(tmp_path / "moved", strategies=("synthesised",)) == first
    )


def test_what_only_quotes_kernels_is_parsed_by_itself_and_asks_no_build_system(
    plant: Plant,
) -> None:
    files = {
        "setup.py": "raise SystemExit('never run')\n",
        "pkg/a.py": "k = RawKernel('__global__ void k() {}')\n",
        "pkg/c.pyx": "k = Template('__global__ void ${name}(${arguments}) { ${body} }')\n",
        "pkg/b.py": "'''__global__ void k() {}'''\n",
        "src/jit.cpp": 'auto s = R"(__global__ void k() {})";\n',
        "src/host.cpp": "int x;\n",
    }
    database = build_compile_database(plant(files).tree.root)
    assert parsed(database) == ["pkg/a.py", "pkg/c.pyx", "src/jit.cpp"]
    assert all(
        command.dialect is None
        for command in database.commands
        if command.file in parsed(database)
    )
    assert database.strategies == ()
