"""deploy/compose.yaml without Docker: the same programs with the same words and environment, on
loopback.

What containers give is put into the words: names of hosts become addresses of loopback, mounted
folders become folders.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.servers import postgres, rclone, valkey

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = Path(sys.executable).parent
PORTS = ("valkey:6379", "postgres:5432", "s3:8333")
IMAGE = ["tini", "--", "kernelset-entrypoint"]


@dataclass
class Cluster:
    """The services of a profile, started in the order that they depend on each other."""

    folder: Path
    profile: str = "cpu"
    services: dict[str, Any] = field(default_factory=dict)
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    overridden: dict[str, str] = field(default_factory=dict)
    """Variables that this test sets for all services of ours."""

    def __post_init__(self) -> None:
        # what `${NAME:-word}` becomes when nobody says otherwise
        text = re.sub(
            r"\$\{\w+:-([^}]*)\}", r"\1", (ROOT / "deploy/compose.yaml").read_text()
        )
        self.services = yaml.safe_load(text)["services"]
        subprocess.run([ROOT / "deploy/secrets", self.folder / "secrets"], check=True)
        self.ports = {place: rclone.free_port() for place in (*PORTS, ":9464")}
        for path in (self.folder / "secrets").iterdir():
            path.chmod(0o644)
            path.write_text(self.here(path.read_text()))
        programs = self.folder / "programs"
        programs.mkdir()
        server = f'#!/bin/sh\nexec {valkey.program()} --bind 127.0.0.1 --port {self.ports[PORTS[0]]} "$@"\n'
        for name, text in {
            "valkey-server": server,
            "rclone": f'#!/bin/sh\nexec {rclone.RCLONE} "$@"\n',
        }.items():
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)

    def here(self, text: str, service: str = "") -> str:
        """What a text that was written for a container means on this machine."""
        for place, port in self.ports.items():
            text = text.replace(place, f"127.0.0.1:{port}")
        text = re.sub(
            r"--addr :8333", f"--addr 127.0.0.1:{self.ports['s3:8333']}", text
        )
        text = re.sub(r"^9464$", str(self.ports[":9464"]), text)
        text = text.replace("/run/secrets", str(self.folder / "secrets")).replace(
            "$$", "$"
        )
        return re.sub(
            r"(?<![\w/])/(data|var/lib/\w+)",
            lambda path: str(self.folder / service / path[1]),
            text,
        )

    def start(self, *names: str) -> None:
        """Start services, and first what they wait for."""
        for name in names:
            for other, when in self.services[name].get("depends_on", {}).items():
                if other not in self.running:
                    self.start(other)
                if when["condition"] == "service_completed_successfully":
                    assert self.running[other].wait(60) == 0, self.read_log(other)
            if name not in self.running:
                self.running[name] = self._start_service(name)
                self._healthy(name)

    def begin(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a service's program; arguments stand behind its entry point, as `docker compose
        run` puts them.
        """
        described = self.services[name]
        own = IMAGE if described["image"].startswith("kernelset:") else []
        words = [
            *described.get("entrypoint", own),
            *(arguments or described.get("command", ())),
        ]
        words = [self.here(word, name) for word in words]
        if words[:3] == IMAGE:
            words = [str(PROGRAMS / "kernelset"), *words[3:]]
        (self.folder / name).mkdir(exist_ok=True)
        with (self.folder / f"{name}.log").open("ab") as log:
            return subprocess.Popen(
                words,
                env=self.environment(name),
                stdout=log,
                stderr=log,
                cwd=self.folder / name,
                start_new_session=True,
            )

    def environment(self, name: str) -> dict[str, str]:
        variables = {
            key: self.here(str(value), name)
            for key, value in self.services[name].get("environment", {}).items()
        }
        path = f"{self.folder / 'programs'}:{PROGRAMS}:{os.environ['PATH']}"
        return {
            "PATH": path,
            "HOME": str(self.folder / name),
            **variables,
            **self.overridden,
        }

    def read_log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text()

    def stop(self) -> None:
        """End all, those first that were started last."""
        for process in reversed(self.running.values()):
            if process.poll() is None:
                process.terminate()
                process.wait(60)
            # a shell that began a pipe does not hand the signal on
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)

    def _start_service(self, name: str) -> subprocess.Popen[bytes]:
        if name != "postgres":
            return self.begin(name)
        return _postgres(self, self.folder / name)

    def _healthy(self, name: str) -> None:
        port = {place.split(":")[0]: port for place, port in self.ports.items()}.get(
            name
        )
        if port:
            rclone.until_it_listens(self.running[name], port)


def _postgres(cluster: Cluster, folder: Path) -> subprocess.Popen[bytes]:
    """What the image's entry point does: a database of that name, by the word in that file."""
    settings = cluster.environment("postgres")
    folder.mkdir()
    flags = [
        f"--username={settings['POSTGRES_USER']}",
        f"--pwfile={settings['POSTGRES_PASSWORD_FILE']}",
        "--no-sync",
    ]
    flags += [*settings["POSTGRES_INITDB_ARGS"].split(), "--auth-local=trust"]
    programs = postgres.programs()
    _run(
        [
            *postgres.unprivileged_prefix(),
            programs / "initdb",
            "-D",
            folder / "data",
            *flags,
        ]
    )
    port = cluster.ports["postgres:5432"]
    argv: list[str | Path] = [
        *postgres.unprivileged_prefix(),
        programs / "postgres",
        "-D",
        folder / "data",
        "-h",
        "127.0.0.1",
        "-p",
        str(port),
    ]
    with (cluster.folder / "postgres.log").open("wb") as log:
        process = subprocess.Popen(
            [*argv, "-k", "/tmp", "-c", "fsync=off"], stdout=log, stderr=log
        )
    rclone.until_it_listens(process, port)
    make: list[str | Path] = [
        programs / "createdb",
        "-h",
        "/tmp",
        "-p",
        str(port),
        "-U",
        settings["POSTGRES_USER"],
        settings["POSTGRES_DB"],
    ]
    patiently(
        lambda: subprocess.run(make, capture_output=True, check=False).returncode == 0
    )
    return process


def _run(argv: Sequence[str | Path]) -> None:
    ended = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def patiently(done: Callable[[], bool], seconds: float = 60) -> None:
    """Ask until it is done."""
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.1)
