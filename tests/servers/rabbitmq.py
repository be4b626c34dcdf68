"""A RabbitMQ of our own, from apt where that is installed, on loopback and with nothing else of
the machine.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.servers.certificates import Certificates
from tests.servers.rclone import free_port

PROGRAM = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")


@dataclass(frozen=True)
class RabbitMQ:
    """A running server."""

    url: str
    secure: str
    """Its address over TLS, without the options of a client."""


@contextmanager
def serving(folder: Path, certificates: Certificates) -> Iterator[RabbitMQ]:
    """A server for as long as the block runs; its own epmd goes with it."""
    plain, secure, distribution, mapper = (free_port() for _ in range(4))
    environment = {**os.environ, **_environment(folder, distribution, mapper)}
    (folder / "rabbit.conf").write_text(_configuration(plain, secure, certificates))
    (folder / "plugins").write_text("[].")
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [PROGRAM], env=environment, stdout=log, stderr=log, cwd=folder
        )
    try:
        for port in (plain, secure):
            _until_it_greets(process, port, folder / "log")
        yield RabbitMQ(
            f"amqp://guest:guest@127.0.0.1:{plain}//",
            f"amqps://guest:guest@127.0.0.1:{secure}//",
        )
    finally:
        process.terminate()
        process.wait(60)
        subprocess.run(
            ["epmd", "-kill"],
            env=environment,
            capture_output=True,
            check=False,
            timeout=30,
        )


def _environment(folder: Path, distribution: int, mapper: int) -> dict[str, str]:
    return {
        "HOME": str(folder),
        "RABBITMQ_NODENAME": f"tests{mapper}@localhost",
        "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
        "RABBITMQ_LOGS": "-",
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        "RABBITMQ_PID_FILE": str(folder / "pid"),
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbit"),
        "RABBITMQ_FEATURE_FLAGS_FILE": str(folder / "flags"),
        "RABBITMQ_GENERATED_CONFIG_DIR": str(folder / "generated"),
        "RABBITMQ_DIST_PORT": str(distribution),
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+S 1:1 +sbwt none",
        "ERL_EPMD_PORT": str(mapper),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
    }


def _configuration(plain: int, secure: int, certificates: Certificates) -> str:
    return "\n".join(
        (
            f"listeners.tcp.1 = 127.0.0.1:{plain}",
            f"listeners.ssl.1 = 127.0.0.1:{secure}",
            f"ssl_options.cacertfile = {certificates.authority}",
            f"ssl_options.certfile = {certificates.certificate}",
            f"ssl_options.keyfile = {certificates.key}",
            "ssl_options.verify = verify_none",
            "",
        )
    )


def _until_it_greets(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + 90
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert process.poll() is None, log.read_text()[-4000:]
        assert time.monotonic() < deadline, log.read_text()[-4000:]
        time.sleep(0.1)
