"""Declared repositories that a project is not to have, or has to nobody's cost."""

from __future__ import annotations

import errno
import os
from contextlib import nullcontext
from pathlib import Path

import pytest

from crawler import cache
from crawler.checkout.dependencies import read_report
from crawler.checkout.source_tree import open_tree
from crawler.model import (
    DEPENDENCY_FOLDER,
)
from crawler.sources.dependencies.completion import _list_declared
from tests.integration.sources.declared_library import (
    KERNEL,
    complete,
    declare,
)
from tests.servers.git import GitProject, GitServer

pytestmark = pytest.mark.apt("git")


def test_a_project_cannot_pass_its_own_files_off_as_anothers(
    root: Path, git_server: GitServer
) -> None:
    planted = root / DEPENDENCY_FOLDER / "lib@0/a.cuh"
    planted.parent.mkdir(parents=True)
    planted.write_text("__global__ void hidden(int *x) { x[0] = 1; }\n")
    complete(root, git_server.url)
    assert not planted.exists()
    assert read_report(root) == ()


@pytest.mark.parametrize("name", ["../../x", "a/b", ".git", "x" * 300, "a b"])
def test_a_name_that_is_no_folder_is_not_asked_for(
    name: str, root: Path, library: GitProject, git_server: GitServer
) -> None:
    (root / "CMakeLists.txt").write_text(
        f'FetchContent_Declare("{name}" GIT_REPOSITORY {git_server.url}/owner/lib.git)\n'
    )
    assert complete(root, git_server.url) == ()
    assert git_server.sent == []


def test_a_ref_of_any_length_leaves_a_report_that_can_be_read(
    root: Path, library: GitProject, git_server: GitServer
) -> None:
    (root / "WORKSPACE").write_text(
        f'git_repository(name = "lib", remote = "{git_server.url}/owner/lib.git")\n'
    )
    (root / "subprojects").mkdir()
    for number in range(15):
        (root / f"subprojects/x{number}.wrap").write_text(
            f"[wrap-git]\nurl = https://elsewhere.org/o/x\nrevision = {'a' * 15_000}\n"
        )
    for number in range(15):
        (root / f"x{number}.cmake").write_text(
            f"set(V {'é' * 2_000})\nf(y{number} GIT_TAG {'${V}' * 400} "
            "URL https://elsewhere.org/o/y)\n"
        )

    dependencies = complete(root, git_server.url)
    assert {dependency.name for dependency in dependencies} >= {"lib", "y0"}
    assert max(len(dependency.ref) for dependency in dependencies) == 200
    assert read_report(root) == dependencies


@pytest.mark.timeout(60)
def test_a_project_that_declares_very_many_is_read_as_one_that_declares_500(
    root: Path, library: GitProject, git_server: GitServer
) -> None:
    address = f"{git_server.url}/owner/lib.git"
    (root / "CMakeLists.txt").write_text(
        f"f(lib GIT_REPOSITORY {address} GIT_TAG v1.2)\n"
        + "".join(f"f(x{number} URL x://{'y' * 300})\n" for number in range(30_000))
    )
    declared = _list_declared(open_tree(root))
    assert len(declared) == 500
    first, *_ = complete(root, git_server.url)
    assert first.name == "lib"


def test_credentials_of_a_declared_address_are_not_kept(
    root: Path, library: GitProject, git_server: GitServer
) -> None:
    declare(root, "https://me:word@elsewhere.org")
    (dependency,) = complete(root, git_server.url)
    assert dependency.problem == "address-refused"
    assert dependency.url == "https://elsewhere.org/owner/lib.git"


def test_a_declared_address_is_not_sent_the_operators_credentials(
    root: Path,
    library: GitProject,
    git_server: GitServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host = git_server.url.removeprefix("http://").partition(":")[0]
    (tmp_path / ".netrc").write_text(f"machine {host} login me password word\n")
    (tmp_path / "gitconfig").write_text("")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    git_server.password = "me:word"
    declare(root, git_server.url)
    (dependency,) = complete(root, git_server.url)
    assert dependency.problem
    assert not (root / dependency.folder).exists()


def test_nothing_of_a_dependency_stays_elsewhere(
    root: Path,
    library: GitProject,
    git_server: GitServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cache_folder = tmp_path / "cache"
    cache_folder.mkdir()
    monkeypatch.setattr(cache, "ensure_cache_folder", lambda: cache_folder)
    declare(root, git_server.url)
    assert complete(root, git_server.url)
    assert list(cache_folder.iterdir()) == []


@pytest.mark.parametrize(
    ("number", "is_ended"), [(errno.ENAMETOOLONG, False), (errno.ENOSPC, True)]
)
def test_what_cannot_be_written_fails_no_project_unless_the_disk_is_full(
    number: int,
    is_ended: bool,
    root: Path,
    library: GitProject,
    git_server: GitServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_bytes = Path.write_bytes

    def fail_for_headers(path: Path, content: bytes) -> int:
        if path.name == "twice.cuh":
            raise OSError(number, os.strerror(number))
        return write_bytes(path, content)

    monkeypatch.setattr(Path, "write_bytes", fail_for_headers)
    declare(root, git_server.url)
    with pytest.raises(OSError, match="space") if is_ended else nullcontext():
        (dependency,) = complete(root, git_server.url)
        assert dependency.problem == "bad-repository"

    # what came before the fault is removed
    assert not list(root.rglob("types.h"))


def test_a_name_is_measured_in_the_bytes_of_its_folder(
    root: Path, library: GitProject, git_server: GitServer
) -> None:
    (root / "CMakeLists.txt").write_text(
        f"f({'é' * 60} GIT_REPOSITORY {git_server.url}/owner/lib.git)\n"
    )
    assert complete(root, git_server.url) == ()


def test_repositories_that_have_nothing_count_among_those_that_are_asked(
    root: Path, library: GitProject, git_server: GitServer
) -> None:
    (root / "CMakeLists.txt").write_text(
        "".join(
            f"f(x{number} GIT_REPOSITORY {git_server.url}/owner/lib.git GIT_TAG t{number})\n"
            for number in range(30)
        )
    )
    for number in range(30):
        library.git("tag", f"t{number}")
    (root / "a.cu").write_text(KERNEL.replace("lib/types.h", "lib/nowhere.h"))
    assert complete(root, git_server.url) == ()
    # a header that nobody has is asked for of 16, each by as many requests
    count = len(git_server.sent)
    git_server.sent.clear()
    (root / "CMakeLists.txt").write_text(
        f"f(x GIT_REPOSITORY {git_server.url}/owner/lib.git GIT_TAG t1)\n"
    )
    assert complete(root, git_server.url) == ()
    assert count == 16 * len(git_server.sent) > 0


def test_refused_addresses_keep_no_other_from_being_asked(
    root: Path, library: GitProject, git_server: GitServer
) -> None:
    (root / "CMakeLists.txt").write_text(
        "".join(
            f"f(x{number} URL https://elsewhere.org/o/x{number})\n"
            for number in range(100)
        )
        + f"f(named_otherwise GIT_REPOSITORY {git_server.url}/owner/lib.git GIT_TAG v1.2)\n"
    )
    (root / "a.cu").write_text(KERNEL.replace("catch2/", "more/"))
    dependencies = complete(root, git_server.url)
    problems = [dependency.problem for dependency in dependencies]
    assert problems.count("address-refused") == 64
    assert "named_otherwise" in {dependency.name for dependency in dependencies}
