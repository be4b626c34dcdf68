"""From a new user's empty home to a first exported row, by the lines that the pages show."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from storage.blobs.bucket import Bucket
from tests.acceptance.newcomers.page_lines import (
    ROOT,
    read_lines,
    read_records,
    write_project,
)
from tests.servers import postgres as servers
from tests.servers import s3 as stores
from tests.servers.postgres import Postgres
from tests.servers.valkey import Valkey

pytestmark = pytest.mark.apt


@pytest.fixture(scope="module")
def programs_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the programs of an environment into which the wheel was installed, not the checkout.

    What Kernelset depends on is ours: a registry is asked for nothing.
    """
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder],
        cwd=ROOT,
        check=True,
    )
    # installing a pip into it would take as long as all else together
    words = ["-m", "venv", "--without-pip", str(folder / "venv")]
    subprocess.run([sys.executable, *words], check=True)
    (wheel,) = folder.glob("*.whl")
    words = ["-m", "pip", "--python", str(folder / "venv"), "install", "--quiet"]
    subprocess.run(
        [sys.executable, *words, "--no-index", "--no-deps", str(wheel)], check=True
    )
    (packages,) = (folder / "venv/lib").glob("python*/site-packages")
    # a path that is added so brings packages, but nothing that is installed as editable
    (packages / "ours.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "venv/bin"


@pytest.fixture
def newcomer(tmp_path: Path) -> Path:
    """Give the home of somebody who has nothing but a project."""
    write_project(tmp_path / "my/project")
    return tmp_path


def run_lines(
    lines: list[str], home: Path, programs: Path, variables: Mapping[str, str]
) -> str:
    """Run lines as a shell of a new user does, whose environment is empty."""
    completed = subprocess.run(
        ["bash", "-e", "-c", "\n".join(lines)],
        cwd=home,
        env={
            "HOME": str(home),
            "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            **variables,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 0, f"{lines}\n{completed.stdout}\n{completed.stderr}"
    return completed.stdout


@pytest.mark.timeout(900)
def test_the_readme_leads_to_a_first_exported_row(
    programs_folder: Path, newcomer: Path
) -> None:
    exchange = {
        ".venv/bin/kernelset": "kernelset",
        "pypi:torch_scatter==2.1.2": "./my/project",
    }
    lines = read_lines("README.md", "## Quick start", exchange)

    printed = run_lines(lines, newcomer, programs_folder, {})

    assert "gather_rows" in printed
    assert re.search(r"^compiled for gfx90a +1 of 1 \(pass 1\)$", printed, re.MULTILINE)
    names = {record.get("name") for record in read_records(newcomer / "dataset")}
    assert "gather_rows" in names


def read_server_lines(address: str, database: str, bucket: Bucket) -> list[str]:
    """Return what the page on clusters types for the database and the bucket."""
    shown_address = "postgresql://kernelset:PASSWORD@db.example.org/kernelset"
    making = read_lines(
        "docs/cluster.md",
        "## Postgres",
        {
            f"{shown_address}?sslmode=verify-full": address,
            "--locale=C kernelset": f"--locale=C {database}",
        },
    )
    storing = read_lines(
        "docs/cluster.md",
        "## S3",
        {
            "s3://kernels/team": f"s3://{bucket.name}/team",
            "https://s3.example.org": bucket.endpoint,
            # the stand-in for a bucket has no keys of its own
            "aws:kms:alias/kernels": "AES256",
        },
    )
    return [*making, *storing]


@pytest.mark.timeout(900)
def test_the_page_on_clusters_leads_to_a_first_exported_row(
    programs_folder: Path,
    newcomer: Path,
    postgres: Postgres,
    valkey: Valkey,
    new_bucket: Callable[..., Bucket],
) -> None:
    bucket = new_bucket()
    database = f"newcomer{os.getpid()}"
    variables = {
        # what createdb asks, and what the address of a server would say
        "PGHOST": str(postgres.folder),
        "PGUSER": "kernelset",
        "KERNELSET_BROKER": valkey.url,
        # a worker will come: on a busy machine it may take long to start
        "KERNELSET_AUTOSCALED": "*",
        **stores.CREDENTIALS,
    }
    serving = read_server_lines(postgres.url(database), database, bucket)
    running = read_lines(
        "docs/cluster.md",
        "# The cluster",
        {
            "kernelset dispatch --metrics-port 9464": "kernelset dispatch & dispatcher=$!",
            "kernelset worker --gpu 0": ": no GPU is here",
            "kernelset worker": "kernelset worker --concurrency 1 & worker=$!",
            "pypi:mmcv==2.2.0": "./my/project --wait",
        },
    )
    ending = [
        # a dispatcher and a worker that are told to stop exit with 0
        "kill $worker $dispatcher && wait $worker && wait $dispatcher",
        *read_lines(
            "README.md", "## Quick start", {".venv/bin/kernelset": "kernelset"}
        )[1:],
    ]

    programs = newcomer / "programs"
    programs.mkdir()
    for program in (servers.programs() / "createdb", *programs_folder.iterdir()):
        (programs / program.name).symlink_to(program)
    # where a line fails, no process stays behind
    lines = [
        "trap 'kill $(jobs -p) || true' EXIT",
        *serving,
        *running,
        *ending,
    ]
    printed = run_lines(lines, newcomer, programs, variables)

    assert re.search(r"^crawl [0-9a-f]+: complete$", printed, re.MULTILINE)
    assert "gather_rows" in printed
    names = {record.get("name") for record in read_records(newcomer / "dataset")}
    assert "gather_rows" in names
