"""Markers: what a missing system package or GPU means for a test; and real repositories, with a
real server.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import uuid
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import boto3
import pytest
from hypothesis import settings
from typer.main import get_command

from storage.blobs.bucket import Bucket, parse_bucket_address
from storage.database.postgres import create_postgres_engine
from storage.database.schema import upgrade_database
from storage.open import open_storage
from storage.tables import METADATA
from tests.servers.git import GitProject, GitServer
from tests.servers.git import serving as serving_git
from tests.servers.github.server import serving
from tests.servers.github.state import GitHub
from tests.servers.postgres import Postgres
from tests.servers.postgres import serving as serving_postgres
from tests.servers.s3 import S3
from tests.servers.s3 import serving as serving_s3
from tests.servers.valkey import Valkey
from tests.servers.valkey import serving as serving_valkey
from workers.cli.app import app

ROOT = Path(__file__).resolve().parent.parent

# how fast a machine is says nothing of what is tested
settings.register_profile("any-machine", deadline=None)
settings.load_profile("any-machine")


@cache
def missing_packages() -> str:
    """What `deploy/bootstrap --check` says, empty when all is there."""
    checked = subprocess.run(
        [ROOT / "deploy" / "bootstrap", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if checked.returncode == 0 else (checked.stdout + checked.stderr).strip()


def pytest_runtest_setup(item: pytest.Item) -> None:
    marker = item.get_closest_marker("apt")
    if marker:
        absent = (
            " ".join(tool for tool in marker.args if not shutil.which(tool))
            if marker.args
            else missing_packages()
        )
        if absent and os.environ.get("CI"):
            pytest.fail(f"deploy/bootstrap should have installed this: {absent}")
        if absent:
            pytest.skip(f"not installed: {absent}")
    if item.get_closest_marker("gpu") and not any(
        Path("/dev", name).exists() for name in ("kfd", "nvidia0", "dxg")
    ):
        pytest.skip("no GPU here")


@pytest.fixture(autouse=True)
def stays_where_it_began() -> Iterator[None]:
    """A test that leaves another working folder behind fails itself, not one that comes after
    it.
    """
    began = Path.cwd()
    yield
    ended = Path.cwd()
    os.chdir(began)
    assert ended == began


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


@pytest.fixture(scope="session")
def verbs() -> dict[str, Any]:
    """The commands of the command line by how they are called: `crawl`, `config show`, …"""

    def walk(command: Any, path: str) -> Iterator[tuple[str, Any]]:
        inner = getattr(command, "commands", None)
        if inner is None:
            yield path, command
        else:
            for name, subcommand in inner.items():
                yield from walk(subcommand, f"{path} {name}".strip())

    return dict(walk(get_command(app), ""))


@pytest.fixture(scope="session")
def migrated_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database of the newest version, to be copied."""
    home = tmp_path_factory.mktemp("migrated")
    open_storage(home).close()
    return home / "kernelset.db"


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A Postgres server, started once, with a template that has our tables."""
    with serving_postgres() as server:
        server.run("CREATE DATABASE migrated")
        engine = create_postgres_engine(server.url("migrated"))
        upgrade_database(engine)
        engine.dispose()
        yield server


@pytest.fixture(scope="session")
def empty_database(postgres: Postgres) -> Callable[[], str]:
    """Empty the one database that most tests on Postgres share, and return its address: far
    cheaper than a new one.
    """
    postgres.run("CREATE DATABASE shared TEMPLATE migrated")
    statement = ";".join(
        f"DELETE FROM {table.name}" for table in reversed(METADATA.sorted_tables)
    )

    def empty() -> str:
        postgres.run(statement, "shared")
        return postgres.url("shared")

    return empty


@pytest.fixture(scope="module")
def kept_database(postgres: Postgres) -> Iterator[str]:
    """A database of one module of tests."""
    name = f"kept_{uuid.uuid4().hex[:12]}"
    postgres.run(f"CREATE DATABASE {name} TEMPLATE migrated")
    yield postgres.url(name)
    postgres.run(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def new_database(postgres: Postgres) -> Iterator[Callable[[], str]]:
    """Make empty databases with our tables, and return their addresses."""
    made: list[str] = []

    def make() -> str:
        made.append(f"test_{uuid.uuid4().hex[:12]}")
        postgres.run(f"CREATE DATABASE {made[-1]} TEMPLATE migrated")
        return postgres.url(made[-1])

    yield make
    for name in made:
        postgres.run(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def s3() -> Iterator[S3]:
    """An S3 server, started once."""
    with serving_s3() as server:
        yield server


@pytest.fixture(scope="session")
def valkey() -> Iterator[Valkey]:
    """A Valkey server, started once."""
    with serving_valkey() as server:
        yield server


@pytest.fixture
def new_bucket(s3: S3) -> Callable[..., Bucket]:
    """Make empty buckets, reached directly or through what is in front."""

    def make(*, unreliable: bool = False, **options: str) -> Bucket:
        name = f"bucket-{uuid.uuid4().hex[:12]}"
        client = boto3.session.Session().client("s3", endpoint_url=s3.url)
        client.create_bucket(Bucket=name)
        client.close()
        return parse_bucket_address(
            f"s3://{name}/team",
            endpoint=s3.unreliable if unreliable else s3.url,
            **options,
        )

    return make


@pytest.fixture
def git_project(tmp_path: Path) -> Callable[..., GitProject]:
    """Make an empty repository below a folder of the test, bare or with a work tree."""

    def make(name: str = "origin/owner/project.git", *flags: str) -> GitProject:
        made = GitProject(tmp_path / name)
        made.folder.mkdir(parents=True)
        made.git("init", "--quiet", "--initial-branch=main", "--template=", *flags)
        made.git("config", "uploadpack.allowFilter", "true")
        return made

    return make


@pytest.fixture
def git_server(tmp_path: Path) -> Iterator[GitServer]:
    with serving_git(tmp_path / "origin") as server:
        yield server


@pytest.fixture
def github(tmp_path: Path) -> Iterator[GitHub]:
    """A GitHub on loopback, with nobody there yet."""
    with serving(tmp_path / "github") as served:
        yield served
