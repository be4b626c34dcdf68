"""Headers of repositories that a project declares, of a real server, up to the kernel's unit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from crawler.model import (
    DEPENDENCY_FOLDER,
    FlagsOrigin,
)
from crawler.optouts import read_optouts
from crawler.sources.dependencies.completion import fetch_dependencies
from crawler.sources.interface import SourceOptions
from tests.integration.sources.declared_library import (
    KERNEL,
    complete,
    declare,
    extract,
)
from tests.servers.git import GitProject, GitServer

pytestmark = pytest.mark.apt("git")


def test_headers_of_what_cmake_declares_are_in_the_unit(
    root: Path, library: GitProject, git_server: GitServer
) -> None:
    declare(root, git_server.url)
    (dependency,) = complete(root, git_server.url)
    commit = library.git("rev-parse", "v1.2")
    assert (dependency.name, dependency.commit, dependency.licence) == (
        "lib",
        commit,
        "MIT",
    )
    # neither sources, nor tests, nor what no compiler reads
    folder = root / dependency.folder
    assert sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.*")) == [
        "include/lib/detail/twice.cuh",
        "include/lib/types.h",
    ]

    # the library's own kernel is not the project's
    (kernel,) = extract(root)
    assert kernel.name == "scale"
    assert kernel.flags_origin is FlagsOrigin.COMPLETED
    assert kernel.unit is not None
    assert "struct Pair" in kernel.unit.source
    assert "return 2 * x" in kernel.unit.source
    assert {origin.path for origin in kernel.origins} == {
        "a.cu",
        f"{DEPENDENCY_FOLDER}/lib@{commit}/include/lib/types.h",
        f"{DEPENDENCY_FOLDER}/lib@{commit}/include/lib/detail/twice.cuh",
    }
    assert f"dependency:lib:{commit[:12]}:MIT" in kernel.tags


def test_a_submodule_is_fetched_at_its_commit(
    root: Path, library: GitProject, git_server: GitServer
) -> None:
    (root / ".gitmodules").write_text(
        f'[submodule "lib"]\n\tpath = external\n\turl = {git_server.url}/owner/lib.git\n'
    )
    commit = library.git("rev-parse", "v1.2")
    (dependency,) = fetch_dependencies(
        root, SourceOptions(dependency_hosts=(git_server.url,)), {"external": commit}
    )
    assert dependency.commit == commit
    assert (root / dependency.folder / "include/lib/types.h").is_file()


def test_a_dependency_of_a_dependency_is_fetched_where_it_is_included(
    root: Path,
    library: GitProject,
    git_project: Callable[..., GitProject],
    git_server: GitServer,
) -> None:
    library.commit(
        {
            "include/lib/types.h": '#pragma once\n#include "base/base.h"\n',
            "CMakeLists.txt": f"CPMAddPackage(NAME base GIT_REPOSITORY {git_server.url}/o/base)",
        }
    )
    git_project("origin/o/base").commit({"base/base.h": "struct Base {};\n"})
    declare(root, git_server.url, tag="main")
    assert [dependency.name for dependency in complete(root, git_server.url)] == [
        "lib",
        "base",
    ]


@pytest.mark.parametrize(
    ("files", "is_meant"),
    [
        ({"src/only_here.cuh": ""}, True),
        ({"src/only_here.cuh": "", "other/only_here.cuh": ""}, False),
    ],
)
def test_a_header_without_a_folder_is_taken_where_it_can_mean_one_file_alone(
    files: dict[str, str],
    is_meant: bool,
    root: Path,
    library: GitProject,
    git_server: GitServer,
) -> None:
    (root / "a.cu").write_text(
        f'#include "only_here.cuh"\n{KERNEL}'.replace("lib/", "no/")
    )
    library.commit(files)
    declare(root, git_server.url, tag="main")
    assert bool(complete(root, git_server.url)) is is_meant


def test_what_no_device_code_includes_is_not_fetched(
    root: Path, library: GitProject, git_server: GitServer
) -> None:
    declare(root, git_server.url)
    (root / "a.cu").write_text("__global__ void k(int *x) { x[0] = 1; }\n")
    (root / "b.cpp").write_text("#include <lib/types.h>\n")
    assert complete(root, git_server.url) == ()
    assert git_server.sent == []


def test_an_address_of_another_host_is_never_asked(
    root: Path, library: GitProject, git_server: GitServer
) -> None:
    declare(root, git_server.url)
    (dependency,) = complete(root, "github.com")
    assert dependency.problem == "address-refused"
    assert git_server.sent == []
    assert "dependency_hosts" in dependency.explain()


def test_without_hosts_nobody_is_asked(
    root: Path, library: GitProject, git_server: GitServer
) -> None:
    declare(root, git_server.url)
    assert complete(root) == ()
    assert git_server.sent == []
    assert not (root / DEPENDENCY_FOLDER).exists()


def test_a_server_that_refuses_stops_nothing_and_the_message_says_so(
    root: Path, library: GitProject, git_server: GitServer
) -> None:
    declare(root, git_server.url)
    git_server.refuse = 503
    (dependency,) = complete(root, git_server.url)
    assert dependency.problem == "network-down"

    (kernel,) = extract(root)
    assert kernel.unit is not None
    (explanation,) = kernel.unit.unavailable
    assert explanation.startswith("lib, which the project declares at http://127.0.0.1")
    assert "could not be had (network-down): put it into" in explanation


def test_an_opted_out_repository_is_not_taken(
    root: Path, library: GitProject, git_server: GitServer, tmp_path: Path
) -> None:
    declare(root, git_server.url)
    (tmp_path / "optouts").write_text(f"{git_server.url}/owner\n")
    options = SourceOptions(
        dependency_hosts=(git_server.url,), optouts=read_optouts(tmp_path / "optouts")
    )
    (dependency,) = fetch_dependencies(root, options, {})
    assert dependency.problem == "opted-out"
    assert git_server.sent == []
