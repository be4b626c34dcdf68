"""Bring the component library of the page, as `package-lock.json` beside this file pins it.

Hatchling runs this before it builds a wheel, an sdist or the link of a checkout. npm holds what
it fetches against the digest in the lock. What is there already, as in an sdist, is not fetched.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LIBRARY_FOLDER = Path("workers/web/static/pico")
_PACKAGE = "node_modules/@picocss/pico"
_FILES = ("css/pico.min.css", "LICENSE.md")
_STAMP = "integrity"
_MAX_SECONDS = 120


class LibraryIsMissing(Exception):
    """The library is not here, and cannot be brought."""


class PageLibraryHook(BuildHookInterface[Any]):
    """Sees that the library is there before files are gathered."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Bring the library; only the link of a checkout is made without it."""
        try:
            bring_library(Path(self.root))
        except LibraryIsMissing as problem:
            if version == "editable":
                self.app.display_warning(str(problem))
            else:
                self.app.abort(str(problem))


def bring_library(root: Path) -> None:
    """Have the locked release lie in the folder of what the page serves."""
    locks = root / "deploy/page"
    lock = json.loads((locks / "package-lock.json").read_text())
    integrity = lock["packages"][_PACKAGE]["integrity"]
    folder = root / LIBRARY_FOLDER
    stamp = folder / _STAMP
    if stamp.is_file() and stamp.read_text() == integrity:
        return

    with tempfile.TemporaryDirectory() as scratch:
        package = _fetch_package(locks, Path(scratch))
        folder.mkdir(exist_ok=True)
        for name in _FILES:
            shutil.copyfile(package / name, folder / Path(name).name)
        # the last one: without it, what lies there is brought again
        stamp.write_text(integrity)


def _fetch_package(locks: Path, scratch: Path) -> Path:
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(locks / name, scratch / name)
    npm = shutil.which("npm")
    if npm is None:
        raise LibraryIsMissing(
            "the component library of the page is not in this checkout, and npm is not on this"
            " machine to bring it: install npm (deploy/bootstrap does), or build from the sdist,"
            " which has the library"
        )
    words = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    try:
        ended = subprocess.run(
            words,
            cwd=scratch,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_MAX_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise LibraryIsMissing(
            f"npm did not bring the component library of the page in {_MAX_SECONDS} s:"
            " see whether its registry is reached (npm ping), and try again"
        ) from None
    if ended.returncode != 0:
        raise LibraryIsMissing(
            f"npm could not bring the component library of the page:\n{ended.stderr}"
        )
    return scratch / _PACKAGE
