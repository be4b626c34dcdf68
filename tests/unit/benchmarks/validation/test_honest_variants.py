"""Kernels written otherwise: each rule changes what it says, and nothing where it does not fit."""

from __future__ import annotations

import pytest

from benchmarks.validation.honest_variants import describe_variants, make_variants
from benchmarks.validation.variant_makers import (
    fuse_products,
    iter_variants,
    reverse_blocks,
    reverse_sums,
    reverse_threads,
    unroll_loops,
    widen_sums,
    write_while,
)
from crawler.judging.judgement import Judgement
from crawler.judging.judging_task import JudgingTask

DOT = """\
__global__ void dot(const float *a, const float *b, float *out, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.f;
  for (int i = 0; i < n; ++i) { sum += a[i] * b[row]; }
  out[row] = sum;
}
"""


def test_each_rule_writes_what_it_says() -> None:
    assert "int row = (gridDim.x - 1u - blockIdx.x) * blockDim" in reverse_blocks(DOT)
    assert "+ (blockDim.x - 1u - threadIdx.x);" in reverse_threads(DOT)
    assert "\n#pragma unroll 4\nfor (int i" in unroll_loops(DOT)
    assert "if (0 < n) for (int i = n; i-- > 0;) { sum +=" in reverse_sums(DOT)
    assert "double sum = 0.f;" in widen_sums(DOT)
    assert "{ int i = 0; while ( i < n) { sum += a[i] * b[row];  ++i; }}" in (
        write_while(DOT)
    )
    assert "sum = fmaf(a[i], b[row], sum);" in fuse_products(DOT)


@pytest.mark.parametrize(
    ("source", "maker"),
    [
        (DOT.replace("  float", "  dim3 block = blockIdx;\n  float"), reverse_blocks),
        (DOT.replace("sum;", "__shfl_sync(~0, sum, 0);"), reverse_threads),
        (DOT.replace("sum +=", "sum = 2 * sum +"), reverse_sums),
        (DOT.replace("++i", "i += 2"), reverse_sums),
        (DOT.replace("= sum;", "= sqrtf(sum);"), widen_sums),
        (DOT.replace("float sum", "int sum"), fuse_products),
        (DOT.replace("{ sum", "{ if (i == 3) continue; sum"), write_while),
        (DOT.replace("{ sum", " sum").replace("; }", ";"), write_while),
        (DOT.replace("for (", "if (n > 1) for ("), unroll_loops),
        (DOT.replace("for (", "if (n > 1) for ("), reverse_sums),
    ],
)
def test_a_rule_that_might_change_the_meaning_changes_nothing(
    source: str, maker: object
) -> None:
    assert callable(maker)
    assert maker(source) == source


def test_variants_of_kernels_go_round_and_no_two_are_one() -> None:
    tasks = [
        JudgingTask(
            task_id=name,
            test=name,
            language="cuda",
            files={f"kernels/{name}.cu": DOT.replace("dot", name).encode()},
        )
        for name in ("test_a", "test_b")
    ]
    made = list(make_variants(tasks))
    assert [candidate.task_id for _, candidate in made[:4]] == ["test_a", "test_b"] * 2
    assert [candidate.number for _, candidate in made] == list(range(len(made)))
    assert len({candidate.completion for _, candidate in made}) == len(made)
    assert len(made) == 2 * len(list(iter_variants(DOT))) > 40


def test_what_is_not_right_is_named() -> None:
    right = Judgement(
        task_id="test_a", number=0, completion="", pass_call=True, pass_exe=True
    )
    wrong = Judgement(
        task_id="test_a",
        number=1,
        completion="",
        pass_call=True,
        exe_err_msg="ordinary: out[3]",
    )
    lines = describe_variants([right, wrong], {0: "rotate", 1: "rotate"})
    assert "| rotate | 2 | 1 |" in lines
    assert "| all | 2 | 1 |" in lines
    assert lines[-1] == "- test_a, rotate: wrong: ordinary: out[3]"
