"""Inline assembly that is PTX, and what is none."""

from __future__ import annotations

import pytest

from crawler.ptx.inline_syntax import find_malformed_assembly

MODULE = """\
.version 8.5
.visible .entry _Z1kPi()
{{
	// begin inline asm
	mov.u32 %r1, %laneid;
	// end inline asm
	st.global.u32 	[%rd1], %r1;
	// begin inline asm
	{assembly}
	// end inline asm
	ret;
}}
"""


@pytest.mark.parametrize(
    "assembly",
    [
        "add.s32 %r1, %r2, -1;",
        "{ .reg .pred q; setp.ne.s32 q, %r1, 0; @q mov.u32 %r0, 5; @!q trap; }",
        "{\n .reg .pred P;\nWAIT:\n mbarrier.try_wait.parity.shared::cta.b64 P, [%r1], %r2;\n"
        " @P bra DONE;\n bra WAIT;\nDONE: }",
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
        " [%r1], [%rd1, {%r2, %r3}], [%r4];",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
        " {%f1,%f2}, {%r1,%r2}, {%r3}, {%f1,%f2};",
        "mma.sync.f32{%f1}, {%r1}, {%r3}, {%f1};",
        "setp.eq.s32 p|q, %r1, %r2;",
        "ld.global.L1::no_allocate.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1 + 16];",
        "prmt .b32 %r0, %r1, %r2, 0x5410;",
        'call (%r1), vprintf, (%rd1, %rd2); .pragma "nounroll";',
        "// a comment alone",
        "",
    ],
)
def test_what_an_assembler_takes(assembly: str) -> None:
    assert find_malformed_assembly(MODULE.format(assembly=assembly)) == ""


@pytest.mark.parametrize(
    ("assembly", "statement"),
    [
        ("this is no instruction %r1;", "this is no instruction %r1"),
        ("mov.u32 %r1, 1; frobnicate.u32 %r1;", "frobnicate.u32 %r1"),
        ('.incbin "/etc/passwd";', ".incbin 0"),
        ("mov.u32 %r1 %r2;", "mov.u32 %r1 %r2"),
        ("mov.u32 %r1, #5;", "mov.u32 %r1, #5"),
        ("mov.u32 %r1, 1", "mov.u32 %r1, 1"),
        ("ld.u32 %r1, [%rd1);", "ld.u32 %r1, [%rd1);"),
        ("movl $1, %eax;", "movl $1, %eax"),
        # what ends a block early does not hide the rest
        ("// end inline asm\n nonsense;", "// begin inline asm"),
    ],
)
def test_what_no_assembler_takes(assembly: str, statement: str) -> None:
    assert find_malformed_assembly(MODULE.format(assembly=assembly)) == statement


def test_what_the_compiler_wrote_is_not_looked_at() -> None:
    assert find_malformed_assembly("{ nonsense is here\n}\n") == ""
