"""Say where the page of a kernel is."""

from __future__ import annotations

from storage.interfaces import KernelRow, Place
from workers.web.rendering import make_address


def place_of(row: KernelRow) -> Place:
    """Return where the kernel of a row stands."""
    return Place(row.repo, row.commit, row.path, row.offset)


def kernel_address(place: Place, page: str = "/kernel") -> str:
    """Return the address of a kernel's page, which stays the same when it is crawled again."""
    return make_address(page, **place._asdict())
