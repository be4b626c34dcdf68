"""Kernels with nothing but their text and a launch site: inputs are found, cases made, and each
is judged rightly.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from crawler import codec
from crawler.model import (
    Behaviour,
    BufferRole,
    CaseKind,
    Instantiation,
    Kernel,
    Launch,
    Status,
    Suite,
)
from crawler.validate.cpu.validation import validate_on_cpu
from crawler.validate.emulator.case_launch import build_case_launch
from crawler.validate.emulator.program import BuildOptions, Program, build_cpu_program
from crawler.validate.emulator.run_program import run_launches
from crawler.validate.inputs.ordinary.ordinary_trial import find_ordinary_trial
from crawler.validate.inputs.ordinary.trial_subject import build_subject
from crawler.validate.inputs.trials.fill_patterns import Filling
from crawler.validate.inputs.trials.settled_trials import TrialResult
from tests.plain import HERE, plain_kernel, plain_unit

pytestmark = pytest.mark.apt
KERNELS = """#include <kernelset/cuda.cuh>
template <int Case> struct is {};
struct View { float* data; int sizes[2]; long strides[2]; };
__device__ void body(is<0>, const float* a, const int* idx, View out, int n, int c) {  // rows by index
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n * c) out.data[i / c * out.strides[0] + i % c * out.strides[1]] = a[idx[i / c] * c + i % c];
}
__device__ void body(is<1>, const float* a, const int* idx, View out, int n, int c) {  // rows to where an index says
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out.data[idx[i]] = a[i];
}
__device__ void body(is<2>, const float* a, const int* idx, View out, int n, int c) {  // sums of rows
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out.data + i % c, a[i] * 0.1f);
}
__device__ void body(is<3>, const float* a, const int* idx, View out, int n, int c) {  // nobody waits
  __shared__ float s[1024];
  s[threadIdx.x] = a[threadIdx.x];
  out.data[blockIdx.x * blockDim.x + threadIdx.x] = s[(threadIdx.x + 1) % blockDim.x];
}
__device__ void body(is<4>, const float* a, const int* idx, View out, int n, int c) {  // data, not an index
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out.data[i] = a[i] * idx[i] / (c + 1);
}
__device__ void body(is<5>, const float* a, const int* idx, View out, int n, int c) { while (n) asm volatile(""); }
__device__ void body(is<6>, const float* a, const int* idx, View out, int n, int c) {
  if (threadIdx.x % 2) __syncthreads();
  else
    __syncthreads();
  out.data[threadIdx.x] = a[threadIdx.x];
}
template <int Case> __global__ void k(const float* a, const int* idx, View out, int n, int c) {
  body(is<Case>(), a, idx, out, n, c);
}
""" + "".join(
    f"template __global__ decltype(k<{case}>) k<{case}>;\n" for case in range(7)
)
NAMES = (
    ("a", "const float *"),
    ("idx", "const int *"),
    ("out", "View"),
    ("n", "int"),
    ("c", "int"),
)


def kernel(source: str, cases: int) -> Kernel:
    instantiations = tuple(
        Instantiation(arguments=(str(case),), label=str(case)) for case in range(cases)
    )
    launch = Launch(
        span=HERE,
        kernel_name="k",
        grid="(n * c + threads - 1) / threads",
        block="threads",
        argument_map=(("n", "n"), ("c", "c")),
        setup="int n = a.size(0), c = a.size(1); const int threads = 64;",
    )
    return plain_kernel(plain_unit(source, *instantiations), NAMES, launches=(launch,))


@dataclass(frozen=True)
class Shared:
    """One traced program that holds every kernel."""

    kernel: Kernel
    program: Program

    def ordinary(self, entry: int) -> TrialResult:
        assert self.kernel.unit is not None
        on = build_subject(
            self.kernel, self.kernel.unit, entry, self.program, self.kernel.launches[0]
        )
        return find_ordinary_trial(on, 0)


@pytest.fixture(scope="module")
def shared_program() -> Shared:
    made = kernel(KERNELS, 7)
    assert made.unit is not None
    program = build_cpu_program(made.unit, BuildOptions(trace=True))
    assert program.executable, program.verdict
    return Shared(made, program)


def fillings(ordinary: TrialResult) -> list[Filling]:
    return [content.filling for content in ordinary.trial.memory.patterns]


def test_an_index_is_filled_validly_and_its_buffers_are_sized_by_what_runs(
    shared_program: Shared,
) -> None:
    ordinary = shared_program.ordinary(0)
    scalars = ordinary.trial.configuration.scalars
    rows, columns = scalars["n"], scalars["c"]
    assert ordinary.is_clean
    assert fillings(ordinary) == [
        Filling.DATA,
        Filling.SMALL_INTEGERS,
        Filling.BOUNDED_REALS,
    ]
    assert ordinary.trial.memory.sizes[1:] == (4 * rows, 4 * rows * columns)
    assert [access.role for access in ordinary.execution.accesses] == [
        "in",
        "in",
        "out",
    ]


def test_an_index_that_is_written_through_is_filled_with_each_place_once(
    shared_program: Shared,
) -> None:
    ordinary = shared_program.ordinary(1)
    assert ordinary.is_clean
    assert fillings(ordinary)[1] is Filling.PERMUTATION


def test_whole_numbers_that_index_nothing_are_data_and_negative_ones_among_them(
    shared_program: Shared,
) -> None:
    assert fillings(shared_program.ordinary(4))[:2] == [Filling.DATA, Filling.DATA]


@pytest.mark.parametrize(("entry", "alarm"), [(3, "race"), (6, "divergent-barrier")])
def test_what_no_inputs_cure_is_named(
    shared_program: Shared, entry: int, alarm: str
) -> None:
    ordinary = shared_program.ordinary(entry)
    assert not ordinary.is_usable
    assert alarm in ordinary.problems


def test_a_kernel_comes_to_a_verdict_with_cases_that_run_again_the_same() -> None:
    source = (
        KERNELS.partition("template __global__")[0]
        + "template __global__ decltype(k<2>) k<2>;\n"
    )
    tried = validate_on_cpu(kernel(source, 1))
    run, suite = tried.run, tried.suite
    assert run.behaviour is Behaviour.ATOMIC_NONDETERMINISTIC
    assert (run.pass_exe.status, run.device) == (Status.CONSISTENT, "cpu")
    assert suite is not None
    assert run.cases >= 6
    assert {CaseKind.ORDINARY, CaseKind.SMALLEST, CaseKind.RAGGED, CaseKind.LARGE} <= {
        case.kind for case in suite.cases
    }
    assert sum(case.hidden for case in suite.cases) == 1
    assert codec.decode(tried.blobs.get(run.suite), Suite) == suite
    out = suite.cases[0].buffers[2]
    assert (out.name, out.role, out.element) == ("out.data", BufferRole.INOUT, "float")
    assert 0 < out.absolute < 0.01
    program = build_cpu_program(kernel(source, 1).unit, BuildOptions())  # type: ignore[arg-type]
    for case, ended in zip(
        suite.cases,
        run_launches(
            program, [build_case_launch(case, tried.blobs) for case in suite.cases]
        ),
        strict=True,
    ):
        assert ended.buffers[2] == tried.blobs.get(case.buffers[2].gold)


def test_what_a_kernel_leaves_alone_is_known_by_what_stood_there_before() -> None:
    source = """#include <kernelset/cuda.cuh>
