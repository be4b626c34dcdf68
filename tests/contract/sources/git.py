"""Projects for the contract of the source `git`: over HTTP, git's protocol, and as a folder."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from crawler import process
from tests.contract.source_project import CHANGED_FILES, FILES, SourceProject
from tests.servers.git import GitProject, GitServer

REPOSITORY = "origin/owner/waves.git"


def create_repository(request: pytest.FixtureRequest) -> GitProject:
    make_project: Callable[..., GitProject] = request.getfixturevalue("git_project")
    project = make_project(REPOSITORY)
    project.commit(FILES)
    return project


def describe(project: GitProject, locator: str) -> SourceProject:
    moved_folder = project.folder.with_name("moved")
    return SourceProject(
        locator=locator,
        missing_locator=locator.replace("waves", "absent"),
        name="waves",
        change=lambda: project.commit(CHANGED_FILES),
        remove=lambda: project.folder.rename(moved_folder),
        keeps_history=True,
    )


def make_folder(request: pytest.FixtureRequest) -> Iterator[SourceProject]:
    project = create_repository(request)
    yield describe(project, f"git+file://{project.folder}")


def make_http_repository(request: pytest.FixtureRequest) -> Iterator[SourceProject]:
    server: GitServer = request.getfixturevalue("git_server")
    project = create_repository(request)
    yield describe(project, f"{server.url}/owner/waves.git@main")


def make_daemon_repository(request: pytest.FixtureRequest) -> Iterator[SourceProject]:
    tmp_path: Path = request.getfixturevalue("tmp_path")
    project = create_repository(request)
    port = find_free_port()
    daemon = process.start(
        [
            "git",
            "daemon",
            "--export-all",
            "--listen=127.0.0.1",
            f"--port={port}",
            f"--base-path={tmp_path / 'origin'}",
        ],
        stdout=subprocess.DEVNULL,
    )
    wait_until_listening(port)
    yield describe(project, f"git://127.0.0.1:{port}/owner/waves.git")
    process.kill_group(daemon)


def find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def wait_until_listening(port: int) -> None:
    for _ in range(500):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.01)


PROJECTS = (make_folder, make_http_repository, make_daemon_repository)
