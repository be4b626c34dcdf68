"""Find the kernel at a place by the query language."""

from __future__ import annotations

from crawler.model import KernelRecord
from storage.index.query.quoting import quote_value
from storage.interfaces import KernelIndex, Place


def place_expression(place: Place) -> str:
    """Return the query for the kernels at a place."""
    texts = zip(("repo", "commit", "path"), place, strict=False)
    terms = [f"{name} = {quote_value(str(value))}" for name, value in texts]
    return " and ".join([*terms, f"offset = {place.offset}"])


def find_record(index: KernelIndex, place: Place) -> KernelRecord | None:
    """Return the record of the kernel at a place."""
    return next(iter(index.records(place_expression(place), limit=1)), None)