__global__ void k(const int* a, int* most, int* none, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i % 3) most[i] = a[i];
  none[i] = a[i] < 0 ? -1 : a[i];
}
"""
    launch = Launch(
        span=HERE,
        kernel_name="k",
        grid="(n + 63) / 64",
        block="64",
        argument_map=(("n", "n"),),
        setup="int n = a.size(0);",
    )
    names = (("a", "const int *"), ("most", "int *"), ("none", "int *"), ("n", "int"))
    unit = plain_unit(source, Instantiation(arguments=(), label=""))
    tried = validate_on_cpu(plain_kernel(unit, names, launches=(launch,)))
    assert tried.suite is not None, tried.run.pass_exe
    ordinary = tried.suite.cases[0]
    holes, whole = ordinary.buffers[1], ordinary.buffers[2]
    assert (holes.role, whole.role) == (BufferRole.OUT, BufferRole.OUT)
    # -1 is 0xFF throughout, and written all the same
    assert b"\xff" * 4 in tried.blobs.get(whole.gold)
    assert whole.gold_filled == ""
    gold, filled = tried.blobs.get(holes.gold), tried.blobs.get(holes.gold_filled)
    untouched = [
        offset
        for offset in range(0, holes.size, 4)
        if filled[offset : offset + 4] == b"\x5a" * 4
    ]
    begin, end = holes.written
    assert set(range(0, holes.size, 12)) <= set(untouched)
    assert all(gold[offset : offset + 4] == b"\xff" * 4 for offset in untouched)
    assert 0 < begin < end
    # what has to come from memory and go there, each byte once; and `n` is that of the elements
    threads, n = ordinary.grid[0] * 64, whole.size // 4
    assert ordinary.bytes_read == 4 * n
    assert ordinary.bytes_written == 4 * n + 4 * sum(
        1 for index in range(n) if index % 3
    )
    # two for the number of a thread, and one of those that do not return
    assert ordinary.operations == 2 * threads + n


def test_a_flag_by_which_a_kernel_follows_what_is_no_pointer_is_left_out() -> None:
    source = """#include <kernelset/cuda.cuh>
