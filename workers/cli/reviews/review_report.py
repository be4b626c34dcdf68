"""Print what a reviewer judges, and what was said of it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from workers.cli.terminal import escape_line, escape_lines, print_line

if TYPE_CHECKING:
    from crawler.model import Review
    from crawler.reviews.material import ReviewMaterial


def print_material(material: ReviewMaterial) -> None:
    """Print the texts of a kernel, each behind a title; the port as what it changes."""
    print_line(escape_line(f"{material.name}  {material.place}"))
    print_line(f"unit     {material.unit}")
    print_line(escape_line(f"verdicts {', '.join(material.verdicts) or 'none'}"))
    for title, text in _iter_texts(material):
        print_line(f"\n--- {title} ---")
        print_line(escape_lines(text) if text else "(there is none)")


def _iter_texts(material: ReviewMaterial) -> Iterator[tuple[str, str]]:
    yield "prompt", material.prompt
    yield "source", _number_lines(material.source)
    yield "port, as what it changes", _diff(material.source, material.port)
    yield "tests", _number_lines(material.tests)


def _number_lines(text: str) -> str:
    lines = text.splitlines()
    return "\n".join(f"{number:>4}  {line}" for number, line in enumerate(lines, 1))


def _diff(source: str, port: str) -> str:
    if not port:
        return ""
    lines = difflib.unified_diff(
        source.splitlines(), port.splitlines(), "source", "port", lineterm=""
    )
    return "\n".join(lines) or "(the same text)"


def print_reviews(reviews: Sequence[Review]) -> None:
    """Print reviews, the oldest first."""
    for review in reviews:
        print_line(escape_line(_describe_origin(review)))
        if review.met:
            print_line(f"    holds: {', '.join(review.met)}")
        if review.unmet:
            print_line(f"    does not hold: {', '.join(review.unmet)}")
        for comment in review.comments:
            place = f"{comment.part}:{comment.line}"
            print_line(escape_line(f"    {place}: {comment.text}"))
        if review.note:
            print_line(escape_line(f"    {review.note}"))


def _describe_origin(review: Review) -> str:
    reviewed_at = datetime.fromtimestamp(review.reviewed_at, UTC)
    minute = reviewed_at.isoformat(timespec="minutes")
    return f"{review.verdict} by {review.reviewer}, {minute}, {review.origin}"
