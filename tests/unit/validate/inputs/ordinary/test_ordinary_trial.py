"""Ordinary trials of kernels, found by running them with sizes of their names and sites."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.validate.inputs.ordinary.first_trial import build_first_trial
from crawler.validate.inputs.ordinary.ordinary_trial import find_ordinary_trial
from crawler.validate.inputs.ordinary.traced_grid_size import limit_traced_grid
from crawler.validate.inputs.sizes.size_choices import choose_usual_size
from crawler.validate.inputs.trials.settled_trials import TrialResult
from tests.stand_ins.traced import build_launch, build_traced_subject

pytestmark = pytest.mark.apt

SCALE = """__global__ void k(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * a[i];
}
"""
VECTORS = (("a", "const float *"), ("out", "float *"), ("n", "int"))
ROWS = """__global__ void k(const float* a, float* out, int n, int row_stride) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[blockIdx.x * row_stride + i];
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    out[blockIdx.x * row_stride + i] = sum + i;
  }
}
"""
RACE = """__global__ void k(const float* a, float* out, int n) {
  out[0] += a[threadIdx.x];
}
"""


def find_trial(source: str) -> TrialResult:
    return find_ordinary_trial(build_traced_subject(source, VECTORS), 0)


def test_a_guarded_kernel_has_a_clean_and_informative_trial() -> None:
    result = find_trial(SCALE)
    assert result.is_clean
    assert result.is_informative
    n = result.trial.configuration.scalars["n"]
    assert result.trial.memory.sizes == (4 * n, 4 * n)


def test_the_launch_site_says_the_block_and_the_grid() -> None:
    launch = build_launch("(n + 95) / 96", "96", "int n = a.size(0);")
    subject = build_traced_subject(SCALE, VECTORS, launch)
    result = find_ordinary_trial(subject, 0)
    configuration = result.trial.configuration
    assert configuration.block == (96, 1, 1)
    assert configuration.grid == (-(-configuration.scalars["n"] // 96), 1, 1)


def test_the_same_seed_finds_the_same_trial() -> None:
    first, second = find_trial(SCALE).trial, find_trial(SCALE).trial
    # The time that it may take is measured, all else is chosen.
    assert replace(first, max_seconds=1.0) == replace(second, max_seconds=1.0)


def test_rows_lie_apart_where_a_stride_says_how_far() -> None:
    launch = build_launch("8", "32", "int n = a.size(1);")
    parameters = (*VECTORS, ("row_stride", "int"))
    result = find_ordinary_trial(build_traced_subject(ROWS, parameters, launch), 0)
    assert result.is_usable
    scalars = result.trial.configuration.scalars
    assert scalars["row_stride"] >= scalars["n"]


def test_a_race_of_the_kernels_own_is_not_hidden_by_sizes() -> None:
    launch = build_launch("n", "64", "int n = a.size(0);")
    subject = build_traced_subject(RACE, VECTORS, launch)
    result = find_ordinary_trial(subject, 0)
    assert not result.is_usable
    assert "race" in result.problems
    assert result.trial.configuration.block == (64, 1, 1)


def test_a_quick_kernel_keeps_its_grid() -> None:
    subject = build_traced_subject(SCALE, VECTORS)
    assert limit_traced_grid(subject, 0) is subject


@pytest.mark.slow
def test_a_slow_kernel_is_traced_on_fewer_blocks() -> None:
    slow = SCALE.replace(
        "if (i < n)",
        "for (int j = 0; j < 60000; ++j) out[i] += a[i] * j;\n  if (i < n)",
    )
    subject = build_traced_subject(slow, VECTORS)
    limited = limit_traced_grid(subject, 0)
    assert limited.max_threads < subject.max_threads
    # Whole blocks, a power of two of them.
    assert limited.max_threads & (limited.max_threads - 1) == 0


@pytest.mark.slow
def test_a_kernel_that_does_not_end_has_less_time_with_fewer_blocks() -> None:
    endless = SCALE.replace(
        "if (i < n)", "while (out[0] != out[0] + 1) out[0] = 0;\n  if (i < n)"
    )
    subject = build_traced_subject(endless, VECTORS)
    first = build_first_trial(subject, choose_usual_size, 0)
    limited = limit_traced_grid(subject, 0)
    further = build_first_trial(limited, choose_usual_size, 0)
    assert further.max_seconds < first.max_seconds
