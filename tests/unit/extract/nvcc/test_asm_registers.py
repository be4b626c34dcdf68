"""Inline assembly reads the same to nvcc and to clang."""

from __future__ import annotations

import pytest

from crawler.extract.nvcc.asm_registers import escape_asm_registers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'asm("mov.u32 %0, %lanemask_lt;" : "=r"(r));',
            'asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r));',
        ),
        ('asm volatile("{ .reg .pred %p1;"\n "mov %0, %laneid; }" :: "r"(x))', None),
        (
            'asm("{ .reg.b32 %v; mov.b32 %v, %0; }" :: "r"(x));',
            'asm("{ .reg.b32 %%v; mov.b32 %%v, %0; }" :: "r"(x));',
        ),
        ('__asm__ __volatile__ ("mov.u32 %0, %%smid;" : "=r"(r));', None),
        (
            'asm volatile (R"({\nmov.u32 r1, %tid.y;\n})"\n : "=d"(x[0]));',
            'asm volatile (R"({\nmov.u32 r1, %%tid.y;\n})"\n : "=d"(x[0]));',
        ),
        (
            'asm(R"PTX(mov (a), %laneid)PTX" "" :: "r"(x));',
            'asm(R"PTX(mov (a), %%laneid)PTX" "" :: "r"(x));',
        ),
        ('asm("bar.sync %lane;");', None),
        ('printf("asm(%laneid)" ":");', None),
        ('asm("mov %0, %x1;" : "=r"(r) : "r"(a));', None),
        ('asm("', None),
        ('asm(R"(mov %0, %laneid', None),
        ('asm(R"x(asm(R"(mov %laneid;)" : )x");', None),
    ],
)
def test_only_a_lone_percent_before_a_name_is_doubled(
    text: str, expected: str | None
) -> None:
    if expected is None:
        expected = text.replace("%laneid; }", "%%laneid; }")
    assert escape_asm_registers(text) == expected
    assert escape_asm_registers(expected) == expected


def test_strings_that_look_like_assembly_are_read_once() -> None:
    # each of them, were it assembly, would go to the end of the text
    lookalikes = 'asm(R"(' * 200_000
    text = f'asm(R"x({lookalikes})x" ;'
    assert escape_asm_registers(text) == text
