"""Structured logs on standard error: one JSON object a line, in ASCII."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any, Final, TextIO

import structlog

_PROCESS_FIELDS: Final[dict[str, str]] = {}
"""What every line of this process says, and of those that are forked from it."""


def name_worker_in_logs(name: str) -> None:
    """Let every line of this process, and of those forked from it, say which worker wrote it."""
    _PROCESS_FIELDS["worker"] = name


def get_logger() -> structlog.typing.FilteringBoundLogger:
    """Return the logger, configured for standard error."""
    return _configure_logger(sys.stderr)


# once for each stream: a worker logs a line a task
@lru_cache(maxsize=1)
def _configure_logger(stream: TextIO) -> structlog.typing.FilteringBoundLogger:
    structlog.configure(
        processors=[
            _add_process_fields,
            _add_trace,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(ensure_ascii=True),
        ],
        logger_factory=structlog.PrintLoggerFactory(stream),
        cache_logger_on_first_use=False,
    )
    logger: structlog.typing.FilteringBoundLogger = structlog.get_logger()
    return logger


def _add_process_fields(
    _logger: object, _method: str, event: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    return {**_PROCESS_FIELDS, **event}


def _add_trace(
    _logger: object, _method: str, event: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    # where nothing is traced, nothing of it was imported, and nothing has to be
    tracing: Any = sys.modules.get("opentelemetry.trace")
    if tracing is None:
        return event

    context = tracing.get_current_span().get_span_context()
    if context.is_valid:
        event["trace_id"] = tracing.format_trace_id(context.trace_id)
    return event
