"""Kernels run on the CPU for real: barriers, warps, shared memory, and what goes wrong with those that are wrong."""

from __future__ import annotations

import hashlib
import struct
from array import array
from dataclasses import replace

import pytest

from crawler.model import Dialect, Instantiation, KernelUnit, Status
from crawler.validate.simt.execution import SHARED, Execution, Outcome
from crawler.validate.simt.launch import Argument, Buffer, Launch, Order, by_value, to
from crawler.validate.simt.program import Mode, Program, build_cpu
from crawler.validate.simt.run import execute
from crawler.validate.simt.signature import Form

pytestmark = pytest.mark.apt
SOURCE = """#include <kernelset/cuda.cuh>
template <int Case> struct is {};
__device__ int counter;
__constant__ float weights[3] = {1.f, 2.f, 4.f};

__device__ void body(is<0>, const float* a, float* out, int n) {  // vector add, and a grid that is too large
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + weights[i % 3];
}
__device__ void body(is<1>, const float* a, float* out, int n) {  // a reduction in static shared memory
  __shared__ float s[64];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? a[i] : 0.f;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
__device__ void body(is<2>, const float* a, float* out, int n) {  // the block's order turned round in dynamic memory
  extern __shared__ __align__(16) float turned[];
  turned[blockDim.x - 1 - threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = turned[threadIdx.x];
}
__device__ void body(is<3>, const float* a, float* out, int n) {  // lanes that have ended are no partners
  int i = threadIdx.x;
  if (i >= n) return;
  float v = a[i];
  for (int k = warpSize / 2; k > 0; k >>= 1) {
    float other = __shfl_down_sync(0xffffffff, v, k);
    if (i + k < n) v += other;
  }
  out[i] = i == 0 ? v : __popc(__ballot_sync(__activemask(), i % 2));
}
__device__ void body(is<4>, const float* a, float* out, int n) {  // who is even counts, in a branch of its own
  if (threadIdx.x % 2 == 0) {
    unsigned together = __activemask();
    if (threadIdx.x == 0) out[0] = __popc(together);
  }
  __syncwarp();
  out[1] = __syncthreads_count(threadIdx.x < 10);
  int same;
  __match_all_sync(0xffffffff, 7, &same);
  out[2] = same + 10 * __reduce_add_sync(0xffffffff, 1);
}
__device__ void body(is<5>, const float* a, float* out, int n) {  // the end comes before a barrier
  if (threadIdx.x >= n) return;
  __syncthreads();
  out[threadIdx.x] = 1.f;
}
__device__ void body(is<6>, const float* a, float* out, int n) {  // two barriers for one block
  if (threadIdx.x < n) __syncthreads();
  else
    __syncthreads();
  out[threadIdx.x] = 1.f;
}
__device__ void body(is<7>, const float* a, float* out, int n) { out[n] = 1.f; }
__device__ void body(is<8>, const float* a, float* out, int n) { out[0] = 7 / (n - 64); }
__device__ void body(is<9>, const float* a, float* out, int n) {
  while (*(volatile int*)&counter == 0) {}
}
__device__ void body(is<10>, const float* a, float* out, int n) { assert(n < 0); }
__device__ void body(is<11>, const float* a, float* out, int n) {  // three dimensions
  unsigned rank = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  __syncthreads();
  out[rank] = 100 * threadIdx.z + 10 * threadIdx.y + threadIdx.x;
}
__device__ void body(is<12>, const float* a, float* out, int n) {  // last one wins: it tells the order of threads
  out[0] = threadIdx.x + 100 * blockIdx.x;
  out[1] = atomicAdd(&counter, 1) == 0 ? threadIdx.x : out[1];
}
__device__ void body(is<13>, const float* a, float* out, int n) {  // what nobody wrote is NaN
  __shared__ float s[64];
  if (threadIdx.x != 5) s[threadIdx.x] = 1.f;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}
__device__ void body(is<14>, const float* a, float* out, int n) {  // a neighbour's value with no barrier between
  __shared__ float s[64];
  s[threadIdx.x] = a[threadIdx.x];
  out[threadIdx.x] = s[(threadIdx.x + 1) % 64];
}
__device__ void body(is<15>, const float* a, float* out, int n) {  // a histogram without atomics
  out[0] += a[blockIdx.x * blockDim.x + threadIdx.x];
}
__device__ void body(is<16>, const float* a, float* out, int n) { out[-1] = a[threadIdx.x + 1]; }
__device__ void body(is<17>, const float* a, float* out, int n) {  // the last block adds up what all have written
  __shared__ bool last;
  if (threadIdx.x == 0) {
    out[blockIdx.x] = a[blockIdx.x];
    __threadfence();
    last = atomicAdd(&counter, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0)
    for (int i = 0; i < gridDim.x; ++i) out[gridDim.x] = (i ? out[gridDim.x] : 0) + out[i];
}
__device__ void body(is<18>, const float* a, float* out, int n) {  // more of its own memory than a narrow stack has
  volatile float mine[20000];
  for (int i = 0; i < 20000; ++i) mine[i] = i;
  __syncthreads();
  out[threadIdx.x] = mine[n * 100 + threadIdx.x];
}
__device__ void body(is<19>, const float* a, float* out, int n) {  // a lock that is tried until it is free
  bool done = false;
  while (!done) {
    if (atomicCAS(&counter, 0, 1) == 0) {
      out[0] = (threadIdx.x ? out[0] : 0.f) + 1.f;
      if (threadIdx.x % 7 == 3) __nanosleep(100);
      atomicExch(&counter, 0);
      done = true;
    }
  }
}
__device__ void body(is<20>, const float* a, float* out, int n) {  // each block waits for the next one's word
  if (threadIdx.x == 0 && blockIdx.x + 1 < gridDim.x)
    while (atomicAdd((int*)out + blockIdx.x + 1, 0) != 7) __nanosleep(1);
  __syncthreads();
  if (threadIdx.x == 0) atomicExch((int*)out + blockIdx.x, 7);
}
__device__ void body(is<21>, const float* a, float* out, int n) {  // 32 lanes are taken for granted
  float v = a[threadIdx.x];
  for (int k = 16; k > 0; k >>= 1) v += __shfl_xor(v, k);
  out[threadIdx.x] = __shfl(v, threadIdx.x / 32);
}
__device__ void body(is<22>, const float* a, float* out, int n) { out[(n << 26) * 32 + n * 1000000000ll] = 1.f; }
__device__ void body(is<23>, const float* a, float* out, int n) {}
__device__ void body(is<24>, const float* a, float* out, int n) {  // all write the same; one shows what nobody wrote
  __shared__ float s[2];
  out[0] = 7.f;
  if (threadIdx.x == 0) out[1] = s[n & 1];
}
__device__ void body(is<25>, const float* a, float* out, int n) {  // a count that is negative is very large
  for (unsigned at = threadIdx.x; at < unsigned(n); at += blockDim.x == 1 ? 1 : 256) out[at] = 1.f;
}
template <int Case> __global__ void k(const float* a, float* out, int n) { body(is<Case>(), a, out, n); }
""" + "".join(f"template __global__ decltype(k<{case}>) k<{case}>;\n" for case in range(26))
ENDLESS = (9, 20)
FLOATS = [float(value) for value in range(1, 65)]


