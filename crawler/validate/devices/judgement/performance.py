"""Summarise a case's launch times, and judge them against a baseline."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median, quantiles
from typing import Final

from crawler.model import BufferRole, Case, CaseBuffer, Performance, Status, Verdict
from crawler.validate.devices.judgement.output_mismatches import find_buffer_mismatches
from crawler.validate.devices.judgement.peak_rates import PeakRates, find_peak_rates
from crawler.validate.devices.runner_io.report import RunnerReport, TimingLine
from crawler.validate.values.blobs import Blobs

MIN_LAUNCHES: Final = 50
"""Launches of which a median tells something."""
_HOST_FACTOR: Final = 3.0
_HOST_MS: Final = 2.0
"""The host may see so many times the events' time, and so much more: launching and waiting cost
some.
"""
_EVENT_SLACK: Final = 0.02
_STEP: Final = 32
"""Bytes that go to memory together at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What a time is held against."""

    milliseconds: float
    source: str
    """What took that long: `project`, `previous run`, `given`."""
    threshold: float = 1.05
    """Times the baseline that is still as fast."""


def summarise_performance(
    case: Case, report: RunnerReport, blobs: Blobs, partition: str = ""
) -> Performance | None:
    """Return what was measured of a case, `None` where nothing was; `partition` is the part of
    the device that ran.
    """
    timing = report.timing
    if timing is None or not timing.milliseconds or timing.case != case.name:
        return None
    limit, middle = (
        find_peak_rates(report.device, partition),
        median(timing.milliseconds),
    )
    moved, operations = _moved(case), case.operations if case.operations >= 0 else None
    least = limit.roofline_ms(moved, operations or 0)
    bandwidth = 1000 * moved / middle if middle > 0 else 0.0
    return Performance(
        case=case.name,
        launches=len(timing.milliseconds) * timing.batch,
        median_ms=middle,
        spread=_spread(timing, middle),
        host_ms=median(timing.host_milliseconds) if timing.host_milliseconds else 0.0,
        batch=timing.batch,
        bytes_moved=moved,
        bandwidth=bandwidth,
        share=bandwidth / limit.bandwidth if limit.bandwidth else None,
        floor_ms=_floor(case, limit, blobs),
        operations=operations,
        roofline=least / middle if least and middle > 0 else None,
        stated_by=limit.stated_by,
        sensors=timing.sensors,
    )


def judge_pass_perf(
    case: Case,
    report: RunnerReport,
    blobs: Blobs,
    baseline: Baseline | None = None,
    partition: str = "",
) -> Verdict | None:
    """Return whether a case is as fast as its baseline; `None` where nobody measured it.

    A time that cannot be, or outputs that are wrong while it was measured, fail whatever the
    baseline is.
    """
    timing, measured = (
        report.timing,
        summarise_performance(case, report, blobs, partition),
    )
    if timing is None:
        return None
    if timing.code or measured is None:
        return _verdict(Status.SKIPPED, timing.code or "not-measured", timing.message)
    found = _cheating(case, report, timing, measured, blobs)
    if found:
        return found
    text = _text(measured)
    if measured.launches < MIN_LAUNCHES:
        return _verdict(Status.SKIPPED, "few-launches", text)
    if baseline is None:
        return _verdict(Status.SKIPPED, "no-baseline", text)
    most = baseline.milliseconds * baseline.threshold
    compared = f"{text}; {baseline.source}: {baseline.milliseconds:.4g} ms, of which {baseline.threshold:g} times is right"
    if measured.median_ms > most:
        return _verdict(Status.FAIL, "slower", compared)
    return Verdict(status=Status.PASS, message=compared)


def _cheating(
    case: Case,
    told: RunnerReport,
    timing: TimingLine,
    measured: Performance,
    blobs: Blobs,
) -> Verdict | None:
    """Return why the times mean nothing."""
    for repeat in timing.runs:
        if repeat.broken:
            return _verdict(
                Status.FAIL,
                "outside-written",
                "while it was timed, it wrote outside its buffers",
            )
        bad = next(find_buffer_mismatches(case, repeat, told, blobs), None)
        if bad:
            return _verdict(Status.FAIL, "timed-wrong", f"while it was timed: {bad}")
    if not timing.checked or not timing.runs:
        return _verdict(
            Status.FAIL, "timed-unchecked", "nothing was looked at while it was timed"
        )
    if min(timing.milliseconds) < measured.floor_ms:
        told_ms = f"{min(timing.milliseconds):.3g} ms, under the {measured.floor_ms:.3g} that its writes take at least"
        return _verdict(Status.FAIL, "impossible", told_ms)
    if measured.host_ms * (1 + _EVENT_SLACK) < measured.median_ms:
        return _verdict(
            Status.FAIL, "clock-mismatch", "events tell of more time than went by"
        )
    # a busy host waits longer now and then, but not each time
    waited = min(timing.host_milliseconds, default=0.0)
    if waited > _HOST_FACTOR * measured.median_ms + _HOST_MS:
        told_ms = f"events tell of {measured.median_ms:.3g} ms where the host waited for {waited:.3g} at least"
        return _verdict(Status.FAIL, "clock-mismatch", told_ms)
    return None


def _floor(case: Case, limit: PeakRates, blobs: Blobs) -> float:
    return limit.minimum_write_ms(
        sum(
            _changed(buffer, blobs) for buffer in case.buffers if buffer.role.is_written
        )
    )


def _changed(buffer: CaseBuffer, blobs: Blobs) -> int:
    """Return how many bytes are written for certain: those that are no more what they were."""
    if not buffer.gold:
        return 0
    before = blobs.get(buffer.content) if buffer.content else b"\xff" * buffer.size
    steps = range(0, buffer.size, _STEP)
    gold = blobs.get(buffer.gold)
    return sum(
        _STEP for at in steps if before[at : at + _STEP] != gold[at : at + _STEP]
    )


def _moved(case: Case) -> int:
    """Return the bytes that have to be moved: as tracing showed them, else what the roles of
    the buffers tell.
    """
    if case.bytes_read >= 0 and case.bytes_written >= 0:
        return case.bytes_read + case.bytes_written
    return sum(_passes(buffer.role) * buffer.size for buffer in case.buffers)


def _passes(role: BufferRole) -> int:
    return {BufferRole.IN: 1, BufferRole.OUT: 1, BufferRole.INOUT: 2}.get(role, 0)


def _spread(timing: TimingLine, middle: float) -> float:
    if len(timing.milliseconds) < 4 or middle <= 0:
        return 0.0
    first, _, third = quantiles(timing.milliseconds, n=4)
    return (third - first) / middle


def _text(measured: Performance) -> str:
    share = (
        f", {100 * measured.share:.0f} % of the peak"
        if measured.share is not None
        else ""
    )
    share += (
        f", {100 * measured.roofline:.0f} % of the roofline"
        if measured.roofline is not None
        else ""
    )
    return (
        f"{measured.median_ms:.4g} ms (median of {measured.launches}, spread {100 * measured.spread:.0f} %), "
        f"{measured.bandwidth / 1e9:.3g} GB/s{share}"
    )


def _verdict(status: Status, code: str, message: str) -> Verdict:
    return Verdict(status=status, code=code, message=message)
