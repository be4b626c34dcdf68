"""What is missing of the system's packages, and the program that installs it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from crawler import process
from crawler.errors import MissingTool
from crawler.process_limits import Limits

_ROOT: Final = Path(__file__).resolve().parents[3]
# in a checkout, and in an installed package
_PLACES: Final = (_ROOT / "deploy/bootstrap", _ROOT / "workers/bootstrap")
_LIMITS: Final = Limits(seconds=1800, file_bytes=0, open_files=0)


def describe_installation() -> str:
    """Return the command that installs what is missing here, or why there is none; empty where
    nothing is missing.
    """
    return _run_bootstrap("--print").text.strip()


def install_packages() -> str:
    """Install what is missing, as root or by sudo without a password; return what was said."""
    return _run_bootstrap().text.strip()


def _run_bootstrap(*words: str) -> process.CompletedProcess:
    for place in _PLACES:
        if place.is_file():
            return process.run(
                ("/usr/bin/env", "bash", str(place), *words),
                env=dict(os.environ),
                limits=_LIMITS,
            )
    raise MissingTool(
        "`deploy/bootstrap` is not part of this installation: run it from a checkout",
        code="missing-tool",
    )