struct State { union { unsigned long long value; const long long* pointer; } seed; bool captured; };
__global__ void k(State state, const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long seed = state.captured ? *state.seed.pointer : state.seed.value;
  if (i < n) out[i] = a[i] + seed % 2;
}
"""
    launch = Launch(
        span=HERE,
        kernel_name="k",
        grid="(n + 63) / 64",
        block="64",
        argument_map=(("n", "n"),),
    )
    names = (
        ("state", "State"),
        ("a", "const float *"),
        ("out", "float *"),
        ("n", "int"),
    )
    unit = plain_unit(source, Instantiation(arguments=(), label=""))
    tried = validate_on_cpu(plain_kernel(unit, names, launches=(launch,)))
    assert tried.run.behaviour is Behaviour.DETERMINISTIC, tried.run.pass_exe
    assert tried.run.cases >= 6


def test_turns_of_a_block_that_race_are_not_taken_where_there_is_a_block_for_each() -> (
    None
):
    source = """#include <kernelset/cuda.cuh>
struct Rows { int one, other, third, columns; };
__global__ void k(const float* a, float* out, Rows of) {
  __shared__ float row[1024];
  for (int y = blockIdx.x; y < of.one * of.other * of.third; y += gridDim.x) {
    for (int x = threadIdx.x; x < of.columns; x += blockDim.x) row[x] = a[y * of.columns + x];
    __syncthreads();
    for (int x = threadIdx.x; x < of.columns; x += blockDim.x) out[y * of.columns + x] = row[of.columns - 1 - x];
  }
}
"""
    launch = Launch(
        span=HERE,
        kernel_name="k",
        grid="first(out)",
        block="64",
        argument_map=(("of", "shape"),),
    )
    unit = plain_unit(source, Instantiation(arguments=(), label=""))
    names = (("a", "const float *"), ("out", "float *"), ("of", "Rows"))
    tried = validate_on_cpu(plain_kernel(unit, names, launches=(launch,)))
    assert tried.run.behaviour is Behaviour.DETERMINISTIC, tried.run.pass_exe
    assert tried.run.cases >= 6
