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
from crawler.sources.archive.tar_headers import count_members
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
_BLOCK_BYTES: Final = 32 << 10
_FEW_MEMBERS: Final = 2_000
"""An archive of more is counted before the next is read."""
_TAR_BLOCK_BYTES: Final = 512
_MAX_ZSTD_WINDOW: Final = 128 << 20
_FORMAT_BY_MAGIC: Final = {
    b"\x1f\x8b": "gz",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zst",
}


def _open_zstd(file: IO[bytes]) -> Any:
    decompressor = zstandard.ZstdDecompressor(max_window_size=_MAX_ZSTD_WINDOW)
    return decompressor.stream_reader(file, read_across_frames=True)


_DECOMPRESSORS: Final[dict[str, Callable[[IO[bytes]], Any]]] = {
    "gz": lambda file: gzip.GzipFile(fileobj=file),
    "bz2": bz2.BZ2File,
    "xz": lzma.LZMAFile,
    "zst": _open_zstd,
}
# Formats with a checksum at their end, so that a stream that is cut short is noticed.
_CHECKED_FORMATS: Final = frozenset({"gz", "bz2", "xz"})
# The "end of central directory record" of a zip archive, its form for zip64, and the locator
# that stands between the two (APPNOTE.TXT, 4.3.14 to 4.3.16).
_END_OF_ZIP: Final = struct.Struct("<4s4H2LH")
_END_OF_ZIP_MAGIC: Final = b"PK\5\6"
_END_OF_ZIP64: Final = struct.Struct("<4sQ2H2L4Q")
_END_OF_ZIP64_MAGIC: Final = b"PK\6\6"
_ZIP64_LOCATOR_BYTES: Final = 20
_MAX_ZIP_COMMENT: Final = 1 << 16
_ZIP_ENTRY_BYTES: Final = 256
"""What a member may take on average in a zip archive's directory, which is read as a whole."""
# The file type in the upper four bits of the Unix mode: none, or a regular file.
_REGULAR_FILE_TYPES: Final = (0, 0o10)


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
            # Also around the reading of the caller's members: the readers are lazy.
            with _translate_errors():
                block = self.content.read(_BLOCK_BYTES)

            if not block:
                return

            yield block


def iter_members(archive: Path, limits: Limits) -> Iterator[ArchiveMember]:
    """Yield every member of an archive.

    Raises `BadArchive` where the archive is corrupt, and `TooLarge` over a limit.
    """
    with _translate_errors():
        is_zip = archive.name.endswith(".zip")
        iter_format = _iter_zip_members if is_zip else _iter_tar_members
        for count, member in enumerate(iter_format(archive, limits), 1):
            if count > limits.files:
                raise _make_count_error(limits)
            # Writing a member takes far longer than passing over it.
            if count == _FEW_MEMBERS and not is_zip:
                _check_count(archive, limits)

            yield member


