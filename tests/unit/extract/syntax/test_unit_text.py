"""What the text of a file says of its kernels, without a compiler."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.cpp.files.source_text import SourceFiles, SourceText
from crawler.cpp.preprocessor.dead_branches import is_in_dead_branch
from crawler.extract.syntax.unit_text import UnitText

MACROS = r"""
#define DEF_K(T) __global__ void made_##T(T* out) { out[0] = T(1); }
#define KERNEL __global__
#define KERNEL_BOUNDS(n) __global__ __launch_bounds__(n) void
#define KERNEL_DEF(name) extern "C" __global__ void name
#define KERNEL_HEAD(kernelName, ...) template<typename K, __VA_ARGS__> \
__global__ void kernelName(const int params)
#define CALL(k) k<<<1, 1>>>()
"""


def find_written(folder: Path, text: str) -> dict[str, str]:
    (folder / "a.cu").write_text(text)
    sources = SourceFiles(folder)
    missing = UnitText(sources, ("a.cu",)).find_missing_definitions(())
    return {
        definition.name: sources["a.cu"].text_between(definition.start, definition.end)
        for _, definition in missing
    }


@pytest.mark.parametrize(
    ("use", "name"),
    [
        ("DEF_K(float)", "made_float"),
        ("KERNEL void aliased(int* out) { }", "aliased"),
        ("KERNEL_BOUNDS(128 * 2) bounded(int* out) { }", "bounded"),
        ("KERNEL_DEF(named)(int* out) { }", "named"),
        ("KERNEL_HEAD(headed, bool A, int B) { if (A) return; }", "headed"),
    ],
)
def test_a_macro_that_makes_or_heads_a_kernel_gives_its_name_and_its_text(
    tmp_path: Path, use: str, name: str
) -> None:
    assert find_written(tmp_path, f"{MACROS}\n{use}\n") == {name: use}


@pytest.mark.parametrize(
    "use",
    [
        "KERNEL_DEF(declared)(int* out);",
        "CALL(k);",
        "DEF_K",
        "DEF_K(",
        "KERNEL_HEAD(",
        "DEF_K(1+)",
        "KERNEL_DEF()",
    ],
)
def test_other_uses_of_such_macros_define_nothing(tmp_path: Path, use: str) -> None:
    assert find_written(tmp_path, f"{MACROS}\n{use}\n") == {}


def test_what_stands_before_a_definition_is_not_part_of_it(tmp_path: Path) -> None:
    missing = find_written(
        tmp_path, f'{MACROS}DEF_K(int)\n#include "x.h"\n__global__ void k() {{}}\n'
    )
    assert missing == {"made_int": "DEF_K(int)", "k": "__global__ void k() {}"}


def test_text_that_no_compiler_reads_defines_nothing(tmp_path: Path) -> None:
    text = """
#if 0
__global__ void a() {}
#ifdef X
#else
__global__ void b() {}
#endif
#else
__global__ void kept() {}
#endif
#if 1
__global__ void also() {}
#else
__global__ void c() {}
#endif
#if 0 || defined(X)
__global__ void perhaps() {}
#elif 0
#endif
#if false
__global__ void d() {}
"""
    assert find_written(tmp_path, text).keys() == {"kept", "also", "perhaps"}


@pytest.mark.parametrize(
    "text",
    [
        "#endif\n#else\n__global__",
        "#if 0",
        "#if",
        "#if 0\n#endif\nx",
        "#elif 0\n#endif",
    ],
)
def test_conditions_that_do_not_match_end_somewhere(text: str) -> None:
    source = SourceText("a.cu", text.encode())
    assert [is_in_dead_branch(source, offset) for offset in range(len(text))][-1] is (
        text == "#if 0"
    )
