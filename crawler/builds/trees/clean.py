"""A private copy of a checkout in which nothing is built yet."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from crawler.builds.reading.tree import Tree
from crawler.builds.trees.copy import private_copy

_BUILT: Final = (".o", ".lo", ".obj", ".a", ".la", ".so", ".d")
_EARLIER: Final = 1_000_000_000


def clean_copy(tree: Tree, target: Path) -> Path:
    """Copy the tree without what was built, which make would leave as it is; raises `TooLarge` as `private_copy` does.

    All files get one time, so that none counts as made from another.
    """
    copied = private_copy(tree, target)
    for path in [path for path in copied.rglob("*") if path.is_file()]:
        if path.suffix in _BUILT:
            path.unlink()
        else:
            os.utime(path, (_EARLIER, _EARLIER))
    return copied