def _check_count(archive: Path, limits: Limits) -> None:
    """Raise `TooLarge` for a tar archive of too many members, by their headers alone."""
    with archive.open("rb") as file, _decompress(file) as (stream, _):
        forward = _ForwardStream(stream, limits)
        if count_members(forward, limits.files) > limits.files:
            raise _make_count_error(limits)


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Raise `BadArchive` for whatever a reader stumbles over, but for faults of the disk."""
    try:
        yield
    except CrawlError:
        raise
    except OSError as error:
        # An error without a number, and EINVAL from a seek, come from the archive.
        if error.errno not in (None, errno.EINVAL):
            raise

        raise _make_corruption_error(error) from error
    except Exception as error:  # hostile archives make the readers raise anything
        raise _make_corruption_error(error) from error


def _make_corruption_error(reason: Exception | str) -> BadArchive:
    return BadArchive(
        f"the archive cannot be unpacked ({reason}): fetch it again, "
        "or report it upstream"
    )


def _make_count_error(limits: Limits) -> TooLarge:
    return TooLarge(
        f"the archive has over {limits.files} members: raise `files` to take it"
    )


def _iter_zip_members(archive: Path, limits: Limits) -> Iterator[ArchiveMember]:
    # `zipfile` reads the directory as a whole, so its size is bounded first.
    with archive.open("rb") as file:
        max_directory_bytes = limits.files * _ZIP_ENTRY_BYTES + _BLOCK_BYTES
        # A directory of gigabytes would be read into memory at once.
        if _read_directory_size(file) > max_directory_bytes:
            raise _make_count_error(limits)

    with zipfile.ZipFile(archive) as zip_file:
        if len(zip_file.infolist()) > limits.files:
            raise _make_count_error(limits)

        for entry in zip_file.infolist():
            file_type = entry.external_attr >> 28
            if entry.is_dir() or file_type not in _REGULAR_FILE_TYPES:
                yield ArchiveMember(entry.filename, 0, None)
                continue

            with zip_file.open(entry) as stream:
                yield ArchiveMember(entry.filename, entry.file_size, stream)


def _read_directory_size(file: IO[bytes]) -> int:
    """Return the size that the end of a zip archive claims for its directory."""
    file_size = file.seek(0, os.SEEK_END)
    # The record stands at the end, but for a comment of any length up to this.
    tail_start = max(0, file_size - _END_OF_ZIP.size - _MAX_ZIP_COMMENT)
    file.seek(tail_start)
    tail = file.read()
    end_start = tail.rfind(_END_OF_ZIP_MAGIC)
    if end_start < 0 or len(tail) - end_start < _END_OF_ZIP.size:
        raise _make_corruption_error("it has no end")

    directory_size: int = _END_OF_ZIP.unpack_from(tail, end_start)[5]

    # A reader may believe either claim, so the larger one counts.
    zip64_end_start = tail_start + end_start - _ZIP64_LOCATOR_BYTES - _END_OF_ZIP64.size

    if zip64_end_start >= 0:
        file.seek(zip64_end_start)
        zip64_end = _END_OF_ZIP64.unpack(file.read(_END_OF_ZIP64.size))
        if zip64_end[0] == _END_OF_ZIP64_MAGIC:
            directory_size = max(directory_size, zip64_end[8])
    return directory_size


def _iter_tar_members(archive: Path, limits: Limits) -> Iterator[ArchiveMember]:
    with archive.open("rb") as file, _decompress(file) as (stream, is_checked):
        forward = _ForwardStream(stream, limits)
        fileobj = cast("IO[bytes]", forward)
        with tarfile.open(fileobj=fileobj, mode="r:") as tar:
            while (entry := tar.next()) is not None:
                content = tar.extractfile(entry) if entry.isreg() else None
                size = entry.size if content else 0
                yield ArchiveMember(entry.name, size, content)
                # Otherwise tarfile keeps every one of them.
                tar.members = []  # type: ignore[attr-defined]

        forward.finish(is_checked)


@contextmanager
def _decompress(file: IO[bytes]) -> Iterator[tuple[IO[bytes], bool]]:
    """Yield the plain stream, and whether its format has a checksum at the end."""
    start = file.read(8)
    file.seek(0)

    for magic, compression in _FORMAT_BY_MAGIC.items():
        if start.startswith(magic):
            stream = _DECOMPRESSORS[compression](file)
            yield stream, compression in _CHECKED_FORMATS
            return

    yield file, False


class _ForwardStream:
    """A stream that only goes forward, gives little at a time, and ends where the limits do.

    tarfile reads the extension of a header in one go, however large the header says that it
    is: a small archive could ask for all memory.
    """

    def __init__(self, stream: IO[bytes], limits: Limits) -> None:
        self._stream = stream
        # A member has one header, and a padding of less than one block.
        overhead_bytes = limits.files * 2 * _TAR_BLOCK_BYTES
        self._max_bytes = limits.unpacked_bytes + overhead_bytes
        self._deadline = time.monotonic() + limits.seconds
        self._position = 0
        self._last_block = b""

    def tell(self) -> int:
        return self._position

    def seek(self, position: int) -> int:
        if position < self._position:
            raise _make_corruption_error("its members overlap")

        while self._position < position:
            if not self.read(min(_BLOCK_BYTES, position - self._position)):
                break

        return self._position

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= _BLOCK_BYTES:
            raise _make_corruption_error("a header is too large")

        # A decompressor may return less than it was asked for.
        parts = []
        while size > 0 and (part := self._stream.read(size)):
            parts.append(part)
            size -= len(part)

        self._last_block = b"".join(parts)
        self._position += len(self._last_block)

        if self._position > self._max_bytes:
            raise TooLarge(
                "the archive unpacks to more than `unpacked_bytes`: "
                "raise that to take it"
            )
        if time.monotonic() > self._deadline:
            raise TooLarge("the archive takes too long to unpack: report it upstream")
        return self._last_block

    def finish(self, is_checked: bool) -> None:
        """Read to the end, for its checksum.

        Raises `BadArchive` where tarfile stopped at a broken header, or at a missing end.
        """
        is_whole_block = len(self._last_block) in (0, _TAR_BLOCK_BYTES)
        # A tar archive ends with blocks of zeros.
        if self._last_block.strip(b"\0") or not is_whole_block:
            raise _make_corruption_error("a header is broken")
        if not self._last_block and not is_checked:
            raise _make_corruption_error("its end is missing")

        while self.read(_BLOCK_BYTES):
            pass
