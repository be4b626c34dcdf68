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
_SNIFFED: Final = 8 << 10
_MARK: Final = b"__global__"
_DEVICE: Final = frozenset({".cu", ".cuh", ".hip"})
_LEFT_OUT: Final = frozenset(
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
_FOLDERS_LEFT_OUT: Final = frozenset(
    {".git", ".hg", ".svn", "node_modules", "__pycache__"}
)


def has_device_code(root: Path) -> bool:
    """Tell whether any stored file can hold a kernel: by its suffix, or by `__global__` in it."""
    return any(
        path.suffix in _DEVICE or _MARK in path.read_bytes() for path in _texts(root)
    )


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
    with zstandard.ZstdCompressor(level=6).stream_writer(
        packed, closefd=False
    ) as stream:
        _write(root, stream, limit)
    return packed.getvalue()


def unpack_snapshot(archive: bytes, destination: Path) -> None:
    """Put the files of `archive` below `destination`, readable for all, since the sandbox is
    another user.
    """
    destination.mkdir(parents=True, exist_ok=True)
    with (
        zstandard.ZstdDecompressor().stream_reader(io.BytesIO(archive)) as stream,
        tarfile.open(fileobj=stream, mode="r|") as members,
    ):
        members.extractall(destination, filter="data")
    for folder, _, _ in os.walk(destination):
        Path(folder).chmod(0o755)


def _write(root: Path, stream: IO[bytes], limit: int) -> None:
    room = limit
    with tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as archive:
        for path in _texts(root):
            content = path.read_bytes()
            room -= len(content)
            if room < 0:
                raise TooLarge(
                    f"it has more than {limit >> 20} MiB of text: raise `snapshot_bytes` to take it in"
                )
            archive.addfile(_member(root, path, len(content)), io.BytesIO(content))


def _member(root: Path, path: Path, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(path.relative_to(root).as_posix())
    member.size = size
    member.mode = 0o755 if path.stat().st_mode & stat.S_IXUSR else 0o644
    return member


def _texts(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - _FOLDERS_LEFT_OUT)
        for name in sorted(names):
            path = Path(folder, name)
            if _is_text(path):
                yield path


def _is_text(path: Path) -> bool:
    status = path.lstat()
    if (
        path.suffix.lower() in _LEFT_OUT
        or not stat.S_ISREG(status.st_mode)
        or status.st_size > MAX_FILE_BYTES
    ):
        return False
    with path.open("rb") as file:
        return b"\0" not in file.read(_SNIFFED)
