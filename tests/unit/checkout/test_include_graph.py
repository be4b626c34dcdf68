from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawler.checkout.include_graph import IncludeGraph
from crawler.checkout.source_tree import open_tree

Plant = Callable[[dict[str, str]], Any]


def test_a_header_beside_its_includer_needs_no_include_path(plant: Plant) -> None:
    graph = plant({"a/k.cu": '#include "k.h"\n', "a/k.h": "", "b/k.h": ""})
    assert graph.list_reached_files("a/k.cu") == ("a/k.cu", "a/k.h")
    assert graph.find_include_paths("a/k.cu") == ()


def test_include_paths_follow_from_the_ends_of_paths(plant: Plant) -> None:
    graph = plant(
        {
            "src/k.cu": '#include "op/k.h"\n#include <common.cuh>\n',
            "inc/op/k.h": "",
            "lib/x y/common.cuh": "",
        }
    )
    assert graph.find_include_paths("src/k.cu") == ("inc", "lib/x y")


def test_include_paths_of_what_is_included_are_needed_too(plant: Plant) -> None:
    graph = plant(
        {"k.cu": '#include "a.h"\n', "one/a.h": '#include "b.h"\n', "two/b.h": ""}
    )
    assert graph.find_include_paths("k.cu") == ("one", "two")


def test_of_several_the_nearest_own_header_is_meant(plant: Plant) -> None:
    graph = plant(
        {
            "ops/cuda/k.cu": '#include "util/u.h"\n',
            "ops/common/util/u.h": "",
            "other/util/u.h": "",
            "third_party/ops/cuda/util/u.h": "",
        }
    )
    assert graph.find_include_paths("ops/cuda/k.cu") == ("ops/common",)


def test_an_include_path_that_is_needed_anyway_decides_between_equals(
    plant: Plant,
) -> None:
    graph = plant(
        {
            "k.cu": '#include "sure.h"\n#include "maybe.h"\n',
            "zz/sure.h": "",
            "zz/maybe.h": "",
            "aa/maybe.h": "",
        }
    )
    assert graph.find_include_paths("k.cu") == ("zz",)


def test_parent_folders_in_an_include_lead_through_a_folder_that_exists(
    plant: Plant,
) -> None:
    graph = plant({"k.cu": '#include "../u/u.h"\n', "lib/u/u.h": "", "lib/sub/x.h": ""})
    (root,) = graph.find_include_paths("k.cu")
    assert (
        graph.tree.root / root / "../u/u.h"
    ).resolve() == graph.tree.root / "lib/u/u.h"


@pytest.mark.parametrize(
    "line", ["#include <vector>", "#include <string.h>", '#include "cuda_runtime.h"']
)
def test_the_standard_library_and_our_own_headers_are_not_looked_for(
    plant: Plant, line: str
) -> None:
    graph = plant(
        {
            "k.cu": line,
            "vendor/vector": "",
            "vendor/string.h": "",
            "vendor/cuda_runtime.h": "",
        }
    )
    assert graph.find_include_paths("k.cu") == ()
    assert graph.missing_includes["k.cu"] == ()


def test_what_is_not_there_is_named(plant: Plant) -> None:
    graph = plant({"k.cu": '#include "generated.h"\n#include <boost/any.hpp>\n'})
    assert graph.missing_includes["k.cu"] == ("generated.h",)


def test_odd_extensions_are_followed(plant: Plant) -> None:
    graph = plant(
        {
            "k.cu": '#include "k.def"\n',
            "k.def": '#include "deep.h"\n',
            "sub/deep.h": "",
            "other.def": "",
        }
    )
    assert "sub/deep.h" in graph.list_reached_files("k.cu")
    assert "other.def" not in graph.scans


def test_cycles_and_self_includes_end(plant: Plant) -> None:
    graph = plant(
        {
            "a.cuh": '#include "b.cuh"\n#include "a.cuh"\n',
            "b.cuh": '#include "a.cuh"\n',
            "k.cu": '#include "a.cuh"',
        }
    )
    assert graph.list_reached_files("k.cu") == ("k.cu", "a.cuh", "b.cuh")
    assert dict(graph.iter_including_files("b.cuh")) == {
        "b.cuh": 0,
        "a.cuh": 1,
        "k.cu": 2,
    }


