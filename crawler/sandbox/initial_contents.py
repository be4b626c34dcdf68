"""What a writable folder of a run holds when its program begins: a copy of the host's contents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crawler.sandbox.mounts import Mount

INITIAL_CONTENTS: Final = "/.kernelset/given"
"""Folder inside with the host's contents of writable mounts, by number."""
_COPY_FAILED: Final = 125


def has_content(mount: Mount) -> bool:
    """Return whether the folder of a mount holds anything on the host."""
    return any(mount.source.iterdir())


def begin_with_copies(argv: Sequence[str], mounts: Sequence[Mount]) -> tuple[str, ...]:
    """Return the command, after copies of the host's contents into writable folders."""
    copies: list[str] = []
    for number, mount in enumerate(mounts):
        if not mount.writable or not has_content(mount):
            continue

        source = f"{INITIAL_CONTENTS}/{number}/."
        target = f"{quote(mount.target)}/"
        copies.append(f"cp -RPp {source} {target} || exit {_COPY_FAILED}")

    if not copies:
        return tuple(argv)

    script = "\n".join([*copies, 'exec "$@"'])

    return ("/bin/sh", "-c", script, "sh", *argv)


def quote(path: str) -> str:
    """Return a path as one word to the shell."""
    return "'" + path.replace("'", "'\\''") + "'"
