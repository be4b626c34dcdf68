"""The translation units that show every file and every kernel."""

from __future__ import annotations

from pathlib import Path

from benchmarks.kernel_units.unit_cover import UnitCover
from crawler.builds.database.compile_database import build_compile_database


def test_a_cover_has_the_best_units_of_each_file(tmp_path: Path) -> None:
    sources = {
        "k.cuh": "#pragma once\ntemplate <class T> __global__ void fill(T* x) { *x = T(1); }\n",
        "a.cu": '#include "k.cuh"\n#include <cstdio>\nvoid a() {}\n',
        "b.cu": '#include "k.cuh"\nvoid b(float* x) { fill<<<1, 1>>>(x); }\n',
        "c.cu": "__global__ void c(int* x) { *x = 1; }\n",
        "d.cu": "__global__ void d(int* x) { *x = 1; }\n",
    }
    for name, text in sources.items():
        (tmp_path / name).write_text(text)
    database = build_compile_database(tmp_path)
    commands = [command for command in database.commands if command.file != "k.cuh"]
    cover = UnitCover(tmp_path, commands)
    assert [
        command.file for command in cover.choose_commands({"k.cuh", "c.cu"}, 1)
    ] == [
        "b.cu",
        "c.cu",
    ]
    assert [
        command.file for command in cover.choose_commands({"k.cuh", "c.cu"}, 2)
    ] == [
        "a.cu",
        "b.cu",
        "c.cu",
    ]


def test_kernels_that_nothing_uses_get_units_that_name_each_of_them(
    tmp_path: Path,
) -> None:
    sources = {
        "k.cuh": "#pragma once\n"
        + "".join(
            f"template <class T> __global__ void {name}(T* x) {{ *x = 1; }}\n"
            for name in ("one", "two", "three")
        ),
        "a.cu": '#include "k.cuh"\nvoid a(int* x) { one<<<1, 1>>>(x); }\n',
        "b.cu": '#include "k.cuh"\nvoid b(int* x) { two<<<1, 1>>>(x); }\n',
        "c.cu": '#include "k.cuh"\nvoid c(char* x) { two<<<1, 1>>>(x); }\n',
        "z.cu": '#include "k.cuh"\nvoid z(int* x) { three<<<1, 1>>>(x); }\n',
    }
    for name, text in sources.items():
        (tmp_path / name).write_text(text)
    cover = UnitCover(
        tmp_path,
        [
            command
            for command in build_compile_database(tmp_path).commands
            if command.file != "k.cuh"
        ],
    )
    kernels = {("k.cuh", name) for name in ("two", "three")}
    assert [
        command.file for command in cover.choose_further_commands(kernels, 2, {"a.cu"})
    ] == [
        "b.cu",
        "z.cu",
    ]
    assert [
        command.file
        for command in cover.choose_further_commands(kernels, 2, {"a.cu", "b.cu"})
    ] == ["c.cu", "z.cu"]