def test_a_kernel_that_a_macro_marks_is_device_code_where_it_is_used(
    plant: Plant,
) -> None:
    graph = plant(
        {
            "defs.h": "#define OUR_KERNEL __global__ void\n",
            "k.cu": '#include "defs.h"\nOUR_KERNEL k(int* p) {}\n',
            "impl.inl": "OUR_KERNEL late(int* p) {}\n",
            "late.cu": '#include "defs.h"\n#include "impl.inl"\n',
            "alone.cu": "OUR_KERNEL nobody_knows(int* p) {}\n",
        }
    )
    assert graph.kernel_files == {"k.cu", "impl.inl", "alone.cu"}


def test_a_short_macro_counts_only_where_its_definition_may_be_seen(
    plant: Plant,
) -> None:
    graph = plant(
        {
            "defs.h": "#define KERN __global__ void\n",
            "k.cu": '#include "defs.h"\nKERN k(int* p) {}\n',
            "alone.cu": "KERN nobody_knows(int* p) {}\n",
        }
    )
    assert graph.kernel_files == {"k.cu"}


def test_all_that_leads_to_device_code_is_known(plant: Plant) -> None:
    graph = plant(
        {
            "k.cuh": "__global__ void k();",
            "m.h": '#include "k.cuh"',
            "a.cpp": '#include "m.h"',
            "b.cpp": "int x;",
        }
    )
    assert graph.files_reaching_device_code == {"k.cuh", "m.h", "a.cpp"}


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.dictionaries(
        st.sampled_from(
            ["a.h", "b.h", "d/a.h", "d/b.cuh", "d/e/k.cu", "ü x/k.cu", "k.def"]
        ),
        st.lists(
            st.sampled_from(
                [
                    "a.h",
                    "b.h",
                    "../a.h",
                    "e/k.cu",
                    "d/../b.h",
                    "k.def",
                    "/etc/passwd",
                    "..",
                    "//",
                ]
            )
        ),
        min_size=1,
    )
)
def test_any_web_of_includes_is_walked(
    tmp_path_factory: pytest.TempPathFactory, web: dict[str, list[str]]
) -> None:
    root = tmp_path_factory.mktemp("web")
    for name, targets in web.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(
            "".join(f'#include "{target}"\n#include <{target}>\n' for target in targets)
        )
    graph = IncludeGraph(open_tree(root))
    for path in graph.tree.files:
        reached = graph.list_reached_files(path)
        assert len(set(reached)) == len(reached)
        assert set(reached) <= set(graph.tree.files)
        assert not any(
            needed.startswith(("/", "..")) for needed in graph.find_include_paths(path)
        )


@pytest.mark.slow
def test_eight_thousand_files_take_seconds(tmp_path: Path) -> None:
    for number in range(8000):
        folder = tmp_path / f"d{number % 40}"
        folder.mkdir(exist_ok=True)
        includes = "".join(
            f'#include "d{(number * k) % 40}/f{(number * k) % 8000}.h"\n'
            for k in (3, 7, 11)
        )
        (folder / f"f{number}.h").write_text(
            f"#pragma once\n{includes}int x{number};\n"
        )
    started = time.process_time()
    graph = IncludeGraph(open_tree(tmp_path))
    assert len(graph.scans) == 8000
    assert time.process_time() - started < 8


def test_a_long_word_for_a_kernel_counts_in_files_whose_includes_are_not_followed(
    plant: Plant,
) -> None:
    graph = plant(
        {
            "lib/__config": "#define LIBRARY_KERNEL __global__\n#define KERN __global__\n",
            "lib/config.h": "#include <__config>\n",
            "lib/assign.h": "#include <cuda/config.h>\nLIBRARY_KERNEL void assign(int* a) { }\n",
            "lib/short.h": "#include <cuda/config.h>\nint KERN;\n",
            "lib/quotes.h": '// LIBRARY_KERNEL\n#define A LIBRARY_KERNEL\nauto s = "LIBRARY_KERNEL";\n',
        }
    )
    assert graph.kernel_files == {"lib/assign.h"}
