"""The real command line, as a user starts it, on a small project of our own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from storage.open import open_storage

PROGRAM = Path(sys.executable).parent / "kernelset"
MISCOUNTED = """
SELECT task.id FROM task WHERE (state = 'waiting') != (pending_children > 0) OR pending_children != (
  SELECT count(*) FROM wait JOIN task AS child ON child.id = wait.child
  WHERE wait.task = task.id AND child.state IN ('waiting', 'ready', 'running'))
"""
PROJECT = Path(__file__).resolve().parents[1] / "fixtures/projects/rollers"


@dataclass(frozen=True)
class Kernelset:
    """The command line with a home of its own."""

    home: Path

    def start(
        self,
        *arguments: object,
        stdout: int = subprocess.PIPE,
        stderr: int = subprocess.PIPE,
        alone: bool = False,
    ) -> subprocess.Popen[str]:
        """Start a verb; `alone`, in a group of processes of its own."""
        return subprocess.Popen(
            [PROGRAM, *map(str, arguments)],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            text=True,
            start_new_session=alone,
        )

    def run(
        self, *arguments: object, code: int = 0, seconds: float = 120
    ) -> subprocess.CompletedProcess[str]:
        child = self.start(*arguments, alone=True)
        try:
            out, err = child.communicate(timeout=seconds)
        except BaseException:
            # what runs on, as after the end of a test's time, would spoil the next one
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate(timeout=30)
            raise
        assert child.returncode == code, (
            f"{child.args!r} ended with {child.returncode}\n{out}\n{err}"
        )
        return subprocess.CompletedProcess(child.args, child.returncode, out, err)

    def rows(self, *arguments: object, code: int = 0) -> list[dict[str, Any]]:
        return [
            json.loads(line)
            for line in self.run(*arguments, "--json", code=code).stdout.splitlines()
        ]

    def sound(self, *, may_have_leases: bool = False) -> None:
        """Hold that nothing half-written is here: blobs are what they say, tasks wait for what
        has not ended, and none is leased any more, unless it may be.
        """
        with open_storage(self.home) as storage:
            for digest in self._column("SELECT digest FROM blob"):
                storage.blobs.get(digest)
        leased_tasks = self._column("SELECT id FROM task WHERE state = 'running'")
        assert may_have_leases or leased_tasks == []
        assert self._column(MISCOUNTED) == []
        leftovers = [
            path
            for name in ("scratch", "blobs/scratch")
            for path in (self.home / name).rglob("*")
        ]
        assert [path for path in leftovers if path.is_file()] == []

    def _column(self, statement: str) -> list[str]:
        with sqlite3.connect(self.home / "kernelset.db") as connection:
            values = [row[0] for row in connection.execute(statement)]
        connection.close()
        return values

    @property
    def environment(self) -> dict[str, str]:
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("KERNELSET_")
        }
        return {**inherited, "KERNELSET_HOME": str(self.home), "COLUMNS": "120"}


@pytest.fixture
def kernelset(tmp_path: Path) -> Kernelset:
    return Kernelset(tmp_path / "home")


@pytest.fixture(scope="session")
def another_home(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Kernelset]:
    """Give a maker of homes for what several tests look at."""
    return lambda: Kernelset(tmp_path_factory.mktemp("another") / "home")


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a copy of the project whose name and content are the same in every run."""
    copy = tmp_path_factory.mktemp("projects") / "rollers"
    shutil.copytree(PROJECT, copy)
    return copy


@pytest.fixture(scope="session")
def crawled_home(
    tmp_path_factory: pytest.TempPathFactory, project: Path
) -> tuple[Kernelset, str]:
    """Give a home in which the project was crawled without disturbance, and what the crawl
    printed.
    """
    done = Kernelset(tmp_path_factory.mktemp("crawled") / "home")
    return done, done.run("crawl", project).stdout
