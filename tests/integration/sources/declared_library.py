"""A project that declares a library, and the library on a real server."""

from __future__ import annotations

from pathlib import Path

from crawler.extract.link import link_kernels
from crawler.extract.translation_unit_facts import extract_unit_facts
from crawler.model import (
    CompileCommand,
    Dependency,
    Dialect,
    FlagsOrigin,
    Kernel,
)
from crawler.sources.dependencies.completion import fetch_dependencies
from crawler.sources.interface import SourceOptions

KERNEL = """\
#include <lib/types.h>
#include <catch2/catch.hpp>
__global__ void scale(lib::Pair *x) { x[0].a = lib::twice(x[0].b); }
void run(lib::Pair *x) { scale<<<1, 1>>>(x); }
"""
LIBRARY = {
    "include/lib/types.h": '#pragma once\n#include "detail/twice.cuh"\n'
    "namespace lib { struct Pair { int a, b; }; }\n",
    "include/lib/detail/twice.cuh": "#pragma once\n"
    "namespace lib { __device__ inline int twice(int x) { return 2 * x; }\n"
    "__global__ void of_the_library(int *x) { x[0] = 0; } }\n",
    "include/lib/table.bin": "0" * 1000,
    "src/lib.cpp": "int unrelated;\n",
    "tests/include/lib/types.h": "#error not meant\n",
    "LICENSE": "MIT License\n\nPermission is hereby granted, free of charge, to any person "
    'obtaining a copy of this software and associated documentation files (the "Software"), to '
    "deal in the Software without restriction, including without limitation the rights to use, "
    "copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, "
    "and to permit persons to whom the Software is furnished to do so, subject to the following "
    "conditions:\n\nThe above copyright notice and this permission notice shall be included in "
    'all copies or substantial portions of the Software.\n\nTHE SOFTWARE IS PROVIDED "AS IS", '
    "WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE "
    "WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO "
    "EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER "
    "LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN "
    "CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.\n",
}


def declare(root: Path, url: str, tag: str = "v1.2") -> None:
    (root / "CMakeLists.txt").write_text(
        f"set(LIB_TAG {tag})\nFetchContent_Declare(lib\n"
        f"  GIT_REPOSITORY {url}/owner/lib.git\n  GIT_TAG ${{LIB_TAG}})\n"
    )


def complete(root: Path, *hosts: str, **submodules: str) -> tuple[Dependency, ...]:
    return fetch_dependencies(root, SourceOptions(dependency_hosts=hosts), submodules)


def extract(root: Path) -> list[Kernel]:
    command = CompileCommand(
        directory=".",
        file="a.cu",
        arguments=(),
        dialect=Dialect.CUDA,
        origin=FlagsOrigin.EXPORTED,
    )
    return list(link_kernels([extract_unit_facts(root, command)]))
