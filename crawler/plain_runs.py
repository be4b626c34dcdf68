"""Whether strangers' sources may be parsed and compiled where the sandbox does not work.

A source names files: `#embed`, `#include` and `.incbin` bring into objects and logs whatever the
process may read. So that has to be asked for.
"""

from __future__ import annotations

import os
from typing import Final

VARIABLE: Final = "KERNELSET_UNSANDBOXED_PARSING"
_TRUE_WORDS: Final = frozenset({"1", "true", "yes", "on", "y", "t"})
_is_allowed: bool | None = None


def allow_plain_runs(is_allowed: bool) -> None:
    """Say for this process whether they are allowed, from now on."""
    global _is_allowed
    _is_allowed = is_allowed


def are_plain_runs_allowed() -> bool:
    """Return what a setting says; without one, what the environment does."""
    if _is_allowed is not None:
        return _is_allowed

    return os.environ.get(VARIABLE, "").lower() in _TRUE_WORDS
