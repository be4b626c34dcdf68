"""Refuse network file systems, where the locks of SQLite do not hold."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Final

from crawler.errors import Misconfigured

# magic numbers of file systems: statfs(2), linux/magic.h
_NETWORK_FILE_SYSTEMS: Final = {
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
_STATFS_BYTES: Final = 512
"""More than `struct statfs` has on any architecture."""
_LIBC: Final = ctypes.CDLL(None, use_errno=True)


def file_system_magic(path: Path) -> int:
    """Return the magic number of the file system that holds `path`; raises `OSError`."""
    buffer = ctypes.create_string_buffer(_STATFS_BYTES)
    if _LIBC.statfs(os.fsencode(path), buffer):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), str(path))

    # `f_type`, the first member, is a long; the magic numbers have 32 bits
    return ctypes.c_long.from_buffer(buffer).value & 0xFFFFFFFF


def require_local_disk(path: Path) -> None:
    """Raise `Misconfigured` where `path` lies on a network file system."""
    network = _NETWORK_FILE_SYSTEMS.get(file_system_magic(path))
    if network:
        raise Misconfigured(
            f"{path} lies on {network}, where the embedded database loses data;"
            " set KERNELSET_HOME to a local disk."
        )
