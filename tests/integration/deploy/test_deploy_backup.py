"""The commands of docs/operating.md that save and restore, run as they stand there, on real
servers.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers import postgres, rclone
from workers.cli import main
from workers.config.configured_storage import open_configured_storage
from workers.config.setting_sources import load_settings

ROOT = Path(__file__).resolve().parents[3]
KEYS = ("an-access-key", "a-secret-that-is-long-enough")
LOST = ("rclone purge s3:kernelset", "rclone mkdir s3:kernelset")
CONTENTS = (b"small", b"large " * 100_000)


def commands(document: str, heading: str) -> list[list[str]]:
    """The commands of each block under a heading."""
    section = (
        (ROOT / "docs" / document)
        .read_text()
        .split(f"## {heading}\n")[1]
        .split("\n## ")[0]
    )
    return [
        block.splitlines()
        for block in re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    ]


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Servers as an operator has them, and their addresses in the environment."""
    (tmp_path / "data" / "kernelset").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    for name in [
        variable
        for variable in os.environ
        if variable.startswith(("KERNELSET_", "AWS_"))
    ]:
        monkeypatch.delenv(name)
    with (
        postgres.serving() as database,
        rclone.serving(tmp_path / "data", KEYS) as address,
    ):
        credentials = (
            f"[default]\naws_access_key_id={KEYS[0]}\naws_secret_access_key={KEYS[1]}\n"
        )
        (tmp_path / "s3_credentials").write_text(credentials)
        environment = {
            "PATH": f"{database.programs}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PGHOST": str(database.folder),
            "PGUSER": "kernelset",
            "KERNELSET_HOME": str(tmp_path / "home"),
            "KERNELSET_DATABASE": database.url("kernelset"),
            "KERNELSET_BLOBS": "s3://kernelset",
            "KERNELSET_S3_ENDPOINT": address,
            "KERNELSET_S3_REGION": "us-east-1",
            "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "s3_credentials"),
            **rclone.remote("s3", address, KEYS),
        }
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        yield tmp_path


def run(*lines: str) -> None:
    for line in lines:
        if line.startswith("kernelset "):
            ours(line.split())
            continue
        ended = subprocess.run(
            ["bash", "-c", line], capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, f"{line}\n{ended.stdout}{ended.stderr}"


def ours(words: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as ended:
            main()
    assert ended.value.code in (0, None)


@pytest.mark.usefixtures("cluster")
def test_what_was_saved_is_restored_by_the_commands_that_are_shown() -> None:
    run(commands("cluster.md", "Postgres")[0][0], "kernelset db upgrade")
    with open_configured_storage(load_settings()) as storage:
        digests = storage.blobs.put_many(CONTENTS)
    save, restore = commands("operating.md", "Backup and restore")
    run(*save)
    run("dropdb kernelset", commands("cluster.md", "Postgres")[0][0], *LOST)
    run(*restore)
    with open_configured_storage(load_settings()) as storage:
        assert storage.blobs.get_many(digests) == CONTENTS
