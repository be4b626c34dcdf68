"""Count the members of a tar archive by its headers alone."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from typing import Final, Protocol

_BLOCK_BYTES: Final = 512
_SIZE: Final = slice(124, 136)
_CHECKSUM: Final = slice(148, 156)
_KIND: Final = slice(156, 157)
_EXTENSIONS: Final = frozenset(
    {
        tarfile.XHDTYPE,
        tarfile.XGLTYPE,
        tarfile.SOLARIS_XHDTYPE,
        tarfile.GNUTYPE_LONGNAME,
        tarfile.GNUTYPE_LONGLINK,
    }
)
"""Headers that belong to the next member."""
_EMPTY: Final = frozenset(
    {
        tarfile.LNKTYPE,
        tarfile.SYMTYPE,
        tarfile.CHRTYPE,
        tarfile.BLKTYPE,
        tarfile.DIRTYPE,
        tarfile.FIFOTYPE,
    }
)
"""Members without content, whatever their size says."""


class ForwardStream(Protocol):
    """A plain tar archive, which is only read forward."""

    def read(self, size: int) -> bytes:
        """Return the next bytes, less at the end."""
        ...

    def seek(self, position: int) -> int:
        """Pass over what stands before a position."""
        ...

    def tell(self) -> int:
        """Return the position."""
        ...


def count_members(stream: ForwardStream, max_count: int) -> int:
    """Return how many members there are, one more than `max_count` where there are more.

    It ends at the first header that it cannot read: what stands there is for tarfile to judge.
    """
    count = 0
    for header in _iter_headers(stream):
        count += header[_KIND] not in _EXTENSIONS
        if count > max_count:
            break

    return count


def _iter_headers(stream: ForwardStream) -> Iterator[bytes]:
    while len(header := stream.read(_BLOCK_BYTES)) == _BLOCK_BYTES:
        try:
            if not _is_checksum_right(header):
                return
            has_content = header[_KIND] not in _EMPTY
            size = tarfile.nti(header[_SIZE]) if has_content else 0  # type: ignore[attr-defined]
        except tarfile.HeaderError:
            return

        yield header
        if size < 0:
            return
        if size:
            block_count = -(-size // _BLOCK_BYTES)
            stream.seek(stream.tell() + block_count * _BLOCK_BYTES)


def _is_checksum_right(header: bytes) -> bool:
    # The field itself counts as spaces.
    total = sum(header) - sum(header[_CHECKSUM]) + 8 * ord(" ")
    checksum: int = tarfile.nti(header[_CHECKSUM])  # type: ignore[attr-defined]
    return total == checksum
