"""Which `setup.py` of a project declare extensions."""

from __future__ import annotations

import re
from typing import Final

from crawler.checkout.source_tree import SourceTree, is_vendored

_MAX_SETUPS: Final = 8
# a sieve over Python's text: who passes is run
_DECLARATION: Final = re.compile(rb"xtension|ext_modules|cmdclass|nvcc")


def find_setups(tree: SourceTree) -> list[str]:
    """Return each `setup.py` of the project that declares extensions, at most eight."""
    setups = [
        path
        for path in tree.find_named("setup.py")
        if not is_vendored(path) and _DECLARATION.search(tree.read_bytes(path))
    ]

    return setups[:_MAX_SETUPS]
