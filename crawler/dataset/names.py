"""File names for kernels: safe everywhere, never the same for two of them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_]+")
_LONGEST: Final = 120


class Names:
    """Gives each owner a name of its own, the plain one to who comes first; case does not tell two apart."""

    def __init__(self, taken: Mapping[str, str] | None = None) -> None:
        self._owners = {name.casefold(): owner for name, owner in (taken or {}).items()}

    def claim(self, wanted: str, owner: str, hint: str = "") -> str:
        """Return `wanted`, or that with `hint`, or with a digest of `owner`, whichever nobody else has."""
        digest = hashlib.sha256(owner.encode()).hexdigest()[:8]
        for name in (wanted, f"{wanted}__{hint}" if hint else wanted, f"{wanted}__{digest}"):
            if self._owners.setdefault(name.casefold(), owner) == owner:
                return name
        raise AssertionError(f"two owners have the digest {digest}")


def of_instantiation(kernel: str, label: str) -> str:
    """Return the plain file name of an instantiation: `roi_align_forward_cuda_kernel_float`."""
    return safe(f"{kernel}_{label}" if label else kernel)


def of_file(path: str) -> str:
    """Return what tells a source from others in a file name: its stem."""
    return safe(PurePosixPath(path).stem)


def safe(text: str) -> str:
    """Return `text` in letters, digits and underscores, shortened by a digest where it is too long."""
    word = _UNSAFE.sub("_", text).strip("_") or "unnamed"
    if len(word) <= _LONGEST:
        return word
    return f"{word[:_LONGEST]}_{hashlib.sha256(text.encode()).hexdigest()[:8]}"
