"""Inline assembly of AMD's devices that only waits: barriers of a block stay, and nothing else
is taken for a wait.
"""

from __future__ import annotations

import pytest

from crawler.validate.emulator.source.inline_assembly import replace_inline_assembly

BARRIER = "__syncthreads()"
NOTHING = '__asm__ volatile("" ::: "memory")'
UNSERVED = "::kernelset::unserved()"


@pytest.mark.parametrize(
    ("template", "stands"),
    [
        (r"s_barrier", BARRIER),
        (r"s_waitcnt lgkmcnt(0)\n\ts_barrier", BARRIER),
        ("\\\n    s_waitcnt vmcnt(0) \\n \\\n    s_barrier \\\n    ", BARRIER),
        (r"s_wait_dscnt 0x0 \n s_barrier_signal -1 \n s_barrier_wait -1", BARRIER),
        (r"s_waitcnt vmcnt(0) & lgkmcnt(0); s_nop 1", NOTHING),
        (r"s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT)", NOTHING),
        (r"", NOTHING),
        (r"s_nop 4\nbuffer_store_dword %0, %1, off", UNSERVED),
        (r"s_barrier\n ds_nop", UNSERVED),
    ],
)
def test_barriers_in_assembly_are_barriers(template: str, stands: str) -> None:
    translated = replace_inline_assembly(
        f'__device__ void f(int a, int b) {{ asm volatile("{template}" :: "v"(a), "v"(b)); }}'
    )
    assert (
        translated.replace("\\\n", "")
        == f"__device__ void f(int a, int b) {{ {stands}; }}"
    )
