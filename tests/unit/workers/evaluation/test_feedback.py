"""What a model is told of its answer."""

from __future__ import annotations

from typing import Any

import pytest

from crawler.judging.judgement import CaseJudgement, Judgement
from workers.evaluation.feedback import describe_judgement, summarise_judgement


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"code": "unknown-task"}, "not judged: unknown-task"),
        (
            {"pass_call": False, "call_err_msg": "error: no 'i'", "pass_exe": False},
            "does not compile:\nerror: no 'i'",
        ),
        (
            {"pass_call": True, "pass_exe": False, "exe_err_msg": "base: y[3] is 1"},
            "wrong:\nbase: y[3] is 1",
        ),
        (
            {
                "pass_call": True,
                "pass_exe": False,
                "exe_err_msg": "fresh: y[0] is 1",
                "refusal": "only-known-inputs",
            },
            "refused: right for known inputs alone:\nfresh: y[0] is 1",
        ),
        (
            {
                "pass_call": True,
                "pass_exe": True,
                "cases": (CaseJudgement(name="base", passes=True),),
                "fresh_inputs": 3,
            },
            "right in 1 cases and 3 fresh inputs",
        ),
        (
            {
                "pass_call": True,
                "pass_exe": True,
                "pass_perf": False,
                "milliseconds": 3.0,
                "perf_msg": "slower: 3 ms; the reference: 1 ms",
            },
            "right in 0 cases and 0 fresh inputs, and slow: "
            "slower: 3 ms; the reference: 1 ms",
        ),
    ],
)
def test_a_judgement_is_put_into_words(fields: dict[str, Any], words: str) -> None:
    judgement = Judgement(task_id="a", number=0, completion="", **fields)
    assert describe_judgement(judgement) == words


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"code": "no-test"}, "no-test"),
        ({"pass_call": False}, "does not compile"),
        ({"pass_call": True, "exe_err_msg": "a: y[0]\nmore"}, "wrong: a: y[0]"),
        ({"pass_exe": True, "fresh_inputs": 2}, "right (2 fresh inputs)"),
        (
            {
                "pass_exe": True,
                "pass_perf": False,
                "steps": 9,
                "reference_steps": 3,
            },
            "right (0 fresh inputs), slow: 9 steps for 3",
        ),
        (
            {"pass_exe": True, "perf_msg": "wrong-value"},
            "right (0 fresh inputs), not timed: wrong-value",
        ),
    ],
)
def test_who_waits_sees_a_line_of_each(fields: dict[str, Any], words: str) -> None:
    judgement = Judgement(task_id="a", number=1, completion="", **fields)
    assert summarise_judgement(judgement) == f"a #1: {words}"
