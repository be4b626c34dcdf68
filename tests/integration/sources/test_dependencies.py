"""Headers of repositories that a project declares, of a real server, up to the kernel's unit."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from crawler import cache
from crawler.checkout.dependencies import read_report
from crawler.checkout.source_tree import open_tree
from crawler.extract.link import link_kernels
from crawler.extract.translation_unit_facts import extract_unit_facts
from crawler.model import (
    DEPENDENCY_FOLDER,
    CompileCommand,
    Dependency,
    Dialect,
    FlagsOrigin,
    Kernel,
)
from crawler.optouts import read_optouts
from crawler.sources.dependencies.completion import _list_declared, fetch_dependencies
from crawler.sources.interface import SourceOptions
from tests.servers.git import GitProject, GitServer

pytestmark = pytest.mark.apt("git")

KERNEL = """\
#include <lib/types.h>
#include <catch2/catch.hpp>
__global__ void scale(lib::Pair *x) { x[0].a = lib::twice(x[0].b); }
void run(lib::Pair *x) { scale<<<1, 1>>>(x); }
"""
LIBRARY = {
    "include/lib/types.h": '#pragma once\n#include "detail/twice.cuh"\n'
    "namespace lib { struct Pair { int a, b; }; }\n",
    "include/lib/detail/twice.cuh": "#pragma once\n"
    "namespace lib { __device__ inline int twice(int x) { return 2 * x; }\n"
    "__global__ void of_the_library(int *x) { x[0] = 0; } }\n",
    "include/lib/table.bin": "0" * 1000,
    "src/lib.cpp": "int unrelated;\n",
    "tests/include/lib/types.h": "#error not meant\n",
    "LICENSE": "MIT License\n\nPermission is hereby granted, free of charge, to any person "
    'obtaining a copy of this software and associated documentation files (the "Software"), to '
    "deal in the Software without restriction, including without limitation the rights to use, "
    "copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, "
    "and to permit persons to whom the Software is furnished to do so, subject to the following "
    "conditions:\n\nThe above copyright notice and this permission notice shall be included in "
    'all copies or substantial portions of the Software.\n\nTHE SOFTWARE IS PROVIDED "AS IS", '
    "WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE "
    "WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO "
    "EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER "
    "LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN "
    "CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.cu").write_text(KERNEL)
    return folder


@pytest.fixture
def library(git_project: Callable[..., GitProject]) -> GitProject:
    project = git_project("origin/owner/lib.git")
    project.commit(LIBRARY)
    project.git("tag", "v1.2")
    project.commit({"include/lib/types.h": "#error a later one\n"})
    return project


def declare(root: Path, url: str, tag: str = "v1.2") -> None:
    (root / "CMakeLists.txt").write_text(
        f"set(LIB_TAG {tag})\nFetchContent_Declare(lib\n"
        f"  GIT_REPOSITORY {url}/owner/lib.git\n  GIT_TAG ${{LIB_TAG}})\n"
    )


def complete(root: Path, *hosts: str, **submodules: str) -> tuple[Dependency, ...]:
    return fetch_dependencies(root, SourceOptions(dependency_hosts=hosts), submodules)


def extract(root: Path) -> list[Kernel]:
    command = CompileCommand(
        directory=".",
        file="a.cu",
        arguments=(),
        dialect=Dialect.CUDA,
        origin=FlagsOrigin.EXPORTED,
    )
    return list(link_kernels([extract_unit_facts(root, command)]))


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
    kept = tmp_path / "cache"
    kept.mkdir()
    monkeypatch.setattr(cache, "ensure_cache_folder", lambda: kept)
    declare(root, git_server.url)
    assert complete(root, git_server.url)
    assert list(kept.iterdir()) == []


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
