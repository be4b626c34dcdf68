"""The yield of the port: what counts, what is beside it, and that nothing is compiled twice."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.porting.compile_outcomes import (
    CompileOutcome,
    CompileOutcomes,
    generalise_message,
)
from benchmarks.porting.port import draw_sample
from benchmarks.porting.port_report import PortedUnit, format_report
from crawler.model import Dialect, KernelUnit
from crawler.port.port import port_unit

PASSED, FAILED = (
    CompileOutcome(passed=True),
    CompileOutcome(
        passed=False, code="compile-error", message="unit.hip:3: no 'f' in 'g'"
    ),
)
SOURCE = "#include <kernelset/cuda.cuh>\n__global__ void k(float *x) { x[0] = 1; }\n"


def make_ported_unit(
    kernel: str,
    *classes: str,
    cuda: CompileOutcome = PASSED,
    hip: CompileOutcome = PASSED,
) -> PortedUnit:
    outcomes = {"gfx90a": hip} if cuda.passed else {}
    return PortedUnit(
        package="p",
        kernel=kernel,
        classes=classes,
        cuda={"sm_80": cuda, "sm_90": FAILED},
        hip=outcomes,
    )


def test_a_yield_is_of_what_compiles_as_cuda_with_the_share_classified_beside_it() -> (
    None
):
    units = [
        *(make_ported_unit(f"k{number}") for number in range(6)),
        make_ported_unit("bad", hip=FAILED),
        make_ported_unit("asm", "mma", "ptx", hip=FAILED),
        make_ported_unit("broken", cuda=FAILED),
    ]
    lines = format_report(units)
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines
        if line.startswith("| ")
    ]
    assert dict(zip(rows[0], rows[2], strict=True)) == {
        "package": "p",
        "units": "9",
        "sm_80": "8",
        "only sm_90": "0",
        "compile as CUDA": "8",
        "named by the report": "1",
        "classified": "1 (12.5 %)",
        "not classified": "7",
        "gfx90a": "6 (85.7 %)",
    }
    assert ["mma", "1", "1 (12.5 %)", "0", "0"] in rows
    text = "\n".join(lines)
    assert (
        "- 1 units: no '…' in '…'; such as `gfx90a: unit.hip:3: no 'f' in 'g'`: p `bad`"
        in text
    )
    assert "not read: p `asm`" in text


def test_objects_are_told_by_target_and_builder() -> None:
    built = {
        "gfx90a clang": CompileOutcome(passed=True, used=True),
        "sm_80 clang": PASSED,
        "sm_80 nvcc": FAILED,
    }
    text = "\n".join(
        format_report(
            [replace(make_ported_unit("k"), code=built), make_ported_unit("unbuilt")]
        )
    )
    assert "| gfx90a clang | 1 | 1 (100.0 %) | 1 |" in text
    assert "| sm_80 clang | 1 | 1 (100.0 %) | 0 |" in text
    assert "| sm_80 nvcc | 1 | 0 (0.0 %) | 0 |" in text
    assert "such as `sm_80 nvcc: unit.hip:3: no 'f' in 'g'`: p `k`" in text


def test_a_sample_is_the_same_for_the_same_seed() -> None:
    assert (
        draw_sample(range(100), 10, 5)
        == draw_sample(range(100), 10, 5)
        != draw_sample(range(100), 10, 6)
    )
    assert sorted(draw_sample(range(3), 10, 5)) == [0, 1, 2]


def test_faults_of_one_kind_are_one_group() -> None:
    assert generalise_message("a.h:1: no member 'x' in 'S'") == generalise_message(
        "unit.hip:99: no member 'yy' in 'T<int>'"
    )


def test_what_no_kernel_reaches_is_named_and_not_classified() -> None:
    text = "\n".join(
        format_report(
            [
                make_ported_unit("asm", "mma"),
                make_ported_unit("k", "mma", hip=replace(FAILED, code="assembly")),
            ]
        )
    )
    assert "| p | 2 | 2 | 0 | 2 | 2 | 1 (50.0 %) | 1 | 1 (100.0 %) |" in text
    assert "| mma | 1 | 1 (50.0 %) | 1 | 1 |" in text
    assert "not read: p `k`" in text
    assert "`asm`" not in text


def make_unit(source: str) -> KernelUnit:
    return KernelUnit(
        source=source,
        dialect=Dialect.CUDA,
        kernel_name="k",
        instantiations=(),
        prelude="",
        digest=hashlib.sha256(source.encode()).hexdigest(),
        token_digest="",
    )


@pytest.mark.apt
def test_assembly_counts_where_a_kernel_reaches_it(tmp_path: Path) -> None:
    text = """#include <kernelset/cuda.cuh>
template <class T> struct Matrix { __device__ static void load(T x) {
  asm volatile("mbarrier.inval.b64 [0];\\n" ::); asm volatile("s_nop 0"); } };
__global__ void k(float *x) { x[0] = 1; REACH }
"""
    unreached, reached = (
        port_unit(make_unit(text.replace("REACH", use)))
        for use in ("", "Matrix<float>::load(1);")
    )
    assert all(
        unit.port_report and unit.port_report.blockers for unit in (unreached, reached)
    )
    outcomes = CompileOutcomes(tmp_path)
    assert outcomes.compile_reached_code(unreached, "gfx90a").passed
    outcome = outcomes.compile_reached_code(reached, "gfx90a")
    assert (outcome.passed, outcome.code, outcome.message) == (
        False,
        "assembly",
        "assembly: mbarrier.inval.b64 [0];",
    )
    plain = port_unit(
        make_unit(
            text.replace("mbarrier.inval.b64 [0];\\n", "").replace(
                "REACH", "Matrix<float>::load(1);"
            )
        )
    )
    assert outcomes.compile_reached_code(plain, "gfx90a").passed


@pytest.mark.apt
def test_what_was_compiled_is_not_compiled_again(tmp_path: Path) -> None:
    unit = make_unit(SOURCE)
    outcomes = CompileOutcomes(tmp_path)
    assert outcomes.parse_unit(unit, "sm_80").passed
    assert outcomes.parse_unit(port_unit(unit), "gfx1100").passed
    with (tmp_path / "outcomes.jsonl").open("ab") as cut:
        cut.write(b'{"key": "an interrupted')
    content = (tmp_path / "outcomes.jsonl").read_bytes()
    again = CompileOutcomes(tmp_path)
    assert again.parse_unit(unit, "sm_80").passed
    assert again.parse_unit(port_unit(unit), "gfx1100").passed
    assert (tmp_path / "outcomes.jsonl").read_bytes() == content
    assert again.parse_unit(unit, "sm_90").passed
    third = CompileOutcomes(tmp_path)
    content = (tmp_path / "outcomes.jsonl").read_bytes()
    assert third.parse_unit(unit, "sm_90").passed
    assert (tmp_path / "outcomes.jsonl").read_bytes() == content
