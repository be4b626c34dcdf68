"""A host of a fleet: a process that starts workers and dispatchers, in surroundings of its own."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]


class Host:
    """Starts processes by forking one that has everything imported; all die with it."""

    def __init__(
        self,
        home: Path,
        environment: Mapping[str, str],
        *,
        prefix: Sequence[str | Path] = (),
        program: Path = HERE / "nursery.py",
    ) -> None:
        """`prefix` stands before the program, as what gives it mounts of its own."""
        self.home, self.log = home, home / "log"
        home.mkdir(parents=True, exist_ok=True)
        variables = {
            # the tree of another version goes first
            "PYTHONPATH": f"{ROOT}",
            **environment,
            "KERNELSET_HOME": str(home),
        }
        with self.log.open("ab") as log:
            self._nursery = subprocess.Popen(
                [*prefix, sys.executable, "-P", program],
                env=variables,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )

    def ask(self, words: str) -> str:
        """Give a command, and return the line that answers it."""
        assert self._nursery.stdin
        assert self._nursery.stdout
        self._nursery.stdin.write(f"{words}\n")
        self._nursery.stdin.flush()
        answer = self._nursery.stdout.readline().strip()
        assert answer, f"{self._nursery.poll()} {self.log.read_text()[-4000:]}"
        return answer

    def start(self, kind: str) -> int:
        """Start a `worker` or a dispatcher (`dispatch`), and return its process id."""
        return int(self.ask(kind))

    @cached_property
    def revisions(self) -> dict[str, str]:
        """Stage to the revision of the code that is installed here."""
        answer: dict[str, str] = json.loads(self.ask("revisions"))
        return answer

    def close(self) -> None:
        """End it with all that it started."""
        if self._nursery.stdin and not self._nursery.stdin.closed:
            self._nursery.stdin.close()
            self._nursery.wait(30)
        if self._nursery.stdout:
            self._nursery.stdout.close()

    def list_events(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield what its processes logged of one kind."""
        for line in self.log.read_text(errors="replace").splitlines():
            try:
                event = json.loads(line)
            except ValueError:
                # e.g. a line of Celery's own, or one of a process that was killed
                continue
            if isinstance(event, dict) and event.get("event") == name:
                yield event


@dataclass
class Process:
    """A worker or a dispatcher, and where it lives."""

    host: Host
    kind: str
    pid: int = 0

    def start(self) -> None:
        self.pid = self.host.start(self.kind)

    def end(self, signal_number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal_number)

    def is_gone(self) -> bool:
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        return False
