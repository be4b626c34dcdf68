"""What `show` prints of a kernel is in columns and as deep as it was asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from crawler.codec import decode
from crawler.dataset.texts.depth import Depth
from crawler.model import (
    Behaviour,
    BufferRole,
    Case,
    CaseBuffer,
    CaseKind,
    Extents,
    KernelRecord,
    Run,
    Status,
    Toolchain,
    Verdict,
)
from workers.cli.kernels.kernel_report import _describe_case, print_record

RECORDS = decode(
    (Path(__file__).parents[4] / "fixtures/records.json").read_bytes(),
    tuple[KernelRecord, ...],
)
CASE = Case(
    name="extra-2",
    kind=CaseKind.ORDINARY,
    grid=(4, 1, 1),
    block=(32, 2, 1),
    shared_bytes=16,
)


def test_facts_launches_and_builds_stand_in_a_column(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_record(RECORDS[0], Depth.UNIT)

    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "kernel         rollers::block_sum"
    assert "instantiations int_256, double_256, float_256" in lines
    assert "launch         src/reduce.cu:17 in sum" in lines
    assert "               <<<blocks, ROLLERS_BLOCK, 0, stream>>>" in lines
    assert "build          gfx90a pass (code)" in lines


def test_each_instantiation_has_its_verdict_with_what_that_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    record = RECORDS[0]
    run = Run(
        unit=record.kernel.unit.digest if record.kernel.unit else "",
        device="cpu",
        toolchain=Toolchain(compiler="clang 19"),
        pass_exe=Verdict(status=Status.CONSISTENT, code="few-cases"),
        behaviour=Behaviour.DETERMINISTIC,
        instantiation="float_256",
        suite="0" * 64,
        extents=Extents.UNPROVEN,
    )
    racy = Verdict(status=Status.FAIL, code="race")
    further = replace(run, instantiation="int_256", pass_exe=racy, is_further=True)
    print_record(replace(record, runs=(run, further)), Depth.UNIT)

    output = capsys.readouterr().out
    meaning = "[agrees with itself; meaning not proven]"
    assert f"run            cpu consistent {meaning} few-cases" in output
    assert "deterministic of float_256" in output
    assert "run            cpu fail race" in output
    assert "deterministic of int_256" in output
    assert "not run        cpu: 1: double_256" in output
    assert "extents unproven: memory is as large as what it touches" in output
    assert "strength unmeasured" in output


def test_the_pure_text_has_no_templates(capsys: pytest.CaptureFixture[str]) -> None:
    print_record(RECORDS[0], Depth.PURE)
    pure_text = capsys.readouterr().out.split("\n\n", 1)[1]
    assert "__global__" in pure_text
    assert "template <" not in pure_text


def test_a_case_says_how_it_is_launched() -> None:
    assert _describe_case(CASE) == "case extra-2 (ordinary): <<<4x1x1, 32x2x1, 16>>> "
    ordinary_case = replace(CASE, name="ordinary")
    assert _describe_case(ordinary_case).startswith("case ordinary: <<<")


def test_a_case_says_what_the_kernel_does_with_each_buffer() -> None:
    buffer = CaseBuffer(
        name="in", element="float", element_size=4, size=12, role=BufferRole.INOUT
    )
    described = _describe_case(replace(CASE, buffers=(buffer,)))
    assert described.endswith(">>> in (inout) 12 bytes")


def test_a_hidden_case_does_not_say_its_name() -> None:
    assert _describe_case(replace(CASE, hidden=True)).startswith("case hidden: <<<")
