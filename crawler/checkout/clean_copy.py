"""Private copy of a checkout without build products, all files at one timestamp."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from crawler.checkout.source_tree import SourceTree
from crawler.checkout.tree_copies import make_private_copy

_BUILD_PRODUCT_SUFFIXES: Final = (".o", ".lo", ".obj", ".a", ".la", ".so", ".d")
_TIMESTAMP: Final = 1_000_000_000
"""September 2001, in seconds: older than anything that a build writes."""


def make_clean_copy(tree: SourceTree, target: Path) -> Path:
    """Copy the tree into the new folder `target` without build products.

    All files get one timestamp. Raises `TooLarge` as `make_private_copy` does.
    """
    copied_root = make_private_copy(tree, target)
    # make would not compile what an archive carries an object file of, and would regenerate
    # what was copied before its prerequisite, e.g. `configure` before `configure.ac`
    files = [path for path in copied_root.rglob("*") if path.is_file()]

    for path in files:
        if path.suffix in _BUILD_PRODUCT_SUFFIXES:
            path.unlink()
        else:
            os.utime(path, (_TIMESTAMP, _TIMESTAMP))

    return copied_root
