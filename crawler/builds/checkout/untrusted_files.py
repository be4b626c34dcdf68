"""Read files written by untrusted programs: no links, no pipes, bounded size."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from crawler.errors import BadDatabase

MAX_UNTRUSTED_BYTES: Final = 128 << 20


def read_untrusted_file(path: Path) -> bytes:
    """Return the content of a regular file. Raises `BadDatabase` (`malformed-database`) for
    anything else.
    """
    try:
        descriptor = os.open(
            path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        )
        try:
            state = os.fstat(descriptor)
            if stat.S_ISREG(state.st_mode) and state.st_size <= MAX_UNTRUSTED_BYTES:
                with open(descriptor, "rb", closefd=False) as stream:
                    return stream.read(MAX_UNTRUSTED_BYTES)
        finally:
            os.close(descriptor)
    except OSError as error:
        message = f"{path.name} cannot be read ({error.strerror}): see the log"
        raise BadDatabase(message, code="malformed-database") from error
    raise BadDatabase(
        f"{path.name} is no file of at most 128 MiB: see the log",
        code="malformed-database",
    )
