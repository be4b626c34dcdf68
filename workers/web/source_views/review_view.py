"""What the page of a review shows of a kernel's texts."""

from __future__ import annotations

from dataclasses import dataclass

from crawler.model import KernelRecord
from crawler.reviews.material import ReviewMaterial
from workers.web.source_views.highlight import (
    SourceText,
    highlight_source,
)
from workers.web.source_views.side_by_side import DiffLine, compare_texts

_BUDGET = 12_000
"""Characters of each text, so that four of them make a light page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewView:
    """The texts of a kernel, ready for a page."""

    prompt: SourceText
    source: SourceText
    tests: SourceText
    lines: tuple[DiffLine, ...]
    """Of the source beside its port; none without one."""


def make_review_view(record: KernelRecord, material: ReviewMaterial) -> ReviewView:
    """Return the texts of what is to be judged, ready for its page."""
    report = record.ports[0].port_report if record.ports else None
    lines: tuple[DiffLine, ...] = ()
    if material.port:
        lines = compare_texts(material.source, material.port, report)
    return ReviewView(
        prompt=highlight_source(material.prompt, budget=_BUDGET),
        source=highlight_source(material.source, budget=_BUDGET),
        tests=highlight_source(material.tests, budget=_BUDGET),
        lines=lines,
    )
