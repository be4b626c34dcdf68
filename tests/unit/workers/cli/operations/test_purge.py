"""What a purge that finds nothing says: an exit code alone is no answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workers.cli.app import app
from workers.cli.exit_codes import NOTHING


def run_purge(home: Path, *options: str) -> object:
    words = ["--home", str(home), "purge", *options]
    return app(words, prog_name="kernelset", standalone_mode=False)


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_without_a_list_it_says_which_setting_names_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    assert run_purge(tmp_path, *options) == NOTHING
    said = capsys.readouterr().err
    assert "nothing to remove: the setting `optouts` names no file" in said


@pytest.mark.parametrize("options", [(), ("--dry-run",), ("--dry-run", "--json")])
def test_a_list_of_which_nothing_is_here_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    optouts = tmp_path / "optouts"
    optouts.write_text("local:mine\n")
    settings = f"optouts = {json.dumps(str(optouts))}\n"
    (tmp_path / "kernelset.toml").write_text(settings)
    assert run_purge(tmp_path, *options) == NOTHING
    captured = capsys.readouterr()
    said = f"nothing to remove: nothing in the store is on the list {optouts}"
    assert said in captured.err
    assert "nothing" not in captured.out
