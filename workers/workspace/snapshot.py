"""Pack the text files of a checkout into a reproducible `tar.zst` archive, and unpack it."""

from __future__ import annotations

import io
import os
import stat
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

import zstandard

from crawler.errors import NoKernels, TooLarge

MAX_FILE_BYTES: Final = 4 << 20
"""Bytes of one file; what is larger was generated or is no source."""
_SNIFFED_BYTES: Final = 8 << 10
_MAX_NAMED_FILES: Final = 3
"""Of those that are left out, how many a message names."""
_KERNEL_KEYWORD: Final = b"__global__"
_DEVICE_SUFFIXES: Final = frozenset({".cu", ".cuh", ".hip"})
# text, but data rather than source: meshes, tables, notebooks with their results, keys
_EXCLUDED_SUFFIXES: Final = frozenset(
    {
        ".ipynb",
        ".svg",
        ".csv",
        ".tsv",
        ".pem",
        ".key",
        ".ply",
        ".obj",
        ".stl",
        ".pgm",
        ".ppm",
        ".pdf",
        ".ps",
        ".eps",
        ".po",
        ".pot",
        ".lock",
        ".map",
        ".xyz",
        ".pdb",
    }
)
_EXCLUDED_FOLDERS: Final = frozenset(
    {".git", ".hg", ".svn", "node_modules", "__pycache__"}
)


def has_device_code(root: Path) -> bool:
    """Tell whether any stored file can hold a kernel: by its suffix, or by `__global__` in it."""
    for path in _iter_text_files(root):
        if path.suffix in _DEVICE_SUFFIXES or _KERNEL_KEYWORD in path.read_bytes():
            return True
    return False


def pack_snapshot(root: Path, *, limit: int) -> bytes:
    """Return the text files below `root` as one archive, the same bytes for the same files.

    Raises `NoKernels` where no file can hold one, `TooLarge` where the text has more than
    `limit` bytes.
    """
    if not has_device_code(root):
        raise NoKernels(_explain_absence(root))

    packed = io.BytesIO()
    compressor = zstandard.ZstdCompressor(level=6)
    with compressor.stream_writer(packed, closefd=False) as stream:
        _write_archive(root, stream, limit)
    return packed.getvalue()


def unpack_snapshot(archive: bytes, destination: Path) -> None:
    """Put the files of `archive` below `destination`.

    They are readable for all, since the sandbox is another user.
    """
    destination.mkdir(parents=True, exist_ok=True)
    with (
        zstandard.ZstdDecompressor().stream_reader(io.BytesIO(archive)) as stream,
        tarfile.open(fileobj=stream, mode="r|") as members,
    ):
        # Python 3.11.2, which Debian 12 has, knows no filters; the archive is our own
        if hasattr(tarfile, "data_filter"):
            members.extraction_filter = tarfile.data_filter
        members.extractall(destination)  # noqa: S202

    # folders are no members: their modes come from the umask
    for folder, _, _ in os.walk(destination):
        Path(folder).chmod(0o755)


def _explain_absence(root: Path) -> str:
    left_out = [
        f"{path.relative_to(root).as_posix()} {reason}"
        for path in _iter_files(root)
        if path.suffix in _DEVICE_SUFFIXES and (reason := _why_left_out(path))
    ]
    if not left_out:
        return "there is no CUDA or HIP kernel here: no .cu, .cuh or .hip file, and no `__global__`"

    named = left_out[:_MAX_NAMED_FILES]
    if len(left_out) > len(named):
        named.append(f"{len(left_out) - len(named)} more are like them")
    reasons = "; ".join(named)
    return f"there is no CUDA or HIP kernel here that can be read: {reasons}"


def _write_archive(root: Path, stream: IO[bytes], limit: int) -> None:
    free_bytes = limit
    with tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as archive:
        for path in _iter_text_files(root):
            content = path.read_bytes()
            free_bytes -= len(content)
            if free_bytes < 0:
                raise TooLarge(
                    f"it has more than {limit >> 20} MiB of text: "
                    "raise `snapshot_bytes` to take it in"
                )
            member = _make_member(root, path, len(content))
            archive.addfile(member, io.BytesIO(content))


def _make_member(root: Path, path: Path, size: int) -> tarfile.TarInfo:
    # owner and time stay at their defaults, so that the same files give the same bytes
    member = tarfile.TarInfo(path.relative_to(root).as_posix())
    member.size = size
    is_executable = path.stat().st_mode & stat.S_IXUSR
    member.mode = 0o755 if is_executable else 0o644
    return member


def _iter_text_files(root: Path) -> Iterator[Path]:
    for path in _iter_files(root):
        if not _why_left_out(path):
            yield path


def _iter_files(root: Path) -> Iterator[Path]:
    for folder, subfolders, names in os.walk(root):
        # in place: `os.walk` goes on with what the list then holds, in that order
        subfolders[:] = sorted(set(subfolders) - _EXCLUDED_FOLDERS)
        for name in sorted(names):
            yield Path(folder, name)


def _why_left_out(path: Path) -> str:
    """Return why a file is not kept, in words that follow its name; empty for one that is."""
    # not `stat`: a link may lead out of the checkout
    status = path.lstat()
    if path.suffix.lower() in _EXCLUDED_SUFFIXES:
        return "is data"
    if not stat.S_ISREG(status.st_mode):
        return "is no regular file"
    if status.st_size > MAX_FILE_BYTES:
        return f"has more than {MAX_FILE_BYTES >> 20} MiB"

    with path.open("rb") as file:
        return "is binary" if b"\0" in file.read(_SNIFFED_BYTES) else ""
