from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from crawler.builds.database.compile_database import survey_checkout
from crawler.builds.database.explanation import Explanation, explain_command
from crawler.checkout.include_graph import IncludeGraph
from crawler.errors import BadDatabase, NotFound
from crawler.model import FlagsOrigin

Plant = Callable[[dict[str, str]], IncludeGraph]
KERNEL = "__global__ void k(float* p) { p[0] = 1; }\n"
PROJECT = {
    "k.cu": '#include "m.h"\n',
    "m.h": '#include "k.cuh"\n',
    "k.cuh": KERNEL,
    "other.cu": KERNEL,
    "host.cpp": "int x;\n",
    "lonely.h": "int y;\n",
}


def write_database(root: Path, *commands: str) -> None:
    entries = [
        {"directory": ".", "file": "k.cu", "command": command} for command in commands
    ]
    (root / "compile_commands.json").write_text(json.dumps(entries))


def explain(
    plant: Plant, path: str, *commands: str, strategies: Sequence[str] = ()
) -> Explanation:
    root = plant(PROJECT).tree.root
    write_database(root, *(commands or ("nvcc -DREAL -c k.cu",)))
    survey = survey_checkout(root, strategies=("existing",))
    return explain_command(survey, path, strategies=strategies)


def test_a_unit_has_its_own_command(plant: Plant) -> None:
    explanation = explain(plant, "k.cu")
    assert explanation.command.arguments == ("-DREAL",)
    assert explanation.chain == ()
    outcomes = {
        candidate.strategy: candidate.outcome for candidate in explanation.candidates
    }
    assert outcomes == {
        "existing": "used",
        "synthesised": "not used: less trusted",
    }


def test_a_header_names_the_files_over_which_it_borrows(plant: Plant) -> None:
    explanation = explain(plant, "k.cuh")
    assert explanation.command.borrowed_from == "k.cu"
    assert explanation.chain == ("k.cu", "m.h", "k.cuh")
    assert explanation.candidates[0].origin is FlagsOrigin.EXPORTED


def test_a_file_without_an_entry_in_the_database_gets_one(plant: Plant) -> None:
    explanation = explain(plant, "lonely.h")
    assert explanation.command.origin is FlagsOrigin.SYNTHESISED
    assert explanation.candidates == ()


@pytest.mark.parametrize(
    ("commands", "outcome"),
    [
        (("nvcc -DA -DB -c k.cu", "g++ -x c++ -DC -c k.cu"), "another configuration"),
        (("nvcc -DA -c k.cu", "nvcc -DA -DB -c k.cu"), "another configuration"),
    ],
)
def test_what_became_of_other_commands_is_said(
    plant: Plant, commands: tuple[str, str], outcome: str
) -> None:
    candidates = explain(plant, "k.cu", *commands).candidates
    outcomes = [
        candidate.outcome
        for candidate in candidates
        if candidate.strategy == "existing"
    ]
    assert sorted(outcomes) == sorted(["used", outcome])


def test_a_file_that_is_not_there_is_named(plant: Plant) -> None:
    with pytest.raises(NotFound) as raised:
        explain(plant, "none.cu")
    assert raised.value.code == "no-file"


def test_a_synthesised_command_is_none_for_a_named_strategy(plant: Plant) -> None:
    with pytest.raises(BadDatabase) as raised:
        explain(plant, "other.cu", strategies=("existing",))
    assert raised.value.code == "no-entry"
    assert "other.cu has no entry among 1" in str(raised.value)
    assert "leave out --strategy" in str(raised.value)
