"""Folders of a run: those that the sandbox's user may read, as long as the run takes."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crawler.sandbox.process_folders import make_prefix

_READABLE_BY_ALL = 0o755


@contextmanager
def open_work_folder(purpose: str) -> Iterator[Path]:
    """Make a folder that the sandbox may read, and remove it in the end.

    Its name says what it is for, and whose it is: where a process was killed, its folders stay
    behind until another one of ours makes such a folder.
    """
    folder = Path(tempfile.mkdtemp(prefix=make_prefix(purpose)))

    try:
        # the sandbox may be another user, and `mkdtemp` lets in nobody else
        folder.chmod(_READABLE_BY_ALL)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def make_readable_folder(folder: Path) -> Path:
    """Make a folder within one that is open, whatever the user's mask of permissions."""
    folder.mkdir()
    folder.chmod(_READABLE_BY_ALL)

    return folder
