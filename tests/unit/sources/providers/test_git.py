"""Refs that are asked for, and repositories made to hurt whoever takes them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.errors import BadArchive, NotFound, Rejected, TooLarge, ToolFailed
from crawler.model import Checkout, Repo
from crawler.sources.interface import Limits, SourceOptions
from crawler.sources.providers.git import PLUGIN
from tests.servers.git import GitProject

pytestmark = pytest.mark.apt("git")

LIMITS = Limits(seconds=60)
KERNEL = "__global__ void k(float* x) { x[0] = 1; }\n"
Make = Callable[..., GitProject]


def list_one(project: GitProject, ref: str = "") -> Repo:
    (repo,) = PLUGIN.list(
        f"git+file://{project.folder}{'@' if ref else ''}{ref}",
        SourceOptions(limits=LIMITS),
    )
    return repo


def fetch(
    project: GitProject, folder: Path, limits: Limits = LIMITS, commit: str = ""
) -> Checkout:
    folder.mkdir()
    repo = list_one(project)
    return PLUGIN.fetch(
        replace(repo, commit=commit or repo.commit),
        folder,
        SourceOptions(limits=limits),
    )


def files(root: Path) -> dict[str, bytes]:
    assert not [path for path in root.rglob("*") if path.is_symlink()]
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


def fetch_error_code(project: GitProject, folder: Path, limits: Limits = LIMITS) -> str:
    with pytest.raises((BadArchive, TooLarge), match=r": \w|refused") as caught:
        fetch(project, folder, limits)
    assert list(folder.iterdir()) == []
    return caught.value.code


def test_a_ref_is_a_branch_a_tag_or_a_commit(git_project: Make) -> None:
    project = git_project()
    first = project.commit({"a.cu": KERNEL})
    project.git("tag", "light")
    project.git("tag", "--annotate", "--message", "a tag", "heavy/1.0")
    project.git("branch", "feature/x")
    second = project.commit({"b.cu": KERNEL})
    named = {
        ref: list_one(project, ref).commit
        for ref in ("light", "heavy/1.0", "feature/x", "refs/heads/feature/x")
    }
    assert set(named.values()) == {first}
    for ref in ("", "main", second, second[:7], second[:12]):
        assert list_one(project, ref).commit == second
    assert (
        list_one(project, first).commit == list_one(project, first[:10]).commit == first
    )
    tag = project.git("rev-parse", "heavy/1.0")
    assert list_one(project, tag).commit == first
    assert list_one(project, "feature/x").ref == "feature/x"


def test_a_tag_wins_over_a_branch_and_a_whole_commit_over_both(
    git_project: Make,
) -> None:
    project = git_project()
    first = project.commit({"a.cu": KERNEL})
    project.git("tag", "twice")
    second = project.commit({"b.cu": KERNEL})
    project.git("branch", "twice")
    project.git("update-ref", f"refs/heads/{first}", second)
    project.git("update-ref", f"refs/tags/{second[:8]}", first)
    assert list_one(project, "twice").commit == first
    assert list_one(project, first).commit == first
    assert list_one(project, second[:8]).commit == first


@pytest.mark.parametrize(
    "ref",
    [
        "absent",
        "refs/heads/absent",
        "0123456",
        "0" * 39 + "1",
        "0" * 63 + "1",
        "HEAD~1x",
    ],
)
def test_a_ref_that_is_not_there_is_named(git_project: Make, ref: str) -> None:
    project = git_project()
    project.commit({"a.cu": KERNEL})
    with pytest.raises(NotFound, match=r": \w") as caught:
        list_one(project, ref)
    assert caught.value.code in ("ref-not-found", "bad-locator")


def test_an_empty_repository_is_an_expected_end(git_project: Make) -> None:
    with pytest.raises(Rejected, match="name another branch") as caught:
        list_one(git_project())
    assert caught.value.code == "empty-repository"


def test_a_repository_of_sha256_is_taken_too(git_project: Make, tmp_path: Path) -> None:
    project = git_project("origin/new", "--object-format=sha256")
    commit = project.commit({"a.cu": KERNEL})
    assert len(commit) == 64
    assert list_one(project, commit).commit == commit
    assert files(fetch(project, tmp_path / "out").root) == {"a.cu": KERNEL.encode()}


@pytest.mark.parametrize("filters", ["true", "false"])
def test_only_what_could_be_read_is_taken(
    git_project: Make, tmp_path: Path, filters: str
) -> None:
    project = git_project()
    project.git("config", "uploadpack.allowFilter", filters)
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    contents: dict[str, str | bytes] = {
        "a.cu": KERNEL,
        "photo.PNG": b"\x89PNG",
        "model.onnx": b"0",
        "big.txt": "x" * 5000,
        "data.inc": pointer,
        ".gitattributes": "*.inc filter=lfs\n* text eol=crlf\n",
        "-rf": "x",
        "a\nb": "x",
        "a\\b": "x",
    }
    project.commit(contents)
    fetched_files = files(
        fetch(project, tmp_path / "out", replace(LIMITS, file_bytes=4000)).root
    )
    assert set(fetched_files) == {"a.cu", "data.inc", ".gitattributes", "-rf"}
    assert fetched_files["data.inc"] == pointer.encode()


def test_a_link_to_a_file_of_the_tree_is_that_file_and_others_are_left_out(
    git_project: Make, tmp_path: Path
) -> None:
    project = git_project()
    names = (
        "b.h d/b.h ../b.h /etc/passwd ../../etc/passwd loop other d . first c/../d/b.h"
    )
    target = {name: project.blob(name.encode()) for name in names.split()}
    kernel = project.blob(KERNEL.encode())
    below = project.tree(
        ("100644", b"b.h", kernel), ("120000", b"up.h", target["../b.h"])
    )
    links = {
        "first": "d/b.h",
        "second": "first",
        "way": "c/../d/b.h",
        "abs": "/etc/passwd",
        "out": "../../etc/passwd",
    }
    links |= {"loop": "other", "other": "loop", "folder": "d", "self": "."}
    entries = [("120000", name.encode(), target[to]) for name, to in links.items()]
    entries += [("100644", b"b.h", kernel), ("40000", b"d", below)]
    project.commit_tree(project.tree(*sorted(entries, key=lambda entry: entry[1])))
    assert set(files(fetch(project, tmp_path / "out").root)) == {
        "b.h",
        "d/b.h",
        "d/up.h",
        "first",
        "second",
        "way",
    }


def test_submodules_are_recorded_and_never_fetched(
    git_project: Make, tmp_path: Path
) -> None:
    project = git_project()
    marker = tmp_path / "ran"
    modules = project.blob(
        f'[submodule "x"]\n\tpath = x\n\turl = ext::sh -c touch% {marker}\n'.encode()
    )
    inner = project.commit({"a.cu": KERNEL})
    kernel = project.blob(KERNEL.encode())
    project.commit_tree(
        project.tree(
            ("100644", b".gitmodules", modules),
            ("100644", b"a.cu", kernel),
            ("160000", b"x", inner),
        )
    )
    checkout = fetch(project, tmp_path / "out")
    assert checkout.submodules == (f"x@{inner}",)
    assert set(files(checkout.root)) == {".gitmodules", "a.cu"}
    assert not marker.exists()


@pytest.mark.parametrize(
    "name", [b".git", b".GIT", b"..", b".", b"", b"a/../../b", b"/etc", b"n" * 300]
)
def test_a_tree_with_a_name_that_leaves_it_is_refused(
    git_project: Make, tmp_path: Path, name: bytes
) -> None:
    project = git_project()
    project.commit_tree(project.tree(("100644", name, project.blob(b"evil"))))
    assert fetch_error_code(project, tmp_path / "out") == "bad-repository"


@pytest.mark.parametrize("name", [b".git", b".."])
def test_a_folder_with_a_name_that_leaves_it_is_refused(
    git_project: Make, tmp_path: Path, name: bytes
) -> None:
    project = git_project()
    below = project.tree(("100755", b"post-checkout", project.blob(b"#!/bin/sh\n")))
    project.commit_tree(project.tree(("40000", name, below)))
    assert fetch_error_code(project, tmp_path / "out") == "bad-repository"


def test_a_name_that_is_a_file_and_a_folder_is_refused(
    git_project: Make, tmp_path: Path
) -> None:
    project = git_project()
    blob = project.blob(b"x")
    project.commit_tree(
        project.tree(
            ("100644", b"a", blob),
            ("40000", b"a", project.tree(("100644", b"b", blob))),
        )
    )
    assert fetch_error_code(project, tmp_path / "out") == "bad-repository"
    project.commit_tree(project.tree(("100644", b"a", blob), ("120000", b"a", blob)))
    assert fetch_error_code(project, tmp_path / "again") == "bad-repository"


def test_a_file_that_is_no_blob_is_refused(git_project: Make, tmp_path: Path) -> None:
    project = git_project()
    project.commit_tree(
        project.tree(
            ("100644", b"a", project.tree(("100644", b"b", project.blob(b"x"))))
        )
    )
    assert fetch_error_code(project, tmp_path / "out") == "bad-repository"


def test_a_tree_of_ten_billion_files_ends_at_the_limit(
    git_project: Make, tmp_path: Path
) -> None:
    project = git_project()
    oid, mode = project.blob(b"x"), "100644"
    for _ in range(10):
        oid, mode = (
            project.tree(*((mode, f"f{index}".encode(), oid) for index in range(10))),
            "40000",
        )
    project.commit_tree(oid)
    began = time.monotonic()
    assert (
        fetch_error_code(project, tmp_path / "out", replace(LIMITS, files=20_000))
        == "too-large"
    )
    assert time.monotonic() - began < 20


def test_a_tree_deeper_than_any_path_is_refused(
    git_project: Make, tmp_path: Path
) -> None:
    project = git_project()
    oid, mode = project.blob(b"x"), "100644"
    for _ in range(600):
        oid, mode = project.tree((mode, b"d", oid)), "40000"
    project.commit_tree(oid)
    assert fetch_error_code(project, tmp_path / "out") == "bad-repository"


def test_a_pack_over_the_limit_is_refused(git_project: Make, tmp_path: Path) -> None:
    project = git_project()
    project.commit(
        {
            "a.cu": KERNEL,
            "noise.txt": bytes(hash((i, 7)) % 251 + 1 for i in range(400_000)),
        }
    )
    assert (
        fetch_error_code(
            project, tmp_path / "out", replace(LIMITS, download_bytes=100_000)
        )
        == "too-large"
    )


def test_a_blob_that_packs_to_nothing_is_bounded(
    git_project: Make, tmp_path: Path
) -> None:
    project = git_project()
    project.commit(
        {
            "a.cu": KERNEL,
            **{
                f"zeros{index}.txt": bytes([48 + index]) * 1_000_000
                for index in range(4)
            },
        }
    )
    limits = replace(LIMITS, unpacked_bytes=3_000_000)
    assert fetch_error_code(project, tmp_path / "out", limits) == "too-large"


def test_hooks_filters_and_settings_of_a_folder_never_run(
    git_project: Make, tmp_path: Path
) -> None:
    project = git_project("origin/evil")
    marker = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {marker}\n")
    program.chmod(0o755)
    commit = project.commit(
        {"a.cu": KERNEL, ".gitattributes": "* filter=evil diff=evil\n"}
    )
    hooks = project.folder / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in (
        "post-checkout",
        "reference-transaction",
        "pre-receive",
        "fsmonitor-watchman",
    ):
        (hooks / name).write_text(program.read_text())
        (hooks / name).chmod(0o755)
    for name in (
        "core.fsmonitor",
        "core.sshCommand",
        "core.askPass",
        "filter.evil.smudge",
        "filter.evil.clean",
    ):
        project.git("config", name, str(program))
    for name in (
        "uploadpack.packObjectsHook",
        "core.alternateRefsCommand",
        "remote.origin.uploadpack",
    ):
        project.git("config", name, str(program))
    project.git("config", "remote.origin.url", f"ext::{program}")
    project.git("config", "remote.origin.promisor", "true")
    missing = project.git("rev-parse", "HEAD:a.cu")
    assert files(fetch(project, tmp_path / "out").root).keys() == {
        "a.cu",
        ".gitattributes",
    }
    (project.folder / ".git" / "objects" / missing[:2] / missing[2:]).unlink()
    with pytest.raises((BadArchive, NotFound, OSError)):
        fetch(project, tmp_path / "again", commit=commit)
    assert not marker.exists()


def test_our_own_configuration_is_not_read(
    git_project: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = git_project()
    project.commit({"a.cu": KERNEL})
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text('[url "ext::false"]\n\tinsteadOf = "file://"\n')
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    assert list_one(project).commit
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))
    with pytest.raises(ToolFailed) as caught:
        list_one(project)
    assert "transport 'ext' not allowed" in caught.value.output
