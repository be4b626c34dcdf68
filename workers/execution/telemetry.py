"""OpenTelemetry spans and metrics of tasks, where a collector is configured.

`OTEL_EXPORTER_OTLP_ENDPOINT` switches it on; without it nothing of it is imported.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from workers.execution.logs import get_logger

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
    from opentelemetry.sdk.resources import Resource

    from storage.ledger.interface import Claim
    from workers.execution.events import TaskEnded

_ENDPOINT: Final = "OTEL_EXPORTER_OTLP_ENDPOINT"
_FLUSH_MILLISECONDS: Final = 5000
_ERROR_STATES: Final = ("failed", "stopped")


@contextlib.contextmanager
def trace_task(claim: Claim) -> Iterator[Callable[[TaskEnded], None]]:
    """Let a span last as long as the block; call what it yields with how the task ended."""
    telemetry = _open_telemetry()
    if telemetry is None:
        yield lambda _: None
        return
    with telemetry.trace(claim) as report_end:
        yield report_end


def flush_telemetry() -> None:
    """Send what was not sent yet, for a few seconds at most, and stop."""
    telemetry = _open_telemetry()
    if telemetry is not None:
        telemetry.close()


class _Telemetry:
    """The spans and metrics of this process."""

    def __init__(self) -> None:
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.trace import TracerProvider

        resource = _describe_process()
        self._spans = TracerProvider(resource=resource)
        if _is_exported("TRACES"):
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import (
                OTLPSpanExporter,
            )
            from opentelemetry.sdk.trace.export import BatchSpanProcessor

            self._spans.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self._metrics = MeterProvider(
            resource=resource, metric_readers=_make_metric_readers()
        )
        self._tracer = self._spans.get_tracer("kernelset")
        meter = self._metrics.get_meter("kernelset")
        self._task_counter = meter.create_counter(
            "kernelset.tasks", "{task}", "Tasks that this process is done with."
        )
        self._duration = meter.create_histogram(
            "kernelset.task.duration", "s", "How long they took."
        )

    @contextlib.contextmanager
    def trace(self, claim: Claim) -> Iterator[Callable[[TaskEnded], None]]:
        from opentelemetry.trace import SpanKind, Status, StatusCode

        attributes = {
            "kernelset.stage": claim.stage.value,
            "kernelset.task": claim.id,
            "kernelset.attempt": claim.attempt,
            "kernelset.subject": claim.subject,
            "kernelset.crawls": claim.crawls,
        }
        with self._tracer.start_as_current_span(
            claim.stage.value, kind=SpanKind.CONSUMER, attributes=attributes
        ) as span:

            def report_end(event: TaskEnded) -> None:
                outcome = {
                    "kernelset.stage": event.stage,
                    "kernelset.state": event.state,
                    "kernelset.code": event.code,
                }
                span.set_attributes(outcome)
                if event.state in _ERROR_STATES:
                    span.set_status(Status(StatusCode.ERROR, event.code))
                self._task_counter.add(1, outcome)
                self._duration.record(event.seconds, {"kernelset.stage": event.stage})

            yield report_end

    def close(self) -> None:
        self._spans.force_flush(_FLUSH_MILLISECONDS)
        self._metrics.force_flush(_FLUSH_MILLISECONDS)
        self._spans.shutdown()
        self._metrics.shutdown(_FLUSH_MILLISECONDS)


@cache
def _open_telemetry() -> _Telemetry | None:
    is_disabled = os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    if is_disabled or not os.environ.get(_ENDPOINT):
        return None
    try:
        return _Telemetry()
    except ImportError:
        get_logger().warning(
            "telemetry-absent",
            message=f"{_ENDPOINT} is set: install kernelset[telemetry], or unset it",
        )
        return None


def _is_exported(signal: str) -> bool:
    return os.environ.get(f"OTEL_{signal}_EXPORTER", "otlp") != "none"


def _make_metric_readers() -> list[PeriodicExportingMetricReader]:
    if not _is_exported("METRICS"):
        return []
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import (
        OTLPMetricExporter,
    )
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader

    return [PeriodicExportingMetricReader(OTLPMetricExporter())]


def _describe_process() -> Resource:
    from importlib.metadata import version

    from opentelemetry.sdk.resources import Resource

    # what goes wrong on the way to the collector is a line of our log, and no task's matter
    exporter_log = logging.getLogger("opentelemetry")
    exporter_log.handlers = [_ExportFailureHandler()]
    exporter_log.propagate = False

    attributes = {"service.version": version("kernelset")}
    if not os.environ.get("OTEL_SERVICE_NAME"):
        attributes["service.name"] = "kernelset"
    return Resource.create(attributes)


class _ExportFailureHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        get_logger().warning("telemetry-unheard", why=record.getMessage()[:300])