def unit() -> KernelUnit:
    cases = tuple(Instantiation(arguments=(str(case),), label=str(case)) for case in range(26))
    digest = hashlib.sha256(SOURCE.encode()).hexdigest()
    return KernelUnit(
        source=SOURCE,
        dialect=Dialect.CUDA,
        kernel_name="k",
        instantiations=cases,
        prelude="",
        digest=digest,
        token_digest="",
    )


@pytest.fixture(scope="module")
def program() -> Program:
    made = build_cpu(unit())
    assert made.verdict.status is Status.PASS, made.verdict.message
    return made


@pytest.fixture(scope="module")
def tracing() -> Program:
    made = build_cpu(unit(), Mode(trace=True, quick=True))
    assert made.verdict.status is Status.PASS, made.verdict.message
    return made


@pytest.fixture(scope="module")
def quick() -> Program:
    made = build_cpu(unit(), Mode(quick=True), described=False)
    assert made.verdict.status is Status.PASS, made.verdict.message
    return made


def floats(values: list[float]) -> bytes:
    return array("f", values).tobytes()


def launch(
    case: int, *, n: int = 64, out: int = 64, blocks: int = 1, block: tuple[int, int, int] = (64, 1, 1)
) -> Launch:
    arguments: tuple[Argument, ...] = (to(0), to(1), by_value(struct.pack("i", n)))
    buffers = (Buffer(size=256, content=floats(FLOATS)), Buffer(size=4 * out))
    return Launch(
        entry=case,
        grid=(blocks, 1, 1),
        block=block,
        shared_bytes=256,
        buffers=buffers,
        arguments=arguments,
        seconds=1,
    )


