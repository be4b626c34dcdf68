"""Kernels run on the CPU for real: barriers, warps, shared memory, and what goes wrong with
those that are wrong.
"""

from __future__ import annotations

import struct
from dataclasses import replace

import pytest

from crawler.model import Dialect, Status
from crawler.validate.emulator.execution_report import Outcome
from crawler.validate.emulator.launch import Buffer, ThreadOrder
from crawler.validate.emulator.program import BuildOptions, Program, build_cpu_program
from crawler.validate.emulator.run_program import run_launches
from crawler.validate.values.parameter_types import TypeKind
from tests.simt_bodies import ENDLESS, FLOATS, launch, result, unit

pytestmark = pytest.mark.apt


@pytest.fixture(scope="module")
def program() -> Program:
    made = build_cpu_program(unit())
    assert made.verdict.status is Status.PASS, made.verdict.message
    return made


@pytest.fixture(scope="module")
def quick() -> Program:
    made = build_cpu_program(unit(), BuildOptions(fast_build=True), describe=False)
    assert made.verdict.status is Status.PASS, made.verdict.message
    return made


def test_a_program_linked_with_what_all_have_in_common_does_what_a_whole_one_does(
    program: Program, quick: Program
) -> None:
    launches = [
        replace(launch(case), order=order, seed=3)
        for case in range(26)
        if case not in ENDLESS
        for order in ThreadOrder
    ]
    whole, parts = (
        [
            (
                execution.outcome,
                execution.buffers,
                {
                    (finding.kind, finding.line, finding.count)
                    for finding in execution.findings
                },
            )
            for execution in ran
        ]
        for ran in (run_launches(program, launches), run_launches(quick, launches))
    )
    assert parts == whole
    assert program.signatures
    assert not quick.signatures


def test_a_program_tells_its_parameters(program: Program) -> None:
    pointer, written, count = program.signatures[3]
    assert (
        pointer.kind,
        pointer.pointee_kind,
        pointer.pointee_size,
        pointer.is_const,
    ) == (
        TypeKind.POINTER,
        TypeKind.FLOATING,
        4,
        True,
    )
    assert not written.is_const
    assert (count.kind, count.size, count.type_name) == (TypeKind.SIGNED, 4, "int")


def test_kernels_give_what_a_gpu_gives(program: Program) -> None:
    add, reduce, turn, ended, groups, cube = run_launches(
        program,
        [
            launch(0, n=50, out=50, blocks=2),
            launch(1, n=64, out=1),
            launch(2),
            launch(3, n=20, out=20, block=(32, 1, 1)),
            launch(4, out=3, block=(32, 1, 1)),
            launch(11, out=24, block=(4, 3, 2)),
        ],
    )
    assert result(add) == [
        value + (1, 2, 4)[index % 3] for index, value in enumerate(FLOATS[:50])
    ]
    assert result(reduce) == [sum(FLOATS)]
    assert result(turn) == FLOATS[::-1]
    assert result(ended) == [sum(FLOATS[:20]), *[10.0] * 19]
    assert result(groups) == [16.0, 10.0, 321.0]
    assert result(cube) == [
        100 * z + 10 * y + x for z in range(2) for y in range(3) for x in range(4)
    ]
    assert [
        finding.kind
        for finding in (*add.findings, *reduce.findings, *turn.findings, *cube.findings)
    ] == []


def test_a_thread_may_have_much_memory_of_its_own(program: Program) -> None:
    (wide,) = run_launches(program, [launch(18)])
    assert result(wide) == [float(6400 + index) for index in range(64)]


def test_threads_that_wait_for_others_let_them_have_their_turn(
    program: Program,
) -> None:
    flags = replace(
        launch(20, out=4, blocks=4),
        buffers=(Buffer(size=256), Buffer(size=16, content=bytes(16))),
    )
    lock, chain = run_launches(program, [launch(19, out=1), flags])
    assert result(lock) == [64.0]
    assert lock.find_finding("spin-wait") is not None
    assert chain.outcome is Outcome.DONE
    assert struct.unpack("4i", chain.buffers[1]) == (7, 7, 7, 7)


