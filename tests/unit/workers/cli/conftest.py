"""The command line in this process, over a home of the test's own."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from storage.open import Storage, open_storage
from workers.cli.app import app


@dataclass
class Answer:
    """What a command printed and returned."""

    code: object
    out: str
    err: str

    @property
    def rows(self) -> list[dict[str, Any]]:
        """What it printed as JSON, a line each."""
        return [json.loads(line) for line in self.out.splitlines()]


@dataclass
class CommandLine:
    """`kernelset` with a home."""

    home: Path
    capsys: pytest.CaptureFixture[str]

    def run(self, *words: object) -> Answer:
        self.capsys.readouterr()
        arguments = ["--home", str(self.home), *map(str, words)]
        code = app(arguments, prog_name="kernelset", standalone_mode=False)
        captured = self.capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    def open(self) -> Storage:
        """Open the same home, as another process would."""
        return open_storage(self.home)


@pytest.fixture
def kernelset(
    migrated_database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> CommandLine:
    home = tmp_path / "home"
    home.mkdir()
    shutil.copy(migrated_database, home / "kernelset.db")
    return CommandLine(home, capsys)
