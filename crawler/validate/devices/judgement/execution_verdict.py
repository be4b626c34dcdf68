"""Verdict of a unit's execution, from the runner's report."""

from __future__ import annotations

import signal
from typing import Final

from crawler.model import Case, Status, Suite, Verdict
from crawler.validate.devices.judgement.output_mismatches import find_buffer_mismatches
from crawler.validate.devices.runner_io.report import (
    CaseLine,
    LaunchResult,
    RunnerReport,
)
from crawler.validate.values.blobs import Blobs

_DEVICE_LIMIT_CODES: Final = frozenset({"device-memory", "shared-memory", "block-size"})
"""Codes of launches that another device may take."""
_MESSAGES: Final = {
    "no-device": "there is no device: run it on a machine with one",
    "no-driver": "there is no driver: run `kernelset doctor`",
    "not-loadable": "the driver does not load the object",
    "entry-missing": "the object has no such kernel",
    "device-memory": "the device has too little memory for this case",
    "illegal-address": "the kernel leaves its memory",
    "launch-failed": "the kernel failed",
    "assertion": "an assertion of the kernel does not hold",
    "driver-mismatch": (
        "library and kernel module of the driver are of two versions: "
        "reboot, or install one of them"
    ),
}
_ABORT_MESSAGE: Final = (
    "the driver's library ended its process, "
    "as AMD's does when a kernel leaves its memory"
)


def judge_pass_exe(suite: Suite, report: RunnerReport, blobs: Blobs) -> Verdict:
    """Return whether every launch of every case left the golden outputs."""
    absence = _judge_device(report)
    if absence:
        return absence
    if not suite.cases:
        return _verdict(Status.SKIPPED, "no-cases", "it has no cases")

    lines = report.cases
    for case in suite.cases:
        line = lines.get(case.name)
        if line is None:
            return _judge_missing_line(report, case)

        failure = _judge_case(case, line, report, blobs)
        if failure:
            return failure

    return Verdict(status=Status.PASS)


def is_object_loaded(report: RunnerReport) -> bool | None:
    """Return whether the driver loaded the object; `None` where it was not tried."""
    # A launch that was refused never got as far as loading.
    codes = [line.code for line in report.cases.values() if not line.refused]
    if not codes:
        return None

    return not all(code in ("not-loadable", "entry-missing") for code in codes)


def _judge_device(report: RunnerReport) -> Verdict | None:
    """Return the verdict of a device that cannot be used; `None` of one that can."""
    device = report.device
    # Without a line for the device, the lines of the cases say what went wrong.
    if device is None or not device.code:
        return None

    message = _MESSAGES.get(device.code, "")
    return _verdict(Status.SKIPPED, device.code, message, device.message)


def _judge_missing_line(report: RunnerReport, case: Case) -> Verdict:
    """Return why the report says nothing of a case: the process ended before it."""
    end = report.end
    # Without an end, the supervisor itself was killed for time.
    if end is None or end.timed_out:
        suffix = "; its process cannot be ended" if end and end.stuck else ""
        message = f"{case.name}: no result in time{suffix}"

        return _verdict(Status.FAIL, "timeout", message)

    if end.signal == signal.SIGABRT:
        message = f"{case.name}: {_ABORT_MESSAGE}"
        return _verdict(Status.FAIL, "device-fault", message)

    if end.signal:
        message = f"{case.name}: the runner was ended by signal {end.signal}"
        return _verdict(Status.FAIL, "runner-killed", message)

    message = f"{case.name}: the device was lost before it"
    return _verdict(Status.FAIL, "not-run", message)


def _judge_case(
    case: Case, line: CaseLine, report: RunnerReport, blobs: Blobs
) -> Verdict | None:
    """Return what is wrong with a case; `None` where nothing is."""
    if line.code:
        is_unsupported = line.refused or line.code in _DEVICE_LIMIT_CODES
        status = Status.UNSUPPORTED if is_unsupported else Status.FAIL
        message = f"{case.name}: {_MESSAGES.get(line.code, '')}"

        return _verdict(status, line.code, message, line.message)

    for result in line.runs:
        failure = _judge_launch(case, result, report, blobs)
        if failure:
            return failure

    # A single launch cannot show whether outputs depend on what was in them before.
    if len(line.runs) < 2:
        message = f"{case.name}: it was not run twice"
        return _verdict(Status.FAIL, "not-run", message)

    return None


def _judge_launch(
    case: Case, result: LaunchResult, report: RunnerReport, blobs: Blobs
) -> Verdict | None:
    if result.broken:
        names = ", ".join(
            case.buffers[index].name
            for index in result.broken
            if index < len(case.buffers)
        )

        message = f"{case.name}: it writes outside {names}"
        return _verdict(Status.FAIL, "outside-written", message)

    # The driver said that it was done, and a kernel of the device still wrote.
    if result.late:
        message = f"{case.name}: memory changed after the device had been done"
        return _verdict(Status.FAIL, "late-write", message)

    mismatch = next(find_buffer_mismatches(case, result, report, blobs), None)
    if mismatch:
        return _verdict(Status.FAIL, mismatch.code, f"{case.name}: {mismatch}")

    return None


def _verdict(status: Status, code: str, message: str, detail: str = "") -> Verdict:
    parts = (message.removesuffix(": "), detail)
    return Verdict(
        status=status, code=code, message=": ".join(part for part in parts if part)
    )
