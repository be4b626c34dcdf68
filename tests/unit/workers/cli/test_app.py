"""The lists of commands say what each does in words that are not cut short, and come at once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command

from workers.cli.app import app

# what is left of a terminal of 80 columns beside the longest name
_HELP_WIDTH = 62


def iter_commands(command: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    for name, subcommand in getattr(command, "commands", {}).items():
        yield f"{path}{name}", subcommand
        yield from iter_commands(subcommand, f"{path}{name} ")


COMMANDS = dict(iter_commands(get_command(app)))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_described_by_a_whole_sentence(name: str) -> None:
    description = COMMANDS[name].get_short_help_str(limit=_HELP_WIDTH)
    assert not description.endswith("...")


def test_help_and_completion_wait_for_no_part_of_the_pipeline() -> None:
    program = "import sys, workers.cli.app; print(*sys.modules)"
    printed = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )

    modules = set(printed.stdout.split())
    parts = ("crawler.", "storage.", "workers.execution", "sqlalchemy", "pydantic")
    loaded = {name for name in modules if name.startswith(parts)}
    assert loaded == {"crawler.errors"}
