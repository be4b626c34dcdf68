"""Under which licence the data of a recorded launch are."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from crawler.licences.detection import detect_file_licence, detect_repository_licence

_MAX_HEAD_BYTES: Final = 16 << 10


def find_data_licence(root: Path, file: str) -> str:
    """Return the licence of a file of the checkout `root`, as an SPDX expression: its own, else
    the repository's.
    """
    path = root / file
    text = ""
    if path.is_file() and not path.is_symlink():
        with path.open("rb") as source:
            text = source.read(_MAX_HEAD_BYTES).decode("utf-8", "replace")

    return detect_file_licence(text, detect_repository_licence(root)).spdx
