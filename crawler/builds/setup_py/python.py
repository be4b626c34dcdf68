"""What a Python inside the sandbox needs, and those that it starts."""

from __future__ import annotations

from pathlib import Path

from crawler import sandbox
from crawler.builds.setup_py.standin import children
from crawler.sandbox import Mount


def mounts(folder: Path) -> tuple[Mount, ...]:
    """Return what to mount; the hook of its children is laid out in the new folder `folder`."""
    folder.mkdir()
    (folder / children.NAME).write_text(children.HOOK)
    return (*sandbox.python_mounts(), Mount(source=folder, target=children.FOLDER))
