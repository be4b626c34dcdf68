"""Lay imported samples that failed out as folders in which somebody can look for the fault."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from crawler.dataset.imported.sample import ImportedSample
from crawler.dataset.interface import RowContext
from crawler.dataset.redaction.sensitive_text import redact_text
from crawler.dataset.texts.candidate_files import number_candidates, number_from_one
from crawler.dataset.texts.file_names import sanitize_name

_SCHEMA_NAME: Final = "kernelset.imported/1"
# the suffix of a file's name
_SUFFIX: Final = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}")
_UNKNOWN_SUFFIX: Final = ".txt"
_STATUSES: Final = {True: "pass", False: "fail", None: "not-run"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRow:
    """An imported sample of which something failed, with what is needed to find out why."""

    schema: str
    """Name and version of this form: `kernelset.imported/1`."""
    folder: str
    """Name of the folder; that of the sample's file, in letters, digits and underscores."""
    collection: str
    """Name under which the results were imported."""
    filename: str
    """As the results name the sample."""
    pass_call: str
    """`pass`, `fail` or `not-run`, as for the next two."""
    pass_exe: str
    """Whether it ran and gave what it should."""
    pass_perf: str
    """Whether it was fast enough."""
    files: dict[str, str]
    """Name to text: `0_instruction.txt`, `1_label_source.*`, `2_initial_predict.hip.cpp`,
    `3_test_code.*`, `error_log.txt`, candidates and `reflection_strategy.md`, where there is such
    a thing.
    """
    redactions: dict[str, int]
    """Class of what was taken out of the texts to places."""


class ImportedDebug:
    """One row for each imported sample of which something failed."""

    name = "imported"
    summary = "an imported sample that failed"
    row_type = ImportedRow
    schema_name = _SCHEMA_NAME

    def __init__(self, collection: str) -> None:
        self._collection = collection

    # formats hand on what they were given, whatever it is
    def make_rows(self, record: Any, context: RowContext) -> Iterator[ImportedRow]:
        """Yield the row of an `ImportedSample` that failed."""
        sample: ImportedSample = record
        if not sample.is_failed:
            return

        counts: Counter[str] = Counter()
        files = {
            name: redact_text(text, counts)
            for name, text in _render_files(sample).items()
        }
        yield ImportedRow(
            schema=_SCHEMA_NAME,
            folder=sanitize_name(_remove_suffix(sample.filename)),
            collection=self._collection,
            filename=sample.filename,
            pass_call=_STATUSES[sample.pass_call],
            pass_exe=_STATUSES[sample.pass_exe],
            pass_perf=_STATUSES[sample.pass_perf],
            files=files,
            redactions=dict(sorted(counts.items())),
        )


def _remove_suffix(filename: str) -> str:
    return filename.removesuffix(PurePosixPath(filename).suffix)


def _render_files(sample: ImportedSample) -> dict[str, str]:
    suffix = PurePosixPath(sample.filename).suffix
    if not _SUFFIX.fullmatch(suffix):
        suffix = _UNKNOWN_SUFFIX

    files = {
        "0_instruction.txt": sample.instruction,
        f"1_label_source{suffix}": sample.label,
        "2_initial_predict.hip.cpp": sample.predict,
        f"3_test_code{suffix}": sample.test_code,
        "error_log.txt": _render_errors(sample),
        **number_candidates("candidate_call_fix", sample.call_candidates),
        **number_candidates("candidate_exe_fix", sample.exe_candidates),
        "reflection_strategy.md": _render_reflection(sample),
        **number_from_one("candidate_perf_fix", sample.perf_candidates),
    }

    return {name: _end_line(text) for name, text in files.items() if text}


def _render_errors(sample: ImportedSample) -> str:
    verdicts = (
        ("pass_call", sample.pass_call, sample.call_error),
        ("pass_exe", sample.pass_exe, sample.exe_error),
        ("pass_perf", sample.pass_perf, sample.perf_error),
    )
    return "\n".join(
        f"{name}: {_STATUSES[passed]}\n{_end_line(message)}"
        for name, passed, message in verdicts
    )


def _render_reflection(sample: ImportedSample) -> str:
    parts: list[str] = []
    if sample.strategy:
        parts.append(f"# Strategy\n\n{sample.strategy.strip()}\n")
    if sample.reflection:
        parts.append(f"# Reflection\n\n{sample.reflection.strip()}\n")
    return "\n".join(parts)


def _end_line(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"
