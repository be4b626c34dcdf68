"""Every way to isolate a run that this machine may have, by the name that a test has."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from crawler import sandbox
from crawler.sandbox_choice import choose_sandbox, list_sandboxes

BACKENDS: Final = list_sandboxes()


@contextmanager
def use_backend(name: str) -> Iterator[None]:
    """Isolate runs by this backend; skip where it does not work."""
    choose_sandbox(name)
    try:
        self_test = sandbox.run_self_test()
        if not self_test.works:
            pytest.skip(self_test.reason)
        yield
    finally:
        choose_sandbox("")


@contextmanager
def open_reachable_folder() -> Iterator[Path]:
    """Make a folder that every user may enter: pytest's own lie in one that nobody else may."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
