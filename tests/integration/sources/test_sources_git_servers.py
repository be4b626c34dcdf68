"""Real servers of git: over HTTP by its own backend, and over a stand-in for ssh; and what they
refuse.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.errors import CrawlError, NetworkDown, NotFound, RateLimited
from crawler.sources.interface import Limits, SourceOptions
from crawler.sources.providers.git import PLUGIN
from tests.servers.git import GitProject, GitServer

pytestmark = pytest.mark.apt("git")

LIMITS = Limits(seconds=30)
KERNEL = "__global__ void k(float* x) { x[0] = 1; }\n"


def fail_to_list(locator: str, limits: Limits = LIMITS) -> CrawlError:
    with pytest.raises(CrawlError, match=r": \w") as caught:
        list(PLUGIN.list(locator, SourceOptions(limits=limits)))
    return caught.value


def test_pictures_and_history_are_not_downloaded(
    git_project: Callable[..., GitProject], git_server: GitServer, tmp_path: Path
) -> None:
    project = git_project("origin/owner/project.git")
    noise = bytes((index * index * 31 + index // 7) % 256 for index in range(300_000))
    project.commit({"old.txt": noise[1:], "a.cu": KERNEL})
    (project.folder / "old.txt").unlink()
    project.commit({"photo.png": noise})
    (repo,) = PLUGIN.list(
        f"{git_server.url}/owner/project.git", SourceOptions(limits=LIMITS)
    )
    (tmp_path / "out").mkdir()
    PLUGIN.fetch(repo, tmp_path / "out", SourceOptions(limits=LIMITS))
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["a.cu"]
    assert 0 < sum(size for _, size in git_server.sent) < 20_000


def test_a_commit_that_no_ref_names_is_found(
    git_project: Callable[..., GitProject], git_server: GitServer, tmp_path: Path
) -> None:
    project = git_project("origin/owner/project.git")
    first = project.commit({"a.cu": KERNEL})
    project.commit({"b.cu": KERNEL})
    for ref in (first, first[:9]):
        (repo,) = PLUGIN.list(
            f"git+{git_server.url}/owner/project.git@{ref}",
            SourceOptions(limits=LIMITS),
        )
        assert repo.commit == first
    (tmp_path / "out").mkdir()
    PLUGIN.fetch(repo, tmp_path / "out", SourceOptions(limits=LIMITS))
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["a.cu"]
    assert (repo.owner, repo.name, repo.url) == (
        "owner",
        "project",
        f"{git_server.url}/owner/project.git",
    )


@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [
        (401, NotFound, "auth-required"),
        (403, NotFound, "auth-required"),
        (404, NotFound, "not-found"),
        (429, RateLimited, "rate-limited"),
        (500, NetworkDown, "network-down"),
        (503, NetworkDown, "network-down"),
    ],
)
def test_each_refusal_has_its_own_code(
    git_server: GitServer, status: int, kind: type[CrawlError], code: str
) -> None:
    git_server.refuse = status
    began = time.monotonic()
    error = fail_to_list(f"{git_server.url}/owner/project.git")
    assert (type(error), error.code) == (kind, code)
    assert time.monotonic() - began < 5


def test_a_repository_that_was_renamed_is_followed_by_the_same_protocol_only(
    git_project: Callable[..., GitProject], git_server: GitServer, tmp_path: Path
) -> None:
    commit = git_project("origin/new/project.git").commit({"a.cu": KERNEL})
    git_server.moved = {
        "/old/": "/new/",
        "/file/": f"file://{tmp_path}/origin/new/",
        "/git/": "git://127.0.0.1/",
    }
    (repo,) = PLUGIN.list(
        f"{git_server.url}/old/project.git", SourceOptions(limits=LIMITS)
    )
    assert repo.commit == commit
    (tmp_path / "out").mkdir()
    PLUGIN.fetch(repo, tmp_path / "out", SourceOptions(limits=LIMITS))
    assert (tmp_path / "out" / "a.cu").is_file()
    for elsewhere in ("file", "git"):
        assert (
            fail_to_list(f"{git_server.url}/{elsewhere}/project.git").code
            == "protocol-refused"
        )


def test_a_server_that_is_not_there_is_a_passing_fault() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for scheme in ("http", "git"):
        error = fail_to_list(f"{scheme}://127.0.0.1:{port}/owner/project.git")
        assert (type(error), error.code) == (NetworkDown, "network-down")
    error = fail_to_list("https://no-such-host.invalid/owner/project.git")
    assert (type(error), error.code) == (NetworkDown, "host-not-found")


def test_a_server_that_says_nothing_is_left_in_time() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        error = fail_to_list(
            f"git://127.0.0.1:{silent.getsockname()[1]}/o/n",
            replace(LIMITS, seconds=1.5),
        )
    assert (type(error), error.code) == (NetworkDown, "timed-out")


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in place of ssh that notes its words and runs git's command here."""
    log = tmp_path / "said"
    program = tmp_path / "ssh"
    program.write_text(
        f'#!/bin/sh\necho "$@" >> {log}\nfor last; do :; done\nexec sh -c "$last"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(program))
    return log


def test_the_operators_ssh_is_used(
    git_project: Callable[..., GitProject], ssh: Path, tmp_path: Path
) -> None:
    project = git_project()
    commit = project.commit({"a.cu": KERNEL})
    for locator in (
        f"git+ssh://git@example.org{project.folder}@main",
        f"git@example.org:{project.folder}",
    ):
        (repo,) = PLUGIN.list(locator, SourceOptions(limits=LIMITS))
        assert repo.commit == commit
        assert repo.url == locator.removeprefix("git+").removesuffix("@main")
        folder = tmp_path / repo.ref / "out"
        folder.mkdir(parents=True)
        PLUGIN.fetch(repo, folder, SourceOptions(limits=LIMITS))
        assert (folder / "a.cu").read_text() == KERNEL
    assert "git@example.org git-upload-pack" in ssh.read_text()


def test_credentials_come_from_the_file_that_the_operator_names(
    git_project: Callable[..., GitProject],
    git_server: GitServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    commit = git_project("origin/owner/project.git").commit({"a.cu": KERNEL})
    git_server.password = "reader:secret"
    assert fail_to_list(f"{git_server.url}/owner/project.git").code == "auth-required"
    (tmp_path / "store").write_text(
        git_server.url.replace("//", "//reader:secret@") + "\n"
    )
    (tmp_path / "gitconfig").write_text(
        f"[credential]\n\thelper = store --file={tmp_path / 'store'}\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    (repo,) = PLUGIN.list(
        f"{git_server.url}/owner/project.git", SourceOptions(limits=LIMITS)
    )
    assert repo.commit == commit
    assert "secret" not in repr(repo)
    assert "secret" not in str(fail_to_list(f"{git_server.url}/owner/absent.git"))
