"""What cases can tell of a kernel: the branches that they take, and the mutants that they kill."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from crawler.model import Case, KernelUnit, Status, Suite
from crawler.validate.emulator.program import build_cpu_program
from crawler.validate.strength.mutation_sites import find_changes
from crawler.validate.strength.suite_strength import (
    StrengthMeter,
    measure_strength,
    strengthen_suite,
)
from crawler.validate.values.blobs import Blobs

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


@pytest.fixture(scope="module")
def example(making: Any) -> Made:
    unit, blobs = making.unit(SOURCE), Blobs()

    def case(name: str, values: list[float], n: int, low: float, grid: int) -> Case:
        arguments = [("a", values), ("out", grid), ("n", n), ("low", low)]
        operands = [
            making.given(word, value, word == "out") for word, value in arguments
        ]
        return making.case(blobs, name, operands, grid=grid)  # type: ignore[no-any-return]

    program = build_cpu_program(unit)
    assert program.verdict.status is Status.PASS, program.verdict.message
    values = [float(index % 13 - 4) for index in range(300)]
    cases = [
        case("ordinary", values, 300, -2.5, 2),
        case("ragged", values, 77, 1.0, 3),
        case("one", [3.5], 1, 9.0, 1),
    ]
    weak = [case("zeros", [0.0] * 64, 64, -1.0, 1)]
    return Made(
        unit=unit,
        blobs=blobs,
        suite=making.suite(unit, program, cases, blobs),
        weak=making.suite(unit, program, weak, blobs),
    )


@pytest.fixture
def bench(example: Made) -> StrengthMeter:
    """What the weak suite tells, and then the others."""
    return StrengthMeter(example.unit, example.blobs)


def line(text: str) -> int:
    return SOURCE[: SOURCE.index(text)].count("\n") + 1


def test_more_cases_tell_more_until_none_does(
    example: Made, bench: StrengthMeter
) -> None:
    assert bench.add_cases(example.weak.cases) > 0
    weak = bench.strength
    assert (weak.branches, weak.branches_reached, weak.unreached) == (
        10,
        9,
        (line("if (x < low)"),),
    )
    assert weak.killed < 0.6 * weak.mutants
    assert (
        bench.add_cases(example.suite.cases) == bench.strength.killed - weak.killed + 1
    )
    strong = bench.strength
    assert (strong.branches, strong.branches_reached, strong.unreached) == (10, 10, ())
    assert strong.mutants == weak.mutants
    # that more threads than one write the same, or add up what nobody reads, no output can tell
    assert {mutant.line for mutant in bench.survivors} == {
        line("if (t < k)"),
        line("if (t == 0)"),
    }
    assert [change.line for change in strong.survivors] == [
        mutant.line for mutant in bench.survivors
    ]
    assert "t == 0" in {change.before for change in strong.survivors}
    assert 0.8 * strong.mutants <= strong.killed < strong.mutants
    assert not bench.is_complete
    assert bench.add_cases(example.suite.cases) == 0


def test_lines_that_no_case_runs_are_told_from_those_that_one_does(
    making: Any,
) -> None:
    source = """#include <kernelset/cuda.cuh>
__device__ float never(float x) { return x; }
__global__ void k(float* out, int n) {
  int i = threadIdx.x;
  if (i >= n)
    return;
  if (n > 1000) {
    out[i] = never(2.f);
  }

  out[i] = 1.f;
}
"""
    unit, blobs = making.unit(source), Blobs()
    meter = StrengthMeter(unit, blobs)

    def list_missed_lines(n: int) -> tuple[int, ...]:
        operands = [making.given("out", 256, True), making.given("n", n, False)]
        meter.add_cases([making.case(blobs, f"n{n}", operands)])
        return meter.strength.missed_lines

    assert list_missed_lines(256) == (2, 6, 8, 9)
    # a line without code is in neither
    assert meter.strength.taken_lines == (3, 4, 5, 7, 11, 12)
    assert list_missed_lines(3) == (2, 8, 9)


def test_mutants_of_every_kind_share_one_program(
    example: Made, bench: StrengthMeter
) -> None:
    kinds = {change.kind for change in find_changes(example.unit.source)}
    assert kinds == {
        "arithmetic",
        "relation",
        "condition",
        "constant",
        "index",
        "barrier",
        "assignment",
        "arguments",
    }
    bench.add_cases(example.suite.cases)
    # but for those of one line, which names the size of an array
    assert bench.strength.mutants == sum(
        change.line != line("const int width")
        for change in find_changes(example.unit.source)
    )


def test_cases_are_added_only_where_they_tell_more(
    example: Made, monkeypatch: pytest.MonkeyPatch, bench: StrengthMeter
) -> None:
    monkeypatch.setattr(
        "crawler.validate.strength.suite_strength.build_cpu_program",
        lambda *_, **__: bench.counting_program,
    )
    monkeypatch.setattr(
        "crawler.validate.strength.suite_strength.build_mutants",
        lambda *_, **__: bench.mutants,
    )
    zeros = example.weak.cases[0]
    tried_names = []

    def more() -> Iterator[Case]:
        for case in (zeros, *example.suite.cases, zeros, zeros, zeros, zeros):
            tried_names.append(case.name)
            yield case

    suite, measured = strengthen_suite(
        example.unit, example.weak, example.blobs, more()
    )
    assert [case.name for case in suite.cases][:2] == ["zeros", "ordinary"]
    assert len(tried_names) <= 7
    assert measured.branches_reached == 10
    assert (
        measured.killed
        > measure_strength(example.unit, example.weak, example.blobs).killed
    )


def test_a_case_is_left_out_that_the_kernel_itself_does_not_give(
    example: Made, monkeypatch: pytest.MonkeyPatch, bench: StrengthMeter
) -> None:
    monkeypatch.setattr(
        "crawler.validate.strength.suite_strength.build_cpu_program",
        lambda *_, **__: bench.counting_program,
    )
    monkeypatch.setattr(
        "crawler.validate.strength.suite_strength.build_mutants",
        lambda *_, **__: bench.mutants,
    )
    case = example.suite.cases[0]
    wrong = replace(
        case.buffers[1], gold=example.blobs.put(bytes(case.buffers[1].size))
    )
    broken = replace(case, name="broken", buffers=(case.buffers[0], wrong))
    assert (
        measure_strength(
            example.unit, replace(example.suite, cases=(broken,)), example.blobs
        ).mutants
        == -1
    )
    strength = measure_strength(
        example.unit, replace(example.suite, cases=(broken, case)), example.blobs
    )
    assert (
        strength.killed
        == measure_strength(
            example.unit, replace(example.suite, cases=(case,)), example.blobs
        ).killed
        > 0
    )
