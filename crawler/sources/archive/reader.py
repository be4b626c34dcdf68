"""Read untrusted archives member by member within limits."""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import os
import struct
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, cast

import zstandard

from crawler.errors import BadArchive, CrawlError, TooLarge
from crawler.sources.interface import Limits

ARCHIVE_SUFFIXES: Final = (
    ".tar.gz",
    ".tgz",
    ".tar.bz2",
    ".tar.xz",
    ".tar.zst",
    ".tar",
    ".zip",
)
_BLOCK: Final = 32 << 10
_TAR_BLOCK: Final = 512
_WINDOW: Final = 128 << 20
_MAGIC: Final = {
    b"\x1f\x8b": "gz",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zst",
}
_OPENERS: Final[dict[str, Callable[[IO[bytes]], Any]]] = {
    "gz": lambda file: gzip.GzipFile(fileobj=file),
    "bz2": bz2.BZ2File,
    "xz": lzma.LZMAFile,
    "zst": lambda file: zstandard.ZstdDecompressor(
        max_window_size=_WINDOW
    ).stream_reader(file, read_across_frames=True),
}
_CHECKED: Final = frozenset({"gz", "bz2", "xz"})
_END_OF_ZIP: Final = struct.Struct("<4s4H2LH")
_END_OF_ZIP64: Final = struct.Struct("<4sQ2H2L4Q")
_ZIP_COMMENT: Final = 1 << 16
_ZIP_ENTRY: Final = 256
"""Bytes that a member may take on average in the directory of a zip archive, which is read as a
whole.
"""
_REGULAR: Final = (0, 0o10)


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """What an archive says of one of its members."""

    name: str
    size: int
    """As claimed."""
    content: IO[bytes] | None
    """`None` for folders, links and devices; readable until the next member is asked for."""

    def iter_blocks(self) -> Iterator[bytes]:
        """Yield the content, whatever size was claimed."""
        while self.content is not None:
            with _reading():
                block = self.content.read(_BLOCK)
            if not block:
                return
            yield block


def iter_members(archive: Path, limits: Limits) -> Iterator[ArchiveMember]:
    """Yield every member; raises `BadArchive` where the archive is corrupt, `TooLarge` over a
    limit.
    """
    with _reading():
        read = (
            _zip(archive, limits)
            if archive.name.endswith(".zip")
            else _tar(archive, limits)
        )
        for count, member in enumerate(read, 1):
            if count > limits.files:
                raise TooLarge(
                    f"the archive has over {limits.files} members: raise `files` to take it"
                )
            yield member


@contextmanager
def _reading() -> Iterator[None]:
    try:
        yield
    except CrawlError:
        raise
    except OSError as error:
        # one without a number, and EINVAL from a seek, come from the archive; others from the
        # disk
        if error.errno not in (None, errno.EINVAL):
            raise
        raise _corrupt(error) from error
    except Exception as error:  # the readers let through whatever a hostile archive makes them stumble over
        raise _corrupt(error) from error


def _corrupt(error: Exception | str) -> BadArchive:
    return BadArchive(
        f"the archive cannot be unpacked ({error}): fetch it again, or report it upstream"
    )


def _zip(archive: Path, limits: Limits) -> Iterator[ArchiveMember]:
    with archive.open("rb") as file:
        if _directory_size(file) > limits.files * _ZIP_ENTRY + _BLOCK:
            raise TooLarge(
                f"the archive has over {limits.files} members: raise `files` to take it"
            )
    with zipfile.ZipFile(archive) as opened:
        for entry in opened.infolist():
            if entry.is_dir() or entry.external_attr >> 28 not in _REGULAR:
                yield ArchiveMember(entry.filename, 0, None)
            else:
                with opened.open(entry) as stream:
                    yield ArchiveMember(entry.filename, entry.file_size, stream)


def _directory_size(file: IO[bytes]) -> int:
    """Return the size that a zip archive's end gives for its directory."""
    size = file.seek(0, os.SEEK_END)
    start = max(0, size - _END_OF_ZIP.size - _ZIP_COMMENT)
    file.seek(start)
    tail = file.read()
    end = tail.rfind(b"PK\5\6")
    if end < 0 or len(tail) - end < _END_OF_ZIP.size:
        raise _corrupt("it has no end")
    found: int = _END_OF_ZIP.unpack_from(tail, end)[5]
    before = start + end - 20 - _END_OF_ZIP64.size
    if before >= 0:
        file.seek(before)
        wide = _END_OF_ZIP64.unpack(file.read(_END_OF_ZIP64.size))
        found = max(found, wide[8]) if wide[0] == b"PK\6\6" else found
    return found


def _tar(archive: Path, limits: Limits) -> Iterator[ArchiveMember]:
    with archive.open("rb") as file, _decompressed(file) as (stream, checked):
        forward = _Forward(stream, limits)
        with tarfile.open(fileobj=cast("IO[bytes]", forward), mode="r:") as opened:
            while (member := opened.next()) is not None:
                content = opened.extractfile(member) if member.isreg() else None
                yield ArchiveMember(member.name, member.size if content else 0, content)
                opened.members = []  # type: ignore[attr-defined] # else it keeps every one of them
        forward.finish(checked)


@contextmanager
def _decompressed(file: IO[bytes]) -> Iterator[tuple[IO[bytes], bool]]:
    """Give the plain stream, and whether its form tells by itself that it is whole."""
    start = file.read(8)
    file.seek(0)
    form = next((form for magic, form in _MAGIC.items() if start.startswith(magic)), "")
    yield _OPENERS[form](file) if form else file, form in _CHECKED


class _Forward:
    """A stream that only goes forward, gives a little at a time, and ends where the limits do.

    tarfile reads a header's extension in one go, however large the header says that it is: a
    small archive could ask
    for all memory.
    """

    def __init__(self, stream: IO[bytes], limits: Limits) -> None:
        self._stream = stream
        self._most = limits.unpacked_bytes + limits.files * 2 * _TAR_BLOCK
        self._deadline = time.monotonic() + limits.seconds
        self._position = 0
        self._last = b""

    def tell(self) -> int:
        return self._position

    def seek(self, position: int) -> int:
        if position < self._position:
            raise _corrupt("its members overlap")
        while self._position < position and self.read(
            min(_BLOCK, position - self._position)
        ):
            pass
        return self._position

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= _BLOCK:
            raise _corrupt("a header is too large")
        parts = []
        while size > 0 and (part := self._stream.read(size)):
            parts.append(part)
            size -= len(part)
        self._last = b"".join(parts)
        self._position += len(self._last)
        if self._position > self._most:
            raise TooLarge(
                "the archive unpacks to more than `unpacked_bytes`: raise that to take it"
            )
        if time.monotonic() > self._deadline:
            raise TooLarge("the archive takes too long to unpack: report it upstream")
        return self._last

    def finish(self, checked: bool) -> None:
        """Read to the end, for its checksum; raises `BadArchive` where tarfile stopped at a
        broken header.
        """
        if self._last.strip(b"\0") or len(self._last) not in (0, _TAR_BLOCK):
            raise _corrupt("a header is broken")
        if not self._last and not checked:
            raise _corrupt("its end is missing")
        while self.read(_BLOCK):
            pass
