"""What cases can tell of a kernel: the branches that they take, and the mutants that they kill."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from crawler.model import Case, KernelUnit, Status, Suite
from crawler.validate.blobs import Blobs
from crawler.validate.simt.program import Mode, Program, build_cpu
from crawler.validate.strength.coverage import covered
from crawler.validate.strength.schemata import Mutants, built
from crawler.validate.strength.score import scored
from crawler.validate.strength.sites import changes

pytestmark = pytest.mark.apt
SOURCE = """#include <kernelset/cuda.cuh>
#define LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
__device__ float bent(float x, float low) {
  assert(low == low);
  if (x < low) return low;
  return x * 2.f;
}
__global__ void k(const float* a, float* out, int n, float low) {
  const int width = 64, twice = 2 * width;
  __shared__ float s[twice];
  int t = threadIdx.x;
  s[t] = 0.f;
  LOOP(i, n) { s[t] += bent(a[i], low); }
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
"""


@dataclass(frozen=True)
class Made:
    unit: KernelUnit
    blobs: Blobs
    suite: Suite
    weak: Suite
    """One case, of which little can be told: all that goes in is 0."""
    mutants: Mutants


@pytest.fixture(scope="module")
def made(making: Any) -> Made:
    unit, blobs = making.unit(SOURCE), Blobs()

    def case(name: str, values: list[float], n: int, low: float, grid: int) -> Case:
        arguments = [("a", values), ("out", grid), ("n", n), ("low", low)]
        given = [making.given(word, value, word == "out") for word, value in arguments]
        return making.case(blobs, name, given, grid=grid)  # type: ignore[no-any-return]

    program = build_cpu(unit)
    assert program.verdict.status is Status.PASS, program.verdict.message
    some = [float(at % 13 - 4) for at in range(300)]
    cases = [case("ordinary", some, 300, -2.5, 2), case("ragged", some, 77, 1.0, 3), case("one", [3.5], 1, 9.0, 1)]
    weak = [case("zeros", [0.0] * 64, 64, -1.0, 1)]
    mutants = built(unit, changes(unit.source), 100)
    assert mutants is not None
    return Made(
        unit=unit,
        blobs=blobs,
        suite=making.suite(unit, program, cases, blobs),
        weak=making.suite(unit, program, weak, blobs),
        mutants=mutants,
    )


@pytest.fixture(scope="module")
def counting(made: Made) -> Program:
    program = build_cpu(made.unit, Mode(cover=True))
    assert program.verdict.status is Status.PASS, program.verdict.message
    return program


def test_branches_that_no_case_takes_are_told_by_their_line(made: Made, counting: Program) -> None:
    whole, weak = covered(counting, made.suite, made.blobs), covered(counting, made.weak, made.blobs)
    assert (whole.branches, whole.reached, whole.unreached) == (10, 10, ())
    assert (weak.branches, weak.reached) == (10, 9)
    assert weak.unreached == (SOURCE[: SOURCE.index("if (x < low)")].count("\n") + 1,)


def test_cases_kill_what_they_tell_from_the_kernel(made: Made) -> None:
    strong, weak = scored(made.mutants, made.suite, made.blobs), scored(made.mutants, made.weak, made.blobs)
    assert strong.tried == weak.tried == len(made.mutants.changes)
    assert strong.killed + len(strong.survivors) == strong.tried
    assert weak.killed < 0.6 * weak.tried
    # that more threads than one write the same, or add up what nobody reads, no output can tell
    reduced, stored = (SOURCE[: SOURCE.index(text)].count("\n") + 1 for text in ("if (t < k)", "if (t == 0)"))
    assert {each.line for each in strong.survivors} == {reduced, stored}
    assert strong.killed >= 0.8 * strong.tried


def test_mutants_of_every_kind_share_one_program(made: Made) -> None:
    kinds = {change.kind for change in made.mutants.changes.values()}
    assert kinds == {"arithmetic", "relation", "condition", "constant", "index", "barrier", "assignment", "arguments"}
    assert all(1 <= change.line <= SOURCE.count("\n") for change in made.mutants.changes.values())


def test_nothing_is_measured_where_the_kernel_itself_is_not_what_its_cases_say(made: Made) -> None:
    case = made.suite.cases[0]
    wrong = replace(case.buffers[1], gold=made.blobs.put(bytes(case.buffers[1].size)))
    broken = replace(made.suite, cases=(replace(case, buffers=(case.buffers[0], wrong)),))
    assert scored(made.mutants, broken, made.blobs).tried == -1
