"""A look into the index that shows nothing says why, and what to do."""

from __future__ import annotations

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
from storage.ledger.interface import Stage, TaskSpec
from storage.open import open_storage
from tests.unit.storage.samples import REPO, make_kernel, make_unit
from workers.cli.app import app
from workers.cli.exit_codes import NOTHING


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
