"""Calls of compilers, taken apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.model import Dialect
from crawler.validate.suites.own_builds.inside.compiler_call import (
    CompilerCall,
    read_compiler_call,
)


def read(line: str) -> CompilerCall:
    """Return the call that a command line makes."""
    return read_compiler_call(line.split())


def test_cmake_compiles_one_source() -> None:
    call = read(
        "-forward-unknown-to-host-compiler -DN=3 -isystem=/opt/x/include -O3"
        " --generate-code=arch=compute_80,code=[compute_80,sm_80] -std=c++17"
        " -MD -MT k.cu.o -MF k.cu.o.d -x cu -c /checkout/k.cu -o k.cu.o"
    )

    assert (call.mode, call.sources, call.output) == (
        "object",
        ["/checkout/k.cu"],
        "k.cu.o",
    )
    assert call.dependency_words == ["-MD", "-MT", "k.cu.o", "-MF", "k.cu.o.d"]
    assert {"-DN=3", "-isystem=/opt/x/include", "-std=c++17"} <= set(call.compile_words)
    assert call.is_device_source("/checkout/k.cu")
    assert call.link_words == []


def test_make_compiles_and_links_at_once() -> None:
    call = read(
        "-arch=sm_80 -I inc a.cu b.cpp c.o -o run -Llib -L lib64 -lcublas -l m"
        " -Xlinker -rpath,/here -Xcompiler -Wl,-z,lazy"
    )

    assert (call.mode, call.output) == ("link", "run")
    assert call.sources == ["a.cu", "b.cpp"]
    assert call.link_words == [
        *("c.o", "-Llib", "-Llib64", "-lcublas", "-lm"),
        *("-Wl,-rpath", "-Wl,/here", "-Wl,-z,lazy"),
    ]
    assert call.compile_words[:3] == ["-arch=sm_80", "-I", "inc"]
    assert [call.is_device_source(source) for source in call.sources] == [True, False]


@pytest.mark.parametrize(
    ("line", "mode"),
    [
        ("-dc k.cu -o k.o", "object"),
        ("-dlink a.o b.o -o linked.o", "device-link"),
        ("-lib a.o -o lib.a", "archive"),
        ("-M k.cu", "dependencies"),
        ("-ptx k.cu", "device-code"),
        ("-shared a.o -o lib.so", "link"),
    ],
)
def test_what_is_made_is_known(line: str, mode: str) -> None:
    assert read(line).mode == mode


def test_objects_of_several_sources_are_named_by_them() -> None:
    call = read("-c a/x.cu b/y.cu -odir out")

    assert [call.name_object(source) for source in call.sources] == [
        "out/x.o",
        "out/y.o",
    ]


def test_a_language_makes_any_file_a_source() -> None:
    call = read("-x cu -c kernels.inc -o k.o")

    assert call.sources == ["kernels.inc"]
    assert call.is_device_source("kernels.inc")


def test_words_may_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "words").write_text("-DN=3 -c k.cu")
    call = read(f"--options-file {tmp_path}/words -o k.o")

    assert (call.mode, call.sources, call.output) == ("object", ["k.cu"], "k.o")


def test_a_file_that_is_not_there_is_no_end() -> None:
    assert read("@missing -c k.cu").sources == ["k.cu"]


@pytest.mark.parametrize(
    ("tool", "line", "dialect"),
    [
        ("nvcc", "-c k.cu", Dialect.CUDA),
        ("nvcc", "-c k.cpp", None),
        ("hipcc", "-c k.cpp", Dialect.HIP),
        ("hipcc", "-c k.cu", Dialect.HIP),
        ("hipcc", "-c k.c", None),
        ("clang++", "-c k.cpp", None),
        ("clang++", "-c k.hip", Dialect.HIP),
        ("clang++", "-x cuda --cuda-gpu-arch=sm_80 -c k.cpp", Dialect.CUDA),
        ("g++", "-x hip -c k.cpp", Dialect.HIP),
        ("clang++", "-x c++ -c k.cu", None),
        ("clang++", "k.o -o run", None),
    ],
)
def test_who_is_called_tells_what_a_source_holds(
    tool: str, line: str, dialect: Dialect | None
) -> None:
    call = read_compiler_call(line.split(), tool)

    assert call.has_device_source is (dialect is not None)
    if dialect is not None:
        assert call.find_dialect(call.sources[0]) is dialect
