"""Decide what becomes of a task that raised: retry, rejection, failure, or a stop of the worker."""

from __future__ import annotations

import errno
import random
import shutil
import traceback
from dataclasses import dataclass
from typing import Final

from crawler.errors import (
    CrawlError,
    DiskFull,
    Misconfigured,
    RateLimited,
    Rejected,
    ToolFailed,
    Transient,
)

_FIRST_DELAY: Final = 2.0
"""Seconds before a task is tried a second time."""
_LONGEST_DELAY: Final = 900.0
_MAX_OUTPUT: Final = 4 << 10
"""Characters of a tool's output that a failure keeps, from its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """How a task ends, or when it is tried again."""

    code: str
    message: str
    rejected: bool = False
    retry_in: float | None = None
    """Seconds; `None` for never."""
    stop: bool = False
    """Whether the worker stops, since the operator must act first."""


def decide_outcome(error: BaseException, *, attempt: int, attempts: int) -> Decision:
    """Return what becomes of a task that raised `error`.

    It was the `attempt` (from 1) of at most `attempts`.
    """
    if not isinstance(error, CrawlError) and _is_disk_full(error):
        error = disk_full_error()
    match error:
        case Transient():
            retry_in = _retry_delay(error, attempt) if attempt < attempts else None
            return Decision(code=error.code, message=str(error), retry_in=retry_in)
        case Rejected():
            return Decision(code=error.code, message=str(error), rejected=True)
        case Misconfigured():
            return Decision(
                code=error.code, message=str(error), retry_in=0.0, stop=True
            )
        case ToolFailed():
            return Decision(code=error.code, message=_with_output(error))
        case CrawlError():
            return Decision(code=error.code, message=str(error))
    return Decision(code="internal", message="".join(traceback.format_exception(error)))


def disk_full_error() -> DiskFull:
    """Return the error for a disk without room."""
    return DiskFull(
        "there is no room left where state is kept: free some, then run the same command again"
    )


def _is_disk_full(error: BaseException | None) -> bool:
    if error is None:
        return False
    if isinstance(error, shutil.Error):
        # it holds what went wrong with each file as text
        return f"[Errno {errno.ENOSPC}]" in str(error)
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return True
    return _is_disk_full(error.__cause__ or error.__context__)


def _retry_delay(error: Transient, attempt: int) -> float:
    if isinstance(error, RateLimited):
        return max(error.retry_after, 1.0)
    delay = min(_FIRST_DELAY * 2 ** (attempt - 1), _LONGEST_DELAY)
    # spread, so that many workers do not come back at once
    spread = random.uniform(0.5, 1.0)  # noqa: S311
    return float(delay * spread)


def _with_output(error: ToolFailed) -> str:
    output = error.output.strip()[-_MAX_OUTPUT:]
    return f"{error}\n{output}" if output else str(error)
