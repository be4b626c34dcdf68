"""Reports of strangers' programs and tests, made once and kept for later tasks."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeVar

from crawler.codec import decode, encode
from crawler.errors import Misconfigured
from crawler.validate.programs.author_launches import ProgramReport
from crawler.validate.suites.suite_report import SuiteReport

if TYPE_CHECKING:
    from storage.open import Storage

ReportT = TypeVar("ReportT", ProgramReport, SuiteReport)

_TRANSIENT_CODES: Final = ("internal", "no-compiler", "host-compile-timeout")
"""Codes of what may come otherwise the next time."""


def recall_or_make(
    storage: Storage,
    key: str,
    report_type: type[ReportT],
    make: Callable[[], ReportT],
    describe_breakage: Callable[[str], ReportT],
) -> ReportT:
    """Return the report that is kept under a key, or make it, and keep it where it will last.

    Where making it breaks our own code, `describe_breakage` gets the traceback.
    """
    stored_report = storage.source_memory.recall(key)
    if stored_report:
        return decode(storage.blobs.get(stored_report.decode()), report_type)

    try:
        report = make()
    except Misconfigured:
        raise
    except Exception:
        report = describe_breakage(traceback.format_exc())
    if report.code not in _TRANSIENT_CODES:
        digest = storage.blobs.put(encode(report))
        storage.source_memory.remember(key, digest.encode())
    return report
