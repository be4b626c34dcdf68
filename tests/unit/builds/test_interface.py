from __future__ import annotations

from pathlib import Path

import pytest

from crawler.builds.interface import (
    FoundCommands,
    is_by_request,
    make_not_recognised_error,
)
from crawler.checkout.source_tree import SourceTree, open_tree
from crawler.errors import NoBuildSystem, NotFound


class MinimalBuildSystem:
    name = "minimal"
    order = 1
    executes = False

    def recognises(self, tree: SourceTree) -> bool:
        return False

    def find_commands(self, tree: SourceTree, scratch: Path) -> FoundCommands:
        return FoundCommands(commands=())


class RequestedBuildSystem(MinimalBuildSystem):
    name = "requested"
    by_request = True
    absent = "no-database"


@pytest.fixture
def tree(tmp_path: Path) -> SourceTree:
    root = tmp_path / "project"
    root.mkdir()
    return open_tree(root)


def test_a_build_system_works_unasked_unless_it_says_otherwise() -> None:
    assert not is_by_request(MinimalBuildSystem())
    assert is_by_request(RequestedBuildSystem())


def test_a_named_build_system_that_finds_nothing_says_what_to_do(
    tree: SourceTree,
) -> None:
    error = make_not_recognised_error(MinimalBuildSystem(), tree)
    assert isinstance(error, NoBuildSystem)
    assert str(error) == (
        "project has nothing that `minimal` reads: "
        "leave out --strategy to use what is there"
    )


def test_a_build_system_may_have_an_error_code_of_its_own(tree: SourceTree) -> None:
    error = make_not_recognised_error(RequestedBuildSystem(), tree)
    assert isinstance(error, NotFound)
    assert error.code == "no-database"
