"""Private and hard-linked copies of a checkout, for builds that write into their sources."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Final

from crawler.checkout.source_tree import SourceTree
from crawler.errors import TooLarge

# a build's log: what the kernel, Python and tools say of files that may not be written
_WRITE_REFUSED: Final = re.compile(
    r"read-only file system|permission denied|errno 30\b", re.IGNORECASE
)
_MAX_COPIED_FILE_BYTES: Final = 1 << 20
_MAX_COPIED_BYTES: Final = 2 << 30


def is_write_refused(log: str) -> bool:
    """Tell whether a build failed because its sources are mounted read-only."""
    return bool(_WRITE_REFUSED.search(log))


def make_linked_copy(tree: SourceTree, target: Path) -> Path:
    """Hard-link every file of the tree into the new folder `target`.

    Files on another disk are copied. The files must not be written to.
    """
    for path in tree.files:
        linked_path = target / path
        linked_path.parent.mkdir(parents=True, exist_ok=True)

        try:
            # the file that a link leads to, not the link
            os.link((tree.root / path).resolve(), linked_path)
        except OSError:
            shutil.copyfile(tree.root / path, linked_path)

    return target


def make_private_copy(tree: SourceTree, target: Path) -> Path:
    """Copy the tree to the new folder `target`, files over 1 MiB as empty ones.

    Raises `TooLarge` over 2 GiB.
    """
    target.mkdir(parents=True)
    total_bytes = 0

    for path in tree.files:
        source = tree.root / path
        copied_path = target / path
        copied_path.parent.mkdir(parents=True, exist_ok=True)

        size = source.stat().st_size
        if size > _MAX_COPIED_FILE_BYTES:
            # e.g. weights or test images: a configure step looks whether they exist
            copied_path.touch()
            continue

        total_bytes += size
        if total_bytes > _MAX_COPIED_BYTES:
            raise TooLarge(
                f"{tree.root.name} is over 2 GiB: it is not configured; crawl a part of it"
            )

        shutil.copyfile(source, copied_path)
        # `configure` is to be run
        shutil.copymode(source, copied_path)

    return target
