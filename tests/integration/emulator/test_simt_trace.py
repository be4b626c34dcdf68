"""Kernels traced on the CPU for real: what each pointer is for, races, and what leaves its
memory.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.model import Status
from crawler.validate.emulator.execution_report import SHARED_MEMORY, Outcome
from crawler.validate.emulator.program import BuildOptions, Program, build_cpu_program
from crawler.validate.emulator.run_program import run_launches
from tests.simt_bodies import FLOATS, launch, result, unit

pytestmark = pytest.mark.apt


@pytest.fixture(scope="module")
def program() -> Program:
    made = build_cpu_program(unit())
    assert made.verdict.status is Status.PASS, made.verdict.message
    return made


@pytest.fixture(scope="module")
def tracing() -> Program:
    made = build_cpu_program(unit(), BuildOptions(trace=True, fast_build=True))
    assert made.verdict.status is Status.PASS, made.verdict.message
    return made


def test_tracing_finds_extents_roles_and_sizes(tracing: Program) -> None:
    sized = launch(1, n=60, out=1)
    (execution,) = run_launches(tracing, [sized])
    reading, writing = execution.accesses
    assert (reading.role, reading.read_range, reading.element_size) == (
        "in",
        (0, 240),
        4,
    )
    assert (writing.role, writing.written_range, writing.element_size) == (
        "out",
        (0, 4),
        4,
    )
    assert result(execution) == [sum(FLOATS[:60])]
    assert execution.findings == ()


def test_an_index_that_runs_far_away_ends_the_launch(
    program: Program, tracing: Program
) -> None:
    for build in (program, tracing):
        (far,) = run_launches(build, [launch(22)])
        assert far.outcome is Outcome.FAULT
        assert [
            finding.kind
            for finding in far.findings
            if finding.kind in ("fault", "out-of-bounds")
        ]


def test_what_would_write_all_memory_ends_by_itself_and_others_have_their_turn(
    tracing: Program,
) -> None:
    sparse, dense = launch(25, n=-1), launch(25, n=-1, block=(1, 1, 1))
    for endless in (sparse, dense):
        # memory is to end it: pages of a busy machine may cost seconds
        patient = replace(endless, max_seconds=60)
        astray, other = run_launches(tracing, [patient, launch(0)])
        assert (astray.outcome, other.outcome) == (Outcome.FAULT, Outcome.DONE)
        assert astray.find_finding("out-of-bounds") is not None


def test_a_kernel_that_writes_nothing_has_no_output(tracing: Program) -> None:
    (idle,) = run_launches(tracing, [launch(23)])
    assert [access.role for access in idle.accesses] == ["unused", "unused"]


def test_tracing_finds_races_and_what_was_never_written(tracing: Program) -> None:
    cases = [
        launch(13),
        launch(14),
        launch(15, out=1, blocks=1),
        launch(16),
        launch(17, blocks=4),
        launch(15, out=1, block=(1, 1, 1)),
    ]
    unwritten, neighbour, histogram, outside, fenced, alone = run_launches(
        tracing, cases
    )
    hole, race = (
        unwritten.find_finding("uninitialised-read"),
        neighbour.find_finding("race"),
    )
    assert hole is not None
    assert (hole.buffer, hole.thread, hole.count) == (SHARED_MEMORY, (5, 0, 0), 4)
    assert race is not None
    assert unwritten.find_finding("race") is None
    assert histogram.find_finding("race") is not None
    assert alone.findings == ()
    assert histogram.accesses[1].role == "inout"
    assert outside.accesses[1].written_range == (-4, 0)
    assert outside.find_finding("out-of-bounds") is not None
    assert fenced.find_finding("race") is None
    assert result(fenced)[4] == 10.0


def test_writes_alone_are_no_race(tracing: Program) -> None:
    (same,) = run_launches(tracing, [launch(24, out=2)])
    assert same.find_finding("overwrite") is not None
    assert same.find_finding("race") is None
