"""The lists of commands say what each does in words that are not cut short, and come at once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from storage.open import open_storage
from tests.unit.storage.samples import REPO, make_kernel
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


def test_a_query_waits_only_for_what_shows_kernels(tmp_path: Path) -> None:
    program = (
        "import sys; from workers.cli import _run;"
        "sys.argv[1:] = ['query']; _run(); print(*sys.modules)"
    )
    environment = {**os.environ, "KERNELSET_HOME": str(tmp_path)}
    command = [sys.executable, "-c", program]
    # the first one makes the database, which takes alembic
    for _ in range(2):
        printed = subprocess.run(
            command, check=True, capture_output=True, text=True, env=environment
        )

    modules = set(printed.stdout.split())
    rooms = {".".join(name.split(".")[:2]) for name in modules}
    assert "storage.index" in rooms
    # what parses, compiles, writes, or serves others, and what it would take along
    assert not rooms & {
        "crawler.sandbox",
        "crawler.similarity",
        "crawler.toolchains",
        "storage.access",
        "storage.maintenance",
        "workers.execution",
        "workers.stages",
    }
    assert not modules & {"alembic", "boto3", "celery", "lark", "psycopg", "rensa"}


@pytest.mark.parametrize("expression", ["", "name = *kernel* and tag != nothing"])
def test_a_query_of_a_small_index_waits_for_no_library_of_databases(
    expression: str, tmp_path: Path
) -> None:
    with open_storage(tmp_path) as storage:
        storage.index.put_kernels(REPO, [make_kernel("my_kernel")])

    modules = list_loaded_modules(["query", expression], tmp_path)

    assert "storage.index.pages.small_index" in modules
    assert not modules & {
        "alembic",
        # most classes of the model, and decimal numbers
        "crawler.model.kernel",
        "statistics",
        "rich",
        "sqlalchemy",
        "sqlmodel",
        "storage.open",
        "storage.tables",
    }


@pytest.mark.parametrize("arguments", [["status"], ["query"], ["crawls"]])
def test_what_looks_at_results_loads_nothing_that_makes_them(
    arguments: list[str], tmp_path: Path
) -> None:
    modules = list_loaded_modules(arguments, tmp_path)

    rooms = {".".join(name.split(".")[:2]) for name in modules}
    assert "storage.ledger" in rooms
    assert not rooms & {
        "crawler.builds",
        "crawler.extract",
        "crawler.sandbox",
        "crawler.sources",
        "crawler.validate",
        "workers.cluster",
        "workers.execution",
        "workers.local",
        "workers.stages",
    }
    assert not modules & {"celery", "rich.live", "structlog"}


def test_a_verb_waits_for_no_other(tmp_path: Path) -> None:
    modules = list_loaded_modules(["query"], tmp_path)
    verbs = {name for name in modules if name.startswith("workers.cli.kernels.")}
    assert "workers.cli.kernels.query" in verbs
    assert not verbs & {"workers.cli.kernels.complete", "workers.cli.kernels.judge"}
    assert not modules & {"workers.cli.app", "workers.cli.crawls.crawl"}


def test_the_version_is_told_without_any_command(tmp_path: Path) -> None:
    modules = list_loaded_modules(["--version"], tmp_path)
    assert not modules & {"typer", "workers.cli.app", "pydantic", "sqlalchemy"}


def list_loaded_modules(arguments: list[str], home: Path) -> set[str]:
    program = (
        "import sys\n"
        "from workers.cli import main\n"
        f"sys.argv[1:] = {arguments!r}\n"
        "try:\n"
        "    main()\n"
        "except SystemExit:\n"
        "    print(*sys.modules, file=sys.stderr)\n"
    )
    environment = {**os.environ, "KERNELSET_HOME": str(home)}
    # the first one makes the database, which takes alembic
    for _ in range(2):
        printed = subprocess.run(
            [sys.executable, "-c", program],
            check=True,
            capture_output=True,
            text=True,
            env=environment,
        )

    return set(printed.stderr.split())
