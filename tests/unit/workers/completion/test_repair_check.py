"""Answers judged on this machine: compiled for their targets, and run beside the kernel's own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.completion.repair_subject import RepairSubject, find_repairs
from crawler.judging.judge_program import JudgeOptions
from crawler.judging.judging_task import JudgingTask
from storage.open import open_storage
from tests.broken_port import BROKEN, RIGHT, SLOW, TARGET, WRONG, fence, put_broken_port
from workers.completion.repair_check import RepairCheck

pytestmark = [pytest.mark.apt("bwrap"), pytest.mark.slow]
CHECK = RepairCheck(JudgeOptions(case_seconds=10))


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RepairSubject]:
    """Give a port that is wrong itself, as a device says."""
    home: Path = tmp_path_factory.mktemp("home")
    with open_storage(home) as storage:
        record, port = put_broken_port(storage, home, WRONG)
        (repair,) = find_repairs(record, [TARGET], storage.blobs.get)
        assert repair.unit == port
        assert repair.problem == "rocm:gfx90a: wrong-output: out[3]"
        yield repair


def test_a_wrong_port_is_not_what_answers_are_held_against(
    subject: RepairSubject,
) -> None:
    right = CHECK(subject, fence(RIGHT))
    assert (right.verdict.value, right.pass_exe) == ("right", {"cpu": "pass"})
    assert right.source == RIGHT
    assert right.pass_perf == {"cpu": "pass"}

    wrong = CHECK(subject, fence(WRONG))
    assert (wrong.verdict.value, wrong.pass_exe) == ("wrong", {"cpu": "fail"})
    assert (wrong.pass_call, wrong.pass_perf) == ({TARGET: "pass"}, {})
    assert wrong.messages
    assert not [name for name in subject.task.hidden_cases if name in wrong.messages]


def test_what_takes_more_steps_than_it_has_to_is_slow(subject: RepairSubject) -> None:
    slow = CHECK(subject, fence(SLOW))
    assert (slow.verdict.value, slow.pass_exe) == ("slow", {"cpu": "pass"})
    assert slow.pass_perf == {"cpu": "fail"}
    assert "at most 1.25 times as many" in slow.messages


def test_what_does_not_compile_says_where(subject: RepairSubject) -> None:
    check = CHECK(subject, BROKEN)
    assert (check.verdict.value, check.pass_exe) == ("broken", {})
    assert "unit.hip:4: use of undeclared identifier 'y'" in check.messages


@pytest.mark.parametrize(
    ("answer", "message"),
    [("", "no source"), (" \n", "no source"), ("a" * (2 << 20), "too long")],
)
def test_no_source_is_no_repair(
    subject: RepairSubject, answer: str, message: str
) -> None:
    check = CHECK(subject, answer)
    assert check.verdict.value == "broken"
    assert message in check.messages


def test_a_kernel_that_is_gone_does_not_come_through(subject: RepairSubject) -> None:
    task = replace(subject.task, signature="", context="")
    check = CHECK(replace(subject, task=task), "int other() { return 1; }\n")
    assert check.verdict.value == "broken"
    assert "no entry for blend" in check.messages


def test_without_cases_it_compiles_and_no_more_is_said(subject: RepairSubject) -> None:
    task = JudgingTask(
        task_id=subject.kernel,
        test="",
        language="hip",
        files={},
        kernel_name="blend",
    )
    check = CHECK(replace(subject, task=task), fence(WRONG))
    assert (check.verdict.value, check.pass_exe) == ("compiles", {})
