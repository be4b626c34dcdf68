"""Find a kernel by where it stands, and say where its page is."""

from __future__ import annotations

from crawler.model import KernelRecord
from storage.index.query.quoting import quote_value
from storage.interfaces import KernelIndex, KernelRow, Place
from workers.web.rendering import make_address


def place_of(row: KernelRow) -> Place:
    """Return where the kernel of a row stands."""
    return Place(row.repo, row.commit, row.path, row.offset)


def kernel_address(place: Place, page: str = "/kernel") -> str:
    """Return the address of a kernel's page, which stays the same when it is crawled again."""
    return make_address(page, **place._asdict())


def place_expression(place: Place) -> str:
    """Return the query for the kernels at a place."""
    texts = zip(("repo", "commit", "path"), place, strict=False)
    terms = [f"{name} = {quote_value(str(value))}" for name, value in texts]
    return " and ".join([*terms, f"offset = {place.offset}"])


def find_record(index: KernelIndex, place: Place) -> KernelRecord | None:
    """Return the record of the kernel at a place."""
    return next(iter(index.records(place_expression(place), limit=1)), None)
