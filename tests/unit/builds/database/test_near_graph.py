"""What a part of a crowded folder says of a file is what all of it says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crawler.builds.database import file_command
from crawler.builds.database.file_command import FileCommand, find_file_command
from crawler.checkout.include_graph import IncludeGraph, load_include_graph
from crawler.checkout.near_files import list_near_files
from crawler.checkout.source_tree import open_tree

Plant = Callable[[dict[str, str]], Any]
KERNEL = "__global__ void k(float* p) { p[0] = 1; }\n"
CROWD = {f"other/{number}.cu": KERNEL for number in range(20)}
CASES: dict[str, tuple[str, dict[str, str]]] = {
    "alone": ("k.cu", {"k.cu": KERNEL}),
    "own includes": (
        "src/k.cu",
        {
            "src/k.cu": '#include "deep/a.h"\n' + KERNEL,
            "include/deep/a.h": "#include <b.cuh>\n#ifdef USE_HALF\n#endif\n",
            "lib/b.cuh": "#include <hip/hip_runtime.h>\n",
        },
    ),
    "a header of two units": (
        "inc/k.cuh",
        {
            "inc/k.cuh": KERNEL,
            "inc/m.h": '#include "k.cuh"\n',
            "a.cu": '#include "inc/m.h"\n' + KERNEL,
            "b.cpp": '#include <inc/k.cuh>\n#include "x.h"\n',
            "far/x.h": "#include <cuda_runtime.h>\n",
        },
    ),
    "a source that another one includes": (
        "impl.cu",
        {
            "impl.cu": KERNEL,
            "all.cu": '#include "impl.cu"\n#include "z.h"',
            "d/z.h": "",
        },
    ),
    "by a file of an odd name": (
        "k.cuh",
        {
            "k.cuh": KERNEL,
            "ops.def": '#include "k.cuh"\n',
            "m.cu": '#include "ops.def"',
        },
    ),
    "a macro of a file that nobody includes": (
        "k.cl",
        {
            "k.cl": "",
            "k.cpp": "MY_LONG_KERNEL void k(float* p) { }\n",
            "defs/prelude.cu": '#include "p.h"\n#define MY_LONG_KERNEL __global__\n',
            "defs/p.h": "#include <cuda.h>\n",
        },
    ),
    "a macro of a prelude": (
        "k.h",
        {
            "k.h": "KERN void k(float* p) { }\n",
            "q.cpp": '#include "k.h"\n',
            "defs/prelude.cu": "#define KERN extern \\\n __global__\n",
        },
    ),
    "the prelude itself": (
        "prelude.cu",
        {"prelude.cu": "#define KERN __global__\n", "k.cu": "KERN void k() { }\n"},
    ),
    "namesakes, told apart by how often a path is used": (
        "app/k.cu",
        {
            "app/k.cu": '#include "v.h"\n' + KERNEL,
            "a/v.h": "",
            "b/v.h": "",
            "b/only.h": "",
            "app2/m.cu": "#include <only.h>\n",
        },
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_every_file_gets_the_answer_of_the_whole_tree(
    name: str, plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = CASES[name][1]
    root: Path = plant({**CROWD, **files, "setup.py": ""}).tree.root

    def find_all() -> list[FileCommand]:
        return [find_file_command(root / path, None) for path in files]

    answers = find_all()
    with monkeypatch.context() as patch:
        patch.setattr(
            file_command, "_load_near_graph", lambda tree, _: load_include_graph(tree)
        )
        assert answers == find_all()


def test_what_a_file_has_nothing_to_do_with_is_not_scanned(plant: Plant) -> None:
    path, files = CASES["a header of two units"]
    tree = open_tree(plant({**CROWD, **files}).tree.root)

    near_files = list_near_files(tree, path)
    assert near_files is not None
    assert IncludeGraph(tree, near_files).scans.keys() == set(files)
