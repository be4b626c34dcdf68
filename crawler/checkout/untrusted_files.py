"""Read files written by untrusted programs: no links, no pipes, bounded size."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from crawler.errors import BadDatabase

MAX_UNTRUSTED_BYTES: Final = 128 << 20
_OPEN_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def read_untrusted_file(path: Path) -> bytes:
    """Return the content of a regular file.

    Raises `BadDatabase` (`malformed-database`) for anything else.
    """
    try:
        content = _read_regular_file(path)
    except OSError as error:
        message = f"{path.name} cannot be read ({error.strerror}): see the log"
        raise BadDatabase(message, code="malformed-database") from error

    if content is None:
        message = f"{path.name} is no file of at most 128 MiB: see the log"
        raise BadDatabase(message, code="malformed-database")

    return content


def _read_regular_file(path: Path) -> bytes | None:
    # the open descriptor is examined, since a path could be exchanged for a link meanwhile;
    # without O_NONBLOCK a named pipe would block until somebody writes to it
    descriptor = os.open(path, _OPEN_FLAGS)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_UNTRUSTED_BYTES:
            return None

        with open(descriptor, "rb", closefd=False) as stream:
            return stream.read(MAX_UNTRUSTED_BYTES)
    finally:
        os.close(descriptor)
