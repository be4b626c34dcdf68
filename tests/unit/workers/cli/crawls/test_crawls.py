"""Who has lost a crawl's id finds it again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from storage.ledger.interface import Stage, TaskSpec
from storage.open import open_storage
from workers.cli.app import app
from workers.cli.exit_codes import DONE, NOTHING


def list_crawls(home: Path, *options: str) -> object:
    words = ["--home", str(home), "crawls", *options]
    return app(words, prog_name="kernelset", standalone_mode=False)


@pytest.fixture
def crawl(tmp_path: Path) -> str:
    task = TaskSpec(
        stage=Stage.LIST, key="k", version="1", queue="list", payload="{}", subject="s"
    )
    with open_storage(tmp_path) as storage:
        return storage.ledger.open_crawl(
            ("pypi:a", "./b\x1b[2J"), (task,), asked_by="ada"
        )


def test_a_crawl_is_a_line_with_its_id_and_locators(
    tmp_path: Path, crawl: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert list_crawls(tmp_path) == DONE
    head, line = capsys.readouterr().out.splitlines()
    assert head.split() == [
        *("crawl", "asked", "by", "state", "left", "failed", "locators")
    ]
    assert line.startswith(f"{crawl}  20")
    assert line.endswith(r"ada  active  1     0       pypi:a ./b\x1b[2J")


def test_the_same_as_json(
    tmp_path: Path, crawl: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert list_crawls(tmp_path, "--json") == DONE
    values = json.loads(capsys.readouterr().out)
    assert values.pop("asked_at").endswith("+00:00")
    assert values == {
        "crawl": crawl,
        "asked_by": "ada",
        "held": "",
        "state": "active",
        "left": 1,
        "failed": 0,
        "locators": ["pypi:a", "./b\x1b[2J"],
    }


def test_before_the_first_crawl_it_says_how_to_begin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert list_crawls(tmp_path) == NOTHING
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "kernelset crawl LOCATOR" in captured.err
