"""Verdict of a unit's execution, from the runner's report."""

from __future__ import annotations

import signal
from typing import Final

from crawler.model import Case, Status, Suite, Verdict
from crawler.validate.devices.judgement.output_mismatches import find_buffer_mismatches
from crawler.validate.devices.runner_io.report import CaseLine, RunnerReport
from crawler.validate.values.blobs import Blobs

_ABSENT: Final = ("no-device", "no-driver")
_NOT_HERE: Final = frozenset({"device-memory", "shared-memory", "block-size"})
_MEANT: Final = {
    "no-device": "there is no device: run it on a machine with one",
    "no-driver": "there is no driver: run `kernelset doctor`",
    "not-loadable": "the driver does not load the object",
    "entry-missing": "the object has no such kernel",
    "device-memory": "the device has too little memory for this case",
    "illegal-address": "the kernel leaves its memory",
    "launch-failed": "the kernel failed",
    "assertion": "an assertion of the kernel does not hold",
    "driver-mismatch": "library and kernel module of the driver are of two versions: reboot, or install one of them",
}


def judge_pass_exe(suite: Suite, report: RunnerReport, blobs: Blobs) -> Verdict:
    """Return whether every launch of every case left what it ought to."""
    absent = _absence(report)
    if absent:
        return absent
    known = report.cases
    for case in suite.cases:
        line = known.get(case.name)
        found = (
            _unfinished(report, case)
            if line is None
            else _of_case(case, line, report, blobs)
        )
        if found:
            return found
    return (
        Verdict(status=Status.PASS)
        if suite.cases
        else _verdict(Status.SKIPPED, "no-cases", "it has no cases")
    )


def is_object_loaded(report: RunnerReport) -> bool | None:
    """Return whether the driver loaded the object; `None` where it was not tried."""
    codes = [line.code for line in report.cases.values() if not line.refused]
    if not codes:
        return None
    return not all(code in ("not-loadable", "entry-missing") for code in codes)


def _absence(told: RunnerReport) -> Verdict | None:
    device = told.device
    if device is None or not device.code:
        return None
    status = Status.SKIPPED
    return _verdict(status, device.code, _MEANT.get(device.code, ""), device.message)


def _unfinished(told: RunnerReport, case: Case) -> Verdict:
    """Return why nothing is known of a case: the process was ended before."""
    end = told.end
    if end is None or end.timed_out:
        stuck = "; its process cannot be ended" if end and end.stuck else ""
        return _verdict(
            Status.FAIL, "timeout", f"{case.name}: no result in time{stuck}"
        )
    if end.signal == signal.SIGABRT:
        fault = "the driver's library ended its process, as AMD's does when a kernel leaves its memory"
        return _verdict(Status.FAIL, "device-fault", f"{case.name}: {fault}")
    if end.signal:
        return _verdict(
            Status.FAIL,
            "runner-killed",
            f"{case.name}: the runner was ended by signal {end.signal}",
        )
    return _verdict(
        Status.FAIL, "not-run", f"{case.name}: the device was lost before it"
    )


def _of_case(
    case: Case, line: CaseLine, told: RunnerReport, blobs: Blobs
) -> Verdict | None:
    if line.code:
        status = (
            Status.UNSUPPORTED
            if line.refused or line.code in _NOT_HERE
            else Status.FAIL
        )
        return _verdict(
            status, line.code, f"{case.name}: {_MEANT.get(line.code, '')}", line.message
        )
    for repeat in line.runs:
        if repeat.broken:
            names = ", ".join(
                case.buffers[number].name
                for number in repeat.broken
                if number < len(case.buffers)
            )
            return _verdict(
                Status.FAIL,
                "outside-written",
                f"{case.name}: it writes outside {names}",
            )
        if repeat.late:
            return _verdict(
                Status.FAIL,
                "late-write",
                f"{case.name}: memory changed after the device had been done",
            )
        found = next(find_buffer_mismatches(case, repeat, told, blobs), None)
        if found:
            return _verdict(Status.FAIL, found.code, f"{case.name}: {found}")
    return (
        None
        if len(line.runs) > 1
        else _verdict(Status.FAIL, "not-run", f"{case.name}: it was not run twice")
    )


def _verdict(status: Status, code: str, message: str, detail: str = "") -> Verdict:
    return Verdict(
        status=status,
        code=code,
        message=": ".join(filter(None, (message.removesuffix(": "), detail))),
    )
