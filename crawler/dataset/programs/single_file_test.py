"""Build a test that is one text: no file of bytes lies beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from crawler.dataset.programs.harness_programs import (
    ContentReader,
    JudgedUnit,
    list_judged_units,
)
from crawler.model import Case, Dialect, KernelRecord, Suite
from crawler.validate.harness.program import Harness, build_harness

MAX_CONTENT_BYTES: Final = 1 << 16
"""Bytes of inputs and golden outputs that one text holds."""


def build_single_file_test(
    record: KernelRecord, dialect: Dialect, read_content: ContentReader | None
) -> Harness | None:
    """Return the program that tests the kernel's unit, or its port, in `dialect`, with as many
    cases in their order as `MAX_CONTENT_BYTES` hold; `None` where it came through no case, or
    those that fit tell nothing.
    """
    if read_content is None:
        return None

    for subject in list_judged_units(record, read_content, record.kernel.name):
        if subject.unit.dialect is dialect:
            return _build_test(subject)

    return None


def _build_test(subject: JudgedUnit) -> Harness | None:
    suite = select_small_cases(subject.suite)
    if not suite.cases:
        return None

    harness = build_harness(
        subject.unit,
        suite,
        subject.blobs,
        name=subject.name,
        max_embedded_bytes=MAX_CONTENT_BYTES,
    )
    return None if harness.beside else harness


def select_small_cases(suite: Suite) -> Suite:
    """Return the suite with those shown cases, in their order, that fit into one text; with none
    where in all of these nothing is written, since a kernel that is empty would come through.
    """
    cases: list[Case] = []
    bytes_left = MAX_CONTENT_BYTES
    for case in suite.cases:
        # before the launch, after it, and after one into filled memory
        size = 3 * sum(buffer.size for buffer in case.buffers)
        if not case.hidden and size <= bytes_left:
            cases.append(case)
            bytes_left -= size

    is_telling = any(buffer.gold for case in cases for buffer in case.buffers)
    return replace(suite, cases=tuple(cases) if is_telling else ())
