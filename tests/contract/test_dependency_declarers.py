"""What every way of declaring a repository must do, whichever plugins there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.checkout.source_tree import SourceTree, open_tree
from crawler.plugins import load_plugins
from crawler.sources.dependencies.addresses import find_remote
from crawler.sources.dependencies.interface import DependencyDeclarer

each_declarer = pytest.mark.parametrize(
    "declarer",
    load_plugins("crawler.sources.dependencies.declarers"),
    ids=lambda declarer: declarer.name,
)
HOSTILE = {
    "CMakeLists.txt": "FetchContent_Declare(a GIT_REPOSITORY ${B})\nset(B ${B}${B})\n(((\n"
    'ExternalProject_Add(x URL "unclosed',
    "x.cmake": "\0" * 100 + "(" * 10_000,
    "WORKSPACE": "http_archive(" + "(" * 10_000,
    "subprojects/x.wrap": "[wrap-git\nurl",
    "subprojects/y.wrap": "url = https://github.com/owner/library\n",
    ".gitmodules": '[submodule "x"]\n\turl = https://github.com/owner/x\n',
}


def plant(root: Path, files: dict[str, str]) -> SourceTree:
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    return open_tree(root)


@each_declarer
def test_its_example_declares_a_library(
    declarer: DependencyDeclarer, tmp_path: Path
) -> None:
    tree = plant(tmp_path, declarer.example)  # type: ignore[attr-defined]
    (declared,) = declarer.find_declared(tree)
    remote = find_remote(declared, ["github.com"])
    assert declared.name == "library"
    assert declared.path in declarer.example  # type: ignore[attr-defined]
    assert remote is not None
    assert (remote.owner, remote.name) == ("owner", "library")


@each_declarer
def test_a_tree_without_declarations_has_none(
    declarer: DependencyDeclarer, tmp_path: Path
) -> None:
    assert list(declarer.find_declared(plant(tmp_path, {"a.cu": "int x;\n"}))) == []


@pytest.mark.timeout(60)
@each_declarer
def test_broken_files_declare_nothing_and_hurt_nobody(
    declarer: DependencyDeclarer, tmp_path: Path
) -> None:
    for declared in declarer.find_declared(plant(tmp_path, HOSTILE)):
        assert find_remote(declared, ["github.com"]) is None
