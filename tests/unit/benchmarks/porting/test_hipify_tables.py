"""Rows of another translator's tables against what our rules make of them."""

from __future__ import annotations

from benchmarks.porting.hipify_tables import ComparedName, compare_name, format_report


def test_a_row_is_ported_as_it_would_stand_in_a_source() -> None:
    assert compare_name("cudaMalloc", "hipMalloc").outcome == "same"
    assert compare_name("curand_kernel.h", "hiprand/hiprand_kernel.h").outcome == "same"
    assert compare_name("cub::Sum", "hipcub::Sum").outcome == "same"
    assert (
        compare_name("cudaErrorMemoryAllocation", "hipErrorMemoryAllocation").outcome
        == "other"
    )
    assert compare_name("cuNothingOfTheKind", "hipNothing").outcome == "lacking"


def test_the_report_counts_by_purpose_and_explains_what_differs() -> None:
    rows = [
        compare_name("cudaMalloc", "hipMalloc"),
        compare_name("cudaErrorMemoryAllocation", "hipErrorMemoryAllocation"),
        ComparedName("curand_strange", "hiprand_strange", "curand_strange"),
    ]
    lines = format_report(rows)
    assert "| launches and runtime | 1 | 1 | 0 |" in lines
    assert "| device code | 0 | 0 | 1 |" in lines
    assert any("`hipErrorOutOfMemory`: HIP calls it" in line for line in lines)
    assert "- device code: 1: `curand_strange`" in lines