def result(execution: Execution) -> list[float]:
    assert execution.outcome is Outcome.DONE, execution.findings
    return array("f", execution.buffers[1]).tolist()


def test_a_program_linked_with_what_all_have_in_common_does_what_a_whole_one_does(
    program: Program, quick: Program
) -> None:
    launches = [
        replace(launch(case), order=order, seed=3) for case in range(26) if case not in ENDLESS for order in Order
    ]
    whole, parts = (
        [(each.outcome, each.buffers, {(one.kind, one.line, one.times) for one in each.findings}) for each in ran]
        for ran in (execute(program, launches), execute(quick, launches))
    )
    assert parts == whole
    assert program.signatures
    assert not quick.signatures


def test_a_program_tells_its_parameters(program: Program) -> None:
    pointer, written, count = program.signatures[3]
    assert (pointer.form, pointer.pointee, pointer.pointee_size, pointer.is_const) == (
        Form.POINTER,
        Form.FLOATING,
        4,
        True,
    )
    assert not written.is_const
    assert (count.form, count.size, count.type) == (Form.SIGNED, 4, "int")


def test_kernels_give_what_a_gpu_gives(program: Program) -> None:
    add, reduce, turn, ended, groups, cube = execute(
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
    assert result(add) == [value + (1, 2, 4)[at % 3] for at, value in enumerate(FLOATS[:50])]
    assert result(reduce) == [sum(FLOATS)]
    assert result(turn) == FLOATS[::-1]
    assert result(ended) == [sum(FLOATS[:20]), *[10.0] * 19]
    assert result(groups) == [16.0, 10.0, 321.0]
    assert result(cube) == [100 * z + 10 * y + x for z in range(2) for y in range(3) for x in range(4)]
    assert [each.kind for each in (*add.findings, *reduce.findings, *turn.findings, *cube.findings)] == []


def test_a_thread_may_have_much_memory_of_its_own(program: Program) -> None:
    (wide,) = execute(program, [launch(18)])
    assert result(wide) == [float(6400 + at) for at in range(64)]


def test_threads_that_wait_for_others_let_them_have_their_turn(program: Program) -> None:
    flags = replace(launch(20, out=4, blocks=4), buffers=(Buffer(size=256), Buffer(size=16, content=bytes(16))))
    lock, chain = execute(program, [launch(19, out=1), flags])
    assert result(lock) == [64.0]
    assert lock.finding("spin-wait") is not None
    assert chain.outcome is Outcome.DONE
    assert struct.unpack("4i", chain.buffers[1]) == (7, 7, 7, 7)


def test_threads_take_their_turns_in_the_order_that_is_asked_for(program: Program) -> None:
    plain = launch(12, out=2, blocks=2)
    turns = [result(each) for each in execute(program, [replace(plain, order=order, seed=3) for order in Order])]
    assert turns[0] == [163.0, 0.0]
    assert turns[1] == [0.0, 63.0]
    assert turns[2] not in (turns[0], turns[1])


def test_what_goes_wrong_is_told_and_ends_only_its_own_launch(program: Program) -> None:
    cases = [launch(5, n=10), launch(6, n=10), launch(7), launch(8), launch(9), launch(10), launch(13), launch(0)]
    early, divided, beyond, zero, endless, refused, unwritten, good = execute(program, cases)
    exit_finding, barrier = early.finding("early-exit"), divided.finding("divergent-barrier")
    assert exit_finding is not None
    assert exit_finding.value == 54
    assert result(early)[:10] == [1.0] * 10
    assert barrier is not None
    assert barrier.times == 22
    (whole_warps,) = execute(program, [launch(6, n=32)])
    assert whole_warps.finding("divergent-barrier") is None
    outside = beyond.finding("out-of-bounds")
    assert outside is not None
    assert (outside.buffer, outside.offset) == (1, 256)
    assert beyond.outcome is Outcome.FAULT
    assert zero.finding("divide-by-zero") is not None
    assert endless.outcome is Outcome.TIMEOUT
    assert refused.finding("assertion") is not None
    assert [at for at, value in enumerate(result(unwritten)) if value != value] == [5]
    assert good.outcome is Outcome.DONE


def test_tracing_finds_extents_roles_and_sizes(tracing: Program) -> None:
    sized = launch(1, n=60, out=1)
    (execution,) = execute(tracing, [sized])
    given, made = execution.accesses
    assert (given.role, given.read, given.element_size) == ("in", (0, 240), 4)
    assert (made.role, made.written, made.element_size) == ("out", (0, 4), 4)
    assert result(execution) == [sum(FLOATS[:60])]
    assert execution.findings == ()


def test_an_index_that_runs_far_away_ends_the_launch(program: Program, tracing: Program) -> None:
    for each in (program, tracing):
        (far,) = execute(each, [launch(22)])
        assert far.outcome is Outcome.FAULT
        assert [found.kind for found in far.findings if found.kind in ("fault", "out-of-bounds")]


def test_what_would_write_all_memory_ends_by_itself_and_others_have_their_turn(tracing: Program) -> None:
    sparse, dense = launch(25, n=-1), launch(25, n=-1, block=(1, 1, 1))
    for endless in (sparse, replace(dense, seconds=5)):
        astray, other = execute(tracing, [endless, launch(0)])
        assert (astray.outcome, other.outcome) == (Outcome.FAULT, Outcome.DONE)
        assert astray.finding("out-of-bounds") is not None


def test_the_shortest_launch_takes_some_time(program: Program) -> None:
    assert all(run.nanoseconds > 0 for run in execute(program, [launch(0)] * 20))


def test_a_kernel_that_writes_nothing_has_no_output(tracing: Program) -> None:
    (idle,) = execute(tracing, [launch(23)])
    assert [access.role for access in idle.accesses] == ["unused", "unused"]


def test_warps_of_64_lanes_show_what_was_written_for_32(program: Program) -> None:
    wide = build_cpu(unit(), Mode(lanes=64))
    assert wide.verdict.status is Status.PASS, wide.verdict.message
    (narrow_run,), (wide_run, add) = execute(program, [launch(21)]), execute(wide, [launch(21), launch(1, out=1)])
    assert result(narrow_run)[0] == sum(FLOATS[:32])
    assert result(narrow_run) != result(wide_run)
    assert result(add) == [sum(FLOATS)]


def test_tracing_finds_races_and_what_was_never_written(tracing: Program) -> None:
    cases = [
        launch(13),
        launch(14),
        launch(15, out=1, blocks=1),
        launch(16),
        launch(17, blocks=4),
        launch(15, out=1, block=(1, 1, 1)),
    ]
    unwritten, neighbour, histogram, outside, fenced, alone = execute(tracing, cases)
    hole, race = unwritten.finding("uninitialised-read"), neighbour.finding("race")
    assert hole is not None
    assert (hole.buffer, hole.thread, hole.times) == (SHARED, (5, 0, 0), 4)
    assert race is not None
    assert unwritten.finding("race") is None
    assert histogram.finding("race") is not None
    assert alone.findings == ()
    assert histogram.accesses[1].role == "inout"
    assert outside.accesses[1].written == (-4, 0)
    assert outside.finding("out-of-bounds") is not None
    assert fenced.finding("race") is None
    assert result(fenced)[4] == 10.0


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
    made = build_cpu(replace(unit(), source=HIP, dialect=Dialect.HIP, instantiations=()), Mode(lanes=64))
    assert made.verdict.status is Status.PASS, made.verdict.message
    (execution,) = execute(made, [launch(0, out=128)])
    assert execution.findings == ()
    assert result(execution)[:64:32] == [10000 + sum(FLOATS[:32]), 10000 + sum(FLOATS[32:])]
    assert result(execution)[64:] == [640000 + sum(FLOATS)] * 64


def test_writes_alone_are_no_race(tracing: Program) -> None:
    (same,) = execute(tracing, [launch(24, out=2)])
    assert same.finding("overwrite") is not None
    assert same.finding("race") is None


def test_shared_memory_begins_as_it_is_told(program: Program) -> None:
    usual, other = execute(program, [launch(24, out=2), replace(launch(24, out=2), fill=0)])
    assert result(other) == [7.0, 0.0]
    assert result(usual)[0] == 7.0
    assert usual.buffers[1][4:] == b"\xff" * 4
