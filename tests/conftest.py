"""Markers: what a missing system package or GPU means for a test."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@cache
def missing_packages() -> str:
    """What `deploy/bootstrap --check` says, empty when all is there."""
    checked = subprocess.run([ROOT / "deploy" / "bootstrap", "--check"], capture_output=True, text=True, check=False)
    return "" if checked.returncode == 0 else (checked.stdout + checked.stderr).strip()


def pytest_runtest_setup(item: pytest.Item) -> None:
    marker = item.get_closest_marker("apt")
    if marker:
        absent = " ".join(tool for tool in marker.args if not shutil.which(tool)) if marker.args else missing_packages()
        if absent and os.environ.get("CI"):
            pytest.fail(f"deploy/bootstrap should have installed this: {absent}")
        if absent:
            pytest.skip(f"not installed: {absent}")
    if item.get_closest_marker("gpu") and not Path("/dev/kfd").exists() and not Path("/dev/nvidia0").exists():
        pytest.skip("no GPU here")
