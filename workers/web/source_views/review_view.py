"""What the page of a review shows of a kernel's texts."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

from crawler.model import KernelRecord, Strength
from crawler.reviews.material import ReviewMaterial
from crawler.validate.harness.case_text import CASES_HEADING
from workers.web.source_views.case_values import ExampleCase, find_examples
from workers.web.source_views.highlight import SourceText, highlight_source
from workers.web.source_views.kernel_view import (
    UnitLine,
    find_kernel_line,
    find_strength,
    mark_lines,
)
from workers.web.source_views.side_by_side import DiffLine, compare_texts

_PROMPT_BUDGET = 12_000
_SOURCE_BUDGET = 8_000
_TESTS_BUDGET = 9_000
_MAX_PROSE_LINE = 4000
"""Of a prompt: its first line says all that is to be written."""
_LAST = sys.maxsize


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewView:
    """The texts of a kernel, ready for a page."""

    prompt: SourceText
    source: SourceText
    marked_source: tuple[UnitLine, ...]
    """Its lines, with what cases tell of each."""
    strength: Strength
    tests: SourceText
    """From its cases on: before them stands what every test has."""
    examples: tuple[ExampleCase, ...]
    """Of the smallest cases, what each buffer holds before and after."""
    lines: tuple[DiffLine, ...]
    """Of the source beside its port; none without one."""


def make_review_view(
    record: KernelRecord, material: ReviewMaterial, load: Callable[[str], bytes]
) -> ReviewView:
    """Return the texts of what is to be judged, ready for its page; `load` gives a blob."""
    report = record.ports[0].port_report if record.ports else None
    lines: tuple[DiffLine, ...] = ()
    if material.port:
        lines = compare_texts(material.source, material.port, report)
    source = highlight_source(
        material.source, budget=_SOURCE_BUDGET, focus=find_kernel_line(record)
    )
    strength = find_strength(record)
    return ReviewView(
        prompt=highlight_source(
            material.prompt,
            budget=_PROMPT_BUDGET,
            focus=_LAST,
            max_line=_MAX_PROSE_LINE,
            is_plain=True,
        ),
        source=source,
        marked_source=mark_lines(source, (), strength),
        strength=strength,
        tests=highlight_source(
            material.tests,
            budget=_TESTS_BUDGET,
            first=max(1, _find_cases(material.tests)),
            is_plain=True,
        ),
        examples=find_examples(record, load),
        lines=lines,
    )


def _find_cases(tests: str) -> int:
    """Return the line of a test behind which its cases stand; 0 where it has no such heading.

    Before them stands the kernel with all that it needs, which is known by then.
    """
    before, heading, _ = tests.rpartition(CASES_HEADING)
    return before.count("\n") + 1 if heading else 0
