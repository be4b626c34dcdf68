"""Structured logs on standard error: one JSON object a line, in ASCII."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import TextIO

import structlog


def get_logger() -> structlog.typing.FilteringBoundLogger:
    """Return the logger, configured for standard error."""
    return _configure_logger(sys.stderr)


# once for each stream: a worker logs a line a task
@lru_cache(maxsize=1)
def _configure_logger(stream: TextIO) -> structlog.typing.FilteringBoundLogger:
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(ensure_ascii=True),
        ],
        logger_factory=structlog.PrintLoggerFactory(stream),
        cache_logger_on_first_use=False,
    )
    logger: structlog.typing.FilteringBoundLogger = structlog.get_logger()
    return logger
