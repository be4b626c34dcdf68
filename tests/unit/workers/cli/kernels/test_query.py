"""A look into the index that shows nothing says why, and what to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crawler.model import (
    Behaviour,
    Instantiation,
    Run,
    Status,
    Toolchain,
    Verdict,
)
from storage.errors import BadQuery
from storage.ledger.interface import Stage, TaskSpec
from storage.open import open_storage
from tests.unit.storage.samples import REPO, make_kernel, make_unit
from workers.cli.app import app
from workers.cli.exit_codes import DONE, NOTHING


def run_command(home: Path, *words: str) -> object:
    return app(
        ["--home", str(home), *words], prog_name="kernelset", standalone_mode=False
    )


@pytest.fixture
def crawl(tmp_path: Path) -> str:
    task = TaskSpec(
        stage=Stage.LIST, key="k", version="1", queue="list", payload="{}", subject="s"
    )
    with open_storage(tmp_path) as storage:
        return storage.ledger.open_crawl(("pypi:a",), (task,))


def test_before_the_first_crawl_it_says_how_to_begin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(tmp_path, "query") == NOTHING
    assert "`kernelset crawl LOCATOR` begins" in capsys.readouterr().err


def test_what_matches_nothing_is_not_taken_for_an_empty_index(
    tmp_path: Path, crawl: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(tmp_path, "query", "name = a", "--crawl", crawl) == NOTHING
    assert capsys.readouterr().err.startswith("nothing matches: ")


@pytest.mark.parametrize("words", [("query",), ("show", "saxpy")])
def test_an_unknown_crawl_is_said(
    tmp_path: Path,
    crawl: str,
    words: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run_command(tmp_path, *words, "--crawl", f"{crawl}0") == NOTHING
    assert f"no crawl has the id {crawl}0" in capsys.readouterr().err


def test_an_export_of_an_unknown_crawl_writes_nothing(
    tmp_path: Path, crawl: str, capsys: pytest.CaptureFixture[str]
) -> None:
    destination = tmp_path / "kernels.jsonl"
    words = ("export", "kernels", str(destination), "--crawl", f"{crawl}0")
    assert run_command(tmp_path, *words) == NOTHING
    assert not destination.exists()
    assert "no crawl has the id" in capsys.readouterr().err


def test_rows_say_how_many_instantiations_were_run_and_what_consistent_means(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = ("float", "int", "half")
    unit = make_unit("text")
    kernel = make_kernel(
        "k",
        unit=unit,
        instantiations=tuple(
            Instantiation(arguments=(label,), label=label) for label in labels
        ),
    )
    run = Run(
        unit=unit.digest,
        device="cpu",
        toolchain=Toolchain(compiler="clang"),
        pass_exe=Verdict(status=Status.CONSISTENT),
        behaviour=Behaviour.DETERMINISTIC,
        instantiation="float",
    )
    with open_storage(tmp_path) as storage:
        storage.index.put_kernels(REPO, [kernel])
        storage.index.put_runs([run])

    run_command(tmp_path, "query")

    output = capsys.readouterr()
    assert "cpu:consistent cpu-run:1/3" in output.out
    assert output.err == "consistent: agrees with itself; meaning not proven\n"
    run_command(tmp_path, "query", "--json")
    assert capsys.readouterr().err == ""


@pytest.fixture
def home_with_kernels(tmp_path: Path, crawl: str) -> Path:
    assert crawl
    kernels = [
        make_kernel("first", 0, tags=("uses:shared-memory", "class:scan")),
        make_kernel("second", 1, tags=("uses:shared-memory",)),
        make_kernel("third", 2, tags=("class:scan",)),
    ]
    with open_storage(tmp_path) as storage:
        storage.index.put_kernels(REPO, kernels)
    return tmp_path


def test_a_value_that_no_kernel_has_is_named_with_what_is_like_it(
    home_with_kernels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        run_command(home_with_kernels, "query", "tag = uses:shared_memory") == NOTHING
    )
    message = capsys.readouterr().err
    assert message.startswith("nothing matches: ")
    assert (
        "no kernel has the tag `uses:shared_memory`:"
        " did you mean `uses:shared-memory`?" in message
    )


def test_a_value_that_some_kernel_has_is_not_named(
    home_with_kernels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expression = "tag = uses:shared-memory name = third"
    assert run_command(home_with_kernels, "query", expression) == NOTHING
    assert "no kernel has" not in capsys.readouterr().err


def test_facets_count_what_matches(
    home_with_kernels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("query", "first or third", "--facet", "class, tag")
    assert run_command(home_with_kernels, *words) == DONE
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        ["class", "scan", "2"],
        ["tag", "class:scan", "2"],
        ["tag", "uses:shared-memory", "1"],
    ]

    assert (
        run_command(
            home_with_kernels, "query", "--facet", "tag", "--limit", "1", "--json"
        )
        == 0
    )
    (row,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert row == {"facet": "tag", "value": "class:scan", "target": "", "kernels": 2}


def test_a_facet_that_is_no_field_is_refused(home_with_kernels: Path) -> None:
    with pytest.raises(BadQuery, match=r"did you mean `licence`"):
        run_command(home_with_kernels, "query", "--facet", "licnce")
