"""Refuse network file systems, where the locks of SQLite do not hold."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from crawler.errors import Misconfigured

# statfs(2), linux/magic.h
_NETWORK = {
    0x6969: "NFS",
    0x517B: "SMB",
    0xFF534D42: "CIFS",
    0xFE534D42: "SMB",
    0x5346414F: "AFS",
    0x73757245: "Coda",
    0x00C36400: "Ceph",
    0x0BD00BD0: "Lustre",
    0x47504653: "GPFS",
    0x19830326: "BeeGFS",
}
_LIBC = ctypes.CDLL(None, use_errno=True)


def file_system_magic(path: Path) -> int:
    """Return the magic number of the file system that holds `path`."""
    answer = ctypes.create_string_buffer(512)
    if _LIBC.statfs(os.fsencode(path), answer):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), str(path))
    return ctypes.c_long.from_buffer(answer).value & 0xFFFFFFFF


def require_local_disk(path: Path) -> None:
    """Raise `Misconfigured` where `path` lies on a network file system: SQLite's locks do not
    hold there.
    """
    network = _NETWORK.get(file_system_magic(path))
    if network:
        raise Misconfigured(
            f"{path} lies on {network}, where the embedded database loses data; set KERNELSET_HOME to a local disk."
        )
