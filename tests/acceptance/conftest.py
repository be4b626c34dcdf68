"""The real command line, as a user starts it, on a small project of our own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(sys.executable).parent / "kernelset"
PROJECT = Path(__file__).resolve().parents[1] / "fixtures/projects/rollers"


@dataclass(frozen=True)
class Kernelset:
    """The command line with a home of its own."""

    home: Path

    def start(self, *arguments: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [PROGRAM, *map(str, arguments)],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
        child = self.start(*arguments)
        out, err = child.communicate(timeout=120)
        assert child.returncode == code, f"{child.args} ended with {child.returncode}\n{out}\n{err}"
        return subprocess.CompletedProcess(child.args, child.returncode, out, err)

    def rows(self, *arguments: object) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.run(*arguments, "--json").stdout.splitlines()]

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("KERNELSET_")}
        return {**kept, "KERNELSET_HOME": str(self.home), "COLUMNS": "120"}


@pytest.fixture
def kernelset(tmp_path: Path) -> Kernelset:
    return Kernelset(tmp_path / "home")


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a copy of the project whose name and content are the same in every run."""
    copy = tmp_path_factory.mktemp("projects") / "rollers"
    shutil.copytree(PROJECT, copy)
    return copy


@pytest.fixture(scope="session")
def crawled(tmp_path_factory: pytest.TempPathFactory, project: Path) -> tuple[Kernelset, str]:
    """Give a home in which the project was crawled without disturbance, and what the crawl printed."""
    done = Kernelset(tmp_path_factory.mktemp("crawled") / "home")
    return done, done.run("crawl", project).stdout
