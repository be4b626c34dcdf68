"""Assembly with branches between its strings: one statement a branch, and each line keeps its
number.
"""

from __future__ import annotations

import pytest

from crawler.cpp.masked.masked_source import MaskedSource
from crawler.port.port import port_text
from crawler.port.rewrite import prepare_cuda
from crawler.ptx.conditional_assembly import split_conditional_assembly

LOAD = """__device__ void f() {
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, %2, 0;"  // "not" a string
#if PREFETCH
      "@p ld.global.L2::128B.u32 %0, [%1];"
#else
      "@p ld.global.u32 %0, [%1];"
#endif
      "}"
      : "=r"(to)
      : "l"(from), "r"(given));
  last();
}
"""


def test_each_branch_is_translated_by_itself() -> None:
    text, report = port_text(LOAD)
    assert report.blockers == ()
    assert "asm" not in text
    assert text.count("::kernelset::ptx::load<unsigned>") == 2
    lines = text.splitlines()
    opened = lines.index("#if PREFETCH")
    assert [lines[opened + 2], lines[opened + 4]] == ["#else", "#endif"]
    assert port_text(text)[0] == text


def test_each_line_keeps_its_number() -> None:
    source = split_conditional_assembly(MaskedSource(LOAD))
    assert source.text.splitlines().index("  last();") == LOAD.splitlines().index(
        "  last();"
    )
    (change,) = prepare_cuda(MaskedSource(LOAD)).changes
    assert (change.rule, change.line) == ("ptx", 2)


def test_only_the_branch_that_cannot_be_ported_blocks() -> None:
    text = LOAD.replace("@p ld.global.u32 %0, [%1];", "mbarrier.inval.b64 [%1];")
    assert [kind for kind, _ in port_text(text)[1].blockers] == ["async_copy"]
    never = text.replace("#if PREFETCH", "#if __CUDA_ARCH__ < 800")
    assert port_text(never)[1].blockers == ()


@pytest.mark.parametrize("twice", [True, False])
def test_branches_of_one_condition_go_together(twice: bool) -> None:
    other = "PREFETCH" if twice else "OTHER"
    continuation = (
        f'#if {other}\n"ld.global.u32 %0, [%1];"\n#endif\n      "}}"\n      : "=r"(to)'
    )
    text = LOAD.replace('      "}"\n      : "=r"(to)', continuation)
    source = split_conditional_assembly(MaskedSource(text))
    assert (source.text != text) == twice
    assert source.code.count("asm") == (2 if twice else 1)


@pytest.mark.parametrize(
    "inside",
    ["#if A\n#if B\n#endif\n#endif\n", "#else\n", "#if A\n", "#pragma once\n", "#\n"],
)
def test_what_branches_in_another_way_stays(inside: str) -> None:
    text = f'asm(\n"exit;"\n{inside}\n\n\n\n);\n'
    assert split_conditional_assembly(MaskedSource(text)).text == text


def test_branches_without_end_cost_linear_time() -> None:
    for hostile in ("#if A\n", "#elif A\n", '#if A\n"exit;"\n#elif B\n'):
        text = f"asm(\n{hostile * 20_000});\n"
        assert split_conditional_assembly(MaskedSource(text)).text == text
