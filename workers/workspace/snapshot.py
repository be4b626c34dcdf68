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
        raise NoKernels(
            "there is no CUDA or HIP kernel here: no .cu, .cuh or .hip file, and no `__global__`"
        )

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
        members.extractall(destination, filter="data")

    # folders are no members: their modes come from the umask
    for folder, _, _ in os.walk(destination):
        Path(folder).chmod(0o755)


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
    for folder, subfolders, names in os.walk(root):
        # in place: `os.walk` goes on with what the list then holds, in that order
        subfolders[:] = sorted(set(subfolders) - _EXCLUDED_FOLDERS)
        for name in sorted(names):
            path = Path(folder, name)
            if _is_text(path):
                yield path


def _is_text(path: Path) -> bool:
    # not `stat`: a link may lead out of the checkout
    status = path.lstat()
    if path.suffix.lower() in _EXCLUDED_SUFFIXES:
        return False
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE_BYTES:
        return False

    with path.open("rb") as file:
        return b"\0" not in file.read(_SNIFFED_BYTES)
