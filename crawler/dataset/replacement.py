"""Guard what lies at a destination against replacement: only what we wrote may go."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from crawler.dataset.destination import MARKER_FILE
from crawler.dataset.interface import Exporter
from crawler.plugins import load_plugins

_START_BYTES: Final = 256
SCHEMA_NAME_PATTERN: Final = rb"kernelset\.[a-z]++/[0-9]++"
"""Of any view, in any version of it."""
# What is not JSON says so in its first word.
_FILE_START: Final = re.compile(
    rb'(?:\{"schema":"'
    + SCHEMA_NAME_PATTERN
    + rb'"|'
    + SCHEMA_NAME_PATTERN
    + rb"(?![\w/]))"
)


def can_replace(destination: Path) -> bool:
    """Tell whether nothing of anyone else's would be lost: it is not there, is empty, or was
    written by us and left as it was.
    """
    if destination.is_symlink():
        return False

    if not destination.exists():
        return True

    if destination.is_dir():
        if not any(destination.iterdir()):
            return True
        marker = destination / MARKER_FILE
        return marker.is_file() and not _has_later_entries(destination, marker)

    return destination.is_file() and _is_dataset_file(destination)


def _has_later_entries(folder: Path, marker: Path) -> bool:
    """Tell whether something was added or changed since the marker, which is written last.

    The time of an entry's last change cannot be set back, as that of its content can.
    """
    marker_time = marker.stat().st_ctime_ns
    return any(entry.lstat().st_ctime_ns > marker_time for entry in folder.rglob("*"))


def _is_dataset_file(path: Path) -> bool:
    with path.open("rb") as file:
        start = file.read(_START_BYTES)
    # an empty file holds nothing of anyone's
    if not start or _FILE_START.match(start):
        return True

    for exporter in load_plugins("crawler.dataset.exporters", Exporter):
        is_own_file = getattr(exporter, "is_own_file", None)
        if is_own_file is not None and is_own_file(path):
            return True
    return False
