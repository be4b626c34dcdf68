from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crawler.builds.database import strategy_outcomes
from crawler.builds.database.strategy_outcomes import (
    find_strategy_error,
    is_synthesised_only,
    run_build_systems,
)
from crawler.builds.interface import BuildSystem, FoundCommands
from crawler.builds.systems.synthesised import PLUGIN as FLOOR
from crawler.checkout.source_tree import SourceTree
from crawler.errors import BadDatabase, ConfigureFailed, NotFound
from crawler.plugins import load_plugins

Plant = Callable[[dict[str, str]], Any]
KERNEL = "__global__ void k(float* p) { p[0] = 1; }\n"
ENTRY = json.dumps([{"directory": ".", "file": "k.cu", "command": "nvcc -c k.cu"}])


class CountingSystem:
    """A build system that says whether it was asked."""

    name = "asked"
    order = 1
    executes = False
    by_request = True

    def __init__(self) -> None:
        self.times = 0

    def recognises(self, tree: SourceTree) -> bool:
        return "asked.txt" in tree.files

    def find_commands(self, tree: SourceTree, scratch: Path) -> FoundCommands:
        self.times += 1
        if tree.read_text("asked.txt") == "fail":
            raise ConfigureFailed(
                "it does not configure: see the log", output="the end of its output"
            )
        return FoundCommands(commands=(), log="it ran")


@pytest.fixture
def counting_system(monkeypatch: pytest.MonkeyPatch) -> CountingSystem:
    plugin = CountingSystem()
    plugins: tuple[BuildSystem, ...] = load_plugins("crawler.builds.systems")
    monkeypatch.setattr(strategy_outcomes, "load_plugins", lambda _: (plugin, *plugins))
    return plugin


def test_what_works_by_request_only_is_not_asked_otherwise(
    plant: Plant, counting_system: CountingSystem
) -> None:
    tree = plant({"k.cu": KERNEL, "asked.txt": ""}).tree
    assert "asked" not in [answer.report.strategy for answer in run_build_systems(tree)]
    assert counting_system.times == 0
    assert [
        answer.report.strategy for answer in run_build_systems(tree, ["asked"])
    ] == ["asked", FLOOR.name]
    assert counting_system.times == 1


def test_a_build_system_that_gives_nothing_has_failed(
    plant: Plant, counting_system: CountingSystem
) -> None:
    outcomes = run_build_systems(
        plant({"k.cu": KERNEL, "asked.txt": ""}).tree, ["asked"]
    )
    assert (
        outcomes[0].report.code,
        outcomes[0].report.entries,
        outcomes[0].report.log,
    ) == (
        "empty-database",
        0,
        "it ran",
    )
    assert "Start clean" in outcomes[0].report.message
    assert isinstance(find_strategy_error(outcomes, ["asked"]), BadDatabase)
    assert is_synthesised_only(outcomes)


def test_its_error_and_the_end_of_its_output_are_kept(
    plant: Plant, counting_system: CountingSystem
) -> None:
    outcomes = run_build_systems(
        plant({"k.cu": KERNEL, "asked.txt": "fail"}).tree, ["asked"]
    )
    assert (outcomes[0].report.code, outcomes[0].report.log) == (
        "configure-failed",
        "the end of its output",
    )
    assert find_strategy_error(outcomes, ["asked"]) is outcomes[0].error


@pytest.mark.parametrize(
    ("name", "code"),
    [("asked", "no-build-system"), ("existing", "no-database")],
)
def test_asking_by_name_for_what_is_not_there_is_answered(
    plant: Plant, counting_system: CountingSystem, name: str, code: str
) -> None:
    outcomes = run_build_systems(plant({"k.cu": KERNEL}).tree, [name])
    error = find_strategy_error(outcomes, [name])
    assert error is not None
    assert error.code == code
    assert "leave out --strategy" in str(error)


def test_a_name_that_no_strategy_has_is_refused_with_those_there_are(
    plant: Plant,
) -> None:
    with pytest.raises(NotFound, match=r"abacus: name one of .*existing") as raised:
        run_build_systems(plant({"k.cu": KERNEL}).tree, ["abacus"])
    assert raised.value.code == "no-strategy"


def test_one_that_works_is_enough(
    plant: Plant, counting_system: CountingSystem
) -> None:
    outcomes = run_build_systems(
        plant({"k.cu": KERNEL, "compile_commands.json": ENTRY}).tree,
        ["existing", "asked"],
    )
    assert find_strategy_error(outcomes, ["existing", "asked"]) is None
    assert not is_synthesised_only(outcomes)
    assert {command.strategy for answer in outcomes for command in answer.commands} == {
        "existing",
        FLOOR.name,
    }
