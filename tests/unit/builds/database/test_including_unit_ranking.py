from __future__ import annotations

from collections.abc import Callable

from crawler.builds.commands.synthesis import synthesise_command
from crawler.builds.database.unit_selection import select_units_to_parse
from crawler.checkout.include_graph import IncludeGraph
from crawler.model import Dialect

Plant = Callable[[dict[str, str]], IncludeGraph]
KERNEL = "__global__ void k(float* p) { p[0] = 1; }\n"


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
        f"if constexpr (kVersion == lib::Version::v{version}) {{ auto k = kernel_{version}<float>; run(k); }}\n"
        for version in (1, 4)
    )
    kernels = "".join(
        f"template <class T>\n__global__ void kernel_{version}(T* p) {{ p[0] = {version}; }}\n"
        for version in (1, 4)
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
