"""Where each part of a unit comes from: line by line, whatever order and scopes the unit gives
them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from crawler.extract.link import link_kernels
from crawler.extract.translation_unit_facts import extract_unit_facts
from crawler.model import CompileCommand, FlagsOrigin, Kernel

HEADER = """#pragma once
#define TILE \\
  16
namespace maths {
struct Unused { int a; };

template <typename T>
__device__ T squared(T v) {
  return v * v;
}
}
"""
KERNELS = """#include "maths.h"
__global__ void late(float* out);
__device__ float twice(float v) { return 2 * v; }
__global__ void squares(float* out) {
  out[threadIdx.x] = twice(maths::squared(out[TILE])) * WIDTH;
}
"""
QUOTED = '''import cupy

CODE = """
__device__ float half_of(float v) {
  return v / 2;
}
extern "C" __global__ void halves(float* out) { out[0] = half_of(out[0]); }
"""
kernel = cupy.RawKernel(CODE, "halves")
'''


def texts(kernel: Kernel, files: dict[str, str]) -> list[tuple[str, str, str]]:
    """Return (path, the line of the unit, the first line in the project that is told of) of
    each part.
    """
    assert kernel.unit
    unit = kernel.unit.source.splitlines()
    return [
        (
            origin.path,
            unit[origin.line - 1].strip(),
            files[origin.path].splitlines()[origin.first_line - 1].strip(),
        )
        for origin in kernel.origins
    ]


def test_each_part_of_a_unit_tells_its_lines(project: Callable[..., Any]) -> None:
    files = {"maths.h": HEADER, "kernels.cu": KERNELS}
    kernel = next(
        candidate
        for candidate in project(files, "-DWIDTH=4").kernels()
        if candidate.name == "squares"
    )
    parts = texts(kernel, files)
    assert ("maths.h", "#define TILE \\", "#define TILE \\") in parts
    assert parts[-2][:2] == (
        "kernels.cu",
        "__device__ float twice(float v) { return 2 * v; }",
    )
    assert parts[-1][:2] == ("kernels.cu", "__global__ void squares(float* out) {")
    assert all(
        written == original
        for _, written, original in parts
        if not written.startswith("namespace")
    )
    (wrapped,) = [
        origin
        for origin in kernel.origins
        if origin.path == "maths.h" and origin.first_line > 4
    ]
    assert (wrapped.first_line, wrapped.last_line) == (7, 10)
    # what the command line defines is in the unit, and of no file
    assert kernel.unit
    assert "#define WIDTH 4" in kernel.unit.source
    assert all("WIDTH 4" not in written for _, written, _ in parts)


def test_parts_of_a_kernel_in_a_string_tell_their_lines_in_the_file(
    project: Callable[..., Any],
) -> None:
    files = {"raw.py": QUOTED}
    command = CompileCommand(
        directory=".",
        file="raw.py",
        arguments=(),
        dialect=None,
        origin=FlagsOrigin.SYNTHESISED,
    )
    (kernel,) = link_kernels([extract_unit_facts(project(files).root, command)])
    assert [
        (origin.path, origin.first_line, origin.last_line) for origin in kernel.origins
    ] == [
        ("raw.py", 4, 6),
        ("raw.py", 7, 7),
    ]


def test_a_unit_with_a_part_twice_has_an_origin_for_one(
    project: Callable[..., Any], tmp_path: Path
) -> None:
    text = "__device__ int one();\n__device__ int one();\n__device__ int one() { return 1; }\n"
    text += "__global__ void k(int* out) { out[0] = one(); }\n"
    (kernel,) = project({"k.cu": text}).kernels()
    assert kernel.unit
    lines = kernel.unit.source.splitlines()
    assert [lines[origin.line - 1] for origin in kernel.origins] == list(
        dict.fromkeys(text.splitlines())
    )
