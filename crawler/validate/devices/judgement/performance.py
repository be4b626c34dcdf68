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
"""Launches whose median is worth comparing."""
_HOST_FACTOR: Final = 3.0
_HOST_MS: Final = 2.0
"""Milliseconds by which the host may see more than three times the events' time: launching and
waiting take some.
"""
_EVENT_TOLERANCE: Final = 0.02
_MIN_TRANSACTION_BYTES: Final = 32
"""Bytes that go to memory together at least."""
_TRANSFERS_OF_ROLE: Final = {BufferRole.IN: 1, BufferRole.OUT: 1, BufferRole.INOUT: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What a time is compared with."""

    milliseconds: float
    source: str
    """What took that long: `project`, `previous run`, `given`."""
    threshold: float = 1.05
    """Times the baseline that is still as fast."""


def summarise_performance(
    case: Case, report: RunnerReport, blobs: Blobs, partition: str = ""
) -> Performance | None:
    """Return what was measured of a case, `None` where nothing was.

    `partition` is the part of the device that ran.
    """
    timing = report.timing
    if timing is None or not timing.milliseconds or timing.case != case.name:
        return None

    peak_rates = find_peak_rates(report.device, partition)
    median_ms = median(timing.milliseconds)
    host_ms = 0.0
    if timing.host_milliseconds:
        host_ms = median(timing.host_milliseconds)

    bytes_moved = _count_moved_bytes(case)
    bandwidth = 1000 * bytes_moved / median_ms if median_ms > 0 else 0.0
    # -1 stands for operations that nobody counted.
    operations = case.operations if case.operations >= 0 else None
    roofline_ms = peak_rates.roofline_ms(bytes_moved, operations or 0)
    has_roofline = roofline_ms and median_ms > 0

    return Performance(
        case=case.name,
        launches=len(timing.milliseconds) * timing.batch,
        median_ms=median_ms,
        spread=_relative_quartile_range(timing, median_ms),
        host_ms=host_ms,
        batch=timing.batch,
        bytes_moved=bytes_moved,
        bandwidth=bandwidth,
        share=bandwidth / peak_rates.bandwidth if peak_rates.bandwidth else None,
        floor_ms=_minimum_ms(case, peak_rates, blobs),
        operations=operations,
        roofline=roofline_ms / median_ms if has_roofline else None,
        stated_by=peak_rates.stated_by,
        sensors=timing.sensors,
    )


def judge_pass_perf(
    case: Case,
    report: RunnerReport,
    blobs: Blobs,
    baseline: Baseline | None = None,
    partition: str = "",
) -> Verdict | None:
    """Return whether a case is as fast as its baseline; `None` where it was not measured.

    An impossible time, or outputs that are wrong while it was measured, fail whatever the
    baseline is.
    """
    timing = report.timing
    if timing is None:
        return None

    measured = summarise_performance(case, report, blobs, partition)
    if timing.code or measured is None:
        return _verdict(Status.SKIPPED, timing.code or "not-measured", timing.message)

    # Times of wrong outputs mean nothing, and neither do impossible times.
    failure = _judge_timed_outputs(case, report, timing, blobs)
    failure = failure or _judge_plausibility(timing, measured)
    if failure:
        return failure

    summary = _format_performance(measured)
    if measured.launches < MIN_LAUNCHES:
        return _verdict(Status.SKIPPED, "few-launches", summary)
    if baseline is None:
        return _verdict(Status.SKIPPED, "no-baseline", summary)

    comparison = (
        f"{summary}; {baseline.source}: {baseline.milliseconds:.4g} ms, "
        f"of which {baseline.threshold:g} times is right"
    )

    if measured.median_ms > baseline.milliseconds * baseline.threshold:
        return _verdict(Status.FAIL, "slower", comparison)

    return Verdict(
        status=Status.PASS,
        message=comparison,
    )


def _judge_timed_outputs(
    case: Case, report: RunnerReport, timing: TimingLine, blobs: Blobs
) -> Verdict | None:
    """Return what is wrong with the outputs of timed launches: they may have skipped the work."""
    for result in timing.runs:
        if result.broken:
            message = "while it was timed, it wrote outside its buffers"
            return _verdict(Status.FAIL, "outside-written", message)

        mismatch = next(find_buffer_mismatches(case, result, report, blobs), None)
        if mismatch:
            message = f"while it was timed: {mismatch}"
            return _verdict(Status.FAIL, "timed-wrong", message)

    if not timing.checked or not timing.runs:
        message = "nothing was looked at while it was timed"
        return _verdict(Status.FAIL, "timed-unchecked", message)

    return None


def _judge_plausibility(timing: TimingLine, measured: Performance) -> Verdict | None:
    """Return why the times cannot be: too short for the writes, or unlike the host's clock."""
    shortest_ms = min(timing.milliseconds)
    # E.g. events that are recorded before the kernel has begun.
    if shortest_ms < measured.floor_ms:
        message = (
            f"{shortest_ms:.3g} ms, "
            f"under the {measured.floor_ms:.3g} that its writes take at least"
        )

        return _verdict(Status.FAIL, "impossible", message)

    if measured.host_ms * (1 + _EVENT_TOLERANCE) < measured.median_ms:
        message = "events tell of more time than went by"
        return _verdict(Status.FAIL, "clock-mismatch", message)

    # A busy host waits longer now and then, but not each time.
    shortest_host_ms = min(timing.host_milliseconds, default=0.0)
    if shortest_host_ms > _HOST_FACTOR * measured.median_ms + _HOST_MS:
        message = (
            f"events tell of {measured.median_ms:.3g} ms "
            f"where the host waited for {shortest_host_ms:.3g} at least"
        )

        return _verdict(Status.FAIL, "clock-mismatch", message)

    return None


def _minimum_ms(case: Case, peak_rates: PeakRates, blobs: Blobs) -> float:
    changed_bytes = 0
    for buffer in case.buffers:
        if buffer.role.is_written:
            changed_bytes += _count_changed_bytes(buffer, blobs)

    return peak_rates.minimum_write_ms(changed_bytes)


def _count_changed_bytes(buffer: CaseBuffer, blobs: Blobs) -> int:
    """Return how many bytes are written for certain: in transactions that change something."""
    if not buffer.gold:
        return 0

    # A mere output holds the golden fill before.
    initial = b"\xff" * buffer.size
    if buffer.content:
        initial = blobs.get(buffer.content)

    gold = blobs.get(buffer.gold)

    changed_bytes = 0
    for begin in range(0, buffer.size, _MIN_TRANSACTION_BYTES):
        end = begin + _MIN_TRANSACTION_BYTES
        if initial[begin:end] != gold[begin:end]:
            changed_bytes += _MIN_TRANSACTION_BYTES

    return changed_bytes


def _count_moved_bytes(case: Case) -> int:
    """Return the bytes that have to be moved.

    Tracing has counted them, or else the roles of the buffers tell.
    """
    if case.bytes_read >= 0 and case.bytes_written >= 0:
        return case.bytes_read + case.bytes_written

    return sum(
        _TRANSFERS_OF_ROLE.get(buffer.role, 0) * buffer.size for buffer in case.buffers
    )


def _relative_quartile_range(timing: TimingLine, median_ms: float) -> float:
    """Return the interquartile range as a share of the median."""
    if len(timing.milliseconds) < 4 or median_ms <= 0:
        return 0.0

    first_quartile, _, third_quartile = quantiles(timing.milliseconds, n=4)
    return (third_quartile - first_quartile) / median_ms


def _format_performance(measured: Performance) -> str:
    text = (
        f"{measured.median_ms:.4g} ms (median of {measured.launches}, "
        f"spread {100 * measured.spread:.0f} %), "
        f"{measured.bandwidth / 1e9:.3g} GB/s"
    )

    if measured.share is not None:
        text += f", {100 * measured.share:.0f} % of the peak"
    if measured.roofline is not None:
        text += f", {100 * measured.roofline:.0f} % of the roofline"

    return text


def _verdict(status: Status, code: str, message: str) -> Verdict:
    return Verdict(
        status=status,
        code=code,
        message=message,
    )
