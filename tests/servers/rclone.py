"""An S3 server that checks signatures: rclone over a folder, as deploy/compose.yaml has it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.servers.certificates import Certificates

RCLONE = Path(sys.executable).parent / "rclone"


def free_port() -> int:
    """A port of loopback that nobody has."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def until_it_listens(
    process: subprocess.Popen[bytes], port: int, seconds: float = 60
) -> None:
    deadline = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"nothing listens at {port}")


@contextmanager
def serving(
    folder: Path, keys: tuple[str, str], files: Certificates | None = None
) -> Iterator[str]:
    """The folders in `folder` as buckets, for whoever has `keys`, over TLS with `files`; yields
    the address.
    """
    port = free_port()
    argv: list[str | Path] = [
        RCLONE,
        "serve",
        "s3",
        folder,
        "--addr",
        f"127.0.0.1:{port}",
        "--auth-key",
        ",".join(keys),
    ]
    if files:
        argv += ["--cert", files.certificate, "--key", files.key]
    environment = os.environ | {"RCLONE_CONFIG": os.devnull}
    with (folder.parent / "rclone.log").open("wb") as log:
        process = subprocess.Popen(argv, env=environment, stdout=log, stderr=log)
    try:
        until_it_listens(process, port)
        yield f"{'https' if files else 'http'}://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


def remote(name: str, address: str, keys: tuple[str, str]) -> Mapping[str, str]:
    """The environment in which rclone calls the server at `address` by `name`."""
    variables = {
        "TYPE": "s3",
        "PROVIDER": "Other",
        "ENDPOINT": address,
        "ACCESS_KEY_ID": keys[0],
        "SECRET_ACCESS_KEY": keys[1],
    }
    return {
        f"RCLONE_CONFIG_{name.upper()}_{key}": value for key, value in variables.items()
    }
