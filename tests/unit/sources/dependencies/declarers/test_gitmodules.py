"""Submodules that a source distribution left out are known by `.gitmodules`."""

from __future__ import annotations

from pathlib import Path

from crawler.checkout.source_tree import open_tree
from crawler.sources.dependencies.declarers.gitmodules import PLUGIN
from crawler.sources.dependencies.interface import DeclaredDependency


def find_in(root: Path, text: str, folder: str = "") -> list[DeclaredDependency]:
    (root / folder).mkdir(parents=True, exist_ok=True)
    (root / folder / ".gitmodules").write_text(text)
    return list(PLUGIN.find_declared(open_tree(root)))


def test_a_submodule_is_called_as_its_folder_is(tmp_path: Path) -> None:
    text = """
[submodule "anything"]
\tpath = external/library
\turl = https://github.com/owner/library.git
[submodule "second"]
\tpath = cub
\turl = https://github.com/NVlabs/cub
\tbranch = main
"""
    assert find_in(tmp_path, text) == [
        DeclaredDependency(
            name="library",
            url="https://github.com/owner/library.git",
            path=".gitmodules",
            folder="external/library",
        ),
        DeclaredDependency(
            name="cub",
            url="https://github.com/NVlabs/cub",
            path=".gitmodules",
            folder="cub",
        ),
    ]


def test_a_submodule_without_an_address_is_none(tmp_path: Path) -> None:
    assert find_in(tmp_path, '[submodule "a"]\n\tpath = a\n') == []


def test_submodules_of_vendored_projects_count(tmp_path: Path) -> None:
    text = '[submodule "a"]\n\tpath = a\n\turl = https://github.com/owner/a\n'
    (declared,) = find_in(tmp_path, text, "external/b")
    assert (declared.name, declared.path) == ("a", "external/b/.gitmodules")


def test_a_project_without_submodules_declares_none(tmp_path: Path) -> None:
    assert find_in(tmp_path, "") == []
