"""Private and hard-linked copies of a checkout, for builds that write into their sources."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Final

from crawler.builds.checkout.source_tree import SourceTree
from crawler.errors import TooLarge

_UNWRITABLE: Final = re.compile(
    r"read-only file system|permission denied|errno 30\b", re.IGNORECASE
)
_LARGEST_FILE: Final = 1 << 20
_LARGEST: Final = 2 << 30


def is_write_refused(log: str) -> bool:
    """Tell whether a build that saw its sources unwritable failed for that."""
    return bool(_UNWRITABLE.search(log))


def make_linked_copy(tree: SourceTree, target: Path) -> Path:
    """Put every file of the tree into the new folder `target` without a byte copied, where the
    disk is the same.

    Its files must not be written to.
    """
    for path in tree.files:
        copied = target / path
        copied.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link((tree.root / path).resolve(), copied)
        except OSError:
            shutil.copyfile(tree.root / path, copied)
    return target


def make_private_copy(tree: SourceTree, target: Path) -> Path:
    """Copy the tree to the new folder `target`, single files over 1 MiB left empty; raises
    `TooLarge` over 2 GiB.
    """
    target.mkdir(parents=True)
    total = 0
    for path in tree.files:
        source, copied = tree.root / path, target / path
        copied.parent.mkdir(parents=True, exist_ok=True)
        size = source.stat().st_size
        if size > _LARGEST_FILE:
            copied.touch()
            continue
        total += size
        if total > _LARGEST:
            raise TooLarge(
                f"{tree.root.name} is over 2 GiB: it is not configured; crawl a part of it"
            )
        shutil.copyfile(source, copied)
        shutil.copymode(source, copied)
    return target
