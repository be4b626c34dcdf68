"""What was told of a unit, and what is made of it."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crawler.model import Case, Dialect, Status, Suite, Verdict
from crawler.validate.devices.judgement.execution_verdict import (
    is_object_loaded,
    judge_pass_exe,
)
from crawler.validate.devices.runner_io.report import RunnerReport
from crawler.validate.values.blobs import Blobs
from tests.stand_ins import kernels
from tests.stand_ins.kernels import Does

N = 8
GOLD_FILL, OTHER_FILL = 0xFF, 0x5A


def floats(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


@pytest.fixture
def blobs() -> Blobs:
    return Blobs()


def write_report(
    folder: Path, *lines: dict[str, Any] | str, outputs: bytes = b""
) -> RunnerReport:
    folder.mkdir(exist_ok=True)
    (folder / "report").write_text(
        "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    )
    (folder / "outputs").write_bytes(outputs)
    return RunnerReport(folder)


def build_case(blobs: Blobs) -> tuple[Case, Suite, bytes]:
    case = kernels.case(Does.ITS_WORK, blobs, n=N)
    suite = kernels.suite(kernels.unit(Dialect.CUDA), [case])
    return case, suite, blobs.get(case.buffers[1].gold)


def describe_launch(
    fill: int, span: tuple[int, int] | None, **extra: Any
) -> dict[str, Any]:
    return {"fill": fill, "broken": [], "late": False, "buffers": [None, span], **extra}


def case_line(*runs: dict[str, Any], **extra: Any) -> dict[str, Any]:
    return {"what": "case", "name": "ordinary", "code": "", "runs": list(runs), **extra}


END = {"what": "end", "exit": 0}


def test_right_outputs_of_both_runs_pass(tmp_path: Path, blobs: Blobs) -> None:
    _, suite, gold = build_case(blobs)
    line = case_line(
        describe_launch(GOLD_FILL, (0, 32)), describe_launch(OTHER_FILL, (32, 32))
    )
    assert judge_pass_exe(
        suite, write_report(tmp_path, line, END, outputs=2 * gold), blobs
    ) == Verdict(status=Status.PASS)


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ([case_line(describe_launch(GOLD_FILL, (0, 32)))], "not-run"),
        (
            [
                case_line(
                    describe_launch(GOLD_FILL, (0, 32)),
                    describe_launch(OTHER_FILL, None),
                )
            ],
            "wrong-value",
        ),
        (
            [
                case_line(
                    describe_launch(GOLD_FILL, (0, 32)),
                    describe_launch(OTHER_FILL, (0, 31)),
                )
            ],
            "wrong-size",
        ),
        (
            [
                case_line(
                    describe_launch(GOLD_FILL, (0, 32), broken=[1]),
                    describe_launch(OTHER_FILL, (0, 32)),
                )
            ],
            "outside-written",
        ),
        (
            [
                case_line(
                    describe_launch(GOLD_FILL, (0, 32), late=True),
                    describe_launch(OTHER_FILL, (0, 32)),
                )
            ],
            "late-write",
        ),
        ([case_line(code="launch-failed")], "launch-failed"),
        ([END | {"timed_out": True, "exit": -1}], "timeout"),
        ([END | {"signal": 11, "exit": -1}], "runner-killed"),
        ([END | {"signal": 6, "exit": -1}], "device-fault"),
        ([END], "not-run"),
        ([], "timeout"),
        (["no json", '{"what": "nothing"}', '{"what": "case"}', "[]"], "timeout"),
    ],
)
def test_what_is_not_right_fails(
    tmp_path: Path, blobs: Blobs, lines: list[Any], code: str
) -> None:
    _, suite, gold = build_case(blobs)
    verdict = judge_pass_exe(suite, write_report(tmp_path, *lines, outputs=gold), blobs)
    assert (verdict.status, verdict.code) == (Status.FAIL, code)
    assert verdict.message


def test_a_suite_without_cases_proves_nothing(tmp_path: Path, blobs: Blobs) -> None:
    _, suite, _ = build_case(blobs)
    assert (
        judge_pass_exe(
            replace(suite, cases=()), write_report(tmp_path, END), blobs
        ).status
        is Status.SKIPPED
    )


def test_an_object_was_loaded_unless_the_driver_refused_it(tmp_path: Path) -> None:
    assert (
        is_object_loaded(write_report(tmp_path, case_line(code="not-loadable")))
        is False
    )
    assert (
        is_object_loaded(write_report(tmp_path, case_line(code="launch-failed")))
        is True
    )
    assert (
        is_object_loaded(
            write_report(tmp_path, case_line(code="shared-memory", refused=True))
        )
        is None
    )


def build_output_case(
    blobs: Blobs, gold: bytes, filled: bytes = b""
) -> tuple[Case, Suite]:
    """A case with one output, and what stands there where it held another fill before."""
    base_case = kernels.case(Does.ITS_WORK, blobs)
    filled_digest = blobs.put(filled) if filled else ""
    changed = replace(
        base_case.buffers[1],
        size=len(gold),
        gold=blobs.put(gold),
        gold_filled=filled_digest,
        written=(0, len(gold)),
    )
    case = replace(base_case, buffers=(base_case.buffers[0], changed))
    return case, kernels.suite(kernels.unit(Dialect.CUDA), [case])


def judge_code(
    folder: Path, suite: Suite, blobs: Blobs, first: bytes, second: bytes
) -> str:
    runs = (
        describe_launch(GOLD_FILL, (0, len(first))),
        describe_launch(OTHER_FILL, (len(first), len(second))),
    )
    return judge_pass_exe(
        suite,
        write_report(folder, case_line(*runs), END, outputs=first + second),
        blobs,
    ).code


HOLE, OTHER_HOLE = b"\xff" * 4, b"\x5a" * 4


def test_what_a_kernel_leaves_alone_keeps_either_fill(
    tmp_path: Path, blobs: Blobs
) -> None:
    gold, filled = (floats(1.0) + hole + floats(2.0) for hole in (HOLE, OTHER_HOLE))
    _, suite = build_output_case(blobs, gold, filled)
    assert judge_code(tmp_path, suite, blobs, gold, filled) == ""
    # what it ought to leave alone, it does not write, whatever that is
    assert judge_code(tmp_path, suite, blobs, gold, gold) == "wrong-value"
    assert judge_code(tmp_path, suite, blobs, filled, filled) == "wrong-value"


def test_what_it_ought_to_have_written_does_not(tmp_path: Path, blobs: Blobs) -> None:
    gold = floats(1.0, 3.0)
    _, suite = build_output_case(blobs, gold)
    assert (
        judge_code(tmp_path, suite, blobs, gold, floats(1.0) + OTHER_HOLE)
        == "wrong-value"
    )


def test_a_gold_that_is_the_fill_throughout_hides_no_missing_write(
    tmp_path: Path, blobs: Blobs
) -> None:
    gold = struct.pack("<2i", -1, -1)
    _, suite = build_output_case(blobs, gold)
    assert judge_code(tmp_path, suite, blobs, gold, gold) == ""
    assert judge_code(tmp_path, suite, blobs, gold, b"\x5a" * 8) == "wrong-value"
