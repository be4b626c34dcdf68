"""What a parse does not see: bodies of device code that lead to no kernel, each character of
the rest in its place.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.syntax.included_files import find_included_files
from crawler.extract.syntax.unit_text import UnitText
from crawler.extract.translation_unit_facts import extract_unit_facts
from crawler.extract.unit.body_elision import elide_device_bodies
from crawler.extract.unit.translation_unit import load_translation_unit

LONG = " int used = 0; used += 1; used += 2; used += 3; used += 4; "
LEFT_OUT = {
    "kernel": f"__global__ void k(float* a) {{{LONG}}}",
    "function": f"__device__ int f(int a) {{{LONG} return used; }}",
    "member": f"struct S {{ __device__ int f(int a) {{{LONG} return used; }} }};",
    "pragma": f"__global__ void k(float* a) {{\n#pragma unroll\n{LONG}}}",
    "branches": f"__global__ void k(float* a) {{\n#if 1\n if (1) {{ }}\n#else\n {{ }}\n#endif\n{LONG}}}",
}
KEPT = {
    "host": f"int f(int a) {{{LONG} return used; }}",
    "both": f"__host__ __device__ int f(int a) {{{LONG} return used; }}",
    "deduced": f"__device__ auto f(int a) {{{LONG} return used; }}",
    "constant": f"__device__ constexpr int f(int a) {{{LONG} return used; }}",
    "constant_by_macro": f"#define CONST constexpr\n__device__ CONST int f(int a) {{{LONG} return used; }}",
    "launch": f"__global__ void k(int a) {{{LONG}}}\n__global__ void p(int a) {{{LONG} k<<<1, 1>>>(1); }}",
    "launch_by_macro": f"#define GO(x) k<<<1, 1>>>(x)\n__global__ void p(int a) {{{LONG} GO(1); }}",
    "other_kernel": f"__global__ void k(int a) {{}}\n__device__ void p() {{{LONG} use(k); }}",
    "split_head": f"#if 1\n__device__ int f(int a) {{\n#else\n__device__ int f(long a) {{\n#endif\n{LONG}}}\n",
    "split_body": f"__device__ int f(int a) {{\n#if 1\n if (a) {{\n#else\n {{\n#endif\n{LONG} }} }}",
    "short": "__device__ int f(int a) { return a; }",
    "initialised": f"struct S {{ int a; __device__ S(int b) : a{{b}} {{{LONG}}} }};",
}


def elide(root: Path, text: str) -> bytes:
    (root / "a.cu").write_text(text)
    sources = SourceFiles(root)
    written = UnitText(sources, ("a.cu",))
    names = [definition.name for definition in written.definitions["a.cu"]]
    return elide_device_bodies(written, written.find_use_words(names)).files.get(
        "a.cu", text.encode()
    )


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_body_that_leads_nowhere_is_left_out(tmp_path: Path, name: str) -> None:
    text = elide(tmp_path, LEFT_OUT[name])
    assert b"used" not in text
    assert len(text) == len(LEFT_OUT[name])
    assert [len(line) for line in text.decode().split("\n")] == [
        len(line) for line in LEFT_OUT[name].split("\n")
    ]


@pytest.mark.parametrize("name", KEPT)
def test_a_body_that_may_matter_stays(tmp_path: Path, name: str) -> None:
    text = elide(tmp_path, KEPT[name])
    assert LONG in text.decode() or name == "short"


def test_what_a_body_defines_for_those_below_stays(tmp_path: Path) -> None:
    text = f"__global__ void k(int a) {{\n#define TWICE(x) \\\n  (2 * (x))\n{LONG}\n#ifdef A\n#undef B\n#endif\n}}\n"
    lines = elide(tmp_path, text).decode().split("\n")
    assert lines[1:3] == ["#define TWICE(x) \\", "  (2 * (x))"]
    assert lines[4:7] == ["#ifdef A", "#undef B", "#endif"]
    assert lines[3].strip() == ""


FILES = {
    "a.cu": '#include "b.cuh"\n#include <sub/c.cuh>\n#ifdef NEVER\n#include "d.cuh"\n#endif\n'
    "void f() { k<<<1, 2>>>(1); }",
    "b.cuh": '#pragma once\n#include "b.cuh"\n#include <c10/core/Scalar.h>\n#include "no/such.h"\n',
    "include/sub/c.cuh": f"__device__ int two(int n) {{{LONG} return used; }}\n"
    f"__global__ void k(int n) {{{LONG} two(n); }}\n",
    "d.cuh": "",
}


def test_the_text_tells_which_files_a_unit_may_read(
    project: Callable[..., Any],
) -> None:
    planted = project(FILES, "-Iinclude")
    command, sources = planted.commands[0], SourceFiles(planted.root)
    assert find_included_files(command, sources) == (
        "b.cuh",
        "include/sub/c.cuh",
        "d.cuh",
        "a.cu",
    )
    loaded = load_translation_unit(planted.root, command, sources)
    assert loaded.unit_text.files == ("b.cuh", "include/sub/c.cuh", "a.cu")
    assert loaded.has_torch


def test_a_hollow_parse_shows_what_a_whole_one_shows(
    project: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = project(FILES, "-Iinclude")
    (facts,) = planted.facts()
    closure = facts.kernels[0].closure
    assert closure is not None
    assert any(
        "used += 4" in fragment and "two" in fragment for fragment in closure.fragments
    )
    monkeypatch.setattr(
        "crawler.extract.unit.body_elision._find_elidable_bodies", lambda source: ()
    )
    assert extract_unit_facts(planted.root, planted.commands[0]) == facts


def test_a_kernel_that_the_text_does_not_tell_has_the_unit_parsed_whole(
    project: Callable[..., Any],
) -> None:
    text = (
        "#define JOIN(a, b) a##b\n#define HEAD(n) template <typename T> JOIN(__glo, bal__) void n(T a)\n"
        "HEAD(hidden) {}\n"
        f"template <typename T> __device__ void launch(T a) {{{LONG} auto kernel = &hidden<T>; kernel(a); }}\n"
        "template __device__ void launch<float>(float);\n"
    )
    (facts,) = project({"a.cu": text}).facts()
    (kernel,) = facts.kernels
    assert kernel.name == "hidden"
    assert [instantiation.arguments for instantiation in kernel.instantiations] == [
        ("float",)
    ]
