"""Inline assembly of a unit or a file: what it becomes, and what stays."""

from __future__ import annotations

import pytest

from crawler.port.port import port_text, port_unit
from tests.unit.port.units import make_unit


@pytest.mark.parametrize(
    ("cuda", "hip"),
    [
        (
            'asm("mov.u32 %0, %%laneid;" : "=r"(lane));',
            "(lane) = ::kernelset::ptx::lane_id();",
        ),
        ('asm volatile ( "membar.gl;\\n" ::: "memory" );', "__threadfence();"),
        (
            '__asm__("bfe.u32 %0, %1, " "%2, %3;" : "=r"(a[i]) : "r"(f(b, c)), "r"(d), "r"(8));',
            "(a[i]) = ::kernelset::ptx::bfe<unsigned>(f(b, c), d, 8);",
        ),
        (
            'asm volatile("lop3.b32 %0, %0, %1, 0x0f, %2;" : "+r"(x) : "n"(m), "n"(t));',
            "(x) = ::kernelset::ptx::lop3(x, m, 0x0f, t);",
        ),
        (
            'asm("{redux.sync.max.u32 %0, %1, 0xffffffff;}" : "=r"(d) : "r"(s));',
            "(d) = ::kernelset::ptx::reduce_max(s, 0xffffffff);",
        ),
        (
            'asm("mov.u64 %0, %%globaltimer;" : "=l"(t));',
            "(t) = ::kernelset::ptx::clock();",
        ),
        ('asm volatile("prefetch.global.L2 [%0];" ::"l"(p));', "(void)0;"),
        ('asm("ctv.rn.f64.f32 %0, %1;" : "=d"(x) : "f"(y));', "__builtin_trap();"),
        (
            'asm("{cvta.to.shared.u64 p1, %1\\n cvt.u32.u64 %0, p1;}" : "=r"(x) : "l"(y));',
            "__builtin_trap();",
        ),
        (
            "cudaGridDependencySynchronize();",
            "kernelset_grid_dependency_synchronize();",
        ),
    ],
)
def test_inline_assembly_that_is_a_function_becomes_one(cuda: str, hip: str) -> None:
    ported = port_unit(make_unit(cuda))
    assert ported.source == hip
    assert ported.port_report is not None
    assert ported.port_report.blockers == ()


@pytest.mark.parametrize(
    ("template", "made"),
    [
        (
            "cvt.rn.satfinite.e2m1x2.f32 %0, %1, %2;",
            "codes_of<::kernelset::ptx::E2M1>(::kernelset::ptx::as<float>(ks_2), ",
        ),
        (
            "cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;",
            "codes_of<::kernelset::ptx::E5M2>(::kernelset::ptx::as<__half2>(ks_1))",
        ),
        (
            "cvt.rn.f16x2.e4m3x2 %0, %1;",
            "halves_of<::kernelset::ptx::E4M3>(::kernelset::ptx::as<unsigned short>(ks_1))",
        ),
        ("cvt.rn.satfinite.relu.e4m3x2.f32 %0, %1, %2;", ""),
        ("cvt.rn.satfinite.e2m3x2.f32 %0, %1, %2;", ""),
        ("cvt.rn.e4m3x2.f32 %0, %1, %2;", ""),
    ],
)
def test_pairs_of_small_floats_in_assembly(template: str, made: str) -> None:
    ported, report = port_text(f'asm("{template}" : "=h"(d) : "f"(a), "f"(b));\n')
    assert (made in ported) if made else ("asm(" in ported)
    assert bool(report.blockers) == (not made)


def test_assembly_that_is_closed_far_away_or_never_is_read_like_any_other() -> None:
    far = 'asm("mov.u32 %0, %%laneid;" : "=r"(x' + " " * 10_000 + "));"
    assert "::kernelset::ptx::lane_id()" in port_unit(make_unit(far)).source
    assert (
        "::kernelset::ptx::lane_id()"
        in port_unit(make_unit("asm( " + far.replace(" " * 10_000, ""))).source
    )


@pytest.mark.timeout(60)
def test_assembly_that_is_never_closed_costs_no_more_than_its_length() -> None:
    assert port_text("asm(" * 100_000)[1].blockers == ()


NAMED_TEMPLATE = """#if __CUDA_ARCH__ >= 350
#define LOAD "ld.global" ".nc.u32"  // by the read-only cache
#else
#define LOAD "ld.global.u32"
#endif
void f() { asm(LOAD " %0, [%1];" : "=r"(x) : "l"(p)); }
"""


def test_a_macro_that_stands_for_a_text_is_read_in_an_assembly() -> None:
    text, report = port_text(NAMED_TEMPLATE)
    assert "asm" not in text
    assert "load<unsigned>" in text
    assert report.blockers == ()


@pytest.mark.parametrize(
    "change", ["#if __CUDA_ARCH__ >= 350/#if SOME", "#define LOAD/#define MORE"]
)
def test_an_assembly_of_unknown_text_stays_and_is_said(change: str) -> None:
    before, after = change.split("/")
    text, report = port_text(NAMED_TEMPLATE.replace(before, after))
    assert "asm(LOAD" in text
    assert [code for code, _ in report.blockers] == ["ptx"]


def test_many_blank_lines_before_an_assembly_cost_little() -> None:
    text = "\n" * 300_000 + NAMED_TEMPLATE
    assert "asm" not in port_text(text)[0]
