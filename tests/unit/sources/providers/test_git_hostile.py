"""Repositories made to hurt whoever takes them."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.errors import BadArchive, NotFound, ToolFailed
from tests.unit.sources.providers.git_checkouts import (
    KERNEL,
    LIMITS,
    Make,
    fetch,
    fetch_error_code,
    files,
    list_one,
)

pytestmark = pytest.mark.apt("git")


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
