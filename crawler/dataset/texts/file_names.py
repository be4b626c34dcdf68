"""Unique, portable file names for kernels."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

# a kernel's name on its way to be a file's
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_]+")
_MAX_LENGTH: Final = 120


class UniqueFileNames:
    """Gives each owner a name of its own, the plain one to who comes first; case does not tell
    two apart.
    """

    def __init__(self, owner_by_name: Mapping[str, str] | None = None) -> None:
        self._owners: dict[str, str] = {}
        if owner_by_name is None:
            return

        for name, owner in owner_by_name.items():
            self._owners[name.casefold()] = owner

    def claim(self, preferred: str, owner: str, hint: str = "") -> str:
        """Return `preferred`, or that with `hint`, or with a digest of `owner`, whichever
        nobody else has.
        """
        digest = _digest_text(owner)
        hinted = f"{preferred}__{hint}" if hint else preferred
        candidates = (preferred, hinted, f"{preferred}__{digest}")

        for name in candidates:
            # a name that is free becomes the owner's
            holder = self._owners.setdefault(name.casefold(), owner)
            if holder == owner:
                return name

        raise AssertionError(f"two owners have the digest {digest}")


def format_instantiation_name(kernel: str, label: str) -> str:
    """Return the plain file name of an instantiation: `roi_align_forward_cuda_kernel_float`."""
    if not label:
        return sanitize_name(kernel)

    return sanitize_name(f"{kernel}_{label}")


def format_file_stem(path: str) -> str:
    """Return what tells a source from others in a file name: its stem."""
    stem = PurePosixPath(path).stem
    return sanitize_name(stem)


def sanitize_name(text: str) -> str:
    """Return `text` in letters, digits and underscores, shortened by a digest where it is too
    long.
    """
    word = _UNSAFE.sub("_", text).strip("_")
    # a name may be all brackets and spaces
    word = word or "unnamed"
    if len(word) <= _MAX_LENGTH:
        return word

    digest = _digest_text(text)
    return f"{word[:_MAX_LENGTH]}_{digest}"


def _digest_text(text: str) -> str:
    """Return the first characters of a text's digest: enough to tell a few thousand apart."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]
