"""A look into the index that shows nothing says why, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage.ledger.interface import Stage, TaskSpec
from storage.open import open_storage
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
