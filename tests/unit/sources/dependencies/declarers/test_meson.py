"""Repositories that Meson's wrap files name."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.checkout.source_tree import open_tree
from crawler.sources.dependencies.declarers.meson import PLUGIN
from crawler.sources.dependencies.interface import DeclaredDependency


def find_in(root: Path, text: str, name: str = "lib") -> list[DeclaredDependency]:
    path = root / f"subprojects/{name}.wrap"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return list(PLUGIN.find_declared(open_tree(root)))


@pytest.mark.parametrize(
    ("revision", "ref"),
    [
        ("revision = v1.2", "v1.2"),
        ("revision=0a1b", "0a1b"),
        ("", ""),
        ("revision = HEAD", ""),
    ],
)
def test_a_wrap_is_called_as_its_file_is(
    tmp_path: Path, revision: str, ref: str
) -> None:
    text = f"[wrap-git]\nurl = https://github.com/owner/library.git\n{revision}\n"
    assert find_in(tmp_path, text, "mylib") == [
        DeclaredDependency(
            name="mylib",
            url="https://github.com/owner/library.git",
            ref=ref,
            path="subprojects/mylib.wrap",
        )
    ]


def test_an_archive_is_named_by_its_address(tmp_path: Path) -> None:
    text = """
[wrap-file]
directory = library-1.2
source_url   =   https://github.com/owner/library/archive/v1.2.tar.gz
patch_url = https://wrapdb.example/v1/patch
directory = %(nothing)s
[provide]
url = https://github.com/owner/other
"""
    (declared,) = find_in(tmp_path, text)
    assert declared.url == "https://github.com/owner/library/archive/v1.2.tar.gz"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "url = https://github.com/owner/library\n",
        "[wrap-git]\nrevision = v1\n",
        "[wrap-git]\nurl = ../library\n",
        "[wrap-redirect]\nfilename = other.wrap\n",
        "[wrap-git\nurl = https://github.com/owner/library\n",
    ],
)
def test_what_names_no_address_declares_nothing(tmp_path: Path, text: str) -> None:
    assert find_in(tmp_path, text) == []


def test_a_broken_wrap_hides_no_other(tmp_path: Path) -> None:
    find_in(tmp_path, "[broken\nurl", "a")
    text = "[wrap-git]\nurl = https://github.com/owner/library\n"
    assert [declared.name for declared in find_in(tmp_path, text, "b")] == ["b"]
