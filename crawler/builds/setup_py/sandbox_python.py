"""Mounts for a Python inside the sandbox and the interpreters that it starts."""

from __future__ import annotations

from pathlib import Path

from crawler import sandbox
from crawler.builds.setup_py.stand_ins import child_interpreters
from crawler.sandbox import Mount


def make_python_mounts(folder: Path) -> tuple[Mount, ...]:
    """Return the mounts of this Python; `folder` is created for the hook of its children."""
    folder.mkdir()
    hook = folder / child_interpreters.HOOK_NAME
    hook.write_text(child_interpreters.HOOK_SOURCE)

    return (
        *sandbox.list_python_mounts(),
        Mount(
            source=folder,
            target=child_interpreters.HOOK_FOLDER,
        ),
    )
