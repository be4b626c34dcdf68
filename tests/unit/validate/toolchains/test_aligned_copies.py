"""Copies of whole structures, each with a check of its addresses in front."""

from __future__ import annotations

import pytest

from crawler.validate.toolchains.aligned_copies import (
    are_copies_checked,
    check_copies,
    may_misalign,
)

COPY = (
    "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a, ptr align 16 %16, i64 16, i1 false),"
    " !tbaa.struct !11\n"
)
CHECK = "  call void @kernelset_check_aligned(ptr {}, i64 {})\n"


@pytest.mark.parametrize(
    "source",
    [
        "auto v = reinterpret_cast<const float4*>(x)[i];",
        "const half2 *row = (const half2 *)(x + offset);",
        "Vec<T, 4>* to = reinterpret_cast<Vec<T, 4> *>(out);",
        "reinterpret_cast<ns::pack const*>(p)",
    ],
)
def test_a_cast_to_a_structure_may_misalign_it(source: str) -> None:
    assert may_misalign(source)


@pytest.mark.parametrize(
    "source",
    [
        "cudaMalloc((void **)&x, n)",
        "float *x = (float *)malloc(n);",
        "reinterpret_cast<const unsigned int*>(x)",
        "y = f(a * b) + (c) * d;",
    ],
)
def test_a_cast_to_a_number_is_looked_at_by_clang_itself(source: str) -> None:
    assert not may_misalign(source)


def test_a_copy_is_checked_at_both_ends() -> None:
    checked = check_copies(f"{COPY}  ret void\n")

    checks = CHECK.format("%a", 16) + CHECK.format("%16", 16)
    assert checked.startswith(checks + COPY)
    assert "declare void @kernelset_check_aligned(ptr, i64)" in checked


def test_bytes_may_lie_anywhere() -> None:
    copy = COPY.replace("align 16 %16", "align 1 %16")

    assert CHECK.format("%16", 1) not in check_copies(copy)
    assert check_copies("  ret void\n") == "  ret void\n"


def test_what_a_unit_defines_itself_is_not_declared_again() -> None:
    code = f"define hidden void @kernelset_check_aligned(ptr %0, i64 %1) {{\n{COPY}}}\n"
    assert "declare" not in check_copies(code)


def test_only_programs_that_follow_accesses_check_copies() -> None:
    assert are_copies_checked(("-Xclang", "-fsanitize=thread"))
    assert not are_copies_checked(("-O2",))
    assert not are_copies_checked(
        ("-fsanitize=thread", "-Xclang", "-fprofile-instrument=clang")
    )


@pytest.mark.timeout(30)
def test_a_source_of_brackets_costs_no_time() -> None:
    assert not may_misalign("(" * 200_000)
    assert not may_misalign("(a <" * 50_000 + " " * 200_000)
    assert not may_misalign("(const " * 50_000)
