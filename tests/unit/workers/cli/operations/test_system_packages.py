"""What `doctor --fix` says and does of the system's packages."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from workers.cli.app import app
from workers.cli.operations import system_packages


@pytest.fixture
def installed_by(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the file in which a stand-in for dnf writes its words, where it is all there is."""
    calls = tmp_path / "calls"
    for name in ("bash", "cat"):
        path = shutil.which(name)
        assert path
        (tmp_path / name).symlink_to(path)
    for name, line in {
        "dnf": f"echo dnf $* >> {calls}; echo 'nothing of it is there' >&2",
        "rpm": "exit 1",
        "id": "echo 0",
    }.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    return calls


def test_what_would_be_installed_is_said_and_not_done(installed_by: Path) -> None:
    assert system_packages.describe_installation().startswith("sudo dnf install ")
    assert not installed_by.exists()


def test_what_is_confirmed_is_done_and_what_was_said_is_shown(
    installed_by: Path,
) -> None:
    assert "nothing of it is there" in system_packages.install_packages()
    assert "bubblewrap" in installed_by.read_text().split()


def test_what_is_not_printed_first_is_not_run() -> None:
    ended = CliRunner().invoke(app, ["doctor", "--yes"])
    assert ended.exit_code != 0
    assert "give both" in str(ended.exception)
