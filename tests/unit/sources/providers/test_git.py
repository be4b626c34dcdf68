"""Refs that are asked for, and what is taken of a repository."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.errors import NotFound, Rejected
from tests.unit.sources.providers.git_checkouts import (
    KERNEL,
    LIMITS,
    Make,
    fetch,
    files,
    list_one,
)

pytestmark = pytest.mark.apt("git")


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
        os.fsdecode(b"caf\xe9.cu"): KERNEL,
    }
    project.commit(contents)
    fetched_files = files(
        fetch(project, tmp_path / "out", replace(LIMITS, file_bytes=4000)).root
    )
    spelled_names = {"a%0Ab", "a%5Cb", "caf%E9.cu"}
    plain_names = {"a.cu", "data.inc", ".gitattributes", "-rf"}
    assert set(fetched_files) == plain_names | spelled_names
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
