"""Which sandbox isolates runs: a light module, since every command reads the settings."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

VARIABLE: Final = "KERNELSET_SANDBOX"
DEFAULT_SANDBOX: Final = "bubblewrap"
_BACKENDS: Final = Path(__file__).parent / "sandbox" / "backends"
_chosen_name = ""


def choose_sandbox(name: str) -> None:
    """Say for this process which sandbox isolates its runs from now on; empty for what the
    environment says.
    """
    global _chosen_name
    _chosen_name = name


def read_chosen_sandbox() -> str:
    """Return the name that a setting says; without one, what the environment does."""
    return _chosen_name or os.environ.get(VARIABLE, "") or DEFAULT_SANDBOX


def list_sandboxes() -> tuple[str, ...]:
    """Return the names of all there are, by their files: the modules take long to load."""
    names = (path.stem for path in _BACKENDS.glob("*.py"))
    return tuple(sorted(name for name in names if not name.startswith("_")))
