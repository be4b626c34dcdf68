"""Sources that a program joins when it runs are read behind what it puts in front of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from crawler.builds.commands.synthesis import synthesise_command
from crawler.checkout.include_graph import IncludeGraph
from crawler.checkout.source_tree import open_tree
from crawler.model import Dialect

Plant = Callable[[dict[str, str]], IncludeGraph]
FORCES = "KERNEL void add_forces(GLOBAL float* forces) { forces[0] = 1; }\n"


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    def write_files(files: dict[str, str]) -> IncludeGraph:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        return IncludeGraph(open_tree(tmp_path))

    return write_files


def test_a_kernel_is_read_behind_the_file_that_says_what_its_first_word_means(
    plant: Plant,
) -> None:
    graph = plant(
        {
            "common/forces.cc": FORCES,
            "cuda/common.cu": '#define KERNEL extern "C" __global__\n#define GLOBAL\n',
            "hip/common.hip": '#define KERNEL extern "C" __global__\n#define GLOBAL\n',
            "opencl/common.cl": "#define KERNEL __kernel\n",
        }
    )

    assert "common/forces.cc" in graph.kernel_files
    command = synthesise_command("common/forces.cc", graph)
    assert command.dialect is Dialect.CUDA
    position = command.arguments.index("-include")
    assert command.arguments[position + 1] == "cuda/common.cu"


def test_of_several_the_nearest_is_taken(plant: Plant) -> None:
    graph = plant(
        {
            "plugins/drude/kernels/drude.cc": FORCES,
            "plugins/drude/cuda/common.cu": "#define KERNEL __global__\n",
            "a/common.cu": "#define KERNEL __global__\n",
        }
    )
    assert graph.run_time_preludes == {
        "plugins/drude/kernels/drude.cc": "plugins/drude/cuda/common.cu"
    }


@pytest.mark.parametrize(
    "text",
    [
        # it says itself what the word means
        f"#define KERNEL\n{FORCES}",
        f'#include "host.h"\n{FORCES}',
        # another sense of the word
        "enum { KERNEL, USER };\n",
        "// KERNEL void add_forces(\n",
        'const char* text = R"(\nKERNEL void add_forces(float* x) {}\n)";\n',
    ],
)
def test_a_word_that_means_something_else_here_makes_no_kernel(
    plant: Plant, text: str
) -> None:
    graph = plant(
        {
            "src/forces.cc": text,
            "src/host.h": "#define KERNEL static\n",
            "cuda/common.cu": "#define KERNEL __global__\n",
        }
    )
    assert graph.run_time_preludes == {}
    assert "src/forces.cc" not in graph.kernel_files