def test_threads_take_their_turns_in_the_order_that_is_asked_for(
    program: Program,
) -> None:
    plain = launch(12, out=2, blocks=2)
    turns = [
        result(execution)
        for execution in run_launches(
            program, [replace(plain, order=order, seed=3) for order in ThreadOrder]
        )
    ]
    assert turns[0] == [163.0, 0.0]
    assert turns[1] == [0.0, 63.0]
    assert turns[2] not in (turns[0], turns[1])


def test_what_goes_wrong_is_told_and_ends_only_its_own_launch(program: Program) -> None:
    cases = [
        launch(5, n=10),
        launch(6, n=10),
        launch(7),
        launch(8),
        launch(9),
        launch(10),
        launch(13),
        launch(0),
    ]
    early, divided, beyond, zero, endless, refused, unwritten, good = run_launches(
        program, cases
    )
    exit_finding, barrier = (
        early.find_finding("early-exit"),
        divided.find_finding("divergent-barrier"),
    )
    assert exit_finding is not None
    assert exit_finding.value == 54
    assert result(early)[:10] == [1.0] * 10
    assert barrier is not None
    assert barrier.count == 22
    (whole_warps,) = run_launches(program, [launch(6, n=32)])
    assert whole_warps.find_finding("divergent-barrier") is None
    outside = beyond.find_finding("out-of-bounds")
    assert outside is not None
    assert (outside.buffer, outside.offset) == (1, 256)
    assert beyond.outcome is Outcome.FAULT
    assert zero.find_finding("divide-by-zero") is not None
    assert endless.outcome is Outcome.TIMEOUT
    assert refused.find_finding("assertion") is not None
    assert [
        index for index, value in enumerate(result(unwritten)) if value != value
    ] == [5]
    assert good.outcome is Outcome.DONE


def test_the_shortest_launch_takes_some_time(program: Program) -> None:
    assert all(run.nanoseconds > 0 for run in run_launches(program, [launch(0)] * 20))


def test_warps_of_64_lanes_show_what_was_written_for_32(program: Program) -> None:
    wide = build_cpu_program(unit(), BuildOptions(warp_size=64))
    assert wide.verdict.status is Status.PASS, wide.verdict.message
    (narrow_run,), (wide_run, add) = (
        run_launches(program, [launch(21)]),
        run_launches(wide, [launch(21), launch(1, out=1)]),
    )
    assert result(narrow_run)[0] == sum(FLOATS[:32])
    assert result(narrow_run) != result(wide_run)
    assert result(add) == [sum(FLOATS)]


HIP = """#include <kernelset/hip.h>
__global__ void k(const float* a, float* out, int n) {
  float v = a[hipThreadIdx_x];
  for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
  float all = a[hipThreadIdx_x];
  for (int d = warpSize / 2; d > 0; d >>= 1) all += __shfl_xor(all, d);
  out[hipThreadIdx_x] = v + 10000 * (__ballot_sync(0xffffffffu, hipThreadIdx_x % 32 < 3) == 7u);
  out[64 + hipThreadIdx_x] = all + 10000 * __popcll(__ballot(1));
}
"""


def test_a_hip_unit_keeps_to_32_lanes_where_masks_name_them() -> None:
    made = build_cpu_program(
        replace(unit(), source=HIP, dialect=Dialect.HIP, instantiations=()),
        BuildOptions(warp_size=64),
    )
    assert made.verdict.status is Status.PASS, made.verdict.message
    (execution,) = run_launches(made, [launch(0, out=128)])
    assert execution.findings == ()
    assert result(execution)[:64:32] == [
        10000 + sum(FLOATS[:32]),
        10000 + sum(FLOATS[32:]),
    ]
    assert result(execution)[64:] == [640000 + sum(FLOATS)] * 64


def test_shared_memory_begins_as_it_is_told(program: Program) -> None:
    usual, other = run_launches(
        program, [launch(24, out=2), replace(launch(24, out=2), shared_fill=0)]
    )
    assert result(other) == [7.0, 0.0]
    assert result(usual)[0] == 7.0
    assert usual.buffers[1][4:] == b"\xff" * 4
