"""Unique, portable file names for kernels."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_]+")
_MAX_LENGTH: Final = 120


class UniqueFileNames:
    """Gives each owner a name of its own, the plain one to who comes first; case does not tell
    two apart.
    """

    def __init__(self, owner_by_name: Mapping[str, str] | None = None) -> None:
        self._owners = {
            name.casefold(): owner for name, owner in (owner_by_name or {}).items()
        }

    def claim(self, preferred: str, owner: str, hint: str = "") -> str:
        """Return `preferred`, or that with `hint`, or with a digest of `owner`, whichever
        nobody else has.
        """
        digest = hashlib.sha256(owner.encode()).hexdigest()[:8]
        hinted = f"{preferred}__{hint}" if hint else preferred
        for name in (preferred, hinted, f"{preferred}__{digest}"):
            if self._owners.setdefault(name.casefold(), owner) == owner:
                return name
        raise AssertionError(f"two owners have the digest {digest}")


def format_instantiation_name(kernel: str, label: str) -> str:
    """Return the plain file name of an instantiation: `roi_align_forward_cuda_kernel_float`."""
    return sanitize_name(f"{kernel}_{label}" if label else kernel)


def format_file_stem(path: str) -> str:
    """Return what tells a source from others in a file name: its stem."""
    return sanitize_name(PurePosixPath(path).stem)


def sanitize_name(text: str) -> str:
    """Return `text` in letters, digits and underscores, shortened by a digest where it is too
    long.
    """
    word = _UNSAFE.sub("_", text).strip("_") or "unnamed"
    if len(word) <= _MAX_LENGTH:
        return word
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return f"{word[:_MAX_LENGTH]}_{digest}"
