"""Redact all texts of a kernel's record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from enum import StrEnum
from functools import cache
from itertools import count
from typing import Any

from crawler.dataset.redaction.sensitive_text import redact_text
from crawler.model import KernelRecord


def redact_record(
    record: KernelRecord, *, shows_reviewers: bool = False
) -> KernelRecord:
    """Return a record in which nothing sensitive stands, with counts of what was taken out.

    A text that was changed no longer has the digest that names it. Reviewers whose names were
    taken out are numbered within their record; with `shows_reviewers` all keep their names, for
    those who review beside them.
    """
    counts: Counter[str] = Counter()
    redacted: KernelRecord = _redact(record, counts)
    if not counts:
        return record

    names = [review.reviewer for review in record.reviews]
    if not shows_reviewers:
        names = _number_reviewers(
            names, [review.reviewer for review in redacted.reviews]
        )
    reviews = tuple(
        replace(review, reviewer=name)
        for review, name in zip(redacted.reviews, names, strict=True)
    )
    redactions = tuple(sorted(counts.items()))
    return replace(redacted, reviews=reviews, redactions=redactions)


def _number_reviewers(names: Sequence[str], redacted: Sequence[str]) -> list[str]:
    """Return names to show, so that two people never become one: their verdicts are counted."""
    numbers = (f"reviewer-{number}" for number in count(1))
    free_names = (name for name in numbers if name not in names)
    shown_names: dict[str, str] = {}
    for name, changed in zip(names, redacted, strict=True):
        if name not in shown_names:
            shown_names[name] = name if name == changed else next(free_names)

    return [shown_names[name] for name in names]


def _redact(value: Any, counts: Counter[str]) -> Any:
    """Return a value with its texts redacted; the very same where nothing is."""
    if isinstance(value, str):
        return value if isinstance(value, StrEnum) else redact_text(value, counts)

    if isinstance(value, tuple):
        items = tuple(_redact(item, counts) for item in value)
        is_changed = any(
            item is not own for item, own in zip(items, value, strict=True)
        )
        return items if is_changed else value

    if isinstance(value, dict):
        items_by_key = {key: _redact(item, counts) for key, item in value.items()}
        is_changed = any(items_by_key[key] is not item for key, item in value.items())
        return items_by_key if is_changed else value

    changes: dict[str, Any] = {}
    kind: object = type(value)
    for name in _list_fields(kind):
        own = getattr(value, name)
        item = _redact(own, counts)
        if item is not own:
            changes[name] = item

    return replace(value, **changes) if changes else value


@cache
def _list_fields(kind: Any) -> tuple[str, ...]:
    """Return the names of a dataclass's fields; of any other type there is none."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
