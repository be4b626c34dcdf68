"""How fast candidates are judged: what is counted, and that no two are one source."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from benchmarks.validation.judging_rate import describe_rate, make_candidates
from crawler.judging.completion_source import find_source
from crawler.judging.judgement import Judgement
from crawler.judging.judging_task import JudgingTask

TASK = JudgingTask(
    task_id="test_k",
    test="test_k",
    language="cuda",
    files={"kernels/test_k.cu": b"__global__ void k(int* x) {}"},
)
RIGHT = Judgement(
    task_id="test_k",
    number=0,
    completion="",
    pass_call=True,
    pass_exe=True,
    compile_seconds=3.0,
    run_seconds=1.0,
)


def test_every_candidate_is_another_source_of_a_task_in_turn() -> None:
    other = replace(
        TASK, task_id="test_j", test="test_j", files={"kernels/test_j.cu": b"int j;"}
    )
    candidates = list(islice(make_candidates([TASK, other]), 5))
    assert [candidate.task_id for candidate in candidates] == [
        *("test_k", "test_j", "test_k", "test_j", "test_k")
    ]
    assert (
        len({find_source(candidate.completion, TASK) for candidate in candidates}) == 5
    )


def test_what_no_compiler_and_no_kernel_took_is_the_rest() -> None:
    lines = describe_rate([RIGHT, replace(RIGHT, pass_exe=False)], 5.0, 2)
    assert lines[2:] == [
        "| candidates, all of them right kernels | 2 |",
        "| judged as right | 1 |",
        "| candidates an hour | 1440 |",
        "| seconds in compilers, a candidate | 3.00 |",
        "| seconds in kernels, a candidate | 1.00 |",
        "| share of the workers' time beside these | 20.0 % |",
    ]
