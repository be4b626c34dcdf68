"""Libraries that projects include and that there is no plugin for, by how their includes begin."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

_TABLE: Final = Path(__file__).with_name("include_roots.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class IncludeRoot:
    """A library, as far as a message needs it."""

    prefix: str
    title: str
    repository: str
    """HOST/OWNER/NAME; empty where it is not developed in the open."""
    package: str = ""
    """Debian's; empty where there is none."""


def find_include_root(header: str) -> IncludeRoot | None:
    """Return the library that an include is of, the longest beginning first."""
    return next((root for root in list_include_roots() if _is_of(header, root)), None)


@cache
def list_include_roots() -> tuple[IncludeRoot, ...]:
    """Return every library of the table, those of longer beginnings first."""
    table = tomllib.loads(_TABLE.read_text("utf-8"))["roots"]
    roots = [IncludeRoot(prefix=prefix, **values) for prefix, values in table.items()]
    return tuple(sorted(roots, key=lambda root: (-len(root.prefix), root.prefix)))


def _is_of(header: str, root: IncludeRoot) -> bool:
    if root.prefix.endswith("/") or not header.startswith(root.prefix):
        return header.startswith(root.prefix)

    # `cudnn` begins `cudnn.h` and `cudnn_ops.h`, and not `cudnnutils/a.h`
    rest = header[len(root.prefix) :]
    following = rest[:1]
    if not following.isalnum() or following.isdigit():
        return True
    return root.prefix.endswith("_")
