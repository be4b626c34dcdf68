"""Private copy of a checkout without build products, all files at one timestamp."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from crawler.builds.checkout.source_tree import SourceTree
from crawler.builds.checkout.tree_copies import make_private_copy

_BUILT: Final = (".o", ".lo", ".obj", ".a", ".la", ".so", ".d")
_EARLIER: Final = 1_000_000_000


def make_clean_copy(tree: SourceTree, target: Path) -> Path:
    """Copy the tree without what was built, which make would leave as it is; raises `TooLarge`
    as `private_copy` does.

    All files get one time, so that none counts as made from another.
    """
    copied = make_private_copy(tree, target)
    for path in [path for path in copied.rglob("*") if path.is_file()]:
        if path.suffix in _BUILT:
            path.unlink()
        else:
            os.utime(path, (_EARLIER, _EARLIER))
    return copied
